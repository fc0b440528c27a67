"""Columns of categories in groups, with levels above them, for tests."""

from __future__ import annotations

from hypothesis import strategies as st

from understudy.table.buckets import ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column


def grouped(sizes: tuple[int, ...], name: str = "code") -> Column:
    """So many categories, in neighbouring groups of so many, and so on above these."""
    first, *others = sizes
    values = tuple(f"v{value}" for value in range(first))
    made, below = [], values
    for level, size in enumerate(others):
        labels = [f"{level}-{number}" for number in range(size)]
        inside = [labels[place * size // len(below)] for place in range(len(below))]
        made.append(_groups(below, inside))
        below = tuple(labels)
    domain = Categories(values=values)
    return Column(name=name, domain=domain, buckets=made[0], levels=tuple(made[1:]))


@st.composite
def leveled_columns(draw: st.DrawFn) -> Column:
    """Any groups of a few categories, any levels above them, some with a group for the rest."""
    below = tuple(f"v{value}" for value in range(draw(st.integers(3, 12))))
    domain, made = Categories(values=below), []
    while len(below) > 2:
        labels = [f"{len(made)}-{number}" for number in range(draw(st.integers(2, len(below) - 1)))]
        inside = [draw(st.sampled_from(labels)) for _ in below]
        level = _groups(below, inside, draw(st.sampled_from((None, labels[0]))))
        size = len(set(inside))
        if size < 2:
            break
        made.append(level)
        below = tuple(each.label for each in level.groups) + ((level.rest,) if level.rest else ())
    if not made:
        made = [_groups(below, ["one"] * len(below))]
    missing = draw(st.booleans())
    return Column(
        name="code", domain=domain, missing=missing, buckets=made[0], levels=tuple(made[1:])
    )


def _groups(below: tuple[str, ...], inside: list[str], rest: str | None = None) -> ByGroups:
    """Each in the group named beside it, those of the group `rest` in none."""
    members: dict[str, list[str]] = {}
    for value, label in zip(below, inside, strict=True):
        members.setdefault(label, []).append(value)
    named = {label: each for label, each in members.items() if label != rest}
    if not named:
        named, rest = members, None
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in named.items())
    return ByGroups(groups=groups, rest=rest if rest in members else None)
