"""Grey pictures in an array, and the rows of a table that they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import ByteArray
from understudy.table.declared_reading import usual
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records


@dataclass(frozen=True, eq=False)
class GreySet:
    """A set of pictures.

    Attributes:
        about: what is declared of them.
        grey: (n, h, w) the level of each pixel.
        labels: (n,) the place of each label among those declared; all 0 where there are none.
    """

    about: Pictures
    grey: ByteArray
    labels: ByteArray

    @classmethod
    def of(cls, records: Records, about: Pictures) -> GreySet:
        """Return the pictures of a table with the schema of `about`: a level is its own code."""
        pixels = about.height * about.width
        grey = records.codes[:, :pixels].astype(np.uint8)
        labels = records.codes[:, -1] if about.labels else np.zeros(len(grey))
        shape = (len(grey), about.height, about.width)
        return cls(about, grey.reshape(shape), np.asarray(labels, dtype=np.uint8))

    def table(self) -> RawTable:
        """Return the rows as texts, as the file that `save` writes is read."""
        rows = self.grey.reshape(len(self.grey), -1)
        levels = [str(each) for each in range(self.about.levels + 1)]
        columns = [text_column(each.astype(np.int64), levels) for each in rows.T]
        if self.about.labels:
            columns.append(text_column(self.labels.astype(np.int64), self.about.labels))
        return RawTable(table_of(self.about.names, columns), usual("csv"))

    def save(self, destination: Path) -> None:
        """Write the rows as CSV, all of them or no file.

        Raises:
            OSError: the file cannot be written.
        """
        unfinished = destination.with_name(destination.name + ".part")
        rows = self.grey.reshape(len(self.grey), -1).tolist()
        try:
            with unfinished.open("w", encoding="utf-8", newline="") as sink:
                print(",".join(self.about.names), file=sink)
                for row, label in zip(rows, self.labels.tolist(), strict=True):
                    own = [_quote_text(self.about.labels[label])] if self.about.labels else []
                    print(",".join([*map(str, row), *own]), file=sink)
            unfinished.replace(destination)
        finally:
            unfinished.unlink(missing_ok=True)


def grey_levels(raw: npt.NDArray[np.integer], about: Pictures) -> ByteArray:
    """Return (n, h, w) levels of (n, h·f, w·f) pixels of files, each in 0 … white.

    A level is the mean of a block of f × f pixels on the scale of the levels, rounded half up in
    whole numbers. A picture's levels depend on that picture alone.
    """
    factor = about.reduced
    blocks = raw.astype(np.int64).reshape(
        len(raw), about.height, factor, about.width, factor
    )  # fmt: skip
    full = about.white * factor * factor
    return np.asarray(
        (2 * about.levels * blocks.sum(axis=(2, 4)) + full) // (2 * full), dtype=np.uint8
    )


def _quote_text(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
