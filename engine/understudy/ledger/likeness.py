"""How a table is recognised: an exact fingerprint, and a sketch for tables nearly the same.

Both are computed in one pass over its texts, piece by piece; in memory are one piece and the
distinct texts of a column. The same values give the same fingerprint and sketch, whatever the kind
of file, the order of rows and columns and the schema, and whether it is read whole or in pieces.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.ledger.hashing import Hashes, Keys
from understudy.ledger.sketch import KEPT, MANY, ColumnSketch, Sketch
from understudy.ledger.spelling import settled
from understudy.table.sources.cell_texts import AnyTable, Block, blocks, column_names

_REPEATED = 1 << 16
"""The most texts of a column whose hashes are kept for the next block."""


@dataclass(frozen=True)
class Likeness:
    """What a table is known by.

    Attributes:
        fingerprint: HMAC-SHA256, in hex; equal for tables of the same records.
        sketch: for tables that are nearly the same. Secret.
    """

    fingerprint: str
    sketch: Sketch = field(repr=False)


def likeness(table: AnyTable, key: bytes) -> Likeness:
    """Return what a table is known by.

    Args:
        table: the confidential table; of one that is read piece by piece, all columns of its file.
            Records count as the texts that their codes stand for.
        key: the ledger's.

    Raises:
        Refusal: the file cannot be read, or was changed meanwhile.
    """
    keys = Keys(key)
    names = column_names(table)
    columns = [_Column(name, keys) for name in names]
    rows, total = 0, np.zeros(2, dtype=np.uint64)
    least = np.zeros(0, dtype=np.uint64)
    for block in blocks(table):
        hashes = keys.records(_sums(columns, block))
        rows += len(hashes)
        total += hashes.sum(axis=0, dtype=np.uint64)
        least = _least(least, hashes[:, 0])
    said = json.dumps([sorted(names), rows, [int(each) for each in total]])
    return Likeness(
        keys.sealed("table", said.encode()),
        Sketch(rows, least, tuple(each.sketch(rows) for each in columns)),
    )


def _sums(columns: Sequence[_Column], block: Sequence[Block]) -> Hashes:
    """(n, 2) for each record the sum of the hashes of its cells."""
    sums = np.zeros((2, len(block[0].places)), dtype=np.uint64)
    for column, cells in zip(columns, block, strict=True):
        column.add_to(sums, cells)
    return sums.T


def _least(least: npt.NDArray[np.uint64], more: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the smallest different hashes so far."""
    if len(least) == KEPT:
        more = more[more < least[-1]]
    return np.union1d(least, more)[:KEPT] if len(more) else least


class _Column:
    """One column: the hashes of its texts, as long as the same ones go on, and their sum."""

    def __init__(self, name: str, keys: Keys) -> None:
        self._name, self._keys = name, keys
        self._known: pa.Array | None = None
        self._hashes: tuple[Hashes, Hashes]
        self._total = np.zeros(2, dtype=np.uint64)
        self._different = np.zeros(0, dtype=np.uint64)

    def add_to(self, sums: Hashes, block: Block) -> None:
        """Add the hashes of cells to those of their records.

        Args:
            sums: (2, n) the halves of the sums so far.
            block: the cells.
        """
        texts, places = block.texts, block.places.astype(np.intp, copy=False)
        if len(texts) > max(_REPEATED, len(places)):
            used, places = np.unique(places, return_inverse=True)
            texts = texts.take(pa.array(used))
        texts_hashes, cells = self._of(texts)
        counts = np.bincount(places, minlength=len(texts)).astype(np.uint64)
        self._total += (texts_hashes * counts[:, None]).sum(axis=0, dtype=np.uint64)
        if len(self._different) < MANY:
            seen = texts_hashes[counts > 0, 0]
            self._different = np.union1d(self._different, seen)[:MANY]
        for half in (0, 1):
            sums[half] += np.take(cells[:, half], places)

    def _of(self, texts: pa.Array) -> tuple[Hashes, Hashes]:
        """Return the hashes of texts wherever they stand, and of texts in this column."""
        if self._known is None or not (texts is self._known or texts.equals(self._known)):
            found = self._keys.texts(settled(texts))
            self._hashes = found, self._keys.cells(self._name, found)
            self._known = texts if len(texts) <= _REPEATED else None
        return self._hashes

    def sketch(self, rows: int) -> ColumnSketch:
        """Return what the column is known by, whatever it is called."""
        said = json.dumps([rows, [int(each) for each in self._total]])
        seal = self._keys.sealed("column", said.encode())
        return ColumnSketch(int(seal[:16], 16), len(self._different))
