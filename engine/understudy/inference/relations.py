"""Which columns were counted together, and which never were: what a release can tell of relations.

A model makes up how columns are related that were never counted together: it follows from their
relations to others at best. Which were counted was chosen from noisy answers, and is published with
them, so this says nothing further of any record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

from understudy.core.numerals import count, join_first
from understudy.models.noisy_tables import NoisyTable
from understudy.table.schema import Schema

Counted = Literal["in full", "in groups", "known", "never"]

COUNTED_WORDS: Final[Mapping[Counted, str]] = {
    "in full": "together, every value",
    "in groups": "together, in groups of values",
    "known": "known totals, not counted",
    "never": "never together",
}

_NAMED: Final = 10
"""Groups of three columns that a sentence names."""


@dataclass(frozen=True)
class CountedPairs:
    """Which pairs of columns were counted together.

    Attributes:
        names: of the columns.
        counted: how each pair was counted, by its names in the order of the schema.
        wider: groups of three columns and more that were counted together.
    """

    names: tuple[str, ...]
    counted: Mapping[tuple[str, str], Counted]
    wider: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, schema: Schema, tables: Sequence[NoisyTable]) -> CountedPairs:
        """Return which columns of a schema some noisy tables count together."""
        found: dict[tuple[str, str], Counted] = dict.fromkeys(
            combinations(schema.names, 2), "never"
        )
        for totals in schema.bound_totals:
            names = [schema.names[place] for place in sorted(place for place, _ in totals.views)]
            found.update(dict.fromkeys(combinations(names, 2), "known"))
        wider: dict[tuple[str, ...], None] = {}
        for table in tables:
            views = sorted(table.marginal)
            for one, other in combinations(views, 2):
                pair = schema.names[one.attribute], schema.names[other.attribute]
                if not one.level and not other.level:
                    found[pair] = "in full"
                elif found[pair] != "in full":
                    found[pair] = "in groups"
            if len(views) > 2:
                wider[tuple(schema.names[view.attribute] for view in views)] = None
        return cls(schema.names, found, tuple(wider))

    @property
    def never(self) -> tuple[tuple[str, str], ...]:
        """The pairs that were never counted together."""
        return tuple(pair for pair, how in self.counted.items() if how == "never")

    @property
    def partners(self) -> Mapping[str, tuple[str, ...]]:
        """Of each column, those that it was counted together with."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for (one, other), how in self.counted.items():
            if how != "never":
                found[one].append(other)
                found[other].append(one)
        return {name: tuple(found[name]) for name in self.names}

    @property
    def sentences(self) -> tuple[str, ...]:
        """What this means for whoever uses the release, in a few sentences."""
        many, never = len(self.counted), len(self.never)
        known = ", or have known totals" if "known" in self.counted.values() else ""
        if not never:
            first = (
                f"All {count(many, 'pair')} of columns were counted together, with noise{known}."
            )
        elif never == many:
            first = (
                "No two columns were counted together. Nothing that the table shows of how columns "
                "are related is known to hold of the real records."
            )
        else:
            first = (
                f"Of {count(many, 'pair')} of columns {many - never:,} were counted together, with "
                f"noise{known}. Of the other {never:,} the model made up how they are related: "
                "nothing that the table shows of these relations is known to hold."
            )
        groups = join_first([" × ".join(each) for each in self.wider], _NAMED)
        three = (
            f"Of three columns and more, these were counted together: {groups}."
            if self.wider
            else "No three columns were counted together, so that nothing is known of what only "
            "three of them together show."
        )
        return (first, three) if len(self.names) > 2 else (first,)
