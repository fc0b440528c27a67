"""Masks: which values of a column the values of earlier columns leave.

Relations are put along an order of the columns such that whatever has been drawn can be completed
(directional consistency; Dechter and Pearl 1987): each relation stands with its last column, and
what the relations of a column ask of earlier columns is put with the last of those. Then a prefix
has a completion exactly if it meets the relations that stand with its columns, and nothing is ever
drawn that leads into a dead end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, IntArray
from understudy.table.rules.relation import MOST_CELLS, Relation, Relations, TooWide, eliminate


@dataclass(frozen=True, eq=False)
class Mask:
    """What earlier columns leave of one column.

    Attributes:
        column: its place.
        scope: the earlier columns that decide it, ascending.
        kinds: of these and the column itself, (codes,) the kind of each code.
        relations: by kind, those that stand with the column.
    """

    column: int
    scope: tuple[int, ...]
    kinds: Mapping[int, IntArray]
    relations: tuple[Relation, ...]

    def allows(self, columns: Sequence[CodeArray], values: CodeArray) -> BoolArray:
        """Return (n,) whether each value is left.

        Args:
            columns: (n,) codes of each column, in the order of the schema.
            values: (n,) codes of this one.
        """
        found = np.ones(len(values), dtype=bool)
        own = np.take(self.kinds[self.column], values)
        for one in self.relations:
            kinds = (
                own if place == self.column else np.take(self.kinds[place], columns[place])
                for place in one.columns
            )
            found &= one.allowed[tuple(kinds)]
        return found

    @cached_property
    def combinations(self) -> int:
        """How many combinations of kinds the earlier columns have."""
        return math.prod(int(self.kinds[place].max()) + 1 for place in self.scope)

    def strides(self) -> Mapping[int, IntArray]:
        """Return, of each earlier column, what each code adds to the number of the combination,
        from 0 on, the last column varying fastest."""
        found, size = {}, self.combinations
        for place in self.scope:
            kinds = self.kinds[place]
            size //= int(kinds.max()) + 1
            found[place] = kinds * size
        return found

    def of(self, columns: Sequence[CodeArray]) -> BoolArray:
        """Return (n, codes) which values are left of each record; all of them for a record that
        meets no relation of its earlier columns."""
        return self.find_kinds(columns)[:, self.kinds[self.column]]

    def find_kinds(self, columns: Sequence[CodeArray]) -> BoolArray:
        """Return `of`, by the kinds of values of the column: (n, kinds)."""
        count = len(columns[self.column])
        kinds = self.kinds[self.column]
        found = np.ones((count, int(kinds.max()) + 1), dtype=bool)
        for one in self.relations:
            others = (
                np.take(self.kinds[place], columns[place])
                for place in one.columns
                if place != self.column
            )
            found &= np.moveaxis(one.allowed, one.columns.index(self.column), -1)[tuple(others)]
        found[~found.any(axis=1)] = True
        return found


Masks = Mapping[int, Mask]
"""By column, where anything decides what is left of it."""


def compile_masks(relations: Relations, order: Sequence[int]) -> Masks:
    """Return the masks along an order; those that were compiled last are kept.

    Args:
        relations: among the columns.
        order: every column, in the order they are drawn in.

    Raises:
        TooWide: the relations that stand with a column bind too many values.
        ValueError: no record meets them all.
    """
    return _compile(relations, tuple(order))


@lru_cache(maxsize=16)
def _compile(relations: Relations, order: tuple[int, ...]) -> Masks:
    position = {column: place for place, column in enumerate(order)}
    beside: dict[int, list[Relation]] = {column: [] for column in order}

    def put(one: Relation) -> None:
        if not one.columns:
            raise ValueError("no record meets all relations")
        last = max(one.columns, key=position.__getitem__)
        beside[last].append(one)

    for one in relations.by_kind:
        put(one)
    for column in reversed(order):
        further = eliminate(beside[column], column) if beside[column] else None
        if further is not None:
            put(further)
    return {column: _mask(relations, column, found) for column, found in beside.items() if found}


def _mask(relations: Relations, column: int, found: Sequence[Relation]) -> Mask:
    joined: dict[tuple[int, ...], BoolArray] = {}
    for one in found:
        allowed = joined.get(one.columns)
        joined[one.columns] = one.allowed if allowed is None else one.allowed & allowed
    scope = tuple(sorted({place for columns in joined for place in columns} - {column}))
    kinds = {place: relations.kinds[place] for place in (*scope, column)}
    kept = tuple(Relation(columns, allowed) for columns, allowed in joined.items())
    return Mask(column, scope, kinds, kept)


def order_for(relations: Relations, preferred: Sequence[int]) -> tuple[int, ...]:
    """Return an order along which masks can be compiled: the preferred one if it serves, else one
    in which columns that are bound together stand, in the places of the preferred order, such that
    the cheapest to eliminate come last.

    Raises:
        TooWide: no such order serves either.
    """
    order = tuple(preferred)
    while True:
        try:
            compile_masks(relations, order)
        except TooWide as wide:
            bound = relations.list_bound(wide.columns)
            places = [place for place, column in enumerate(order) if column in bound]
            instead = list(order)
            for place, column in zip(places, _cheapest_last(relations, bound), strict=True):
                instead[place] = column
            if tuple(instead) == order:
                raise
            order = tuple(instead)
        else:
            return order


@lru_cache(maxsize=8)
def check_some_order(relations: Relations) -> None:
    """Check that `order_for` returns an order, whatever is preferred.

    Raises:
        TooWide: it may not.
        ValueError: no record meets all relations.
    """
    compile_masks(relations, _cheapest_last(relations, frozenset(relations.columns)))


@lru_cache(maxsize=8)
def check_every_order(relations: Relations) -> None:
    """Check that masks can be compiled along each order of the columns. Of columns that are bound
    together, no step binds more values than all but one of them have.

    Raises:
        TooWide: along some order they may not be.
        ValueError: no record meets all relations.
    """
    check_some_order(relations)
    sizes = {place: int(kinds.max()) + 1 for place, kinds in relations.kinds.items()}
    for bound in {relations.list_bound([place]) for place in relations.columns}:
        each = [sizes[place] for place in bound]
        if math.prod(each) // min(each) > MOST_CELLS:
            raise TooWide(tuple(sorted(bound)))


def _cheapest_last(relations: Relations, columns: frozenset[int]) -> list[int]:
    """Return columns such that those that bind fewest values stand last, each once those after it
    are eliminated."""
    left = {one.columns: one for one in relations.by_kind if columns.issuperset(one.columns)}
    sizes = {place: int(kinds.max()) + 1 for place, kinds in relations.kinds.items()}
    scopes, order, waiting = list(left), list[int](), set(columns)

    def width(column: int) -> tuple[int, int]:
        bound = {place for scope in scopes if column in scope for place in scope}
        return int(np.prod([float(sizes[place]) for place in bound])), column

    while waiting:
        column = min(waiting, key=width)
        waiting.remove(column)
        order.append(column)
        named = [scope for scope in scopes if column in scope]
        scopes = [scope for scope in scopes if column not in scope]
        scopes.append(tuple(sorted({place for scope in named for place in scope} - {column})))
    return order[::-1]
