"""Groups that a column's declared categories suggest: by their codes, their labels, a hierarchy.

Everything follows from the public list of categories, and from files that the custodian says are
public. No record is looked at, and no count of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.table.authoring.classifications import CLASSIFICATIONS, Classification
from engine.table.authoring.grouping import REST
from engine.table.buckets import ByGroups, Group
from engine.table.domain import Categories

FEWEST: Final = 6
"""A column of fewer categories needs no suggestions."""
_SEPARATORS: Final = ("-", "/", ":", ".", "_", ",", "|", " ")
_LONGEST: Final = 6
"""Leading characters looked at, at most."""
_COVERED: Final = 0.5
"""The least share of the categories that a suggestion has to put into groups."""
_POWERS: Final = (10, 100, 1000)


@dataclass(frozen=True)
class Suggestion:
    """Groups that can be taken as a column's buckets.

    Attributes:
        name: by what the categories are put together, such as “what stands before the first -”.
        buckets: the groups; categories in none of them fall into the rest.
        categories: how many the column has.
    """

    name: str
    buckets: ByGroups
    categories: int

    @property
    def groups(self) -> int:
        """How many buckets there are, the one of everything else among them."""
        return len(self.buckets.groups) + (self.buckets.rest is not None)

    @property
    def largest(self) -> float:
        """The share of the categories that the largest bucket holds."""
        return max(*(len(each.values) for each in self.buckets.groups), self.left) / self.categories

    @property
    def left(self) -> int:
        """How many categories are in no group."""
        return self.categories - sum(len(each.values) for each in self.buckets.groups)


def suggested_groups(categories: Categories) -> tuple[Suggestion, ...]:
    """What the codes and labels of a column suggest, each way of grouping once.

    The published classifications that the codes follow come first, then what stands before a
    separator, leading characters, and ranges of numbers.
    """
    if categories.size < FEWEST:
        return ()
    found = [
        *_classified(categories),
        *_before_separators(categories),
        *_leading(categories),
        *_ranges(categories),
    ]
    seen: dict[frozenset[tuple[str, ...]], Suggestion] = {}
    for each in found:
        seen.setdefault(frozenset(group.values for group in each.buckets.groups), each)
    return tuple(seen.values())


def put_together(
    name: str, categories: Categories, where: Mapping[str, str], *, alone: bool = True
) -> Suggestion | None:
    """A suggestion from the group of each category.

    Args:
        name: by what they are put together.
        categories: of the column.
        where: the label of the group by category; one that is not named is in none. What is no
            category of the column is passed over.
        alone: whether a group may hold a single category; otherwise that one is in none.

    Returns:
        None where there would be fewer than two buckets, or each category would be its own.
    """
    members: dict[str, list[str]] = {}
    for value in categories.values:
        if where.get(value, "").strip():
            members.setdefault(where[value].strip(), []).append(value)
    kept = {label: each for label, each in members.items() if alone or len(each) > 1}
    covered = sum(map(len, kept.values()))
    whole = covered == categories.size
    if not kept or len(kept) + (not whole) < 2 or len(kept) == covered:
        return None
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in kept.items())
    return Suggestion(
        name, ByGroups(groups=groups, rest=None if whole else _unused(kept)), categories.size
    )


def _unused(labels: Iterable[str]) -> str:
    """A label for everything else that no group has."""
    taken, label = set(labels), REST
    while label in taken:
        label = f"{label} yet"
    return label


def _classified(categories: Categories) -> list[Suggestion]:
    """By published classifications that nearly all of the codes are of."""
    found = []
    for each in CLASSIFICATIONS:
        where = _placed(each, categories.values)
        made = put_together(each.name, categories, where)
        if made is not None and len(where) >= each.least * categories.size:
            found.append(made)
    return found


def _placed(of: Classification, values: Sequence[str]) -> dict[str, str]:
    found = {value: of.place(value) for value in values}
    return {value: label for value, label in found.items() if label is not None}


def _before_separators(categories: Categories) -> list[Suggestion]:
    """By what stands before the first separator, in codes and in labels."""
    found = []
    for what, texts in _texts(categories).items():
        for sign in _SEPARATORS:
            where = {
                value: text.split(sign, 1)[0].strip()
                for value, text in texts.items()
                if sign in text[1:]
            }
            shown = "blank" if sign == " " else f"“{sign}”"
            found += _enough(f"{what} up to the first {shown}", categories, where)
    return found


def _leading(categories: Categories) -> list[Suggestion]:
    """By the first characters of codes that hold a figure, a length at a time."""
    codes = categories.values
    if sum(any(sign.isdigit() for sign in code) for code in codes) < _COVERED * len(codes):
        return []
    if all(map(str.isdecimal, codes)) and len(set(map(len, codes))) > 1:
        # 9 and 90 begin alike and are not: numbers go by ranges.
        return []
    longest = min(_LONGEST, max(map(len, codes)) - 1)
    found = []
    for length in range(1, longest + 1):
        where = {code: f"{code[:length]}…" for code in codes if len(code) > length}
        shown = "character" if length == 1 else f"{length} characters"
        found += _enough(f"first {shown} of the code", categories, where)
    return found


def _ranges(categories: Categories) -> list[Suggestion]:
    """By tens, hundreds and thousands of codes that are whole numbers of different lengths."""
    numbers = {code: int(code) for code in categories.values if re.fullmatch(r"[0-9]{1,9}", code)}
    if len({len(code) for code in numbers}) < 2:
        return []
    found = []
    for power in _POWERS:
        places = {code: number // power * power for code, number in numbers.items()}
        where = {code: f"{low} to {low + power - 1}" for code, low in places.items()}
        found += _enough(f"codes by the {power:,}", categories, where)
    return found


def _texts(categories: Categories) -> dict[str, dict[str, str]]:
    """The texts that a person reads of each category, by what they are."""
    texts = {"code": dict(zip(categories.values, categories.values, strict=True))}
    if categories.labels:
        texts["label"] = dict(zip(categories.values, categories.labels, strict=True))
    return texts


def _enough(name: str, categories: Categories, where: Mapping[str, str]) -> list[Suggestion]:
    """The suggestion, where it puts enough of the categories together."""
    made = put_together(name, categories, where, alone=False)
    if made is None or made.left > (1 - _COVERED) * categories.size:
        return []
    return [made] if made.groups <= categories.size / 2 else []


def by_weight(
    categories: Categories, weights: Mapping[str, float], parts: int
) -> Suggestion | None:
    """Neighbouring categories in so many groups of about the same public weight.

    Args:
        categories: in their order, in which neighbours stay together.
        weights: how frequent each is publicly known to be, not below 0; 0 where it is not named.
        parts: how many groups at most.
    """
    label = dict(zip(categories.values, categories.labels or categories.values, strict=True))
    whole = sum(weights.get(value, 0.0) for value in categories.values)
    if whole <= 0 or parts < 2:
        return None
    before, cuts, last = 0.0, [0], 0
    for place, value in enumerate(categories.values):
        middle = before + weights.get(value, 0.0) / 2
        part = min(parts - 1, int(middle / whole * parts))
        if place and part > last:
            cuts.append(place)
        last = part
        before += weights.get(value, 0.0)
    where = {}
    for low, high in pairwise([*cuts, categories.size]):
        inside = categories.values[low:high]
        name = f"{label[inside[0]]} to {label[inside[-1]]}" if len(inside) > 1 else label[inside[0]]
        where.update(dict.fromkeys(inside, name))
    return put_together(f"{len(cuts)} groups of about the same public weight", categories, where)


def frequent_alone(
    categories: Categories, weights: Mapping[str, float], least: float
) -> Suggestion | None:
    """Each category of at least this share of the public weight by itself, all others together.

    Args:
        categories: of the column.
        weights: as in `by_weight`.
        least: a share, 0 to 1.
    """
    whole = sum(weights.get(value, 0.0) for value in categories.values)
    label = dict(zip(categories.values, categories.labels or categories.values, strict=True))
    kept = [v for v in categories.values if whole and weights.get(v, 0.0) >= least * whole]
    if not 0 < len(kept) < categories.size - 1:
        return None
    taken: set[str] = set()
    groups = []
    for value in kept:
        name = label[value] if label[value] not in taken else value
        taken.add(name)
        groups.append(Group(label=name, values=(value,)))
    named = f"each of at least {round(100 * least, 3):g} % of the public weight by itself"
    return Suggestion(named, ByGroups(groups=tuple(groups), rest=_unused(taken)), categories.size)
