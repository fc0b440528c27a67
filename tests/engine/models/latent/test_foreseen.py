"""What noise does to factors, foreseen and tried out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tests.support import category_schema
from understudy.models.latent.factors import Factors, pair_shares
from understudy.models.latent.features import Features, S
from understudy.models.latent.foreseen import foreseen, records_needed
from understudy.models.latent.moments import NoisyMoments
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

Real = npt.NDArray[np.float64]
_RECORDS, _MANY = 20_000, 10**9
"""How many are learned from, and drawn: so many that chance adds nothing."""


def flags(many: int) -> Features:
    return Features.of(category_schema(*[2] * many))


@pytest.mark.parametrize("noise", [0.004, 0.008])
def test_noise_does_what_was_foreseen(noise: float) -> None:
    many, width = 24, 4
    random = np.random.default_rng(5)
    loadings = np.zeros((many, width))
    loadings[:, 0] = 0.6 * random.choice([-1, 1], many)
    true = pair_shares(Factors(np.zeros(many), np.zeros(0), np.zeros(0), loadings))
    found = foreseen(flags(many), (2,) * many, noise * _RECORDS * S**2, _RECORDS, _MANY)
    tried = [_learned(true, noise, width, random) for _ in range(3)]
    single = np.mean([np.abs(np.diag(each - true)).mean() for each in tried])
    pair = np.mean([_apart(each, true).mean() for each in tried])
    assert found.column_by_noise == pytest.approx(single, rel=0.2)
    assert found.pair_by_noise == pytest.approx(pair, rel=0.35)
    assert found.counted == many * (many - 1) // 2


def _learned(true: Real, noise: float, width: int, random: np.random.Generator) -> Real:
    """The pairs of a model of exact sums with so much noise on each."""
    exact = np.ones((len(true) + 1, len(true) + 1))
    exact[1:, 1:] = true
    exact[0, 1:] = exact[1:, 0] = np.diag(true)
    sums = exact[np.triu_indices(len(exact))] * _RECORDS
    sums = sums + random.normal(0, noise * _RECORDS, len(sums))
    moments = NoisyMoments.of(np.rint(sums * S**2), len(true), noise * _RECORDS * S**2)
    return pair_shares(Factors.fit(moments, width))


def _apart(one: Real, other: Real) -> Real:
    return np.asarray(np.abs(_cells(one) - _cells(other)).sum(axis=0) / 2)


def _cells(shares: Real) -> Real:
    left, right = np.triu_indices(len(shares), 1)
    both, alone = shares[left, right], np.diag(shares)
    return np.stack(
        [both, alone[left] - both, alone[right] - both, 1 - alone[left] - alone[right] + both]
    )


def test_no_pair_is_told_where_noise_covers_what_is_usual() -> None:
    found = foreseen(flags(6), (2,) * 6, 0.05 * _RECORDS * S**2, _RECORDS, _MANY)
    assert not found.counted
    assert found.unrelated == ()
    assert found.hardly_related == tuple(range(6))


def test_numbers_stand_in_the_order_of_the_schema() -> None:
    columns = [Column(name="n", domain=Grid(minimum=0, maximum=9))]
    columns += [Column(name=f"f{at}", domain=Grid(minimum=0, maximum=1)) for at in range(2)]
    features = Features.of(Schema(columns=tuple(columns)))
    sizes = (10, 2, 2)
    found = foreseen(features, sizes, 0.001 * _RECORDS * S**2, _RECORDS, 1_000)
    more = foreseen(features, sizes, 0.002 * _RECORDS * S**2, _RECORDS, 1_000)
    assert (more.single > found.single).all()
    assert np.isfinite(found.pairs).all()
    assert (np.argmax(found.drawn.diagonal())) == 0


def test_more_noise_takes_more_records() -> None:
    assert records_needed(4.0 * S**2) == pytest.approx(40.0)
