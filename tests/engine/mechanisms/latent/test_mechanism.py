"""The method from a plan to rows, and what it refuses. How many flags of a record to count,
foreseen and tried on people who do not exist. Hidden numbers are read off records as they were
when the records were drawn.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT, ArraysState
from understudy.mechanisms.latent import inspection
from understudy.mechanisms.latent.charts import public
from understudy.mechanisms.latent.expected_utility import SHARES, smallest
from understudy.mechanisms.latent.inspection import (
    ModelReading,
    hidden_numbers,
    reconstruct_records,
)
from understudy.mechanisms.latent.mechanism import BATCH, MECHANISM
from understudy.mechanisms.latent.models import (
    SumsQuery,
    best,
    compute_kept_share,
    estimate_errors,
    list_tried,
    means,
    off,
)
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import Evidence
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.models.latent.factors import Factors
from understudy.models.latent.features import S, thin_bits
from understudy.models.latent.moments import NoisyMoments
from understudy.models.latent.principal import Principal
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.pictures.picture_schema import Pictures
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
    plan = MECHANISM.default_plan(Pictures(height=side, width=side).make_schema())
    assert (plan.model, plan.width) == ("principal", width)


def test_flags_begin_with_factors() -> None:
    assert MECHANISM.default_plan(category_schema(*[2] * 12)).model == "factors"


COUNTED_SCHEMA = category_schema(*[2] * 14)


def counted_plan(**given: object) -> LatentPlan:
    usual = {"domain": COUNTED_SCHEMA.fingerprint, "public_records": 20_000, "most_ones": 5}
    return LatentPlan.model_validate({**usual, **given})


def test_as_much_is_kept_as_thinned_records_keep() -> None:
    random = np.random.default_rng(2)
    bits = (random.random((40_000, 14)) < 0.3).astype(np.uint16)
    told = compute_kept_share(14, 0.3, [1, 3, 6, 14])
    for count, share in zip([1, 3, 6, 14], told, strict=True):
        cut = thin_bits(bits, count, RandomSource.fixed(count))
        assert cut.sum() / bits.sum() == pytest.approx(share, rel=0.01)
    assert told[-1] == pytest.approx(1.0)


def test_how_far_off_a_share_is_is_loss_and_noise_together() -> None:
    random = np.random.default_rng(3)
    asked = counted_plan(epsilon=0.2, held_out=0.0)
    (told,) = estimate_errors(asked, COUNTED_SCHEMA, 0.3, [3])
    noise = SumsQuery.of(
        asked.model_copy(update={"most_ones": 3}), COUNTED_SCHEMA, Budget(0.2, asked.delta)
    ).deviation
    lost = 0.3 * (1 - compute_kept_share(14, 0.3, [3])[0])
    drawn = random.normal(size=(3, 200_000)) * noise / S**2 / 20_000
    share = (drawn[0] + drawn[1]) / 2 - 0.3 * drawn[2] - lost
    assert told == pytest.approx(np.abs(share).mean(), rel=0.01)


def test_the_best_lies_between_what_noise_and_what_records_want() -> None:
    few, many = (best(counted_plan(epsilon=each), COUNTED_SCHEMA, 4) for each in (0.05, 5.0))
    assert few < many
    assert means(COUNTED_SCHEMA) == (1, 4)
    assert len(off(counted_plan(), COUNTED_SCHEMA, 4)) == len(list_tried(COUNTED_SCHEMA)) == 14


def test_it_is_drawn_where_the_number_of_records_is_public() -> None:
    drawn = {each.name: each for each in public_pictures(plan_run(counted_plan(), COUNTED_SCHEMA))}
    assert set(drawn) == {"seen", "counted"}
    found = drawn["counted"]
    assert found.figure.to_dict()
    assert list(found.table)[1:] == [
        "1 flag each", "4 flags each",
    ]  # fmt: skip
    assert (
        f"Least off is {best(counted_plan(), COUNTED_SCHEMA, 1)} where people have 1" in found.said
    )
    pixels = Pictures(height=2, width=2).make_schema()
    of_numbers = counted_plan(domain=pixels.fingerprint, width=2)
    assert {each.name for each in public_pictures(plan_run(of_numbers, pixels))} == {"seen"}


def test_hidden_numbers_are_found_again_from_records_that_directions_made() -> None:
    random = np.random.default_rng(4)
    directions = np.zeros((40, 2))
    directions[:20, 0] = directions[20:, 1] = 0.2
    mean = np.concatenate([np.full(38, 0.5), [0.2, -0.1]])
    model = Principal(mean, directions, np.full(2, 0.1))
    z = random.normal(size=(3000, 2))
    about = mean + z @ directions.T
    flags = random.random((3000, 38)) < about[:, :38]
    numbers = (about[:, 38:] + 0.1 * random.normal(size=(3000, 2))) * S
    found = ModelReading.of(model).encoder.encode(np.hstack([flags, numbers]))
    for place in (0, 1):
        assert np.corrcoef(found[:, place], z[:, place])[0, 1] > 0.85
        assert abs(np.corrcoef(found[:, place], z[:, 1 - place])[0, 1]) < 0.1


def test_what_is_carried_of_a_column_is_the_share_of_its_variance_along_directions() -> None:
    along = np.array([[0.4], [0.1], [0.3]])
    found = ModelReading.of(Principal(np.array([0.5, 0.2, 0.1]), along, np.array([0.4])))
    assert found.carried == pytest.approx([0.16 / 0.25, 0.01 / 0.16, 0.09 / 0.25])


def test_the_regression_of_directions_is_the_one_of_the_whole_covariance() -> None:
    along = np.array([[0.4], [0.1], [0.3]])
    model = Principal(np.array([0.5, 0.2, 0.1]), along, np.array([0.4]))
    x = np.random.default_rng(1).random((5, 3))
    covariance = along @ along.T + np.diag([0.25 - 0.16, 0.16 - 0.01, 0.16])
    expected = (x - model.mean) @ np.linalg.solve(covariance, along)
    assert ModelReading.of(model).encoder.encode(x * [1, 1, S]) == pytest.approx(expected)


BOTH = Categories(values=("no", "yes"))
AGES = Grid(minimum=Decimal(0), maximum=Decimal(100))
LOOKING_SCHEMA = Schema(
    columns=(
        Column(name="age", domain=AGES),
        Column(name="ill", domain=BOTH),
        Column(name="old", domain=BOTH),
    )
).declare_public()


def evidence(loadings: list[list[float]]) -> Evidence:
    """A run of three columns, of which the number stands first; 50 real records and 30 made ones,
    the first half of each young and well, the others old and ill."""
    width = len(loadings[0])
    plan = LatentPlan(domain=LOOKING_SCHEMA.fingerprint, width=min(2, width))
    model = Factors(np.zeros(2), np.zeros(1), np.array([300.0]), np.array(loadings))
    state = ArraysState({HELD_OUT: np.zeros(50, dtype=bool), **model.arrays()})
    real, made = (
        Records(
            LOOKING_SCHEMA, np.repeat([[10, 0, 0], [90, 1, 1]], many // 2, axis=0).astype(np.uint16)
        )
        for many in (50, 30)
    )
    return Evidence(plan_run(plan, LOOKING_SCHEMA), real, state, {"table": made})


def test_columns_stand_in_the_order_of_the_schema_and_tables_are_of_one_size() -> None:
    found = hidden_numbers(evidence([[-0.9, 0.0], [0.0, 0.5], [-0.7, 0.0]]))
    assert found.carried == pytest.approx([0.49, 0.81, 0.25])
    assert found.real.shape == found.made.shape == (30, 2)
    assert found.real == pytest.approx(found.made)
    # Turned: who is old and ill stands to the right.
    assert (found.real[:15, 0] < 0).all()
    assert (found.real[15:, 0] > 0).all()


@pytest.mark.parametrize("loadings", [[[0.9], [0.5], [0.7]], [[0.9, 0.0], [0.5, 0.0], [0.7, 0.0]]])
def test_there_is_no_map_of_one_hidden_number(loadings: list[list[float]]) -> None:
    found = hidden_numbers(evidence(loadings))
    assert not found.whole
    assert len(found.real) == 0
    assert found.carried == pytest.approx([0.49, 0.81, 0.25])


def test_records_stand_beside_what_is_kept_of_them() -> None:
    found = reconstruct_records(evidence([[-0.9, 0.0], [0.0, 0.5], [-0.7, 0.0]]), 6)
    assert len(found.real) == 6
    old = found.real.codes[:, 0] == 90
    assert found.kept[old, 0].min() > found.kept[~old, 0].max()
    assert found.kept[old, 2].min() > found.kept[~old, 2].max()
    assert found.kept[:, 1:].max() < 1 < found.kept[:, 0].min()


def test_nothing_is_looked_at_of_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "space_of", lambda *_: None)
    with pytest.raises(Refusal, match="network"):
        reconstruct_records(evidence([[0.9], [0.5], [0.7]]), 3)


def test_columns_are_sorted_by_what_is_carried_and_those_alone_are_named() -> None:
    titles = ["a", "b", "c"]
    table = public.carried_table(titles, np.array([0.2, 0.9, 0.01]))
    assert table["Column"].tolist() == ["b", "a", "c"]
    assert public.carried_bars(titles, np.array([0.2, 0.9, 0.01])).to_dict()
    said = public.carried_in_words(titles, np.array([0.2, 0.9, 0.01]))
    assert said.startswith("1 of 3 columns")
    assert ": c. " in said


@pytest.mark.parametrize("alone", [0, 7])
def test_of_many_columns_only_some_are_named(alone: int) -> None:
    titles = [f"c{place}" for place in range(9)]
    carried = np.where(np.arange(9) < alone, 0.0, 0.5)
    said = public.carried_in_words(titles, carried)
    assert ("and others" in said) is (alone > 5)
    assert said.startswith("Every column") is (alone == 0)


PUBLIC_SCHEMA = category_schema(*[2] * 12).declare_public()


def public_plan(**given: Any) -> LatentPlan:
    usual = {"domain": PUBLIC_SCHEMA.fingerprint, "public_records": 50_000, "most_ones": 4}
    return LatentPlan.model_validate({**usual, **given})


def test_what_is_seen_is_what_the_model_tells_from_noise() -> None:
    asked = public_plan(held_out=0.2, epsilon=2.0)
    deviation = SumsQuery.of(asked, PUBLIC_SCHEMA, Budget(2.0, asked.delta)).deviation
    records = 40_000
    many = (len(PUBLIC_SCHEMA) + 1) * (len(PUBLIC_SCHEMA) + 2) // 2
    told = NoisyMoments.of(np.zeros(many, dtype=np.int64), len(PUBLIC_SCHEMA), deviation)
    found = smallest(asked, PUBLIC_SCHEMA, 2.0)
    for name, share in SHARES.items():
        shares = np.full(len(PUBLIC_SCHEMA), share)
        moments = replace(told, records=float(records), mean=shares)
        assert found[name] == pytest.approx(2.5 * moments.deviations[0, 1] / (share * (1 - share)))
    assert deviation / S**2 > 1


def test_more_epsilon_and_more_records_show_smaller_correlations() -> None:
    picture, _ = public_pictures(plan_run(public_plan(epsilon=0.7), PUBLIC_SCHEMA))
    assert 0.7 in picture.table["ε"].tolist()
    assert (picture.table[list(SHARES)].diff().dropna() <= 0).all().all()
    assert picture.shape is not None
    assert picture.shape.marked == 0.7
    assert "at ε = 0.7, of two flags that 10" in picture.said
    assert picture.figure.to_dict()["layer"]
    more = public.seen_table(public_plan(public_records=500_000), PUBLIC_SCHEMA)
    less = public.seen_table(public_plan(), PUBLIC_SCHEMA)
    usual = list(SHARES)[1]
    assert (more[usual] < less[usual]).all()


def test_where_noise_covers_all_it_says_so() -> None:
    picture, _ = public_pictures(
        plan_run(public_plan(public_records=600, epsilon=1.0), PUBLIC_SCHEMA)
    )
    assert "no relation can be told from noise" in picture.said
    assert picture.table[list(SHARES)].to_numpy().max() == 1.0


@pytest.mark.parametrize("given", [{"public_records": None}, {"model": "variational"}])
def test_there_is_none_of_an_unknown_number_or_a_network(given: dict[str, Any]) -> None:
    of = public_plan(**{"public_records": 400_000, "epsilon": 5.0, **given})
    assert not public_pictures(plan_run(of, PUBLIC_SCHEMA))
