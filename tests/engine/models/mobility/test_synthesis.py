from __future__ import annotations

import numpy as np
import pytest

from tests.engine.models.mobility.town import TOWN, commuters
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import OTHER, Days, anchors, stays
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import UNITS, added_up, layout
from understudy.privacy.randomness import RandomSource

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
