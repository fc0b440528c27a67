"""Known totals: how many rows of a release are in each cell of one column or of a pair of columns.

They are public. Either they are a published figure about the population, or they count this very
table; then everybody learns them exactly, and nothing protects them: a guarantee holds between
tables that agree on them (docs/guarantee.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import BoolArray, CodeArray, IntArray
from understudy.core.display import Shown, ShowsItself
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, shorten_text
from understudy.core.validation import Frozen
from understudy.table.cells import parse_number
from understudy.table.checks import check_read
from understudy.table.column import Column
from understudy.table.rules.value_names import find_near

MOST_TABLES: Final = 2
MOST_ROWS: Final = 1_000_000_000
_MOST_CELLS: Final = 1 << 18
_BETWEEN: Final = re.compile(r"(?<=\d)\s*(?:\bto\b|-)\s*(?=-?\d)")

TotalsOf = Literal["table", "population"]
"""What totals count: this very table, or the population that it is about."""

COUNTED: Final[Mapping[TotalsOf, str]] = {
    "population": "the population: a published figure",
    "table": "this very table",
}


class KnownTotals(ShowsItself, Frozen, what="the known totals"):
    """Totals by one column or by a pair of columns, on the custodian's word.

    Attributes:
        columns: their names, one or two.
        of: what is counted.
        source: where the totals are published, in the custodian's words.
        lines: the names of a value, a bucket or a group of each column, and the total; nobody is
            in a cell that has no line.

    Raises:
        Refusal: there are other than one or two columns, a line does not have a name for each, no
            source is named, or a total is no whole number from 0 on.
    """

    columns: tuple[str, ...]
    of: TotalsOf
    source: str
    lines: tuple[tuple[tuple[str, ...], int], ...]

    @model_validator(mode="after")
    def _usable(self) -> KnownTotals:
        if not 1 <= len(self.columns) <= 2 or len(set(self.columns)) < len(self.columns):
            raise Refusal(
                f"Known totals are by {count(len(self.columns), 'column')}, and can be hit exactly "
                "by one column or by a pair of different columns.",
                "Add them up over the other columns.",
                field="totals",
            )
        if not self.source.strip():
            raise Refusal(
                f"The totals by {self.title} have no source.",
                "Say where they are published, so that a reader can look them up.",
                field="totals",
            )
        check_read(self.source, "source of known totals", "totals")
        for names, total in self.lines:
            if len(names) != len(self.columns):
                raise Refusal(
                    f"A line of the totals by {self.title} names {count(len(names), 'value')}.",
                    f"Name one of each column, {len(self.columns)} in all.",
                    field="totals",
                )
            if total < 0:
                raise Refusal(
                    f"The totals by {self.title} have a negative one, {total:,}.",
                    "Correct it: a total is 0 or more.",
                    field="totals",
                )
        if not 1 <= self.total <= MOST_ROWS:
            raise Refusal(
                f"The totals by {self.title} add up to {self.total:,}.",
                f"Give totals that add up to 1 to {MOST_ROWS:,}.",
                field="totals",
            )
        return self

    @property
    def title(self) -> str:
        """The columns, as they stand in a sentence."""
        return " and ".join(f"“{escape_invisible(name)}”" for name in self.columns)

    @cached_property
    def total(self) -> int:
        """All totals, added up."""
        return sum(total for _, total in self.lines)

    @property
    def sentence(self) -> str:
        """What they are and where they are known from."""
        what = (
            "counts of this very table, released exactly and not protected"
            if self.of == "table"
            else "a published figure about the population"
        )
        return (
            f"{count(len(self.lines), 'total')} by {self.title}, {self.total:,} together: {what} "
            f"({self.source})."
        )

    def bind(self, columns: Sequence[Column]) -> BoundTotals:
        """Return them as cells of codes.

        Raises:
            Refusal: there is no such column or value, the names of a column are of different
                levels, a cell has two lines, or there are too many cells.
        """
        places = {column.name: place for place, column in enumerate(columns)}
        unknown = next((name for name in self.columns if name not in places), None)
        if unknown is not None:
            raise Refusal(
                f"The totals by {self.title} are by “{escape_invisible(unknown)}”, which is no "
                "column that the model draws.",
                "Use the column, or take these totals out.",
                field="totals",
            )
        by = [columns[places[name]] for name in self.columns]
        read = [
            read_names(column, [names[axis] for names, _ in self.lines], self.title)
            for axis, column in enumerate(by)
        ]
        shape = tuple(column.level_size(level) for column, (level, _) in zip(by, read, strict=True))
        if np.prod(shape, dtype=float) > _MOST_CELLS:
            raise Refusal(
                f"Totals by {self.title} have more than {_MOST_CELLS:,} cells.",
                "Give them by buckets of these columns.",
                field="totals",
            )
        cells = np.ravel_multi_index([groups for _, groups in read], shape)
        different, first = np.unique(cells, return_index=True)
        if len(different) < len(cells):
            again = int(np.setdiff1d(np.arange(len(cells)), first)[0])
            raise Refusal(
                f"The totals by {self.title} count {quote_names(self.lines[again][0])} twice.",
                "Give one total for each.",
                field="totals",
            )
        counts = np.zeros(int(np.prod(shape)), dtype=np.int64)
        counts[cells] = [total for _, total in self.lines]
        levels = [level for level, _ in read]
        views = tuple(zip([places[name] for name in self.columns], levels, strict=True))
        return BoundTotals(self, views, shape, counts)

    def describe_itself(self) -> Shown:
        """Return what is shown: the totals and their source."""
        rows = [(*names, f"{total:,}") for names, total in self.lines]
        return Shown(self.sentence, head=(*self.columns, "Total"), rows=rows)

    def as_dict(self) -> dict[str, Any]:
        """Return them as a schema file has them: a line a list of names with the total last."""
        lines = [[*names, total] for names, total in self.lines]
        return {"columns": [*self.columns], "of": self.of, "source": self.source, "counts": lines}

    @classmethod
    def of_dict(cls, found: Any) -> KnownTotals:
        """Read what `as_dict` writes.

        Raises:
            Refusal: it is something else.
        """
        lines = found.get("counts") if isinstance(found, dict) else None
        if not isinstance(lines, list) or not all(isinstance(line, list) for line in lines):
            raise Refusal(
                "Known totals of the schema have no list of counts.",
                'Write each as a list of names with the total last: ["North", "female", 1200].',
                field="totals",
            )
        return cls.read(
            {
                **{name: found[name] for name in found if name != "counts"},
                "lines": [(line[:-1], line[-1] if line else None) for line in lines],
            }
        )

    def substance(self) -> dict[str, Any]:
        """Return what the fingerprint of a schema knows of them."""
        lines = sorted([*names, total] for names, total in self.lines if total)
        return {"columns": [*self.columns], "of": self.of, "counts": lines}


def quote_names(names: Sequence[str]) -> str:
    """Return names of values, one of each column, as they stand in a sentence."""
    return " with ".join(f"“{escape_invisible(shorten_text(name, 60))}”" for name in names)


def fold_name(text: str) -> str:
    """Return a name without what publications write in different ways: case, blanks, kinds of
    dashes, and “to” between two numbers."""
    plain = " ".join(text.split()).casefold().replace("–", "-").replace("−", "-")
    return _BETWEEN.sub("-", plain)


@dataclass(frozen=True, eq=False)
class _Names:
    """The names of the values of a column at a level, from the closest match on."""

    exact: Mapping[str, int]
    folded: Mapping[str, int]
    numbers: Mapping[Decimal, int]

    @classmethod
    def of(cls, column: Column, level: int) -> _Names:
        labels = [*enumerate(column.level_labels(level))]
        texts = [] if level or column.measured else [*enumerate(column.texts)]
        exact: dict[str, int] = {}
        folded: dict[str, int | None] = {}
        numbers: dict[Decimal, int] = {}
        for group, text in (*texts, *labels):
            exact.setdefault(text, group)
            folded[fold_name(text)] = group if folded.get(fold_name(text), group) == group else None
            number = parse_number(text)
            if number is not None:
                numbers.setdefault(number, group)
        sure = {text: group for text, group in folded.items() if group is not None}
        return cls(exact, sure, numbers)

    def find(self, name: str) -> int | None:
        """Return the value that a name means; None if it means none."""
        found = self.exact.get(name, self.folded.get(fold_name(name)))
        number = parse_number(name) if found is None else None
        return self.numbers.get(number) if number is not None else found


def read_names(column: Column, names: Sequence[str], title: str) -> tuple[int, list[int]]:
    """Return the finest level at which a column has values of all these names, and the values.

    Raises:
        Refusal: there is no such level.
    """
    levels = [_Names.of(column, level) for level in range(column.coarsest + 1)]
    read = [[known.find(name) for name in names] for known in levels]
    for level, groups in enumerate(read):
        if None not in groups:
            return level, [group for group in groups if group is not None]
    best = min(range(len(read)), key=lambda level: read[level].count(None))
    unknown = names[read[best].index(None)]
    said = f"The totals by {title} name {quote_names([unknown])}, and column "
    said += f"“{escape_invisible(column.name)}” "
    if any(known.find(unknown) is not None for known in levels):
        raise Refusal(
            f"{said}has that at another level than the other names.",
            "Use single values, or buckets, or groups, and not one beside the other.",
            field="totals",
        )
    near = find_near(unknown, levels[best].exact)
    some = ", ".join(f"“{escape_invisible(each)}”" for each in [*levels[best].exact][:5])
    raise Refusal(
        f"{said}has no such value, bucket or group.",
        f"Did you mean “{near}”?" if near else f"Use names such as {some}.",
        field="totals",
    )


@dataclass(frozen=True, eq=False)
class BoundTotals:
    """Totals by codes.

    Attributes:
        declared: as they are declared.
        views: the place of each column, and the level its values are of.
        shape: how many values each column has at that level.
        counts: (cells,) the totals, the last column varying fastest.
    """

    declared: KnownTotals
    views: tuple[tuple[int, int], ...]
    shape: tuple[int, ...]
    counts: IntArray

    def number_cells(self, columns: Sequence[Column], codes: Sequence[CodeArray]) -> IntArray:
        """Return (n,) the cell of each record.

        Args:
            columns: of the schema.
            codes: (n,) of each column.
        """
        groups = [columns[place].level_map(level)[codes[place]] for place, level in self.views]
        return np.ravel_multi_index(groups, self.shape).astype(np.int64)

    def name_cell(self, columns: Sequence[Column], cell: int) -> str:
        """Return what a cell is, in a phrase."""
        groups = np.unravel_index(cell, self.shape)
        return quote_names(
            [
                columns[place].level_labels(level)[group]
                for (place, level), group in zip(self.views, groups, strict=True)
            ]
        )

    def list_codes(self, columns: Sequence[Column], cell: int) -> dict[int, BoolArray]:
        """Return, by the place of each column, which of its codes are in a cell."""
        groups = np.unravel_index(cell, self.shape)
        return {
            place: columns[place].level_map(level) == group
            for (place, level), group in zip(self.views, groups, strict=True)
        }

    def sum_column(self, columns: Sequence[Column], place: int, level: int) -> IntArray:
        """Return the totals of one of its columns by itself, at a level that is no finer."""
        axis = [each for each, _ in self.views].index(place)
        others = tuple(other for other in range(len(self.shape)) if other != axis)
        alone = self.counts.reshape(self.shape).sum(axis=others)
        found = np.zeros(columns[place].level_size(level), dtype=np.int64)
        np.add.at(found, columns[place].fold(self.views[axis][1], level), alone)
        return found


def check_agreement(bound: Sequence[BoundTotals], columns: Sequence[Column]) -> None:
    """Check that there are no more tables of totals than can be hit together, and that they agree
    on how many rows there are and on the columns that they share.

    Raises:
        Refusal: it is not so.
    """
    if len(bound) > MOST_TABLES:
        raise Refusal(
            f"There are {len(bound)} tables of known totals; more than {MOST_TABLES} cannot always "
            "be hit together.",
            "Keep the two that matter most.",
            field="totals",
        )
    if len(bound) < MOST_TABLES:
        return
    one, other = bound
    titles = f"The totals by {one.declared.title} and by {other.declared.title}"
    if set(one.declared.columns) == set(other.declared.columns):
        raise Refusal(
            f"There are two tables of totals by {one.declared.title}.",
            "Keep one of them.",
            field="totals",
        )
    if one.declared.total != other.declared.total:
        raise Refusal(
            f"{titles} add up to {one.declared.total:,} and {other.declared.total:,}.",
            "Correct one of them, so that both count the same rows.",
            field="totals",
        )
    levels = dict(other.views)
    for place, level in one.views:
        if place not in levels:
            continue
        coarser = max(level, levels[place])
        counts = [each.sum_column(columns, place, coarser) for each in bound]
        (differ,) = np.nonzero(counts[0] != counts[1])
        if len(differ):
            name = quote_names([columns[place].level_labels(coarser)[differ[0]]])
            raise Refusal(
                f"{titles} count {counts[0][differ[0]]:,} and {counts[1][differ[0]]:,} rows with "
                f"{name} in column “{escape_invisible(columns[place].name)}”.",
                "Correct one of them.",
                field="totals",
            )


def check_bound_numbers(
    bound: Sequence[BoundTotals], columns: Sequence[Column], ruled: Sequence[str]
) -> None:
    """Check that no totals are by a continuous column that a rule names: its numbers are chosen by
    the rule as they are written, in another cell if need be.

    Raises:
        Refusal: some are.
    """
    for each in bound:
        for place, _ in each.views:
            column = columns[place]
            if column.measured and column.name in ruled:
                raise Refusal(
                    f"There are totals by “{escape_invisible(column.name)}”, and a rule names it, "
                    "which may move its numbers.",
                    "Describe it as whole numbers or numbers in steps, or take out the totals or "
                    "the rule.",
                    field="totals",
                )


# Totals of a release.


@dataclass(frozen=True)
class TotalCheck:
    """One total beside what was released.

    Attributes:
        cell: what is counted, in a phrase.
        declared: the total.
        wanted: what it comes to in so many rows, before it is rounded to a whole row.
        released: how many rows there are.
    """

    cell: str
    declared: int
    wanted: float
    released: int

    @property
    def hit(self) -> bool:
        """Whether it is hit: exactly, or rounded up or down where totals are in proportion."""
        return abs(self.released - self.wanted) < 1


def compare_totals(
    totals: KnownTotals, columns: Sequence[Column], codes: Sequence[CodeArray]
) -> tuple[TotalCheck, ...]:
    """Return each total beside what released rows come to; cells that nobody is in, in neither,
    are left out.

    Raises:
        Refusal: as of `KnownTotals.bind`.
    """
    bound = totals.bind(columns)
    released = np.bincount(bound.number_cells(columns, codes), minlength=len(bound.counts))
    rows = len(codes[0])
    return tuple(
        TotalCheck(
            bound.name_cell(columns, cell),
            int(bound.counts[cell]),
            int(bound.counts[cell]) * rows / totals.total,
            int(released[cell]),
        )
        for cell in np.flatnonzero((bound.counts > 0) | (released > 0)).tolist()
    )
