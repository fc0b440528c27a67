"""Groups while they are being made. What categories suggest: groups that hold each code once, from
the public list alone. Hierarchies from files: each level is a suggestion, and what cannot be meant
is refused.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.group_suggestions import (
    CLASSIFICATIONS,
    GroupSuggestion,
    by_weight,
    frequent_alone,
    suggested_groups,
)
from understudy.table.authoring.hierarchies import groups_of_file
from understudy.table.authoring.partial_groups import Grouping
from understudy.table.buckets import ByGroups, Group, assign
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
    assert (
        set(after.list_ungrouped(VALUES)) - values == set(grouping.list_ungrouped(VALUES)) - values
    )
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


LISTS = st.lists(
    st.text(alphabet="AB12-. ", min_size=1, max_size=5).map(str.strip).filter(bool),
    min_size=6,
    max_size=40,
    unique=True,
)
PUBLISHED = {each.name for each in CLASSIFICATIONS}


def named(found: tuple[GroupSuggestion, ...], name: str) -> GroupSuggestion:
    return next(each for each in found if each.name == name)


@given(LISTS)
def test_every_suggestion_fits_the_column_and_counts_itself_rightly(values: list[str]) -> None:
    domain = Categories(values=tuple(values))
    for each in suggested_groups(domain):
        made = assign(domain, each.buckets)
        sizes = [made.buckets.count(bucket) for bucket in range(len(made.labels))]
        assert each.groups == len(made.labels)
        assert each.groups <= len(values) / 2 or each.name in PUBLISHED
        assert each.largest == max(sizes) / len(values)
        assert each.left == (sizes[-1] if each.buckets.rest is not None else 0)
        assert each.groups >= 2
        column = each.group_column(Column(name="code", domain=domain))
        assert column.bucket_count == each.groups
        assert column.levels == each.levels


def test_codes_go_by_what_stands_before_a_separator_of_their_labels() -> None:
    labels = ("MGR-Sales", "MGR-Chief", "BUS-Buyer", "BUS-Agent", "Military", "EDU-Tutor")
    domain = Categories(values=tuple("abcdef"), labels=labels)
    found = named(suggested_groups(domain), "label up to the first “-”")
    assert [(each.label, each.values) for each in found.buckets.groups] == [
        ("MGR", ("a", "b")),
        ("BUS", ("c", "d")),
    ]
    assert (found.groups, found.left, found.buckets.rest) == (3, 2, "everything else")


def test_numbers_of_one_length_go_by_their_beginnings_and_others_by_ranges() -> None:
    isco = tuple(f"{major}{minor}{unit}" for major in (1, 2) for minor in (1, 2) for unit in (1, 2))
    assert named(suggested_groups(Categories(values=isco)), "first 2 characters of the code")
    census = ("9", "10", "12", "90", "101", "103", "105", "180")
    found = suggested_groups(Categories(values=census))
    hundreds = named(found, "codes by the 100").buckets.groups
    assert [each.label for each in hundreds] == ["0 to 99", "100 to 199"]
    assert not any(each.name.startswith("first") for each in found)


@pytest.mark.parametrize(
    ("name", "code", "group"),
    [
        ("ICD-10 chapters", "D48.9", "Neoplasms"),
        ("ICD-10 chapters", "D50", "Blood and immunity"),
        ("ICD-10 chapters", "A0", None),
        ("ICD-9 chapters", "250.01", "Endocrine, nutritional and metabolic"),
        ("ICD-9 chapters", "V58", "Contact with health services"),
        ("ICD-9 chapters", "000", None),
        ("NACE sections", "45.1", "G Trade"),
        ("NACE sections", "44.1", None),
        ("SOC major groups", "29-1141", "Health practitioners"),
        ("SOC major groups", "12-1141", None),
    ],
)
def test_published_classifications_know_their_codes(
    name: str, code: str, group: str | None
) -> None:
    assert next(each for each in CLASSIFICATIONS if each.name == name).place(code) == group


def test_a_classification_is_named_first_where_the_codes_follow_it() -> None:
    codes = tuple(f"{letter}{number}" for letter in "DEFI" for number in (40, 45, 60))
    assert suggested_groups(Categories(values=codes))[0].name == "ICD-10 chapters"


def chain(of: GroupSuggestion) -> list[list[str]]:
    """The names of the groups of each level, the finest first."""
    found = [[each.label for each in of.buckets.groups]]
    return [*found, *([each.label for each in level.groups] for level in of.levels)]


def test_beginnings_have_shorter_ones_above_them_and_codes_alone_stand_with_theirs() -> None:
    codes = tuple(f"{a}{b}{c}{d}" for a in (1, 2) for b in (1, 2) for c in (1, 2) for d in (1, 2))
    found = suggested_groups(Categories(values=(*codes, "2311", "2411")))
    assert chain(named(found, "first 3 characters of the code"))[1:] == [
        ["11…", "12…", "21…", "22…", "others of 2…"],
        ["1…", "2…"],
    ]
    twos = named(found, "first 2 characters of the code")
    assert chain(twos) == [["11…", "12…", "21…", "22…", "others of 2…"], ["1…", "2…"]]
    assert twos.buckets.rest is None
    assert chain(named(found, "first character of the code")) == [["1…", "2…"]]


@pytest.mark.parametrize(
    ("codes", "name", "above"),
    [
        # The first figure of SOC says nothing, and its first two are the major groups.
        (
            [f"{major}-{minor}1{n}" for major in (11, 13, 21) for minor in (10, 20) for n in "123"],
            "first 4 characters of the code",
            [["Management", "Business and finance", "Community and social service"]],
        ),
        # Letters of ICD-10 cut through chapters, and are no levels below them.
        (
            [f"{letter}.{n}" for letter in ("D40", "D45", "D50", "D55", "H10", "H61") for n in "12"]
            + ["D41.1", "D41.2"],
            "code up to the first “.”",
            [["Neoplasms", "Blood and immunity", "Eye", "Ear"]],
        ),
        (
            [f"{division}.{n}" for division in (10, 11, 45, 46) for n in "12"],
            "code up to the first “.”",
            [["C Manufacturing", "G Trade"]],
        ),
    ],
)
def test_published_groups_stand_above_the_beginnings_that_are_within_them(
    codes: list[str], name: str, above: list[list[str]]
) -> None:
    domain = Categories(values=tuple(codes))
    every = suggested_groups(domain)
    assert chain(named(every, name))[1:] == above
    for each in every:
        assert each.group_column(Column(name="code", domain=domain)).levels == each.levels


def test_numbers_by_the_ten_have_hundreds_above_them() -> None:
    codes = tuple(str(tens * 10 + ones) for tens in (1, 2, 11, 12) for ones in range(4))
    found = named(suggested_groups(Categories(values=codes)), "codes by the 10")
    assert chain(found)[1:] == [["0 to 99", "100 to 199"]]


@given(
    st.lists(st.integers(0, 9), min_size=6, max_size=30).filter(sum),
    st.integers(2, 6),
)
def test_groups_of_even_weight_are_neighbours_and_at_most_so_many(
    weights: list[int], parts: int
) -> None:
    values = tuple(f"v{place}" for place in range(len(weights)))
    domain = Categories(values=values)
    made = by_weight(domain, dict(zip(values, map(float, weights), strict=True)), parts)
    if made is None:
        return
    assert 2 <= made.groups <= parts
    assert tuple(v for each in made.buckets.groups for v in each.values) == values
    middling = sum(weights) / parts + max(weights)
    for each in made.buckets.groups:
        assert sum(weights[values.index(value)] for value in each.values) <= middling


def test_frequent_codes_stay_alone_and_the_rest_goes_together() -> None:
    domain = Categories(values=tuple("abcdef"))
    made = frequent_alone(domain, {"a": 50, "c": 45, "d": 5}, 0.1)
    assert made is not None
    assert [each.values for each in made.buckets.groups] == [("a",), ("c",)]
    assert made.left == 4


DOMAIN = Categories(values=("111", "112", "121", "211", "212", "221"))


def file(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def groups(data: bytes) -> dict[str, list[tuple[str, ...]]]:
    return {
        each.name: [group.values for group in each.buckets.groups]
        for each in groups_of_file(data, "h.csv", DOMAIN)
    }


def test_each_column_is_a_level() -> None:
    data = file(
        "code,minor,major",
        *(f"{code},m{code[:2]},M{code[0]}" for code in (*DOMAIN.values, "999")),
    )
    found = groups(data)
    assert found["major"] == [("111", "112", "121"), ("211", "212", "221")]
    assert found["minor"] == [("111", "112"), ("121",), ("211", "212"), ("221",)]


def test_parents_that_are_codes_are_climbed() -> None:
    chain = [f"{code},{code[:2]}" for code in DOMAIN.values]
    chain += ["11,1", "12,1", "21,2", "22,2"]
    found = groups(file("code,parent", *chain))
    assert found["level 1 of the hierarchy"] == [("111", "112", "121"), ("211", "212", "221")]
    assert len(found["level 2 of the hierarchy"]) == 4


@pytest.mark.parametrize(
    "data",
    [
        file("code,major,minor", *(f"{c},M{c[0]},m{c[:2]}" for c in DOMAIN.values)),
        file("c,p", *(f"{c},m{c[:2]}\nm{c[:2]},M{c[0]}" for c in ("111", "121", "211", "221")),
             "112,m11", "212,m21"),
    ],
)  # fmt: skip
def test_each_level_keeps_those_that_it_is_within(data: bytes) -> None:
    """In whatever order the columns stand, and climbed."""
    found = {each.groups: each for each in groups_of_file(data, "h.csv", DOMAIN)}
    (above,) = found[4].levels
    assert {each.label: each.values for each in above.groups} == {
        "M1": ("m11", "m12"),
        "M2": ("m21", "m22"),
    }
    assert found[2].levels == ()


def test_ways_of_grouping_that_cut_through_each_other_are_no_levels() -> None:
    data = file("code,first,last", *(f"{c},F{c[0]},L{c[2]}" for c in DOMAIN.values))
    assert all(not each.levels for each in groups_of_file(data, "h.csv", DOMAIN))


def test_a_code_that_is_not_named_falls_into_the_rest() -> None:
    (found,) = groups_of_file(file("code,g", "111,a", "112,a", "121,b"), "h.csv", DOMAIN)
    assert (found.left, found.buckets.rest) == (3, "everything else")


def test_public_frequencies_make_groups() -> None:
    shares = (50, 50, 1, 1, 1, 1)
    data = file("code,share", *map("{},{}".format, DOMAIN.values, shares))
    found = groups(data)
    assert found["each of at least 2 % of the public weight by itself"] == [("111",), ("112",)]
    assert found["3 groups of about the same public weight"] == [
        ("111",),
        ("112",),
        ("121", "211", "212", "221"),
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (file("code", "111"), "only one column"),
        (file("code,g", "x,a"), "No code"),
        (file("code,g", "111,a", "111,b"), "Row 3"),
        (file("code,parent", "111,11", "11,111"), "circle"),
        (file("code,share", "111,many"), "no number"),
        (file("code,share", "111,-1"), "no number"),
    ],
)
def test_what_cannot_be_meant_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(Refusal, match=says) as refused:
        groups_of_file(data, "h.csv", DOMAIN)
    assert refused.value.field == "hierarchy"
