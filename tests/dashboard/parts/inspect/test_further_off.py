"""How much further off than other real records the tables of several runs are."""

from __future__ import annotations

import numpy as np

from tests.support import category_schema
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.measure import REALS, RELEASED
from understudy.evaluation.run_comparison import ComparedRun
from understudy_dashboard.parts.inspect.compare import excess_table

SCHEMA = category_schema(4, 3, 2)


def side(name: str, released: float) -> ComparedRun:
    """A run whose second and third columns go together worst."""
    square = np.full((3, 3), released)
    square[1, 2] = square[2, 1] = 0.3
    np.fill_diagonal(square, 0.02)
    real = np.full((3, 3), 0.01)
    compared = tuple(
        Compared(each, 100, Distances(np.diagonal(pairs).copy(), pairs))
        for each, pairs in ((RELEASED, square), (REALS, real))
    )
    return ComparedRun(name, "d", SCHEMA, compared)


def test_each_run_has_what_was_found() -> None:
    table = excess_table({"A": side("A", 0.05), "B": side("B", 0.0)})
    said = table.map(lambda each: each.replace("\N{NO-BREAK SPACE}", " "))
    assert list(said.index) == ["Typical column", "Typical pair", "Worst column", "Worst pair"]
    assert said.loc["Typical pair", "A"] == "4.0 %"
    assert said.loc["Typical pair", "B"] == "0 %"
    assert said.loc["Worst pair", "B"] == "29.0 %: c1 × c2"
    assert said.loc["Worst pair", "A"] == "29.0 %: c1 × c2"


def test_a_run_without_references_has_no_column() -> None:
    bare = ComparedRun("B", "d", SCHEMA)
    assert list(excess_table({"A": side("A", 0.05), "B": bare})) == ["A"]
