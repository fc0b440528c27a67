"""A forest tells days apart where there is a difference, and guesses where there is none. What
points and places of people give away, against looking at everybody in turn. Guessing who was
counted: certain where days are published, a coin where they are not. Frequent patterns, against
counting them one by one.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.mobility.walking import (
    People,
    everybody,
    homebodies,
    on_map,
    seen,
    study,
    walked,
)
from tests.engine.models.mobility.town import TOWN, lives
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import PEOPLE, RELEASED
from understudy.evaluation.mobility.measures import disclosure
from understudy.evaluation.mobility.measures.disclosure import (
    CONTROL,
    MEMBERS,
    POINTS,
    POINTS_MATCHED,
    SINGLED_OUT,
    TOLD_APART,
    TOP_PAIRS,
    count_matching,
    counted_peers,
    one_day_each,
    points_of,
    told_apart,
    top_pairs,
)
from understudy.evaluation.mobility.measures.peers import f_one, frequent, patterns


def test_one_day_of_each_person_is_looked_at() -> None:
    people = [[[who] * 72, [who] * 36 + [who + 1] * 36] for who in range(5)]
    told = seen(people)
    found = one_day_each(told, np.random.default_rng(0))
    pairs = told.features.reshape(5, 2, -1)
    assert all(found[who].tolist() in pairs[who].tolist() for who in range(5))
    assert len({row[0] for row in found}) == 2


def test_what_differs_is_told_and_what_does_not_is_not() -> None:
    random = np.random.default_rng(0)
    one, other = random.normal(size=(200, 3)), random.normal(size=(300, 3))
    right, tried = told_apart(one, other, 0)
    assert tried == 200
    assert 70 < right < 130
    assert told_apart(one, other + 9, 0) == (200, 200)


def test_people_who_never_leave_are_told_from_those_who_do() -> None:
    still = seen([[[who % 12] * 72] * 5 for who in range(60)])
    assert TOLD_APART.measure(study(still.days))[RELEASED].value > 0.9
    with pytest.raises(Refusal, match="fewer than 50 people"):
        TOLD_APART.measure(study(homebodies(20, 1)))


@given(everybody, st.lists(lives(most_days=3), min_size=1, max_size=3), st.integers(0, 99))
def test_who_fits_is_found_by_asking_everybody(people: People, others: People, key: int) -> None:
    points = points_of(seen(people), np.random.default_rng(key))
    for who, person in enumerate(people):
        slots, cells = points.slot[who].tolist(), points.cell[who].tolist()
        assert len(set(slots)) == POINTS
        assert any([day[slot] for slot in slots] == cells for day in person)
    found = count_matching(points, seen(others))
    for who in range(len(people)):
        for known in range(1, POINTS + 1):
            told = list(zip(points.slot[who][:known], points.cell[who][:known], strict=True))
            fit = [
                other
                for other in others
                if any(all(day[slot] == cell for slot, cell in told) for day in other)
            ]
            assert found[who, known - 1] == len(fit)


@given(everybody)
def test_the_two_places_of_most_time(people: People) -> None:
    wanted = []
    for who in range(len(people)):
        time: Counter[int] = Counter()
        for each in (each for day in walked(people) for each in day if each.person == who):
            time[each.cell] += each.end - each.start
        two = sorted(sorted(time, key=lambda cell: (-time[cell], cell))[:2])
        wanted.append(two[0] * TOWN.cells + two[1] if len(two) == 2 else -1)
    assert top_pairs(seen(people)).tolist() == wanted


def test_days_that_are_published_as_they_are_give_people_away() -> None:
    members = homebodies(80, 3)
    told = study(members, members=members)
    for measure in (POINTS_MATCHED, TOP_PAIRS):
        found = measure.measure(told)[RELEASED]
        assert {part.of[0]: part.value for part in found.parts}[MEMBERS] > 0.9
        assert found.value > 0.2
        assert found.interval is not None
        assert found.interval.low > 0


def test_days_that_owe_nothing_to_people_give_nobody_away() -> None:
    told = study()
    for measure in (POINTS_MATCHED, TOP_PAIRS):
        found = measure.measure(told)[RELEASED]
        shares = {part.of[0]: part.value for part in found.parts}
        assert found.value == pytest.approx(shares[MEMBERS] - shares[CONTROL])
        assert found.interval is not None
        assert found.interval.low < 0 < found.interval.high


def test_everybody_alike_is_nobody_alone_and_more_points_single_out_more() -> None:
    alike = seen([[[1] * 72] * 3] * 60)
    assert SINGLED_OUT.measure(study(alike.days))[RELEASED].value == 0
    parts = SINGLED_OUT.measure(study())[PEOPLE].parts
    values = [part.value for part in parts]
    assert [part.of for part in parts] == [("1",), ("2",), ("3",), ("4",)]
    assert values == sorted(values)
    assert values[-1] > 0


def test_as_many_of_either_kind_and_not_too_few() -> None:
    one, other = counted_peers(study(members=homebodies(120, 3)), 1_000)
    assert len(one) == len(other) == 80
    with pytest.raises(Refusal, match="fewer than 50 people"):
        counted_peers(study(members=homebodies(49, 3)), 1_000)


def test_whoever_was_published_is_known() -> None:
    members = homebodies(80, 3)
    found = disclosure.MEMBERSHIP.measure(study(members, members=members))[RELEASED]
    assert found.value > 0.5
    assert [part.of[0] for part in found.parts] == [disclosure.NEAREST, disclosure.AROUND]


def test_whoever_was_not_is_guessed() -> None:
    found = disclosure.MEMBERSHIP.measure(study())[RELEASED]
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high


def test_the_score_of_a_person_is_the_mean_over_days_of_the_nearest() -> None:
    people = seen(homebodies_of(7))
    days = seen(homebodies_of(9)).days.cells.astype(np.uint16)
    these, whose = disclosure._some_days(people, np.random.default_rng(1))
    assert np.bincount(whose).tolist() == [disclosure.DAYS_EACH] * 7
    nearest, around = disclosure._scores(these, whose, days)
    for who in range(7):
        apart = [[int((one != other).sum()) for other in days] for one in these[whose == who]]
        assert nearest[who] == -np.mean([min(each) for each in apart])
        weights = [sum(np.exp(-float(gap)) for gap in each) for each in apart]
        assert abs(around[who] - np.mean(weights)) < 1e-9


def homebodies_of(number: int) -> list[list[list[int]]]:
    """So many people's days as lists."""
    days = homebodies(number, number)
    return [days.cells[days.person == who].tolist() for who in range(number)]


@given(everybody)
def test_patterns_are_two_or_three_cells_in_a_row(people: People) -> None:
    base = TOWN.cells + 1
    wanted: Counter[int] = Counter()
    for day in (day for person in people for day in person):
        cells = [cell + 1 for cell in on_map(day)]
        for one, other in itertools.pairwise(cells):
            wanted[one * base + other] += 1
        for one, other, third in zip(cells, cells[1:], cells[2:], strict=False):
            wanted[(one * base + other) * base + third] += 1
    assert Counter(patterns(seen(people)).tolist()) == wanted
    top = sorted(wanted, key=lambda key: (-wanted[key], key))[:100]
    assert frequent(seen(people)) == frozenset(top)


def test_precision_and_recall_together() -> None:
    found, wanted = frozenset({1, 2, 3, 4}), frozenset({3, 4, 5})
    precision, recall = 2 / 4, 2 / 3
    assert f_one(found, wanted) == pytest.approx(2 * precision * recall / (precision + recall))
    assert f_one(frozenset(), frozenset()) == 1
    assert f_one(frozenset(), wanted) == 0
