"""The parameters of models as figures that are released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from understudy.mechanisms.pmse.choosing import ChosenModel
from understudy.mechanisms.pmse.units import Unit
from understudy.table.schema import Schema


def told(
    units: Sequence[Unit], models: Sequence[ChosenModel], schema: Schema, logarithmic: Sequence[str]
) -> dict[str, Any]:
    """Return one object: what the model is, and the parameters of each.

    Middle and spread are shares of the column's range, on its line where that is logarithmic.
    """
    return {
        "model": "a sequence of regressions; see docs/pmse.md",
        "logarithmic": list(logarithmic),
        "models": [_model(units, each, schema) for each in models],
    }


def _model(units: Sequence[Unit], model: ChosenModel, schema: Schema) -> list[dict[str, Any]]:
    found, start = [], 0
    for turn, unit in enumerate(units):
        values = model.parameters[start : start + unit.size].tolist()
        start += unit.size
        own = (
            {"middle": values[0], "spread": float(np.exp(values[1])), "follows": values[2:]}
            if unit.value is None
            else {
                "value": schema.columns[unit.column].texts[unit.value],
                "log_odds": values[0],
                "follows": values[1:],
            }
        )
        mean, deviation = model.moments[turn].tolist()
        found.append(
            {
                "column": schema.columns[unit.column].name,
                **own,
                "on": list(unit.after),
                "mean": mean,
                "deviation": deviation,
            }
        )
    return found
