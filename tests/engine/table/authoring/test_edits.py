"""Changes to many columns at once. Cut points: presets from the public range alone, and one cut at
a time.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache, partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import grouped
from understudy.core.refusal import Refusal
from understudy.table.authoring import cuts as cutting
from understudy.table.authoring.edits import (
    allow_missing,
    edit_columns,
    fit_buckets,
    forbid_missing,
    give_meanings,
    with_category,
    with_columns,
    with_kind,
    with_policy,
    with_range,
    with_settings,
    without_columns,
    without_level,
)
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, EachValue, Group, assign
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.domain import Domain
from understudy.table.grid import Grid, spanned_grid
from understudy.table.kinds import convert_domain
from understudy.table.missing_codes import MissingCode, unlabelled
from understudy.table.schema import Schema

LETTERS = tuple("abcdef")


def grid(low: int = 0, high: int = 9, step: object = 1, kind: str = "integers") -> Grid:
    return Grid(kind=kind, minimum=Decimal(low), maximum=Decimal(high), step=Decimal(str(step)))


@cache
def mixed() -> Schema:
    """Letters, digits as categories, and two ranges."""
    return Schema(
        columns=(
            Column(name="letters", domain=Categories(values=LETTERS)),
            Column(name="digits", domain=Categories(values=("1", "2", "5"))),
            Column(name="age", domain=grid(0, 99), buckets=ByWidth(width=Decimal(10))),
            Column(name="wide", domain=grid(0, 1200), missing=True),
        )
    ).declare_public()


domains = st.one_of(
    st.sets(st.sampled_from(LETTERS), min_size=1).map(
        lambda values: Categories(values=tuple(sorted(values)))
    ),
    st.tuples(st.integers(-20, 20), st.integers(1, 40), st.sampled_from([1, 2, 5])).map(
        lambda each: grid(each[0], each[0] + each[1], each[2])
    ),
    st.tuples(st.integers(-20, 20), st.integers(1, 40), st.sampled_from([1, 2, 5])).map(
        lambda each: convert_domain(grid(each[0], each[0] + each[1], each[2]), "continuous")
    ),
)
bucketings = st.one_of(
    st.just(EachValue()),
    st.integers(1, 30).map(lambda width: ByWidth(width=Decimal(width))),
    st.sets(st.integers(-25, 60), min_size=1, max_size=5).map(
        lambda cuts: ByCuts(cuts=tuple(Decimal(cut) for cut in sorted(cuts)))
    ),
    st.tuples(st.integers(1, 5), st.sampled_from([None, "everything else", "x"])).map(
        lambda each: ByGroups(
            groups=(
                Group(label="low", values=LETTERS[: each[0]]),
                Group(label="everything else 2", values=LETTERS[each[0] :]),
            ),
            rest=each[1],
        )
    ),
)


@settings(deadline=None)
@given(domains, bucketings)
def test_refitted_buckets_always_fit_and_those_that_fit_stay(
    domain: Domain, buckets: ByWidth
) -> None:
    made = fit_buckets(domain, buckets)
    assign(domain, made)
    try:
        assign(domain, buckets)
    except Refusal:
        return
    assert assign(domain, made) == assign(domain, buckets)


def test_a_category_added_later_falls_in_everything_else() -> None:
    groups = ByGroups(groups=(Group(label="vowels", values=("a", "e")),), rest="others")
    column = Column(name="x", domain=Categories(values=LETTERS), buckets=groups)
    more = with_category(column, "z")
    assert more.buckets == groups
    assert more.bucket_labels[more.bucket_map[-1]] == "others"


def test_groups_that_held_everything_get_a_group_for_what_is_new() -> None:
    groups = ByGroups(
        groups=(Group(label="a", values=("a",)), Group(label="everything else", values=("b",)))
    )
    column = Column(name="x", domain=Categories(values=("a", "b")), buckets=groups)
    more = with_category(column, "c")
    assert more.bucket_labels == ("a", "everything else", "everything else 2")


def test_a_category_that_is_removed_leaves_its_group() -> None:
    groups = ByGroups(groups=(Group(label="x", values=("a",)), Group(label="y", values=("b", "c"))))
    column = Column(name="x", domain=Categories(values=("a", "b", "c")), buckets=groups)
    fewer = with_settings(column, domain=Categories(values=("b", "c")))
    assert fewer.bucket_labels == ("y",)


names = st.sets(st.sampled_from(mixed().names))
changes = st.sampled_from(
    [
        partial(with_kind, kind="categories"),
        partial(with_kind, kind="integers"),
        partial(with_kind, kind="numbers"),
        partial(with_kind, kind="continuous"),
        partial(with_range, precision="0.5"),
        allow_missing,
        partial(allow_missing, codes=unlabelled(("2", "NA"))),
        forbid_missing,
        partial(give_meanings, named=(MissingCode(values=("1",), label="refused"),)),
        partial(with_range, maximum="50"),
        partial(with_range, step="5"),
        partial(with_category, value="z", label="Zed"),
    ]
)


@settings(deadline=None, max_examples=60)
@given(names, changes)
def test_each_column_changes_as_it_would_alone_and_the_others_stay(
    chosen: set[str], change: partial[Column]
) -> None:
    before = mixed()
    made = edit_columns(before, chosen, change)
    assert made.schema.names == before.names
    for column in before.columns:
        after = made.schema.column(column.name)
        if column.name not in chosen or column.name in made.refused:
            assert after == column
        else:
            assert after == change(column)
        assert (column.name in made.changed) == (after != column)
        if column.name in made.refused:
            with pytest.raises(Refusal):
                change(column)
    assert made.schema.declared == (not made.changed)


def test_a_name_that_is_no_column_is_refused() -> None:
    with pytest.raises(Refusal):
        edit_columns(mixed(), ("nobody",), forbid_missing)


def test_kinds_change_where_they_can_and_say_why_where_not() -> None:
    made = edit_columns(mixed(), mixed().names, partial(with_kind, kind="categories"))
    assert made.changed == ("age",)
    assert "1,201 values" in made.refused["wide"].problem
    back = edit_columns(made.schema, mixed().names, partial(with_kind, kind="integers"))
    assert back.changed == ("digits", "age")
    assert "6 of its 6" in back.refused["letters"].problem
    assert back.schema.column("digits").domain == grid(1, 5)


def test_categories_with_decimals_span_a_range_in_their_steps() -> None:
    assert spanned_grid(("0.5", "2", "1.25")) == Grid(
        kind="numbers", minimum=Decimal("0.5"), maximum=Decimal(2), step=Decimal("0.01")
    )


def test_meanings_go_to_the_codes_that_a_column_has() -> None:
    named = (
        MissingCode(values=("-8",), label="not asked"),
        MissingCode(values=("-9", "-99"), label="refused"),
    )
    blank, eight, nine = MissingCode(), MissingCode(values=("-8",)), MissingCode(values=("-9",))
    age = Column(name="x", domain=grid(0, 90), missing=True, missing_codes=(blank, eight))
    assert give_meanings(age, named).missing_codes == (blank, named[0])
    both = age.changed(missing_codes=(nine, eight, blank))
    refused = MissingCode(values=("-9",), label="refused")
    assert give_meanings(both, named).missing_codes == (refused, named[0], blank)
    never = age.changed(missing=False)
    assert give_meanings(never, named) == never
    listed = Column(name="y", domain=Categories(values=("1", "2", "-9"), labels=("a", "b", "c")))
    made = give_meanings(listed, named)
    assert made.domain == Categories(values=("1", "2"), labels=("a", "b"))
    assert (made.missing, made.missing_codes) == (True, (refused,))
    with pytest.raises(Refusal):
        give_meanings(Column(name="z", domain=Categories(values=("-8",))), named)


def test_usual_tokens_for_missing_leave_out_values() -> None:
    column = Column(name="x", domain=Categories(values=("NA", "b")))
    allowed = allow_missing(column)
    assert allowed.missing
    assert "NA" not in allowed.missing_values


def test_a_category_that_is_there_changes_nothing_and_a_label_comes_along() -> None:
    column = mixed().column("letters")
    assert with_category(column, "a") == column
    labelled = with_category(column, "z", "Zed")
    assert labelled.labels == (*LETTERS, "Zed")
    with pytest.raises(Refusal):
        with_category(mixed().column("age"), "z")


def test_columns_go_and_come_back_in_the_order_of_the_file() -> None:
    before = mixed()
    fewer = without_columns(before, ("letters", "age"))
    assert fewer.names == ("digits", "wide")
    back = [before.column("age"), before.column("letters")]
    assert with_columns(fewer, back, before.names) == before
    with pytest.raises(Refusal):
        without_columns(before, before.names[:3])


def test_values_outside_are_settled_where_the_column_offers_it() -> None:
    after, refused = with_policy(mixed(), {"age": "clip"}, mixed().names, "missing")
    assert after == {"age": "clip", "wide": "missing"}
    assert set(refused) == {"letters", "digits", "age"}
    after, refused = with_policy(mixed(), {}, ("age", "letters"), "clip")
    assert after == {"age": "clip"}
    assert set(refused) == {"letters"}


def test_a_range_becomes_continuous_and_a_range_again() -> None:
    tenths = grid(0, 9, "0.5", "numbers")
    column = Column(name="x", domain=tenths, buckets=ByWidth(width=Decimal(3)))
    found = with_kind(column, "continuous")
    assert found.domain == Continuous(minimum=0, maximum=9, precision="0.1", step="0.5")
    assert found.buckets == column.buckets
    assert with_kind(found, "numbers") == column
    with pytest.raises(Refusal, match="not listed"):
        with_kind(found, "categories")
    assert with_kind(Column(name="x", domain=grid(0, 200, 10)), "continuous").domain == Continuous(
        minimum=0, maximum=200, precision=1, step=10
    )


def test_only_a_continuous_column_has_a_precision_and_a_unit() -> None:
    column = with_kind(Column(name="x", domain=grid(0, 200, 10)), "continuous")
    found = with_range(column, precision="0.5", unit="cm", maximum="300").domain
    assert found == Continuous(minimum=0, maximum=300, precision="0.5", step=10, unit="cm")
    for change in ({"precision": "1"}, {"unit": "cm"}):
        with pytest.raises(Refusal, match="numbers has no") as caught:
            with_range(Column(name="x", domain=grid()), **change)
        assert caught.value.field == "kind"


def test_cuts_inside_a_cell_move_to_its_end() -> None:
    cells = convert_domain(grid(0, 20, 5), "continuous")
    cuts = ByCuts(cuts=(Decimal(7), Decimal(12), Decimal(13)))
    assert fit_buckets(cells, cuts) == ByCuts(cuts=(Decimal(10), Decimal(15)))
    assert fit_buckets(cells, ByWidth(width=Decimal(7))) == EachValue()


def test_a_level_goes_and_those_above_it_stay() -> None:
    column = grouped((24, 12, 6, 2))
    made = without_level(column, 0)
    assert [made.level_size(level) for level in range(made.coarsest + 1)] == [24, 12, 2]
    assert made.level_map(2).tolist() == column.level_map(3).tolist()
    assert without_level(made, 0).levels == ()


def test_levels_stay_above_groups_that_follow_the_categories() -> None:
    column = with_category(grouped((24, 12, 6, 2)), "new")
    assert [column.level_size(level) for level in (1, 2, 3)] == [13, 7, 3]
    assert with_settings(column, title="Code").levels == column.levels


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
