"""Rows of a file that are no records, by declared rules about a row alone: names that come again,
footers, rows of units.

A rule is public, and whether a row is left out by it depends on that row and on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import BoolArray, ShortIntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.cells import is_unreadable

NAMES_AGAIN: Final = "names again"
ALONE: Final = "first value alone"
_BEGINS: Final = "begins with "
_FIELD: Final = "leave_out"
MOST_RULES: Final = 20
_LONGEST: Final = 200
CellTest = Callable[[str], bool]


class RowRule(Frozen, what="the rule for rows"):
    """What makes a row no record.

    Attributes:
        kind: “names” for a row that names the columns again; “alone” for one with nothing but a
            first value; “begins” for one that has a value that begins with a text.
        column: whose value it is; "" for the first.
        text: with which it begins.

    Raises:
        Refusal: a text is missing, too long or begins with a blank, or belongs to no such rule.
    """

    kind: Literal["names", "alone", "begins"]
    column: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _usable(self) -> RowRule:
        begins = self.kind == "begins"
        odd = self.text != self.text.lstrip() or len(self.text) > _LONGEST or "\n" in self.text
        if begins != bool(self.text) or odd or (self.column and not begins):
            raise _refuse_rule()
        if is_unreadable(self.text):
            raise _refuse_rule()
        return self

    @classmethod
    def parse_rule(cls, text: str) -> RowRule:
        """Return the rule that a text names: “names again”, “first value alone”, “begins with
        Total” or, of another column than the first, “weight begins with kg”.

        Raises:
            Refusal: it names none.
        """
        bare = text.strip()
        if bare.casefold() == NAMES_AGAIN:
            return cls(kind="names")
        if bare.casefold() == ALONE:
            return cls(kind="alone")
        column, found, beginning = f" {bare}".partition(f" {_BEGINS}")
        if not found:
            raise _refuse_rule()
        return cls(kind="begins", column=column.strip(), text=beginning.strip())

    @property
    def line(self) -> str:
        """The rule as it is typed."""
        if self.kind == "names":
            return NAMES_AGAIN
        return ALONE if self.kind == "alone" else f"{self.column} {_BEGINS}{self.text}".strip()

    @property
    def words(self) -> str:
        """The rows that it is about, as a reader reads it."""
        if self.kind == "names":
            return "rows that name the columns again"
        if self.kind == "alone":
            return "rows with nothing but a first value"
        whose = f"value of “{self.column}”" if self.column else "first value"
        return f"rows whose {whose} {_BEGINS}“{self.text}”"

    def cell_tests(self, names: Sequence[str]) -> dict[int, CellTest]:
        """Return what the cells of a row have to be for it to be left out, by their places.

        Args:
            names: of the columns.

        Raises:
            Refusal: the file has no column of the name that the rule is about.
        """
        if self.kind == "names":
            return {place: name.__eq__ for place, name in enumerate(names)}
        if self.kind == "alone":
            return {0: bool, **dict.fromkeys(range(1, len(names)), _is_blank)}
        if self.column and self.column not in names:
            raise Refusal(
                f"Rows are to be left out by their value of “{self.column}”, and the file has no "
                "such column.",
                "Write the name of the column as the first row of the file does.",
                field=_FIELD,
            )
        return {names.index(self.column) if self.column else 0: self._begins}

    def _begins(self, text: str) -> bool:
        return text.startswith(self.text)

    def leaves_out(self, cells: Sequence[str], names: Sequence[str]) -> bool:
        """Return whether a row is left out, one with another number of cells than there are columns
        too: cells that are not there are blank.

        Args:
            cells: of the row.
            names: of the columns.

        Raises:
            Refusal: as of `cell_tests`.
        """
        bare = [cell.strip() for cell in cells]
        beyond = any(bare[len(names) :]) and self.kind != "begins"
        bare += [""] * (len(names) - len(bare))
        return not beyond and all(
            test(bare[place]) for place, test in self.cell_tests(names).items()
        )


def _is_blank(text: str) -> bool:
    return not text


def _refuse_rule() -> Refusal:
    return Refusal(
        "The rule for rows that are no records is not understood.",
        f"Write “{NAMES_AGAIN}”, “{ALONE}”, “{_BEGINS}Total” for the first value of a row, or "
        f"“weight {_BEGINS}kg” for that of another column.",
        field=_FIELD,
    )


def parse_rules(lines: Sequence[str]) -> tuple[RowRule, ...]:
    """Return the rules of lines, blank ones left aside.

    Raises:
        Refusal: one names none.
    """
    return tuple(dict.fromkeys(RowRule.parse_rule(line) for line in lines if line.strip()))


def check_row_rules(rules: Sequence[RowRule]) -> None:
    """Check that there are not too many rules.

    Raises:
        Refusal: there are.
    """
    if len(rules) > MOST_RULES:
        raise Refusal(
            f"There are {len(rules):,} rules for rows that are no records; at most {MOST_RULES} "
            "can be used.",
            "Take such rows out of the file.",
            field=_FIELD,
        )


def find_rows(
    rules: Sequence[RowRule],
    names: Sequence[str],
    columns: Sequence[tuple[Sequence[str], ShortIntArray]],
) -> BoolArray:
    """Return (rows,) which rows are left out by one of some rules.

    Args:
        rules: what makes a row no record.
        names: of the columns.
        columns: of each, its different texts, and the place of each row's text among them.

    Raises:
        Refusal: as of `RowRule.cell_tests`.
    """
    rows = len(columns[0][1])
    found = np.zeros(rows, dtype=bool)
    for rule in rules:
        matching = np.ones(rows, dtype=bool)
        for place, test in rule.cell_tests(names).items():
            texts, places = columns[place]
            passed = np.array([test(text.strip()) for text in texts], dtype=bool)
            matching &= passed[places]
        found |= matching
    return found
