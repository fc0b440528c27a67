"""How well the published fakes hide a user, as a picture needs it: privacy against their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.learning import Model, fakes, learned
from understudy.studies.traces.fakes.profiles import Aggregate, aggregate
from understudy.studies.traces.fakes.tracking import Privacy, privacy_by_fakes

NUMBERS: Final = (1, 2, 5, 10)
TRIED: Final = 5
"""How many fakes of each person an adversary makes, to know how fakes move."""


def privacy_of_published(
    days: IntArray,
    where: Geography,
    source: RandomSource,
    numbers: Sequence[int] = NUMBERS,
    repeats: int = 5,
) -> tuple[Privacy, ...]:
    """Privacy of people's true days against the number of fakes that the published synthesizer
    makes of them, for each adversary, in the order of the numbers.

    Thirty people and ten fakes take some seconds.

    Args:
        days: (people, 72) one day of each person: the true one, the seed of the fakes, and what the
            adversaries know people's ways from, as published. Simulated or public ones: the
            figures are internal otherwise.
        where: the map.
        source: where chance comes from.
        numbers: how many fakes are sent.
        repeats: how often; see `privacy_by_fakes`.
    """
    model = learned(as_days(days), where, source)
    made = fakes(days, model, max(numbers) + TRIED, source)
    return privacy_among(days, made, model, where, source, numbers, repeats)


def privacy_among(
    days: IntArray,
    made: IntArray,
    model: Model,
    where: Geography,
    source: RandomSource,
    numbers: Sequence[int] = NUMBERS,
    repeats: int = 5,
) -> tuple[Privacy, ...]:
    """Return the same among fakes that were made otherwise.

    Args:
        days: as for `privacy_of_published`.
        made: (people, most + tried, 72) fakes of each; all but as many as the largest of the
            numbers are those that adversaries make.
        model: of the days, which the adversaries know.
        where, source, numbers, repeats: as for `privacy_of_published`.
    """
    most = max(numbers)
    moves = moves_of(made[:, most:], model, where)
    return privacy_by_fakes(days, made[:, :most], model.known, moves, numbers, source, repeats)


def as_days(traces: IntArray) -> Days:
    """Traces (n, 72) as a weekday of a person each."""
    return Days(traces, np.zeros(len(traces), dtype=bool), np.arange(len(traces)))


def moves_of(made: IntArray, model: Model, where: Geography) -> Aggregate:
    """Return how fakes (n, each, 72) move, as whoever has the program finds out by making some."""
    traces = made.reshape(-1, made.shape[-1])
    return aggregate(as_days(traces), where, model.known.locations)
