"""The claims about attempts on the days of people and about the model, and the method broken on
purpose.

The claims are checked in a town of two cells, by the exact law of attempts over its people and
their coins.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final

import numpy as np

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs
from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.plausible_traces.attempts import KeptSchedules, Seeds, encode_candidates
from understudy.mechanisms.plausible_traces.conditionals import Drafts, slot_bounds
from understudy.mechanisms.plausible_traces.keys import (
    NONE,
    SORTS,
    STARTS,
    WORKS,
    Keeps,
    keys_of,
    schedules_of,
    width_of_a_part,
)
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import LONGEST, OTHER, OTHER_PATTERN, WORK, Days
from understudy.models.mobility.tables import (
    UNITS,
    TableEntries,
    TableOf,
    added_up,
    count_entries,
    layout,
    sum_entries,
    table_deviations,
)
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import parallel
from understudy.privacy.accounting.unit import pass_cap, unit_of
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.table.positions.slots import SLOTS

TOWN: Final = Geography(rows=1, columns=2, zones=1)

Person = Sequence[int]
"""Somebody's weekdays, each by its place among `KINDS`."""


def _day(*arrivals: tuple[int, int]) -> IntArray:
    row = np.zeros(SLOTS, dtype=np.int64)
    for slot, cell in arrivals:
        row[slot:] = cell
    return row


KINDS: Final = (
    _day((0, 0)),
    _day((0, 0), (30, 1), (36, 0)),
    _day((0, 0), (31, 1), (37, 0)),
    _day((0, 0), (33, 1), (57, 0)),
    _day((0, 1)),
    # Off the map all day: nothing can be made of it.
    _day((0, 2)),
)
"""At home; three times out and back, of which the first two are alike by the hour; at home in the
other cell; away."""


def days_of_people(people: Sequence[Person]) -> Days:
    """Return their days."""
    rows = [KINDS[kind] for person in people for kind in person]
    person = np.repeat(np.arange(len(people)), [len(each) for each in people])
    cells = np.array(rows, dtype=np.int64).reshape(-1, SLOTS)
    return Days(cells, np.zeros(len(rows), dtype=bool), person)


@cache
def keys_of_person(person: tuple[int, ...], keeps: Keeps) -> CodeArray:
    """Return (days, WIDTH) the keys of somebody's days, one of which is drawn by their own coin."""
    told = schedules_of(days_of_people([person]), TOWN)
    usable = told.take(told.usable)
    return keys_of(usable if len(usable) else told.take(np.array([0])), keeps)


@cache
def law() -> Law:
    """Return the law of a few people of the town, as it follows from their tables."""
    people = [(0, 0, 1), (1, 2, 1), (3, 3, 0), (4, 4, 4), (0, 3, 1)]
    exact = added_up(days_of_people(people), TOWN)
    return fit_law(exact, table_deviations(TOWN, 1.0), TOWN)


@dataclass(frozen=True, eq=False)
class Universe:
    """Every candidate of some keys.

    Attributes:
        keys: (kinds, WIDTH).
        codes: (Y, CANDIDATE) the candidates.
        kind: (Y,) the place of the key of each among `keys`.
        chance: (Y,) c(y).
    """

    keys: CodeArray
    codes: CodeArray
    kind: IntArray
    chance: FloatArray


@cache
def universe(keeps: Keeps) -> Universe:
    """Return every candidate of the keys that days of `KINDS` have, of people of all kinds."""
    people = [(kind,) for kind in range(len(KINDS))]
    found = np.concatenate([keys_of_person(person, keeps) for person in people])
    keys = np.unique(found[found.any(axis=1)], axis=0)
    model = KeptSchedules(law(), keeps)
    codes = [np.concatenate(list(_candidates(key, keeps))) for key in keys]
    every = np.concatenate(codes)
    kind = np.repeat(np.arange(len(keys)), [len(each) for each in codes])
    return Universe(keys, every, kind, np.exp(model.log_chance(every)))


