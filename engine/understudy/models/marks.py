"""What of a table must survive, as its custodian marks it, and how much each then weighs.

Marks are public: they are settings of a plan, decided without looking at a record, and stand in
whatever is published of it. They say how a model divides what it may spend, and never how much that
is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from pydantic import field_validator

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen

MARKED: Final = 16.0
"""What a marked pair weighs beside one that is not: a quarter of the error counts for as much, as
errors count by their squares."""
TARGETED: Final = 4.0
"""What every pair of the target weighs."""
KEPT: Final = 2.0
"""What a marked column weighs by itself, and every pair of it."""
MOST_TOGETHER: Final = 3

Places = tuple[int, ...]
"""Columns by index, ascending."""


class Marks(Frozen, what="what must survive"):
    """Columns, pairs and triples that a custodian marks.

    Attributes:
        target: the column that others are used to explain or predict: all pairs with it count for
            more; None where there is none.
        columns: those that must survive by themselves and with others.
        together: pairs, or triples, whose joint distribution must survive.
    """

    target: str | None = None
    columns: tuple[str, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()

    @field_validator("together")
    @classmethod
    def _pairs_or_triples(cls, value: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        for group in value:
            if len(set(group)) != len(group) or not 2 <= len(group) <= MOST_TOGETHER:
                raise Refusal(
                    f"{_quote_names(group)} cannot be marked together.",
                    "Name two or three different columns; of more, mark the pairs and triples that "
                    "matter most.",
                )
        return value

    def __bool__(self) -> bool:
        return bool(self.target or self.columns or self.together)

    def among(self, names: Collection[str]) -> Marks:
        """Return what is left of them where only these columns are there."""
        return Marks(
            target=self.target if self.target in names else None,
            columns=tuple(each for each in self.columns if each in names),
            together=tuple(group for group in self.together if all(map(names.__contains__, group))),
        )

    def check(self, names: Sequence[str]) -> None:
        """Check that every column that is mentioned is there.

        Raises:
            Refusal: one is not.
        """
        marked = {
            "target": [self.target] if self.target is not None else [],
            "columns": self.columns,
            "together": [name for group in self.together for name in group],
        }
        for field_name, mentioned in marked.items():
            for name in mentioned:
                if name not in names:
                    raise Refusal(
                        f"“{name}” is marked to survive, and is no column.",
                        f"Name a column of the schema: {', '.join(names)}.",
                        field=f"marks.{field_name}",
                    )

    def groups(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Return what is marked, each as the columns that belong to it: those marked together,
        columns by themselves, and the target with every other of these."""
        target = [(self.target, each) for each in names if self.target not in (None, each)]
        found = (*self.together, *((each,) for each in self.columns), *target)
        return tuple(tuple(name for name in group if name is not None) for group in found)

    def importance(self, names: Sequence[str]) -> Importance:
        """Return what each of these columns, and each pair and triple of them, weighs."""
        if not self:
            return EVEN
        place = {name: index for index, name in enumerate(names)}
        groups = [tuple(sorted(place[name] for name in group)) for group in self.together]
        above: dict[Places, float] = {}
        for column, weight in self._columns(place):
            above[column,] = KEPT
            for other in place.values():
                if other != column:
                    _raise(above, (min(column, other), max(column, other)), weight)
        for group in groups:
            for pair in combinations(group, 2):
                _raise(above, pair, MARKED)
        triples = dict.fromkeys((each for each in groups if len(each) > 2), MARKED)
        return Importance(above | triples)

    def _columns(self, place: Mapping[str, int]) -> Iterator[tuple[int, float]]:
        """Return marked columns by index, and what their pairs weigh."""
        if self.target is not None:
            yield place[self.target], TARGETED
        for name in self.columns:
            yield place[name], KEPT


UNMARKED: Final = Marks()
"""Nothing is marked."""


@dataclass(frozen=True)
class Importance:
    """Public weights of columns, pairs and triples; 1 of all where nothing is marked.

    Attributes:
        above: by columns, ascending, the weights of those that weigh more than 1.
    """

    above: Mapping[Places, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.above)

    def of(self, places: Iterable[int]) -> float:
        """Return the weight of a column, a pair or a triple."""
        return self.above.get(tuple(places), 1.0)

    @property
    def triples(self) -> tuple[Places, ...]:
        """The triples that are marked."""
        return tuple(each for each in self.above if len(each) > 2)

    def of_pairs(self, columns: int) -> FloatArray:
        """Return (m, m) the weight of every pair of so many columns, symmetric; 1 on the
        diagonal."""
        square = np.ones((columns, columns))
        for places, weight in self.above.items():
            if len(places) == 2:
                square[places] = square[places[::-1]] = weight
        return square

    def of_columns(self, columns: int) -> list[float]:
        """Return what the error of each of so many columns by itself weighs."""
        return [self.of((place,)) for place in range(columns)]


EVEN: Final = Importance()
"""All weigh the same."""


def _raise(weights: dict[Places, float], pair: Places, weight: float) -> None:
    weights[pair] = max(weight, weights.get(pair, 1.0))


def _quote_names(names: Sequence[str]) -> str:
    return " with ".join(f"“{each}”" for each in names) or "Nothing"
