"""Groups of categories while they are edited: not every category need be in one yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from understudy.table.buckets import ByGroups, Group
from understudy.table.column import Column
from understudy.table.levels import REST


@dataclass(frozen=True)
class Grouping:
    """Groups while they are edited.

    Attributes:
        groups: label and categories of each; a group may be empty for the time being.
        rest: the label of the group for every category in no other; None where there is to be
            none.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    rest: str | None = REST

    @classmethod
    def of(cls, column: Column) -> Grouping:
        """Return the groups of a column; where it has none, one group of the first two
        categories."""
        buckets, domain = column.buckets, column.domain
        if isinstance(buckets, ByGroups):
            return cls(tuple((each.label, each.values) for each in buckets.groups), buckets.rest)
        values = () if domain.ordered else domain.texts[:2]
        return cls((("group 1", values),))

    def buckets(self) -> ByGroups:
        """Return the buckets of these groups, without the empty ones.

        Raises:
            Refusal: no group holds anything, or two have the same name.
        """
        groups = tuple(Group(label=label, values=each) for label, each in self.groups if each)
        return ByGroups(groups=groups, rest=self.rest)

    def list_ungrouped(self, values: Sequence[str]) -> tuple[str, ...]:
        """Return the categories that are in no group."""
        taken = {value for _, each in self.groups for value in each}
        return tuple(value for value in values if value not in taken)

    def move_values(self, values: Collection[str], to: int | None) -> Grouping:
        """Move categories to the end of a group, out of every other.

        Args:
            values: the categories.
            to: the group, counted from 0; None takes them out of all.
        """
        groups = [
            (label, tuple(value for value in each if value not in values))
            for label, each in self.groups
        ]
        if to is not None and 0 <= to < len(groups):
            label, each = groups[to]
            groups[to] = (label, (*each, *dict.fromkeys(values)))
        return replace(self, groups=tuple(groups))

    def fill_group(self, group: int, values: Sequence[str]) -> Grouping:
        """Set the categories of a group."""
        there = self.groups[group][1]
        kept = tuple(value for value in there if value in values)
        more = tuple(value for value in values if value not in there)
        return self.move_values(there, None).move_values((*kept, *more), group)

    def add_group(self, values: Sequence[str] = ()) -> Grouping:
        """Add a group of these categories under an unused name."""
        used = {label for label, _ in self.groups}
        number = next(n for n in range(1, len(self.groups) + 2) if f"group {n}" not in used)
        more = replace(self, groups=(*self.groups, (f"group {number}", ())))
        return more.move_values(values, len(self.groups))

    def rename_group(self, group: int, label: str) -> Grouping:
        """Rename a group."""
        groups = list(self.groups)
        groups[group] = (label, groups[group][1])
        return replace(self, groups=tuple(groups))

    def merge_groups(self, groups: Collection[int]) -> Grouping:
        """Put groups together under the name and at the place of the first of them."""
        inside = [place for place in range(len(self.groups)) if place in groups]
        if len(inside) < 2:
            return self
        label = self.groups[inside[0]][0]
        values = tuple(value for place in inside for value in self.groups[place][1])
        kept = [
            (label, values) if place == inside[0] else each
            for place, each in enumerate(self.groups)
            if place not in inside[1:]
        ]
        return replace(self, groups=tuple(kept))

    def split(self, values: Collection[str], label: str) -> Grouping:
        """Take categories out of their groups into a group of their own; groups that are empty
        then go. One that has this name already takes them in."""
        names = [name for name, _ in self.groups]
        if label in names:
            made = self.move_values(values, names.index(label))
        else:
            made = self.add_group(tuple(values)).rename_group(len(names), label)
        return replace(made, groups=tuple(each for each in made.groups if each[1]) or made.groups)

    def drop_group(self, group: int) -> Grouping:
        """Remove a group, unless it is the last; its categories are then in none."""
        if len(self.groups) == 1:
            return self
        return replace(self, groups=self.groups[:group] + self.groups[group + 1 :])

    def within(self, values: Collection[str]) -> Grouping:
        """Return the groups without values that are not categories of the column."""
        groups = tuple(
            (label, tuple(value for value in each if value in values))
            for label, each in self.groups
        )
        return replace(self, groups=groups)
