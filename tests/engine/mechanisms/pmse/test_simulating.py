"""Lines, units, and records by a sequence of regressions."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.pmse.tables import schema
from understudy.mechanisms.pmse.choosing import ChosenModel, over
from understudy.mechanisms.pmse.combining import list_parameters
from understudy.mechanisms.pmse.drawing import drawn_records
from understudy.mechanisms.pmse.simulating import Made, common, simulate
from understudy.mechanisms.pmse.units import Line, lines_of, mirror_points, units_of
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.grid import Grid


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=9))
def test_points_are_mirrored_as_often_as_it_takes(points: list[float]) -> None:
    def slowly(y: float) -> float:
        while not 0 <= y <= 1:
            y = -y if y < 0 else 2 - y
        return y

    assert mirror_points(np.array(points)) == pytest.approx(
        [slowly(each) for each in points], abs=1e-9
    )


@given(st.integers(2, 50), st.booleans())
def test_every_code_is_found_at_its_middle(size: int, bent: bool) -> None:
    column = Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(size - 1)))
    line = Line.of(column, bent=bent)
    assert line.codes_of(line.middles()).tolist() == list(range(size))
    assert line.places_of(np.array([0.0, 1.0])).tolist() == [0, size - 1]


def test_a_line_bent_by_the_logarithm_has_more_room_at_its_lower_end() -> None:
    column = Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(99)))
    straight, bent = (Line.of(column, bent=each) for each in (False, True))
    half = np.array([0.5])
    assert straight.codes_of(half)[0] == 50
    assert bent.codes_of(half)[0] == 9


def test_candidates_share_their_numbers_by_chance() -> None:
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    assert np.array_equal(common(units, 50, 3), common(units, 50, 3))
    assert not np.array_equal(common(units, 50, 3), common(units, 50, 4))
    assert sorted(common(units, 50, 3)[0]) == pytest.approx(sorted(common(units, 50, 4)[0]))


def test_units_follow_those_before_them() -> None:
    """A column of numbers is one unit, three categories are two; each after the nearest columns."""
    units = units_of(schema(), schema().names, 1, narrowest=0.01, middles={})
    assert [(each.column, each.value, each.after) for each in units] == [
        (0, None, ()), (1, None, (0,)), (2, 0, (1,)), (2, 1, (1,)),
    ]  # fmt: skip
    assert [each.size for each in units] == [2, 3, 2, 2]
    assert all(len(each.prior.low) == each.size for each in units)
    assert (units[0].prior + units[1].prior).nats == pytest.approx(
        units[0].prior.nats + units[1].prior.nats
    )


def test_parameters_mean_what_they_say() -> None:
    """Middle, spread, the part that follows, and log odds, of many records."""
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    values = np.array([[0.4, np.log(0.1), 0.5, np.log(0.08), 0.8, -1.0, 1.5, 0.0, 0.0, 0.0, 0.0]])
    made = simulate(units, lines_of(schema(), ()), values, Made(), common(units, 20_000, 1))
    first, second = made.points[0][0], made.points[1][0]
    assert (first.mean(), first.std()) == pytest.approx((0.4, 0.1), abs=2e-3)
    assert (second.mean(), second.std()) == pytest.approx((0.5, 0.08), abs=2e-3)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.8, abs=0.02)
    kind = made.codes[2][0]
    standardised = (first - first.mean()) / first.std()
    expected = 1 / (1 + np.exp(1.0 - 1.5 * standardised))
    assert (kind == 0).mean() == pytest.approx(expected.mean(), abs=0.01)
    left = kind[kind > 0]
    assert (left == 1).mean() == pytest.approx(0.5, abs=0.02)


@given(st.integers(0, 10**6))
def test_every_candidate_makes_records_of_the_schema(seed: int) -> None:
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    prior = units[0].prior
    for unit in units[1:]:
        prior = prior + unit.prior
    point = over(prior, seed % 40 + 1)[-1]
    lines = lines_of(schema(), ("height",))
    made = simulate(units, lines, point[None], Made(), common(units, 40, seed))
    moments = np.concatenate(made.moments)
    model = ChosenModel(point, moments)
    released = drawn_records(schema(), units, lines, model, RandomSource.secure(), 30)
    assert len(released) == 30
    figures = list_parameters(units, [model], schema(), ("height",))
    assert len(figures["models"][0]) == len(units)


def test_many_tables_are_those_made_one_by_one() -> None:
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    prior = units[0].prior
    for unit in units[1:]:
        prior = prior + unit.prior
    points, chance = over(prior, 7), common(units, 60, 2)
    lines = lines_of(schema(), ())
    together = simulate(units, lines, points, Made(), chance)
    for turn, point in enumerate(points):
        alone = simulate(units, lines, point[None], Made(), chance)
        for place in range(3):
            assert np.array_equal(alone.codes[place][0], together.codes[place][turn])
