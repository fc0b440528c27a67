from __future__ import annotations

import pytest

from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    BreakdownEntry,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.models.omega import Omega
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.evaluation import (
    IMPROVEMENT,
    KS,
    MODELS,
    PAIRS,
    SINGLE,
    DescribedResults,
    EarlyStop,
    Passing,
    Results,
    Stopped,
    Timed,
)
from understudy.studies.seedbased.report import Circumstances
from understudy.studies.seedbased.setting import (
    UNNOISED,
    SeedbasedStudySetting,
    SeedbasedStudySizes,
)

OMEGAS = (Omega(low=11, high=11), Omega(low=5, high=11))
NAMES = (REALS, MARGINALS, "ω = 11", "ω = 5-11")


def distances(*values: tuple[float, float, float]) -> dict[str, SubjectResult]:
    """For each table a median with its interval, and that as its only part."""
    return {
        name: SubjectResult(value, Interval(low, high), (BreakdownEntry(("AGEP",), value),))
        for name, (low, value, high) in zip(NAMES, values, strict=True)
    }


def findings() -> tuple[Finding, ...]:
    """Hand-made: numbers chosen so that ratios and gaps come out round."""

    def by_forest(*values: float) -> dict[str, SubjectResult]:
        return {
            name: SubjectResult(
                value,
                None,
                (BreakdownEntry(("random forest",), value, Interval(value - 0.01, value + 0.01)),),
            )
            for name, value in zip(NAMES, values, strict=True)
        }

    def by_column(value: float) -> SubjectResult:
        return SubjectResult(value, None, (BreakdownEntry(("AGEP",), value),))

    return (
        Finding(SINGLE, distances((0, 0.01, 0.02), (0, 0.03, 0.04), (0, 0.02, 0.03), (0, 0.02, 1))),
        Finding(
            PAIRS,
            distances((0, 0.01, 0.02), (0.5, 0.6, 0.7), (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)),
        ),
        Finding("accuracy", by_forest(0.804, 0.604, 0.704, 0.754)),
        Finding("distinguishing", by_forest(0.0, 0.5, 0.25, 0.125)),
        Finding(
            IMPROVEMENT,
            {
                "without noise #1": by_column(0.5),
                "ε = 1 #1": by_column(0.2),
                "ε = 1 #2": by_column(0.4),
                "ε = 0.1 #1": by_column(-0.1),
                UNNOISED: by_column(0.01),
            },
        ),
        Finding(
            MODELS,
            {
                MARGINALS: by_column(0.3),
                UNNOISED: by_column(0.35),
                "without noise #1": by_column(0.6),
                "ε = 1 #1": by_column(0.5),
                "random guess": by_column(0.1),
                "random forest": by_column(0.65),
            },
        ),
        Finding("agreement", trouble="Nothing agrees. Try again."),
        Finding("linear-accuracy", trouble="Nothing agrees. Try again."),
    )


@pytest.fixture(scope="session")
def evaluation() -> Evaluation:
    tables = tuple(MeasuredTable(name, "synthetic", 1_000) for name in NAMES)
    return Evaluation(tables, 1_000, "WAGP", findings())


@pytest.fixture(scope="session")
def found(evaluation: Evaluation) -> Results:
    """A reproduction with hand-made numbers."""
    ks = tuple(int(k) for k in KS)
    return Results(
        described=DescribedResults(1_000, 700, 552_960_000_000, publication.CARDINALITIES),
        sizes=SeedbasedStudySizes(),
        setting=SeedbasedStudySetting(OMEGAS),
        evaluation=evaluation,
        passing=(
            Passing("11", ks, tuple(1.0 for _ in ks), tuple(1.0 for _ in ks)),
            Passing(
                "5-11",
                ks,
                tuple(0.625 if k <= 100 else 0.25 for k in ks),
                tuple(0.5625 if k <= 100 else 0.125 for k in ks),
            ),
        ),
        timed_omega="11",
        timed=(Timed(1_000, 1_100, 0.5), Timed(10_000, 11_000, 2.0)),
        stopped=Stopped(EarlyStop(50_000, 100), 12_345.6, 0.9, 0.95),
        passing_limit=EarlyStop(100_000),
        indexing=0.1,
        learning=1.0,
        seconds=100.0,
        labels={"AGEP": "Age"},
    )


@pytest.fixture
def census() -> Circumstances:
    return Circumstances(
        "1,000 simulated people, seed 1", "understudy reproduce census", "2026-11-21", census=True
    )


@pytest.fixture
def own() -> Circumstances:
    return Circumstances(
        "table.csv", "understudy reproduce --table table.csv", "2026-11-21", census=False
    )
