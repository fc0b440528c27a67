"""How much of what there is to keep is lost, before a table is made and after."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.excess import Excess, excess_of_release, stakes_foreseen, stakes_found
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED
from understudy.models.prediction import USUAL, prediction_of

SIZES = np.array([4, 3, 5, 900])


def square(pairs: dict[tuple[int, int], float], single: float = 0.0, size: int = 4) -> np.ndarray:
    found = np.zeros((size, size))
    for (one, other), value in pairs.items():
        found[one, other] = found[other, one] = value
    np.fill_diagonal(found, single)
    return found


def test_before_noise_is_held_against_two_columns_tied_as_usual() -> None:
    able = np.ones((4, 4), dtype=bool)
    able[3, :3] = able[:3, 3] = False
    single = np.array([0.01, 0.02, 0.06, 0.001])
    ahead = prediction_of(SIZES, single, {(0, 1): 0.01, (0, 2): 0.05, (1, 2): 0.2}, 1_000, able)
    found = stakes_foreseen(ahead)
    assert not found.is_measured
    np.testing.assert_allclose(found.off, 2 * single)
    assert found.kept_columns.tolist() == [True, True, False, True]
    assert found.lost[0, 1] == pytest.approx(0.01 / USUAL)
    assert found.lost[1, 2] == 1
    assert found.kept_pairs[0, 1]
    assert not found.kept_pairs[0, 2]
    assert found.unrelated == (3,)
    assert not found.kept_pairs[3].any()


def test_a_pair_that_is_not_counted_is_never_kept() -> None:
    """However near chance leaves it: 38 counted pairs of 55 are fit for 38 at most."""
    rng = np.random.default_rng(2)
    every = [(one, other) for one in range(11) for other in range(one + 1, 11)]
    counted = {every[at]: 1e-4 for at in rng.permutation(55)[:38]}
    ahead = prediction_of(np.full(11, 4), np.zeros(11), counted, 10**9, np.ones((11, 11), bool))
    found = stakes_foreseen(ahead)
    kept = {each for each in every if found.kept_pairs[each]}
    assert kept == set(counted)


def found(released: float, marginals: float, real: float = 0.02, records: int = 10_000) -> Excess:
    tables = tuple(
        Compared(name, records, Distances(np.full(3, real), square_of(value, real)))
        for name, value in ((RELEASED, released), (REALS, real), (MARGINALS, marginals))
    )
    excess = excess_of_release(tables)
    assert excess is not None
    return excess


def square_of(pair: float, single: float) -> np.ndarray:
    flat = np.full((3, 3), pair)
    np.fill_diagonal(flat, single)
    return flat


@pytest.mark.parametrize(
    ("released", "marginals", "kept", "lost"),
    [
        (0.03, 0.08, True, 1 / 6),
        (0.06, 0.08, False, 4 / 6),
        # A table whose columns are independent keeps nothing, however weak relations are.
        (0.04, 0.04, False, 1.0),
        # Nothing to keep, and nothing made up.
        (0.025, 0.022, True, np.nan),
        # Relations that real records do not show.
        (0.07, 0.022, False, np.nan),
    ],
)
def test_after_what_is_lost_is_a_part_of_what_independent_columns_lose(
    released: float, marginals: float, kept: bool, lost: float
) -> None:
    stakes = stakes_found(found(released, marginals))
    assert stakes.is_measured
    upper = np.triu_indices(3, 1)
    np.testing.assert_allclose(stakes.lost[upper], lost)
    assert (stakes.kept_pairs[upper] == kept).all()


def test_what_chance_explains_is_no_relation() -> None:
    """A pair 2 % further off is seen in 10,000 records, and not in 500."""
    many, few = (stakes_found(found(0.04, 0.04, records=each)) for each in (10_000, 500))
    assert not many.kept_pairs[0, 1]
    assert few.kept_pairs[0, 1]


def test_without_independent_columns_beside_it_nothing_is_said_to_be_kept_or_lost() -> None:
    excess = Excess(square({(0, 1): 0.001}), square({}), ())
    assert np.isnan(stakes_found(excess).lost).all()