def _candidates(key: CodeArray, keeps: Keeps) -> Iterator[CodeArray]:
    """Yield all candidates of a key that is not an outline."""
    sort = np.full(LONGEST, NONE, dtype=np.int64)
    sort[:] = key[1 : 1 + LONGEST].astype(np.int64) - 1
    stays = int((sort != NONE).sum())
    low, high = slot_bounds(sort[None], key[None, STARTS].astype(np.int64), width_of_a_part(keeps))
    slots = [range(int(low[0, at]), int(high[0, at]) + 1) for at in range(1, stays)]
    starts = [each for each in itertools.product(*slots) if _apart((0, *each))]
    works = range(2) if not key[WORKS] else (int(key[WORKS]) - 1,)
    others = np.flatnonzero(sort == OTHER)
    for at_work, home in itertools.product(works, range(2)):
        for work in range(2) if at_work else (0,):
            for cells in itertools.product(range(2), repeat=len(others)):
                found = Drafts.blank(len(starts))
                found.works[:], found.pattern[:], found.sort[:] = at_work, OTHER_PATTERN, sort
                found.home[:], found.work[:] = home, work
                found.start[:, 1:stays] = np.array(starts).reshape(len(starts), stays - 1)
                found.cell[:, others] = cells
                if at_work or WORK not in sort:
                    yield encode_candidates(found)


def _apart(starts: tuple[int, ...]) -> bool:
    return all(after - before >= 2 for before, after in itertools.pairwise(starts))


SeedDays = Callable[[Person, Keeps], Sequence[CodeArray]]
"""From somebody to the sets of seeds that their coin may make of them, each as likely."""
Score = Callable[[CodeArray], tuple[CodeArray, IntArray]]
"""From seeds to their different keys, and how many share each."""

_WHOLE = 1 << 128


def one_day(person: Person, keeps: Keeps) -> Sequence[CodeArray]:
    """Return the keys that seeds can get, one day of the person being a seed."""
    return [key[None] for key in keys_of_person(tuple(person), keeps)]


def sharers(seeds: CodeArray) -> tuple[CodeArray, IntArray]:
    """As a run counts them."""
    return Seeds(seeds).distinct


def by_kind(
    test: RelativeSensitivity, seeds: CodeArray, keys: CodeArray, score: Score = sharers
) -> FloatArray:
    """Return (kinds + 1,) how likely one attempt releases a candidate of each key, and none.

    Args:
        test: the privacy test.
        seeds: (S, WIDTH) the key of each.
        keys: (kinds, WIDTH) the different ones there can be; seeds without a usable day have none.
        score: what is counted.
    """
    found = np.zeros(len(keys) + 1)
    distinct, sizes = Seeds(seeds).distinct
    counted = dict(zip(map(bytes, score(seeds)[0]), score(seeds)[1].tolist(), strict=True))
    place = {bytes(key): at for at, key in enumerate(keys)}
    for key, size in zip(distinct, sizes.tolist(), strict=True):
        drawn = size / len(seeds)
        sharing = np.array([counted[bytes(key)]])
        passes, fails = _odds(test, int(test.scores(sharing)[0]))
        if bytes(key) in place:
            found[place[bytes(key)]] = drawn * passes
            found[-1] += drawn * fails
        else:
            found[-1] += drawn
    return found


@cache
def _odds(test: RelativeSensitivity, score: int) -> tuple[float, float]:
    passing = test.coin.threshold(score)
    return passing / _WHOLE, (_WHOLE - passing) / _WHOLE


def cap_attempts(law: FloatArray, rho: float) -> FloatArray:
    """Return the same where every candidate is turned away with probability ρ after the test."""
    found = law * (1 - rho)
    found[..., -1] = law[..., -1] + rho * law[..., :-1].sum(axis=-1)
    return found


def spread_keys(law: FloatArray, over: Universe) -> FloatArray:
    """Return (Y + 1,) the law of candidates, from that of their keys."""
    return np.append(law[over.kind] * over.chance, law[-1])


def of_people(
    people: Sequence[Person],
    keeps: Keeps,
    law: Callable[[CodeArray], FloatArray],
    days: SeedDays = one_day,
) -> FloatArray:
    """Return the law of what is made of people, over everybody's coin.

    Args:
        people: the seeds.
        keeps: what is kept.
        law: of what is made of their days.
        days: what becomes of somebody's days.
    """
    options = [days(person, keeps) for person in people]
    chance = 1 / math.prod(len(each) for each in options)
    return sum(
        (chance * law(np.concatenate(chosen)) for chosen in itertools.product(*options)),
        start=np.zeros(()),
    )


def repeat_law(law: FloatArray, count: int) -> FloatArray:
    """Return the law of so many independent outcomes, (Y,) to (Y^count,)."""
    joint = law
    for _ in range(count - 1):
        joint = np.outer(joint, law).ravel()
    return joint


PART: Final = "Days like given people’s"
SOURCE: Final = "docs/plausible-traces.md"
_KEEPS: Final[tuple[Keeps, ...]] = ("hours", "departure")
_TRIED: Final = 60
_CLOSE: Final = 1e-9

Expand = Callable[[FloatArray, Universe, Sequence[Person]], FloatArray]
"""The law of candidates from that of their keys, where these people are the seeds."""


