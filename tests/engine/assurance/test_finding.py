from __future__ import annotations

import math

import pytest

from understudy.assurance.finding import MARGIN, NOTHING, Check, Effort, Kind, Measured, Verdict


def found(kind: Kind, worst: float, cases: int = 1) -> tuple[Verdict, bool]:
    check = Check("part", "name", "claim", "source", lambda _: Measured(cases, worst), kind)
    finding = check.find(Effort())
    return finding.verdict, finding.passed


@pytest.mark.parametrize(
    ("kind", "worst", "verdict", "passed"),
    [
        ("claim", 0.0, "holds", True),
        ("claim", 1.0, "holds", True),
        ("claim", 1 + 1e-12, "broken", False),
        ("claim", math.inf, "broken", False),
        ("claim", math.nan, "broken", False),
        ("mutant", MARGIN, "caught", True),
        ("mutant", 1.2, "not caught", False),
        ("mutant", math.nan, "not caught", False),
        ("counter-example", 2.0, "fails, as it must", True),
        ("counter-example", 1.0, "not caught", False),
    ],
)
def test_verdicts(kind: Kind, worst: float, verdict: Verdict, passed: bool) -> None:
    assert found(kind, worst) == (verdict, passed)


def test_a_claim_that_was_not_tried_does_not_hold() -> None:
    assert found("claim", 0.0, cases=0) == ("broken", False)


def test_the_worst_of_several_cases_is_kept_with_where_it_was() -> None:
    total = NOTHING | Measured(2, 0.5, "here") | Measured(3, 0.9, "there") | Measured(1, 0.1)
    assert total == Measured(6, 0.9, "there")


def test_a_case_without_a_number_is_never_lost() -> None:
    assert math.isnan((Measured(1, math.nan, "here") | Measured(1, 0.5)).worst)
    assert math.isnan((Measured(1, 0.5) | Measured(1, math.nan, "here")).worst)


def test_effort_scales_and_tries_one_at_least() -> None:
    assert [Effort(times).of(30) for times in (0.001, 0.5, 1, 20)] == [1, 15, 30, 600]
