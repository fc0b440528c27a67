"""The coins of runs of seedbased synthesis."""

from __future__ import annotations

from typing import Final

from understudy.assurance.finding import Check
from understudy.assurance.real_coins import OWN_COUNTED, SCHEMA, SEEDS, Coins, K, equal_records
from understudy.assurance.real_runs import Break
from understudy.assurance.seedbased.names import NAMES
from understudy.assurance.seedbased.runs import parts_of
from understudy.assurance.seedbased.universes import KINDS
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.mechanism import Seedbased
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    TestKind,
    privacy_test,
)
from understudy.table.split import Shares

_ATTEMPTS: Final = 20_000


def checks() -> tuple[Check, ...]:
    """Return the checks of what is thrown and how many pass."""
    return tuple(check for kind in KINDS for check in _coins(kind).checks())


def mutants() -> tuple[Check, ...]:
    """Return the same checks of coins that are broken."""
    return tuple(check for kind in KINDS for check in _coins(kind).mutants())


def _coins(kind: TestKind) -> Coins:
    plan = Plan.of(
        SCHEMA,
        test=privacy_test(kind, K, 1.0),
        omega=Omega(low=0, high=0),
        attempts=_ATTEMPTS,
        delta=1e-6,
        model={"kind": "marginals", "epsilon": 1.0},
        shares=Shares(seeds=SEEDS, structure=0.0, parameters=1 - SEEDS, held_out=0.0),
    )
    decided = plan_run(plan, SCHEMA)
    account = decided.guarantee.account_as(Promise).seeds
    assert account is not None
    counts_own = kind == "plausible-deniability"
    breaks = (
        Break(
            "nothing is turned away",
            "candidates pass by the test alone, with no ρ",
            Seedbased.release,
            "Decision(plan.test, made.pass_cap)",
            "Decision(plan.test, 0.0)",
        ),
        Break(
            "half the noise on k",
            "coins of twice the ε0 that is added up",
            Seedbased.release,
            "Decision(plan.test, made.pass_cap)",
            'Decision(plan.test.model_copy(update={"epsilon0": 2.0}), made.pass_cap)',
        ),
        _OWN[kind],
    )
    return Coins(
        f"Seedbased synthesis, {NAMES[kind]}",
        decided,
        equal_records(counts_own=counts_own),
        parts_of,
        account,
        counts_own,
        breaks=breaks,
    )


_OWN: Final = {
    "plausible-deniability": Break(
        "a record too many is counted",
        "every candidate scores one more than there are",
        PlausibleDeniability.scores,
        "return plausible",
        "return plausible + 1",
    ),
    "relative-sensitivity": OWN_COUNTED,
}
