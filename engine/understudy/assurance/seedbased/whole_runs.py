"""Whole runs of a few units, by enumeration, the failure probabilities that δ includes, and what
runs are composed of: disjoint parts, amplification by sampling, and attempts without a seed.

The mechanisms of a part are noisy counts, written out: the count of the records in a part, with
two-sided geometric noise, cut off at both ends so that few outcomes remain; and, with probability
δ, the count itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

import numpy as np

from understudy.assurance.attempt import Pairs, released_slot, worst
from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.composition import extreme_coin
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs, ScriptedSource
from understudy.assurance.seedbased.one_attempt import (
    ATTRIBUTES,
    KINDS,
    NAMES,
    OMEGAS,
    UNIVERSE,
    attempt_chances,
    network,
    two_more,
    universes,
)
from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.attempts import Candidates, Decision
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.accounting import composition
from understudy.privacy.accounting.account import Account, Protocol
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.unit_counts import (
    STOP_SHARE,
    attempts_needed,
    log_chance,
    records_needed,
)
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity, TestKind
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy.table.split import PARAMETERS, PARTS, STRUCTURE, Shares, assign_parts

_PART = "Whole runs"
_SLOTS = "Exactly m records, attempts hidden (protocol “releases”)"
_COUNTS = (1, 2, 3)
_MOST_OUTCOMES = 400
_SURELY = 1 - 1e-9
"""No pass floor is declared above this."""

_EVERY = 6
"""A whole run costs more to write out, so it is tried on one universe in so many."""


def list_checks() -> tuple[Check, ...]:
    """Return runs of attempts, of released records up to the hard stop, and persons of two
    records."""
    found: list[Check] = []
    for kind in KINDS:
        found.append(_slot(kind))
        found.append(_stop_run(kind))
    for kind in KINDS:
        found.append(_attempts(kind))
        found.append(_persons(kind))
    return tuple(found)


def _slot(kind: TestKind) -> Check:
    return Check(
        _SLOTS,
        f"{NAMES[kind]}, one record",
        "ε of an attempt, and δ/(c − δ) of its δ, c the smaller of the two pass probabilities",
        GUARANTEE,
        lambda effort: worst(universes(kind, effort), released_slot),
    )


def _stop_run(kind: TestKind) -> Check:
    return Check(
        _SLOTS,
        f"{NAMES[kind]}, m records or stopped",
        "the account of m = 1 or 2 records, its δ raised by (1 + e^ε)·Pr{Bin(A, c) < m}; no "
        "record is released where A attempts give fewer than m, and that is seen",
        GUARANTEE,
        lambda effort: worst(universes(kind, effort)[:: 3 * _EVERY], compare_stopping),
    )


def _attempts(kind: TestKind) -> Check:
    return Check(
        _PART,
        f"{NAMES[kind]}, 1 to 3 attempts",
        "the account of so many attempts, rejections seen, at the ρ it gives",
        GUARANTEE,
        lambda effort: worst(universes(kind, effort)[::_EVERY], compare_attempts),
    )


def _persons(kind: TestKind) -> Check:
    def measure(effort: Effort) -> MeasuredValue:
        return worst(
            two_more(kind, effort), lambda tried: compare_attempts(tried, records_per_person=2)
        )

    return Check(
        _PART,
        f"{NAMES[kind]}, two records of a person",
        "the account for g = 2 records per person: (gε, g e^((g − 1)ε) δ)",
        GUARANTEE,
        measure,
    )


def compare_attempts(tried: Pairs, records_per_person: int = 1) -> FloatArray:
    """Return divergence over claim of runs of one, two and three attempts."""
    found = [
        _repeat_unit(tried.cap_attempts(made.pass_cap or 0.0), made)
        for made in _accounts(tried, "attempts", records_per_person=records_per_person)
    ]
    return np.concatenate([np.empty(0), *found])


def _repeat_unit(law: FloatArray, made: Account) -> FloatArray:
    """Return divergence over claim where the unit of this law is repeated so often."""
    runs = _repeat_law(law, made.count)
    return over(hockey_stick(runs[0], runs[1:], made.total.epsilon), made.total.delta)


def _repeat_law(law: FloatArray, count: int) -> FloatArray:
    """Return the law of so many independent outcomes, (D, Y) to (D, Y^count)."""
    joint = law
    for _ in range(count - 1):
        joint = (joint[:, :, None] * law[:, None, :]).reshape(len(law), -1)
    return joint


def compare_stopping(tried: Pairs) -> FloatArray:
    """Return divergence over claim of runs that release m records, or stop after A attempts and
    release none."""
    found = []
    for at in range(1, 1 + len(tried)):
        pair = tried.against(at)
        floor = min(float(pair.passing.min()), _SURELY)
        for made in _accounts(pair, "releases", pass_floor=floor):
            found += [_up_to(pair, made, *limit) for limit in _limits(pair, made, floor)]
    return np.array(found)


def _limits(pair: Pairs, made: Account, floor: float) -> Iterator[tuple[int, float]]:
    """Yield (A, what δ pays for stopping): hardly any room, some, and what the product would
    allow."""
    epsilon = made.record.epsilon
    low = int(pair.passing.argmin())
    for most in (made.count, made.count + 2):
        yield most, (1 + math.exp(epsilon)) * _too_few(pair, low, made.count, most)
    paid = STOP_SHARE * made.target_delta
    yield attempts_needed(made.count, floor, log_chance(epsilon, paid)), paid


def _up_to(pair: Pairs, made: Account, most: int, paid: float) -> float:
    too_few = np.array([_too_few(pair, table, made.count, most) for table in range(2)])
    runs = _repeat_law(pair.released / pair.passing[:, None], made.count) * (1 - too_few)[:, None]
    outcomes = np.column_stack([runs, too_few])
    apart = hockey_stick(outcomes[0], outcomes[1], made.record.epsilon)
    return float(over(apart, made.record.delta + paid))


def _too_few(pair: Pairs, table: int, records: int, most: int) -> float:
    """Return Pr{fewer than so many of A attempts pass}, summed term by term."""
    passes, fails = float(pair.passing[table]), float(pair.rejected[table])
    return sum(
        math.comb(most, passed) * passes**passed * fails ** (most - passed)
        for passed in range(records)
    )


def _accounts(
    tried: Pairs,
    protocol: Protocol,
    *,
    pass_floor: float | None = None,
    records_per_person: int = 1,
) -> Iterator[Account]:
    """Yield the accounts that can be made of few enough units, at two targets of δ."""
    values = tried.released.shape[1] + 1
    for count in _COUNTS[: 3 if protocol == "attempts" else 2]:
        for share in (0.9, 0.1):
            if values**count > _MOST_OUTCOMES:
                continue
            try:
                yield account(
                    tried.test,
                    count,
                    share / tried.records,
                    protocol=protocol,
                    seeds_at_least=tried.records,
                    pass_floor=pass_floor,
                    equal_likelihood=tried.equal_likelihood,
                    records_per_person=records_per_person,
                )
            except Refusal:
                continue


_CHANCES_PART = "Chances that are paid for"
_SHARES = (Fraction(1, 100), Fraction(3, 10), Fraction(9, 10))
_CHANCES = (0.1, 1e-6, 1e-15)


def list_chance_checks() -> tuple[Check, ...]:
    """Return the hard stop, and the public lower bound on the seeds."""
    return (
        Check(
            _CHANCES_PART,
            "a run that stops short",
            "Pr{Bin(A, c) < m} ≤ β for the A that a run of m records may make, c its pass floor",
            GUARANTEE,
            _stops,
        ),
        Check(
            _CHANCES_PART,
            "a table with too few seeds",
            "Pr{Bin(T, p) < n} ≤ the chance paid for, p the share of records that become seeds",
            GUARANTEE,
            _seeds,
        ),
    )


def binomial_below(least: int, trials: int, share: Fraction) -> float:
    """Return Pr{Bin(trials, share) < least}, exact except for the last division."""
    hit, miss = share.numerator, share.denominator - share.numerator
    ways = sum(math.comb(trials, n) * hit**n * miss ** (trials - n) for n in range(least))
    return float(Fraction(ways, share.denominator**trials))


def _stops(_: Effort) -> MeasuredValue:
    total = NOTHING
    for records, floor, beta in product((1, 2, 7, 30), _SHARES, _CHANCES):
        attempts = attempts_needed(records, float(floor), math.log(beta))
        found = binomial_below(records, attempts, floor) / beta
        total |= MeasuredValue(1, found, f"m = {records}, c = {floor}, β = {beta:g}")
    return total


def _seeds(_: Effort) -> MeasuredValue:
    total = NOTHING
    for seeds, share, miss in product((1, 5, 40), _SHARES, _CHANCES):
        records = records_needed(seeds, float(share), miss)
        found = binomial_below(seeds, records, share) / miss
        total |= MeasuredValue(1, found, f"n = {seeds}, p = {share}, a chance of {miss:g}")
    return total


_PARTS = "Parts of a table"
_TRIED = 60
_MOST_RECORDS = 4


def list_part_checks() -> tuple[Check, ...]:
    """Disjoint parts, amplification by sampling, and attempts that keep nothing of a seed."""
    return (
        Check(
            _PARTS,
            "parts assigned by coins",
            "e^ε′ = 1 + Σ p_i(e^ε_i − 1), max δ_i for two parts that are both released, and records"
            " held out; each record is in one of the three, by a coin of its own",
            GUARANTEE,
            _parts,
        ),
        Check(
            _PARTS,
            "the coins of a plan",
            "the total that a plan states, each record in a part with the chance that the coins of "
            "a run deal it there",
            GUARANTEE,
            _plans,
        ),
        Check(
            _PARTS,
            "a secret sample, between populations",
            "ε′ = ln(1 + p(e^ε − 1)), δ′ = pδ; each member of a population is in the table with "
            "probability p",
            GUARANTEE,
            _sample_population,
        ),
        Check(
            _PARTS,
            "a secret sample, between tables",
            "(ε, δ) as without it: that a table is a sample hides nothing of who is in it",
            GUARANTEE,
            lambda effort: _tables(effort, lambda budget, _: budget),
        ),
        Check(
            _PARTS,
            "attempts with ω = m",
            "(0, 0): what they release is the same whatever the seeds are",
            GUARANTEE,
            _seedless,
        ),
        Check(
            _PARTS,
            "attempts that are composed",
            "all whose ω is below m, and no others",
            GUARANTEE,
            _compose_attempts,
        ),
    )


def shared_parts(effort: Effort) -> MeasuredValue:
    """As if the parts were disjoint, though every record is in both."""
    return _parts(effort, law=lambda laws, records, _: _everyone(laws, records))


def learn_from_held_out(effort: Effort) -> MeasuredValue:
    """As if records were held out, though the model is learned from these too."""
    return _plans(effort, lambda chances: (*chances[:2], sum(chances[2:]), 0.0))


def show_coins(effort: Effort) -> MeasuredValue:
    """As if the coins were secret, though how many records each part has is released."""
    return _parts(effort, law=_assign_openly)


def amplified_for_tables(effort: Effort) -> MeasuredValue:
    """Return the figure between populations, stated between tables."""
    return _tables(effort, composition.amplified_by_sampling)


def count_laws(budget: Budget, most: int) -> FloatArray:
    """Return the laws of a noisy count of 0 … `most` records, shape (1 + most, Y); of a constant
    where nothing may be spent."""
    if not budget.epsilon:
        return np.ones((1 + most, 1))
    ends = np.arange(-2, most + 3)
    noisy = np.exp(-budget.epsilon * np.abs(ends - np.arange(most + 1)[:, None]))
    outer = 1 / (1 - math.exp(-budget.epsilon))
    noisy[:, [0, -1]] *= outer
    noisy /= noisy.sum(axis=1, keepdims=True)
    return np.column_stack([(1 - budget.delta) * noisy, budget.delta * np.eye(most + 1)])


_Law = Callable[[Sequence[FloatArray], int, Sequence[float]], FloatArray]
"""The law of all that is released of so many records, from the laws of the counts of both parts and
the chances of the parts."""

_SPLITS = ((0.1, 0.9), (0.5, 0.4), (0.9, 0.05), (0.3, 0.2))


def _parts(effort: Effort, *, law: _Law | None = None) -> MeasuredValue:
    draw = RandomInputs(effort.seed + 7)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        costs = _budget(draw), _budget(draw)
        chances = draw.one_of(_SPLITS)
        stated = composition.compose_dealt(*zip(chances, costs, strict=True))
        laws = [count_laws(each, _MOST_RECORDS + 1) for each in costs]
        seen = [(law or _assign_records)(laws, size, chances) for size in range(_MOST_RECORDS + 2)]
        for records, (one, more) in enumerate(pairwise(seen)):
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            at = f"{records} records, {_words(costs[0])} and {_words(costs[1])}, coins {chances}"
            total |= MeasuredValue(1, float(found), at)
    return total


def _assign_records(
    laws: Sequence[FloatArray], records: int, chances: Sequence[float]
) -> FloatArray:
    """Return the joint law of both counts, every assignment of the records written out."""
    return np.asarray(np.sum(list(_list_assignments(laws, records, chances)), axis=0)).ravel()


def _assign_openly(
    laws: Sequence[FloatArray], records: int, chances: Sequence[float]
) -> FloatArray:
    """Return the same law where every assignment is told apart from the others."""
    joint = np.zeros((_MOST_RECORDS + 2, _MOST_RECORDS + 2, laws[0].shape[1], laws[1].shape[1]))
    sizes = _list_sizes(records)
    for (first, second), each in zip(sizes, _list_assignments(laws, records, chances), strict=True):
        joint[first, second] = each
    return joint.ravel()


def _list_sizes(records: int) -> list[tuple[int, int]]:
    """Return how many records there may be in each part."""
    return [
        (first, second) for first in range(records + 1) for second in range(records + 1 - first)
    ]


def _list_assignments(
    laws: Sequence[FloatArray], records: int, chances: Sequence[float]
) -> Iterator[FloatArray]:
    held_out = 1 - sum(chances)
    for first, second in _list_sizes(records):
        rest = records - first - second
        ways = math.comb(records, first) * math.comb(records - first, second)
        chance = chances[0] ** first * chances[1] ** second * held_out**rest
        yield ways * chance * np.outer(laws[0][first], laws[1][second])


_PLANS: Final = (
    ("calibrated", Shares(seeds=0.0, structure=0.4, parameters=0.5, held_out=0.1)),
    ("calibrated", Shares(seeds=0.0, structure=0.0, parameters=0.25, held_out=0.75)),
    ("network", Shares(seeds=0.0, structure=0.3, parameters=0.5, held_out=0.2)),
    ("network", Shares(seeds=0.2, structure=0.1, parameters=0.7, held_out=0.0)),
    ("marginals", Shares(seeds=0.1, structure=0.1, parameters=0.6, held_out=0.2)),
)
_THREE: Final = Schema(
    columns=tuple(Column(name=name, domain=Categories(values=("0", "1"))) for name in "abc")
)
_Chances = tuple[float, ...]


def _plans(
    effort: Effort, deal: Callable[[_Chances], _Chances] = lambda chances: chances
) -> MeasuredValue:
    """Return one record more for plans as they are stated, of which the parts are noisy counts that
    cost what the plan says.

    Args:
        effort: how much is tried.
        deal: changes the chances of the parts that a run deals by.
    """
    draw = RandomInputs(effort.seed + 11)
    total = NOTHING
    for (kind, shares), epsilon in product(_PLANS, (0.1, 1.0, 3.0)):
        model = {"kind": kind, "epsilon": epsilon}
        whole = {
            "omega": Omega(low=3, high=3),
            "shares": shares,
            "delta": draw.one_of((1e-6, 1e-4)),
        }
        made = promise(Plan.of(_THREE, model=model, **whole), _THREE)
        chances = deal(dealt_chances(shares))
        learned = [
            (sum(chances[place] for place in _LEARNED[part]), cost)
            for part, cost in made.learning.items()
        ]
        costs = [*(cost for _, cost in learned), Budget(0.0)][:2]
        dealt = [*(chance for chance, _ in learned), 0.0][:2]
        laws = [count_laws(each, _MOST_RECORDS + 1) for each in costs]
        seen = [_assign_records(laws, size, dealt) for size in range(_MOST_RECORDS + 2)]
        for one, more in pairwise(seen):
            found = over(hockey_stick(one, more, made.record.epsilon), made.record.delta)
            total |= MeasuredValue(1, float(found), f"{kind}, {shares}, ε = {epsilon:g}")
    return total


_LEARNED: Final = {
    "model": (STRUCTURE, PARAMETERS),
    "structure": (STRUCTURE,),
    "parameters": (PARAMETERS,),
}


def dealt_chances(shares: Shares) -> _Chances:
    """Return the chance of each part as a run deals it: between the words at which the part that
    `assign_parts` deals becomes another one, by bisection."""

    def first_above(part: int) -> int:
        low, high = 0, 1 << 64
        while low < high:
            middle = (low + high) // 2
            if int(assign_parts(1, shares, ScriptedSource([middle]))[0]) > part:
                high = middle
            else:
                low = middle + 1
        return low

    ends = [0, *(first_above(part) for part in range(PARTS))]
    return tuple((last - first) / (1 << 64) for first, last in pairwise(ends))


def _everyone(laws: Sequence[FloatArray], records: int) -> FloatArray:
    return np.outer(laws[0][records], laws[1][records]).ravel()


def _sample_population(effort: Effort) -> MeasuredValue:
    """Return one member more in a population, of which every sample is written out."""
    draw = RandomInputs(effort.seed + 8)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        budget, chance = _budget(draw), draw.one_of((0.01, 0.3, 0.9))
        stated = composition.amplified_by_sampling(budget, chance)
        for one, more in _populations(budget, chance):
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            total |= MeasuredValue(1, float(found), f"{_words(budget)}, p = {chance:g}")
    return total


def _tables(effort: Effort, state: Callable[[Budget, float], Budget]) -> MeasuredValue:
    """Return one record more in the sample itself, whatever population it was drawn from."""
    draw = RandomInputs(effort.seed + 8)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        budget, chance = _budget(draw), draw.one_of((0.01, 0.3, 0.9))
        stated, law = state(budget, chance), count_laws(budget, _MOST_RECORDS + 1)
        without, within = extreme_coin(budget)
        pairs: list[tuple[FloatArray, FloatArray]] = [(without, within), *pairwise(law)]
        for one, more in pairs:
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            total |= MeasuredValue(1, float(found), f"{_words(budget)}, p = {chance:g}")
    return total


def _populations(budget: Budget, chance: float) -> Iterator[tuple[FloatArray, FloatArray]]:
    # The coin that spends the budget in full shows whether the member is in the sample.
    without, within = extreme_coin(budget)
    yield without, (1 - chance) * without + chance * within
    law = count_laws(budget, _MOST_RECORDS + 1)
    for size in range(_MOST_RECORDS + 1):
        yield _sample(law, size, chance), _sample(law, size + 1, chance)


def _sample(law: FloatArray, population: int, chance: float) -> FloatArray:
    drawn = [
        math.comb(population, size) * chance**size * (1 - chance) ** (population - size)
        for size in range(population + 1)
    ]
    return np.asarray(drawn) @ law[: population + 1]


def _seedless(effort: Effort) -> MeasuredValue:
    """Return the law of an attempt that keeps nothing, its decision the shipped one."""
    draw = RandomInputs(effort.seed + 9)
    decision = Decision(RelativeSensitivity(k=50, epsilon0=1.0), pass_cap=0.5)
    codes = UNIVERSE.T
    everything = np.full(len(UNIVERSE), ATTRIBUTES)
    alone = np.zeros(len(UNIVERSE), dtype=np.int64)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        made = attempt_chances(network(draw), (ATTRIBUTES,))[0]
        candidates = Candidates(codes, everything, np.arange(len(UNIVERSE)), alone)
        passed = decision.passes(candidates, ATTRIBUTES, True, draw.source)
        one, more = draw.table(len(UNIVERSE), 1), draw.table(len(UNIVERSE), 1)
        outcomes = np.column_stack([made * passed, (made * ~passed).sum(axis=1)])
        apart = hockey_stick(one / one.sum() @ outcomes, more / more.sum() @ outcomes, 0.0)
        total |= MeasuredValue(1, float(over(apart, 0.0)))
    return total


def _compose_attempts(_: Effort) -> MeasuredValue:
    """Return the attempts that look at a seed, counted one by one, over those that are composed."""
    total = NOTHING
    for omega, attempts in product(OMEGAS, range(9)):
        drawn = omega.sequence(0, attempts, RandomInputs(0).source)
        looking = attempts if not omega.per_attempt else int((drawn < ATTRIBUTES).sum())
        stated = omega.seed_attempts(attempts, ATTRIBUTES)
        found = looking / stated if stated else math.inf if looking else 0.0
        total |= MeasuredValue(1, found, f"ω = {omega}, {attempts} attempts")
    return total


def _budget(draw: RandomInputs) -> Budget:
    return Budget(draw.one_of((0.1, 0.5, 1.0, 2.0)), draw.one_of((0.0, 1e-6, 0.01)))


def _words(budget: Budget) -> str:
    return f"({budget.epsilon:g}, {budget.delta:g})"
