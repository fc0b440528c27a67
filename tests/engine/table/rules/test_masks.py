"""Relations and masks against every record there is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.arrays import BoolArray
from understudy.table.rules import relation
from understudy.table.rules.masks import Mask, compile_masks, order_for
from understudy.table.rules.relation import Relation, Relations, TooWide

Record = tuple[int, ...]


def list_valid(relations: Relations) -> list[Record]:
    """List the records that meet every relation, one after another."""
    return [
        record
        for record in product(*map(range, relations.sizes))
        if all(one.allowed[tuple(record[place] for place in one.columns)] for one in relations.each)
    ]


@st.composite
def draw_relations(draw: st.DrawFn) -> Relations:
    """Draw relations among up to five columns of up to four codes."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    each = []
    for _ in range(draw(st.integers(0, 4))):
        columns = draw(
            st.lists(st.sampled_from(range(len(sizes))), min_size=1, max_size=3, unique=True)
        )
        shape = tuple(sizes[place] for place in sorted(columns))
        bits = draw(st.lists(st.booleans(), min_size=64, max_size=64))
        allowed = np.array(bits[: int(np.prod(shape))]).reshape(shape)
        each.append(Relation(tuple(sorted(columns)), allowed))
    return Relations.of(sizes, each)


def order_of(relations: Relations) -> st.SearchStrategy[list[int]]:
    """Draw an order of the columns."""
    return st.permutations(range(len(relations.sizes)))


def stack(records: list[Record]) -> list[np.ndarray]:
    """Return records as columns."""
    return [np.array(column, dtype=np.uint16) for column in zip(*records, strict=True)]


class TestCompileMasks:
    @given(st.data())
    def test_a_mask_leaves_what_some_valid_record_continues_with(self, data: st.DataObject) -> None:
        relations = data.draw(draw_relations())
        order = data.draw(order_of(relations))
        valid = list_valid(relations)
        if not valid:
            with pytest.raises(ValueError, match="no record"):
                compile_masks(relations, order)
            return
        masks = compile_masks(relations, order)
        columns = stack(valid)
        for place, column in enumerate(order):
            prefixes = {tuple(each[one] for one in order[: place + 1]) for each in valid}
            expected = np.array(
                [
                    [
                        (*(each[one] for one in order[:place]), value) in prefixes
                        for value in range(relations.sizes[column])
                    ]
                    for each in valid
                ]
            )
            mask = masks.get(column)
            if mask is None:
                assert expected.all()
                continue
            assert set(mask.scope) <= set(order[:place])
            assert (mask.of(columns) == expected).all()
            for value in range(relations.sizes[column]):
                values = np.full(len(valid), value, dtype=np.uint16)
                assert (mask.allows(columns, values) == expected[:, value]).all()

    @given(st.data())
    def test_records_with_one_number_have_one_mask(self, data: st.DataObject) -> None:
        relations = data.draw(draw_relations())
        valid = list_valid(relations)
        if not valid:
            return
        columns = stack(valid)
        for mask in compile_masks(relations, range(len(relations.sizes))).values():
            numbers = np.zeros(len(valid), dtype=np.int64)
            for place, added in mask.strides().items():
                numbers += added[columns[place]]
            assert ((numbers >= 0) & (numbers < mask.combinations)).all()
            found: dict[int, bytes] = {}
            for number, row in zip(numbers.tolist(), mask.of(columns), strict=True):
                assert found.setdefault(number, row.tobytes()) == row.tobytes()

    def test_three_columns_in_ascending_order(self) -> None:
        below = np.triu(np.ones((4, 4), dtype=bool))
        weakly = Relations.of([4] * 3, [Relation((0, 1), below), Relation((1, 2), below)])
        assert len(list_valid(weakly)) == 20
        strictly = Relations.of(
            [4] * 3,
            [Relation((0, 1), np.triu(below, 1)), Relation((1, 2), np.triu(below, 1))],
        )
        assert len(list_valid(strictly)) == 4
        first = compile_masks(strictly, (0, 1, 2))[0]
        assert first.of(stack([(0, 0, 0)])).tolist() == [[True, True, False, False]]


