"""A simulated census. Nobody in this table exists.

The attributes, their order and their numbers of values are those of the published evaluation of
plausible deniability (Bindschaedler, Shokri, Gunter, VLDB 2017, on the 2013 American Community
Survey). The people are drawn from invented probabilities; see `census_tables`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.core.refusal import Refusal
from engine.table.encoding import write_csv
from engine.table.records import Records
from engine.table.schema import Schema
from sample_data.census_people import people

TABLE = Path(__file__).with_name("census.csv")
SCHEMA = Path(__file__).with_name("census.schema.json")
SHIPPED_ROWS = 60_000
SHIPPED_SEED = 2013

_CHUNK = 1 << 15


def schema() -> Schema:
    """What each column of the census may contain, and its buckets; declared public."""
    return Schema.load(SCHEMA)


def simulate(rows: int, seed: int) -> npt.NDArray[np.uint16]:
    """Simulated people as codes, shape (rows, 11), in the order of the schema.

    A longer table from the same seed begins with the shorter one.

    Raises:
        Refusal: `rows` is not positive or `seed` is negative.
    """
    return np.concatenate(list(_chunks(rows, seed)))


def write(rows: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write simulated people to a CSV file, all of them or no file.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    chunks = _chunks(rows, seed)
    domain = schema()
    unfinished = destination.with_name(destination.name + ".part")
    try:
        with unfinished.open("wb") as sink:
            for number, codes in enumerate(chunks):
                write_csv(Records(domain, codes), sink, header=number == 0)
        unfinished.replace(destination)
    except OSError as error:
        raise Refusal(
            f"The file {destination} cannot be written: {error.strerror}.",
            "Choose a folder that exists, that you may write to and that has room left.",
            field="destination",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _chunks(rows: int, seed: int) -> Iterator[npt.NDArray[np.uint16]]:
    """The table piece by piece; a piece is drawn whole whatever part of it is asked for."""
    if rows < 1:
        raise Refusal(
            f"A table of {rows} rows cannot be made.", "Ask for one row or more.", field="rows"
        )
    if seed < 0:
        raise Refusal(
            f"The seed {seed} is negative.", "Give zero or a positive whole number.", field="seed"
        )
    return (
        people(np.random.default_rng((seed, number)), _CHUNK)[: rows - start]
        for number, start in enumerate(range(0, rows, _CHUNK))
    )
