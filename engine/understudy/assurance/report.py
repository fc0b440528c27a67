"""The audit as a whole: every check, in the order a reader meets the claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from understudy.assurance import (
    composition,
    marks,
    model_queries,
    mutants,
    noise,
    reading,
    ruled_records,
    scores,
    training,
)
from understudy.assurance.check import MARGIN, TOLERANCE, Check, CheckFinding, Effort
from understudy.assurance.method_audits import audits, run_checks, run_mutants
from understudy.privacy.randomness import RandomSource

FALSE_ALARM = 1e-6
"""The chance that any of the bounds on sound samplers is wrong, all of them together."""


def list_checks(source: RandomSource | None = None) -> tuple[Check, ...]:
    """Return every check; those that run samplers only where a source is given for it."""
    shared = (
        *composition.list_checks(),
        *model_queries.list_query_checks(),
        *model_queries.list_calibrated_checks(),
        *marks.list_checks(),
        *scores.list_score_checks(),
        *scores.list_selection_checks(),
        *model_queries.list_tree_checks(),
        *training.list_checks(),
        *noise.list_checks(),
    )
    return (
        *reading.list_checks(),
        *ruled_records.list_checks(),
        *(check for each in audits() for check in each.claims()),
        *shared,
        *run_checks(),
        *mutants.list_reading_mutants(),
        *ruled_records.list_mutants(),
        *(check for each in audits() for check in each.mutants()),
        *mutants.list_learning_mutants(),
        *run_mutants(),
        *(() if source is None else count_sampled(source)),
    )


def count_sampled(source: RandomSource) -> tuple[Check, ...]:
    """Return what is counted; the chance of a false alarm is divided among all that may give
    one."""

    def run_checks(miss: float) -> tuple[Check, ...]:
        found = (check for each in audits() for check in each.sampled(source, miss))
        return (*found, *noise.list_sampled_checks(source, miss))

    claims = sum(each.kind == "claim" for each in run_checks(FALSE_ALARM))
    return run_checks(FALSE_ALARM / claims)


def findings(planned: Iterable[Check], effort: Effort) -> Iterator[CheckFinding]:
    """Put one claim after another to the test."""
    return (check.find(effort) for check in planned)


def findings_as_data(found: Iterable[CheckFinding], effort: Effort) -> dict[str, Any]:
    """Return the audit as plain values for strict JSON; an infinite multiple of a claim becomes
    None."""
    rows = [_row(each) for each in found]
    return {
        "passed": all(row["passed"] for row in rows),
        "cases": sum(row["cases"] for row in rows),
        "seed": effort.seed,
        "tolerance": TOLERANCE,
        "margin": MARGIN,
        "checks": rows,
    }


def _row(finding: CheckFinding) -> dict[str, Any]:
    check, measured = finding.check, finding.measured
    return {
        "part": check.part,
        "name": check.name,
        "kind": check.kind,
        "claim": check.claim,
        "source": check.source,
        "cases": measured.cases,
        "worst": measured.worst if math.isfinite(measured.worst) else None,
        "worst_case": measured.at,
        "verdict": finding.verdict,
        "passed": finding.passed,
    }
