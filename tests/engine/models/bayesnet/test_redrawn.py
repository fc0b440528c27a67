"""The model that keeps or redraws each attribute: its law in exact fractions, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema, random_network
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import WHOLE, ConditionalTable
from understudy.privacy.randomness import RandomSource

SIZES = (2, 3, 20)


def marginals(sizes: tuple[int, ...] = SIZES) -> BayesianNetwork:
    schema = category_schema(*sizes)
    structure = Structure.independent(len(sizes))
    return random_network(schema, structure, np.random.default_rng(2))


def probability(model: Redrawn, seed: list[int], made: list[int]) -> Fraction:
    parts = [
        Fraction(int(each[y]) + (int(each[-1]) if y == d else 0), WHOLE)
        for each, d, y in zip(model.chances, seed, made, strict=True)
    ]
    return math.prod(parts, start=Fraction(1))


@given(shares=st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_likelihoods_are_those_of_the_law(shares: list[float]) -> None:
    model = Redrawn.of(marginals(), shares)
    rng = np.random.default_rng(1)
    seeds, made = (
        np.column_stack([rng.integers(0, size, rows) for size in SIZES]).astype(np.uint16)
        for rows in (6, 5)
    )
    made[0] = seeds[0]
    found = model.log_likelihood(seeds, made)
    for (row, d), (column, y) in product(enumerate(seeds.tolist()), enumerate(made.tolist())):
        p = probability(model, d, y)
        exact = math.log(p.numerator) - math.log(p.denominator)
        assert found[row, column] == pytest.approx(exact, abs=1e-9, rel=1e-13)


def test_the_law_of_every_candidate_sums_to_one_and_is_what_is_drawn() -> None:
    model = Redrawn.of(marginals((2, 3)), [0.3, 0.9])
    universe = np.array(list(product(range(2), range(3))), dtype=np.uint16)
    law = np.exp(model.log_likelihood(universe, universe))
    np.testing.assert_allclose(law.sum(axis=1), 1, rtol=1e-9)
    count = 20_000
    for row, seed in enumerate(universe):
        made = model.propose(np.tile(seed, (count, 1)), RandomSource.fixed(row))
        found = np.bincount(made[:, 0] * 3 + made[:, 1], minlength=6) / count
        np.testing.assert_allclose(found, law[row], atol=5 * math.sqrt(0.25 / count))


def test_an_entry_is_the_same_whatever_else_is_asked_about() -> None:
    model = Redrawn.of(marginals((2,) * 42 + (30,)), 0.2)
    rng = np.random.default_rng(4)
    seeds, made = rng.integers(0, 2, (2, 150, 43)).astype(np.uint16)
    whole = model.log_likelihood(seeds, made)
    for rows, columns in ((1, 1), (7, 3), (64, 150), (150, 1), (1, 150)):
        for start, first in ((0, 0), (150 - rows, 150 - columns)):
            part = model.log_likelihood(
                np.asfortranarray(seeds[start : start + rows]), made[first : first + columns]
            )
            expected = whole[start : start + rows, first : first + columns]
            assert part.tobytes() == np.asfortranarray(expected).T.tobytes() or (
                part.tolist() == expected.tolist()
            )


def test_every_sum_is_exact() -> None:
    """Against sums of the same multiples in whole numbers of any size."""
    model = Redrawn.of(marginals((2,) * 60 + (30,) * 3), 0.001)
    rng = np.random.default_rng(4)
    seeds, made = rng.integers(0, 2, (2, 20, 63)).astype(np.uint16)
    found = model.log_likelihood(seeds, made)
    logs = [[[Fraction(x) for x in part] for part in each] for each in model.logs]
    for (row, d), (column, y) in product(enumerate(seeds.tolist()), enumerate(made.tolist())):
        exact = sum(
            alone[b] + (gain[b] if a == b else 0)
            for (alone, gain), a, b in zip(logs, d, y, strict=True)
        )
        assert Fraction(found[row, column]) == exact


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_nearly_all_kept_and_all_redrawn(share: float) -> None:
    model = Redrawn.of(marginals(), share)
    seeds = np.zeros((200, 3), dtype=np.uint16)
    made = model.propose(seeds, RandomSource.fixed(1))
    assert (made == seeds).all() == (share == 0)
    likely = model.log_likelihood(np.array([[0, 0, 0], [1, 2, 19]], dtype=np.uint16), made)
    assert (np.ptp(likely) > 20) == (share == 0)
    assert share == 0 or (np.abs(likely[0] - likely[1]) < 1e-3).all()


def test_what_is_refused() -> None:
    edged = random_network(
        category_schema(2, 2), Structure(((), (0,)), (0, 1)), np.random.default_rng(1)
    )
    for network, share in ((edged, 0.5), (marginals(), 1.1), (marginals(), -0.1)):
        with pytest.raises(ValueError, match="θ"):
            Redrawn.of(network, share)
    with pytest.raises(ValueError, match="chances"):
        Redrawn((np.array([1, WHOLE - 1, 0]),))
    with pytest.raises(ValueError, match="attributes"):
        Redrawn(())


def test_its_tables_are_drawn_from_as_they_are_written() -> None:
    model = Redrawn.of(marginals(), 0.5)
    for each, table in zip(model.chances, model._tables, strict=True):
        assert isinstance(table, ConditionalTable)
        assert table.weights[0].tolist() == each.tolist()
