"""Runs of the pMSE mechanism, on records that would hurt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

import numpy as np

from understudy.assurance.real_runs import Asked, Break, Pair, Runs, Trial, pair_codes
from understudy.assurance.transcript import NoiseQuery
from understudy.core.arrays import TextArray
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.pmse.gini import Gini
from understudy.mechanisms.pmse.guarantee import Costs
from understudy.mechanisms.pmse.mechanism import Pmse
from understudy.mechanisms.pmse.model_search import search
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.mechanisms.registry import plan_run
from understudy.privacy.accounting.composition import largest_rho
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

_SCHEMA: Final = Schema(
    columns=(
        Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(15))),
        Column(name="kind", domain=Categories(values=("a", "b", "c"))),
    )
).declare_public()
_ROWS: Final = 12
_RATIO: Final = 2
_APART: Final = 0.3


def _trials() -> tuple[Trial, ...]:
    return (
        _trial("two models, ε", draws=2, epsilon=3.0),
        _trial("two models, ρ", draws=2, accounting="concentrated", delta=1e-6, epsilon=2.0),
        _trial("the whole prior at once", search="whole", partitions="stump", epsilon=1.0),
        _trial("trees", search="whole", partitions="depth-two", epsilon=1.0),
        _trial("random trees", search="whole", partitions="forest", epsilon=1.0),
        _trial("cuts", search="whole", partitions="guillotine", epsilon=1.0),
        _trial("some held out", held_out=_APART, epsilon=1.0),
    )


def _trial(name: str, **settings: Any) -> Trial:
    usual: dict[str, Any] = {
        "domain": _SCHEMA.fingerprint,
        "candidates": 40,
        "rounds": 1,
        "bins": 4,
        "rows": 20,
        "ratio": _RATIO,
        "held_out": 0.0,
    }
    plan = PmsePlan(**{**usual, **settings})
    decided = plan_run(plan, _SCHEMA)
    spends = {"chosen by": partial(_price_questions, decided)}
    least = {"choices at their sensitivity": 0.999, "all at their sensitivity": 0.999}
    others: tuple[str, ...] = ()
    if plan.held_out:
        # How many records are scored follows from coins, and so does the sensitivity.
        least, others = {}, ("held out",)
    return Trial(name, decided, _pairs(), _parts, spends, others, least)


def _parts(kept: Arrays) -> TextArray:
    return np.where(kept[HELD_OUT].astype(bool), "held out", "chosen by")


def _pairs() -> tuple[Pair, ...]:
    """Return pairs in which a record is replaced: one alone, at either end, and one of many
    equals."""
    low, high, middle = [0, 0], [15, 2], [7, 1]
    mixed = [[each % 16, each % 3] for each in range(3, 3 + _ROWS - 1)]
    cases = (
        ("alone at the lower end", [high] * (_ROWS - 1), low, high),
        ("alone at the upper end", [low] * (_ROWS - 1), high, low),
        ("one of equals to an end", [middle] * (_ROWS - 1), middle, high),
        ("among others", mixed, low, high),
    )

    return tuple(pair_codes(_SCHEMA, *each) for each in cases)


def _price_questions(
    decided: PlannedRun[PmsePlan], one: Asked, other: Asked
) -> Mapping[str, float]:
    """Return what each choice costs, over its part of the budget, by how far its scores moved and
    by how far they may: 2^k·n_s/(n_s + 1), rounded up."""
    plan, paying = decided.plan, decided.guarantee.account_as(Costs)
    paid = decided.guarantee.record
    budget = paid.epsilon if paid.delta == 0 else largest_rho(paid)
    shares = [stage.share / plan.draws for _ in range(plan.draws) for stage in paying.stages]
    if len(one) != len(shares):
        return {"all": math.inf}
    each = [first.cost(second) for first, second in zip(one, other, strict=True)]
    most = [_at_most(question) for question in one]
    return (
        {
            "choices": max(map(_over, each, shares, [budget] * len(shares))),
            "all": math.fsum(each) / budget,
            "choices at their sensitivity": max(map(_over, most, shares, [budget] * len(shares))),
            "all at their sensitivity": math.fsum(most) / budget,
        }
        if not plan.held_out
        else {"all": math.fsum(each) / budget}
    )


def _over(cost: float, share: float, budget: float) -> float:
    return cost / (share * budget)


def _at_most(question: NoiseQuery) -> float:
    made = _RATIO * _ROWS
    return question.at_most(math.ceil((1 << Gini(made).bits) * made / (made + 1)))


RUNS: Final = Runs(
    PmsePlan.kind,
    "pMSE mechanism",
    _trials,
    (
        Break(
            "a quarter of the scale",
            "choices at a quarter of what they are paid for: four times ε",
            Pmse.begin,
            "noise.choose_best(scores, scale,",
            "noise.choose_best(scores, scale / 4,",
        ),
        Break(
            "the share of another choice",
            "every choice as if it had the whole of its search",
            search,
            "select(-scores, stage.share)",
            "select(-scores, 1.0)",
        ),
        Break(
            "all models for the price of one",
            "each search gets the whole budget",
            Costs.scale,
            "(self.plan.epsilon * share / self.plan.draws)",
            "(self.plan.epsilon * share)",
            "two models, ε",
        ),
        Break(
            "records held out decide",
            "what is only to be compared with is scored too",
            Pmse.begin,
            "held.codes[~apart]",
            "held.codes",
            "some held out",
        ),
        Break(
            "choices beside the tape",
            "a run that goes on chooses anew, on the same debit",
            Pmse.begin,
            'Noise(secret.source("model"), tape)',
            'Noise(secret.source("model"))',
        ),
    ),
)
