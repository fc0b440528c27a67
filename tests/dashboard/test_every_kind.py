"""The pages show a column of every kind, and take what is done to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.engine.table import toy_kinds
from tests.engine.table.kind_examples import (
    EXAMPLES,
    Example,
    csv_of,
    not_asked,
    schema_of,
    two_codes,
)
from understudy.table.buckets import ByCuts
from understudy.table.column import Column
from understudy.table.kinds import list_kinds
from understudy.table.levels import calendar_levels
from understudy_dashboard import words
from understudy_dashboard.parts import bucket_editor, columns
from understudy_dashboard.parts.column_form import fits_lines
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    toy_kinds.register(monkeypatch)


@pytest.fixture(params=EXAMPLES, ids=lambda example: example.domain.kind)
def example(request: pytest.FixtureRequest) -> Example:
    found: Example = request.param
    return found


@pytest.fixture
def session(example: Example, sessions: Callable[..., Session]) -> Session:
    texts = (*example.texts, "", not_asked(example), example.outside)
    schema = schema_of(example.domain)
    several = schema.columns[0].changed(missing_codes=two_codes(example))
    table = sessions(csv_of(texts, rows=40), schema.replace(several))
    table.column = "it"
    return table


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the editor of cuts was told, one after another."""
    return list_told(bucket_editor, monkeypatch)


def list_told(module: Any, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A list that holds what the component of a module is told from now on."""
    told: list[dict[str, Any]] = []
    mount = module._mount

    def keep(**settings: Any) -> Any:
        told.append(settings["data"])
        return mount(**settings)

    monkeypatch.setattr(module, "_mount", keep)
    return told


def column(session: Session) -> Column:
    return session.settings.require_schema().column("it")


def keyed(page: AppTest, kind: str, part: str) -> Any:
    return next(each for each in getattr(page, kind) if part in str(each.key))


def test_the_data_page_lists_it_and_asks_for_its_settings(
    opened: Opened,
    said: Said,
    session: Session,
    example: Example,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = list_told(columns, monkeypatch)
    page = opened("data", session)
    assert not page.exception
    domain = example.domain
    (row,) = (row for row in listed[-1]["rows"] if row["name"] == "it")
    filters = {each["name"]: each["count"] for each in listed[-1]["filters"]}
    family = "numbers" if domain.numeric else domain.words.plural
    assert (row["family"], filters[family] >= 1) == (family, True)
    assert domain.words.title in row["says"]
    assert row["missing"] == "80 missing"
    assert "40 missing · 40 missing: not asked" in said(page)
    if domain.ranged is not None:
        assert domain.ranged.show(domain.ranged.minimum) in row["says"]
    assert keyed(page, "radio", "it-kind").value == domain.kind
    for setting in domain.settings:
        widget = "selectbox" if setting.options else "text_input"
        field = keyed(page, widget, f"it-{setting.name}")
        assert (field.label, field.value) == (
            setting.label,
            domain.setting_texts()[setting.name],
        )
    if not domain.settings:
        assert fits_lines(domain)
    assert "40 values outside" in said(page)
    assert column(session).domain == domain
    assert example.outside not in said(page)


def test_a_setting_that_cannot_be_read_is_answered(
    opened: Opened, session: Session, example: Example
) -> None:
    if not example.domain.ordered:
        return
    page = opened("data", session)
    keyed(page, "text_input", "it-minimum").input("often").run()
    assert not page.exception
    assert len(page.error) == 1
    assert column(session).domain == example.domain


def test_another_kind_can_be_chosen(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    for kind in list_kinds():
        before = column(session)
        keyed(page, "radio", "it-kind").set_value(kind).run()
        assert not page.exception
        assert page.error or column(session).domain.kind == kind
        session.describe(session.settings.require_schema().replace(before))
        page.run()


def test_the_buckets_page_offers_what_suits_it(
    opened: Opened, session: Session, example: Example, mounted: list[dict[str, Any]]
) -> None:
    page = opened("buckets", session)
    assert not page.exception
    kinds = keyed(page, "radio", "buckets-")
    assert list(kinds.options) == [words.BUCKETS[kind] for kind in example.domain.bucket_kinds]
    for kind in example.domain.bucket_kinds:
        keyed(page, "radio", "buckets-").set_value(kind).run()
        assert not page.exception
        if kind != "groups":
            assert not page.error
    assert bool(mounted) is example.domain.ordered
    for data in mounted:
        highest = data["highest"] or data["lowest"]
        assert len(data["lowest"]) == len(highest) == data["size"] == example.domain.size
        assert (data["lowest"][0], highest[-1]) == (example.texts[0], example.texts[-1])
        assert sum(data["bars"]) == 40 * len(example.texts)


def test_cuts_are_typed_dragged_and_preset(
    opened: Opened, said: Said, session: Session, example: Example
) -> None:
    ranged = example.domain.ranged
    if ranged is None:
        return
    page = opened("buckets", session)
    keyed(page, "radio", "buckets-").set_value("cuts").run()
    middle = ranged.spell(ranged.numbers[ranged.size // 2])
    keyed(page, "text_input", "cuts-").input(middle).run()
    assert not page.exception
    assert not page.error
    assert column(session).buckets == ByCuts(cuts=(ranged.numbers[ranged.size // 2],))
    assert column(session).bucket_count == 4
    keyed(page, "text_input", "cuts-").input("often").run()
    assert ranged.words.plural in page.error[0].value
    for number, deed in enumerate(
        (
            {"act": "split"},
            {"act": "add", "place": 1},
            {"act": "move", "place": 1, "to": 2},
            {"act": "remove", "place": 2},
        ),
        1,
    ):
        bucket_editor.take_deeds(session, "it", [{**deed, "number": number}])
        assert column(session).bucket_count > 3
    page = opened("buckets", session)
    for title in (*ranged.cut_presets(), "Equal parts of the range"):
        button = next(each for each in page.button if each.label == title)
        if title in ranged.cut_presets():
            assert ranged.cuts_help
            assert button.help == ranged.cuts_help
        if not button.disabled:
            button.click().run()
            assert not page.exception
            assert column(session).bucket_count > 3
    assert column(session).bucket_labels[0] in said(page)


def test_longer_periods_are_kept_above_the_buckets_at_a_press(
    session: Session, opened: Opened, said: Said
) -> None:
    ranged = column(session).domain.ranged
    levels = calendar_levels(column(session).domain, column(session).buckets)
    page = opened("buckets", session)
    offered = [each for each in page.button if str(each.key).startswith("keep-levels-")]
    assert len(offered) == bool(levels)
    if ranged is None or not levels:
        return
    offered[0].click().run()
    assert column(session).levels == levels
    named = ", then ".join(map(column(session).name_level, range(2, column(session).coarsest + 1)))
    assert f"Kept above these ranges: **{named}**" in said(page)
    assert not any(str(each.key).startswith("keep-levels-") for each in page.button)
    drop = next(each for each in page.button if str(each.key).startswith("drop-level-"))
    drop.click().run()
    assert column(session).levels == levels[1:]
    assert not page.exception
