from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.models.marks import EVEN, KEPT, MARKED, TARGETED, Marks

NAMES = tuple("abcdef")


def groups() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True).map(tuple)


MARKS = st.builds(
    Marks,
    target=st.none() | st.sampled_from(NAMES),
    columns=st.lists(st.sampled_from(NAMES), unique=True, max_size=3).map(tuple),
    together=st.lists(groups(), max_size=3).map(tuple),
)


def plainly(marks: Marks, pair: tuple[str, str]) -> float:
    """What a pair weighs, read off the marks one by one."""
    weights = [1.0]
    weights += [MARKED for group in marks.together if {*pair} <= {*group}]
    weights += [TARGETED] if marks.target in pair else []
    weights += [KEPT] if {*pair} & {*marks.columns} else []
    return max(weights)


@given(MARKS)
def test_a_pair_weighs_as_the_strongest_of_its_marks(marks: Marks) -> None:
    found = marks.importance(NAMES)
    square = found.of_pairs(len(NAMES))
    for one, other in combinations(range(len(NAMES)), 2):
        weight = plainly(marks, (NAMES[one], NAMES[other]))
        assert found.of((one, other)) == square[one, other] == square[other, one] == weight
    for place, weight in enumerate(found.of_columns(len(NAMES))):
        marked = NAMES[place] in (*marks.columns, marks.target)
        assert weight == (KEPT if marked else 1.0)
    triples = {tuple(sorted(map(NAMES.index, each))) for each in marks.together if len(each) == 3}
    assert {*found.triples} == triples
    assert bool(found) == bool(marks)


def test_without_marks_all_weigh_the_same() -> None:
    assert Marks().importance(NAMES) is EVEN
    assert not EVEN
    assert (EVEN.of_pairs(3) == np.ones((3, 3))).all()


@pytest.mark.parametrize("group", [(), ("a",), ("a", "a"), ("a", "b", "c", "d")])
def test_two_or_three_different_columns_are_marked_together(group: tuple[str, ...]) -> None:
    with pytest.raises(Refusal, match="cannot be marked together"):
        Marks(together=(group,))


@given(MARKS)
def test_what_is_left_of_marks_fits_the_columns_that_are_there(marks: Marks) -> None:
    left = marks.among(NAMES[:3])
    left.check(NAMES[:3])
    assert left.among(NAMES) == left
    marks.check(NAMES)


@pytest.mark.parametrize(
    ("marks", "field"),
    [
        (Marks(target="z"), "marks.target"),
        (Marks(columns=("a", "z")), "marks.columns"),
        (Marks(together=(("a", "z"),)), "marks.together"),
    ],
)
def test_a_mark_on_what_is_no_column_is_refused(marks: Marks, field: str) -> None:
    with pytest.raises(Refusal, match="“z” is marked to survive, and is no column") as refused:
        marks.check(NAMES)
    assert refused.value.field == field


def test_each_mark_is_a_group_of_columns() -> None:
    marks = Marks(target="b", columns=("a",), together=(("c", "a"),))
    assert marks.groups("abc") == (("c", "a"), ("a",), ("b", "a"), ("b", "c"))
