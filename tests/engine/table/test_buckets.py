"""Levels above groups: a nested chain that holds every category, or a refusal that says why not."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table import refusals
from tests.engine.table.builders import leveled_columns
from tests.engine.table.refusals import SECRET
from tests.engine.table.refusals import refused as refused_by
from understudy.table.buckets import Buckets, ByCuts, ByGroups, ByWidth, EachValue, Group, assign
from understudy.table.categories import Categories
from understudy.table.checks import MOST_CATEGORIES, MOST_STEPS
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.levels import MOST_LEVELS, are_nested, levels_above, places_of
from understudy.table.schema import Schema

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


def by(*groups: tuple[str, str], rest: str | None = None) -> ByGroups:
    made = tuple(Group(label=label, values=tuple(values.split())) for label, values in groups)
    return ByGroups(groups=made, rest=rest)


TRADES = Categories(values=("cook", "baker", "smith", "mason", "clerk"))
BUCKETS = by(("food", "cook baker"), ("metal", "smith"), ("stone", "mason"), rest="desk")
HANDS = by(("hands", "metal stone"), ("food", "food"), rest="other")
TRADE = Column(name="trade", domain=TRADES, missing=True, buckets=BUCKETS, levels=(HANDS,))


@given(leveled_columns())
def test_each_level_is_a_coarsening_of_the_one_below_and_holds_every_code(column: Column) -> None:
    missing = column.unknown_code
    for level in range(column.coarsest + 1):
        seen = column.level_map(level)
        assert sorted(set(seen.tolist())) == list(range(column.level_size(level)))
        assert len(column.level_labels(level)) == column.level_size(level)
        if missing is not None:
            assert np.flatnonzero(seen == seen[missing]).tolist() == [missing]
        for coarse in range(level, column.coarsest + 1):
            assert column.fold(level, coarse)[seen].tolist() == column.level_map(coarse).tolist()
    assert column.level_map(1).tolist() == column.bucket_map.tolist()


@given(leveled_columns())
def test_levels_that_are_read_off_and_built_again_are_the_same(column: Column) -> None:
    domain, buckets = column.domain, column.buckets
    assert isinstance(domain, Categories)
    assert isinstance(buckets, ByGroups)
    again = levels_above(domain, buckets, places_of(domain, buckets, column.levels))
    made = column.changed(levels=again)
    assert made.coarsest == column.coarsest
    for level in range(column.coarsest + 1):
        pairs = zip(made.level_map(level).tolist(), column.level_map(level).tolist(), strict=True)
        assert len(set(pairs)) == column.level_size(level)


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ((by(("hands", "metal stone")),), "Level 2 of the groups: The groups miss 2 of the 4"),
        ((by(("hands", f"metal {SECRET}"), rest="x"),), "Group 1 holds something that is not a"),
        ((by(("a", "metal"), ("b", "metal"), rest="x"),), "Group 2 of the list is in groups 1"),
        ((by(("all", "food metal stone desk")),), "makes 1 of 4"),
        ((by(("a", "food"), ("b", "metal"), ("c", "stone"), rest="d"),), "makes 4 of 4"),
        ((HANDS, by(("food", "food"), rest="x"), by(("y", "x food"))), "Level 4 of the groups"),
        ((HANDS,) * (MOST_LEVELS + 1), "There are 7 levels"),
    ],
)
def test_what_makes_no_chain_is_refused(levels: Sequence[ByGroups], says: str) -> None:
    found = refused_by(TRADE.changed, levels=tuple(levels))
    assert says in found.problem
    assert found.field == "levels"


def test_levels_need_groups_below_them() -> None:
    assert "no groups" in refused_by(TRADE.changed, buckets=EachValue()).problem
    assert TRADE.with_buckets(EachValue()).levels == ()


@pytest.mark.parametrize(
    ("buckets", "above"),
    [
        (BUCKETS, "hands: metal stone; food: food; other: desk"),
        (
            by(("boil", "cook"), ("bake", "baker"), ("build", "mason smith"), rest="desk"),
            "food: boil bake; hands: build; other: desk",
        ),
        # The food, with a smith among it, goes where most of it was; three groups of three.
        (by(("a", "cook baker smith"), ("b", "mason"), rest="c"), ""),
    ],
)
def test_other_groups_keep_the_levels_that_still_tell_something(
    buckets: Buckets, above: str
) -> None:
    levels = TRADE.with_buckets(buckets).levels
    said = [f"{each.label}: {' '.join(each.values)}" for level in levels for each in level.groups]
    said += [f"{level.rest}: desk" for level in levels if level.rest]
    assert "; ".join(said) == above


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), min_size=1, max_size=8),
    st.data(),
)
def test_nested_is_what_a_look_at_every_two_categories_says(
    where: list[tuple[str, str]], data: st.DataObject
) -> None:
    fine = {str(place): each[0] for place, each in enumerate(where)}
    named = data.draw(st.sets(st.sampled_from(sorted(fine))))
    coarse = {value: each[1] for (value, _), each in zip(fine.items(), where, strict=True)}
    coarse = {value: label for value, label in coarse.items() if value in named}
    within = all(
        coarse.get(one) == coarse.get(other)
        for one in fine
        for other in fine
        if fine[one] == fine[other]
    )
    fewer = len({coarse.get(each) for each in fine}) < len(set(fine.values()))
    assert are_nested(fine, coarse) == (within and fewer)


def test_a_schema_keeps_its_levels_and_its_fingerprint_knows_them() -> None:
    other = Column(name="other", domain=TRADES)
    schema = Schema(columns=(TRADE, other))
    assert Schema.from_json(schema.to_json()) == schema
    bare = schema.replace(TRADE.changed(levels=()))
    renamed = by(("others", "metal stone"), ("food", "food"), rest="x")
    assert len({each.fingerprint for each in (schema, bare)}) == 2
    assert schema.replace(TRADE.changed(levels=(renamed,))).fingerprint == schema.fingerprint


def test_without_levels_files_and_fingerprints_are_as_they_were_before_there_were_any() -> None:
    state = Column(
        name="STATE",
        domain=Categories(values=("m", "d", "w")),
        buckets=by(("now", "m"), rest="not now"),
    )
    schema = Schema(columns=(state, Column(name="SEX", domain=Categories(values=("1", "2")))))
    assert schema.fingerprint == "73f690f4a4da75a6e737d20be81d8bb62cd15f8edb287302d8cc319f4f12b795"
    assert "levels" not in schema.to_json()


def test_categories_keep_their_order():
    categories = Categories(values=("b", "a"), labels=("Bee", "Ay"))
    assert categories.texts == ("b", "a")
    assert categories.size == 2


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((), "empty"),
        (("SECRET", "x", "SECRET"), "Categories 1 and 3"),
        (("x", "  "), "place 2 of the list is blank"),
        (("x", "y\0"), "null character"),
        (("x" * 1001,), "longer than 1000"),
        (tuple(map(str, range(MOST_CATEGORIES + 1))), "at most 1,000"),
    ],
)
def test_unusable_categories_are_refused_by_position(values, words):
    refusal = refused_by(Categories, values=values)
    assert words in refusal.problem
    assert refusal.field == "values"
    assert "SECRET" not in str(refusal)


def test_every_category_has_a_label_or_none_has():
    assert refused_by(Categories, values=("a", "b"), labels=("A",)).field == "labels"


def test_a_grid_is_exact_decimal_arithmetic():
    grid = Grid(kind="numbers", minimum=0, maximum=1, step=0.1)
    assert grid.texts == tuple(f"{tenth / 10:.1f}" for tenth in range(11))
    assert grid.numbers[3] == Decimal("0.3")


def test_the_last_value_does_not_pass_the_maximum():
    assert Grid(minimum=0, maximum=10, step=4).texts == ("0", "4", "8")


def test_whole_numbers_are_written_without_decimals_however_they_were_given():
    assert Grid(minimum=Decimal("17.00"), maximum=Decimal("2E+1")).texts == ("17", "18", "19", "20")
    assert Grid(minimum=-100, maximum=100, step=100).texts == ("-100", "0", "100")


@pytest.mark.parametrize(
    ("settings", "field", "words"),
    [
        ({"minimum": 2, "maximum": 1}, "minimum", "above the maximum"),
        ({"minimum": 0, "maximum": 1, "step": 0}, "step", "not above zero"),
        ({"minimum": 0, "maximum": 1, "step": -1}, "step", "not above zero"),
        ({"minimum": 0, "maximum": 1, "step": 0.5}, "step", "not a whole number"),
        ({"minimum": 0.5, "maximum": 1}, "minimum", "not a whole number"),
        ({"minimum": 0, "maximum": MOST_STEPS}, "step", "10,001 values"),
        ({"minimum": "Infinity", "maximum": 1}, "minimum", "finite"),
        ({"minimum": "NaN", "maximum": 1}, "minimum", "finite"),
        ({"minimum": 0, "maximum": "1e400"}, "maximum", "up to 15 digits"),
        ({"minimum": 0, "maximum": "1e999999"}, "maximum", "up to 15 digits"),
        ({"kind": "numbers", "minimum": 0, "maximum": 1, "step": "1e-13"}, "step", "up to 15"),
        ({"minimum": 0, "maximum": "SECRET"}, "maximum", "has to be a number"),
        ({"minimum": 0}, "maximum", "missing"),
    ],
)
def test_unusable_ranges_are_refused_at_their_field(settings, field, words):
    refusal = refused_by(Grid, **settings)
    assert refusal.field == field
    assert words in refusal.problem
    assert "SECRET" not in str(refusal)


decimals = st.decimals(min_value=-(10**6), max_value=10**6, places=3)


@given(decimals, st.integers(0, 200), st.decimals(min_value="0.001", max_value=100, places=3))
@settings(deadline=None)
def test_texts_say_exactly_the_numbers(minimum, steps, step):
    grid = Grid(kind="numbers", minimum=minimum, maximum=minimum + steps * step, step=step)
    assert grid.size == steps + 1
    assert [Decimal(text) for text in grid.texts] == [minimum + i * step for i in range(steps + 1)]
    assert len({len(text.partition(".")[2]) for text in grid.texts}) == 1
