"""The coins of runs of seedbased synthesis."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.assurance.finding import Check
from understudy.assurance.real_coins import Coins
from understudy.assurance.real_runs import Break
from understudy.assurance.seedbased.names import NAMES
from understudy.assurance.seedbased.runs import parts_of
from understudy.assurance.seedbased.universes import KINDS
from understudy.mechanisms.registry import planned_run
from understudy.mechanisms.seedbased.mechanism import Seedbased
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.omega import Omega
from understudy.privacy.plausibility.deniability import PlausibleDeniability
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test
from understudy.privacy.plausibility.relative import RelativeSensitivity
from understudy.table.domain import Categories
from understudy.table.records import Records
from understudy.table.schema import Column, Schema
from understudy.table.split import Shares

_SCHEMA: Final = Schema(
    columns=tuple(
        Column(name=name, domain=Categories(values=("no", "yes"))) for name in ("one", "other")
    )
)
_K: Final = 100
_SEEDS: Final = 0.98
_ATTEMPTS: Final = 20_000


def checks() -> tuple[Check, ...]:
    """What is thrown, and how many pass."""
    return tuple(check for kind in KINDS for check in _coins(kind).checks())


def mutants() -> tuple[Check, ...]:
    """The same of coins that are broken."""
    return tuple(check for kind in KINDS for check in _coins(kind).mutants())


def _coins(kind: TestKind) -> Coins:
    plan = Plan.of(
        _SCHEMA,
        test=privacy_test(kind, _K, 1.0),
        omega=Omega(low=0, high=0),
        attempts=_ATTEMPTS,
        delta=1e-6,
        model={"kind": "marginals", "epsilon": 1.0},
        shares=Shares(seeds=_SEEDS, structure=0.0, parameters=1 - _SEEDS, held_out=0.0),
    )
    decided = planned_run(plan, _SCHEMA)
    account = decided.guarantee.account_as(Promise).seeds
    assert account is not None
    counts_own = kind == "plausible-deniability"
    rows = round((_K - 2 + (not counts_own)) / _SEEDS)
    records = Records(_SCHEMA, np.zeros((rows, 2), dtype=np.uint16))
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
        records,
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
    "relative-sensitivity": Break(
        "the own seed is counted",
        "every candidate scores one more than there are others",
        RelativeSensitivity.scores,
        "np.maximum(plausible - 1, 0)",
        "plausible",
    ),
}
