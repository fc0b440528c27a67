"""Hierarchies from files: each level is a suggestion, and what cannot be meant is refused."""

from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.table.authoring.hierarchies import groups_of_file
from understudy.table.categories import Categories

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
