"""What stands on the page while the rest is being measured."""

from __future__ import annotations

from tests.dashboard.evaluated import TROUBLE, TROUBLED, evaluation
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import REALS, RELEASED
from understudy_dashboard.parts.evaluation import list_rows


def part(*keys: str) -> Evaluation:
    whole = evaluation()
    found = tuple(each for each in whole.findings if each.key in keys)
    return Evaluation(whole.tables, whole.held_out, whole.target, found)


def test_the_latest_figure_comes_first_beside_real_records() -> None:
    first, second = list_rows(part("total-variation", "total-variation-pairs"))
    assert first["Measure"] == "Total variation of pairs of columns"
    assert second["Measure"] == "Total variation of columns"
    for row in (first, second):
        assert all("%" in row[each] for each in ("Released", "Other real ones", "Further off"))


def test_further_off_is_the_difference() -> None:
    whole = part("total-variation-pairs").findings[0].by_subject
    (row,) = list_rows(part("total-variation-pairs"))
    apart = 100 * (whole[RELEASED].value - whole[REALS].value)
    assert float(row["Further off"].split("\N{NO-BREAK SPACE}")[0]) == round(apart, 1)


def test_what_cannot_be_measured_says_why() -> None:
    (row,) = list_rows(part(TROUBLED))
    assert row["Released"] == TROUBLE
    assert row["Further off"] == ""
