"""A table that is not the one that was released is found, as CSV and as Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.report.tampering import failed, resummed
from understudy.report import checks
from understudy.report.outputs import count_most_lines
from understudy.report.verify import verify
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema


def lines_of(folder: Path) -> list[str]:
    return (folder / "synthetic.csv").read_text().splitlines()


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [lines[0], "4711,C,1.00", *lines[2:]],
        lambda lines: [lines[0], "30,X,1.00", *lines[2:]],
        lambda lines: [lines[0], "30,C,1.0", *lines[2:]],
        lambda lines: [lines[0], "30,C,1.00,9", *lines[2:]],
        lambda lines: [lines[0], *reversed(lines[1:])],
        lambda lines: [lines[0].replace("job", "work"), *lines[1:]],
        lambda lines: [lines[0], lines[1].replace(",", " ,"), *lines[2:]],
        lambda lines: [],
    ],
)
def test_another_table_is_found(
    copied: Callable[..., Path], change: Callable[[list[str]], list[str]]
) -> None:
    folder = copied()
    lines = lines_of(folder)
    (folder / "synthetic.csv").write_text("".join(f"{line}\n" for line in change(lines)))
    resummed(folder)
    assert "table" in failed(verify(folder))


def test_another_table_in_parquet_is_found(copied: Callable[..., Path]) -> None:
    import pyarrow.parquet as pq

    folder = copied()
    table = pq.read_table(folder / "synthetic.parquet")
    for other in (
        table.slice(1),
        table.append_column("more", table.column("age")),
        table.replace_schema_metadata({"note": "passed: 12"}),
    ):
        pq.write_table(other, folder / "synthetic.parquet")
        resummed(folder)
        assert "parquet" in failed(verify(folder))
    pq.write_table(table, folder / "synthetic.parquet", compression="snappy")
    resummed(folder)
    assert "parquet" in failed(verify(folder))


def test_what_is_hidden_in_parquet_is_found_by_another_version_of_its_library_too(
    copied: Callable[..., Path],
) -> None:
    import pyarrow.parquet as pq

    folder = copied()
    versions = json.loads((folder / "versions.json").read_text())
    versions["libraries"]["pyarrow"] = "1.0"
    (folder / "versions.json").write_text(json.dumps(versions, indent=2) + "\n")
    resummed(folder)
    assert "parquet" not in failed(verify(folder))
    table = pq.read_table(folder / "synthetic.parquet")
    noted = table.replace_schema_metadata({"note": "passed: 12"})
    pq.write_table(noted, folder / "synthetic.parquet")
    resummed(folder)
    assert "parquet" in failed(verify(folder))


def test_rows_are_counted_before_they_are_read(
    copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied()
    table = folder / "synthetic.csv"
    last = table.read_text().splitlines(keepends=True)[-1]
    with table.open("a") as file:
        file.write(last)
    resummed(folder)

    def read(*_: Any) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(checks, "read_csv", read)
    said = next(each.said for each in verify(folder).checks if each.key == "table")
    assert "more than the" in said


def test_a_line_feed_in_a_value_is_no_row() -> None:
    kinds = Column(name="kind", domain=Categories(values=("a", "b\nc\nd")))
    size = Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)))
    schema = Schema(columns=(kinds, size))
    records = Records(schema, np.array([[1, 3]] * 5, dtype=np.uint16))
    assert to_csv_bytes(records).count(b"\n") == count_most_lines(schema, 5)
