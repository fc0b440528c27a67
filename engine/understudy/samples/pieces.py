"""A simulated table in pieces: drawn and written a piece at a time, whatever its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.table.encoding import csv_blocks
from understudy.table.records import Records
from understudy.table.schema import Schema

Drawn = Callable[[np.random.Generator, int], CodeArray]
"""Draws so many records."""

_PIECE = 1 << 15


def pieces(drawn: Drawn, rows: int, seed: int) -> Iterator[CodeArray]:
    """Return the table piece by piece; a piece is drawn whole whatever part of it is asked for, so
    that a longer table from the same seed begins with the shorter one.

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
        drawn(np.random.default_rng((seed, number)), _PIECE)[: rows - start]
        for number, start in enumerate(range(0, rows, _PIECE))
    )


def write_pieces(schema: Schema, made: Iterator[CodeArray], destination: Path) -> None:
    """Write the pieces of a table to a CSV file, all of them or no file.

    Raises:
        Refusal: the file cannot be written.
    """
    unfinished = destination.with_name(destination.name + ".part")
    try:
        with unfinished.open("wb") as sink:
            for number, codes in enumerate(made):
                sink.writelines(csv_blocks(Records(schema, codes), header=number == 0))
        unfinished.replace(destination)
    except OSError as error:
        raise Refusal(
            f"The file {destination} cannot be written: {error.strerror}.",
            "Choose a folder that exists, that you may write to and that has room left.",
            field="destination",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
