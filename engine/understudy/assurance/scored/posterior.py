"""Codes disturbed by a model's own posterior: every law of a toy of factors and of a network.

The spaces, grids and their noise are the shipped ones, over every record of three flags; tables are
how many records are each. What p_d(z′) is comes from `LatentNoise.log_likelihood`, over all places
in reach of any record.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Final

import numpy as np

from understudy.assurance import ratios
from understudy.assurance.attempt import Pairs, pairs, worst
from understudy.assurance.drawing import Drawing
from understudy.assurance.finding import GUARANTEE, Check, Effort, Measured
from understudy.assurance.scored.small_space import PART, disguised
from understudy.core.arrays import FloatArray
from understudy.models.latent.factors import Factors
from understudy.models.latent.grid import DEVIATION, REACH, Grid, normal_law
from understudy.models.latent.latent_noise import LatentNoise, OfFactors, OfNetwork
from understudy.models.latent.networks.autoencoder import UNIT, Network, Shape
from understudy.models.latent.networks.variational import Variational
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test

_FLAGS: Final = 3
_KINDS: Final[tuple[TestKind, ...]] = ("plausible-deniability", "relative-sensitivity")
_TABLES: Final = 8
_DISTURBED: Final = 0.25
"""Times the posterior's deviation: the least that a plan may have, with which records are furthest
from making the same codes."""


def checks() -> tuple[Check, ...]:
    """Check that one attempt keeps its statement, ⊥ seen or not; and chances of all places sum to
    1."""
    found = [
        Check(
            PART,
            "codes disturbed by a posterior, one law for every record",
            "the chances with which a record makes any code sum to 1",
            GUARANTEE,
            _sums,
        )
    ]
    for kind in _KINDS:
        found.append(
            Check(
                PART,
                f"{kind.replace('-', ' ')}, codes disturbed by a posterior",
                "the statement for one attempt where n is known, with ⊥ and without",
                GUARANTEE,
                partial(_measured, kind),
            )
        )
    return tuple(found)


def mutants() -> tuple[Check, ...]:
    """Return the posterior broken in the way that would matter."""
    return (
        Check.mutant(
            "posterior, each record's own noise scored by the mean",
            "a record of which the model leaves more open is disturbed more, and scored as others",
            _own_noise,
        ),
    )


def _measured(kind: TestKind, effort: Effort) -> Measured:
    draw = Drawing(effort.seed + 41)
    return worst(_tried(kind, draw, effort.of(_TABLES)), _either)


def _either(tried: Pairs) -> FloatArray:
    """With ⊥ and without, over every t."""
    return np.maximum(ratios.with_seeds(tried), ratios.rejections_seen(tried))


def _tried(kind: TestKind, draw: Drawing, count: int) -> Iterator[Pairs]:
    alike = np.array([10, *[0] * (2**_FLAGS - 1)])
    gamma = 2.0 if kind == _KINDS[0] else None
    for law in _laws():
        yield pairs(privacy_test(kind, 8, 1.0, gamma), law, alike, name="equal records")
    for turn in range(count):
        test = draw.test(kind)
        table = draw.table(2**_FLAGS, test.k)
        yield pairs(test, _laws()[turn % 2], table, name=("factors", "a network")[turn % 2])


def _sums(_: Effort) -> Measured:
    found = Measured(0, 0.0)
    for name, law in zip(("factors", "a network"), _laws(), strict=True):
        off = float(np.abs(law.sum(axis=1) - 1).max())
        found |= Measured(len(law), off / 2.0**-30, name)
    return found


def _own_noise(_: Effort) -> Measured:
    """Return two records with one code, of which the second is disturbed four times as much."""
    grid = Grid(
        np.ones((1, 1), np.int64), np.zeros(1, np.int64), np.ones(1, np.int64), normal_law()
    )
    code = np.array([[grid.places // 2]])
    places = np.arange(code[0, 0] - REACH, code[0, 0] + REACH + 1).astype(np.uint16)[:, None]
    narrow = np.exp(grid.log_likelihood(code, places))
    wide = np.exp(-((places[:, 0] - code[0, 0].astype(float)) ** 2) / (2 * (4 * DEVIATION) ** 2))
    made = np.vstack([narrow, wide[None] / wide.sum()])
    return disguised(made, np.vstack([narrow, narrow]))


@cache
def _laws() -> Sequence[FloatArray]:
    """p_d(z′) of every record of three flags, of one hidden number in either model."""
    loadings = np.array([[0.8], [-0.5], [0.6]])
    factors = Factors(np.array([-0.6, 0.1, 0.4]), np.zeros(0), np.zeros(0), loadings)
    weights = np.cos(np.arange(Shape(_FLAGS, 2, 1).weights))
    network = Network.of(Shape(_FLAGS, 2, 1), weights)
    trained = Variational(network, np.zeros(1), np.full((1, 1), float(UNIT)))
    return (
        _law(LatentNoise(*OfFactors.with_grid(factors, _DISTURBED))),
        _law(LatentNoise(*OfNetwork.with_grid(trained, _DISTURBED, Drawing(1).source))),
    )


def _law(model: LatentNoise) -> FloatArray:
    """p_d(z′) of every record, over the places in reach of any."""
    every = np.array(list(itertools.product((0, 1), repeat=_FLAGS)), dtype=np.uint16)
    codes = model.located(every)[:, 0].astype(np.int64)
    places = np.arange(codes.min() - model.reach, codes.max() + model.reach + 1)
    return np.exp(model.log_likelihood(every, places.astype(np.uint16)[:, None]))
