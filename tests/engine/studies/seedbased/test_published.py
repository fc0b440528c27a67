from __future__ import annotations

import math

import pytest

from understudy.studies.seedbased import published
from understudy.studies.seedbased.published import (
    CLASSIFICATION,
    DISTINGUISHING,
    LINEAR,
    TABLES,
)

# Added up from the printed tables, so that a digit typed wrongly shows.
SUMS = {
    "Table 3": (497.2, 520.3, 538.3, 507.6, 547.1, 584.2),
    "Table 4": (682.8, 687.4),
    "Table 5": (438.4, 416.8),
}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_columns_add_up_to_the_printed_ones(table: published.PublishedTable) -> None:
    assert all(len(row) == len(table.quantities) for row in table.rows.values())
    sums = [
        math.fsum(row[at] for row in table.rows.values()) for at in range(len(table.quantities))
    ]
    assert sums == pytest.approx(SUMS[table.name], abs=1e-9)


def test_shapes_of_the_tables() -> None:
    shapes = {each.name: (len(each.rows), len(each.quantities)) for each in TABLES}
    assert shapes == {"Table 3": (7, 6), "Table 4": (9, 2), "Table 5": (7, 2)}
    assert all(each.best in each.rows and "marginals" in each.rows for each in TABLES)


def test_every_table_has_the_same_five_omegas() -> None:
    omegas = ["ω = 11", "ω = 10", "ω = 9", "ω = 9-11", "ω = 5-11"]
    for table in (CLASSIFICATION, LINEAR, DISTINGUISHING):
        assert [name for name in table.rows if name.startswith("ω")] == omegas


def test_possible_records_and_the_share_that_occur_once() -> None:
    ours = math.prod(published.CARDINALITIES.values())
    assert ours == 552_960_000_000
    assert published.POSSIBLE == ours // (80 * 100) * 79 * 99 == 540_587_520_000
    assert round(100 * published.UNIQUE / published.RECORDS, 1) == 68.4
    assert published.POSSIBLE.bit_length() == 39


def test_the_rate_of_the_published_tool() -> None:
    assert math.ceil(published.TIMED_RECORDS / published.TIMED_SECONDS) == 17
