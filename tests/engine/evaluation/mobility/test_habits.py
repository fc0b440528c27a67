"""What is measured of a person's days together, against a walk through them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from tests.engine.evaluation.mobility.walking import (
    People,
    Stay,
    everybody,
    seen,
    tallied,
    walked,
)
from tests.engine.models.mobility.town import TOWN
from understudy.evaluation.mobility import counts


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
    found = counts.visits(seen(people)).each
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
