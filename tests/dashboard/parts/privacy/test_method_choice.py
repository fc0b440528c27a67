"""The methods side by side on the Privacy page, before anything is spent. How many records there
are and are made is said once, on Data; forms of methods follow it. A form of a mechanism that no
page names, made from its table alone. The method that suits the columns is suggested beside the
one in use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.refusal import Refusal
from understudy.mechanisms.expected_utility import Foreseen, Recommendation, Suit
from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Place, Switch, Values, Words
from understudy.mechanisms.kinds import AsJson, Choice, Flag, Number, Scale, Share, Span, Whole
from understudy.mechanisms.registry import mechanisms
from understudy.mechanisms.scored import expected_utility as scored
from understudy.mechanisms.seedbased.plan import Plan
from understudy.projects.state import Answers, Sizes
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.method_settings import FormState
from understudy_dashboard.methods.seedbased.planner import TABLE as SEEDBASED
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.parts.controls import list_stops
from understudy_dashboard.parts.method_choice import KEY, foresight_table
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def unfolded(opened: Opened, session: Session) -> AppTest:
    page = opened("privacy", session)
    page.session_state[KEY] = True
    return page.run()


def test_each_says_what_it_would_keep_once_the_records_are_known(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.set_sizes(Sizes(records=60_000))
    page = unfolded(opened, session)
    assert not page.exception
    assert "seeds are certain" in said(page)
    assert not page.error


def test_it_tells_what_the_page_does_of_the_rows_that_are_asked_for(
    opened: Opened, session: Session
) -> None:
    page = unfolded(opened, session)
    off = []
    for rows in (500, 60_000):
        session.settings.set_sizes(Sizes(records=60_000, rows=rows))
        page.run()
        told = next(each.value for each in page.table if "Makes" in each.value)
        off.append(told.loc["Seedbased synthesis", "A typical column off"])
    assert off[0] != off[1]


def test_that_nothing_can_be_released_is_said(opened: Opened, session: Session) -> None:
    page = unfolded(opened, session)
    session.settings.set_sizes(Sizes(records=200))
    page.number_input(key="beforehand-epsilon").set_value(0.01).run()
    assert not page.exception
    assert any("nothing can be released" in each.value for each in page.error)


def test_nothing_is_worked_out_while_it_is_folded(opened: Opened, session: Session) -> None:
    page = opened("privacy", session)
    assert "beforehand-epsilon" not in {each.key for each in page.number_input}


def test_what_is_not_foreseen_is_not_made_up() -> None:
    told = {"scored": Foreseen("up to 3 records", "Few.")}
    (row,) = foresight_table(told, mechanisms()).to_dict("records")
    assert row["A typical column off"] == "not foreseen"
    assert row["Pairs counted"] == ""


FOLLOWS = {
    "pmse": ("public_records", "rows"),
    "latent": ("public_records", "rows"),
    "imputation": ("records",),
    "scored": ("public_records",),
}


@pytest.fixture
def counting_session() -> Session:
    """Two columns that every method takes."""
    both = Categories(values=("no", "yes"))
    columns = (Column(name="one", domain=both), Column(name="other", domain=both))
    session = Session()
    session.settings.schema = Schema(columns=columns).declare_public()
    return session


def counts(session: Session, kind: str) -> tuple[Any, ...]:
    return tuple(getattr(session.settings.of_method(kind).held, name) for name in FOLLOWS[kind])


@pytest.mark.parametrize("kind", FOLLOWS)
def test_a_form_begins_with_what_was_said_and_follows_it(
    counting_session: Session, kind: str
) -> None:
    counting_session.settings.set_sizes(Sizes(records=5_000))
    many = len(FOLLOWS[kind])
    assert counts(counting_session, kind) == (5_000, 5_000)[:many]
    counting_session.settings.set_sizes(Sizes(records=7_000, rows=800))
    assert counts(counting_session, kind) == (7_000, 800)[:many]
    counting_session.settings.asleep, counting_session.settings.chosen = (
        counting_session.settings.kept_settings(),
        {},
    )
    counting_session.settings.set_sizes(Sizes(records=9_000, rows=80))
    assert counts(counting_session, kind) == (9_000, 80)[:many]


def test_rows_that_cost_more_are_asked_beside_their_cost(counting_session: Session) -> None:
    before = counting_session.settings.of_method("imputation").held.rows
    counting_session.settings.set_sizes(Sizes(records=5_000, rows=800))
    assert counting_session.settings.of_method("imputation").held.rows == before


def test_a_number_of_some_records_only_is_not_that_of_the_table(counting_session: Session) -> None:
    counting_session.settings.set_sizes(Sizes(records=5_000))
    held = counting_session.settings.of_method("scored").held
    held.seeds_among, held.public_records = "one = yes", 40
    counting_session.settings.set_sizes(Sizes(records=7_000))
    assert held.public_records == 40


def test_a_plan_of_other_numbers_says_so_and_takes_those_of_data(
    opened: Opened, counting_session: Session
) -> None:
    counting_session.settings.method = "latent"
    counting_session.settings.set_sizes(Sizes(records=5_000))
    counting_session.settings.of_method().held.rows = 12
    counting_session.answers = Answers(several=False)
    page = opened("privacy", counting_session, by_hand=True)
    shown = [each.value for each in page.markdown]
    assert "**Records in the table, publicly known:** 5,000" in shown
    assert "**Rows to draw:** 12" in shown
    assert not any(each.key == "rows-box" for each in page.number_input)
    page.button(key="said-rows").click().run()
    assert counting_session.settings.of_method().held.rows == 5_000


GROUP = FieldGroup("Toys", "Toys")
COLUMNS = 5


def toy(name: str, kind: Any, *places: str, **other: Any) -> Field:
    where = tuple(Place(each.replace(".", "_"), each, each, each) for each in places or (name,))
    return Field(
        name, Words(name.title(), "It counts.", "What it is."), kind, GROUP, where, **other
    )


def _round(values: Values) -> bool:
    return values.get("shape") == "round"


TABLE = FieldTable(
    (
        toy("bins", Whole(Scale(1, 100))),
        toy("shape", Choice({"round": "Round", "square": "Square"})),
        toy("radius", Number(), applies=_round, only_where_used=True, usual=2.0),
        toy("kept", Share()),
        toy("sure", Flag()),
        toy("wide", Span(), "wide.low", "wide.high"),
        toy("known", Whole(), may_be_empty=True),
        toy("noise", Number(), usual=1.0, switch=Switch("exact", "Exact", "None.", "none", "Oh.")),
        toy("depth", Whole(), usual=7, switch=Switch("deep", "Deep", "Some.", "value")),
    )
)


@dataclass
class Toy:
    """A plan of it."""

    bins: int = 10
    shape: str = "square"
    radius: float | None = None
    kept: float = 0.5
    sure: bool = False
    wide: Any = field(default_factory=lambda: SimpleNamespace(low=1, high=3))
    known: int | None = None
    noise: float | None = None
    depth: int | None = None


@pytest.fixture
def held() -> FormState:
    return FormState.of(TABLE, TABLE.values(Toy()))


def drawn(held, table, columns, refusal):  # type: ignore[no-untyped-def]
    """Draw the form; the script that a test runs is this text alone."""
    from understudy_dashboard.frame import FieldRefusals
    from understudy_dashboard.parts.form import Form

    form = Form(held, columns, FieldRefusals(refusal))
    for each in table:
        form.draw(each)
        if each.switch is not None and each.switch.on == "none":
            form.draw_removal(each)


@pytest.fixture
def page(held: FormState) -> Callable[..., AppTest]:
    def shown(refusal: Refusal | None = None) -> AppTest:
        return AppTest.from_function(drawn, args=(held, TABLE, COLUMNS, refusal)).run()

    return shown


def test_what_a_plan_lacks_is_as_usual_and_switched_off(held: FormState) -> None:
    assert (held.radius, held.noise, held.depth) == (2.0, 1.0, 7)  # type: ignore[attr-defined]
    assert (held.exact, held.deep, held.wide_ranges) == (True, False, True)  # type: ignore[attr-defined]
    assert held.settings() == {
        "bins": 10, "shape": "square", "kept": 0.5, "sure": False, "known": None,
        "wide": {"low": 1, "high": 3}, "noise": None, "depth": None,
    }  # fmt: skip


def test_a_number_comes_back_with_the_choice_that_has_a_use_for_it(held: FormState) -> None:
    held.shape, held.radius = "round", 3.0  # type: ignore[attr-defined]
    assert held.settings()["radius"] == 3.0
    held.shape = "square"  # type: ignore[attr-defined]
    assert "radius" not in held.settings()
    held.shape = "round"  # type: ignore[attr-defined]
    assert held.settings()["radius"] == 3.0


def test_unused_numbers_are_taken_from_before(held: FormState) -> None:
    before = FormState.of(TABLE, TABLE.values(Toy()))
    before.radius, before.depth, before.bins = 9.0, 4, 33  # type: ignore[attr-defined]
    held.take_unused(before)
    assert (held.radius, held.depth, held.bins) == (9.0, 4, 10)  # type: ignore[attr-defined]


def test_every_field_has_its_widget(page: Callable[..., AppTest], held: FormState) -> None:
    shown = page()
    assert not shown.exception
    assert not any(each.key == "radius-box" for each in shown.number_input)
    assert not any(each.key == "depth-box" for each in shown.number_input)
    shown.radio(key="shape-choice").set_value("round").run()
    shown.number_input(key="radius-box").set_value(4.0).run()
    shown.checkbox(key="deep-switch").check().run()
    shown.number_input(key="depth-box").set_value(3).run()
    shown.checkbox(key="exact-switch").uncheck().run()
    shown.checkbox(key="sure-switch").check().run()
    shown.number_input(key="known-box").set_value(12).run()
    shown.number_input(key="kept-box").set_value(0.25).run()
    shown.select_slider(key="bins-slider").set_value(20).run()
    shown.slider(key="wide-slider-range").set_value((2, 4)).run()
    assert not shown.exception
    assert held.settings() == {
        "bins": 20, "shape": "round", "radius": 4.0, "kept": 0.25, "sure": True, "known": 12,
        "wide": {"low": 2, "high": 4}, "noise": 1.0, "depth": 3,
    }  # fmt: skip


def test_a_text_that_cannot_be_read_is_told_and_changes_nothing() -> None:
    table = FieldTable((toy("lists", AsJson()),))
    held = FormState.of(table, {"lists": [1, 2]})
    shown = AppTest.from_function(drawn, args=(held, table, COLUMNS, None)).run()
    shown.text_input(key="lists-text").set_value("[1, two]").run()
    (said,) = shown.error
    assert "not valid JSON" in said.value
    assert held.settings() == {"lists": [1, 2]}
    shown.text_input(key="lists-text").set_value("[3]").run()
    assert not shown.error
    assert held.settings() == {"lists": [3]}


def test_one_number_instead_of_a_range(page: Callable[..., AppTest], held: FormState) -> None:
    shown = page()
    shown.radio(key="wide_ranges-choice").set_value(False).run()
    shown.slider(key="wide-slider").set_value(4).run()
    assert held.settings()["wide"] == {"low": 4, "high": 4}


def test_a_refusal_stands_below_its_field(page: Callable[..., AppTest]) -> None:
    shown = page(Refusal("Too many bins.", "Take fewer.", field="bins"))
    order = [each.key or each.type for each in shown.main if each.type in ("error", "number_input")]
    assert len(shown.error) == 1
    assert order.index("error") == order.index("bins-box") + 1


def test_a_slider_stops_at_round_numbers_within_its_scale() -> None:
    assert list_stops(Scale(2, 12), whole=True) == (2, 3, 4, 5, 6, 8, 10, 12)
    assert list_stops(Scale(1e-3, 1e-1, powers=True)) == (1e-1, 1e-2, 1e-3)
    assert list_stops(Scale(0.1, 0.3)) == (0.1, 0.12, 0.15, 0.2, 0.25, 0.3)


def test_a_draft_has_an_attribute_for_every_place_and_switch(schema: Schema) -> None:
    names = {
        place.name
        for each in SEEDBASED
        for place in each.places
        if not each.confidential and not place.path.startswith("acceptance.")
    }
    names |= {each.switch.name for each in SEEDBASED if each.switch is not None}
    beside = {"omega_ranges", "acceptance"}
    assert names | beside == set(Draft.of_plan(Plan.of(schema)).read_widgets())


def test_nothing_is_suggested_where_the_method_in_use_is_the_one_to_begin_with(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    assert not page.exception
    assert "Suggested for these columns: " not in said(page)
    captions = page.radio(key="method").proto.captions
    assert sum("**Suggested for these columns.**" in each for each in captions) == 1
    assert any("records near real ones" in each for each in captions)


def test_another_is_suggested_and_one_press_takes_it(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = "scored"
    page = opened("privacy", session)
    assert "Suggested for these columns: **Seedbased synthesis**. Its calibrated model" in said(
        page
    )
    page.button(key="use-suggested").click().run()
    assert not page.exception
    assert session.settings.method == "seedbased"
    assert "Suggested for these columns: " not in said(page)


def test_one_that_is_only_good_is_not_pushed(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scored, "suits", lambda _: Suit(Recommendation.BEST, "So it is."))
    session.settings.method = "seedbased"
    page = opened("privacy", session)
    assert not [each for each in page.button if each.key == "use-suggested"]
