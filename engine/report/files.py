"""The files of a packet: what each is called, what it is, and how large it may be."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.table.sources.reading import MOST_BYTES

FORMAT: Final = 1
"""The version of the packet's form; see docs/packet.md."""

STAINED: Final = "demonstration-"
"""What the names of the tables of a demonstration begin with."""

README = "README.txt"
REPORT = "report.html"
REPORT_PDF = "report.pdf"
STATEMENT_TEXT = "guarantee.txt"
STATEMENT = "guarantee.json"
STATEMENT_SCHEMA = "guarantee.schema.json"
PLAN = "plan.json"
SCHEMA = "schema.json"
DICTIONARY = "dictionary.csv"
VALUES = "values.csv"
DATA_PACKAGE = "datapackage.json"
LEDGER = "ledger.json"
VERSIONS = "versions.json"
PACKET = "packet.json"
SUMS = "SHA256SUMS"
CSV = "synthetic.csv"
PARQUET = "synthetic.parquet"
OUTPUTS = "outputs.json"

ABOUT: Final[Mapping[str, str]] = {
    README: "What each file is, for whoever opens the packet first.",
    REPORT: "The report, for reading on a screen and for printing. Begin here.",
    REPORT_PDF: "The same report, page by page.",
    CSV: "The synthetic table, for spreadsheets and any other program.",
    PARQUET: "The same table with its types, for programs that read Parquet.",
    OUTPUTS: "The figures that were released beside the table, by their names.",
    STATEMENT_TEXT: "What is promised about the table, in plain words.",
    STATEMENT: "The same statement for programs.",
    STATEMENT_SCHEMA: "What may stand in guarantee.json, as a JSON Schema.",
    PLAN: "The settings of the run, fixed before it.",
    SCHEMA: "What each column may contain, as it was declared public.",
    DICTIONARY: "The data dictionary: one line for each column.",
    VALUES: "The values of the columns of categories, with their labels.",
    DATA_PACKAGE: "The table described for other tools (Frictionless Data Package).",
    LEDGER: "What the run cost, what was spent on these data in all, and what may be.",
    VERSIONS: "Which programs made the packet.",
    PACKET: "The title page and the form of the packet, for programs.",
    SUMS: "The SHA-256 of every other file.",
}
"""Every file that a packet can hold, in the order in which a reader meets them."""

OPTIONAL: Final = frozenset({REPORT_PDF, OUTPUTS})
_TABLES: Final = frozenset({CSV, PARQUET})
_MOST_SMALL: Final = 256 << 20


@dataclass(frozen=True)
class Names:
    """What the files of the tables are called.

    Attributes:
        stained: whether their names say that the table is a demonstration.
    """

    stained: bool

    @property
    def csv(self) -> str:
        """The table as CSV."""
        return self._of(CSV)

    @property
    def parquet(self) -> str:
        """The table as Parquet."""
        return self._of(PARQUET)

    @property
    def all(self) -> tuple[str, ...]:
        """Every file that the packet can hold."""
        return tuple(self._of(name) for name in ABOUT)

    def _of(self, name: str) -> str:
        return f"{STAINED}{name}" if self.stained and name in _TABLES else name


def about(name: str) -> str:
    """What a file is, in a sentence."""
    return ABOUT[name.removeprefix(STAINED)]


def most_bytes(name: str) -> int:
    """How large a file may be."""
    return MOST_BYTES if name.removeprefix(STAINED) in _TABLES else _MOST_SMALL


@dataclass(frozen=True)
class Stored:
    """A file as it lies there.

    Attributes:
        size: in bytes.
        sha256: in hex.
    """

    size: int
    sha256: str

    @classmethod
    def at(cls, path: Path) -> Stored:
        """Look at a file.

        Raises:
            OSError: it cannot be read.
        """
        with path.open("rb") as file:
            return cls(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def is_plain(path: Path) -> bool:
    """Whether there is a file that is no link, folder or device.

    Raises:
        OSError: it cannot be looked at.
    """
    return stat.S_ISREG(path.lstat().st_mode)


def sums(stored: Mapping[str, Stored]) -> str:
    """The text of SHA256SUMS, as `sha256sum --check` reads it."""
    return "".join(f"{stored[name].sha256}  {name}\n" for name in sorted(stored))
