"""The method from a plan to rows, and what it refuses."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.latent.mechanism import BATCH, MECHANISM
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.outputs import ResumePoint
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.mechanisms.workers import Workers
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.randomness import Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.pictures.declared import Pictures
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA = category_schema(*[2] * 12)


def plan(schema: Schema = SCHEMA, **settings: Any) -> LatentPlan:
    return LatentPlan(domain=schema.fingerprint, **{"width": 2, "most_ones": 5, **settings})


def table(records: int = 4_000) -> Records:
    rng = np.random.default_rng(6)
    behind = 0.8 * rng.normal(size=(records, 1)) + 0.6 * rng.normal(size=(records, 12))
    return Records(SCHEMA, (behind > 1.0).astype(np.uint16))


def rows(of: LatentPlan, records: Records, at: int = 0) -> np.ndarray:
    decided = plan_run(of, records.schema)
    secret = Secret.fixed(5)
    state = MECHANISM.begin(decided, records, secret, None)
    state = MECHANISM.restore(decided, state.arrays())
    reached = ResumePoint(at)
    chunks = MECHANISM.release(decided, records, state, secret, Workers(), reached)
    return np.concatenate([np.asarray(each.content) for each in chunks])


def test_related_flags_stay_related() -> None:
    made = rows(plan(rows=6_000, most_ones=12), table(20_000))
    assert made.shape == (6_000, 12)
    real = np.corrcoef(table(20_000).codes.T)
    ours = np.corrcoef(made.T)
    pairs = np.triu_indices(12, 1)
    assert ours[pairs].mean() == pytest.approx(real[pairs].mean(), rel=0.2)
    assert made.mean() == pytest.approx(table().codes.mean(), abs=0.03)


def test_how_many_flags_count_is_chosen_within_the_budget() -> None:
    """Nearly all records have more flags than a plan would count that asks nobody."""
    few, chosen = plan(most_ones=1, rows=6_000), plan(most_ones=12, choose_ones=True, rows=6_000)
    every, held = plan(most_ones=12, rows=6_000), table(20_000)
    promised = plan_run(chosen, SCHEMA).guarantee
    assert promised.record == plan_run(every, SCHEMA).guarantee.record
    native = promised.parts[0].native
    assert native["epsilon_of_ones"] == 1 / 16
    assert native["sigma"] > plan_run(every, SCHEMA).guarantee.parts[0].native["sigma"]
    share = held.codes.mean()
    assert rows(chosen, held).mean() == pytest.approx(share, rel=0.1)
    assert rows(few, held).mean() < 0.8 * share


def test_a_run_that_was_stopped_goes_on_to_the_same_rows() -> None:
    of = plan(rows=BATCH + 500)
    whole = rows(of, table())
    assert np.array_equal(rows(of, table(), at=BATCH), whole[BATCH:])


def test_the_total_follows_from_rho_and_reaches_the_budget() -> None:
    found = plan_run(plan(epsilon=0.7, delta=1e-8), SCHEMA).guarantee
    (part,) = found.parts
    assert found.total.epsilon == 0.7
    assert approximate_dp(part.native["rho"], 1e-8).epsilon == pytest.approx(0.7, rel=1e-6)
    entries = 6 * 7 / 2
    sigma = math.sqrt(entries / (2 * part.native["rho"]))
    assert part.native["sigma"] == pytest.approx(sigma)


def test_several_records_of_a_person_cost_the_total_that_is_stated() -> None:
    found = plan_run(plan(records_per_person=4, epsilon=0.2), SCHEMA).guarantee
    assert found.record.epsilon == 0.2
    assert found.total.epsilon == pytest.approx(0.8)
    assert found.total.delta <= 1e-9 * (1 + 1e-6)


def test_too_few_records_are_said_beforehand() -> None:
    with pytest.raises(Refusal, match="hide every relation"):
        plan_run(plan(public_records=150), SCHEMA)
    plan_run(plan(public_records=5_000), SCHEMA)


def test_a_network_needs_the_number_of_records_and_enough_of_them() -> None:
    with pytest.raises(Refusal, match="nobody said how many"):
        plan_run(plan(model="variational"), SCHEMA)
    with pytest.raises(Refusal, match="learn nothing from so few"):
        plan_run(plan(model="variational", public_records=500), SCHEMA)
    found = plan_run(plan(model="variational", public_records=100_000), SCHEMA).guarantee
    assert found.total.epsilon <= 1.0
    assert found.parts[0].native["noise_multiplier"] > 1


def test_columns_that_are_neither_flags_nor_numbers_are_refused() -> None:
    for schema in (category_schema(2, 2, 3), category_schema(2, 1)):
        with pytest.raises(Refusal) as caught:
            opening_plan("latent", schema)
        assert caught.value.field in schema.names
    numbers = Schema(
        columns=(
            Column(name="f", domain=Categories(values=("no", "yes"))),
            Column(name="n", domain=Grid(minimum=Decimal(0), maximum=Decimal(50))),
            Column(name="o", domain=Grid(minimum=Decimal(0), maximum=Decimal(9))),
        )
    )
    made = plan_run(opening_plan("latent", numbers), numbers)
    assert made.guarantee.total.epsilon == 1.0
    with pytest.raises(Refusal, match="flags"):
        plan_run(plan(numbers, model="variational", public_records=100_000), numbers)


def test_as_many_hidden_numbers_as_columns_are_refused() -> None:
    with pytest.raises(Refusal) as caught:
        plan_run(plan(width=12), SCHEMA)
    assert caught.value.field == "width"


@pytest.mark.parametrize(
    ("columns", "width", "ones"), [(12, 4, 12), (42, 4, 18), (80, 10, 18), (200, 20, 18), (3, 2, 3)]
)
def test_a_custodian_begins_with_what_suits_the_columns(
    columns: int, width: int, ones: int
) -> None:
    found = opening_plan("latent", category_schema(*[2] * columns))
    assert isinstance(found, LatentPlan)
    assert (found.model, found.width, found.most_ones) == ("factors", width, ones)


@pytest.mark.parametrize(("side", "width"), [(2, 3), (4, 15), (8, 16)])
def test_pictures_begin_with_principal_directions(side: int, width: int) -> None:
    plan = MECHANISM.default_plan(Pictures(height=side, width=side).described())
    assert (plan.model, plan.width) == ("principal", width)


def test_flags_begin_with_factors() -> None:
    assert MECHANISM.default_plan(category_schema(*[2] * 12)).model == "factors"
