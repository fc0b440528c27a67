"""The coins of runs of scored candidates."""

from __future__ import annotations

from typing import Final

from understudy.assurance.finding import Check
from understudy.assurance.real_coins import SCHEMA, SEEDS, Coins, K, equal_records
from understudy.assurance.real_runs import Break
from understudy.assurance.scored.runs import parts_of
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.scored.guarantee import Promise
from understudy.mechanisms.scored.mechanism import Scored
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test

_ATTEMPTS: Final = 20_000
_COPIES: Final = 2
_TESTS: Final[dict[TestKind, str]] = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}


def checks() -> tuple[Check, ...]:
    """Return the checks of what is thrown and how many pass."""
    return tuple(check for kind in _TESTS for check in _coins(kind).checks())


def mutants() -> tuple[Check, ...]:
    """Return the same checks of coins that are broken."""
    return _coins("plausible-deniability").mutants()


def _coins(kind: TestKind) -> Coins:
    """Return coins of equal seeds, from each of which every candidate is equally likely."""
    plan = ScoredPlan(
        domain=SCHEMA.fingerprint,
        proposer="redrawn",
        test=privacy_test(kind, K, 1.0),
        attempts=_ATTEMPTS,
        copies=_COPIES,
        delta=1e-6,
        seeds=SEEDS,
        held_out=0.0,
    )
    decided = plan_run(plan, SCHEMA)
    counts_own = kind == "plausible-deniability"
    return Coins(
        f"Scored candidates, {_TESTS[kind]}",
        decided,
        equal_records(counts_own=counts_own),
        parts_of,
        decided.guarantee.account_as(Promise).seeds,
        counts_own,
        passed=lambda chunks: sum(len(each.content) for each in chunks) // _COPIES,
        breaks=_BREAKS,
    )


_BREAKS: Final = (
    Break(
        "nothing is turned away",
        "candidates pass by the test alone, with no ρ",
        Scored.release,
        "decided.guarantee.account_as(Promise).seeds.pass_cap or 0.0",
        "0.0",
    ),
    Break(
        "half the noise on k",
        "coins of twice the ε0 that is added up",
        Scored.release,
        "Decision(plan.test, ",
        'Decision(plan.test.model_copy(update={"epsilon0": 2.0}), ',
    ),
)