def list_attempt_checks() -> tuple[Check, ...]:
    """Return chances of candidates, one attempt, and a few on the same days."""
    return (
        Check(
            PART,
            "the chances of all candidates of a key",
            "sum to 1, so that p_d(y) is the law of what is made of a day",
            SOURCE,
            _sums,
        ),
        Check(
            PART,
            "one attempt, one person more with all of their days",
            "ε = ε0 + ln(1 + 1/t), δ = 1/(1 + e^−ε0) e^(−ε0(k − t))/(n + 1) on candidates and ⊥, "
            "whichever weekday everybody's coin draws, with ρ = 1/((n + 1)e^ε − n)",
            SOURCE,
            partial(one_attempt, one_day),
        ),
        Check(
            PART,
            "two attempts on the same days",
            "the account of two attempts, at the ρ it gives; days are drawn once for both",
            SOURCE,
            _two_attempts,
        ),
    )


def list_attempt_mutants() -> tuple[Check, ...]:
    """Return ways to get it wrong, held against the claim about one attempt."""
    return (
        Check.mutant(
            "every day of a person is a seed",
            "noise for one day is called noise for a person",
            partial(one_attempt, every_day),
        ),
        Check.mutant(
            "a likelihood that is off by a state",
            "days that begin their stays in other hours are counted as if they could be made into "
            "the same candidate",
            partial(one_attempt, one_day, score=any_hours),
        ),
        Check.mutant(
            "candidates on a map of the cells that seeds are in",
            "a person alone in a cell adds candidates that nobody else could have been made into",
            partial(one_attempt, one_day, expand=own_map),
        ),
    )


@dataclass(frozen=True)
class NeighbourTowns:
    """Some people, one more, and the test that is tried.

    Attributes:
        people: the smaller table.
        person: who is in the larger one besides.
        test: the privacy test.
    """

    people: tuple[Person, ...]
    person: Person
    test: RelativeSensitivity

    def __str__(self) -> str:
        return (
            f"k = {self.test.k}, ε0 = {self.test.epsilon0:g}, weekdays {self.people} and "
            f"{self.person}"
        )


_TELLING: Final = (
    NeighbourTowns(((3,), (3,), (3,)), (1,), RelativeSensitivity(k=3, epsilon0=2.5)),
    NeighbourTowns(((2,), (5, 1, 4)), (3, 1), RelativeSensitivity(k=3, epsilon0=2.5)),
    NeighbourTowns(((0,), (0,), (0,), (0,)), (4, 0, 2), RelativeSensitivity(k=4, epsilon0=1.0)),
)
"""In this order: what is kept of a day takes turns."""


def _neighbours(effort: Effort, usual: int = _TRIED) -> Iterator[NeighbourTowns]:
    """Yield those at which each mutant is known to show; and groups of people among whom some days
    are common, and one person more."""
    yield from _TELLING
    draw = RandomInputs(effort.seed + 31)
    for _ in range(effort.of(usual)):
        test = RelativeSensitivity(k=draw.whole(2, 4), epsilon0=draw.one_of((0.3, 1.0, 2.5)))
        common = draw.whole(0, len(KINDS) - 1)
        people: list[Person] = [(common,) for _ in range(draw.whole(1, test.k + 1))]
        people += [_somebody(draw) for _ in range(draw.whole(0, 2))]
        yield NeighbourTowns(tuple(people), _somebody(draw), test)


def _somebody(draw: RandomInputs) -> Person:
    return tuple(draw.several(0, len(KINDS) - 1, draw.whole(1, 3)).tolist())


def every_day(person: Person, keeps: Keeps) -> Sequence[CodeArray]:
    """Return the keys that seeds can get, every day of the person being a seed."""
    return [keys_of_person(tuple(person), keeps)]


def any_hours(seeds: CodeArray) -> tuple[CodeArray, np.ndarray]:
    """Return how many seeds have the pattern of each, whenever its stays begin."""
    distinct, _ = sharers(seeds)
    alike = (distinct[:, None, SORTS] == seeds[None, :, SORTS]).all(axis=-1)
    return distinct, alike.sum(axis=1)


def whole_map(law: FloatArray, over_: Universe, people: Sequence[Person]) -> FloatArray:
    """Return candidates on the public map."""
    return spread_keys(law, over_)


def own_map(law: FloatArray, over_: Universe, people: Sequence[Person]) -> FloatArray:
    """Return candidates whose home is a cell that one of these people's days begins in."""
    begun = {int(KINDS[kind][0]) for person in people for kind in person}
    chance = over_.chance * np.isin(over_.codes[:, 2], list(begun))
    total = np.bincount(over_.kind, weights=chance, minlength=len(over_.keys))[over_.kind]
    with np.errstate(invalid="ignore"):
        found = np.where(total > 0, chance / total, 0)
    return np.append(law[over_.kind] * found, law[-1])


