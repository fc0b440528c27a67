"""When stays begin, against sums over all days that a pattern allows. Records and days, there and
back.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import (
    TOWN,
    commuters,
    days,
    lives,
    of_lives,
    records,
    schema,
)
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import HOME, LETTERS, LISTED, OTHER, Days, anchors, stays
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import (
    CONTEXTS,
    HOURS,
    PERIODS,
    SORTS,
    STATES,
    UNITS,
    added_up,
    layout,
    period,
    state,
)
from understudy.models.mobility.timing import Timing, ahead, expect_moves, fit_timing, list_patterns
from understudy.models.mobility.trace_records import TraceColumns, codes_of, days_of, schema_of
from understudy.privacy.randomness import RandomSource
from understudy.table.positions.slots import SLOTS
from understudy.table.records import Records

WEEK = (False,) * 5 + (True,) * 2


@pytest.fixture(scope="module")
def law() -> Law:
    """Of many commuters, all but without noise."""
    sigma = {table.name: 1e-3 for table in layout(TOWN)}
    return fit_law(added_up(commuters(400), TOWN), sigma, TOWN)


@pytest.fixture(scope="module")
def people(law: Law) -> Days:
    return made_people(law, 500, WEEK, RandomSource.fixed(1))


def test_made_people_have_the_days_that_were_asked_for(people: Days) -> None:
    assert people.cells.shape == (3500, 72)
    assert people.per_person.tolist() == [7] * 500
    assert people.weekend.reshape(500, 7).tolist() == [list(WEEK)] * 500
    assert people.cells.min() >= 0
    assert people.cells.max() < TOWN.cells


def test_made_people_live_as_the_real_ones_do(people: Days) -> None:
    """Every table of them is near that of the people whose tables the law was made from."""
    ours, theirs = added_up(people, TOWN), added_up(commuters(400), TOWN)
    for name in ("home cells", "work cells", "patterns", "commute"):
        one, other = ours[name] / UNITS / 500, theirs[name] / UNITS / 400
        assert np.abs(one - other).sum() / 2 < 0.12, name


def test_made_people_go_where_they_have_been(people: Days, law: Law) -> None:
    told = stays(people, anchors(people, TOWN.cells), TOWN.cells)
    other = told.sort == OTHER
    kinds = {
        (int(people.person[day]), int(cell))
        for day, cell in zip(told.day[other], told.cell[other], strict=True)
    }
    assert law.returns == pytest.approx(5 / 6, abs=0.01)
    assert len(kinds) < 0.5 * other.sum()


def test_the_same_source_makes_the_same_days(law: Law) -> None:
    one, other = (made_people(law, 20, WEEK, RandomSource.fixed(4)) for _ in range(2))
    assert (one.cells == other.cells).all()


def test_people_made_of_nothing_but_noise_have_whole_days() -> None:
    random = np.random.default_rng(7)
    noisy = {
        table.name: np.rint(random.normal(0, 30 * UNITS, table.cells)).astype(np.int64)
        for table in layout(TOWN)
    }
    found = made_people(
        fit_law(noisy, dict.fromkeys(noisy, 30.0), TOWN), 300, WEEK, RandomSource.fixed(2)
    )
    assert found.cells.min() >= 0
    assert found.cells.max() < TOWN.cells


def some(seed: int = 0) -> Timing:
    """Weights without any order in them."""
    random = np.random.default_rng(seed)
    return Timing(
        random.gamma(1.0, 1.0, (CONTEXTS, SLOTS)),
        random.gamma(1.0, 1.0, (STATES, PERIODS, SLOTS)),
        random.gamma(1.0, 1.0, (STATES, SORTS, HOURS)),
    )


def only(text: str, context: int = 1) -> np.ndarray:
    found = np.zeros((CONTEXTS, len(LISTED)))
    found[context, LISTED.index(text)] = 1
    return found


def by_enumeration(timing: Timing, text: str, context: int) -> dict[tuple[int, ...], float]:
    """Of all starts of the later stays, two slots or more apart, the chance."""
    sorts = [LETTERS.index(letter) for letter in text]
    found: dict[tuple[int, ...], float] = {}
    for starts in combinations(range(2, SLOTS - 1), len(text) - 1):
        if any(b - a < 2 for a, b in pairwise(starts)):
            continue
        weight = (
            timing.departures[context, starts[0]] * timing.pulls[HOME, sorts[1], starts[0] // 3]
        )
        for turn in range(2, len(text)):
            own = int(state(np.array(sorts[turn - 1]), np.array(sorts[turn - 2])))
            begun, then = starts[turn - 2], starts[turn - 1]
            weight *= timing.durations[own, period(np.array(begun)), then - begun]
            weight *= timing.pulls[own, sorts[turn], then // 3]
        found[starts] = float(weight)
    total = sum(found.values())
    return {starts: weight / total for starts, weight in found.items()}


@pytest.mark.parametrize("text", ["HOH", "HWH"])
def test_expected_moves_are_those_of_all_days(text: str) -> None:
    timing, context = some(), 1
    ours = expect_moves(timing, only(text, context))
    departures, hours = np.zeros(SLOTS), np.zeros((STATES, SORTS, HOURS))
    sorts = [LETTERS.index(letter) for letter in text]
    for starts, chance in by_enumeration(timing, text, context).items():
        departures[starts[0]] += chance
        for turn, slot in enumerate(starts, 1):
            earlier = sorts[turn - 2] if turn > 1 else HOME
            own = int(state(np.array(sorts[turn - 1]), np.array(earlier)))
            hours[own, sorts[turn], slot // 3] += chance
    assert np.allclose(ours.departures[context], departures, atol=1e-9)
    assert np.allclose(ours.hours, hours, atol=1e-9)
    assert ours.durations.sum() == pytest.approx(len(text) - 2)


def test_what_is_to_come_is_the_sum_over_all_ways_to_go_on() -> None:
    timing = some(1)
    number = LISTED.index("HWOH")
    move = int(list_patterns().move[number, 2])
    sums = np.zeros(SLOTS)
    for begun in range(2, 60):
        for one in range(begun + 2, SLOTS - 3):
            for other in range(one + 2, SLOTS - 1):
                sums[begun] += (
                    timing.durations[1, period(np.array(begun)), one - begun]
                    * timing.pulls[1, 2, one // 3]
                    * timing.durations[3, period(np.array(one)), other - one]
                    * timing.pulls[3, 0, other // 3]
                )
    found = ahead(timing)[move]
    assert np.allclose(found[2:60] / found[2], sums[2:60] / sums[2], rtol=1e-6)
    assert (ahead(timing)[-1] == 1).all()


def test_moves_come_before_those_that_lead_to_them() -> None:
    of = list_patterns()
    assert (of.then < np.arange(len(of.then))).all()
    for number, text in enumerate(LISTED):
        assert (of.move[number] >= 0).sum() == max(0, len(text) - 2)


def test_departures_durations_and_hours_come_out() -> None:
    """Those of other weights, for all patterns alike."""
    truth, patterns = some(2), np.ones((CONTEXTS, len(LISTED)))
    told = expect_moves(truth, patterns)
    start = Timing(
        told.departures / told.departures.sum(axis=1, keepdims=True),
        told.durations / np.maximum(told.durations.sum(axis=2, keepdims=True), 1e-12),
        np.ones((STATES, SORTS, HOURS)),
    )
    found = expect_moves(fit_timing(start, patterns, 1e6 * told.hours, 1e-3), patterns)
    before = expect_moves(start, patterns)
    for ours, wanted, plain in (
        (found.hours, told.hours, before.hours),
        (found.departures, told.departures, before.departures),
    ):
        assert np.abs(ours - wanted).sum() < 0.03 * wanted.sum()
        assert np.abs(ours - wanted).sum() < 0.4 * np.abs(plain - wanted).sum()


@given(st.lists(lives(most_days=14), min_size=1, max_size=4), st.randoms())
def test_days_come_back_from_their_records_in_any_order(people: list, random: object) -> None:
    told = of_lives(people)
    rows = records(told)
    order = np.arange(len(rows))
    random.shuffle(order)  # type: ignore[attr-defined]
    found = days_of(rows.take(order), TraceColumns())
    assert (found.cells == told.cells).all()
    assert (found.weekend == told.weekend).all()
    assert (found.person == told.person).all()


def test_who_is_seen_late_was_there_before() -> None:
    codes = np.array([[2, 30, 5], [2, 40, 6]], dtype=np.uint16)
    found = days_of(Records(schema(), codes, whose=np.array([7, 7])), TraceColumns())
    assert found.cells[0, [0, 29, 30, 39, 40, 71]].tolist() == [5, 5, 5, 5, 6, 6]


def test_of_two_records_of_a_slot_the_later_one_holds() -> None:
    codes = np.array([[0, 3, 5], [0, 3, 6]], dtype=np.uint16)
    found = days_of(Records(schema(), codes, whose=np.array([0, 0])), TraceColumns())
    assert found.cells[0, 3] == 6


def test_made_days_are_written_as_arrivals() -> None:
    told = days([[(0, 1), (20, 2), (60, 1)], [(0, 1)]], [[(0, 3)], [(0, 3), (9, 4)]])
    rows = codes_of(told, first=10)
    assert rows.tolist() == [
        [10, 0, 0, 1], [10, 0, 20, 2], [10, 0, 60, 1], [10, 1, 0, 1],
        [11, 0, 0, 3], [11, 1, 0, 3], [11, 1, 9, 4],
    ]  # fmt: skip


def test_made_people_are_counted_from_one() -> None:
    found = schema_of(60, 3, schema().column("place").domain)
    assert found.names == ("trace", "day", "slot", "place")
    assert found.column("trace").texts[0] == "1"
    assert found.column("trace").cardinality == 60
    assert found.column("day").texts == ("0", "1", "2")
