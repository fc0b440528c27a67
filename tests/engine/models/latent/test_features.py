"""Which columns are features, records as vectors and back, and what a thinned record moves.
Coordinates, the law of their noise and its logarithms against whole numbers written out.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.models.categorical import WHOLE
from understudy.models.latent.features import Features, S, thin_bits
from understudy.models.latent.grid import DEVIATION, PLACES, REACH, ProjectionGrid, normal_law
from understudy.models.latent.moments import entries, measure_sums, sums
from understudy.models.latent.principal import ONE, learn_directions, public
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.schema import Schema


def listed(name: str, values: int, *, missing: bool = False) -> Column:
    domain = Categories(values=tuple(f"v{each}" for each in range(values)))
    return Column(name=name, domain=domain, missing=missing)


def measured(name: str) -> Column:
    domain = Continuous(
        minimum=Decimal(0), maximum=Decimal(5), precision=Decimal("0.5"), step=Decimal(1)
    )
    return Column(name=name, domain=domain)


def test_records_are_vectors_and_come_back() -> None:
    schema = Schema(columns=(listed("a", 2), measured("b"), listed("c", 2)))
    features = Features.of(schema)
    assert (features.flags, features.numbers.places) == ((0, 2), (1,))
    codes = np.array(list(product((0, 1), range(5), (0, 1))), dtype=np.uint16)
    vectors = features.vectors(codes, 2, RandomSource.fixed(1))
    bits = (vectors[:, :2] // S).astype(np.uint16)
    np.testing.assert_array_equal(bits, codes[:, [0, 2]])
    np.testing.assert_array_equal(features.codes(bits, vectors[:, 2:].astype(float)), codes)


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (listed("b", 1), "one value"),
        (listed("b", 3), "without a range"),
        (listed("b", 2, missing=True), "missing"),
    ],
)
def test_a_column_that_is_no_feature_is_refused(other: Column, problem: str) -> None:
    with pytest.raises(Refusal, match=problem) as refused:
        Features.of(Schema(columns=(listed("a", 2), other)))
    assert refused.value.field == "b"


def test_a_width_of_none_or_all_columns_is_refused() -> None:
    features = Features.of(Schema(columns=(listed("a", 2), measured("b"))))
    features.check_width(1)
    for width in (0, 2):
        with pytest.raises(Refusal, match="dimensions"):
            features.check_width(width)


def test_the_ones_kept_are_drawn_uniformly_and_short_records_left_alone() -> None:
    bits = np.tile(np.array([1, 0, 1, 1, 1], dtype=np.uint16), (6000, 1))
    found = thin_bits(bits, 2, RandomSource.fixed(3))
    assert set(found.sum(axis=1)) == {2}
    assert not found[:, 1].any()
    np.testing.assert_allclose(found[:, [0, 2, 3, 4]].mean(axis=0), 0.5, atol=0.04)
    np.testing.assert_array_equal(thin_bits(bits, 4, RandomSource.fixed(3)), bits)


@pytest.mark.parametrize(("flags", "most", "squared"), [(4, 2, 6), (4, 4, 15), (7, 7, 36)])
def test_a_thinned_record_moves_the_sums_by_what_is_paid_for(
    flags: int, most: int, squared: int
) -> None:
    told = []

    class Told(Allowance):
        def vector(self, values: np.ndarray, l1: int, l2: float, noise: Noise) -> np.ndarray:
            told.append((l1, l2))
            return values

    every = np.array(list(product((0, 1), repeat=flags)), dtype=np.uint16)
    kept = thin_bits(every, most, RandomSource.fixed(5)).astype(np.int64) * S
    measure_sums(kept, Told(1.0, "rho"), Noise(RandomSource.fixed(1)), most)
    ((l1, l2),) = told
    moved = [sums(each[None]) for each in kept]
    assert max(int(each.sum()) for each in moved) == l1 == squared * S**2
    assert max(float(each @ each) for each in moved) == pytest.approx(l2**2, rel=1e-12)


def test_a_record_that_was_not_thinned_is_not_measured() -> None:
    with pytest.raises(ValueError, match="more entries"):
        measure_sums(np.full((1, 3), S), Allowance(1.0, "rho"), Noise(RandomSource.fixed(1)), 2)


LABELLED = Pictures(height=1, width=2, levels=4, labels=("a", "b", "c")).make_schema()


def test_the_label_beside_pictures_is_an_entry_for_each_value() -> None:
    features = Features.of(LABELLED)
    assert (features.flags, features.label, features.ones) == ((), 2, 3)
    assert features.not_zero(18) == 3
    codes = np.array(list(product(range(5), range(5), range(3))), dtype=np.uint16)
    vectors = features.vectors(codes, 1, RandomSource.fixed(1))
    assert (vectors[:, :3].sum(axis=1) == S).all()
    bits, numbers = (vectors[:, :3] // S).astype(np.uint16), vectors[:, 3:].astype(float)
    np.testing.assert_array_equal(features.codes(bits, numbers), codes)
    np.testing.assert_array_equal(features.entries(codes)[:, :3], bits)


def test_a_picture_with_its_label_moves_the_sums_by_no_more_than_is_paid_for() -> None:
    features = Features.of(LABELLED)
    codes = np.array(list(product(range(5), range(5), range(3))), dtype=np.uint16)
    vectors = features.vectors(codes, 18, RandomSource.fixed(1)).astype(np.int64)
    most = entries(features.not_zero(18))
    moved = np.array([sums(each[None]) for each in vectors])
    assert np.abs(moved).sum(axis=1).max() <= most * S**2
    assert (moved.astype(float) ** 2).sum(axis=1).max() <= most * S**4
    # One entry fewer would not be enough.
    fewer = entries(features.not_zero(18) - 1)
    assert np.abs(moved).sum(axis=1).max() > fewer * S**2


def test_other_categories_are_no_label() -> None:
    other = Schema(columns=(measured("b"), listed("label", 3)))
    with pytest.raises(Refusal, match="without a range"):
        Features.of(other)


def grid(axes: int = 2, columns: int = 3, places: int = PLACES) -> ProjectionGrid:
    rng = np.random.default_rng(axes)
    directions = rng.integers(-ONE, ONE + 1, (columns, axes))
    return ProjectionGrid(
        directions, rng.integers(-ONE, ONE, axes), np.full(axes, 90_001), normal_law(), places
    )


numbers = st.lists(
    st.lists(st.integers(-S, S), min_size=3, max_size=3), min_size=1, max_size=6
).map(np.array)


@given(numbers=numbers, places=st.sampled_from([2 * REACH + 1, 64, PLACES]))
def test_a_coordinate_is_the_floor_of_an_exact_quotient(numbers: np.ndarray, places: int) -> None:
    made = grid(places=places)
    for row, found in zip(numbers.tolist(), made.coordinates(numbers).tolist(), strict=True):
        for axis, place in enumerate(found):
            along = made.directions[:, axis].tolist()
            projected = sum(each * by for each, by in zip(row, along, strict=True))
            exact = (projected - int(made.centre[axis])) // int(made.width[axis]) + places // 2
            assert place == min(max(exact, REACH), places - 1 - REACH)


def test_the_law_is_whole_even_and_about_that_of_a_gaussian() -> None:
    law = normal_law()
    assert law.sum() == WHOLE
    assert law.min() >= 1
    # What is left of rounding is in the middle.
    assert law.tolist() == law[::-1].tolist()
    moves = np.arange(-REACH, REACH + 1)
    assert float(law @ moves**2) / WHOLE == pytest.approx(DEVIATION**2, rel=1e-4)


@given(numbers=numbers)
def test_the_likelihood_is_that_of_the_moves(numbers: np.ndarray) -> None:
    made = grid()
    own = made.coordinates(numbers)
    to = np.array([own[0] + move for move in ([0, 0], [REACH, -3], [REACH + 1, 0], [2, -2])])
    found = made.log_likelihood(own, to.astype(np.uint16))
    law = made.law.tolist()
    for seed, row in zip(own.tolist(), found.tolist(), strict=True):
        for candidate, log in zip(to.tolist(), row, strict=True):
            moves = [b - a for a, b in zip(seed, candidate, strict=True)]
            chances = [law[move + REACH] if abs(move) <= REACH else 0 for move in moves]
            expected = math.fsum(math.log(each / WHOLE) if each else -math.inf for each in chances)
            assert log == pytest.approx(expected, abs=2.0**-39)


@given(axes=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_no_place_that_is_likely_enough_lies_beyond_the_radius(axes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(WHOLE - 1, 6, replace=False) + 1)
    law = np.diff([0, *cuts, WHOLE])
    ones = np.ones(axes, dtype=np.int64)
    made = ProjectionGrid(np.eye(axes, dtype=np.int64), 0 * ones, ones, law, 7)
    own = np.array(list(itertools.product(range(7), repeat=axes)))
    to = np.full((1, axes), 3, dtype=np.uint16)
    logs = made.log_likelihood(own, to)[:, 0]
    assert (made.log_likelihood_of(own, np.repeat(to, len(own), axis=0)) == logs).all()
    apart = np.abs(own - 3).max(axis=1)
    least = np.concatenate([logs, logs + 1e-9, logs - 1e-9, [np.inf, -np.inf]])
    for each, radius in zip(least, made.radius(least), strict=True):
        near = apart[(logs >= each) & np.isfinite(logs)]
        assert near.max(initial=0) <= radius <= 3


def test_the_radius_is_no_wider_than_it_has_to_be() -> None:
    made = grid()
    own, to = np.array([[REACH, REACH]] * 12), np.full((12, 2), REACH, dtype=np.uint16)
    to[:, 0] += np.arange(12, dtype=np.uint16)
    assert made.radius(made.log_likelihood_of(own, to)).tolist() == list(range(12))


def test_all_places_together_have_the_chance_1() -> None:
    """From the very ends of the axis too."""
    width, places = np.array([S * ONE // 20]), 2 * REACH + 9
    made = ProjectionGrid(np.array([[ONE]]), np.zeros(1, np.int64), width, normal_law(), places)
    own = made.coordinates(np.array([[-S], [-S // 10], [0], [S // 10], [S]]))
    assert own[:, 0].tolist() == [REACH, REACH + 1, REACH + 4, REACH + 5, REACH + 8]
    every = np.arange(made.places, dtype=np.uint16)[:, None]
    total = np.exp(made.log_likelihood(own, every)).sum(axis=1)
    np.testing.assert_allclose(total, 1.0, rtol=2.0**-32)


def test_candidates_are_drawn_by_the_law() -> None:
    made = grid(axes=1, columns=1)
    own = made.coordinates(np.zeros((40_000, 1), dtype=np.int64))
    moved = made.disturb(own, RandomSource.fixed(3)).astype(np.int64) - own
    often = np.bincount((moved + REACH)[:, 0], minlength=2 * REACH + 1) / 40_000
    law = made.law / WHOLE
    # Five standard errors, and one record in 40,000 where hardly any is expected.
    assert (np.abs(often - law) <= 5 * np.sqrt(law * (1 - law) / 40_000) + 1 / 40_000).all()


def test_what_a_grid_cannot_be() -> None:
    fits = np.zeros((2, 1), np.int64), np.zeros(1, np.int64), np.ones(1, np.int64), normal_law()
    ProjectionGrid(*fits)
    with pytest.raises(ValueError, match="axes"):
        ProjectionGrid(np.zeros((2, 0), np.int64), *fits[1:])
    with pytest.raises(ValueError, match="width"):
        ProjectionGrid(fits[0], fits[1], np.zeros(1, np.int64), fits[3])
    with pytest.raises(ValueError, match="sum"):
        ProjectionGrid(*fits[:3], normal_law() + 1)
    with pytest.raises(ValueError, match="axis"):
        ProjectionGrid(*fits, places=8)


def test_directions() -> None:
    covariance = np.array([[4.0, 3.9], [3.9, 4.0]])
    (first,) = learn_directions(covariance, 1).T
    assert np.abs(first).tolist() == [2896, 2896]
    assert first[0] == first[1]
    waves = public(5, 9).astype(float)
    assert waves.shape == (5, 5)
    np.testing.assert_allclose(waves.T @ waves / ONE**2, np.eye(5), atol=1e-3)
    assert len(set(waves[:, 0])) == 1
