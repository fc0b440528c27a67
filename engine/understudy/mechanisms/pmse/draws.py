"""Records drawn from a chosen model, with the run's own secret: nothing of any record is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from understudy.mechanisms.pmse.model_search import ChosenModel
from understudy.mechanisms.pmse.regressions import Made, draw_needs, simulate_units
from understudy.mechanisms.pmse.units import Line, RegressionUnit
from understudy.privacy.randomness import RandomSource
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema


def drawn_records(
    schema: Schema,
    units: Sequence[RegressionUnit],
    lines: Mapping[int, Line],
    model: ChosenModel,
    source: RandomSource,
    rows: int,
) -> Records:
    """Return records of a model, with the numbers of their measured columns.

    Args:
        schema: the columns.
        units: the regressions.
        lines: of the columns of numbers.
        model: their parameters.
        source: where chance comes from.
        rows: how many.
    """
    uniforms = source.uniforms(len(units) * rows).reshape(len(units), rows)
    moments = [each[None] for each in model.moments]
    made = simulate_units(
        units, lines, model.parameters[None], Made(), draw_needs(units, uniforms), moments
    )
    codes, numbers = [], []
    for place, column in enumerate(schema.columns):
        if column.measured:
            lattice = range_of(column.domain).lattice
            places = lines[place].places_of(made.points[place][0])
            codes.append(lattice.cells_of(places))
            numbers.append(lattice.numbers(places))
        else:
            codes.append(made.codes[place][0])
    measured = np.column_stack(numbers) if numbers else None
    return Records(schema, np.column_stack(codes).astype(np.uint16), measured)
