"""A simulated census. Nobody in this table exists.

The attributes, their order and their numbers of values are those of the published evaluation of
plausible deniability (Bindschaedler, Shokri, Gunter, VLDB 2017, on the 2013 American Community
Survey). The people are drawn from invented probabilities; see `census_tables`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.samples import FILES
from understudy.samples.census_people import people
from understudy.samples.pieces import pieces, write_pieces
from understudy.table.schema import Schema

TABLE = FILES / "census.csv"
SCHEMA = FILES / "census.schema.json"
SHIPPED_ROWS = 60_000
SHIPPED_SEED = 2013


def schema() -> Schema:
    """Return what each column of the census may contain, and its buckets; declared public."""
    return Schema.load(SCHEMA)


def simulate(rows: int, seed: int) -> CodeArray:
    """Simulated people as codes, shape (rows, 11), in the order of the schema.

    A longer table from the same seed begins with the shorter one.

    Raises:
        Refusal: `rows` is not positive or `seed` is negative.
    """
    return np.concatenate(list(pieces(people, rows, seed)))


def write(rows: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write simulated people to a CSV file, all of them or no file.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    write_pieces(schema(), pieces(people, rows, seed), destination)
