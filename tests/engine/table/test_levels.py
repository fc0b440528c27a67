"""Levels above groups: a nested chain that holds every category, or a refusal that says why not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.leveled import leveled_columns
from tests.engine.table.refusals import SECRET, refused
from understudy.table.buckets import Buckets, ByGroups, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.levels import MOST_LEVELS, levels_above, nested, places_of
from understudy.table.schema import Schema


def by(*groups: tuple[str, str], rest: str | None = None) -> ByGroups:
    made = tuple(Group(label=label, values=tuple(values.split())) for label, values in groups)
    return ByGroups(groups=made, rest=rest)


TRADES = Categories(values=("cook", "baker", "smith", "mason", "clerk"))
BUCKETS = by(("food", "cook baker"), ("metal", "smith"), ("stone", "mason"), rest="desk")
HANDS = by(("hands", "metal stone"), ("food", "food"), rest="other")
TRADE = Column(name="trade", domain=TRADES, missing=True, buckets=BUCKETS, levels=(HANDS,))


@given(leveled_columns())
def test_each_level_is_a_coarsening_of_the_one_below_and_holds_every_code(column: Column) -> None:
    missing = column.missing_code
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
    found = refused(TRADE.changed, levels=tuple(levels))
    assert says in found.problem
    assert found.field == "levels"


def test_levels_need_groups_below_them() -> None:
    assert "no groups" in refused(TRADE.changed, buckets=EachValue()).problem
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
    assert nested(fine, coarse) == (within and fewer)


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
