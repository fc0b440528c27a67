"""How a file is read: suggested once, confirmed as public, and then applied to every record.

A file is read *by declaration*. Whatever decides what a value is, beyond the value itself, stands
here: nothing of it is looked for in a file that is read by a reading. So no record has a say in how
another one is read (docs/guarantee.md, “Reading”).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.encodings import canonical_name
from understudy.table.positions.positions import Positions
from understudy.table.row_rules import RowRule, check_row_rules

Kind = Literal[
    "csv",
    "parquet",
    "excel",
    "stata",
    "spss",
    "spss-portable",
    "sas",
    "sas-transport",
    "tracks",
    "database",
]

STATISTICS: tuple[Kind, ...] = ("stata", "spss", "spss-portable", "sas", "sas-transport")

_NO_SEPARATOR = "\"'\r\n\0"
WITH_ROWS: tuple[Kind, ...] = ("csv", "excel")
"""The kinds of files that people write rows in that are no records."""

_TEXT_ONLY = ("separator", "quote", "carriage_returns", "line_breaks")


_CALLED = {
    "carriage_returns": "carriage returns",
    "line_breaks": "line breaks",
    "leave_out": "rules for rows that are no records",
}


class Reading(Frozen, what="the reading"):
    """How the records of a file, or of a database, are read.

    Values of types (in Parquet, workbooks, files of statistics programs and databases) need no
    more than their kind: each is written as text by a rule about that value alone.

    Attributes:
        kind: the kind of file that this is about.
        encoding: of a text file. Of a file of a statistics program, only where the file itself
            names a wrong one.
        separator: between the cells of a text file, one ASCII character.
        quote: around cells of a text file that hold separators; None where none is used.
        carriage_returns: whether the lines of a text file end with a carriage return alone. They
            end with a line feed otherwise, and a carriage return before that is part of the end.
        line_breaks: whether cells in quotation marks may hold line ends. Where they may not, every
            line is a record.
        sheet: of a workbook; None for the first.
        leave_out: of a text file or a workbook, the rules for rows that are no records, such as
            footers.
        positions: where the records are positions of people, how they become rows that say who was
            where from when on; None where they are the records themselves.

    Raises:
        Refusal: a part is missing, does not belong to the kind, or cannot be used.
    """

    kind: Kind
    encoding: str | None = None
    separator: str | None = None
    quote: str | None = None
    carriage_returns: bool = False
    line_breaks: bool = False
    sheet: str | None = None
    leave_out: tuple[RowRule, ...] = Field(default=(), exclude_if=lambda rules: not rules)
    positions: Positions | None = None

    @model_validator(mode="before")
    @classmethod
    def _spell_encoding(cls, settings: Any) -> Any:
        """Return one name for each encoding of text, and rules in place of their lines."""
        rules = settings.get("leave_out") if isinstance(settings, dict) else None
        if isinstance(rules, list | tuple):
            parsed = [RowRule.parse_rule(rule) if isinstance(rule, str) else rule for rule in rules]
            settings = {**settings, "leave_out": parsed}
        if isinstance(settings, dict) and settings.get("kind") == "csv":
            encoding = settings.get("encoding")
            if isinstance(encoding, str):
                return {**settings, "encoding": canonical_name(encoding)}
        return settings

    @model_validator(mode="after")
    def _usable(self) -> Reading:
        if self.kind == "csv":
            self._check_text()
        else:
            self._check_foreign(_TEXT_ONLY)
        if self.kind != "csv" and self.kind not in STATISTICS:
            self._check_foreign(("encoding",))
        if self.kind != "excel":
            self._check_foreign(("sheet",))
        if self.kind not in WITH_ROWS:
            self._check_foreign(("leave_out",))
        check_row_rules(self.leave_out)
        return self

    def _check_text(self) -> None:
        if self.encoding is None or self.separator is None:
            raise Refusal(
                "The reading of a text file lacks its encoding or its separator.",
                "Name both, such as utf-8 and a comma.",
                field="encoding" if self.encoding is None else "separator",
            )
        check_separator(self.separator)
        if self.quote not in (None, '"', "'"):
            raise Refusal(
                "The quotation mark is neither the double nor the single one.",
                "Choose one of these, or none.",
                field="quote",
            )
        if self.line_breaks and self.quote is None:
            raise Refusal(
                "Cells may hold line breaks only in quotation marks, and none are used.",
                "Choose a quotation mark, or do without line breaks in cells.",
                field="line_breaks",
            )

    def _check_foreign(self, names: tuple[str, ...]) -> None:
        for name in names:
            if getattr(self, name):
                raise Refusal(
                    f"A reading of files of the kind {self.kind} has no {_CALLED.get(name, name)}.",
                    "Leave it out.",
                    field=name,
                )

    def changed(self, **settings: Any) -> Reading:
        """Return the same with some settings changed.

        Raises:
            Refusal: as on construction.
        """
        return Reading(**{**self.model_dump(), **settings})

    def as_dict(self) -> dict[str, Any]:
        """Return what it says, ready for JSON, without what does not belong to its kind."""
        apart = ("positions", "leave_out")
        csv = (name for name in type(self).model_fields if name not in apart)
        names = csv if self.kind == "csv" else ("kind", "encoding", "sheet")
        found = {name: getattr(self, name) for name in names if name != "sheet" or self.sheet}
        if self.kind != "csv":
            found = {name: value for name, value in found.items() if value is not None}
        rules = [rule.line for rule in self.leave_out]
        return {**found, **({"leave_out": rules} if rules else {}), **self._positions()}

    def substance(self) -> dict[str, Any]:
        """Return all that it says, ready for JSON; of positions only where it is about them."""
        return {**self.model_dump(exclude={"positions"}), **self._positions()}

    def _positions(self) -> dict[str, Any]:
        if self.positions is None:
            return {}
        return {"positions": self.positions.model_dump(mode="json", exclude_none=True)}

    def of_file(self) -> Reading:
        """Return how the file alone is read, whatever its records become."""
        return self.changed(positions=None) if self.positions is not None else self

    def of_kind(self, kind: Kind) -> Reading:
        """This one for a file of its kind, and the usual one for any other; in both, records that
        are positions become the same rows, and the same rules tell which rows of a text file or a
        workbook are no records."""
        if self.kind == kind:
            return self
        kept = {} if self.positions is None else {"positions": self.positions}
        rules = {"leave_out": self.leave_out} if kind in WITH_ROWS and self.leave_out else {}
        return usual(kind).changed(**kept, **rules) if kept or rules else usual(kind)

    @property
    def is_usual(self) -> bool:
        """Whether it is what holds where nothing is declared."""
        return self == usual(self.kind)


def usual(kind: Kind) -> Reading:
    """Return what holds where nothing is declared: for text files UTF-8, commas, double quotation
    marks, and no line breaks in cells."""
    if kind == "csv":
        return Reading(kind=kind, encoding="utf-8", separator=",", quote='"')
    return Reading(kind=kind)


def check_separator(separator: str) -> None:
    """Check that cells can be told apart by it.

    Raises:
        Refusal: they cannot; `field` is "separator".
    """
    if len(separator) != 1 or not separator.isascii() or separator in _NO_SEPARATOR:
        raise Refusal(
            "The separator is not a single character that cells can be told apart by.",
            "Use a comma, a semicolon, a tab or a bar.",
            field="separator",
        )
