"""Telling datasets apart without keeping anything of them.

A table is known by a keyed hash of all its names and cells. The key never leaves the folder of the
ledger, so that nobody who is handed an exported ledger can test a guess of the table against it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.table.raw import RawTable
from engine.table.records import Records
from engine.table.streamed import StreamedTable

_KEY_BYTES = 32
_LENGTH = np.dtype("<u8")
_CODE = np.dtype("<u4")
_AT_ONCE = 1 << 20

Columns = Iterable[tuple[npt.NDArray[np.integer], pa.Array]]


def fingerprint(table: RawTable | Records | StreamedTable, key: bytes) -> str:
    """HMAC-SHA256, in hex, over the column names and the text of every cell, in their order.

    How a file happened to be compressed does not matter: the same texts have the same
    fingerprint. Records count as the texts that their codes stand for.
    """
    if isinstance(table, RawTable):
        return _digest(table.names, table.rows, _raw_columns(table), key)
    return _digest(table.schema.names, len(table), _record_columns(table), key)


def key_mark(key: bytes) -> str:
    """What tells whether a key is the same, and nothing else about it."""
    return hmac.new(key, b"understudy ledger key", hashlib.sha256).hexdigest()


def _raw_columns(table: RawTable) -> Columns:
    for name in table.names:
        column = table.arrow.column(name).chunk(0)
        yield column.indices.to_numpy(), column.dictionary


def _record_columns(records: Records | StreamedTable) -> Columns:
    for place, column in enumerate(records.schema.columns):
        yield _codes(records, place), pa.array(column.texts, pa.string())


def _codes(records: Records | StreamedTable, place: int) -> npt.NDArray[np.uint16]:
    """(n,) the codes of one column; of a table that is not in memory, this column only is."""
    if isinstance(records, Records):
        return records.codes[:, place]
    found = np.empty(len(records), dtype=np.uint16)
    for piece in records.pieces([place]):
        found[piece.start : piece.start + len(piece)] = piece.columns[place]
    return found


def _digest(names: Sequence[str], rows: int, columns: Columns, key: bytes) -> str:
    mac = hmac.new(key, b"understudy table", hashlib.sha256)
    heading = json.dumps([list(names), rows]).encode()
    mac.update(np.array([len(heading)], _LENGTH).tobytes())
    mac.update(heading)
    for codes, texts in columns:
        codes, texts = _merged(codes, texts)
        order, ranks = _by_appearance(codes, texts)
        # Lengths first, so that no two columns of texts can read the same.
        mac.update(np.array([len(order)], _LENGTH).tobytes())
        mac.update(pc.binary_length(order).to_numpy().astype(_LENGTH).tobytes())
        mac.update(_bytes_of(order))
        for turn in _turns(codes):
            mac.update(ranks[turn].tobytes())
    return mac.hexdigest()


def _merged(
    codes: npt.NDArray[np.integer], texts: pa.Array
) -> tuple[npt.NDArray[np.integer], pa.Array]:
    """The same cells, no text standing twice in the dictionary."""
    encoded = texts.dictionary_encode()
    if len(encoded.dictionary) == len(texts):
        return codes, texts
    return encoded.indices.to_numpy()[codes], encoded.dictionary


def _by_appearance(
    codes: npt.NDArray[np.integer], texts: pa.Array
) -> tuple[pa.Array, npt.NDArray[np.uint32]]:
    """The texts in the order in which they last appear, and for every code its text's place."""
    last, start = np.full(len(texts), -1, dtype=np.int64), 0
    for turn in _turns(codes):
        # Of cells with the same text, the one assigned last stays.
        last[turn] = np.arange(start, start + len(turn))
        start += len(turn)
    used = np.flatnonzero(last >= 0)
    order = used[np.argsort(last[used])]
    ranks = np.zeros(len(texts), dtype=_CODE)
    ranks[order] = np.arange(len(order), dtype=_CODE)
    return texts.take(pa.array(order)), ranks


def _turns(codes: npt.NDArray[np.integer]) -> Iterator[npt.NDArray[np.integer]]:
    """The codes in their order, so many at a time that what is made of them takes little memory."""
    return (codes[start : start + _AT_ONCE] for start in range(0, len(codes), _AT_ONCE))


def _bytes_of(texts: pa.Array) -> bytes:
    """All texts on end, in UTF-8."""
    if len(texts) == 0:
        return b""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :]
    start, end = int(offsets[0]), int(offsets[len(texts)])
    data = texts.buffers()[2]
    return b"" if data is None else memoryview(data)[start:end].tobytes()


def secret_key(path: Path) -> bytes:
    """The key in a file, made if there is none; of two makers, one wins and both read it.

    Raises:
        OSError: it can neither be read nor made.
    """
    with suppress(FileNotFoundError):
        return path.read_bytes()
    place_new(path, secrets.token_bytes(_KEY_BYTES))
    return path.read_bytes()


def place_new(path: Path, content: bytes) -> None:
    """Put a file, readable by its owner only, in its place whole, unless one is there already.

    Raises:
        OSError: it cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()
