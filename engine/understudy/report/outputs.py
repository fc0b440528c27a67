"""The tables and figures that a run released, bound to the hashes that the run put down.

A table of a packet is CSV that is safe to open, and Parquet with its types.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from understudy.core.refusal import Refusal
from understudy.mechanisms.statement import ReleasedFile
from understudy.runs.release import figures_text
from understudy.table.declared_reading import usual
from understudy.table.encoding import as_written, csv_blocks, encode_public, has_neutralised_cells
from understudy.table.raw import TEXTS, RawTable
from understudy.table.records import Records, as_arrow, spell_column
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema

_BLOCK: Final = 1 << 23
_ROW_GROUP: Final = 1 << 18


@final
@dataclass(frozen=True, eq=False)
class SyntheticTable:
    """A table that was released, bound to the file that its run wrote.

    Attributes:
        records: its rows; where it is stained, with the column that says so.
        sha256: of the CSV file that the run wrote, in hex.

    Raises:
        TypeError: something else than records is handed in.
        Refusal: the records are not those of that file.
    """

    records: Records
    sha256: str

    def __post_init__(self) -> None:
        if type(self.records) is not Records:
            raise TypeError("only a released table may be published")
        if self.hash_csv() != self.sha256:
            raise Refusal(
                "The table is not the one that its statement is about.",
                "Put back the files of the release, or choose another run.",
                field="table",
            )

    def __len__(self) -> int:
        return len(self.records)

    def hash_csv(self) -> str:
        """Return the SHA-256, in hex, of the records in CSV as a run writes it."""
        sha256 = hashlib.sha256()
        for block in csv_blocks(self.records):
            sha256.update(block)
        return sha256.hexdigest()

    @cached_property
    def neutralised(self) -> bool:
        """Whether some cell of the table could be taken for a formula; see `neutralised`."""
        return has_neutralised_cells(self.records.schema)

    def write_parquet(self, sink: pa.NativeFile) -> None:
        """Write it as Parquet; see `as_arrow`."""
        pq.write_table(as_arrow(self.records), sink, compression="zstd", row_group_size=_ROW_GROUP)


def read_released_table(
    path: Path, schema: Schema, sha256: str, *, stained: bool
) -> SyntheticTable:
    """Return the table that a run released.

    Args:
        path: the CSV file that the run wrote.
        schema: of the run.
        sha256: of that file, as the run's statement has it.
        stained: whether it was made with a fixed seed.

    Raises:
        Refusal: it is not that file, or cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError:
        raise Refusal(
            "The released table cannot be read.",
            "Put back the files of the release, or choose another run.",
            field="table",
        ) from None
    shown = marked_schema(schema) if stained else schema
    return SyntheticTable(read_released_csv(data, shown), sha256)


def count_most_lines(schema: Schema, rows: int) -> int:
    """Return how many line feeds there can be in a CSV file of so many rows, the names of the
    columns included: one at the end of each, and those in values."""
    values = sum(
        max((text.count("\n") for text in column.texts), default=0)
        for column in schema.full.columns
    )
    return 1 + rows * (1 + values)


def read_released_csv(data: bytes, schema: Schema) -> Records:
    """Return the records of a CSV file that a run or a packet wrote.

    Args:
        data: the file.
        schema: its columns, in their order.

    Raises:
        Refusal: it is not CSV, has other columns than the schema, or a value outside it; or a
            column that is kept empty is not, or a derived value is another than its row makes.
    """
    try:
        found = _texts(data)
    except (pa.ArrowException, ValueError):
        raise Refusal(
            "The synthetic table is not a CSV file with the same number of cells in each row.",
            "Get the packet again from whoever made it.",
            field="table",
        ) from None
    columns = [_whole(column) for column in found.columns]
    raw = as_written(RawTable(pa.table(columns, names=found.column_names), usual("csv")))
    if raw.names != schema.header:
        raise Refusal(
            "The columns of the synthetic table are not those of its schema.",
            "Get the packet again from whoever made it.",
            field="table",
        )
    for name in schema.header:
        if name not in schema.full.names and raw.distinct(name)[0] not in ([], [""]):
            raise Refusal(
                f"Column “{name}” of the synthetic table is to be empty, and is not.",
                "Get the packet again from whoever made it.",
                field="table",
            )
    records = encode_public(raw, schema)
    _check_derived(raw, records)
    return records


