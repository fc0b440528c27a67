"""Runs of latent models, on records that would hurt."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import numpy as np

from understudy.assurance.real_runs import (
    Asked,
    Break,
    Pair,
    Runs,
    Trial,
    pair_codes,
    question_cost,
    transcript_epsilon,
)
from understudy.assurance.training import LEAST, NetworkSteps
from understudy.core.arrays import TextArray
from understudy.mechanisms.defaults import HELD_OUT, held_out
from understudy.mechanisms.latent.mechanism import Latent
from understudy.mechanisms.latent.models import OfMoments, SumsQuery
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.models.latent.networks.training import train
from understudy.models.latent.networks.variational import learn_network
from understudy.privacy.randomness import Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_FLAGS: Final = 3
_APART: Final = 0.4


def _trials() -> tuple[Trial, ...]:
    mixed, flags = _schema(number=True), _schema(number=False)
    return (
        _moments("factors, ρ", mixed, epsilon=1.0, delta=1e-2, most_ones=3),
        _moments("directions, ε", mixed, model="principal", epsilon=0.7, delta=1e-30, most_ones=3),
        _moments("two records a person", mixed, records_per_person=2, most_ones=2),
        _choice_trial(flags),
        _network(flags),
    )


def _schema(*, number: bool) -> Schema:
    """Return a schema of three flags, and a number whose ends are nearly as far out as may be."""
    flags = (
        Column(name=f"flag {each}", domain=Categories(values=("no", "yes")))
        for each in range(_FLAGS)
    )
    last = Column(name="number", domain=Grid(minimum=Decimal(0), maximum=Decimal(254)))
    return Schema(columns=(*flags, *((last,) if number else ())))


def _plan(schema: Schema, **settings: Any) -> PlannedRun[LatentPlan]:
    usual = {"width": 2, "rows": 20, "held_out": _APART}
    return plan_run(LatentPlan(domain=schema.fingerprint, **{**usual, **settings}), schema)


def _parts(kept: Arrays) -> TextArray:
    return np.where(kept[HELD_OUT].astype(bool), "held out", "model")


def _pairs(schema: Schema) -> tuple[Pair, ...]:
    """Return pairs with a last record at the cap, above it, with nothing, beside nobody and beside
    its equals."""
    most = schema.cardinalities.tolist()
    full = [each - 1 for each in most]
    two, none = [1, 1, 0, *full[_FLAGS:]], [0] * len(most)
    others = [[1, 0, 0, *none[_FLAGS:]], two, full, none]
    cases: tuple[tuple[str, list[list[int]], list[int]], ...] = (
        ("all ones", others, full),
        ("two ones", others, two),
        ("no one", others, none),
        ("two ones beside nobody", [], two),
        ("all ones beside equals", [full] * 4, full),
    )

    return tuple(pair_codes(schema, *each) for each in cases)


def _moments(name: str, schema: Schema, **settings: Any) -> Trial:
    decided = _plan(schema, **settings)
    spends = {"model": question_cost(decided.guarantee.record)}
    # The number is not quite as far out as a flag.
    return Trial(name, decided, _pairs(schema), _parts, spends, least={"all": 0.99})


def _choice_trial(schema: Schema) -> Trial:
    """Return the trial in which the first question is how many ones of a record count."""
    decided = _plan(schema, choose_ones=True, most_ones=3, epsilon=1.0, delta=1e-9)
    paid = decided.guarantee.record
    counted = decided.guarantee.parts[0].native["epsilon_of_ones"]

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        sums = transcript_epsilon(one[1:], other[1:], paid.delta)
        return {
            "how many ones": one[0].cost(other[0]) / counted,
            "sums": sums / (paid.epsilon - counted),
            "all": (one[0].cost(other[0]) + sums) / paid.epsilon,
        }

    least = {"how many ones": 0.999, "sums": 0.99, "all": 0.99}
    return Trial("how many ones", decided, _pairs(schema), _parts, {"model": spend}, least=least)


def _network(schema: Schema) -> Trial:
    """Return the trial of a network: its training, the moments of its codes and the counts of the
    flags."""
    decided = _plan(schema, model="variational", epsilon=8.0, delta=1e-6, public_records=5_000)
    native = decided.guarantee.parts[0].native
    steps = NetworkSteps(
        native["rate"],
        int(native["steps"]),
        native["noise_multiplier"],
        native["rho_of_codes"],
        native["rho_of_shares"],
        int(native["width"]),
        decided.guarantee.record,
    )

    def coins(records: Records, secret: Secret) -> TextArray:
        return _parts({HELD_OUT: held_out(len(records), _APART, secret)})

    spends = {"model": steps.measure_cost}
    pairs = _pairs(schema)[:1]
    return Trial("a network", decided, pairs, _parts, spends, least=LEAST, coins=coins)


RUNS: Final = Runs(
    LatentPlan.kind,
    "Latent models",
    _trials,
    (
        Break(
            "sixteen times the allowance",
            "noise of a sixteenth on the sums, under the price of the whole",
            SumsQuery.of,
            "Allowance.of(budget, entries(most))",
            "Allowance.of(budget, entries(most)).part(16.0)",
        ),
        Break(
            "half the allowance",
            "more noise than is paid for",
            SumsQuery.of,
            "Allowance.of(budget, entries(most))",
            "Allowance.of(budget, entries(most)).part(0.5)",
            "factors",
        ),
        Break(
            "records held out are learned from",
            "what is only to be compared with is in the sums",
            Latent.begin,
            "np.flatnonzero(~apart)",
            "np.arange(len(held))",
        ),
        Break(
            "noise beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            Latent.begin,
            "Noise(source, tape)",
            "Noise(source)",
        ),
        Break(
            "the whole budget for the count of ones",
            "the count is asked for all of ε, and the sums for what is said to be left",
            OfMoments.learn,
            "OnesBudget.of(budget).count",
            "budget",
            "how many ones",
        ),
        Break(
            "a longer slope than is paid for",
            "each record may move a step by half as much again",
            train,
            "training.clipping_bound(multiplier)",
            "training.clipping_bound(multiplier) * 3 // 2",
            "a network",
        ),
        Break(
            "codes for the price of shares",
            "their moments get another ρ than is added up",
            learn_network,
            "plan.rho, noise",
            "plan.rho_shares, noise",
            "a network",
        ),
    ),
)
