"""The distances that count where a table was measured twice: as its run ended, and since.

Both look at other draws of the tables to compare with, so they differ a little. What was measured
since counts wherever there is such, so that one figure stands everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.comparison import Compared
from understudy.evaluation.distances import Distances
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.finding import Part

_KEYS: Final = ("total-variation", "total-variation-pairs")
"""The measures whose breakdowns are the columns and the pairs."""


def latest(
    compared: Sequence[Compared], evaluation: Evaluation | None, names: Sequence[str]
) -> tuple[Compared, ...]:
    """Return the tables beside held-out records. Internal.

    Args:
        compared: what was measured when the run ended.
        evaluation: everything that was measured since; None where nothing was.
        names: (m,) of the columns, to find them in the evaluation.
    """
    since = () if evaluation is None else _since(evaluation, names)
    return since or tuple(compared)


def _since(evaluation: Evaluation, names: Sequence[str]) -> tuple[Compared, ...]:
    """Return every table of which all columns and all pairs were measured, candidates left out."""
    place = {name: at for at, name in enumerate(names)}
    found = []
    for table in evaluation.tables:
        parts = [
            part
            for key in _KEYS
            if (finding := evaluation.finding(key)) is not None
            and (measured := finding.by_subject.get(table.name)) is not None
            for part in measured.parts
        ]
        square = _square(parts, place)
        if table.role != "candidates" and np.isfinite(square).all():
            distances = Distances(np.diagonal(square).copy(), square)
            found.append(Compared(table.name, table.records, distances))
    return tuple(found)


def _square(parts: Sequence[Part], place: dict[str, int]) -> FloatArray:
    """(m, m) what each part says of its pair or, on the diagonal, of its column; NaN where none
    says anything."""
    square = np.full((len(place), len(place)), np.nan)
    for part in parts:
        if part.of and all(name in place for name in part.of):
            one, other = place[part.of[0]], place[part.of[-1]]
            square[one, other] = square[other, one] = part.value
    return square
