"""The public pictures of a method in the report of a packet. The JSON Schema of published plans
follows from the declaration of each plan.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pypdf
import pytest
from pydantic import Field

from tests.engine.mechanisms.opening import open_plan
from tests.support import category_schema
from understudy.charts.public import PublicPicture
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import CONFIDENTIAL, TAG, MechanismPlan
from understudy.mechanisms.registry import mechanisms, opening_plan, plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table
from understudy.report import report
from understudy.report.browser import find_chromium, print_pdf
from understudy.report.guarantee_file import describe_plan_schema
from understudy.report.report import Pictured, draw_packet_pictures
from understudy.report.svg import LineChart, PairChart, draw_line_chart, draw_pair_chart

SCHEMA = category_schema(2, 3)


def of(changed: dict[str, object]) -> PlannedRun:
    return plan_run(opening_plan("imputation", SCHEMA, changed), SCHEMA)


def test_every_line_of_a_picture_is_drawn_and_named() -> None:
    found = draw_packet_pictures(of({"records": 900, "rows": 100}))
    titles = ["How much is made up beforehand", "δ for every ε", "What more rows cost"]
    assert [each.title for each in found] == titles
    for each in found:
        assert each.said
        names = re.findall(r'y="\d+" text-anchor="start">([^<]+)</text>', each.drawn)
        assert each.drawn.count("<polyline") >= 2
        assert names
        assert "nan" not in each.drawn
        assert "this plan" in each.drawn
        assert not each.rows


def test_a_column_that_will_be_related_to_nothing_is_named() -> None:
    schema = category_schema(900, 8, 5, 12, 4)
    plan = whole_table(schema, Wanted(epsilon=1.0, records=10_000)).plan
    (found,) = draw_packet_pictures(plan_run(plan, schema))
    assert found.foresees
    assert "“c0” will be unrelated to every other column" in found.said


def test_a_plan_without_a_curve_has_no_picture() -> None:
    assert draw_packet_pictures(of({"records": 900, "release": "noised-mode"})) == ()


def undrawable() -> None:
    raise AssertionError("a report draws by hand, and needs no figure")


def test_a_picture_without_a_shape_is_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"What": ["<one>"], "How much": [1234.5678]})
    plain = PublicPicture("plain", "Plain", "It is plain.", undrawable, table, "Nothing to see.")
    monkeypatch.setattr(report, "public_pictures", lambda _: (plain,))
    made = draw_packet_pictures(of({}))
    assert made == (Pictured("Plain", "It is plain.", made[0].drawn, ["What", "How much"],
                             [["<one>", "1,235"]]),)  # fmt: skip
    assert made[0].drawn == ""


def test_what_is_about_another_method_stands_in_no_packet(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"What": ["one"], "How much": [1.0]})
    plain = PublicPicture("plain", "Plain", "It is plain.", undrawable, table, "Nothing to see.")
    warned = replace(plain, title="Warned", warning="Fakes as published, not this release.")
    monkeypatch.setattr(report, "public_pictures", lambda _: (warned, plain))
    assert [each.title for each in draw_packet_pictures(of({}))] == ["Plain"]


def test_a_method_that_has_none_of_this_plan_says_so_by_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(_: PlannedRun) -> tuple[PublicPicture, ...]:
        raise Refusal("There is none.", "Change the plan.")

    monkeypatch.setattr(report, "public_pictures", refuses)
    assert draw_packet_pictures(of({})) == ()


def test_lines_and_pairs_are_to_scale() -> None:
    drawn = draw_line_chart(
        LineChart([1, 10, 100], {"a": [1e-2, 1e-4, 0.0]}, "x", "y", powers=True), "Alt."
    )
    (_, line) = re.findall(r'class="line"[^>]*points="([^"]+)"', drawn)
    assert len(line.split()) == 2
    assert 'aria-label="Alt."' in drawn
    bars = draw_pair_chart(PairChart(["<a>"], [99.0], [9.0], ("One", "Other")), "Alt.")
    assert "&lt;a&gt;" in bars
    widths = [float(each) for each in re.findall(r'width="([\d.]+)" height="11"', bars)]
    assert widths[0] == pytest.approx(2 * widths[1], rel=1e-3)


def test_a_chart_of_many_bars_is_cut_into_some_that_fit_on_a_page() -> None:
    names = [f"column number {number}" for number in range(50)]
    values = [float(number) for number in range(50)]
    drawn = draw_pair_chart(PairChart(names, values, values, ("One", "Other")), "Alt.")
    heights = [float(each) for each in re.findall(r'height="([\d.]+)">', drawn)]
    assert len(heights) == 3
    assert max(heights) < 900
    assert [drawn.count(f">{name}<") for name in names] == [1] * 50
    assert drawn.count("aria-label") == 3
    assert "From “column number 22” on." in drawn
    scale = [float(each) for each in re.findall(r'width="([\d.]+)" height="11"', drawn)]
    assert scale[::2] == sorted(scale[::2])


def test_a_long_label_is_broken_and_not_cut_off() -> None:
    label = "The patient was born in this hospital, and so was somebody of their family"
    drawn = draw_pair_chart(PairChart([label], [1.0], [1.0], ("One", "Other")), "Alt.")
    lines = re.findall(r'text-anchor="end">([^<]+)<', drawn)
    assert [len(line) <= 30 for line in lines] == [True, True]
    assert lines[0] == "The patient was born in this"
    assert lines[1].endswith("…")


def test_no_chart_is_cut_by_the_end_of_a_page_and_none_stands_apart_from_its_title() -> None:
    if find_chromium() is None:
        pytest.fail("The PDF needs a Chromium: apt-get install chromium", pytrace=False)
    sizes, charts = (4, 17, 22, 50), []
    for number, size in enumerate(sizes):
        names = [f"chart {number} row {row}." for row in range(size)]
        values = [1.0] * size
        drawn = draw_pair_chart(PairChart(names, values, values, ("One", "Other")), "Alt.")
        lines = "<p>A line.</p>" * (5 + 11 * number)
        caption = f"<figcaption>Title {number}.</figcaption>"
        charts.append(f"{lines}<h2>Chapter {number}.</h2><figure>{drawn}{caption}</figure>")
    style = (Path(report.__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
    made = print_pdf(f"<style>{style}</style>{''.join(charts)}")
    assert made is not None
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(made)).pages]

    def page_of(text: str) -> int:
        (found,) = (place for place, page in enumerate(pages) if text in page)
        return found

    for number, size in enumerate(sizes):
        on = [page_of(f"chart {number} row {row}.") for row in range(size)]
        parts = [on[first : first + 22] for first in range(0, size, 22)]
        assert [len(set(part)) for part in parts] == [1] * len(parts)
        assert page_of(f"Chapter {number}.") == on[0]
        assert page_of(f"Title {number}.") == on[-1]


def _errors(plan: type[MechanismPlan], published: dict[str, Any]) -> list[str]:
    schema, definitions = describe_plan_schema(plan)
    checker = jsonschema.Draft202012Validator({**schema, "$defs": definitions})
    return [each.json_path for each in checker.iter_errors(published)]


@pytest.mark.parametrize("kind", sorted(mechanisms()))
def test_what_a_method_begins_with_is_valid(kind: str) -> None:
    method = mechanisms()[kind]
    published = open_plan(kind)[1].publish()
    assert _errors(method.plan, published) == []
    assert _errors(method.plan, {**published, "unknown": 1}) == ["$"]
    assert _errors(method.plan, {**published, "domain": "x"}) == ["$.domain"]


@pytest.mark.parametrize("kind", sorted(mechanisms()))
def test_nothing_confidential_is_described(kind: str) -> None:
    schema, _ = describe_plan_schema(mechanisms()[kind].plan)
    assert not CONFIDENTIAL & schema["properties"].keys()


class Rounded(MechanismPlan, what="the plan"):
    """A plan with one setting.

    Attributes:
        decimals: how many decimals
            are kept.
    """

    kind = "rounded"
    decimals: int = Field(default=2, ge=0, le=9)


def test_a_setting_is_described_where_it_is_declared() -> None:
    schema, _ = describe_plan_schema(Rounded)
    assert schema["description"] == "A plan with one setting."
    assert schema["properties"]["decimals"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 9,
        "description": "how many decimals are kept.",
    }
    assert schema["required"] == [TAG, "domain"]


def test_a_statement_from_before_a_setting_stays_valid() -> None:
    plan = Plan.of(category_schema(2, 3, 4)).publish()
    assert _errors(Plan, {name: plan[name] for name in ("domain", "omega")}) == []
    assert _errors(Plan, {"domain": plan["domain"]}) == ["$"]
