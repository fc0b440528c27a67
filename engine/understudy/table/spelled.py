"""The texts of a column of records, as they are written to a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy.table.domain import range_of
from understudy.table.records import Records


def spelled(
    records: Records, place: int, rows: slice = slice(None)
) -> tuple[Sequence[str], npt.NDArray[np.integer]]:
    """Return the different texts of a column, and for every record the place of its text.

    Args:
        records: whose.
        place: of the column.
        rows: of which records; all, if left out.

    Raises:
        ValueError: the column is continuous, and of these records only the codes are known.
    """
    column, codes = records.schema.columns[place], records.codes[rows, place]
    if not column.continuous:
        return column.texts, codes
    if records.numbers is None:
        raise ValueError(f"the numbers of column {column.name!r} are not known")
    lattice = range_of(column.domain).lattice
    numbers = records.numbers[rows, records.schema.continuous.index(place)]
    missing = np.isnan(numbers)
    found, places = np.unique(lattice.places(numbers[~missing]), return_inverse=True)
    texts = [*lattice.texts(found.tolist()), *column.listed_texts]
    which = np.full(len(codes), len(found), dtype=np.int64)
    which[~missing] = places
    return texts, which
