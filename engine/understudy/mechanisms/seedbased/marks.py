"""Marks: what a custodian wants to survive, and how many records pass for it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from understudy.core.numerals import FIXED, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.foresight import predict_table
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.marks import Marks
from understudy.models.prediction import Predicted
from understudy.table.column import Column
from understudy.table.schema import Schema

_REMEDY: Final = (
    "Put the values of these columns into fewer buckets, raise ε, or take the mark away; of a "
    "triple, marking its pairs costs less."
)


@dataclass(frozen=True)
class ForeseenMarks:
    """What is foreseen of columns that are marked together, or of one.

    Attributes:
        names: the columns.
        apart: by how much noise and chance will set them apart, in total variation; None where
            they are not measured together unless they hang together more than columns usually do.
        possible: whether they can be measured together at all.
    """

    names: tuple[str, ...]
    apart: float | None
    possible: bool = True

    def describe(self, schema: Schema) -> str:
        """Return what is foreseen of the mark, in words."""
        named = " with ".join(f"“{_title_columns(schema.column(name))}”" for name in self.names)
        if not self.possible:
            return f"{named}: cannot be measured, too many cells for so many records at this ε."
        if self.apart is None:
            return f"{named}: measured only if they hang together more than columns usually do."
        figures = 2 if self.apart < 0.1 else 1
        return f"{named}: expected {significant(100 * self.apart, figures)}{FIXED}% off."


def foreseen_of_marks(found: Predicted, marks: Marks, schema: Schema) -> tuple[ForeseenMarks, ...]:
    """Return what is foreseen of each mark: marked pairs and triples, then marked columns by
    themselves, then the target with every other column, the worst first."""
    place = {name: index for index, name in enumerate(schema.names)}
    together = [_together(found, group, place) for group in marks.together]
    alone = [
        ForeseenMarks((name,), float(found.each_column[place[name]])) for name in marks.columns
    ]
    target = [
        _together(found, (marks.target, name), place)
        for name in schema.names
        if marks.target is not None and name != marks.target
    ]
    return (*sorted(together, key=_worst), *alone, *sorted(target, key=_worst))


def check_marks(plan: Plan, schema: Schema, made: Promise) -> None:
    """Check that what must survive can be measured, where it is public how many records there are.

    Raises:
        Refusal: a marked pair or triple has too many cells; of the field “marks.together”.
    """
    if plan.public_records is None or not plan.marks.together or not plan.model.about.marked:
        return
    found = predict_table(plan, schema, made, plan.public_records, plan.attempts)
    if found is None:
        return
    of_pairs = Marks(together=plan.marks.together)
    for each in foreseen_of_marks(found, of_pairs, schema):
        if not each.possible:
            raise Refusal(
                f"{_list_titles(each.names)} are marked to survive together, and cannot be "
                f"measured: their table has {_cells(schema, each.names):,} cells, in which the "
                "noise at this ε would exceed all of the records.",
                _REMEDY,
                field="marks.together",
            )


def _together(found: Predicted, names: Sequence[str], place: dict[str, int]) -> ForeseenMarks:
    places = tuple(sorted(place[name] for name in names))
    if len(places) == 2:
        apart, possible = float(found.together[places]), bool(found.possible[places])
    else:
        apart = found.triples.get(places, math.nan)
        possible = math.isfinite(apart) or _pairs_alone(found, places)
    return ForeseenMarks(tuple(names), apart if math.isfinite(apart) else None, possible)


def _pairs_alone(found: Predicted, places: tuple[int, ...]) -> bool:
    """Return whether a model that measures no triples, but pairs, has all pairs of one."""
    return not found.triples and all(found.possible[each] for each in combinations(places, 2))


def _worst(each: ForeseenMarks) -> tuple[bool, bool, float]:
    return each.possible, each.apart is not None, -(each.apart or 0.0)


def _cells(schema: Schema, names: Sequence[str]) -> int:
    """Return the number of cells of the smallest table of these columns, through their buckets or
    the coarsest level above them."""
    columns = map(schema.column, names)
    return math.prod(column.level_size(column.coarsest) for column in columns)


def _title_columns(column: Column) -> str:
    return column.title or column.name


def _list_titles(names: Sequence[str]) -> str:
    *most, last = [f"“{each}”" for each in names]
    return f"{', '.join(most)} and {last}"


def sentences(found: Predicted, plan: Plan, schema: Schema) -> Iterator[str]:
    """Yield what is foreseen of the marks of a plan, in sentences; none where its model heeds
    none."""
    if not plan.marks:
        return
    if not plan.model.about.marked:
        yield f"The {plan.model.about.name} model does not heed what is marked."
        return
    for each in foreseen_of_marks(found, plan.marks, schema):
        yield each.describe(schema)