def one_attempt(
    days: SeedDays, effort: Effort, score: Score = sharers, expand: Expand = whole_map
) -> MeasuredValue:
    """Return the divergence of one attempt on people and on one more, as a multiple of δ, at every
    t.

    Args:
        days: what becomes of somebody's days.
        effort: how much to try.
        score: what is counted.
        expand: from keys to candidates.
    """
    found = NOTHING
    for turn, each in enumerate(_neighbours(effort)):
        keeps = _KEEPS[turn % len(_KEEPS)]
        over_ = universe(keeps)
        more = (*each.people, each.person)
        laws = [
            of_people(
                some, keeps, partial(_expand_law, each.test, over_, some, score, expand), days
            )
            for some in (each.people, more)
        ]
        unit = unit_of(each.test, len(each.people), None, equal_likelihood=True)
        assert unit is not None
        t = np.arange(1, each.test.k)
        for epsilon, delta in zip(unit.epsilon(t).tolist(), unit.delta(t).tolist(), strict=True):
            try:
                rho = pass_cap(epsilon, len(each.people), epsilon0=unit.epsilon0)
            except Refusal:
                continue
            apart = hockey_stick(cap_attempts(laws[0], rho), cap_attempts(laws[1], rho), epsilon)
            found |= MeasuredValue(1, float(over(apart, delta)), f"{each}, {keeps} kept")
    return found


def _expand_law(
    test: RelativeSensitivity,
    over_: Universe,
    people: Sequence[Person],
    score: Score,
    expand: Expand,
    seeds: CodeArray,
) -> FloatArray:
    return expand(by_kind(test, seeds, over_.keys, score), over_, people)


def _two_attempts(effort: Effort) -> MeasuredValue:
    """Check that the law of two attempts is that of pairs of keys: what is drawn besides depends on
    the key alone, and so adds nothing to what lies between two tables."""
    found = NOTHING
    for each in _neighbours(effort):
        keys = universe("hours").keys
        try:
            made = account(
                each.test, 2, 0.5 / len(each.people),
                seeds_at_least=len(each.people), equal_likelihood=True,
            )  # fmt: skip
        except Refusal:
            continue
        twice = partial(_twice, each.test, keys, made.pass_cap or 0.0)
        laws = [
            of_people(some, "hours", twice) for some in (each.people, (*each.people, each.person))
        ]
        apart = hockey_stick(laws[0], laws[1], made.total.epsilon)
        found |= MeasuredValue(1, float(over(apart, made.total.delta)), str(each))
    return found


def _twice(test: RelativeSensitivity, keys: CodeArray, rho: float, seeds: CodeArray) -> FloatArray:
    return repeat_law(cap_attempts(by_kind(test, seeds, keys), rho), 2)


def _sums(_: Effort) -> MeasuredValue:
    """Return how far the chances of the candidates of a key are from 1, as a multiple of what
    rounding may come to."""
    found = NOTHING
    for keeps in _KEEPS:
        over_ = universe(keeps)
        sums = np.bincount(over_.kind, weights=over_.chance)
        for key, total in zip(over_.keys, sums, strict=True):
            said = f"{keeps} kept, {int((key[STARTS] > 0).sum())} stays by their hours"
            found |= MeasuredValue(1, abs(float(total) - 1) / _CLOSE, said)
    return found


_T: Final = np.array([1])
_PERSONS: Final = 8
_OTHER: Final[Person] = (1, 3)
_DEALT: Final = ((True, 0.45), (False, 0.45), (None, 0.1))
"""Whether somebody is a seed, or one the model is learned from; None for held out; and how likely
each is."""

Change = Callable[[TableEntries, Days], TableEntries]


def list_model_checks() -> tuple[Check, ...]:
    """Return one person within every clip, and both parts at once."""
    return (
        Check(
            PART,
            "how far one person moves each table of the model",
            "a Euclidean norm of C at most, in whole units, however many days",
            SOURCE,
            partial(_measure_move, None),
        ),
        Check(
            PART,
            "the model and an attempt, both released",
            "the larger ε and the larger δ of both, as a coin of their own deals each person",
            SOURCE,
            partial(_both, shared=False),
        ),
    )


