from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table import refusals
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, EachValue, Group, assign
from understudy.table.categories import Categories
from understudy.table.grid import Grid

AGES = Grid(minimum=17, maximum=96)
LETTERS = Categories(values=("SECRET", "b", "c", "d"))


def groups(*values, rest=None):
    made = tuple(Group(label=f"g{place}", values=found) for place, found in enumerate(values))
    return ByGroups(groups=made, rest=rest)


def refused(domain, make):
    return refusals.refused(lambda: assign(domain, make()))


def test_each_value_is_a_bucket():
    assert assign(LETTERS, EachValue()).buckets == (0, 1, 2, 3)


def test_buckets_of_a_width_begin_at_the_minimum():
    found = assign(AGES, ByWidth(width=10))
    assert found.buckets == tuple((age - 17) // 10 for age in range(17, 97))
    assert found.labels[0] == "17 to 26"
    assert found.labels[-1] == "87 to 96"


def test_a_cut_goes_above_itself():
    found = assign(AGES, ByCuts(cuts=(18, 65)))
    assert found.buckets == tuple((age >= 18) + (age >= 65) for age in range(17, 97))
    assert found.labels == ("17", "18 to 64", "65 to 96")


def test_a_cut_may_lie_between_values():
    assert assign(AGES, ByCuts(cuts=("17.5",))).labels == ("17", "18 to 96")


def test_long_numbers_are_read_in_threes():
    found = assign(Grid(minimum=0, maximum=200_000, step=5_000), ByWidth(width=100_000))
    assert found.labels == ("0 to 95,000", "100,000 to 195,000", "200,000")
    assert assign(Grid(minimum=1900, maximum=2020), ByWidth(width=60)).labels[0] == "1900 to 1959"


def test_groups_and_a_rest():
    found = assign(LETTERS, groups(("d", "b"), rest="others"))
    assert found.buckets == (1, 0, 1, 0)
    assert found.labels == ("g0", "others")


def test_a_rest_with_nothing_left_is_no_bucket():
    assert assign(LETTERS, groups(LETTERS.values, rest="others")).labels == ("g0",)


@pytest.mark.parametrize(
    ("domain", "make", "words"),
    [
        (LETTERS, lambda: ByWidth(width=2), "no order"),
        (LETTERS, lambda: ByCuts(cuts=(2,)), "no order"),
        (AGES, lambda: groups(("17",), rest="others"), "cannot be grouped"),
        (AGES, lambda: ByWidth(width=0), "not above zero"),
        (AGES, lambda: ByWidth(width=-5), "not above zero"),
        (AGES, lambda: ByWidth(width="0.5"), "below the step"),
        (AGES, lambda: ByWidth(width="NaN"), "finite"),
        (AGES, lambda: ByCuts(cuts=()), "no cut points"),
        (AGES, lambda: ByCuts(cuts=(30, 20)), "do not rise"),
        (AGES, lambda: ByCuts(cuts=(30, 30)), "do not rise"),
        (AGES, lambda: ByCuts(cuts=(17,)), "on one side"),
        (AGES, lambda: ByCuts(cuts=(97,)), "on one side"),
        (AGES, lambda: ByCuts(cuts=("30.2", "30.6")), "no value of the column between"),
        (LETTERS, lambda: groups(("b", "c")), "miss 2 of the 4 categories: number 1, 4"),
        (LETTERS, lambda: groups(("b", "c"), ("c", "d"), rest="x"), "in groups 1 and 2"),
        (LETTERS, lambda: groups(("b", "b"), rest="x"), "twice in group 1"),
        (LETTERS, lambda: groups(("e",), rest="x"), "not a category"),
        (LETTERS, lambda: groups((), rest="x"), "Group 1 is empty"),
        (LETTERS, lambda: groups(rest="x"), "no groups"),
        (LETTERS, lambda: groups(("b",), rest="g0"), "same name"),
        (LETTERS, lambda: groups(("b",), rest=" "), "blank"),
    ],
)
def test_what_does_not_fit_is_refused(domain, make, words):
    assert words in refused(domain, make).problem


def is_total(found, size):
    return len(found.buckets) == size and set(found.buckets) == set(range(len(found.labels)))


@given(st.integers(1, 300), st.decimals(min_value="0.1", max_value=400, places=1))
@settings(deadline=None)
def test_any_width_of_a_step_or_more_covers_every_value_in_order(size, width):
    grid = Grid(
        kind="numbers", minimum=-3, maximum=Decimal(-3) + (size - 1) * Decimal("0.1"), step="0.1"
    )
    found = assign(grid, ByWidth(width=width))
    assert is_total(found, grid.size)
    assert all(low <= high for low, high in pairwise(found.buckets))


@given(st.sets(st.integers(18, 96), min_size=1))
@settings(deadline=None)
def test_any_cuts_inside_the_range_cover_every_value_in_order(cuts):
    found = assign(AGES, ByCuts(cuts=tuple(sorted(cuts))))
    assert is_total(found, AGES.size)
    assert len(found.labels) == len(cuts) + 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
@settings(deadline=None)
def test_any_partition_of_categories_is_total(wanted):
    values = tuple(f"v{place}" for place in range(len(wanted)))
    kinds = sorted(set(wanted))
    members = [
        tuple(v for v, kind in zip(values, wanted, strict=True) if kind == one) for one in kinds
    ]
    found = assign(Categories(values=values), groups(*members))
    assert is_total(found, len(values))
    assert found.buckets == tuple(kinds.index(kind) for kind in wanted)
