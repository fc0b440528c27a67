"""A simulated table in pieces: drawn and written a piece at a time, whatever its size.

What it is drawn by are conditional probability tables: written as text, drawn from by the million.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol, Self, TypeVar

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.encoding import csv_blocks
from understudy.table.records import Records
from understudy.table.schema import Schema


class Sliced(Protocol):
    """Records of which the first few can be taken."""

    def __getitem__(self, part: slice, /) -> Self:
        """Return a part of them."""


Piece = TypeVar("Piece", bound=Sliced)

_PIECE = 1 << 15


def pieces(
    drawn: Callable[[np.random.Generator, int], Piece], rows: int, seed: int, size: int = _PIECE
) -> Iterator[Piece]:
    """Return the table piece by piece; a piece is drawn whole whatever part of it is asked for, so
    that a longer table from the same seed begins with the shorter one.

    Args:
        drawn: draws so many records.
        rows: how many are wanted.
        seed: where random numbers start.
        size: how many records a piece has.

    Raises:
        Refusal: `rows` is not positive or `seed` is negative.
    """
    if rows < 1:
        raise Refusal(
            f"A table of {rows} rows cannot be made.", "Ask for one row or more.", field="rows"
        )
    if seed < 0:
        raise Refusal(
            f"The seed {seed} is negative.", "Give zero or a positive whole number.", field="seed"
        )
    return (
        drawn(np.random.default_rng((seed, number)), size)[: rows - start]
        for number, start in enumerate(range(0, rows, size))
    )


def write_pieces(schema: Schema, made: Iterator[CodeArray], destination: Path) -> None:
    """Write the pieces of a table to a CSV file, all of them or no file.

    Raises:
        Refusal: the file cannot be written.
    """
    with written_whole(destination) as sink:
        for number, codes in enumerate(made):
            sink.writelines(csv_blocks(Records(schema, codes), header=number == 0))


@contextmanager
def written_whole(destination: Path) -> Iterator[IO[bytes]]:
    """Yield a file that is there under its name once all of it is written.

    Raises:
        Refusal: it cannot be written.
    """
    unfinished = destination.with_name(destination.name + ".part")
    try:
        with unfinished.open("wb") as sink:
            yield sink
        unfinished.replace(destination)
    except OSError as error:
        raise Refusal(
            f"The file {destination} cannot be written: {error.strerror}.",
            "Choose a folder that exists, that you may write to and that has room left.",
            field="destination",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def parse_chances(text: str) -> FloatArray:
    """Return the numbers of a table written as text, shape (rows, columns).

    The first line names the columns; each later line is a row's name, then its numbers.
    """
    header, *rows = [line.split() for line in text.splitlines() if line.strip()]
    numbers = np.array([row[1:] for row in rows], dtype=np.float64)
    if numbers.shape[1] != len(header):
        raise ValueError(f"a row of {numbers.shape[1]} numbers under {len(header)} column names")
    return numbers


def factors(names: tuple[str, ...], exceptions: str, *, default: float = 1.0) -> FloatArray:
    """Return one number per name, shape (len(names),): the default, save for the exceptions.

    The exceptions are written as names and numbers in turn.
    """
    words = exceptions.split()
    numbers = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    unknown = numbers.keys() - set(names)
    if unknown:
        raise ValueError(f"no such names: {', '.join(sorted(unknown))}")
    return np.array([numbers.get(name, default) for name in names])


class Conditional:
    """Pr{child | parents} for one child and any number of parents.

    Args:
        weights: non-negative, shape (cardinality of each parent …, cardinality of the child);
            along the last axis they need not sum to one.
    """

    def __init__(self, weights: FloatArray) -> None:
        *self.parents, self.cardinality = weights.shape
        rows = weights.reshape(-1, self.cardinality)
        cumulative = np.cumsum(rows, axis=1)
        # Row r occupies [r, r + 1), so that one sorted search serves every row at once.
        steps = cumulative / cumulative[:, -1:] + np.arange(len(rows))[:, None]
        self._steps = steps.ravel()

    def draw(self, random: np.random.Generator, *parents: IntArray) -> IntArray:
        """Return one child code per record, given the parents' codes, each of shape (n,)."""
        row: IntArray = np.ravel_multi_index(parents, self.parents)
        # Adding may round up to the next row's start.
        place: FloatArray = np.minimum(row + random.random(len(row)), np.nextafter(row + 1.0, 0.0))
        position = np.searchsorted(self._steps, place, side="right")
        child: IntArray = position - row * self.cardinality
        return child
