"""What is counted of days, against a walk through them."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
from hypothesis import given

from tests.engine.evaluation.mobility.walking import (
    People,
    everybody,
    moves_of,
    on_map,
    seen,
    tallied,
    walked,
)
from tests.engine.models.mobility.town import TOWN
from understudy.evaluation.mobility import counts

DIAGONAL = math.hypot(3 * 1.0, 4 * 2.0)


@given(everybody)
def test_places_by_time(people: People) -> None:
    told = seen(people)
    spots = [
        (who, cell, slot)
        for who, person in enumerate(people)
        for day in person
        for slot, cell in enumerate(day)
        if cell < TOWN.cells
    ]
    assert tallied(counts.places(told)) == Counter((who, cell) for who, cell, _ in spots)
    assert tallied(counts.places_by_time(told)) == Counter(
        (who, cell * 72 + slot) for who, cell, slot in spots
    )
    assert tallied(counts.zones_by_period(told)) == Counter(
        (who, int(TOWN.zone[cell]) * 4 + slot // 18) for who, cell, slot in spots
    )


@given(everybody)
def test_moves(people: People) -> None:
    told, moves = seen(people), moves_of(people)
    zones = TOWN.zones**2
    assert tallied(counts.flows(told)) == Counter(
        (one.person, int(TOWN.zone[one.cell] * zones + TOWN.zone[other.cell]))
        for one, other in moves
    )
    assert tallied(counts.hours_of_moves(told)) == Counter(
        (other.person, other.start // 3) for _, other in moves
    )
    assert tallied(counts.jumps(told)) == Counter(
        (one.person, round(float(TOWN.apart[one.cell, other.cell]))) for one, other in moves
    )


@given(everybody)
def test_travel_times_lie_between_leaving_and_arriving(people: People) -> None:
    wanted: Counter[tuple[int, int]] = Counter()
    for one, other in moves_of(people):
        cells = people[one.person][one.number]
        on_the_way = 0
        for slot in range(other.start - 1, -1, -1):
            if cells[slot] == one.cell:
                break
            on_the_way += 1
        wanted[one.person, on_the_way] += 1
    assert tallied(counts.travel_times(seen(people))) == wanted


@given(everybody)
def test_stays(people: People) -> None:
    told, days = seen(people), walked(people)
    assert tallied(counts.durations(told)) == Counter(
        (each.person, each.end - each.start) for day in days for each in day
    )
    whose = [who for who, person in enumerate(people) for _ in person]
    assert tallied(counts.stays_a_day(told)) == Counter(
        (who, min(len(day), counts.MOST_STAYS)) for who, day in zip(whose, days, strict=True)
    )


@given(everybody)
def test_days_as_trajectories(people: People) -> None:
    told = seen(people)
    days = [(who, on_map(day)) for who, person in enumerate(people) for day in person]
    days = [(who, cells) for who, cells in days if cells]
    zones = TOWN.zones**2
    assert tallied(counts.ends_of_days(told)) == Counter(
        (who, int(TOWN.zone[cells[0]] * zones + TOWN.zone[cells[-1]])) for who, cells in days
    )
    widest = [(who, max(TOWN.apart[a, b] for a in cells for b in cells)) for who, cells in days]
    assert tallied(counts.diameters(told)) == Counter(
        (who, min(19, int(km / DIAGONAL * 20))) for who, km in widest
    )
    ways = [
        (who, sum(float(TOWN.apart[a, b]) for a, b in itertools.pairwise(cells)))
        for who, cells in days
    ]
    assert tallied(counts.lengths(told)) == Counter(
        (who, min(19, int(km / (4 * DIAGONAL) * 20))) for who, km in ways
    )
    assert tallied(counts.visited(told)) == Counter(
        (who, cell) for who, cells in days for cell in set(cells)
    )


@given(everybody)
def test_days_that_enter_rectangles(people: People) -> None:
    told = seen(people)
    found = counts.entering(told).each
    boxes = counts.rectangles(told)
    assert boxes == counts.rectangles(told)
    for number, (south, west, high, wide) in enumerate(boxes):
        inside = {
            row * 4 + column
            for row in range(south, south + high)
            for column in range(west, west + wide)
            if row < 3 and column < 4
        }
        for who, person in enumerate(people):
            assert found[who, number] == sum(bool(inside & set(day)) for day in person)
    assert found[:, -1].tolist() == [len(person) for person in people]


def test_sizes_follow_from_the_map_and_not_from_the_days() -> None:
    counted = (
        counts.places,
        counts.places_by_time,
        counts.zones_by_period,
        counts.flows,
        counts.hours_of_moves,
        counts.jumps,
        counts.travel_times,
        counts.durations,
        counts.stays_a_day,
        counts.ends_of_days,
        counts.diameters,
        counts.lengths,
        counts.visited,
    )
    still, busy = seen([[[0] * 72]]), seen([[list(np.arange(72) // 6 % 12)], [[12] * 72]])
    for each in counted:
        assert each(still).size == each(busy).size
