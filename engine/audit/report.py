"""The audit as a whole: every check, in the order a reader meets the claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from engine.audit import (
    calibrated,
    composed,
    learned,
    mutants,
    noises,
    one_attempt,
    paid_chances,
    parts,
    reading,
    scores,
    selection,
    statistical,
    third_party,
    whole_runs,
)
from engine.audit.finding import MARGIN, TOLERANCE, Check, Effort, Finding
from engine.privacy.randomness import RandomSource


def checks(source: RandomSource | None = None) -> tuple[Check, ...]:
    """Every check; those that run the sampler only where a source is given for it."""
    attempts = (one_attempt, whole_runs, paid_chances, parts, composed)
    learning = (learned, calibrated, scores, selection, third_party, noises)
    exact = (reading, *attempts, *learning, mutants)
    found = tuple(check for each in exact for check in each.checks())
    return found if source is None else (*found, *statistical.checks(source))


def findings(planned: Iterable[Check], effort: Effort) -> Iterator[Finding]:
    """Put one claim after another to the test."""
    return (check.find(effort) for check in planned)


def as_dict(found: Iterable[Finding], effort: Effort) -> dict[str, Any]:
    """The audit as plain values for strict JSON; an infinite multiple of a claim becomes None."""
    rows = [_row(each) for each in found]
    return {
        "passed": all(row["passed"] for row in rows),
        "cases": sum(row["cases"] for row in rows),
        "seed": effort.seed,
        "tolerance": TOLERANCE,
        "margin": MARGIN,
        "checks": rows,
    }


def _row(finding: Finding) -> dict[str, Any]:
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
