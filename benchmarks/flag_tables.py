"""Tables of flags to compare models on: simulated discharges, and codes made into flags."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.samples import discharges
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

Bits = npt.NDArray[np.bool_]

_CODES: Final = (
    "PUMA", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT", "EDU",
    "PINCP_DECILE", "DVET",
)  # fmt: skip
"""Columns of NIST's excerpt of the American Community Survey 2018 with a flag for each code …"""
_YES: Final = {"SEX": "2", "DREM": "1", "DPHY": "1", "DEYE": "1", "DEAR": "1"}
"""… with one flag, by the code that is yes …"""
_AGE: Final = "AGEP"
"""… and with a flag for each ten years."""

DISCHARGES: Final = "discharges"
_ROWS: Final = 80_000


@dataclass(frozen=True, eq=False)
class Flags:
    """A table of flags.

    Attributes:
        name: to a reader.
        names: (m,) of the flags; those of one column of codes begin with its name and “=”.
        bits: (n, m) the records.
        targets: which are predicted.
    """

    name: str
    names: tuple[str, ...]
    bits: Bits
    targets: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        """Its columns, 0 and 1 each."""
        return Schema(
            columns=tuple(
                Column(name=name, domain=Categories(values=("0", "1"))) for name in self.names
            )
        )

    def records(self, which: npt.NDArray[np.int64]) -> Records:
        """Some of its records."""
        return Records(self.schema, self.bits[which].astype(np.uint16))

    def apart_from(self, target: str) -> npt.NDArray[np.int64]:
        """The flags that a target is predicted from: none of its own column."""
        own = target.split("=")[0]
        return np.flatnonzero([name.split("=")[0] != own for name in self.names])


def simulated(rows: int = _ROWS, seed: int = 7) -> Flags:
    """The simulated discharges."""
    names = discharges.schema().names
    targets = ("FEMALE", "DIED", "ELECTIVE", "ORPROC", "CAT42")
    return Flags(DISCHARGES, names, discharges.simulate(rows, seed)[0], targets)


def of_survey(file: Path) -> Flags:
    """The survey's file as flags.

    Raises:
        KeyError: it lacks one of the columns.
    """
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    texts = {name: np.array([row[name] for row in rows]) for name in (*_CODES, *_YES, _AGE)}
    found: dict[str, Bits] = {name: texts[name] == code for name, code in _YES.items()}
    for name in _CODES:
        found |= _of_each(name, texts[name])
    found |= _of_each(_AGE, np.array([f"{int(text) // 10}0" for text in texts[_AGE]]))
    targets = ("SEX", "DPHY", "MSP=1", "OWN_RENT=2", "EDU=12")
    return Flags(file.stem, tuple(found), np.column_stack(list(found.values())), targets)


def _of_each(name: str, texts: npt.NDArray[np.str_]) -> Mapping[str, Bits]:
    return {f"{name}={code}": texts == code for code in np.unique(texts)}