class TestProject:
    @given(st.data())
    def test_it_allows_what_some_valid_record_shows(self, data: st.DataObject) -> None:
        relations = data.draw(draw_relations())
        valid = list_valid(relations)
        if not valid:
            return
        places = st.sampled_from(range(len(relations.sizes)))
        columns = tuple(sorted(data.draw(st.sets(places, min_size=1, max_size=2))))
        expected = np.zeros([relations.sizes[place] for place in columns], dtype=bool)
        for record in valid:
            expected[tuple(record[place] for place in columns)] = True
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relation, "_AT_ONCE", data.draw(st.sampled_from([1, 8, 1000])))
            found = relations.project(columns)
        assert expected.all() if found is None else (found == expected).all()

    @given(st.data())
    def test_whatever_is_too_wide_forbids_nothing_possible(self, data: st.DataObject) -> None:
        relations = data.draw(draw_relations())
        valid = list_valid(relations)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relation, "MOST_CELLS", data.draw(st.integers(1, 30)))
            found = relations.project((0,))
        if found is not None:
            assert found[[record[0] for record in valid]].all()

    @given(draw_relations())
    def test_relations_are_possible_if_some_record_is(self, relations: Relations) -> None:
        assert relations.possible == bool(list_valid(relations))

    def test_a_pair_that_no_rule_names(self) -> None:
        below = np.triu(np.ones((4, 4), dtype=bool))
        relations = Relations.of([4] * 3, [Relation((0, 1), below), Relation((1, 2), below)])
        found = relations.project((0, 2))
        assert found is not None
        assert found.sum() == 10

    def test_differences_imply_a_third(self) -> None:
        unlike = ~np.eye(2, dtype=bool)
        two = [Relation((0, 1), unlike), Relation((1, 2), unlike)]
        found = Relations.of([2] * 3, two).project((0, 2))
        assert found is not None
        assert found.tolist() == np.eye(2, dtype=bool).tolist()
        assert not Relations.of([2] * 3, [*two, Relation((0, 2), unlike)]).possible


def ascending(size: int) -> BoolArray:
    """Return which pairs ascend."""
    return np.triu(np.ones((size, size), dtype=bool))


class TestWidth:
    def test_a_long_chain_of_wide_columns_is_put_in_an_order_that_serves(self) -> None:
        many = 6
        chain = Relations.of(
            [300] * many,
            [Relation((place, place + 1), ascending(300)) for place in range(many - 1)],
        )
        preferred = (0, 2, 4, 1, 3, 5)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relation, "MOST_CELLS", 300 * 300 - 1)
            with pytest.raises(TooWide):
                compile_masks(chain, preferred)
            order = order_for(chain, preferred)
            assert compile_masks(chain, order)
        assert sorted(order) == list(range(many))

    def test_a_ring_of_wide_columns_has_no_order_that_serves(self) -> None:
        ring = [Relation((place, place + 1), ascending(30)) for place in range(3)]
        relations = Relations.of([30] * 4, [*ring, Relation((0, 3), ascending(30))])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relation, "MOST_CELLS", 30 * 30 - 1)
            with pytest.raises(TooWide):
                order_for(relations, (0, 1, 2, 3))
            assert relations.project((0,)) is None

    def test_values_that_no_relation_tells_apart_are_one(self) -> None:
        allowed = np.ones((120, 3), dtype=bool)
        allowed[:16, 1:] = False
        one = Relations.of([120, 3, 7], [Relation((0, 1), allowed)])
        assert one.columns == (0, 1)
        assert [len(set(one.kinds[place].tolist())) for place in (0, 1)] == [2, 2]


class TestRelation:
    def test_columns_ascend_and_have_an_axis_each(self) -> None:
        with pytest.raises(ValueError, match="ascend"):
            Relation((1, 0), np.ones((2, 2), dtype=bool))
        with pytest.raises(ValueError, match="axis"):
            Relation((0, 1), np.ones(2, dtype=bool))
        with pytest.raises(ValueError, match="entry"):
            Relations.of([2, 3], [Relation((0, 1), np.zeros((2, 2), dtype=bool))])


def test_a_record_that_nothing_is_left_of_keeps_every_value() -> None:
    kinds = {0: np.arange(2), 1: np.array([0, 1, 1])}
    mask = Mask(1, (0,), kinds, (Relation((0, 1), np.array([[True, False], [False, False]])),))
    columns = [np.array([0, 1], dtype=np.uint16), np.zeros(2, dtype=np.uint16)]
    assert mask.of(columns).tolist() == [[True, False, False], [True, True, True]]
