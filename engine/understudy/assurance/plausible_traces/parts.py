"""What is claimed of the model, and of it and the attempts together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.finding import NOTHING, Check, Effort, Measured
from understudy.assurance.plausible_traces.claims import PART, SOURCE
from understudy.assurance.plausible_traces.laws import by_kind, capped, of_people
from understudy.assurance.plausible_traces.town import (
    KINDS,
    TOWN,
    Person,
    days_of_people,
    universe,
)
from understudy.core.arrays import FloatArray
from understudy.mechanisms.plausible_traces.keys import Codes
from understudy.models.mobility.stays import Days
from understudy.models.mobility.tables import UNITS, Counted, TableOf, counted, layout, summed
from understudy.privacy.accounting.composition import parallel
from understudy.privacy.accounting.unit import pass_cap, unit_of
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

_T: Final = np.array([1])
_PERSONS: Final = 8
_OTHER: Final[Person] = (1, 3)
_DEALT: Final = ((True, 0.45), (False, 0.45), (None, 0.1))
"""Whether somebody is a seed, or one the model is learned from; None for held out; and how likely
each is."""

Change = Callable[[Counted, Days], Counted]


def checks() -> tuple[Check, ...]:
    """Return one person within every clip, and both parts at once."""
    return (
        Check(
            PART,
            "how far one person moves each table of the model",
            "a Euclidean norm of C at most, in whole units, however many days",
            SOURCE,
            partial(_moved, None),
        ),
        Check(
            PART,
            "the model and an attempt, both released",
            "the larger ε and the larger δ of both, as a coin of their own deals each person",
            SOURCE,
            partial(_both, shared=False),
        ),
    )


def mutants() -> tuple[Check, ...]:
    """Ways to spend more on somebody than is said."""
    return (
        Check.mutant(
            "seeds train the model too",
            "every seed is counted in the model besides, against the larger of both",
            partial(_both, shared=True),
        ),
        Check.mutant(
            "the model cuts days, not people",
            "the clip of a person is applied to each of their days",
            partial(_moved, _by_day),
        ),
        Check.mutant(
            "the model cuts nobody",
            "who is in many places in a day moves a table by more than its clip",
            partial(_moved, None, clipped=False),
        ),
    )


def _moved(change: Change | None, effort: Effort, *, clipped: bool = True) -> Measured:
    """Return the norm of what one person adds to each table, as a part of its clip."""
    found = NOTHING
    for person in _people(effort):
        days = days_of_people([person])
        for table, each in zip(layout(TOWN), counted(days, TOWN), strict=True):
            entries = each if change is None else change(each, days)
            people = max(days.people, int(entries.person.max(initial=-1)) + 1)
            room = table if clipped else replace(table, clip=math.inf)
            added = summed(entries, _bounded(room), people).astype(np.float64)
            norm = math.sqrt(float((added**2).sum())) / (table.clip * UNITS)
            found |= Measured(1, norm, f"{table.name}, weekdays {person}")
    return found


def _bounded(table: TableOf) -> TableOf:
    return table if math.isfinite(table.clip) else replace(table, clip=1e6)


def _by_day(entries: Counted, days: Days) -> Counted:
    """Check that every entry is somebody's of their own, and counts in full."""
    often = days.per_person[entries.person]
    return replace(entries, person=np.arange(len(entries.person)), value=entries.value * often)


def _people(effort: Effort) -> Iterator[Person]:
    kinds = range(len(KINDS))
    every = [each for size in (1, 2, 3) for each in itertools.product(kinds, repeat=size)]
    yield from itertools.islice(itertools.cycle(every), effort.of(len(every)))


def _both(effort: Effort, *, shared: bool) -> Measured:
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
            found |= Measured(1, float(over(apart, stated.delta)), said)
    return found


def _attempt(test: RelativeSensitivity, rho: float, seeds: Codes) -> FloatArray:
    return capped(by_kind(test, seeds, universe("hours").keys), rho)


def _joint(
    certain: tuple[Person, ...],
    dealt: Sequence[Person],
    attempt: Callable[[Codes], FloatArray],
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
