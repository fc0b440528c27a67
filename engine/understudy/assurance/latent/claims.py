"""Claims about latent models: how far one record moves the sums that factors and directions follow
from, the price of a noisy bound on its number of ones, and runs on records that would hurt.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final

import numpy as np

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
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
from understudy.core.arrays import CodeArray, IntArray, TextArray
from understudy.mechanisms.defaults import HELD_OUT, held_out
from understudy.mechanisms.latent.mechanism import Latent
from understudy.mechanisms.latent.models import OfMoments, SumsQuery
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.models.latent.features import S
from understudy.models.latent.moments import OnesBudget, count_by_ones, sufficient_ones, sums
from understudy.models.latent.networks.training import train
from understudy.models.latent.networks.variational import learn_network
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

PART: Final = "A latent model from moments"
_SOURCE: Final = "docs/latent.md"
_FLAGS: Final = 3
_SCHEMA: Final = Schema(
    columns=(
        *(
            Column(name=f"flag {each}", domain=Categories(values=("no", "yes")))
            for each in range(_FLAGS)
        ),
        Column(name="number", domain=Grid(minimum=Decimal(0), maximum=Decimal(4))),
    )
)
_BUDGETS: Final = (Budget(1.0, 1e-9), Budget(0.1, 1e-6), Budget(2.0, 0.0))
_TABLES: Final = 3

SumsAnswer = Callable[[SumsQuery, CodeArray, int, RandomSource], IntArray]
"""The sums of a table whose records count with so many ones at most."""
Priced = Callable[[SumsQuery], SumsQuery]
"""The question with the price that is put on it."""


def list_moment_checks() -> tuple[Check, ...]:
    """Return the checks that one record moves the sums by no more than is paid for."""
    return (
        Check(
            PART,
            "how far one record moves the sums of products",
            "in units of S², √((q+1)(q+2)/2) at most in Euclid's distance and (q+1)(q+2)/2 in "
            "absolute values, q the entries of a record that are not 0",
            _SOURCE,
            partial(_measure_move, _as_asked),
        ),
        Check(
            PART,
            "what the noisy sums cost",
            "‖Δ‖²/2σ² at most ρ, or ‖Δ‖₁ over the scale at most ε, for every record there can be",
            _SOURCE,
            partial(_cost, _as_asked, _as_priced),
        ),
    )


def list_moment_mutants() -> tuple[Check, ...]:
    """Return ways to ask that would cost more than they say."""
    return (
        Check.mutant(
            "moments, a record unclipped",
            "all ones of a record count, under noise for so many",
            partial(_measure_move, _skip_clipping),
        ),
        Check.mutant(
            "moments, noise for the flags alone",
            "σ for q + 1 sums, as if products of two flags cost nothing",
            partial(_cost, _as_asked, _for_singles),
        ),
        Check.mutant(
            "moments, the number of records for free",
            "the sums are divided by the true number of records, which is told exactly",
            partial(_cost, _divide_noise, _as_priced),
        ),
        Check.mutant(
            "moments, asked twice and paid for once",
            "the same records are asked once more, under the budget that was spent",
            partial(_cost, _as_asked, partial(_for_singles, share=2.0)),
        ),
    )


def _as_asked(question: SumsQuery, codes: CodeArray, most: int, source: RandomSource) -> IntArray:
    return sums(question.features.vectors(codes, most, source))


def _skip_clipping(
    question: SumsQuery, codes: CodeArray, most: int, source: RandomSource
) -> IntArray:
    return sums(question.features.vectors(codes, _FLAGS, source))


def _divide_noise(
    question: SumsQuery, codes: CodeArray, most: int, source: RandomSource
) -> IntArray:
    exact = _as_asked(question, codes, most, source)
    return np.rint(exact / max(1, len(codes)) * S**2).astype(np.int64)


def _as_priced(question: SumsQuery) -> SumsQuery:
    return question


def _for_singles(question: SumsQuery, share: float = 0.0) -> SumsQuery:
    """Return noise for q + 1 sums in place of (q + 1)(q + 2)/2; or for so many times the
    allowance."""
    factor = share or (question.most + 2) / 2
    return replace(question, allowance=question.allowance.part(factor))


def _measure_move(asked: SumsAnswer, effort: Effort) -> MeasuredValue:
    found = NOTHING
    for question, _, most, apart, said in _differ_by_one(asked, effort):
        entries = (question.most + 1) * (question.most + 2) / 2
        units = apart / S**2
        worst = max(math.hypot(*units) / math.sqrt(entries), float(np.abs(units).sum()) / entries)
        found |= MeasuredValue(1, worst, f"{most} ones at most, {said}")
    return found


def _cost(asked: SumsAnswer, priced: Priced, effort: Effort) -> MeasuredValue:
    found = NOTHING
    for question, _, most, apart, said in _differ_by_one(asked, effort):
        allowance, noisy = question.allowance, priced(question)
        entries = (question.most + 1) * (question.most + 2) / 2
        scale = noisy.allowance.scale(S**2 * entries, S**2 * math.sqrt(entries))
        spent = (
            math.hypot(*apart.astype(float)) ** 2 / (2 * scale**2)
            if allowance.currency == "rho"
            else float(np.abs(apart).sum()) / scale
        )
        found |= MeasuredValue(1, spent / allowance.amount, f"{most} ones at most, {said}")
    return found


def _differ_by_one(
    asked: SumsAnswer, effort: Effort
) -> Iterator[tuple[SumsQuery, Budget, int, IntArray, str]]:
    """Yield every question with the difference that a last record makes to the sums of some
    others."""
    random = np.random.default_rng(effort.seed)
    every = [np.array(each) for each in itertools.product(*(range(2),) * _FLAGS, range(5))]
    for budget, most in itertools.product(_BUDGETS, (1, 2, _FLAGS)):
        plan = LatentPlan(domain=_SCHEMA.fingerprint, most_ones=most, width=2)
        question = SumsQuery.of(plan, _SCHEMA, budget)
        for _ in range(effort.of(_TABLES)):
            picked = random.integers(0, len(every), int(random.integers(0, 4)))
            others = np.array([every[each] for each in picked], dtype=np.uint16)
            others = others.reshape(len(picked), _FLAGS + 1)
            for last in every:
                whole = np.vstack([others, last]).astype(np.uint16)
                two = [
                    asked(question, each, most, RandomSource.fixed(effort.seed))
                    for each in (others, whole)
                ]
                yield question, budget, most, two[1] - two[0], f"{len(others)} others, {last}"


_FLAG_TABLES: Final = 20
_FLAG_BUDGETS: Final = (Budget(0.1, 1e-6), Budget(1.0, 1e-9), Budget(3.7, 0.0))


def list_ones_checks() -> tuple[Check, ...]:
    """Return the count and the sums after it cost no more than the whole."""
    return (
        Check(
            PART,
            "how many flags count, chosen by a noisy count",
            "ε of the count, times how far one record moves it, and ε of the sums: ε at most",
            _SOURCE,
            partial(_measure_spending, count_by_ones),
        ),
    )


def list_ones_mutants() -> tuple[Check, ...]:
    """Return ways to choose that would cost more than they say."""
    return (
        Check.mutant(
            "flags that count, chosen by how many records have so many or more",
            "a record is counted once for each of its flags, under noise for once",
            partial(_measure_spending, _cumulate, whole=1.0 / 16),
        ),
        Check.mutant(
            "flags that count, chosen by the exact count",
            "the least number that keeps nearly all flags is read off without noise",
            _exactly,
        ),
    )


def _measure_spending(
    ask: Callable[[CodeArray], IntArray], effort: Effort, *, whole: float = 1.0
) -> MeasuredValue:
    """Return what is spent as a share of ε; of the count alone where that is what is claimed."""
    found = NOTHING
    for one, more, budget in _add_one(effort):
        parts = OnesBudget.of(budget)
        moved = float(np.abs(ask(more) - ask(one)).sum())
        rest = parts.rest.epsilon if whole == 1.0 else 0.0
        spent = moved * parts.count.epsilon + rest
        found |= MeasuredValue(
            1, spent / (whole * budget.epsilon), f"{len(one)} others, {more[-1]}"
        )
    return found


def _cumulate(bits: CodeArray) -> IntArray:
    counts = count_by_ones(bits)
    return np.asarray(np.cumsum(counts[::-1])[::-1][1:])


def _exactly(effort: Effort) -> MeasuredValue:
    found = NOTHING
    for one, more, _ in _add_one(effort):
        apart = sufficient_ones(count_by_ones(one), 0.0, _FLAGS) != sufficient_ones(
            count_by_ones(more), 0.0, _FLAGS
        )
        found |= MeasuredValue(1, math.inf if apart else 0.0, f"{len(one)} others, {more[-1]}")
    return found


def _add_one(effort: Effort) -> Iterator[tuple[CodeArray, CodeArray, Budget]]:
    random = np.random.default_rng(effort.seed)
    every = np.array(list(itertools.product((0, 1), repeat=_FLAGS)), dtype=np.uint16)
    for many in (0, *random.integers(1, 9, effort.of(_FLAG_TABLES)).tolist()):
        others = every[random.integers(0, len(every), many)]
        for last, budget in itertools.product(every, _FLAG_BUDGETS):
            yield others, np.vstack([others, last]), budget


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
