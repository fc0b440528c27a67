"""Bars over the values of a column, and over its buckets. One column in two tables, laid over each
other.
"""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts import histogram
from understudy.charts.histogram import overlaid, overlaid_table
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid


@given(st.lists(st.integers(0, 99), min_size=1, max_size=700), st.integers(1, 240))
def test_bars_lose_no_record_and_are_no_more_than_asked_for(counts: list[int], most: int) -> None:
    bars, per_bar = histogram.join_bars(np.array(counts), most)
    assert bars.sum() == sum(counts)
    assert len(bars) <= most
    assert bars[0] == sum(counts[:per_bar])


def ages(size: int) -> tuple[Column, np.ndarray]:
    grid = Grid(minimum=Decimal(0), maximum=Decimal(size - 1))
    column = Column(name="age", domain=grid, missing=True, buckets=ByWidth(width=Decimal(10)))
    return column, np.arange(size + 1)


@pytest.mark.parametrize(("size", "bars"), [(20, 21), (80, 80), (1000, 112)])
def test_many_numbers_stand_on_an_axis_and_few_are_named(size: int, bars: int) -> None:
    column, counts = ages(size)
    spec = histogram.values(column, counts).to_dict()
    drawn = next(iter(spec["datasets"].values()))
    assert len(drawn) == bars
    held = counts if size == 20 else counts[:-1]
    assert sum(row["Records"] for row in drawn) == held.sum()
    assert spec["encoding"]["x"]["type"] == ("nominal" if size == 20 else "quantitative")


def test_buckets_add_up_their_values() -> None:
    column, counts = ages(25)
    table = histogram.buckets_table(column, counts)
    assert list(table["Bucket"]) == ["0 to 9", "10 to 19", "20 to 24", "missing"]
    assert list(table["Values"]) == [10, 10, 5, 1]
    assert list(table["Records"]) == [45, 145, 110, 25]
    spec = histogram.buckets(column, counts).to_dict()
    assert spec["encoding"]["y"]["sort"] == list(table["Bucket"])


def test_the_table_of_values_names_the_bucket_of_each() -> None:
    column = Column(name="c", domain=Categories(values=("a", "b")))
    table = histogram.values_table(column, np.array([3, 4]))
    assert table.to_dict("list") == {
        "Value": ["a", "b"],
        "Bucket": ["a", "b"],
        "Records": [3, 4],
    }


def test_bars_of_a_continuous_column_stand_on_its_cells() -> None:
    domain = Continuous(minimum=30, maximum=152, precision="0.5", step=2, unit="kg")
    column = Column(name="weight", title="Weight", domain=domain, missing=True)
    counts = np.arange(column.cardinality)
    spec = histogram.values(column, counts).to_dict()
    drawn = next(iter(spec["datasets"].values()))
    assert [drawn[0][name] for name in ("from", "to", "Values")] == [30, 32, "30.0 to 31.5"]
    assert [drawn[-1][name] for name in ("from", "to", "Values")] == [150, 152, "150.0 to 152.0"]
    assert spec["encoding"]["x"]["scale"]["domain"] == [30, 152]
    assert spec["encoding"]["x"]["title"] == "Weight (kg)"
    assert sum(row["Records"] for row in drawn) == counts[:-1].sum()


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
