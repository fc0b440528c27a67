"""Two plans for what may be spent, and the model of each, by public numbers. The curve over ε is
what is foreseen of the plans that would be proposed there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.foresight import round_per_cent
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.proposal import (
    SEEDS,
    Purpose,
    Wanted,
    alike,
    over_epsilon,
    plan_choices,
    seeds_known,
    shares_for,
    whole_table,
    why,
)
from understudy.mechanisms.seedbased.target import least_epsilon
from understudy.models.prediction import CHANCE, distance_by_chance
from understudy.privacy.accounting.unit_counts import MISS_SHARE
from understudy.samples import census

SCHEMA = category_schema(3, 4, 2, 5)
LARGE = Wanted(records=200_000, rows=5_000)


def test_a_whole_table_is_seedless_and_learned_from_all_but_the_held_out() -> None:
    found = whole_table(SCHEMA, LARGE)
    assert found.plan.omega.values == (4,)
    assert found.plan.shares == shares_for("calibrated", 0.0)
    assert found.plan.shares.held_out == 0.1
    assert found.plan.shares.seeds == 0
    assert found.plan.attempts == 5_000
    assert found.made.seeds is None
    assert found.made.total.epsilon <= 1
    assert found.answer is None


def test_records_like_given_ones_are_made_from_seeds_and_tested() -> None:
    found = alike(SCHEMA, LARGE)
    assert found.plan.omega.values == (3,)
    assert found.plan.shares.seeds == SEEDS
    assert found.plan.attempts == 1_000
    assert found.answer is not None
    assert found.plan.test.k == found.answer.k
    assert found.made.records_at_least is not None
    assert found.made.records_at_least <= 200_000
    assert found.made.total.epsilon <= 1 + 1e-9


@given(
    records=st.integers(1, 10**6),
    delta=st.floats(1e-12, 1e-6),
    persons=st.integers(1, 4),
)
def test_so_many_seeds_are_there_but_for_the_chance(
    records: int, delta: float, persons: int
) -> None:
    seeds = seeds_known(records, delta, persons)
    miss = MISS_SHARE * delta / persons
    assert seeds == 1 or binom.cdf(seeds - 1, records, SEEDS) <= miss
    more = round(1.011 * seeds) + 1
    assert binom.cdf(more - 1, records, SEEDS) > miss


@pytest.mark.parametrize("persons", [1, 2, 5])
def test_no_more_records_are_counted_on_than_are_known(persons: int) -> None:
    wanted = Wanted(epsilon=5.0, records=300_000, records_per_person=persons, attempts=200)
    found = alike(SCHEMA, wanted)
    assert (found.made.records_at_least or 0) <= 300_000
    assert promise(found.plan, SCHEMA).total.epsilon <= 5 * (1 + 1e-9)


def test_without_a_number_of_records_seeds_must_be_named() -> None:
    with pytest.raises(Refusal) as caught:
        alike(SCHEMA, Wanted())
    assert caught.value.field == "records"
    found = alike(SCHEMA, Wanted(seeds_at_least=60_000))
    assert found.predicted is None
    assert found.plan.model.kind == "calibrated"
    assert "can be said beforehand once it is known" in why(found, SCHEMA)[1]


def test_the_marginals_are_proposed_where_nothing_else_can_be_learned() -> None:
    found = whole_table(SCHEMA, Wanted(records=60, epsilon=0.5))
    assert found.plan.model.kind == "marginals"
    assert found.plan.shares == shares_for("marginals", 0.0)
    assert found.predicted is found.models["marginals"]
    assert found.made == promise(found.plan, SCHEMA)
    assert "relations between columns are lost" in why(found, SCHEMA)[1]
    assert whole_table(SCHEMA, LARGE).plan.model.kind == "calibrated"


def test_each_kind_of_model_is_compared_at_one_budget() -> None:
    found = whole_table(SCHEMA, LARGE)
    assert set(found.models) == {"calibrated", "marginals", "network"}
    assert found.models["calibrated"].all_pairs < found.models["marginals"].all_pairs
    assert found.published.corrected.epsilon > found.made.total.epsilon
    assert found.seconds is not None


def test_a_proposal_is_told_in_two_sentences() -> None:
    for found, of in ((whole_table(SCHEMA, LARGE), "rows"), (alike(SCHEMA, LARGE), "copies")):
        told = why(found, SCHEMA)
        assert len(told) == 2
        assert of in told[0]
        assert "ε = 1" in told[0]
        assert all(each.endswith(".") and each.count(". ") == 0 for each in told)


def test_shares_leave_no_part_empty_that_something_is_learned_from() -> None:
    for kind in ("calibrated", "network", "marginals"):
        for seeds in (0.0, SEEDS):
            shares = shares_for(kind, seeds)
            assert shares.seeds == seeds
            assert shares.parameters > 0
            assert (shares.structure > 0) or kind != "network"
    assert shares_for("marginals", 0.0).parameters == pytest.approx(0.9)


def test_predicted_distances_are_no_finer_than_they_are_known() -> None:
    assert round_per_cent(0.00523).startswith("0.52")
    assert round_per_cent(0.0249).startswith("2.5")
    assert round_per_cent(0.234).startswith("23")


@pytest.mark.parametrize(
    ("changes", "field"), [({"epsilon": 0.0}, "epsilon"), ({"kept": 9}, "kept")]
)
def test_a_number_out_of_range_is_refused(changes: dict[str, float], field: str) -> None:
    with pytest.raises(Refusal) as caught:
        alike(SCHEMA, Wanted(records=200_000, **changes))  # type: ignore[arg-type]
    assert caught.value.field == field


OVER_EPSILON_SCHEMA = category_schema(8, 5, 12, 3)
WANTED = Wanted(records=30_000, rows=9_000, attempts=400)
EPSILONS = (0.05, 0.5, 3.0)


@pytest.mark.parametrize("purpose", ["table", "alike"])
@pytest.mark.parametrize("persons", [1, 2])
def test_each_point_is_the_plan_proposed_there(purpose: Purpose, persons: int) -> None:
    wanted = replace(WANTED, records_per_person=persons, delta=1e-7)
    found = over_epsilon(OVER_EPSILON_SCHEMA, wanted, purpose, EPSILONS)
    proposed = whole_table if purpose == "table" else alike
    for place, epsilon in enumerate(EPSILONS):
        try:
            plan = proposed(OVER_EPSILON_SCHEMA, replace(wanted, epsilon=epsilon))
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
    found = over_epsilon(OVER_EPSILON_SCHEMA, WANTED, "table", EPSILONS)
    sizes = OVER_EPSILON_SCHEMA.cardinalities
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
    every = plan_choices(census.schema(), wanted, "table", EPSILONS)
    assert any(each.lost < 0.5 for each in every)
    for epsilon in EPSILONS:
        here = [each for each in every if each.epsilon == epsilon]
        (proposed,) = (each for each in here if each.proposed)
        alone = next(each for each in here if each.kind == "marginals")
        assert proposed.lost <= alone.lost
        assert alone.lost >= 1


def test_below_the_least_epsilon_nothing_fits_and_above_it_something_does() -> None:
    found = over_epsilon(OVER_EPSILON_SCHEMA, WANTED, "alike", EPSILONS)
    assert 0.05 < found.least < 3
    with pytest.raises(Refusal):
        alike(OVER_EPSILON_SCHEMA, replace(WANTED, epsilon=0.98 * found.least))
    assert (
        alike(OVER_EPSILON_SCHEMA, replace(WANTED, epsilon=1.02 * found.least)).answer is not None
    )
    assert (
        least_epsilon(whole_table(OVER_EPSILON_SCHEMA, WANTED).plan, OVER_EPSILON_SCHEMA, 10) == 0
    )


def test_without_a_number_of_records_there_is_no_curve() -> None:
    with pytest.raises(Refusal, match="how many records") as refused:
        over_epsilon(OVER_EPSILON_SCHEMA, replace(WANTED, records=None), "table")
    assert refused.value.field == "records"
