"""Columns of categories in groups, with levels above them, for tests. Files in memory, as an
upload brings them, and what reading them comes to. Records as files on disk, and the same records
read from there.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from tests.engine.table import refusals
from understudy.core.refusal import Refusal
from understudy.models.streamed_rows import StreamedSplit
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.encoding import decode
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.split import Shares, Split, assign_parts


def grouped(sizes: tuple[int, ...], name: str = "code") -> Column:
    """So many categories, in neighbouring groups of so many, and so on above these."""
    first, *others = sizes
    values = tuple(f"v{value}" for value in range(first))
    made, below = [], values
    for level, size in enumerate(others):
        labels = [f"{level}-{number}" for number in range(size)]
        inside = [labels[place * size // len(below)] for place in range(len(below))]
        made.append(_groups(below, inside))
        below = tuple(labels)
    domain = Categories(values=values)
    return Column(name=name, domain=domain, buckets=made[0], levels=tuple(made[1:]))


@st.composite
def leveled_columns(draw: st.DrawFn) -> Column:
    """Any groups of a few categories, any levels above them, some with a group for the rest."""
    below = tuple(f"v{value}" for value in range(draw(st.integers(3, 12))))
    domain, made = Categories(values=below), []
    while len(below) > 2:
        labels = [f"{len(made)}-{number}" for number in range(draw(st.integers(2, len(below) - 1)))]
        inside = [draw(st.sampled_from(labels)) for _ in below]
        level = _groups(below, inside, draw(st.sampled_from((None, labels[0]))))
        size = len(set(inside))
        if size < 2:
            break
        made.append(level)
        below = tuple(each.label for each in level.groups) + ((level.rest,) if level.rest else ())
    if not made:
        made = [_groups(below, ["one"] * len(below))]
    missing = draw(st.booleans())
    return Column(
        name="code", domain=domain, missing=missing, buckets=made[0], levels=tuple(made[1:])
    )


def _groups(below: tuple[str, ...], inside: list[str], rest: str | None = None) -> ByGroups:
    """Each in the group named beside it, those of the group `rest` in none."""
    members: dict[str, list[str]] = {}
    for value, label in zip(below, inside, strict=True):
        members.setdefault(label, []).append(value)
    named = {label: each for label, each in members.items() if label != rest}
    if not named:
        named, rest = members, None
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in named.items())
    return ByGroups(groups=groups, rest=rest if rest in members else None)


def read(
    data: bytes | str,
    how: Reading | str | None = "table.csv",
    **settings: Any,
) -> RawTable:
    """Read an upload: as a reading says, or as what its name says it is."""
    reading, name = (how, "table.csv") if isinstance(how, Reading) else (None, how)
    content = data if isinstance(data, bytes) else data.encode()
    return read_table(content, reading, name=name, **settings)


def texts(table: RawTable, name: str) -> list[str]:
    """The texts of a column, record by record."""
    found, places = table.distinct(name)
    return [found[place] for place in places]


def refused(data: bytes | str, how: Reading | str | None = "table.csv", **settings: Any) -> Refusal:
    """The refusal of an upload, which says what to do and quotes no cell."""
    return refusals.refused(read, data, how, **settings)


def parquet(**columns: Any) -> bytes:
    """A Parquet file of these columns."""
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def excel(*sheets: Sequence[Sequence[Any]]) -> bytes:
    """A workbook of these sheets, each given row by row."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for place, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet{place}")
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def as_parquet(records: Records, folder: Path, group: int) -> Path:
    """Records as texts in a Parquet file, in groups of so many rows."""
    path = folder / "table.parquet"
    pq.write_table(decode(records), path, row_group_size=group)
    return path


def both_ways(
    records: Records, folder: Path, group: int, source: RandomSource
) -> tuple[Split, StreamedSplit]:
    """The same records with the same parts, in memory and in a file of groups of rows."""
    table = StreamedTable.open(as_parquet(records, folder, group), records.schema)
    parts = assign_parts(len(records), Shares(), source)
    return Split.of(records, parts), StreamedSplit(table, parts)
