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
    least_epsilon,
    over_epsilon,
    whole_table,
)
from understudy.models.prediction import distance_by_chance
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
            assert np.isnan(found.proposed[place])
            continue
        assert plan.predicted is not None
        # δ for one record may come out a little under the one that the test is planned at.
        assert found.proposed[place] == pytest.approx(plan.predicted.typical_of_all, rel=0.02)
        independent = plan.models["marginals"].typical_of_all
        assert found.independent[place] == pytest.approx(independent, rel=0.02)
    assert np.isfinite(found.proposed).any()


def test_chance_is_that_of_as_many_records_as_are_made() -> None:
    found = over_epsilon(SCHEMA, WANTED, "table", EPSILONS)
    sizes = SCHEMA.cardinalities
    pairs = [sizes[one] * sizes[other] for one in range(4) for other in range(one)]
    assert found.chance == np.median(distance_by_chance(np.array(pairs), WANTED.rows))
    assert (found.proposed >= found.chance).all()


def test_the_plan_for_the_sample_is_nowhere_further_off_than_one_without_relations() -> None:
    found = over_epsilon(census.schema(), replace(WANTED, records=60_000, rows=60_000), "table")
    assert (found.proposed < found.independent).all()
    assert (np.diff(found.proposed) < 0).all()


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
