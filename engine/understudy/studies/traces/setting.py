"""The simulated people of the reproduction, and what is made of their days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.mechanisms.traces.guarantee import deviations
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import fit_law
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import UNITS, added_up
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import SIDE, simulate
from understudy.studies.reproduction import Told
from understudy.studies.traces.fakes import synthesizer
from understudy.studies.traces.fakes.adversaries import as_days
from understudy.studies.traces.fakes.synthesizer import Model, fakes, learn_days
from understudy.studies.traces.publication import FAKES, TracesStudySizes

NUMBERS: Final = (1, 5, 10)
"""How many fakes are sent, as published."""
POPULAR, WALK, OWN, OTHERS, MADE = (
    "popular places", "walk of all", "walk of one's own", "other real people", "made traces, ε = 1",
)  # fmt: skip
WHERE: Final = Geography(rows=SIDE, columns=SIDE, km_a_slot=2.5)
_DAYS: Final = (1, 2)
_TRIED: Final = 5


@dataclass(frozen=True, eq=False)
class TracesSetting:
    """What is measured.

    Attributes:
        first, second: (people, 72) two days of each person; the first are the seeds.
        model: of the first days.
        fakes: (people, each, 72) published fakes of each person.
        sent: by kind, (people, each, 72) what each may hide among.
        tried: by kind, the same again, by which adversaries know how such fakes move.
    """

    first: IntArray
    second: IntArray
    model: Model
    fakes: IntArray
    sent: dict[str, IntArray]
    tried: dict[str, IntArray]


def setting(sizes: TracesStudySizes, seed: int, source: RandomSource, told: Told) -> TracesSetting:
    """Return people of the city, and fakes of all kinds."""
    told("simulating people")
    people = simulate(sizes.people + sizes.counted, seed, max(_DAYS) + 1).astype(np.int64)
    first, second = (people[: sizes.people, day] for day in _DAYS)
    model = learn_days(as_days(first), WHERE, source)
    told("making fakes")
    most = max(*NUMBERS, sizes.releases)
    published = fakes(first, model, most + _TRIED, source)
    pool = _others(first, model, people[sizes.people :, _DAYS[0]], most + _TRIED, source)
    kinds = {**pool, FAKES: published}
    kinds[OTHERS] = _strangers(first, people[sizes.people :, _DAYS[0]], _TRIED, most, source)
    return TracesSetting(
        first,
        second,
        model,
        published[:, :most],
        {name: each[:, :most] for name, each in kinds.items()},
        {name: each[:, most:] for name, each in kinds.items()},
    )


def _others(
    first: IntArray, model: Model, counted: IntArray, each: int, source: RandomSource
) -> dict[str, IntArray]:
    """By kind, (people, each, 72) fakes that are made otherwise."""
    count, shape = len(first) * each, (len(first), each, first.shape[1])
    return {
        "uniform": synthesizer.uniform(count, model.known.locations, source).reshape(shape),
        POPULAR: synthesizer.by_popularity(count, model.known, source).reshape(shape),
        WALK: synthesizer.walks(count, model.known, source).reshape(shape),
        OWN: np.stack([synthesizer.own_walks(each, day, source) for day in first]),
        MADE: made_traces(counted, count, source).reshape(shape),
    }


def _strangers(
    first: IntArray, apart: IntArray, tried: int, most: int, source: RandomSource
) -> IntArray:
    """Return (people, most + tried, 72) days of others among the people, then of strangers."""
    picked = source.below(len(apart), len(first) * tried).reshape(len(first), tried)
    among = synthesizer.others(first, min(most, len(first) - 1), source)
    return np.concatenate([among, apart[picked]], axis=1)


def made_traces(counted: IntArray, traces: int, source: RandomSource) -> IntArray:
    """Return (traces, 72) weekdays of made people, with a guarantee of ε = 1 and δ = 10⁻⁶.

    Args:
        counted: (people, 72) a weekday of each person who is counted.
        traces: how many are made.
        source: where noise and chance come from.
    """
    plan = TracesPlan(
        domain="", epsilon=1.0, delta=1e-6, rows=SIDE, columns=SIDE, km_a_slot=WHERE.km_a_slot
    )
    sigma, noise = deviations(plan), Noise(source)
    exact = added_up(as_days(counted), WHERE)
    noisy = {name: noise.gaussians(each, sigma[name] * UNITS) for name, each in exact.items()}
    return made_people(fit_law(noisy, sigma, WHERE), traces, (False,), source).cells
