"""Buckets: the coarser values of an attribute when it is a parent in the model.

A bucketing is a total function of the public domain: every value has one bucket, whatever the
records are. Ordered columns are cut by width or at chosen points, categories are grouped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.checks import check_decimal, check_read, check_texts, first_repeat
from understudy.table.domain import Domain, Ranged, range_of


class EachValue(Frozen, what="the buckets"):
    """Every value is a bucket of its own."""

    kind: Literal["each"] = "each"


class ByWidth(Frozen, what="the buckets"):
    """Buckets of one width, the first beginning at the minimum of the column.

    Attributes:
        width: in the units of the column; at least its step.
    """

    kind: Literal["width"] = "width"
    width: Decimal

    @model_validator(mode="after")
    def _usable(self) -> ByWidth:
        check_decimal(self.width, "width")
        if self.width <= 0:
            raise Refusal(
                "The width of the buckets is not above zero.",
                "Enter a positive width.",
                field="width",
            )
        return self


class ByCuts(Frozen, what="the buckets"):
    """Buckets between chosen points; a value below a cut lies below it, the cut itself above.

    Attributes:
        cuts: rising, as numbers of the column's range (`Ranged.parse`), each above the minimum of
        the column and not above its last value.
    """

    kind: Literal["cuts"] = "cuts"
    cuts: tuple[Decimal, ...]

    @model_validator(mode="after")
    def _usable(self) -> ByCuts:
        if not self.cuts:
            raise Refusal(
                "There are no cut points.", "Enter one or more, or choose a width.", field="cuts"
            )
        for cut in self.cuts:
            check_decimal(cut, "cut point")
        if any(low >= high for low, high in pairwise(self.cuts)):
            raise Refusal(
                "The cut points do not rise.",
                "Enter them from the smallest to the largest, each once.",
                field="cuts",
            )
        return self


class Group(Frozen, what="the group"):
    """Categories that share a bucket.

    Attributes:
        label: what a person reads.
        values: the categories, as they stand in the domain.
    """

    label: str
    values: tuple[str, ...]


class ByGroups(Frozen, what="the buckets"):
    """Buckets of categories.

    Attributes:
        groups: the buckets, in order.
        rest: label of a last bucket for everything else; without it every category has to be
            in a group.
    """

    kind: Literal["groups"] = "groups"
    groups: tuple[Group, ...]
    rest: str | None = None

    @model_validator(mode="after")
    def _usable(self) -> ByGroups:
        if not self.groups:
            raise Refusal("There are no groups.", "Make one or more.", field="groups")
        labels = [group.label for group in self.groups]
        labels += [] if self.rest is None else [self.rest]
        check_texts(labels, "name of a group", "groups")
        for place, label in enumerate(labels, 1):
            check_read(label, f"name of group {place}", "groups")
        repeated = first_repeat(labels)
        if repeated is not None:
            raise Refusal(
                f"Groups {repeated[0] + 1} and {repeated[1] + 1} have the same name.",
                "Give each group a name of its own.",
                field="groups",
            )
        for place, group in enumerate(self.groups, 1):
            if not group.values:
                raise Refusal(
                    f"Group {place} is empty.", "Put a category in it or remove it.", field="groups"
                )
        return self


Buckets = Annotated[EachValue | ByWidth | ByCuts | ByGroups, Field(discriminator="kind")]


@dataclass(frozen=True)
class Assignment:
    """Which bucket each value of a domain falls in.

    Attributes:
        buckets: one per value, numbered 0 … len(labels) − 1, none of them empty.
        labels: what a person reads for each bucket.
    """

    buckets: tuple[int, ...]
    labels: tuple[str, ...]


def assign(domain: Domain, buckets: Buckets) -> Assignment:
    """Put every value of a domain in a bucket.

    Raises:
        Refusal: the bucketing does not fit the domain: cuts or a width for categories, groups
            for numbers, a width below the step, a cut outside the range, two cuts with no value
            between them, a cell of a measured column cut in two, a value missed, in two groups,
            or unknown.
    """
    match buckets:
        case EachValue():
            return Assignment(tuple(range(domain.size)), domain.given_labels or domain.texts)
        case ByGroups():
            return _by_groups(domain, buckets)
        case ByWidth():
            return _by_width(range_of(domain), buckets)
        case _:
            return _by_cuts(range_of(domain), buckets)


def _by_width(grid: Ranged, by: ByWidth) -> Assignment:
    if by.width < grid.width:
        raise Refusal(
            "The width of the buckets is below the step of the column.",
            "Enter a width of one step or more, or keep each value on its own.",
            field="buckets",
        )
    if not grid.fits_width(by.width):
        raise _cell_in_two("The width of the buckets is not a whole number of steps of the column.")
    turns = [int((number - grid.minimum) // by.width) for number in grid.numbers]
    # A bucket of numbers that all stand for missing is none.
    places = {turn: place for place, turn in enumerate(dict.fromkeys(turns))}
    return _ranges(grid, [places[turn] for turn in turns])


def _by_cuts(grid: Ranged, by: ByCuts) -> Assignment:
    if by.cuts[0] <= grid.minimum or by.cuts[-1] > grid.numbers[-1]:
        raise Refusal(
            "A cut point has all the values of the column on one side.",
            "Keep the cut points above the minimum and not above the last value.",
            field="buckets",
        )
    bucket, found = 0, []
    for number in grid.numbers:
        while bucket < len(by.cuts) and number >= by.cuts[bucket]:
            bucket += 1
        found.append(bucket)
    if len(set(found)) <= len(by.cuts):
        raise Refusal(
            "Two cut points have no value of the column between them.",
            "Remove one of the two.",
            field="buckets",
        )
    if grid.measured and not set(by.cuts) <= set(grid.numbers):
        raise _cell_in_two("A cut point lies inside a cell of the column.")
    return _ranges(grid, found)


def _cell_in_two(problem: str) -> Refusal:
    return Refusal(
        problem,
        "Cut at whole steps from the minimum, or choose a smaller step for the column.",
        field="buckets",
    )


def _ranges(grid: Ranged, buckets: Sequence[int]) -> Assignment:
    """Return buckets that are ranges of numbers, labelled by their ends."""
    first = [
        place for place, bucket in enumerate(buckets) if not place or buckets[place - 1] < bucket
    ]
    last = [place - 1 for place in first[1:]] + [grid.size - 1]
    labels = tuple(grid.between(low, high) for low, high in zip(first, last, strict=True))
    return Assignment(tuple(buckets), labels)


def _by_groups(domain: Domain, by: ByGroups) -> Assignment:
    if domain.ordered:
        raise Refusal(
            f"{domain.words.plural.capitalize()} cannot be grouped one by one.",
            "Choose a width or cut points instead.",
            field="buckets",
        )
    return group_values(domain.texts, by, "category", "categories", "of the column")


def group_values(
    values: Sequence[str], by: ByGroups, one: str, many: str, of_what: str
) -> Assignment:
    """Put each of some values in a group.

    Args:
        values: all different.
        by: the groups.
        one, many, of_what: what the values are called in a refusal: "category", "categories", "of
            the column".

    Raises:
        Refusal: one is missed, in two groups, or unknown.
    """
    places = {value: place for place, value in enumerate(values)}
    found: dict[int, int] = {}
    for number, group in enumerate(by.groups):
        for value in group.values:
            if value not in places:
                raise Refusal(
                    f"Group {number + 1} holds something that is not a {one} {of_what}.",
                    f"Choose from the {many} {of_what}.",
                    field="buckets",
                )
            _claim(places[value], number, found, one)
    left = [place for place in range(len(values)) if place not in found]
    if left and by.rest is None:
        raise Refusal(
            f"The groups miss {len(left)} of the {len(values)} {many}: {_places(left)} in the "
            "list.",
            "Put them in a group, or name a group for everything else.",
            field="buckets",
        )
    labels = tuple(group.label for group in by.groups)
    if left and by.rest is not None:
        found.update(dict.fromkeys(left, len(labels)))
        labels += (by.rest,)
    return Assignment(tuple(found[place] for place in range(len(values))), labels)


def _claim(place: int, group: int, found: dict[int, int], one: str) -> None:
    """Put the value at a place in a group."""
    if place in found:
        named = f"{one.capitalize()} {place + 1} of the list"
        raise Refusal(
            f"{named} is in groups {found[place] + 1} and {group + 1}."
            if found[place] != group
            else f"{named} is twice in group {group + 1}.",
            f"Put each {one} in one group.",
            field="buckets",
        )
    found[place] = group


def _places(left: Sequence[int]) -> str:
    """Return places counted from 1: "number 3", or the first few of many."""
    shown = ", ".join(str(place + 1) for place in left[:5])
    return f"number {shown}" + (" and others" if len(left) > 5 else "")
