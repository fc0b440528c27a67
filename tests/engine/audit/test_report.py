from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path

import pytest

import engine.audit
from engine.audit import report
from engine.audit.finding import Check, Effort, Measured
from engine.privacy.randomness import RandomSource

TINY = Effort(0.02)


@pytest.mark.parametrize(
    "every",
    [12, pytest.param(1, marks=pytest.mark.thorough("test_the_audit_is_well_at_little_effort"))],
)
def test_the_audit_is_well_at_little_effort(every: int) -> None:
    """Each check is tried by a test of its own module too."""
    assert len(report.checks()) > 60
    planned = report.checks()[::every]
    figures = report.as_dict(report.findings(planned, TINY), TINY)
    assert figures["passed"], [row for row in figures["checks"] if not row["passed"]]
    assert len(figures["checks"]) == len(planned)
    assert figures["cases"] == sum(row["cases"] for row in figures["checks"])
    json.dumps(figures, allow_nan=False)


def test_every_check_says_what_it_claims_and_where_that_stands() -> None:
    planned = report.checks(RandomSource.fixed(1))
    assert all(each.claim and each.source and each.part for each in planned)
    names = Counter((each.part, each.name) for each in planned if each.kind != "counter-example")
    assert max(names.values()) == 1
    assert Counter(each.kind for each in planned)["counter-example"] >= 2


def test_the_sampler_runs_only_where_it_may() -> None:
    quiet, full = report.checks(), report.checks(RandomSource.fixed(1))
    assert full[: len(quiet)] != ()
    assert {each.part for each in full} - {each.part for each in quiet} == {
        "Real runs, counted",
        "Real runs of mutants, which must be caught",
    }


@pytest.mark.parametrize(("worst", "said"), [(2.0, 2.0), (float("inf"), None)])
def test_one_failure_fails_the_whole(worst: float, said: float | None) -> None:
    well = Check("part", "well", "claim", "source", lambda _: Measured(1, 0.5))
    ill = Check("part", "ill", "claim", "source", lambda _: Measured(3, worst, "here"))
    figures = report.as_dict(report.findings((well, ill), TINY), TINY)
    assert not figures["passed"]
    assert [row["verdict"] for row in figures["checks"]] == ["holds", "broken"]
    assert figures["checks"][1]["worst"] == said
    assert figures["checks"][1]["worst_case"] == "here"


def test_the_audit_needs_no_test_and_touches_no_record() -> None:
    frame = Path(engine.audit.__path__[0])
    brought = frame.parent.glob("mechanisms/*/audit/*.py")
    for path in (*frame.glob("*.py"), *brought):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(("tests", "sample_data", "dashboard"))
