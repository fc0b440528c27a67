"""What categories suggest: groups that hold each code once, from the public list alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.authoring.group_suggestions import (
    CLASSIFICATIONS,
    Suggestion,
    by_weight,
    frequent_alone,
    suggested_groups,
)
from understudy.table.buckets import assign
from understudy.table.categories import Categories
from understudy.table.column import Column

LISTS = st.lists(
    st.text(alphabet="AB12-. ", min_size=1, max_size=5).map(str.strip).filter(bool),
    min_size=6,
    max_size=40,
    unique=True,
)
PUBLISHED = {each.name for each in CLASSIFICATIONS}


def named(found: tuple[Suggestion, ...], name: str) -> Suggestion:
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
        column = each.taken(Column(name="code", domain=domain))
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


def chain(of: Suggestion) -> list[list[str]]:
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
        assert each.taken(Column(name="code", domain=domain)).levels == each.levels


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
