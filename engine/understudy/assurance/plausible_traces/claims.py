"""The claims about attempts on people's days and about the model, and the method broken on
purpose."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.plausible_traces.town import (
    KINDS,
    TOWN,
    Person,
    Score,
    SeedDays,
    Universe,
    by_kind,
    cap_attempts,
    days_of_people,
    keys_of_person,
    of_people,
    one_day,
    repeat_law,
    sharers,
    spread_keys,
    universe,
)
from understudy.assurance.random_inputs import RandomInputs
from understudy.core.arrays import CodeArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.plausible_traces.keys import SORTS, STARTS, Keeps
from understudy.models.mobility.stays import Days
from understudy.models.mobility.tables import (
    UNITS,
    TableEntries,
    TableOf,
    count_entries,
    layout,
    sum_entries,
)
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import parallel
from understudy.privacy.accounting.unit import pass_cap, unit_of
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

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
