from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.sharing import rows_of, shares, tables
from understudy.evaluation.cells import Sides, renumbered
from understudy.evaluation.intervals import deal
from understudy.table.records import Records


@given(tables(fewest=6), st.data())
def test_shares_are_those_of_counting(pair: tuple[Records, Records], data: st.DataObject) -> None:
    table, held_out = pair
    columns = data.draw(st.permutations(range(len(table.schema))))
    columns = columns[: data.draw(st.integers(1, len(columns)))]
    blocks = data.draw(st.sampled_from([0, 2, 5]))
    rng = np.random.default_rng(1)
    dealt = deal(len(table), rng, blocks or 2), deal(len(held_out), rng, blocks or 2)
    found = Sides.of(table, held_out, dealt if blocks else None).shares(columns)
    assert found.domain == np.prod(table.schema.cardinalities[columns])
    assert found.table.shape == found.held_out.shape
    assert len(found.table) == 1 + blocks
    for row in range(1 + blocks):
        kept = [block != row - 1 if row else np.full(len(block), True) for block in dealt]
        slow = [
            shares(rows_of(each.take(rows)), columns) for each, rows in zip(pair, kept, strict=True)
        ]
        wanted = [(slow[0].get(cell, 0.0), slow[1].get(cell, 0.0)) for cell in slow[0] | slow[1]]
        quick = zip(found.table[row], found.held_out[row], strict=True)
        # A cell whose records were all in the block that is left out has shares of 0.
        np.testing.assert_allclose(
            sorted(each for each in quick if any(each)), sorted(wanted), rtol=1e-12
        )


def test_cells_beyond_64_bits_are_told_apart() -> None:
    size = 2**20
    codes = np.zeros((5, 4), dtype=np.int64)
    codes[:, 2], codes[:, 3] = size - 1, size - 1
    # The first two differ in the leading column only, which 64 bits would lose.
    codes[0, 0] = 1
    sides = Sides((size,) * 5, codes, 2, np.zeros(4, dtype=np.int64), 0)
    found = sides.shares(range(5))
    assert found.domain == size**5
    assert sorted(zip(found.table[0], found.held_out[0], strict=True)) == [
        (0, 1),
        (0.5, 0),
        (0.5, 0),
    ]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30), st.booleans())
def test_gaps_are_closed(numbers: list[int], small: bool) -> None:
    cell = np.array(numbers, dtype=np.int64) // (10**5 if small else 1)
    number, occurring = renumbered(cell, int(cell.max()) + 1)
    values = sorted(set(cell.tolist()))
    assert occurring == len(values)
    assert [values[each] for each in number] == cell.tolist()
