"""The released table as Parquet. A file of Parquet cannot be gone on with once it was cut off, so
the table grows as a folder of parts, each a file that stands whole, and is put together at the end.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from engine.files import names_to_disk
from engine.runs.released import Written, to_disk
from engine.synthesis.stain import stained, stained_schema
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.typed import as_arrow

_CELLS = 1 << 24
"""Values that are held until they are written as a part, so that memory stays flat."""
_ROW_GROUP = 1 << 20
_COMPRESSION = "zstd"


class ReleasedParquet:
    """A Parquet file that grows by batches of records; see `as_arrow` for its types.

    Args:
        schema: the columns of the records.
        path: where the table stands at the end.
        parts: a folder of its own for what there is of it before.
        marked: whether the table bears the column that says it is not private.
        written: what the parts hold already; other files in the folder are removed.

    Attributes:
        rows: how many records it has.

    Raises:
        Refusal: it is to be marked, and that column does not fit.
        ValueError: a part does not hold what was written.
    """

    def __init__(
        self,
        schema: Schema,
        path: Path,
        parts: Path,
        *,
        marked: bool,
        written: Sequence[Written] = (),
    ) -> None:
        self._schema = schema
        self._marked = stained_schema(schema) if marked else None
        self._path, self._parts = path, parts
        self._held: list[npt.NDArray[np.uint16]] = []
        self._most = max(1, _CELLS // len(schema))
        self._written: list[Written] = list(written)
        self.rows = sum(part.rows for part in written)
        parts.mkdir(mode=0o700, exist_ok=True)
        for part, path_of_part in zip(written, self._places(), strict=False):
            if _found(path_of_part) != (part.size, part.sha256):
                raise ValueError("a part does not hold what was written")
        known = {path.name for path, _ in zip(self._places(), written, strict=False)}
        for other in parts.iterdir():
            if other.name not in known:
                other.unlink()

    def add(self, codes: npt.NDArray[np.uint16]) -> None:
        """Put some records in."""
        self._held.append(codes)
        self.rows += len(codes)
        if sum(map(len, self._held)) >= self._most:
            self._write_part()

    def _write_part(self) -> None:
        codes = np.concatenate(self._held)
        path = self._parts / f"{len(self._written):06d}.parquet"
        with _hashed(path) as (sink, hashed):
            table = self._table(codes)
            pq.write_table(table, sink, compression=_COMPRESSION, row_group_size=_ROW_GROUP)
        self._written.append(Written(len(codes), path.stat().st_size, hashed.hexdigest()))
        self._held.clear()

    def _table(self, codes: npt.NDArray[np.uint16]) -> pa.Table:
        records = Records(self._schema, codes)
        return as_arrow(records if self._marked is None else stained(records, self._marked))

    def settle(self) -> tuple[Written, ...]:
        """As `GrowingTable` says."""
        if self._held:
            self._write_part()
        names_to_disk(self._parts)
        return tuple(self._written)

    def finish(self) -> str:
        """As `GrowingTable` says. The parts stay until the caller removes their folder."""
        if self._held or not self._written:
            self._held.append(np.zeros((0, len(self._schema)), np.uint16))
            self._write_part()
        if len(self._written) == 1:
            shutil.copyfile(next(self._places()), self._path)
            with self._path.open("r+b") as file:
                to_disk(file)
            return self._written[0].sha256
        with _hashed(self._path) as (sink, hashed):
            self._put_together(sink)
        return hashed.hexdigest()

    def _put_together(self, sink: pa.NativeFile) -> None:
        """All parts in one file, in row groups of one size whatever theirs is."""
        blocks = self._blocks()
        first = next(blocks)
        with pq.ParquetWriter(sink, first.schema, compression=_COMPRESSION) as writer:
            held, rows = [first], first.num_rows
            for block in blocks:
                if rows + block.num_rows > _ROW_GROUP:
                    writer.write_table(pa.concat_tables(held), row_group_size=_ROW_GROUP)
                    held, rows = [], 0
                held.append(block)
                rows += block.num_rows
            writer.write_table(pa.concat_tables(held), row_group_size=_ROW_GROUP)

    def _blocks(self) -> Iterator[pa.Table]:
        for path, _ in zip(self._places(), self._written, strict=False):
            with pq.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group)

    def _places(self) -> Iterator[Path]:
        return (self._parts / f"{number:06d}.parquet" for number in count())


class _Hashing:
    """A file that is written from its beginning to its end, and the hash of what went into it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.closed = False

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self._file.write(data)
        return len(data)

    def tell(self) -> int:
        return self._file.tell()

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self.closed = True

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def _hashed(path: Path) -> Iterator[tuple[pa.NativeFile, _Hashing]]:
    """A file to be written anew, and its hash; on the disk when this ends."""
    with path.open("wb") as file:
        hashed = _Hashing(file)
        with pa.PythonFile(hashed, mode="w") as sink:
            yield sink, hashed
        to_disk(file)


def _found(path: Path) -> tuple[int, str]:
    """The size and the SHA-256, in hex, of a file; of one that is not there, of nothing."""
    if not path.exists():
        return 0, ""
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
