"""Limits on how much a file may grow when it is read.

A malicious file of a few kilobytes can claim a table of gigabytes. Real tables grow tenfold, or
hundredfold where most of their cells are empty. The size that a file declares is checked before
memory is taken for it, and the size of the result is checked again.
"""

from __future__ import annotations

from understudy.core.refusal import Refusal
from understudy.core.sandbox import Bounds
from understudy.table.sources.source import Source

MOST_TIMES, SMALL = 200, 64 << 20
"""How much a file may unpack to, beyond so many bytes."""

_HELD_TIMES, _CODE_BYTES = 100, 4
"""How much its table may take, beyond as many, and what each cell takes."""

_SECONDS, _BYTES_A_SECOND = 120.0, 100_000
"""The time limit, fixed and per byte: ten times what the slowest format takes on a slow machine."""

_MEMORY, _TIMES = 1 << 30, 8
"""The memory limit, fixed and per byte of the file."""

_TEXT_MEMORY, _TEXT_TIMES = 4 << 30, 40
"""The same of text and Parquet, which only a mistake or no memory left makes take as much."""


def reading_bounds(size: int) -> Bounds:
    """Return what a process may take that reads a foreign format of so many bytes."""
    return Bounds(_MEMORY + _TIMES * size, _SECONDS + size / _BYTES_A_SECOND)


def text_bounds(size: int) -> Bounds:
    """Return what a process may take that reads text or Parquet of so many bytes. A text takes
    several times its size, and Parquet unpacks to as much as is checked beforehand."""
    return Bounds(_TEXT_MEMORY + _TEXT_TIMES * size, _SECONDS + size / _BYTES_A_SECOND)


def most_unpacked(size: int) -> int:
    """Return how many bytes a file of so many may unpack to."""
    return max(MOST_TIMES * size, SMALL)


def most_held(size: int) -> int:
    """Return how many bytes the table of a file of so many may take."""
    return max(_HELD_TIMES * size, SMALL)


def check_unpacked(source: Source, unpacked: int) -> None:
    """Check what a file says that it unpacks to.

    Args:
        source: the file.
        unpacked: in bytes.

    Raises:
        Refusal: it is more than any table does.
    """
    if unpacked > most_unpacked(source.size):
        raise Refusal(
            f"{source.name} unpacks to more than {MOST_TIMES} times its size, as no table does.",
            "Save the table as CSV, if it is what it should be.",
            field="table",
        )


def check_held(source: Source, rows: int, columns: int, texts: int = 0) -> None:
    """Check what the table of a file takes.

    Args:
        source: the file.
        rows: how many records it says it has, or has had so far.
        columns: how many columns.
        texts: the bytes of its texts so far.

    Raises:
        Refusal: it is more than any table of such a file does, or more columns than are believed.
    """
    if rows * columns * _CODE_BYTES + texts > most_held(source.size):
        raise too_large_table(source)


def too_little_memory(source: Source) -> Refusal:
    """Return the refusal of a file that this machine has too little memory to read."""
    return Refusal(
        f"There is too little memory here to read {source.name}.",
        "Leave out columns or save it as Parquet, close what else is open, or open it on a machine "
        "with more memory.",
        field="table",
    )


def too_large_table(source: Source) -> Refusal:
    """Return the refusal of a small file with far too large a table."""
    return Refusal(
        f"{source.name} takes far more memory to read than a file of its size should.",
        "Leave out empty rows and columns, or save the table as CSV, if it is what it should be.",
        field="table",
    )
