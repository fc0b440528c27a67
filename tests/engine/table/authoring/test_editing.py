"""Changes to many columns at once."""

from __future__ import annotations

from decimal import Decimal
from functools import cache, partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.leveled import grouped
from understudy.core.refusal import Refusal
from understudy.table.authoring.editing import (
    allow_missing,
    edit_columns,
    fit_buckets,
    forbid_missing,
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
        partial(allow_missing, tokens=("2", "NA")),
        forbid_missing,
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
