"""What the shape of a noisy pair tells, and how far that can be trusted."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.arrays import FloatArray
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import MeasuredMarginal, Steps, on_simplex
from understudy.models.calibrated.pair_shapes import (
    ColumnWaves,
    NoisyPair,
    PairEstimate,
    count_shaped_cells,
    fit_margins,
    shrink_pair,
)
from understudy.models.marks import Importance
from understudy.models.views import View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

PAIR = (View(0), View(1))
RECORDS = 4_000.0


def numbers(*sizes: int, missing: bool = False) -> Schema:
    return Schema(
        columns=tuple(
            Column(
                name=f"n{place}",
                domain=Grid(minimum=Decimal(0), maximum=Decimal(size - 1)),
                missing=missing,
            )
            for place, size in enumerate(sizes)
        )
    )


def bell(size: int, correlation: float) -> FloatArray:
    """Return the counts of two numbers with this correlation."""
    places = np.linspace(-2.5, 2.5, size)
    one, other = places[:, None], places
    whole = np.exp(-(one**2 + other**2 - 2 * correlation * one * other) / (2 - 2 * correlation**2))
    return np.asarray(RECORDS * whole / whole.sum())


def kinds(sizes: tuple[int, int], seed: int) -> FloatArray:
    """Return the counts of lists that two kinds of records prefer differently."""
    rng = np.random.default_rng(seed)
    one, other = (rng.dirichlet(np.full(size, 0.7), 2) for size in sizes)
    return np.asarray(
        RECORDS * (0.6 * np.outer(one[0], other[0]) + 0.4 * np.outer(one[1], other[1]))
    )


def scattered(size: int, seed: int) -> FloatArray:
    """Return counts without a shape."""
    rng = np.random.default_rng(seed)
    return np.asarray(RECORDS * rng.dirichlet(np.full(size * size, 0.3))).reshape(size, size)


def independent(truth: FloatArray) -> FloatArray:
    return np.asarray(np.outer(truth.sum(axis=1), truth.sum(axis=0)) / truth.sum())


def measured(truth: FloatArray, deviation: float, seed: int) -> MeasuredMarginal:
    noise = np.random.default_rng(seed).normal(0, deviation, truth.size)
    return MeasuredMarginal(PAIR, truth.ravel() + noise, deviation)


def correlation(counts: FloatArray) -> float:
    one, other = (np.arange(size) for size in counts.shape)
    weights = np.maximum(counts, 0) / np.maximum(counts, 0).sum()
    one, other = one - weights.sum(axis=1) @ one, other - weights.sum(axis=0) @ other
    spreads = (weights.sum(axis=1) @ one**2) * (weights.sum(axis=0) @ other**2)
    return float(one @ weights @ other / math.sqrt(spreads))


def cells_alone(table: MeasuredMarginal, expected: FloatArray) -> FloatArray:
    """Return what each cell tells for itself, written out anew."""
    apart = table.counts - expected.ravel()
    own = max(0.0, float((apart**2).sum()) - len(apart) * table.deviation**2) / expected.sum()
    prior = own * expected.ravel()
    return np.asarray(expected.ravel() + prior / (prior + table.deviation**2) * apart)


LAWS = {
    "numbers": (numbers(12, 12), bell(12, 0.5)),
    "strong": (numbers(12, 12), bell(12, 0.9)),
    "unrelated": (numbers(12, 12), bell(12, 0.0)),
    "kinds": (numbers(12, 10), kinds((12, 10), 1)),
    "scattered": (numbers(8, 8), scattered(8, 2)),
}


@pytest.mark.parametrize("deviation", [2.0, 6.0, 20.0])
@pytest.mark.parametrize("law", LAWS)
def test_the_mixture_is_about_as_near_as_the_best_estimate_in_it(
    law: str, deviation: float
) -> None:
    """By exact errors on a known law, and so never further than cells by themselves."""
    schema, truth = LAWS[law]
    expected = independent(truth)
    errors, mixed, foreseen = [], [], []
    for seed in range(12):
        noisy = NoisyPair.of(schema, measured(truth, deviation, seed), expected.ravel())
        estimates = (*noisy.estimate_cells(), *noisy.estimate_shapes())
        mixture = noisy.mix(estimates)
        errors.append([float(((each.counts - truth) ** 2).sum()) for each in estimates])
        mixed.append(float(((mixture.counts - truth) ** 2).sum()))
        foreseen.append(noisy.expected_error(mixture))
    best = float(np.min(np.mean(errors, axis=0)))
    assert np.mean(mixed) <= 1.1 * best + 10 * deviation**2
    # What is said of the error is about what it is.
    assert np.mean(foreseen) >= 0.6 * np.mean(mixed) - 5 * deviation**2
    assert np.mean(foreseen) <= 1.7 * np.mean(mixed) + 25 * deviation**2


@pytest.mark.parametrize(
    ("schema", "truth"),
    [LAWS["numbers"], LAWS["kinds"]],
    ids=["numbers", "kinds"],
)
def test_a_shape_halves_what_a_table_is_off_by(schema: Schema, truth: FloatArray) -> None:
    expected = independent(truth)
    off = []
    for seed in range(6):
        table = measured(truth, 8.0, seed)
        shaped = shrink_pair(schema, table, expected.ravel())
        assert shaped.left is not None
        alone = on_simplex(cells_alone(table, expected), RECORDS)
        off.append([np.abs(each - truth.ravel()).sum() for each in (shaped.counts, alone)])
    now, alone = np.mean(off, axis=0)
    assert now < 0.65 * alone


def test_a_pair_with_a_column_without_an_order_stays_as_it_was_measured() -> None:
    truth = kinds((12, 10), 1)
    expected = independent(truth).ravel()
    table = measured(truth, 8.0, 1)
    shaped = shrink_pair(category_schema(12, 10), table, expected)
    assert shaped.left is None
    assert shaped.counts is table.counts


def test_a_correlation_that_cells_hide_is_kept() -> None:
    truth = bell(20, 0.5)
    expected = independent(truth)
    table = measured(truth, 6.0, 1)
    shaped = shrink_pair(numbers(20, 20), table, expected.ravel())
    alone = on_simplex(cells_alone(table, expected), RECORDS).reshape(20, 20)
    assert correlation(alone) < 0.6 * correlation(truth)
    assert correlation(shaped.counts.reshape(20, 20)) > 0.85 * correlation(truth)


@pytest.mark.parametrize("law", ["unrelated", "scattered"])
def test_a_table_without_a_shape_stays_as_it_was_measured(law: str) -> None:
    schema, truth = LAWS[law]
    table = measured(truth, 8.0, 3)
    shaped = shrink_pair(schema, table, independent(truth).ravel())
    assert shaped.left is None
    assert np.array_equal(shaped.counts, table.counts)
    assert shaped.trust == table.beside(independent(truth).ravel()).trust


@given(st.integers(0, 50), st.sampled_from([2.0, 8.0, 30.0]))
def test_totals_are_kept_and_what_is_impossible_stays_empty(seed: int, deviation: float) -> None:
    rng = np.random.default_rng(seed)
    possible = rng.random((9, 7)) < 0.7
    possible[0, 0] = True
    one = bell(9, 0.6)[:, :7] * possible
    truth = one * RECORDS / one.sum()
    noise = rng.normal(0, deviation, truth.shape) * possible
    table = MeasuredMarginal(PAIR, (truth + noise).ravel(), deviation, possible.ravel())
    expected = independent(truth) * possible
    expected *= RECORDS / expected.sum()
    shaped = shrink_pair(numbers(9, 7), table, expected.ravel())
    if shaped.left is not None:
        assert shaped.counts.sum() == pytest.approx(RECORDS)
        assert shaped.counts.min() >= 0
        assert not shaped.counts[~possible.ravel()].any()
        assert shaped.left.min() >= 0


@given(st.integers(0, 100), st.integers(2, 9), st.integers(2, 9))
def test_sums_of_rows_and_columns_are_brought_to_what_is_known(
    seed: int, rows: int, columns: int
) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.gamma(0.5, size=(rows, columns))
    one, other = (RECORDS * rng.dirichlet(np.ones(size)) for size in (rows, columns))
    found = fit_margins(counts, one, other)
    assert found.min() >= 0
    assert found.sum(axis=0) == pytest.approx(other, rel=1e-6)
    assert np.abs(found.sum(axis=1) - one).sum() < 0.2 * RECORDS


@given(st.integers(1, 12), st.integers(0, 100), st.booleans())
def test_functions_are_orthonormal_and_leave_sums_as_they_are(
    size: int, seed: int, missing: bool
) -> None:
    schema = numbers(size, 3, missing=missing)
    weights = np.random.default_rng(seed).gamma(0.5, size=schema.columns[0].cardinality)
    axis = ColumnWaves.of(schema, View(0), weights)
    many = len(weights) - 1
    assert axis.functions.shape == (len(weights), many)
    assert axis.functions.T @ axis.functions == pytest.approx(np.eye(many), abs=1e-9)
    assert len(axis.bands) == many


def test_what_follows_of_the_noise_is_what_estimates_move_by() -> None:
    """Their divergences, by moving each count a little."""
    schema, truth = numbers(6, 5), kinds((6, 5), 5)
    expected = independent(truth).ravel()
    table = measured(truth, 25.0, 2)

    def estimates(counts: FloatArray) -> list[PairEstimate]:
        noisy = NoisyPair.of(schema, MeasuredMarginal(PAIR, counts, 25.0), expected)
        return [*noisy.estimate_shapes()[:2]]

    moved = np.zeros(2)
    for cell in range(30):
        more, less = (table.counts + step * (np.arange(30) == cell) for step in (1e-3, -1e-3))
        for place, (high, low) in enumerate(zip(estimates(more), estimates(less), strict=True)):
            moved[place] += (high.counts - low.counts).ravel()[cell] / 2e-3
    products, waves = estimates(table.counts)
    # Products are charged a cell more, for the choice of the threshold.
    assert products.followed == pytest.approx(moved[0] + 1, rel=1e-3)
    assert waves.followed == pytest.approx(moved[1], rel=1e-3)


def test_pairs_of_ordered_columns_are_priced_by_fewer_cells() -> None:
    schema = Schema(columns=(*numbers(20, 20).columns, *category_schema(20, 2).columns[:1]))
    asked = (PAIR, (View(0), View(2)), (View(0), View(1), View(2)))
    for occupied in (1, 16, 400, 8_000):
        cells = count_shaped_cells(schema, asked, np.array([occupied] * 3))
        assert cells[1:].tolist() == [occupied, occupied]
        assert 1 <= cells[0] == min(occupied, int(2 * occupied**0.75))


def test_tables_of_one_or_three_columns_and_without_noise_stay() -> None:
    expected = np.full(27, RECORDS / 27)
    triple = MeasuredMarginal((View(0), View(1), View(2)), expected + 1, 5.0)
    assert shrink_pair(numbers(3, 3, 3), triple, expected).left is None
    truth = bell(12, 0.5)
    exact = MeasuredMarginal(PAIR, truth.ravel(), 0.0)
    assert shrink_pair(numbers(12, 12), exact, independent(truth).ravel()).left is None


def test_a_model_of_numbers_keeps_their_correlation_beside_a_triple() -> None:
    """Wide tables of both rounds are drawn towards their shape; the triple is not in the forest."""
    rng = np.random.default_rng(4)
    one = rng.normal(size=12_000)
    other, third = (0.6 * one + 0.8 * rng.normal(size=12_000) for _ in range(2))
    codes = np.column_stack(
        [np.clip(np.rint(9.5 + 3.2 * each), 0, 19) for each in (one, other, third)]
    ).astype(np.uint16)
    schema = numbers(20, 20, 20)
    kept = []
    for steps in (Steps(), Steps(shapes=False)):
        marked = Importance({(0, 1, 2): 3.0})
        budget = Budget(1.5, 1e-9)
        learner = CalibratedLearner.within(schema, budget, steps=steps, importance=marked)
        source = RandomSource.fixed(3)
        learned = learner.learn(Records(schema, codes), Noise(source), source.child())
        drawn = learned.network.records(12_000, source)
        kept.append(np.corrcoef(np.asarray(drawn, dtype=np.float64))[0, 1])
    assert kept[0] > max(kept[1], 0.45)
