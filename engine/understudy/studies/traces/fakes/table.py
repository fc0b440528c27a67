"""A table of published fakes from a table of traces that are simulated or public."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.csv
from pydantic import Field

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.mechanisms.traces.charts.fakes import NO_GUARANTEE
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.classes import CLASSES
from understudy.studies.traces.fakes.learning import fakes, learned
from understudy.studies.traces.fakes.profiles import locations_of
from understudy.studies.traces.fakes.synthesizer import USUAL, Settings
from understudy.table.positions.slots import SLOTS

_FEWEST: Final = 2
MARK: Final = "no_guarantee"
"""The column that says of each row what it is."""


class Wanted(Frozen, what="what is asked for"):
    """How fakes are made.

    Attributes:
        each: how many of each seed.
        classes: how many semantic classes there are.
        apart: whether half of the people, by coin, are learned from and the others are seeds. As
            published, all are both.
        how: what is left to chance.
    """

    each: int = Field(default=1, ge=1, le=1000)
    classes: int = Field(default=CLASSES, ge=1, le=1000)
    apart: bool = False
    how: Settings = USUAL


@dataclass(frozen=True, eq=False)
class Faked:
    """Fakes, and whose days they are from.

    Attributes:
        traces: (fakes, 72) locations, in an order by chance.
        learned_from, seeds: how many people the model is of, and how many were seeds.
    """

    traces: IntArray
    learned_from: int
    seeds: int


def faked(days: Days, where: Geography, wanted: Wanted, source: RandomSource) -> Faked:
    """Fakes of a day of each seed, which a coin picks among theirs.

    Args:
        days: of people who are simulated or public.
        where: the map.
        wanted: how.
        source: where chance comes from.

    Raises:
        Refusal: there are too few people to learn from or to be seeds.
    """
    coins = source.uniforms(days.people)
    learns = coins < 0.5 if wanted.apart else np.ones(days.people, dtype=bool)
    seeds = ~learns if wanted.apart else learns
    if learns.sum() < _FEWEST or not seeds.any():
        raise Refusal(
            "There are too few people to learn from what places mean to several of them.",
            "Take a table of more people"
            + (", or let all of them be learned from." if wanted.apart else "."),
            field="apart" if wanted.apart else None,
        )
    model = learned(
        _of(days, learns), where, source, wanted.classes, locations=locations_of(days, where)
    )
    first = np.searchsorted(days.person, np.arange(days.people))
    picked = first + (source.uniforms(days.people) * days.per_person).astype(np.int64)
    made = fakes(days.cells[picked[seeds]], model, wanted.each, source, wanted.how)
    traces = made.reshape(-1, SLOTS)
    order = np.argsort(source.uniforms(len(traces)))
    return Faked(traces[order], int(learns.sum()), int(seeds.sum()))


def _of(days: Days, people: np.ndarray) -> Days:
    """Return the days of some people, numbered anew."""
    kept = people[days.person]
    number = np.cumsum(people) - 1
    return Days(days.cells[kept], days.weekend[kept], number[days.person[kept]])


def write(found: Faked, places: tuple[str, ...], destination: Path) -> None:
    """Write a row for each arrival as CSV, every one marked; all of them or no file.

    Args:
        found: the fakes.
        places: the name of each location.
        destination: the file.

    Raises:
        OSError: it cannot be written.
    """
    begins = np.ones(found.traces.shape, dtype=bool)
    begins[:, 1:] = found.traces[:, 1:] != found.traces[:, :-1]
    trace, slot = np.nonzero(begins)
    names = np.array(places, dtype=object)
    rows = pa.table(
        {
            "trace": trace + 1,
            "slot": slot,
            "place": names[found.traces[trace, slot]],
            MARK: pa.array([NO_GUARANTEE] * len(trace)),
        }
    )
    unfinished = destination.with_name(destination.name + ".part")
    try:
        pa.csv.write_csv(rows, unfinished)
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)
