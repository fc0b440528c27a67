"""Groups while they are being made."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.grouping import Grouping
from understudy.table.buckets import ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.levels import REST

VALUES = tuple("abcdefgh")


@st.composite
def groupings(draw: st.DrawFn) -> Grouping:
    where = [draw(st.integers(-1, 3)) for _ in VALUES]
    groups = tuple(
        (f"g{n}", tuple(v for v, at in zip(VALUES, where, strict=True) if at == n))
        for n in range(4)
    )
    return Grouping(groups, draw(st.sampled_from([None, REST])))


def held(grouping: Grouping) -> list[str]:
    return [value for _, each in grouping.groups for value in each]


@settings(deadline=None, max_examples=60)
@given(groupings(), st.sets(st.sampled_from(VALUES)), st.one_of(st.none(), st.integers(0, 3)))
def test_what_is_moved_is_in_one_group_and_nothing_else_moves(
    grouping: Grouping, values: set[str], to: int | None
) -> None:
    after = grouping.move_values(values, to)
    assert len(held(after)) == len(set(held(after)))
    assert set(after.left(VALUES)) - values == set(grouping.left(VALUES)) - values
    for number, ((_, before), (_, now)) in enumerate(
        zip(grouping.groups, after.groups, strict=True)
    ):
        rest = [value for value in before if value not in values]
        assert list(now[: len(rest)]) == rest
        assert (values <= set(now)) == (number == to or not values)


@settings(deadline=None, max_examples=60)
@given(groupings(), st.lists(st.sampled_from(VALUES), unique=True), st.integers(0, 3))
def test_a_group_is_filled_with_just_what_is_said(
    grouping: Grouping, values: list[str], group: int
) -> None:
    after = grouping.fill_group(group, values)
    assert set(after.groups[group][1]) == set(values)
    assert len(held(after)) == len(set(held(after)))


@settings(deadline=None, max_examples=60)
@given(groupings(), st.lists(st.sampled_from(VALUES), unique=True))
def test_a_new_group_has_a_name_of_its_own(grouping: Grouping, values: list[str]) -> None:
    after = grouping.add_group(values).add_group()
    names = [label for label, _ in after.groups]
    assert len(names) == len(set(names)) == len(grouping.groups) + 2
    assert set(after.groups[-2][1]) == set(values)


@settings(deadline=None, max_examples=60)
@given(groupings())
def test_the_last_group_is_not_dropped(grouping: Grouping) -> None:
    for _ in range(9):
        grouping = grouping.drop_group(0)
    assert len(grouping.groups) == 1


def test_the_groups_of_a_column_come_back_as_its_buckets() -> None:
    buckets = ByGroups(
        groups=(Group(label="x", values=("a", "c")), Group(label="y", values=("b",))), rest="z"
    )
    column = Column(name="n", domain=Categories(values=VALUES), buckets=buckets)
    assert Grouping.of(column).buckets() == buckets
    assert Grouping.of(column).rename_group(0, "w").buckets().groups[0].label == "w"


def test_groups_without_anything_in_them_are_refused() -> None:
    with pytest.raises(Refusal):
        Grouping((("g", ()),)).buckets()


@settings(deadline=None, max_examples=60)
@given(groupings(), st.sets(st.integers(0, 3)))
def test_merged_groups_hold_together_what_they_held(grouping: Grouping, places: set[int]) -> None:
    after = grouping.merge_groups(places)
    assert sorted(held(after)) == sorted(held(grouping))
    assert len(after.groups) == 4 - max(0, len(places) - 1)
    if len(places) > 1:
        first = min(places)
        assert after.groups[first][0] == f"g{first}"
        assert len(after.groups[first][1]) == sum(len(grouping.groups[n][1]) for n in places)


@settings(deadline=None, max_examples=60)
@given(groupings(), st.sets(st.sampled_from(VALUES), min_size=1), st.sampled_from(["g1", "new"]))
def test_what_is_split_off_is_under_its_name_and_no_empty_group_is_left(
    grouping: Grouping, values: set[str], label: str
) -> None:
    after = grouping.split(values, label)
    before = dict(grouping.groups).get(label, ())
    assert set(dict(after.groups)[label]) == values | set(before)
    assert all(each for _, each in after.groups)
    assert set(held(after)) == set(held(grouping)) | values
