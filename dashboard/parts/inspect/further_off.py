"""How much further off than other real records the tables of several runs are. Internal."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dashboard import words
from engine.evaluation import excess
from engine.evaluation.excess import Excess
from engine.evaluation.fitness import points
from engine.evaluation.latest import latest
from engine.evaluation.side_by_side import ComparedRun, all_evaluated
from engine.mechanisms.foreseeing import excess_foreseen
from engine.mechanisms.planned_run import PlannedRun
from engine.table.schema import Schema


def further_off_table(sides: Mapping[str, tuple[ComparedRun, PlannedRun]]) -> pd.DataFrame:
    """A row for a typical and for the worst column and pair, a column for each run of which it was
    measured: how much further off than other real records, and in brackets what was foreseen."""
    full = all_evaluated([side for side, _ in sides.values()])
    columns = {}
    for name, (side, decided) in sides.items():
        evaluation = side.evaluation if full else None
        found = excess.excess_of_release(latest(side.compared, evaluation, side.schema.names))
        if found is not None:
            columns[name] = _further_off(found, excess_foreseen(decided), side.schema)
    return pd.DataFrame(columns)


def _further_off(found: Excess, ahead: Excess | None, schema: Schema) -> dict[str, str]:
    """What stands of one run: each value, and in brackets what it was foreseen to be."""
    typical = {
        "Typical column": (found.typical_column, None if ahead is None else ahead.typical_column),
        "Typical pair": (found.typical_pair, None if ahead is None else ahead.typical_pair),
    }
    said = {name: _beside_foreseen(*values) for name, values in typical.items()}
    worst = {"Worst column": found.worst_columns()[:1], "Worst pair": found.worst_pairs()[:1]}
    for name, ranked in worst.items():
        for places, value in ranked:
            expected = None if ahead is None else float(ahead.apart[places[0], places[-1]])
            titles = [schema.columns[each].title or schema.columns[each].name for each in places]
            said[name] = f"{_beside_foreseen(value, expected)}: {words.plain(' × '.join(titles))}"
    return said


def _beside_foreseen(value: float, expected: float | None) -> str:
    return points(value) if expected is None else f"{points(value)} ({points(expected)})"
