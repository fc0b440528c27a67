"""Data frames as inline data of Vega-Lite.

Altair's conversion takes longer than the rest of serialising a chart, as it supports every type of
a data frame; ours hold numbers, texts and truth values only.
"""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd
from altair.utils.data import to_values

_OURS: Final = (str, int, float, type(None))


def in_rows(data: Any) -> Any:
    """Return a data frame as Vega-Lite's inline values, what is not a number as nothing.

    Args:
        data: a data frame, or whatever else Altair takes, which is left to it.
    """
    if not isinstance(data, pd.DataFrame):
        return data if isinstance(data, dict) else to_values(data)
    columns = [_column(data.iloc[:, place]) for place in range(data.shape[1])]
    known = [each for each in columns if each is not None]
    if len(known) < len(columns) or not all(isinstance(name, str) for name in data.columns):
        return to_values(data)
    names = list(data.columns)
    return {"values": [dict(zip(names, row, strict=True)) for row in zip(*known, strict=True)]}


def _column(column: pd.Series[Any]) -> list[Any] | None:
    """Return the values of a column; None where they are of a type that is not ours."""
    kind = column.dtype.kind
    if kind == "f":
        return [each if math.isfinite(each) else None for each in column.tolist()]
    if kind in "iub":
        return list(column.tolist())
    if kind != "O" or isinstance(column.dtype, pd.CategoricalDtype):
        return None
    values = [None if _lacking(each) else each for each in column.tolist()]
    return values if all(type(each) in _OURS for each in values) else None


def _lacking(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
