"""Which cells of a marginal some record can be in, by the rules of the schema.

A cell that is impossible is empty in every table, so that a count of 0 there tells nothing of any
record and needs no noise. A coarse cell is impossible if all of its fine cells are.

Whether columns can be drawn one after another under the rules is public too, and known before
anything is learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.core.refusal import Refusal
from understudy.models.views import Marginal, View, sum_views
from understudy.table.rules.relation import Relations, TooWide
from understudy.table.schema import Schema


def possible_cells(schema: Schema, marginal: Marginal) -> BoolArray | None:
    """Return (cells,) which cells of a marginal a record can be in; None where it can be in all, or
    in which it can is not told apart."""
    relations = schema.relations
    if not relations:
        return None
    columns = tuple(sorted(view.attribute for view in marginal))
    allowed = relations.project(columns)
    if allowed is None:
        return None
    axes = [columns.index(view.attribute) for view in marginal]
    fine = tuple(View(view.attribute) for view in marginal)
    full = np.ascontiguousarray(allowed.transpose(axes)).astype(np.int64).ravel()
    found = sum_views(schema, full, fine, marginal) > 0
    return None if found.all() else np.asarray(found)


@dataclass(frozen=True)
class Implied:
    """What rules tell of pairs of columns.

    Attributes:
        pairs: those, ascending, whose table follows from the two columns by themselves: no two
            tables in possible cells have the same sums along both.
        tellers: of columns the others by whose value their own is known; of two that tell one
            another only the first counts as one that tells.
    """

    pairs: frozenset[tuple[int, int]]
    tellers: Mapping[int, frozenset[int]]


@lru_cache(maxsize=8)
def find_implied(relations: Relations) -> Implied:
    """Return what relations tell of each two columns that they bind."""
    pairs = set[tuple[int, int]]()
    tellers: dict[int, set[int]] = {}
    for one, other in combinations(relations.columns, 2):
        bound = other in relations.list_bound((one,))
        allowed = relations.project((one, other)) if bound else None
        if allowed is None:
            continue
        if _is_forest(allowed):
            pairs.add((one, other))
        if (allowed.sum(axis=1) <= 1).all():
            tellers.setdefault(other, set()).add(one)
        elif (allowed.sum(axis=0) <= 1).all():
            tellers.setdefault(one, set()).add(other)
    return Implied(frozenset(pairs), {place: frozenset(by) for place, by in tellers.items()})


def _is_forest(cells: BoolArray) -> bool:
    """Return whether no circle of cells goes along rows and columns in turns: taking away rows and
    columns with one cell, over and over, then leaves none."""
    while cells.size:
        left = cells[cells.sum(axis=1) > 1]
        left = left[:, left.sum(axis=0) > 1]
        if left.shape == cells.shape:
            return False
        cells = left
    return True


_COARSER: Final = "Give these columns coarser values, or take out a rule that binds them."


@contextmanager
def refuse_orders(schema: Schema, problem: str, remedy: str = "") -> Iterator[None]:
    """Refuse rules that cannot be put along an order of the columns.

    Args:
        schema: whose rules.
        problem: what cannot be done under rules that bind too many values, as a sentence.
        remedy: what to do about it, as a sentence; coarser values, if left out.

    Raises:
        Refusal: some rules bind too many values together.
    """
    try:
        yield
    except TooWide as wide:
        names = ", ".join(f"“{schema.names[place]}”" for place in wide.columns)
        raise Refusal(
            f"The rules on {names} bind too many combinations of values together. {problem}",
            f"{remedy} Or give these columns coarser values." if remedy else _COARSER,
            field="rules",
        ) from None