def list_model_mutants() -> tuple[Check, ...]:
    """Return ways to spend more on somebody than is said."""
    return (
        Check.mutant(
            "seeds train the model too",
            "every seed is counted in the model besides, against the larger of both",
            partial(_both, shared=True),
        ),
        Check.mutant(
            "the model cuts days, not people",
            "the clip of a person is applied to each of their days",
            partial(_measure_move, _by_day),
        ),
        Check.mutant(
            "the model cuts nobody",
            "who is in many places in a day moves a table by more than its clip",
            partial(_measure_move, None, clipped=False),
        ),
    )


def _measure_move(change: Change | None, effort: Effort, *, clipped: bool = True) -> MeasuredValue:
    """Return the norm of what one person adds to each table, as a part of its clip."""
    found = NOTHING
    for person in _people(effort):
        days = days_of_people([person])
        for table, each in zip(layout(TOWN), count_entries(days, TOWN), strict=True):
            entries = each if change is None else change(each, days)
            people = max(days.people, int(entries.person.max(initial=-1)) + 1)
            room = table if clipped else replace(table, clip=math.inf)
            added = sum_entries(entries, _bound_loss(room), people).astype(np.float64)
            norm = math.sqrt(float((added**2).sum())) / (table.clip * UNITS)
            found |= MeasuredValue(1, norm, f"{table.name}, weekdays {person}")
    return found


def _bound_loss(table: TableOf) -> TableOf:
    return table if math.isfinite(table.clip) else replace(table, clip=1e6)


def _by_day(entries: TableEntries, days: Days) -> TableEntries:
    """Check that every entry is somebody's of their own, and counts in full."""
    often = days.per_person[entries.person]
    return replace(entries, person=np.arange(len(entries.person)), value=entries.value * often)


def _people(effort: Effort) -> Iterator[Person]:
    kinds = range(len(KINDS))
    every = [each for size in (1, 2, 3) for each in itertools.product(kinds, repeat=size)]
    yield from itertools.islice(itertools.cycle(every), effort.of(len(every)))


def _both(effort: Effort, *, shared: bool) -> MeasuredValue:
    """Return the joint law of a noisy count of who the model is learned from and of an attempt,
    over one person's coin and that of another; the rest are seeds for certain."""
    found = NOTHING
    for k, epsilon0, common in itertools.product((2, 4), (1.0, 2.5), (1, 3, 5)):
        certain: tuple[Person, ...] = ((0,),) * common
        test = RelativeSensitivity(k=k, epsilon0=epsilon0)
        unit = unit_of(test, common, None, equal_likelihood=True)
        assert unit is not None
        epsilon, delta = float(unit.epsilon(_T)[0]), float(unit.delta(_T)[0])
        if math.log1p(1 / common) > epsilon - epsilon0:
            continue
        rho = pass_cap(epsilon, common, epsilon0=epsilon0)
        attempt = partial(_attempt, test, rho)
        noise = partial(_noisy, epsilon)
        for person in itertools.islice(_people(effort), _PERSONS):
            laws = [
                _joint(certain, some, attempt, noise, shared=shared)
                for some in ([_OTHER], [_OTHER, person])
            ]
            stated = parallel(Budget(epsilon, delta), Budget(epsilon))
            apart = hockey_stick(laws[0], laws[1], stated.epsilon)
            said = f"k = {k}, ε0 = {epsilon0:g}, {common} at home, and weekdays {person}"
            found |= MeasuredValue(1, float(over(apart, stated.delta)), said)
    return found


def _attempt(test: RelativeSensitivity, rho: float, seeds: CodeArray) -> FloatArray:
    return cap_attempts(by_kind(test, seeds, universe("hours").keys), rho)


def _joint(
    certain: tuple[Person, ...],
    dealt: Sequence[Person],
    attempt: Callable[[CodeArray], FloatArray],
    noise: Callable[[int], FloatArray],
    *,
    shared: bool,
) -> FloatArray:
    total = np.zeros(())
    for parts in itertools.product(_DEALT, repeat=len(dealt)):
        chance = math.prod(each for _, each in parts)
        seeds = [who for who, (seed, _) in zip(dealt, parts, strict=True) if seed]
        learned = sum(seed is False or (shared and seed is True) for seed, _ in parts)
        law = of_people((*certain, *seeds), "hours", attempt)
        total = total + chance * np.outer(noise(learned), law).ravel()
    return np.asarray(total)


def _noisy(epsilon: float, people: int) -> FloatArray:
    """Return the law of a count of people with two-sided geometric noise, cut off at both ends."""
    ends = np.arange(-2, 5)
    law = np.exp(-epsilon * np.abs(ends - people))
    law[[0, -1]] /= 1 - math.exp(-epsilon)
    return np.asarray(law / law.sum())