def _check_derived(raw: RawTable, records: Records) -> None:
    """Check that every derived value is what the other values of its row make.

    Args:
        raw: the table, as texts.
        records: its columns that are not derived.

    Raises:
        Refusal: one is another.
    """
    complete = records.complete()
    for derived in records.schema.derived:
        texts, places = spell_column(complete, complete.schema.index(derived.name))
        expected = pa.array(texts, pa.string()).take(pa.array(places))
        held = raw.arrow.column(derived.name).chunk(0).cast(pa.string())
        differing = pc.not_equal(held, expected)
        row = pc.index(differing, True).as_py()
        if row >= 0:
            raise Refusal(
                f"Column “{derived.name}” is derived, {derived.formula.words}, and holds something "
                f"else in row {row + 1:,} of the synthetic table.",
                "Get the packet again from whoever made it.",
                field="table",
            )


def _texts(data: bytes) -> pa.Table:
    """Return every column as texts in one chunk. A separator and quotation mark need not be
    guessed."""
    header = csv.open_csv(
        pa.BufferReader(data),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(strings_can_be_null=False),
    ).schema.names
    found = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(block_size=_BLOCK),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(header, TEXTS), strings_can_be_null=False
        ),
    )
    return found.combine_chunks()


def _whole(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if column.num_chunks == 0:
        return pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
    return column.chunk(0)


@final
@dataclass(frozen=True)
class ReleasedFigures:
    """Named JSON objects, as a run released them.

    Attributes:
        found: each by the name of its output.
        sha256: of the file of each.

    Raises:
        TypeError: something else is handed in.
        Refusal: one is not what its hash is of.
    """

    found: Mapping[str, Mapping[str, Any]]
    sha256: Mapping[str, str]

    def __post_init__(self) -> None:
        if any(type(each) is not dict for each in self.found.values()):
            raise TypeError("released figures have to be JSON objects")
        there = {name: _hash(each) for name, each in self.found.items()}
        if there != dict(self.sha256):
            raise Refusal(
                "The released figures are not those that the statement is about.",
                "Put back the files of the release, or choose another run.",
                field="outputs",
            )


@final
@dataclass(frozen=True, eq=False)
class ReleasedTables:
    """Tables, as a run released them.

    Attributes:
        found: each by the name of its output, in the order of the outputs.

    Raises:
        TypeError: something else is handed in.
    """

    found: Mapping[str, SyntheticTable]

    def __post_init__(self) -> None:
        if type(self.found) is not dict or any(
            type(name) is not str or type(each) is not SyntheticTable
            for name, each in self.found.items()
        ):
            raise TypeError("only released tables may be published")

    @property
    def neutralised(self) -> bool:
        """Whether some cell of some table could be taken for a formula."""
        return any(each.neutralised for each in self.found.values())


def read_released_figures(folder: Path, stated: Sequence[ReleasedFile]) -> ReleasedFigures:
    """Return the figures of a release.

    Args:
        folder: of the release.
        stated: what its statement says of them.

    Raises:
        Refusal: a file is missing, is no JSON, or was changed since.
    """
    try:
        found = {
            each.output: json.loads((folder / f"{each.output}.json").read_text(encoding="utf-8"))
            for each in stated
        }
    except (OSError, ValueError):
        raise Refusal(
            "The released figures cannot be read.",
            "Put back the files of the release, or choose another run.",
            field="outputs",
        ) from None
    return ReleasedFigures(found, {each.output: each.sha256 for each in stated})


def _hash(figures: Mapping[str, Any]) -> str:
    """Of the file that a run writes."""
    return hashlib.sha256(figures_text(figures).encode()).hexdigest()
