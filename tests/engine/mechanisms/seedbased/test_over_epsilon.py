"""The curve over ε is what is foreseen of the plans that would be proposed there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.proposal import (
    Purpose,
    Wanted,
    alike,
    choices,
    least_epsilon,
    over_epsilon,
    whole_table,
)
from understudy.models.prediction import CHANCE, distance_by_chance
from understudy.samples import census

SCHEMA = category_schema(8, 5, 12, 3)
WANTED = Wanted(records=30_000, rows=9_000, attempts=400)
EPSILONS = (0.05, 0.5, 3.0)


@pytest.mark.parametrize("purpose", ["table", "alike"])
@pytest.mark.parametrize("persons", [1, 2])
def test_each_point_is_the_plan_proposed_there(purpose: Purpose, persons: int) -> None:
    wanted = replace(WANTED, records_per_person=persons, delta=1e-7)
    found = over_epsilon(SCHEMA, wanted, purpose, EPSILONS)
    proposed = whole_table if purpose == "table" else alike
    for place, epsilon in enumerate(EPSILONS):
        try:
            plan = proposed(SCHEMA, replace(wanted, epsilon=epsilon))
        except Refusal:
            assert np.isnan([found.pair[place], found.column[place]]).all()
            assert found.counted[place] == 0
            continue
        assert plan.predicted is not None
        # δ for one record may come out a little under the one that the test is planned at.
        assert found.column[place] == pytest.approx(plan.predicted.column_at_most, rel=0.02)
        pair = plan.predicted.any_pair_at_most
        assert found.pair[place] == pytest.approx(pair, rel=0.02, nan_ok=True)
        assert found.counted[place] == pytest.approx(plan.predicted.counted, abs=1)
    assert np.isfinite(found.pair).any()
    assert found.pairs == 6


def test_chance_is_that_of_as_many_records_as_are_made() -> None:
    found = over_epsilon(SCHEMA, WANTED, "table", EPSILONS)
    sizes = SCHEMA.cardinalities
    pairs = [sizes[one] * sizes[other] for one in range(4) for other in range(one)]
    assert found.chance == CHANCE * np.median(distance_by_chance(np.array(pairs), WANTED.rows))


def test_bounds_on_the_sample_only_become_smaller_and_more_is_counted() -> None:
    found = over_epsilon(census.schema(), replace(WANTED, records=60_000, rows=60_000), "table")
    assert (np.diff(found.counted) >= 0).all()
    assert (np.diff(found.column) < 0).all()
    assert (np.isfinite(found.pair) == (2 * found.counted > found.pairs)).all()
    bounds = found.pair[np.isfinite(found.pair)]
    assert (np.diff(bounds) < 0).all()


def test_no_kind_of_model_loses_more_than_columns_by_themselves_where_it_is_proposed() -> None:
    wanted = replace(WANTED, records=60_000, rows=60_000)
    every = choices(census.schema(), wanted, "table", EPSILONS)
    assert any(each.lost < 0.5 for each in every)
    for epsilon in EPSILONS:
        here = [each for each in every if each.epsilon == epsilon]
        (proposed,) = (each for each in here if each.proposed)
        alone = next(each for each in here if each.kind == "marginals")
        assert proposed.lost <= alone.lost
        assert alone.lost >= 1


def test_below_the_least_epsilon_nothing_fits_and_above_it_something_does() -> None:
    found = over_epsilon(SCHEMA, WANTED, "alike", EPSILONS)
    assert 0.05 < found.least < 3
    with pytest.raises(Refusal):
        alike(SCHEMA, replace(WANTED, epsilon=0.98 * found.least))
    assert alike(SCHEMA, replace(WANTED, epsilon=1.02 * found.least)).answer is not None
    assert least_epsilon(whole_table(SCHEMA, WANTED).plan, SCHEMA, 10) == 0


def test_without_a_number_of_records_there_is_no_curve() -> None:
    with pytest.raises(Refusal, match="how many records") as refused:
        over_epsilon(SCHEMA, replace(WANTED, records=None), "table")
    assert refused.value.field == "records"
