"""What points and places of people give away, against looking at everybody in turn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.mobility.walking import (
    People,
    everybody,
    homebodies,
    seen,
    study,
    walked,
)
from tests.engine.models.mobility.town import TOWN, lives
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import PEOPLE, RELEASED
from understudy.evaluation.mobility.measures.disclosure import (
    CONTROL,
    MEMBERS,
    POINTS,
    POINTS_MATCHED,
    SINGLED_OUT,
    TOP_PAIRS,
    matched,
    peers,
    points_of,
    top_pairs,
)


@given(everybody, st.lists(lives(most_days=3), min_size=1, max_size=3), st.integers(0, 99))
def test_who_fits_is_found_by_asking_everybody(people: People, others: People, key: int) -> None:
    points = points_of(seen(people), np.random.default_rng(key))
    for who, person in enumerate(people):
        slots, cells = points.slot[who].tolist(), points.cell[who].tolist()
        assert len(set(slots)) == POINTS
        assert any([day[slot] for slot in slots] == cells for day in person)
    found = matched(points, seen(others))
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
    one, other = peers(study(members=homebodies(120, 3)), 1_000)
    assert len(one) == len(other) == 80
    with pytest.raises(Refusal, match="fewer than 50 people"):
        peers(study(members=homebodies(49, 3)), 1_000)
