"""The coins of runs of scored candidates."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.assurance.finding import Check
from understudy.assurance.real_coins import Coins
from understudy.assurance.real_runs import Break
from understudy.assurance.scored.runs import parts_of
from understudy.mechanisms.registry import planned_run
from understudy.mechanisms.scored.guarantee import Promise
from understudy.mechanisms.scored.mechanism import Scored
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test
from understudy.table.domain import Categories
from understudy.table.records import Records
from understudy.table.schema import Column, Schema

_SCHEMA: Final = Schema(
    columns=tuple(
        Column(name=name, domain=Categories(values=("no", "yes"))) for name in ("one", "other")
    )
)
_K: Final = 100
_SEEDS: Final = 0.98
_ATTEMPTS: Final = 20_000
_COPIES: Final = 2
_TESTS: Final[dict[TestKind, str]] = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}


def checks() -> tuple[Check, ...]:
    """What is thrown, and how many pass."""
    return tuple(check for kind in _TESTS for check in _coins(kind).checks())


def mutants() -> tuple[Check, ...]:
    """The same of coins that are broken."""
    return _coins("plausible-deniability").mutants()


def _coins(kind: TestKind) -> Coins:
    """Every candidate of equal seeds is as likely from each."""
    plan = ScoredPlan(
        domain=_SCHEMA.fingerprint,
        proposer="redrawn",
        test=privacy_test(kind, _K, 1.0),
        attempts=_ATTEMPTS,
        copies=_COPIES,
        delta=1e-6,
        seeds=_SEEDS,
        held_out=0.0,
    )
    decided = planned_run(plan, _SCHEMA)
    counts_own = kind == "plausible-deniability"
    rows = round((_K - 2 + (not counts_own)) / _SEEDS)
    return Coins(
        f"Scored candidates, {_TESTS[kind]}",
        decided,
        Records(_SCHEMA, np.zeros((rows, 2), dtype=np.uint16)),
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
