"""What an acceptance test can be asked."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support import category_schema
from understudy.acceptance import statistics
from understudy.acceptance.statistics import (
    MOST_STATISTICS,
    AcceptanceTest,
    DistanceOf,
    MeanOf,
    ShareOf,
    Statistic,
)
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema


def test_one_statistic_is_enough_and_no_more_than_are_told_apart() -> None:
    one = ShareOf(column="c0", values=("v0",), limit=1.0)
    for many in (1, MOST_STATISTICS):
        AcceptanceTest(epsilon=1.0, statistics=(one,) * many).check(category_schema(2, 3))
    for many in (0, MOST_STATISTICS + 1):
        with pytest.raises(Refusal):
            AcceptanceTest(epsilon=1.0, statistics=(one,) * many)


@pytest.mark.parametrize("limit", [0.0, -0.1, 1.01])
def test_a_limit_that_nothing_or_everything_passes_is_refused(limit: float) -> None:
    with pytest.raises(Refusal):
        ShareOf(column="c0", values=("v0",), limit=limit)


@pytest.mark.parametrize("numbers", [1, 2])
def test_a_mean_is_of_two_numbers_or_more(numbers: int) -> None:
    domain = Grid(minimum=Decimal(1), maximum=Decimal(numbers))
    beside = Column(name="kind", domain=Categories(values=("a", "b")))
    schema = Schema(columns=(Column(name="age", domain=domain), beside))
    if numbers == 2:
        MeanOf(column="age").check(schema)
        return
    with pytest.raises(Refusal, match="no numbers"):
        MeanOf(column="age").check(schema)


def test_a_distance_is_of_no_more_pairs_than_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = category_schema(3, 4)
    distance: Statistic = DistanceOf(columns=("c0", "c1"))
    monkeypatch.setattr(statistics, "MOST_CELLS", 12)
    distance.check(schema)
    monkeypatch.setattr(statistics, "MOST_CELLS", 11)
    with pytest.raises(Refusal, match="11 pairs"):
        distance.check(schema)
