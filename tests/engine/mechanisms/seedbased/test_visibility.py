"""What buckets leave for the model, from public numbers: the noise is the noise that is drawn."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.mechanisms.seedbased.foresight import Family, Precision
from understudy.mechanisms.seedbased.learning import promised_budget
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.bayesnet.as_learner import cell_cap
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.omega import Omega
from understudy.privacy.noise import gaussian_deviation, laplace_deviation, laplace_tail

SCHEMA = category_schema(6, 4, 8, 3, halves=frozenset({2}))


def precision(plan: Plan) -> Precision:
    return Precision.of(plan, SCHEMA, promise(plan, SCHEMA))


def test_configurations_count_buckets_and_cells_count_values() -> None:
    family = Family.of(SCHEMA, "c0", ("c2", "c3"))
    assert (family.configurations, family.values, family.cells) == (2 * 3, 6, 36)
    assert Family.of(SCHEMA, "c0", ()).configurations == 1


@pytest.mark.parametrize("kind", ["network", "marginals"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0, 500.0])
def test_the_noise_is_that_of_the_learner_of_the_plan(kind: str, epsilon: float) -> None:
    plan = Plan.of(SCHEMA, model={"kind": kind, "epsilon": epsilon})
    learner = ParameterLearner.within(SCHEMA, promised_budget(plan, promise(plan, SCHEMA)))
    found = precision(plan)
    assert found.deviation == learner.deviation
    exact = learner.share.deviation
    assert found.deviation == pytest.approx(exact, rel=0.02 + 1 / exact**2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0])
def test_the_noise_of_the_calibrated_model_is_that_of_as_many_pairs_as_columns(
    epsilon: float,
) -> None:
    """Each gets the same share of a round, which so many records pay in full."""
    plan = Plan.of(SCHEMA, model={"epsilon": epsilon})
    learner = CalibratedLearner.within(SCHEMA, promised_budget(plan, promise(plan, SCHEMA)))
    spend = learner.of_a_round
    found = precision(plan)
    for part in spend.divided([24] * len(SCHEMA)):
        assert part.deviation == pytest.approx(found.deviation)
    made = promise(plan, SCHEMA)
    assert made.records_at_least is not None
    assert found.records == pytest.approx(made.records_at_least * 0.6)
    assert found.usable(Family(1, math.floor(found.most_cells)))
    assert not found.usable(Family(1, math.floor(found.most_cells) + 1))


def test_a_plan_that_makes_no_seeds_counts_on_as_many_records_as_were_to_be_seeds() -> None:
    shares = {"seeds": 0.0, "structure": 0.0, "parameters": 0.9, "held_out": 0.1}
    for kind in ("calibrated", "marginals"):
        plan = Plan.of(
            SCHEMA,
            omega=Omega(low=4, high=4),
            model={"kind": kind},
            shares=shares,
            seeds_at_least=2_000,
        )
        assert precision(plan).records == pytest.approx(1_800)


def test_the_marginals_use_no_parents() -> None:
    assert not precision(Plan.of(SCHEMA, model={"kind": "marginals"})).usable(Family(2, 3))


@pytest.mark.parametrize("kind", ["calibrated", "network"])
def test_without_noise_there_is_none_and_what_is_allowed_follows_from_the_records(
    kind: str,
) -> None:
    found = precision(Plan.of(SCHEMA, model={"kind": kind, "epsilon": None}))
    assert found.deviation == 0
    assert found.noise_share(Family(4, 4)) == 0
    assert found.usable(Family(1, math.floor(found.most_cells)))
    assert not found.usable(Family(1, math.floor(found.most_cells) + 1))


@given(st.integers(500, 50_000), st.sampled_from([0.3, 1.0, 3.0]))
def test_only_declared_numbers_are_used_and_more_records_help(seeds: int, epsilon: float) -> None:
    shares = {"seeds": 0.3, "structure": 0.2, "parameters": 0.4, "held_out": 0.1}
    model = {"kind": "network", "epsilon": epsilon}
    plan = Plan.of(SCHEMA, seeds_at_least=seeds, model=model, shares=shares)
    made = promise(plan, SCHEMA)
    found, family = Precision.of(plan, SCHEMA, made), Family(12, 6)
    assert made.records_at_least is not None
    assert found.records == made.records_at_least * plan.shares.parameters
    assert found.even(family) * family.cells == pytest.approx(found.records)
    cap = cell_cap(
        ParameterLearner.within(SCHEMA, promised_budget(plan, promise(plan, SCHEMA))), plan.shares
    )
    assert found.most_cells == cap.cells(math.floor(made.records_at_least * plan.shares.structure))
    # A seedless plan promises nothing of its seeds, and counts on as many records all the same.
    seedless = Precision.of(plan, SCHEMA, replace(made, records_at_least=None))
    assert seedless.records == pytest.approx(found.records, rel=1e-3)


@pytest.mark.parametrize("scale", [0.2, 0.7, 1.0, 2.5, 40.0])
def test_the_deviation_of_integer_laplace_noise_is_that_of_its_law(scale: float) -> None:
    places = np.arange(1, math.ceil(60 * scale) + 60)
    chances = [laplace_tail(int(j), scale) - laplace_tail(int(j) + 1, scale) for j in places]
    assert laplace_deviation(scale) ** 2 == pytest.approx(2 * float(places**2 @ np.array(chances)))


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0, 2.99, 3.0, 50.0])
def test_the_deviation_of_integer_gaussian_noise_is_that_of_its_law(scale: float) -> None:
    places = np.arange(-math.ceil(40 * scale) - 5, math.ceil(40 * scale) + 6)
    weights = np.exp(-(places**2) / (2 * scale**2))
    law = float((weights @ places**2) / weights.sum())
    assert gaussian_deviation(scale) ** 2 == pytest.approx(law, rel=1e-12)
