"""Coordinates, the law of their noise and its logarithms against whole numbers written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.categorical import WHOLE
from understudy.models.latent.features import S
from understudy.models.latent.grid import DEVIATION, PLACES, REACH, Grid, normal_law
from understudy.models.latent.principal import ONE, learn_directions, public
from understudy.privacy.randomness import RandomSource


def grid(axes: int = 2, columns: int = 3, places: int = PLACES) -> Grid:
    rng = np.random.default_rng(axes)
    directions = rng.integers(-ONE, ONE + 1, (columns, axes))
    return Grid(
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
    made = Grid(np.eye(axes, dtype=np.int64), 0 * ones, ones, law, 7)
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
    made = Grid(np.array([[ONE]]), np.zeros(1, np.int64), width, normal_law(), places)
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
    Grid(*fits)
    with pytest.raises(ValueError, match="axes"):
        Grid(np.zeros((2, 0), np.int64), *fits[1:])
    with pytest.raises(ValueError, match="width"):
        Grid(fits[0], fits[1], np.zeros(1, np.int64), fits[3])
    with pytest.raises(ValueError, match="sum"):
        Grid(*fits[:3], normal_law() + 1)
    with pytest.raises(ValueError, match="axis"):
        Grid(*fits, places=8)


def test_directions() -> None:
    covariance = np.array([[4.0, 3.9], [3.9, 4.0]])
    (first,) = learn_directions(covariance, 1).T
    assert np.abs(first).tolist() == [2896, 2896]
    assert first[0] == first[1]
    waves = public(5, 9).astype(float)
    assert waves.shape == (5, 5)
    np.testing.assert_allclose(waves.T @ waves / ONE**2, np.eye(5), atol=1e-3)
    assert len(set(waves[:, 0])) == 1
