"""Further levels above the buckets of a column of categories: groups of groups.

Each level puts the groups of the one below together, by their names. So it can't be anything but a
coarsening of the one below, and every category is in one group of every level, whatever the records
are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.buckets import Assignment, Buckets, ByGroups, Group, assign, group_values
from understudy.table.domain import Domain

MOST_LEVELS: Final = 6
"""Above the buckets."""
REST: Final = "everything else"
"""The usual name of the group for whatever is in no other."""

Levels = tuple[ByGroups, ...]


def assign_levels(
    buckets: Buckets, labels: Sequence[str], levels: Levels
) -> tuple[Assignment, ...]:
    """Return, for each level, which of its groups every group of the one below falls in.

    Args:
        buckets: the groups that the first level is of.
        labels: their names, without that of missing.
        levels: from the finest to the coarsest.

    Raises:
        Refusal: there are no groups or too many levels, a level misses a group of the one below,
            has it twice or names another, puts none together, or puts all into one.
    """
    if levels and not isinstance(buckets, ByGroups):
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
    below = tuple(labels)
    for number, level in enumerate(levels, 2):
        found.append(_above(below, level, number))
        below = found[-1].labels
    return tuple(found)


def _above(below: Sequence[str], level: ByGroups, number: int) -> Assignment:
    try:
        made = group_values(below, level, "group", "groups", "of the level below")
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


def places_of(domain: Domain, buckets: Buckets, levels: Levels) -> tuple[dict[str, str], ...]:
    """Return, for each level, the name of the group that every category is in.

    Raises:
        Refusal: as of `assign` and `assign_levels`.
    """
    made = assign(domain, buckets)
    above = assign_levels(buckets, made.labels, levels)
    here, found = list(made.buckets), []
    for each in above:
        here = [each.buckets[place] for place in here]
        labels = [each.labels[place] for place in here]
        found.append(dict(zip(domain.texts, labels, strict=True)))
    return tuple(found)


def levels_above(domain: Domain, buckets: ByGroups, where: Sequence[Mapping[str, str]]) -> Levels:
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


def fit_levels(
    domain: Domain, buckets: Buckets, before: tuple[Domain, Buckets, Levels]
) -> tuple[ByGroups, ...]:
    """Return the levels of a column as far as they still fit other categories or other buckets.

    Args:
        domain, buckets: as they are now.
        before: domain, buckets and levels as they were.

    Raises:
        Refusal: the buckets do not fit the domain.
    """
    was, old, levels = before
    if not levels or not isinstance(buckets, ByGroups) or domain.ordered:
        return ()
    if (domain, buckets) == (was, old):
        return levels
    return levels_above(domain, buckets, places_of(was, old, levels))


def are_nested(fine: Mapping[str, str], coarse: Mapping[str, str]) -> bool:
    """Return whether each group of `fine` is within one of `coarse`, which has fewer; both are the
    name of the group by category, and what `coarse` does not name is together."""
    above: dict[str, str | None] = {}
    for value, label in fine.items():
        if above.setdefault(label, coarse.get(value)) != coarse.get(value):
            return False
    return len(set(above.values())) < len(above)
