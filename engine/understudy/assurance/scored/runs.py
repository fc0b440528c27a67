"""Runs of scored candidates with each proposer, on records that would hurt, and the coins of those
runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import numpy as np

from understudy.assurance.check import Check
from understudy.assurance.real_runs import (
    SCHEMA,
    SEEDS,
    Break,
    Coins,
    K,
    Pair,
    Runs,
    Spend,
    Trial,
    equal_records,
    pair_codes,
    question_cost,
)
from understudy.assurance.training import LEAST, NetworkSteps
from understudy.core.arrays import TextArray
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.scored.guarantee import Promise
from understudy.mechanisms.scored.mechanism import Scored
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.models.latent.networks import variational
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

_FLAGS: Final = Schema(
    columns=tuple(
        Column(name=f"flag {each}", domain=Categories(values=("no", "yes"))) for each in range(4)
    )
)
_MIXED: Final = Schema(
    columns=(
        Column(name="kind", domain=Categories(values=("a", "b", "c")), missing=True),
        Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(254))),
    )
)
_RULE: Final = Rule(text='if (kind == "b") size <= 200')
_NETWORK: Final = 5_000
_DEALT: Final = frozenset({"seeds", HELD_OUT})


def _trials() -> tuple[Trial, ...]:
    return (
        _trial("redrawn", _MIXED),
        _trial("redrawn, seeds of a kind", _MIXED, seeds_among="kind = a"),
        _trial("redrawn, under rules", _MIXED.with_rules([_RULE])),
        _trial("projected", _MIXED),
        _trial("projection", _FLAGS),
        _trial("projection, two records a person", _FLAGS, records_per_person=2),
        _trial("latent-noise", _FLAGS),
        _trial("factor-noise", _FLAGS),
        _network(),
    )


def _plan(proposer: str, schema: Schema, **settings: Any) -> PlannedRun[ScoredPlan]:
    usual = {"seeds": 0.35, "held_out": 0.3, "attempts": 20, "delta": 1e-6, "epsilon": 1.5}
    plan = ScoredPlan(domain=schema.fingerprint, proposer=proposer, **{**usual, **settings})
    return plan_run(plan, schema)


def _trial(name: str, schema: Schema, *, least: float = 0.98, **settings: Any) -> Trial:
    decided = _plan(name.split(",")[0], schema, **settings)
    paid = decided.guarantee.account_as(Promise).learning
    pairs = _pairs(schema)
    others: tuple[str, ...] = ("held out", "seeds")
    if "seeds_among" in settings:
        # Who is of another kind can only be learned from.
        pairs = pairs[:2]
    return _of(name, decided, pairs, question_cost(paid), {"all": least}, others)


def _of(
    name: str,
    decided: PlannedRun[ScoredPlan],
    pairs: tuple[Pair, ...],
    spend: Spend,
    least: Mapping[str, float],
    others: tuple[str, ...],
) -> Trial:
    return Trial(
        name,
        decided,
        pairs,
        _parts_of,
        {"proposer": spend},
        others,
        least,
        _DEALT,
        {"seeds": frozenset()},
    )


def _parts_of(kept: Arrays) -> TextArray:
    seeds, apart = (kept[name].astype(bool) for name in ("seeds", HELD_OUT))
    # A record of both would be found in neither.
    names = np.where(seeds, "seeds", np.where(apart, "held out", "proposer"))
    return np.where(seeds & apart, "both", names)


def _pairs(schema: Schema) -> tuple[Pair, ...]:
    """Return pairs with a last record of the first codes, the last ones, missing where it may be,
    and one of equals."""
    last = [each - 1 for each in schema.cardinalities.tolist()]
    first = [0] * len(last)
    middle = [each // 2 for each in last]
    others = [first, last, middle, last, first, middle, [first[0], *last[1:]], last]
    cases = (
        ("the first codes", others, first),
        ("the first code and last ones", others, [0, *last[1:]]),
        ("the last codes", others, last),
        ("the last codes, beside equals", [last] * 8, last),
    )

    return tuple(pair_codes(schema, *each) for each in cases)


def _network() -> Trial:
    settings = {"records": _NETWORK}
    decided = _plan("network-noise", _FLAGS, numbers=settings, epsilon=8.0)
    made = decided.guarantee.account_as(Promise)
    planned = variational.plan_network(len(_FLAGS), _NETWORK, Budget(8.0, made.record_delta))
    training = planned.training
    steps = NetworkSteps(
        training.rate,
        training.steps,
        planned.multiplier,
        planned.rho,
        planned.rho_shares,
        training.shape.width,
        made.learning,
    )
    found = _of("network-noise", decided, _pairs(_FLAGS)[2:3], steps.measure_cost, LEAST, ())
    return replace(found, slow=True)


RUNS: Final = Runs(
    ScoredPlan.kind,
    "Scored candidates",
    _trials,
    (
        Break(
            "seeds also train the proposer",
            "who pays for attempts pays for the proposer too: the total is a sum",
            Scored.begin,
            "np.flatnonzero(~seeds & ~apart)",
            "np.flatnonzero(~apart)",
            "redrawn",
        ),
        Break(
            "records held out train the proposer",
            "what is only to be compared with is learned from",
            Scored.begin,
            "np.flatnonzero(~seeds & ~apart)",
            "np.flatnonzero(~seeds)",
            "redrawn",
        ),
        Break(
            "one coin for two parts",
            "who is held out may be a seed as well",
            Scored.begin,
            "(coins >= 1 - plan.held_out)",
            "(coins <= plan.held_out)",
            "redrawn",
        ),
        Break(
            "four times the budget",
            "the proposer is told that it may spend more than is added up",
            Scored.begin,
            "Budget(plan.epsilon,",
            "Budget(4 * plan.epsilon,",
            "redrawn",
        ),
        Break(
            "noise beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            Scored.begin,
            "Noise(source, tape)",
            "Noise(source)",
            "redrawn",
        ),
    ),
)


_ATTEMPTS: Final = 20_000
_COPIES: Final = 2
_TESTS: Final[dict[TestKind, str]] = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}


def list_coin_checks() -> tuple[Check, ...]:
    """Return the checks of what is thrown and how many pass."""
    return tuple(check for kind in _TESTS for check in _coins(kind).checks())


def list_coin_mutants() -> tuple[Check, ...]:
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
        _parts_of,
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
