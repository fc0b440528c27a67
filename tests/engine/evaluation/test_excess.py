"""How much further off than other real records, foreseen and found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.evaluation.comparison import Compared, Distances, distances
from understudy.evaluation.excess import Excess, by_chance, chance_of_typical, excess_of_release
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED
from understudy.table.records import Records


def compared(**squares: list[list[float]]) -> tuple[Compared, ...]:
    named = {"released": RELEASED, "real": REALS, "marginals": MARGINALS}
    return tuple(
        Compared(named[name], 10_000, Distances(np.diag(each).copy(), np.array(each)))
        for name, each in squares.items()
    )


def flat(pair: float, single: float = 0.01, size: int = 3) -> list[list[float]]:
    return [[single if row == place else pair for place in range(size)] for row in range(size)]


def test_what_is_found_is_what_is_beyond_other_real_records() -> None:
    after = excess_of_release(compared(released=flat(0.07, 0.03), real=flat(0.05, 0.01)))
    assert after is not None
    assert after.columns == pytest.approx(0.02)
    assert after.pairs == pytest.approx(0.02)
    assert after.typical_pair == pytest.approx(0.02)
    assert after.unrelated == ()


def test_chance_stays_within_what_is_said_of_it() -> None:
    """Two tables of the same law against held-out records of it: the worst law for the bound has
    two even values."""
    random, records, held_out = np.random.default_rng(6), 400, 4_000
    for shares in ([0.5, 0.5], [0.25] * 4, [0.9, 0.1]):
        made, real, held = (
            random.multinomial(size, shares, 20_000) / size for size in (records, records, held_out)
        )
        apart = (np.abs(made - held) - np.abs(real - held)).sum(axis=1) / 2
        assert (np.abs(apart) <= by_chance(records)).mean() > 0.945


@pytest.mark.parametrize("columns", [2, 5, 11])
@pytest.mark.parametrize("records", [300, 3_000])
def test_chance_seldom_moves_a_typical_column_or_pair_further(records: int, columns: int) -> None:
    """Of columns that have nothing to do with each other, two samples beside a third."""
    random = np.random.default_rng(records + columns)
    schema = category_schema(*random.integers(2, 8, columns).tolist())
    moved = []
    for _ in range(40):
        codes = random.integers(0, schema.cardinalities, (3 * records, columns))
        held, one, other = (Records(schema, each.astype(np.uint16)) for each in np.split(codes, 3))
        near, far = (distances(each, held) for each in (one, other))
        moved += [near.typical_column - far.typical_column, near.typical_pair - far.typical_pair]
    assert (np.abs(moved) <= chance_of_typical(records, columns)).mean() >= 0.95


def test_without_a_release_or_other_records_nothing_is_found() -> None:
    assert excess_of_release(compared(released=flat(0.07))) is None
    assert excess_of_release(compared(real=flat(0.07))) is None


def test_a_column_that_kept_nothing_of_its_relations_is_named() -> None:
    """The marginals miss 0.1 of every pair; the release all of it where the first column is."""
    released = flat(0.01)
    released[0][1] = released[1][0] = released[0][2] = released[2][0] = 0.11
    after = excess_of_release(compared(released=released, real=flat(0.01), marginals=flat(0.11)))
    assert after is not None
    assert after.unrelated == (0,)


def test_a_column_without_relations_has_none_to_lose() -> None:
    after = excess_of_release(compared(released=flat(0.3), real=flat(0.01), marginals=flat(0.01)))
    assert after is not None
    assert after.unrelated == ()


def test_the_worst_come_first() -> None:
    apart = np.array([[0.1, 0.0, 0.3], [0.0, 0.4, 0.2], [0.3, 0.2, 0.0]])
    excess = Excess(apart, np.zeros((3, 3)), ())
    assert [place for (place,), _ in excess.worst_columns()] == [1, 0, 2]
    assert [pair for pair, _ in excess.worst_pairs()] == [(0, 2), (1, 2), (0, 1)]
