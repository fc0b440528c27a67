"""Days as they are seen, against a walk through them. What is measured of a person's days
together, against a walk through them. Tables of days are cut to one size. People who know nothing
but the map. Sums over people, and without some of them. What is counted of days, against a walk
through them.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.mobility.walking import (
    People,
    Stay,
    everybody,
    moves_of,
    on_map,
    seen,
    study,
    tallied,
    walked,
)
from tests.engine.models.mobility.town import TOWN, days
from understudy.evaluation.mobility import counts
from understudy.evaluation.mobility.counts import DayCounts, Summed
from understudy.evaluation.mobility.days import (
    MOST_AWAY,
    Seen,
    common_length,
    cut_people,
    first_days,
    people_of,
    uniform_days,
)
from understudy.models.mobility.stays import Days


@given(everybody)
def test_moves_and_runs_are_what_a_walk_finds(people: People) -> None:
    told = seen(people)
    wanted = moves_of(people)
    found = told.moves
    assert found.before.tolist() == [one.cell for one, _ in wanted]
    assert found.after.tolist() == [other.cell for _, other in wanted]
    assert found.arrives.tolist() == [other.start for _, other in wanted]
    assert found.person.tolist() == [one.person for one, _ in wanted]
    assert found.km.tolist() == [float(TOWN.apart[one.cell, other.cell]) for one, other in wanted]
    every = [row for person in people for row in person]
    runs = told.runs
    assert [runs.cell[runs.day == day].tolist() for day in range(len(every))] == [
        on_map(row) for row in every
    ]
    assert int(runs.first.sum()) == sum(bool(on_map(row)) for row in every)


@given(everybody, st.integers(1, 5), st.randoms(use_true_random=False))
def test_some_people_and_their_first_days(people: People, length: int, random: object) -> None:
    told = seen(people)
    kept = [person for person in people if len(person) >= length]
    cut = first_days(told, length)
    assert cut.days.cells.tolist() == [row for person in kept for row in person[:length]]
    assert cut.days.person.tolist() == [who for who in range(len(kept)) for _ in range(length)]
    which = np.arange(len(people))[:: -1 if len(people) > 1 else 1][: max(1, len(people) - 1)]
    some = people_of(told, which)
    assert some.days.cells.tolist() == [row for who in sorted(which) for row in people[who]]
    assert len(some) == len(which)
    assert told.number.tolist() == [day for person in people for day in range(len(person))]


def test_a_day_in_figures() -> None:
    """Home, out to a cell 2 km east at 8, on to one 1 km north of it at 10, back at 12."""
    told = Seen(days([[(0, 0), (24, 1), (30, 5), (36, 0)]]), TOWN)
    at = TOWN.middles[[0] * 60 + [1] * 6 + [5] * 6]
    radius = math.sqrt(((at - at.mean(0)) ** 2).sum(1).mean())
    (found,) = told.features
    assert found.tolist() == pytest.approx(
        [4, 24, 36, 2 + 1 + math.hypot(1, 2), math.hypot(1, 2), 60, 1, 3, 6, 6, radius]
    )


@given(everybody)
def test_every_day_has_its_figures(people: People) -> None:
    told = seen(people)
    found = told.features
    for row, (told_day, cells) in enumerate(
        zip(walked(people), [each for person in people for each in person], strict=True)
    ):
        away = [each for each in told_day if not each.at_home]
        lasts = [each.end - each.start for each in away]
        km = [
            float(TOWN.apart[one.cell, other.cell]) for one, other in itertools.pairwise(told_day)
        ]
        assert found[row, 0] == len(told_day)
        assert found[row, 1] == (told_day[0].end if len(told_day) > 1 else 72)
        assert found[row, 2] == (told_day[-1].start if told_day else 0)
        assert found[row, 3] == pytest.approx(sum(km))
        assert found[row, 4] == max(km, default=0)
        assert found[row, 7] == len(set(cells))
        assert found[row, 8] == max(lasts, default=0)
        assert found[row, 9] == pytest.approx(sum(lasts) / max(1, len(lasts)))


def test_nobody_is_seen_to_do_nothing() -> None:
    nobody = Seen(Days(np.zeros((0, 72), np.int64), np.zeros(0, bool), np.zeros(0, np.int64)), TOWN)
    assert len(nobody) == 0
    assert len(nobody.runs.cell) == len(nobody.moves.km) == 0


def of_person(people: People, who: int) -> list[Stay]:
    return [each for day in walked(people) for each in day if each.person == who]


@given(everybody)
def test_how_far_people_get(people: People) -> None:
    told = seen(people)
    wanted = []
    for person in people:
        at = np.array([TOWN.middles[c] for day in person for c in day if c < TOWN.cells])
        wanted.append(math.sqrt(((at - at.mean(0)) ** 2).sum(1).mean()) if len(at) else math.nan)
    found = counts.gyration(told)
    assert found.tolist() == pytest.approx(wanted, nan_ok=True)
    assert tallied(counts.radius_of_gyration(told)) == Counter(
        (who, int(each * 10)) for who, each in enumerate(found) if not math.isnan(each)
    )


@given(everybody)
def test_home_and_work(people: People) -> None:
    told = seen(people)
    beyond = int(math.hypot(3, 8) * 10) + 1
    for who, (home, work) in enumerate(zip(told.at.home, told.at.work, strict=True)):
        km = int(TOWN.apart[home, work] * 10) if home >= 0 and work >= 0 else beyond
        assert counts.home_to_work(told).key[who] == km
        slots = [cell for day in people[who] for cell in day]
        share = sum(cell == home for cell in slots) / len(slots)
        assert counts.time_at_home(told).key[who] == int(share * 100)


@given(everybody)
def test_places_that_people_come_to_know(people: People) -> None:
    told = seen(people)
    found = counts.known_by_day(told)
    for who, person in enumerate(people):
        mine = of_person(people, who)
        for day in range(found.shape[1]):
            assert found[who, day] == len({each.cell for each in mine if each.number <= day})
        time = Counter[int]()
        for each in mine:
            time[each.cell] += each.end - each.start
        total = sum(time.values())
        bits = -sum(each / total * math.log2(each / total) for each in time.values())
        keys = tallied(counts.entropy_of_places(told))
        assert keys[who, round(bits * 10)] == (1 if mine else 0) or abs(bits * 10 % 1 - 0.5) < 1e-9
        assert counts.distinct_places(told).key[who] == len(time)
        assert person


@given(everybody)
def test_visits_by_rank(people: People) -> None:
    found = counts.share_visits(seen(people)).each
    for who in range(len(people)):
        cells = [each.cell for each in of_person(people, who)]
        visits = [cell for at, cell in enumerate(cells) if at == 0 or cells[at - 1] != cell]
        ranked = sorted(Counter(visits).values(), reverse=True)[: counts.RANKS]
        shares = [each / len(visits) for each in ranked]
        assert found[who].tolist() == pytest.approx(shares + [0.0] * (counts.RANKS - len(shares)))


@given(everybody)
def test_returns_after_a_day(people: People) -> None:
    found = counts.returns(seen(people)).each
    for who in range(len(people)):
        away = [each for each in of_person(people, who) if not each.at_home]
        again = 0
        for each in away:
            later = [
                (other.number - each.number) * 72 + other.start - each.start
                for other in away
                if other.cell == each.cell
            ]
            gaps = [gap for gap in later if gap > 0]
            again += bool(gaps) and 60 <= min(gaps) < 84
        assert found[who].tolist() == [again, len(away)]


def test_laws_that_are_known_come_out() -> None:
    """Places that grow with the square root of days, visits that fall with the rank squared."""
    known = np.sqrt(np.arange(1, 15))[None]
    assert counts.growth_exponent(known)[0] == pytest.approx(0.5)
    assert math.isnan(counts.growth_exponent(known[:, :2])[0])
    assert math.isnan(counts.growth_exponent(np.zeros((1, 9)))[0])
    ranked = np.arange(1, 16)[None] ** -2.0
    assert counts.visit_exponent(ranked)[0] == pytest.approx(2)
    ranked[0, 9:] = 0
    assert counts.visit_exponent(ranked)[0] == pytest.approx(2)
    ranked[0, 3:] = 0
    assert math.isnan(counts.visit_exponent(ranked)[0])
    sums = counts.share_of_returns(np.array([[1.0, 4], [0, 0]]))
    assert sums[0] == 0.25
    assert math.isnan(sums[1])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 9))
def test_half_of_the_people_have_the_days_that_are_compared(each: list[int], made: int) -> None:
    found = common_length(np.array(each), made)
    assert found <= made
    assert 2 * sum(days >= found for days in each) >= len(each)
    assert found == made or 2 * sum(days >= found + 1 for days in each) < len(each)


@pytest.mark.parametrize("most", [1, 2, 9])
def test_no_more_people_than_are_asked_for_each_with_as_many_days(most: int) -> None:
    people = [[[who] * 72] * (who + 1) for who in range(4)]
    found = cut_people(seen(people), 2, most, np.random.default_rng(0))
    assert len(found) == min(most, 3)
    assert set(found.days.per_person) == {2}
    assert 0 not in found.days.cells


def test_a_person_is_always_left_out_with_the_same_block() -> None:
    told = study()
    block = told.blocks("released", 80)
    assert block is told.blocks("released", 80)
    assert set(np.bincount(block)) == {4}
    assert (study().blocks("released", 80) == block).all()
    assert (study(key=2).blocks("released", 80) != block).any()


def test_they_are_anywhere_and_at_home_at_both_ends_of_the_day() -> None:
    days = uniform_days(TOWN, 3_000, (False, True), np.random.default_rng(1))
    assert days.cells.shape == (6_000, 72)
    assert days.weekend.tolist() == [False, True] * 3_000
    home = days.cells[:, 0]
    assert (home[::2] == home[1::2]).all()
    assert (days.cells[:, -1] == home).all()
    # Each of 12 cells is the home of 250, give or take 15.
    assert np.abs(np.bincount(home[::2], minlength=12) - 250).max() < 80
    changes = (days.cells[:, 1:] != days.cells[:, :-1]).sum(axis=1)
    assert changes.max() <= MOST_AWAY + 1
    # Of 6,000 days 857 have no stay away, and more in which all are at home.
    assert 850 - 150 < (changes == 0).sum() < 1_100
    assert Seen(days, TOWN).at.home.min() >= 0


def test_nothing_but_the_draw_tells_them_apart() -> None:
    one, other, third = (
        uniform_days(TOWN, 5, (False,), np.random.default_rng(seed)).cells for seed in (1, 1, 2)
    )
    assert (one == other).all()
    assert (one != third).any()


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=20),
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
)
def test_leaving_out_a_block_is_counting_without_its_people(
    entries: list[tuple[int, int]], blocks: list[int]
) -> None:
    person, key = (np.array([each[at] for each in entries], dtype=np.int64) for at in (0, 1))
    counted, block = DayCounts(person, key, 3), np.array(blocks)
    whole = [sum(k == at for _, k in entries) for at in range(3)]
    without = [
        [sum(k == at and blocks[who] != left for who, k in entries) for at in range(3)]
        for left in range(3)
    ]
    assert counted.left_out(block, 3).tolist() == [whole, *without]
    assert counted.left_out(block, 0).tolist() == [whole]
    each = np.zeros((5, 3))
    for who, k in entries:
        each[who, k] += 1
    assert Summed(each).left_out(block, 3).tolist() == [whole, *without]
    assert Summed(each).left_out(block, 0).tolist() == [whole]


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
    assert tallied(counts.stay_cells(told)) == Counter((who, cell) for who, cell, _ in spots)
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
    assert tallied(counts.count_flows(told)) == Counter(
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
    assert tallied(counts.count_visited(told)) == Counter(
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
        counts.stay_cells,
        counts.places_by_time,
        counts.zones_by_period,
        counts.count_flows,
        counts.hours_of_moves,
        counts.jumps,
        counts.travel_times,
        counts.durations,
        counts.stays_a_day,
        counts.ends_of_days,
        counts.diameters,
        counts.lengths,
        counts.count_visited,
    )
    still, busy = seen([[[0] * 72]]), seen([[list(np.arange(72) // 6 % 12)], [[12] * 72]])
    for each in counted:
        assert each(still).size == each(busy).size
