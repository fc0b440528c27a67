"""Which columns are features, records as vectors and back, and what a thinned record moves."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.models.latent.features import Features, S, thin_bits
from understudy.models.latent.moments import entries, measure, sums
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.pictures.declared import Pictures
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
    measure(kept, Told(1.0, "rho"), Noise(RandomSource.fixed(1)), most)
    ((l1, l2),) = told
    moved = [sums(each[None]) for each in kept]
    assert max(int(each.sum()) for each in moved) == l1 == squared * S**2
    assert max(float(each @ each) for each in moved) == pytest.approx(l2**2, rel=1e-12)


def test_a_record_that_was_not_thinned_is_not_measured() -> None:
    with pytest.raises(ValueError, match="more entries"):
        measure(np.full((1, 3), S), Allowance(1.0, "rho"), Noise(RandomSource.fixed(1)), 2)


LABELLED = Pictures(height=1, width=2, levels=4, labels=("a", "b", "c")).described()


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
