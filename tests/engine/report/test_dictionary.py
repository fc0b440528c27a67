"""What a column may contain, in words for a board."""

from __future__ import annotations

from understudy.report.dictionary import columns_csv, describe_column
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.schema import Schema


def test_long_numbers_are_read_in_threes_and_stay_numbers_in_the_file() -> None:
    wide = Column(name="pay", domain=Grid(minimum=0, maximum=100_000_000, step=50_000_000))
    assert describe_column(wide, "").domain == "0 to 100,000,000, in steps of 50,000,000"
    domain = Continuous(minimum=0, maximum=20_000, precision=1, step=10_000)
    measured = describe_column(Column(name="width", domain=domain), "").domain
    assert measured.startswith("0 to 20,000, to the nearest 1; modelled in cells of 10,000")
    assert "100000000,50000000" in columns_csv(Schema(columns=(wide, wide.changed(name="b"))), "")
