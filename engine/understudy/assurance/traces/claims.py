"""What one person changes in made traces: exactly, in a town of two cells, of whoever else is
there, and in runs, on people who would hurt.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Final

import numpy as np

from understudy.assurance import tiny_town
from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.real_runs import Asked, Break, Runs, Trial
from understudy.core.arrays import IntArray, TextArray
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.guarantee import deviations, rho_of
from understudy.mechanisms.traces.mechanism import Traces
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility import tables
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.models.mobility.tables import (
    UNITS,
    TableEntries,
    TableOf,
    added_up,
    count_entries,
    layout,
    noisy_tables,
    sum_entries,
)
from understudy.privacy.accounting.composition import largest_rho
from understudy.table.positions.slots import SLOTS

PART: Final = "Made traces"
_SOURCE: Final = "docs/traces.md"
_TOWN: Final = Geography(rows=1, columns=2, zones=1)
_ORDERS: Final = (1.5, 4.0)
_TOLD: Final = 8

Tables = Mapping[str, IntArray]
Count = Callable[[Days], Tables]


def list_checks() -> tuple[Check, ...]:
    """Check that one person stays within every clip, and the noise makes of that what is
    promised."""
    return (
        Check(
            PART,
            "how far one person moves each table",
            "a Euclidean norm of C at most, in whole units, however many days",
            _SOURCE,
            partial(_measure_move, _as_counted),
        ),
        Check(
            PART,
            "what the noisy tables tell of one person",
            "Rényi divergence of order α at most α·ρ, all tables together, both ways",
            _SOURCE,
            partial(_measure_tables, _as_counted),
        ),
    )


def list_mutants() -> tuple[Check, ...]:
    """Return ways to count that others use, under the label of people."""
    return (
        Check.mutant(
            "a person's days are added up, not averaged",
            "noise for a day is called noise for a person",
            partial(_measure_move, partial(_change_entries, _add_days)),
        ),
        Check.mutant(
            "nobody is cut to the clip",
            "who is in many places in a day moves a table by more",
            partial(_measure_move, partial(_change_entries, None, clipped=False)),
        ),
        Check.mutant(
            "the map is made of the cells that people are in",
            "a person alone in a cell adds a row to the table",
            partial(_measure_move, _own_map),
        ),
        Check.mutant(
            "ρ is spent anew on each day",
            "a person of several days is told of as often",
            partial(_measure_tables, _as_counted, days=True),
        ),
    )


def _as_counted(days: Days) -> Tables:
    return added_up(days, _TOWN)


def _change_entries(
    change: Callable[[Days, TableEntries], TableEntries] | None, days: Days, *, clipped: bool = True
) -> Tables:
    """Return the tables where entries are changed before they are added up, or not cut."""
    found: dict[str, IntArray] = {}
    for table, each in zip(layout(_TOWN), count_entries(days, _TOWN), strict=True):
        entries = each if change is None else change(days, each)
        room = table if clipped else replace(table, clip=math.inf)
        found[table.name] = tables.sum_entries(entries, room, days.people)
    return found


def _add_days(days: Days, entries: TableEntries) -> TableEntries:
    """Return each day for itself: the length of what a person adds is cut day by day, so that it
    grows with their number."""
    often = days.per_person[entries.person]
    return replace(entries, person=np.arange(len(entries.person)), value=entries.value * often)


def _own_map(days: Days) -> Tables:
    """Check that the map of homes has only the cells where somebody lives."""
    found = dict(_as_counted(days))
    found["home cells"] = found["home cells"][found["home cells"] > 0]
    return found


def _measure_move(count: Count, effort: Effort) -> MeasuredValue:
    """Return the norm of what is added, as a part of the clip."""
    found = NOTHING
    for others, person, said in _neighbours(effort):
        without, whole = count(others), count(_with(others, person))
        for table in layout(_TOWN):
            moved = _norm(table, whole[table.name], without[table.name])
            found |= MeasuredValue(1, moved, f"{table.name}, {said}")
    return found


def _norm(table: TableOf, whole: IntArray, without: IntArray) -> float:
    if whole.shape != without.shape:
        return math.inf
    return math.sqrt(float(((whole - without) ** 2).sum())) / (table.clip * UNITS)


def _measure_tables(count: Count, effort: Effort, *, days: bool = False) -> MeasuredValue:
    """Return the divergence of all noisy tables, as a part of α·ρ, for the noise of a plan."""
    plan = TracesPlan(domain="", rows=1, columns=2, zones=1, epsilon=2.0, delta=1e-6)
    sigma, rho = deviations(plan), rho_of(plan)
    found = NOTHING
    for others, person, said in itertools.islice(_neighbours(effort), 0, None, _TOLD):
        without, whole = count(others), count(_with(others, person))
        times = len(person) if days else 1
        for order in _ORDERS:
            told = times * sum(
                _divergence(abs(int(gap)), sigma[table.name] * UNITS, order)
                for table in layout(_TOWN)
                for gap in (whole[table.name] - without[table.name])
                if gap
            )
            found |= MeasuredValue(1, told / (order * rho), f"{said}, α = {order:g}")
    return found


@cache
def _divergence(shift: int, sigma: float, order: float) -> float:
    """Return Rényi divergence of two discrete Gaussians that lie a whole number apart, the larger
    of both ways, by summation."""
    reach = math.ceil(9 * sigma + order * abs(shift))
    at = np.arange(-reach, reach + 1)
    one, other = (-((at - place) ** 2) / (2 * sigma**2) for place in (0, shift))
    one, other = (each - _log_sum(each) for each in (one, other))
    return max(
        _log_sum(order * p + (1 - order) * q) / (order - 1) for p, q in ((one, other), (other, one))
    )


def _log_sum(logs: np.ndarray) -> float:
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).sum()))


def _neighbours(effort: Effort) -> Iterator[tuple[Days, np.ndarray, str]]:
    """Yield groups of people, and one more: of every kind of week there is in a town of two
    cells."""
    random = np.random.default_rng(effort.seed)
    kinds = list(_people())
    # Whoever is alone is where nobody else is.
    yield _days([]), kinds[0][1], f"{kinds[0][0]}, beside nobody"
    for number in range(effort.of(len(kinds))):
        name, person = kinds[number % len(kinds)]
        others = [kinds[each][1] for each in random.integers(0, len(kinds), random.integers(0, 3))]
        yield _days(others), person, f"{name}, beside {len(others)}"


def _people() -> Iterator[tuple[str, np.ndarray]]:
    """Yield (days, 72) cells of people: those who are hardest to bound first."""
    for days in (14, 2, 1):
        for kinds in itertools.product(reversed(range(len(_KINDS))), repeat=min(days, 2)):
            week = np.stack([_KINDS[kinds[day % len(kinds)]] for day in range(days)])
            yield f"{days} days of the kinds {kinds}", week


def _day(*arrivals: tuple[int, int]) -> np.ndarray:
    row = np.zeros(SLOTS, dtype=np.int64)
    for slot, cell in arrivals:
        row[slot:] = cell
    return row


_KINDS: Final = (
    _day((0, 0)),
    _day((0, 0), (24, 1), (51, 0)),
    _day((0, 1), (60, 0), (66, 1)),
    # To and fro every 40 minutes, off the map now and then.
    np.repeat(np.tile([0, 1, 0, 2], 9), 2).astype(np.int64),
    np.repeat(np.tile([1, 0], 18), 2).astype(np.int64),
)


def _with(others: Days, person: np.ndarray) -> Days:
    more = _days([person])
    return Days(
        np.concatenate([others.cells, more.cells]),
        np.concatenate([others.weekend, more.weekend]),
        np.concatenate([others.person, more.person + others.people]),
    )


def _days(people: list[np.ndarray]) -> Days:
    empty = np.zeros((0, SLOTS), dtype=np.int64)
    sizes = np.array([len(each) for each in people], dtype=np.int64)
    number = np.concatenate([np.zeros(0, np.int64), *(np.arange(size) for size in sizes)])
    return Days(
        np.concatenate([empty, *people]),
        number % 7 >= 5,
        np.repeat(np.arange(len(people)), sizes),
    )


def _trials() -> tuple[Trial, ...]:
    plan = TracesPlan(
        domain=tiny_town.SCHEMA.fingerprint,
        rows=1,
        columns=3,
        zones=1,
        epsilon=2.0,
        delta=1e-6,
        traces=2,
        days=2,
        held_out=0.4,
    )
    decided = plan_run(plan, tiny_town.SCHEMA)
    return (
        Trial(
            "a week of two people",
            decided,
            tiny_town.neighbour_days(),
            _parts,
            {"counted": lambda one, other: _price_questions(decided, one, other)},
            least=tiny_town.LEAST,
        ),
    )


def _parts(kept: Arrays) -> TextArray:
    return np.where(kept["held_out"].astype(bool), "held out", "counted")


def _price_questions(
    decided: PlannedRun[TracesPlan], one: Asked, other: Asked
) -> Mapping[str, float]:
    """Return ρ of each table over its claim, and of all over the ρ of the whole."""
    parts = decided.guarantee.parts
    each = [first.cost(second) for first, second in zip(one, other, strict=True)]
    found = {part.of: cost / part.native["rho"] for part, cost in zip(parts, each, strict=False)}
    return {**found, "all": sum(each) / largest_rho(decided.guarantee.record)}


RUNS: Final = Runs(
    TracesPlan.kind,
    "Made traces",
    _trials,
    (
        Break(
            "noise beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            Traces.begin,
            'Noise(secret.source("model"), tape)',
            'Noise(secret.source("model"))',
        ),
        Break(
            "half the ρ",
            "more noise than is paid for",
            Traces.begin,
            "rho_of(plan)",
            "rho_of(plan) / 2",
        ),
        Break(
            "people held out are counted",
            "who is only to be compared with is in the tables too",
            Traces.begin,
            "np.flatnonzero(~apart)",
            "np.arange(len(held))",
        ),
        Break(
            "nobody is cut to the clip",
            "long vectors count in full",
            sum_entries,
            "values * scale[person]",
            "values * 1.0",
        ),
        Break(
            "the scale of people, not of units",
            "noise of a thousandth",
            noisy_tables,
            "sigma[name] * UNITS",
            "sigma[name] * 1",
        ),
    ),
)
