"""What a finished run shows: internal figures on one page, the release on the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from understudy.runs.control import runs
from understudy.runs.folder import RunFolder
from understudy.table.buckets import EachValue
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def tab(page: AppTest, section: str, part: str) -> AppTest:
    page.session_state["inspect-tab"] = section
    page.session_state[f"inspect-{section}"] = part
    return page.run()


def test_before_any_run_both_pages_lead_back(opened: Opened) -> None:
    for name in ("inspect", "release"):
        page = opened(name)
        assert len(page.info) == 1
        assert not page.exception


def test_inspect_tells_the_story_and_marks_it_internal(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = opened("inspect", session)
    text = said(page)
    assert not page.exception
    assert "typical pair of columns, released records differ" in text
    assert "as many other real records by" in text
    assert "expected to pass" in text or "Every candidate passes" in text
    assert "not measured yet" in text
    assert ":orange-badge[:material/visibility_lock: INTERNAL]" in text


def test_inspect_needs_the_table_for_one_pair_only(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Distances", "One pair")
    assert "This needs" not in said(page)
    assert any(str(each.key).startswith("table-pair-") for each in page.toggle)
    page = tab(opened("inspect"), "Distances", "One pair")
    assert "This needs the confidential table" in said(page)
    assert not page.error


def test_what_it_is_fit_for_stands_first_and_is_internal(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    text = said(opened("inspect", session))
    assert text.index("Fit for") < text.index("Not fit for") < text.index("typical pair of")
    assert "Finding or counting single people" in text
    assert "Measured beside as many other real records" in text


def test_a_column_is_looked_at_in_the_real_and_in_the_released_table(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Distances", "Single columns")
    keys = [str(each.key) for each in page.toggle]
    assert sorted(keys) == ["table-column-0", "table-column-1", "table-column-2"]
    page = tab(opened("inspect"), "Distances", "Single columns")
    assert "Open the confidential table" in said(page)


def test_inspect_does_not_compare_with_a_table_described_otherwise(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    assert session.settings.schema is not None
    age = session.settings.schema.column("age").with_buckets(EachValue())
    session.describe(session.settings.schema.replace(age))
    page = tab(opened("inspect", session), "Distances", "One pair")
    assert "This needs the confidential table" in said(page)


def test_k_moves_the_pass_rates_without_another_run(
    opened: Opened, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Privacy test", "Pass rate")
    first = [metric.value for metric in page.metric if metric.label.startswith("ω = 2")]
    page.select_slider(key="inspect-k").set_value(500).run()
    second = [metric.value for metric in page.metric if metric.label.startswith("ω = 2")]
    assert first != second
    assert len(runs(run.path.parent)) == 1


def test_every_chart_can_be_read_as_a_table(
    opened: Opened, run: RunFolder, session: Session
) -> None:
    page, toggled = opened("inspect", session), 0
    for section, part in (
        ("Overview", "Foreseen and found"),
        ("Distances", "Single columns"),
        ("Distances", "Spread"),
        ("Distances", "Pairs"),
        ("Distances", "One pair"),
        ("Privacy test", "Pass rate"),
        ("Models", "Dependencies"),
    ):
        tab(page, section, part)
        assert not page.dataframe
        for each in page.toggle:
            each.set_value(True)
            toggled += 1
        page.run()
        assert len(page.dataframe) == len(page.toggle)
        assert not page.error
    assert toggled == 11


def test_release_offers_table_and_guarantee_and_nothing_internal(
    opened: Opened, said: Said, run: RunFolder, session: Session, schema: Schema
) -> None:
    page = opened("release", session)
    text = said(page)
    guarantee = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert guarantee["guarantee"]["statement"] in text.replace("\n\n", " ")
    assert "\n\nThe probability of any conclusion" in text
    assert re.search(r"\*\*Declared public\*\* on \d{1,2} [A-Z][a-z]+ \d{4}", text)
    assert {each.key for each in page.download_button} >= {"download-table", "download-guarantee"}
    assert text.count("INTERNAL") == 1  # the mark of the annex, which is no part of the release
    assert "passed so far" not in text
    released = encode(read_table(run.table), schema)
    assert len(released) == guarantee["table"]["rows"]
    shown: pd.DataFrame = page.dataframe[0].value
    assert list(shown.columns) == list(schema.names)


def test_release_says_what_is_promised_with_the_formulas_one_click_away(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = opened("release", session)
    guarantee = json.loads(run.guarantee.read_text(encoding="utf-8"))["guarantee"]
    text = said(page)
    assert guarantee["protects"] in text
    assert f"**Compared are** {guarantee['compares']}." in text
    for each in (*guarantee["reader_sees"], *guarantee["assumes"], *guarantee["not_covered"]):
        assert each in text
    assert not page.code
    page.toggle(key=f"formula-{run.identity}").set_value(True).run()
    assert [each.value for each in page.code] == [each["text"] for each in guarantee["formula"]]


def test_a_statement_of_an_earlier_version_is_still_shown(
    opened: Opened, said: Said, run: RunFolder
) -> None:
    text = run.guarantee.read_text(encoding="utf-8")
    earlier = json.loads(text)
    for name in ("protects", "reader_sees", "not_covered", "formula"):
        del earlier["guarantee"][name]
    try:
        run.guarantee.write_text(json.dumps(earlier), encoding="utf-8")
        page = opened("release")
        assert not page.exception
        assert not page.error
        assert earlier["guarantee"]["assumes"][0] in said(page)
    finally:
        run.guarantee.write_text(text, encoding="utf-8")


def test_the_other_test_can_be_looked_at_without_another_run(
    opened: Opened, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Privacy test", "Pass rate")
    page.toggle(key="table-passing").set_value(True).run()
    first: pd.DataFrame = page.dataframe[0].value
    page.radio(key="inspect-test").set_value("relative-sensitivity").run()
    assert not page.error
    second: pd.DataFrame = page.dataframe[0].value
    hidden = "Share of attempts that pass, ω = 2–3"
    assert (first[hidden] - second[hidden]).abs().max() > 0.01
    assert "ω = 2–3" in [metric.label for metric in page.metric]


def test_a_stained_release_wears_its_stain(
    opened: Opened, said: Said, run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = run.guarantee.read_text(encoding="utf-8")
    try:
        run.guarantee.write_text(json.dumps({**json.loads(text), "stain": "NOT PRIVATE"}))
        page = opened("release")
        assert "NOT PRIVATE" in said(page)
        assert not any(metric.label == "ε" for metric in page.metric)
    finally:
        run.guarantee.write_text(text, encoding="utf-8")
