"""Records as integer codes, the input of models, indices and distances."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.table.schema import Schema


@dataclass(frozen=True, eq=False)
class Records:
    """A table of codes and the schema that gives them meaning.

    Attributes:
        schema: the columns.
        codes: shape (records, columns), C-contiguous, read-only, each below the cardinality of
            its column.

    Raises:
        ValueError: the shape does not fit the schema, or a code is out of range.
    """

    schema: Schema
    codes: npt.NDArray[np.uint16] = field(repr=False)

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes)
        if codes.ndim != 2 or codes.shape[1] != len(self.schema):
            raise ValueError(f"codes of shape {codes.shape} for {len(self.schema)} columns")
        if codes.dtype.kind not in "iu":
            raise ValueError(f"codes have to be integers, not {codes.dtype}")
        if len(codes):
            over = codes.max(axis=0) >= self.schema.cardinalities
            under = codes.dtype.kind == "i" and codes.min(axis=0) < 0
            outside = np.flatnonzero(over | under)
            if outside.size:
                name = self.schema.names[outside[0]]
                raise ValueError(f"a code of column {name!r} is outside its domain")
        codes = np.ascontiguousarray(codes, dtype=np.uint16).view()
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    def __len__(self) -> int:
        return len(self.codes)

    def counts(self, column: int) -> npt.NDArray[np.int64]:
        """(cardinality,) how many records hold each code of a column, by its place. Internal."""
        return np.bincount(
            self.codes[:, column], minlength=self.schema.columns[column].cardinality
        ).astype(np.int64)

    def take(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Records:
        """Some of the records, chosen by index or by mask."""
        return Records(self.schema, self.codes[rows])
