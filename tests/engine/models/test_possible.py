"""Which pairs of columns follow from the columns by themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from understudy.models.possible import find_implied
from understudy.table.rules.relation import Relation, Relations

CELLS = st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=3, max_size=3)


def is_told(cells: np.ndarray) -> bool:
    """Return whether sums along both columns tell every possible cell: whether they are as many
    independent equations as there are cells."""
    places = np.argwhere(cells)
    equations = np.zeros((len(places), sum(cells.shape)))
    equations[np.arange(len(places)), places[:, 0]] = 1
    equations[np.arange(len(places)), cells.shape[0] + places[:, 1]] = 1
    return bool(np.linalg.matrix_rank(equations) == len(places))


class TestFindImplied:
    @given(CELLS)
    @example([[True, False, False, False], [False, True, True, True], [False] * 4])
    def test_a_pair_is_settled_if_its_columns_tell_every_cell(
        self, cells: list[list[bool]]
    ) -> None:
        allowed = np.array(cells)
        if not allowed.any():
            return
        relations = Relations.of((3, 4), [Relation((0, 1), allowed)])
        assert find_implied(relations).pairs == ({(0, 1)} if is_told(allowed) else set())

    def test_a_pair_that_no_rule_names_may_be_settled_too(self) -> None:
        """Whoever is asked the second question is asked the first, and the third with it."""
        just_then = np.equal.outer(np.arange(2) > 0, np.arange(3) > 0)
        alike = np.eye(2, dtype=bool)
        relations = Relations.of(
            (2, 2, 3, 2), [Relation((0, 1), alike), Relation((1, 2), just_then)]
        )
        assert find_implied(relations).pairs == {(0, 1), (0, 2), (1, 2)}

    @given(CELLS)
    @example([[True, True, False, False], [False, False, True, False], [False] * 4])
    @example([[True] * 4, [True] * 4, [False, True, False, True]])
    def test_a_column_is_told_if_each_value_of_the_other_leaves_one(
        self, cells: list[list[bool]]
    ) -> None:
        allowed = np.array(cells)
        if not allowed.any():
            return
        relations = Relations.of((3, 4), [Relation((0, 1), allowed)])
        found = find_implied(relations).tellers
        second = all(sum(row) <= 1 for row in cells)
        first = all(sum(row) <= 1 for row in zip(*cells, strict=True))
        expected = {1: {0}} if second else {0: {1}} if first else {}
        assert found == expected
