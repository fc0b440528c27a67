"""Cut points: presets from the public range alone, and one cut at a time."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.authoring import cutting
from understudy.table.buckets import ByCuts, ByWidth, EachValue, assign
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    step = draw(st.sampled_from([Decimal(1), Decimal(5), Decimal("0.1"), Decimal(100)]))
    first, size = draw(st.integers(-60, 60)), draw(st.integers(2, 120))
    whole = step == step.to_integral_value()
    return Grid(
        kind="integers" if whole else "numbers",
        minimum=first * step,
        maximum=(first + size - 1) * step,
        step=step,
    )


@st.composite
def columns(draw: st.DrawFn) -> Column:
    """A column of numbers in any buckets."""
    grid = draw(grids())
    chosen = sorted(draw(st.sets(st.integers(1, grid.size - 1), max_size=6)))
    bucketings = [EachValue(), ByWidth(width=grid.step * draw(st.integers(1, grid.size + 2)))]
    buckets = draw(st.sampled_from([*bucketings, cutting.cuts_at(grid, chosen)]))
    return Column(name="x", domain=grid, missing=draw(st.booleans()), buckets=buckets)


def in_buckets(column: Column, buckets: object) -> Column:
    """The column, with the check that it can have them."""
    return column.changed(buckets=buckets)


@settings(deadline=None, max_examples=60)
@given(grids(), st.data())
def test_so_many_parts_are_as_alike_as_can_be(grid: Grid, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, grid.size))
    found = assign(grid, cutting.equal_buckets(grid, count))
    sizes = [found.buckets.count(bucket) for bucket in range(len(found.labels))]
    assert len(sizes) == count
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("count", [0, 11])
def test_more_parts_than_values_are_refused(count: int) -> None:
    with pytest.raises(Refusal) as caught:
        cutting.equal_buckets(Grid(minimum=Decimal(0), maximum=Decimal(9)), count)
    assert caught.value.field == "buckets"


@pytest.mark.parametrize(
    ("low", "high", "step", "base", "expected"),
    [
        (0, 9_000, 1, 10, "1 10 100 1000"),
        (0, 90_000, 500, 10, "100 1000 10000"),
        (1, 20, 1, 2, "2 4 8 16"),
        (-150, 150, 1, 10, "-100 -10 -1 1 10 100"),
        (0, 1, "0.01", 10, "0.01 0.1 1"),
    ],
)
def test_powers_lie_where_they_are_expected(
    low: int, high: int, step: object, base: cutting.Base, expected: str
) -> None:
    grid = Grid(
        kind="numbers", minimum=Decimal(low), maximum=Decimal(high), step=Decimal(str(step))
    )
    made = cutting.power_cuts(grid, base)
    assert isinstance(made, ByCuts)
    assert [f"{cut:f}" for cut in made.cuts] == expected.split()


def test_powers_outside_the_range_are_refused() -> None:
    with pytest.raises(Refusal):
        cutting.power_cuts(Grid(minimum=Decimal(200), maximum=Decimal(900)), 10)


@settings(deadline=None, max_examples=60)
@given(grids(), st.sampled_from([2, 10]))
def test_powers_always_fit_the_range_they_were_made_for(grid: Grid, base: cutting.Base) -> None:
    try:
        made = cutting.power_cuts(grid, base)
    except Refusal:
        return
    assert len(assign(grid, made).labels) > 1


@settings(deadline=None, max_examples=60)
@given(columns())
def test_places_are_where_neighbouring_values_part(column: Column) -> None:
    found = cutting.cut_places(column)
    assert len(found) == column.bucket_count - column.missing - 1
    assert all(column.bucket_map[place] != column.bucket_map[place - 1] for place in found)


@settings(deadline=None, max_examples=60)
@given(columns(), st.integers(-5, 130), st.integers(-5, 130))
def test_a_moved_cut_stays_between_its_neighbours(column: Column, place: int, to: int) -> None:
    before = cutting.cut_places(column)
    after = cutting.cut_places(in_buckets(column, cutting.move_cut(column, place, to)))
    assert len(after) == len(before)
    assert all(low < high for low, high in pairwise(after))
    others = [cut for cut in before if cut != place]
    assert set(others) <= set(after)
    if place in before and to in range(1, column.domain.size):
        free = [one for one in (place, to) if all((one > cut) == (place > cut) for cut in others)]
        assert to not in free or to in others or to in after


@settings(deadline=None, max_examples=60)
@given(columns(), st.integers(-5, 130))
def test_adding_and_removing_a_cut_are_each_others_inverse(column: Column, place: int) -> None:
    before = cutting.cut_places(column)
    more = in_buckets(column, cutting.add_cut(column, place))
    inside = 0 < place < column.domain.size
    assert set(cutting.cut_places(more)) == ({*before, place} if inside else set(before))
    if inside and place not in before:
        back = in_buckets(more, cutting.remove_cut(more, place))
        assert cutting.cut_places(back) == before


@settings(deadline=None, max_examples=60)
@given(columns())
def test_the_widest_bucket_is_halved(column: Column) -> None:
    ends = (0, *cutting.cut_places(column), column.domain.size)
    most = max(high - low for low, high in pairwise(ends))
    middle = cutting.widest_middle(column)
    if most == 1:
        assert middle is None
        return
    assert middle is not None
    low = max(end for end in ends if end < middle)
    high = min(end for end in ends if end > middle)
    assert high - low == most
    assert abs((high - middle) - (middle - low)) <= 1


def test_a_cut_typed_between_two_steps_stays_as_typed_when_another_moves() -> None:
    grid = Grid(minimum=Decimal(0), maximum=Decimal(100), step=Decimal(10))
    column = Column(name="x", domain=grid, buckets=ByCuts(cuts=(Decimal("24.5"), Decimal(60))))
    made = cutting.move_cut(column, 6, 8)
    assert made == ByCuts(cuts=(Decimal("24.5"), Decimal(80)))


def test_without_its_last_cut_a_column_is_one_bucket() -> None:
    column = Column(
        name="x",
        domain=Grid(minimum=Decimal(0), maximum=Decimal(9)),
        buckets=ByCuts(cuts=(Decimal(5),)),
    )
    assert in_buckets(column, cutting.remove_cut(column, 5)).bucket_count == 1


def test_categories_are_not_cut() -> None:
    with pytest.raises(Refusal):
        cutting.cut_places(Column(name="x", domain=Categories(values=("a", "b"))))
