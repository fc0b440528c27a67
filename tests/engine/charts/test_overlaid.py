"""One column in two tables, laid over each other."""

from __future__ import annotations

import json

import numpy as np
import pytest

from understudy.charts.histogram import overlaid, overlaid_table
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid

AGE = Column(name="age", domain=Grid(minimum=0, maximum=99))
JOBS = Column(name="job", domain=Categories(values=tuple(f"v{each}" for each in range(300))))
SEX = Column(name="sex", domain=Categories(values=("f", "m")))


@pytest.mark.parametrize("column", [AGE, JOBS, SEX])
def test_shares_add_up_and_no_chart_has_many_marks(column: Column) -> None:
    random = np.random.default_rng(4)
    real, made = (random.integers(0, 9, column.cardinality) for _ in range(2))
    table = overlaid_table(column, real, made)
    assert len(table) <= 60
    assert table["Real (%)"].sum() == pytest.approx(100, abs=0.5)
    assert table["Synthetic (%)"].sum() == pytest.approx(100, abs=0.5)
    figure = overlaid(column, real, made, "near")
    assert "INTERNAL" in json.dumps(figure.to_dict(), ensure_ascii=False)
    # Who cannot see it has to learn which column it is of.
    assert f"the values of {column.name}," in str(figure.description)


def test_the_table_says_the_difference() -> None:
    table = overlaid_table(SEX, np.array([30, 10]), np.array([5, 5]))
    assert table.to_numpy().tolist() == [["f", 75.0, 50.0, -25.0], ["m", 25.0, 50.0, 25.0]]


def test_an_empty_table_draws_nothing_and_does_not_fail() -> None:
    assert overlaid_table(SEX, np.array([0, 0]), np.array([1, 1]))["Real (%)"].tolist() == [0, 0]
