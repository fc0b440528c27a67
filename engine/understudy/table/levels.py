"""Further levels above the buckets of a column: groups of groups, and ranges of ranges.

Each level of categories puts the groups of the one below together, by their names; each level of
numbers, dates or times cuts where the one below cuts, at fewer places. So it can't be anything but
a coarsening of the one below, and every value is in one group of every level, whatever the records
are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.buckets import (
    Assignment,
    Buckets,
    ByCuts,
    ByGroups,
    Group,
    assign,
    group_values,
)
from understudy.table.domain import Domain, Ranged

MOST_LEVELS: Final = 6
"""Above the buckets."""
REST: Final = "everything else"
"""The usual name of the group for whatever is in no other."""

_COARSER: Final = 3
"""How many periods one of the next level has, at least, where levels follow from the calendar."""

Level = ByGroups | ByCuts
Levels = tuple[Level, ...]


def assign_levels(domain: Domain, buckets: Buckets, levels: Levels) -> tuple[Assignment, ...]:
    """Return, for each level, which of its groups every group of the one below falls in.

    Args:
        domain: of the column.
        buckets: the groups that the first level is of; they fit the domain.
        levels: from the finest to the coarsest.

    Raises:
        Refusal: there are no groups or too many levels, a level misses a group of the one below,
            has it twice or names another, cuts one in two, puts none together, or puts all into
            one.
    """
    if levels and not domain.ordered and not isinstance(buckets, ByGroups):
        raise Refusal(
            "There are levels of groups above the buckets, and the buckets are no groups.",
            "Put the categories in groups first, or drop the levels.",
            field="levels",
        )
    if len(levels) > MOST_LEVELS:
        raise Refusal(
            f"There are {len(levels)} levels above the groups.",
            f"Keep at most {MOST_LEVELS}.",
            field="levels",
        )
    found: list[Assignment] = []
    below = assign(domain, buckets)
    here = below.buckets
    for number, level in enumerate(levels, 2):
        found.append(_above(domain, here, below.labels, level, number))
        below = found[-1]
        here = tuple(below.buckets[place] for place in here)
    return tuple(found)


def _above(
    domain: Domain, here: Sequence[int], below: Sequence[str], level: Level, number: int
) -> Assignment:
    """Return the groups of a level, given the group below that each value is in, and the labels of
    these."""
    try:
        made = (
            group_values(below, level, "group", "groups", "of the level below")
            if isinstance(level, ByGroups) and not domain.ordered
            else _group_ranges(here, assign(domain, level))
        )
    except Refusal as refusal:
        raise Refusal(
            f"Level {number} of the groups: {refusal.problem}", refusal.remedy, field="levels"
        ) from None
    if not 1 < len(made.labels) < len(below):
        raise Refusal(
            f"Level {number} of the groups makes {len(made.labels)} of {len(below)}.",
            "Let each level have fewer groups than the one below, and two at least.",
            field="levels",
        )
    return made


def _group_ranges(here: Sequence[int], level: Assignment) -> Assignment:
    """Return which range of a level each range below is in.

    Args:
        here: of each value, the range below.
        level: of each value, the range of the level, in order.

    Raises:
        Refusal: a range below is in two.
    """
    above = dict(zip(here, level.buckets, strict=True))
    if [above[place] for place in here] != list(level.buckets):
        raise Refusal(
            "It cuts where the level below does not.",
            "Cut each level at some of the places where the one below is cut.",
            field="levels",
        )
    return Assignment(tuple(above[place] for place in sorted(above)), level.labels)


def places_of(domain: Domain, buckets: Buckets, levels: Levels) -> tuple[dict[str, str], ...]:
    """Return, for each level, the name of the group that every category is in.

    Raises:
        Refusal: as of `assign` and `assign_levels`.
    """
    made = assign(domain, buckets)
    above = assign_levels(domain, buckets, levels)
    here, found = list(made.buckets), []
    for each in above:
        here = [each.buckets[place] for place in here]
        labels = [each.labels[place] for place in here]
        found.append(dict(zip(domain.texts, labels, strict=True)))
    return tuple(found)


def levels_above(
    domain: Domain, buckets: ByGroups, where: Sequence[Mapping[str, str]]
) -> tuple[ByGroups, ...]:
    """Return the levels above some groups, each group going where most of its categories are.

    Args:
        domain: of the column.
        buckets: groups that fit it.
        where: of each level, the finest first, the name of the group by category; one that is not
            named goes with the others of its group, else with everything else. A level that puts
            nothing together, or everything, is left out.

    Raises:
        Refusal: as of `assign`.
    """
    made = assign(domain, buckets)
    here, labels = list(made.buckets), made.labels
    levels: list[ByGroups] = []
    for named in where[:MOST_LEVELS]:
        level = _level(here, labels, [named.get(value) for value in domain.texts])
        if level is None:
            continue
        step = group_values(labels, level, "group", "groups", "of the level below")
        here, labels = [step.buckets[place] for place in here], step.labels
        levels.append(level)
    return tuple(levels)


def _level(
    here: Sequence[int], labels: Sequence[str], above: Sequence[str | None]
) -> ByGroups | None:
    """Return the groups of groups; None where they tell nothing or no less than what is below.

    Args:
        here: of each category, the group below that it is in.
        labels: the names of those.
        above: of each category, the name of the group above; None where there is none.
    """
    votes: list[Counter[str]] = [Counter() for _ in labels]
    for place, name in zip(here, above, strict=True):
        if name is not None:
            votes[place][name] += 1
    members: dict[str, list[str]] = {name: [] for name in above if name is not None}
    for label, each in zip(labels, votes, strict=True):
        if each:
            members[each.most_common(1)[0][0]].append(label)
    groups = tuple(Group(label=name, values=tuple(each)) for name, each in members.items() if each)
    many = len(groups) + (not all(votes))
    if not 1 < many < len(labels):
        return None
    return ByGroups(groups=groups, rest=None if all(votes) else unused_rest(members))


def unused_rest(labels: Collection[str]) -> str:
    """Return a name for everything else that no group has."""
    label = REST
    while label in labels:
        label = f"{label} yet"
    return label


def fit_levels(domain: Domain, buckets: Buckets, before: tuple[Domain, Buckets, Levels]) -> Levels:
    """Return the levels of a column as far as they still fit other values or other buckets.

    Args:
        domain, buckets: as they are now.
        before: domain, buckets and levels as they were.

    Raises:
        Refusal: the buckets do not fit the domain.
    """
    was, old, levels = before
    ranged = domain.ranged
    if levels and ranged is not None:
        cuts = (each.cuts for each in levels if isinstance(each, ByCuts))
        return cut_levels(ranged, buckets, cuts)
    if not levels or not isinstance(buckets, ByGroups):
        return ()
    if (domain, buckets) == (was, old):
        return levels
    return levels_above(domain, buckets, places_of(was, old, levels))


def cut_levels(
    grid: Ranged, buckets: Buckets, cuts: Iterable[Collection[Decimal]], coarser: int = 1
) -> tuple[ByCuts, ...]:
    """Return the levels above the buckets of numbers, dates or times that some cuts make, the
    finest first: each keeps the cuts at which the one below is cut too, and is left out where it
    then tells nothing, or hardly less than the one below.

    Args:
        grid: the values.
        buckets: of the column; they fit.
        cuts: of each level.
        coarser: by how much at least a level has fewer ranges than the one below.
    """
    begun = assign(grid, buckets).buckets
    firsts = zip(grid.numbers, begun, (None, *begun[:-1]), strict=True)
    below = [number for number, bucket, former in firsts if bucket != former][1:]
    levels: list[ByCuts] = []
    for each in cuts:
        kept = sorted(set(each).intersection(below))
        if not kept or len(kept) == len(below) or (len(kept) + 1) * coarser > len(below) + 1:
            continue
        levels.append(ByCuts(cuts=tuple(kept)))
        below = kept
    return tuple(levels[:MOST_LEVELS])


def calendar_levels(domain: Domain, buckets: Buckets) -> tuple[ByCuts, ...]:
    """Return ever longer periods of the calendar or of the clock above the buckets of a column of
    dates or times; none for other columns."""
    ranged = domain.ranged
    if ranged is None:
        return ()
    return cut_levels(ranged, buckets, ranged.cut_presets().values(), _COARSER)


def are_nested(fine: Mapping[str, str], coarse: Mapping[str, str]) -> bool:
    """Return whether each group of `fine` is within one of `coarse`, which has fewer; both are the
    name of the group by category, and what `coarse` does not name is together."""
    above: dict[str, str | None] = {}
    for value, label in fine.items():
        if above.setdefault(label, coarse.get(value)) != coarse.get(value):
            return False
    return len(set(above.values())) < len(above)
