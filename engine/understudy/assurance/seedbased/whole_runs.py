"""Whole runs of a few units, by enumeration, the failure probabilities that δ includes, and what
runs are composed of: disjoint parts, amplification by sampling, and attempts without a seed.

The mechanisms of a part are noisy counts, written out: the count of the records in a part, with
two-sided geometric noise, cut off at both ends so that few outcomes remain; and, with probability
δ, the count itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from understudy.assurance.attempt import Pairs, released_slot, worst
from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.composition import extreme_coin
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs
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
            "(max ε_i, max δ_i) for two parts, both released; each record is in one of them, by "
            "a coin of its own",
            GUARANTEE,
            lambda effort: _parts(effort, shared=False),
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
    return _parts(effort, shared=True)


def amplified_for_tables(effort: Effort) -> MeasuredValue:
    """Return the figure between populations, stated between tables."""
    return _tables(effort, composition.amplified_by_sampling)


def count_laws(budget: Budget, most: int) -> FloatArray:
    """Return the laws of a noisy count of 0 … `most` records, shape (1 + most, Y)."""
    ends = np.arange(-2, most + 3)
    noisy = np.exp(-budget.epsilon * np.abs(ends - np.arange(most + 1)[:, None]))
    outer = 1 / (1 - math.exp(-budget.epsilon))
    noisy[:, [0, -1]] *= outer
    noisy /= noisy.sum(axis=1, keepdims=True)
    return np.column_stack([(1 - budget.delta) * noisy, budget.delta * np.eye(most + 1)])


def _parts(effort: Effort, *, shared: bool) -> MeasuredValue:
    draw = RandomInputs(effort.seed + 7)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        first, second = _budget(draw), _budget(draw)
        share = draw.one_of((0.1, 0.5, 0.9))
        stated = composition.parallel(first, second)
        laws = [count_laws(each, _MOST_RECORDS + 1) for each in (first, second)]
        for records in range(_MOST_RECORDS + 1):
            one, more = (
                _everyone(laws, size) if shared else _assign_records(laws, size, share)
                for size in (records, records + 1)
            )
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            at = f"{records} records, {_words(first)} and {_words(second)}, coin {share:g}"
            total |= MeasuredValue(1, float(found), at)
    return total


def _assign_records(laws: list[FloatArray], records: int, share: float) -> FloatArray:
    """Return the joint law of both counts, every assignment of the records written out."""
    joint = np.zeros((laws[0].shape[1], laws[1].shape[1]))
    for parts in product((0, 1), repeat=records):
        second = sum(parts)
        chance = share ** (records - second) * (1 - share) ** second
        joint += chance * np.outer(laws[0][records - second], laws[1][second])
    return joint.ravel()


def _everyone(laws: list[FloatArray], records: int) -> FloatArray:
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
