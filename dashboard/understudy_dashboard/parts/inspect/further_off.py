"""How much further off than other real records the tables of several runs are. Internal."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from understudy.evaluation import excess
from understudy.evaluation.comparison import latest
from understudy.evaluation.excess import Excess
from understudy.evaluation.fitness import points
from understudy.evaluation.run_comparison import ComparedRun, all_evaluated
from understudy.table.schema import Schema
from understudy_dashboard import words


def further_off_table(sides: Mapping[str, ComparedRun]) -> pd.DataFrame:
    """Return a row for a typical and for the worst column and pair, with a column for each measured
    run: how much further off than other real records."""
    full = all_evaluated([*sides.values()])
    columns = {}
    for name, side in sides.items():
        evaluation = side.evaluation if full else None
        found = excess.excess_of_release(latest(side.compared, evaluation, side.schema.names))
        if found is not None:
            columns[name] = _further_off(found, side.schema)
    return pd.DataFrame(columns)


def _further_off(found: Excess, schema: Schema) -> dict[str, str]:
    """Return the column of one run."""
    said = {
        "Typical column": points(found.typical_column),
        "Typical pair": points(found.typical_pair),
    }
    worst = {"Worst column": found.worst_columns()[:1], "Worst pair": found.worst_pairs()[:1]}
    for name, ranked in worst.items():
        for places, value in ranked:
            titles = [schema.columns[each].title or schema.columns[each].name for each in places]
            said[name] = f"{points(value)}: {words.plain(' × '.join(titles))}"
    return said
