"""The encodings that a text file may be declared to be in, and its text in UTF-8.

Only encodings are offered in which a line means the same wherever it stands: no state is carried on
from one line to the next, and no byte of a longer character looks like the end of a line. What is
no text stays bytes that are no UTF-8, so that it spoils the value that it stands in and no other.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from encodings import normalize_encoding
from importlib import import_module
from itertools import pairwise

import numpy as np
import pyarrow as pa

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal

_BLOCK = 1 << 22
_BYTES = 256
_NO_TEXT = "understudy-no-text"
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
_ORDERLESS = ("utf-16", "utf-32")

SEVERAL_BYTES = (
    "utf-8",
    "shift_jis",
    "shift_jis_2004",
    "shift_jisx0213",
    "cp932",
    "euc_jp",
    "euc_jis_2004",
    "euc_jisx0213",
    "euc_kr",
    "cp949",
    "johab",
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "big5hkscs",
    "cp950",
)
"""Encodings with characters of several bytes, the second of which is never below a digit."""

Data = bytes | memoryview


@dataclass(frozen=True)
class Mark:
    """A byte order mark: its bytes, and the encoding that it tells."""

    sign: bytes
    encoding: str


MARKS = (
    Mark(codecs.BOM_UTF8, "utf-8"),
    Mark(codecs.BOM_UTF32_LE, "utf-32-le"),
    Mark(codecs.BOM_UTF32_BE, "utf-32-be"),
    Mark(codecs.BOM_UTF16_LE, "utf-16-le"),
    Mark(codecs.BOM_UTF16_BE, "utf-16-be"),
)


def marked_encoding(data: Data) -> str | None:
    """Return the encoding that a byte order mark at the beginning tells, where there is one."""
    found = (mark.encoding for mark in MARKS if data[: len(mark.sign)] == mark.sign)
    return next(found, None)


def canonical_name(name: str) -> str:
    """Return the one name of an encoding that a text file may be declared to be in.

    Raises:
        Refusal: there is no such encoding, or lines do not mean the same in it wherever they stand.
    """
    try:
        found = codecs.lookup(name.strip()).name
        "".encode(found)
    except (LookupError, ValueError):
        raise Refusal(
            "There is no text encoding of the name given.",
            "Use a name such as utf-8, windows-1252 or utf-16.",
            field="encoding",
        ) from None
    found = found.removesuffix("-sig")
    if found in _ORDERLESS:
        raise Refusal(
            f"The encoding {found} leaves open in which order its bytes stand.",
            f"Name {found}-le or {found}-be.",
            field="encoding",
        )
    if found not in SEVERAL_BYTES and found not in _UNITS and not _one_byte_each(found):
        raise Refusal(
            f"In the encoding {found}, what a line means depends on the lines before it.",
            "Save the file as UTF-8.",
            field="encoding",
        )
    return found


def bytes_per_unit(encoding: str) -> int:
    """Return how many bytes every character of an encoding comes in, at least."""
    return _UNITS.get(encoding, 1)


def decoded_text(data: bytes, encoding: str) -> str:
    """Return some bytes as text, with half a character in place of each unit that is none."""
    return data.decode(encoding, _NO_TEXT)


def _one_byte_each(encoding: str) -> bool:
    """Return whether it is a table of what each byte stands for."""
    if encoding in ("ascii", "iso8859-1"):
        return True
    try:
        module = import_module(f"encodings.{normalize_encoding(encoding)}")
    except ImportError:
        return False
    return len(getattr(module, "decoding_table", "")) == _BYTES


def to_utf8(data: Data, encoding: str, line_end: str, name: str) -> pa.Buffer:
    """Return a file's text in UTF-8, without a byte order mark; what is no text is no UTF-8 either.

    A line comes out the same whatever lines are around it.

    Args:
        data: the file.
        encoding: as `canonical_name` names it.
        line_end: the character that ends a line.
        name: for sentences about the file.

    Raises:
        Refusal: it ends inside a unit of UTF-16 or UTF-32.
    """
    mark = next((each.sign for each in MARKS if each.encoding == encoding), b"")
    start = len(mark) if mark and data[: len(mark)] == mark else 0
    if encoding == "utf-8":
        return pa.py_buffer(data).slice(start)
    unit = bytes_per_unit(encoding)
    if len(data) % unit:
        raise Refusal(
            f"{name} is not in {encoding}, or cut short: its bytes do not come in {unit}s.",
            "Name the encoding it was saved in, or save it as UTF-8.",
            field="encoding",
        )
    sink = pa.BufferOutputStream()
    for block in _blocks(data, start, line_end.encode(encoding)):
        sink.write(_as_utf8(block, encoding, line_end))
    return sink.getvalue()


def _blocks(data: Data, start: int, line_end: bytes) -> Iterator[bytes]:
    """Yield the file in blocks of whole lines."""
    while start < len(data):
        size = _BLOCK
        while True:
            block = bytes(data[start : start + size])
            cut = len(block) if start + size >= len(data) else _after_last(block, line_end)
            if cut:
                break
            size *= 2
        yield block[:cut]
        start += cut


def _after_last(block: bytes, line_end: bytes) -> int:
    """Return where the last line of a block ends; 0 where none does."""
    ends = _ends(block, line_end)
    return int(ends[-1]) + len(line_end) if len(ends) else 0


def _ends(block: bytes, line_end: bytes) -> IntArray:
    """Return (lines,) where each line's end begins, among whole units."""
    unit = len(line_end)
    whole = np.frombuffer(block, f"<u{unit}", len(block) // unit)
    return np.flatnonzero(whole == np.frombuffer(line_end, f"<u{unit}")[0]) * unit


def _as_utf8(block: bytes, encoding: str, line_end: str) -> bytes:
    """Return whole lines in UTF-8; if some are no text, each is decoded alone."""
    try:
        return block.decode(encoding).encode()
    except UnicodeDecodeError:
        pass
    ended = line_end.encode(encoding)
    cuts = [0, *(int(end) + len(ended) for end in _ends(block, ended)), len(block)]
    lines = (
        block[start:end].removesuffix(ended) if end > start else b""
        for start, end in pairwise(cuts)
    )
    decoded = (line.decode(encoding, _NO_TEXT) for line in lines)
    return line_end.join(decoded).encode("utf-8", "surrogatepass")


def _no_text(error: UnicodeError) -> tuple[str, int]:
    """Replace bytes that are no text by half a character, which UTF-8 cannot hold either."""
    assert isinstance(error, UnicodeDecodeError)
    unit = _UNITS.get(codecs.lookup(error.encoding).name, 1)
    return "\udcff", min(error.start + unit, len(error.object))


codecs.register_error(_NO_TEXT, _no_text)
