"""The files of a packet: what each is called, what it is, and how large it may be."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from understudy.core.files import hash_file
from understudy.mechanisms.outputs import Output, is_name
from understudy.mechanisms.statement import TABLE
from understudy.models.noisy_tables import NAME
from understudy.table.sources.reading import MOST_BYTES

FORMAT: Final = 1
"""The version of the packet's form; see docs/packet.md."""

STAINED: Final = "demonstration-"
"""What the names of the outputs of a demonstration begin with."""

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
INTERVALS = "intervals.csv"
RELATIONS = "relations.csv"

ABOUT: Final[Mapping[str, str]] = {
    README: "What each file is, for whoever opens the packet first.",
    REPORT: "The report, for reading on a screen and for printing. Begin here.",
    REPORT_PDF: "The same report, page by page.",
    CSV: "The synthetic table, for spreadsheets and any other program.",
    PARQUET: "The same table with its types, for programs that read Parquet.",
    OUTPUTS: "The figures that were released, by their names.",
    INTERVALS: "Where shares and means of each column are: 95 % intervals, from the noisy tables "
    "alone: of the table that was learned from, and of the population it is a sample of.",
    RELATIONS: "Which columns were counted together. Nothing that the table shows of a relation "
    "that was never counted is known to hold.",
    STATEMENT_TEXT: "What is promised, in plain words.",
    STATEMENT: "The same statement for programs.",
    STATEMENT_SCHEMA: "What may stand in guarantee.json, as a JSON Schema.",
    PLAN: "The settings of the run, fixed before it.",
    SCHEMA: "What each column may contain, as it was declared public.",
    DICTIONARY: "The data dictionary: one line for each column.",
    VALUES: "The values of the columns of categories, with their labels.",
    DATA_PACKAGE: "What was released, described for other tools (Frictionless Data Package).",
    LEDGER: "What the run cost, what was spent on these data in all, and what may be.",
    VERSIONS: "Which programs made the packet.",
    PACKET: "The title page and the form of the packet, for programs.",
    SUMS: "The SHA-256 of every other file.",
}
"""The files of a packet of one table, and of figures, in the order in which a reader meets them."""

_OF_A_RELEASE: Final[Mapping[str, str]] = {
    STATEMENT_TEXT: "What is promised about the release, in plain words.",
    DATA_PACKAGE: "The release described for other tools (Frictionless Data Package).",
}
_FORMS: Final = {
    ".csv": "The table “{}”, for spreadsheets and any other program.",
    ".parquet": "The table “{}” with its types, for programs that read Parquet.",
}
_OWN: Final = {
    f"-{DICTIONARY}": "The data dictionary of the table “{}”: one line for each column.",
    f"-{VALUES}": "The values of the columns of categories of the table “{}”, with their labels.",
}
_STAINED: Final = frozenset({CSV, PARQUET, OUTPUTS})
_MOST_SMALL: Final = 256 << 20


@dataclass(frozen=True)
class Names:
    """What the files of a packet are called.

    Attributes:
        stained: whether the names of its outputs say that the packet is a demonstration.
        tables: the names of the outputs that are tables, in their order.
        figures: whether there are figures.
        apart: the tables with a data dictionary of their own, as their columns are others than
            those of the first table.
        counted: whether noisy tables are among the figures.
    """

    stained: bool
    tables: tuple[str, ...] = (TABLE,)
    figures: bool = False
    apart: tuple[str, ...] = ()
    counted: bool = False

    @classmethod
    def of(cls, outputs: Sequence[Output], *, stained: bool) -> Names:
        """Return the files that these outputs come to.

        Args:
            outputs: of a run.
            stained: whether a fixed seed was used.
        """
        tables = {each.name: each.schema.columns for each in outputs if each.schema is not None}
        first = {columns: name for name, columns in reversed(tables.items())}
        apart = tuple(name for name in list(tables)[1:] if first[tables[name]] == name)
        counted = any(each.name == NAME for each in outputs)
        return cls(stained, tuple(tables), len(tables) < len(outputs), apart, counted)

    def csv(self, table: str) -> str:
        """Return a table as CSV."""
        return f"{self._mark}{table}.csv"

    def parquet(self, table: str) -> str:
        """Return a table as Parquet."""
        return f"{self._mark}{table}.parquet"

    @property
    def outputs(self) -> str:
        """The figures."""
        return f"{self._mark}{OUTPUTS}"

    @property
    def all(self) -> tuple[str, ...]:
        """Every file of the packet, the PDF included, which may be missing."""
        return tuple(self._all())

    def _all(self) -> Iterator[str]:
        for name in ABOUT:
            if name == CSV:
                for table in self.tables:
                    yield from (self.csv(table), self.parquet(table))
            elif name == OUTPUTS:
                yield from [self.outputs] if self.figures else []
            elif name in (INTERVALS, RELATIONS):
                yield from [name] if self.counted else []
            elif name != PARQUET:
                yield name
            if name == VALUES:
                for table in self.apart:
                    yield from (f"{table}-{DICTIONARY}", f"{table}-{VALUES}")

    @property
    def _mark(self) -> str:
        return STAINED if self.stained else ""

    def about(self, name: str) -> str:
        """Return what a file is, in a sentence."""
        alone = self.tables == (TABLE,) and not self.figures
        return describe_file(name) if alone else _OF_A_RELEASE.get(name, describe_file(name))


def describe_file(name: str) -> str:
    """Return what a file is, in a sentence.

    Raises:
        KeyError: no file of a packet is called so.
    """
    plain = _plain(name)
    if plain in ABOUT:
        return ABOUT[plain]
    for ending, said in (*_OWN.items(), *_FORMS.items()):
        table = plain.removesuffix(ending)
        if table != plain and is_name(table) and (ending in _FORMS or plain == name):
            return said.format(table)
    raise KeyError(name)


def is_file_of_a_packet(name: str) -> bool:
    """Return whether a file of some packet can be called so."""
    try:
        describe_file(name)
    except KeyError:
        return False
    return True


def most_bytes(name: str) -> int:
    """Return how large a file may be."""
    plain = _plain(name)
    whole = plain in (CSV, PARQUET) or (plain not in ABOUT and not plain.endswith(tuple(_OWN)))
    return MOST_BYTES if whole else _MOST_SMALL


def _plain(name: str) -> str:
    """Return the name of a file without the mark of a demonstration, which only outputs have."""
    plain = name.removeprefix(STAINED)
    return name if plain in ABOUT and plain not in _STAINED else plain


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
    def of(cls, data: bytes) -> Stored:
        """Bytes that are to be a file."""
        return cls(len(data), hashlib.sha256(data).hexdigest())

    @classmethod
    def at(cls, path: Path) -> Stored:
        """Look at a file.

        Raises:
            OSError: it cannot be read.
        """
        return cls(path.stat().st_size, hash_file(path))


def is_plain(path: Path) -> bool:
    """Return whether there is a file that is no link, folder or device.

    Raises:
        OSError: it cannot be looked at.
    """
    return stat.S_ISREG(path.lstat().st_mode)


def list_sums(stored: Mapping[str, Stored]) -> str:
    """Return the text of SHA256SUMS, as `sha256sum --check` reads it."""
    return "".join(f"{stored[name].sha256}  {name}\n" for name in sorted(stored))
