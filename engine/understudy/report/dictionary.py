"""The data dictionary: what each column of the synthetic table is, and what its values mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from understudy.table.buckets import EachValue
from understudy.table.column import ROLES, Column
from understudy.table.domain import Domain, Ranged, measured_of
from understudy.table.formula_safety import csv_line
from understudy.table.omissions import describe_omission
from understudy.table.schema import Schema

COLUMNS: Final = (
    "column", "title", "type", "minimum", "maximum", "step", "values", "may be missing",
    "missing is written", "buckets",
)  # fmt: skip
MEASURED: Final = ("precision", "unit")
"""What follows `COLUMNS` where some column is measured."""
SPELT: Final = ("written as", "time zone")
"""What follows where some column says it."""
ROLE: Final = "role"
"""What follows where some column has one."""
KNOWN_FROM: Final = "known from"
"""What follows where it is said where some column is known from."""
DERIVED: Final = "computed as"
"""What follows where some column is derived from others: how."""
RULES: Final = "rules"
"""What follows where the schema has rules: those that name the column."""
TOTALS: Final = "known totals"
"""What follows where the schema has known totals: those by the column."""
LEFT_OUT: Final = "left out"
"""What follows where some column of the file is left out: why."""

VALUES: Final = ("column", "value", "label", "bucket")
EMPTY: Final = "(empty)"

_FEW: Final = 12


@dataclass(frozen=True)
class ColumnDescription:
    """A column in words.

    Attributes:
        name, title: of the column.
        type: the noun of its kind, such as text or whole number.
        minimum, maximum, step: of numbers and dates, as they stand in the table; "" for categories.
            The step of a measured column is the width of the cells in which a model saw it.
        values: the categories with their labels, or how many there are; "" for numbers.
        missing: whether a value may be missing.
        token: how missing is written in CSV, of several codes for it each with its meaning; ""
            where it may not be, or is written as nothing.
        buckets: what each is called where values are coarsened as parents; "" where not.
        precision, unit: of continuous numbers and dates; "" for others, or where there is no unit.
        spelling, zone: how a text file writes it, and whose clock it shows; "" where not said.
        domain: what it may contain, in a phrase.
        role: what it is to the table; "" where that is nothing of its own.
        known_from: where it is publicly known from what it may contain; "" where not said.
    """

    name: str
    title: str
    type: str
    minimum: str
    maximum: str
    step: str
    values: str
    missing: bool
    token: str
    buckets: str
    precision: str = ""
    unit: str = ""
    spelling: str = ""
    zone: str = ""
    domain: str = ""
    role: str = ""
    known_from: str = ""


def describe_column(column: Column, listed: str, *, own_numbers: bool = False) -> ColumnDescription:
    """Return a column in words.

    Args:
        column: it.
        listed: the file that lists the values where they are many.
        own_numbers: see `Output.own_numbers`.
    """
    domain, ranged = column.domain, column.domain.ranged
    values = _values(domain, listed) if ranged is None else ""
    typed = domain.setting_texts()
    low, high = ("", "") if ranged is None else ranged.end_texts
    return ColumnDescription(
        column.name,
        column.title,
        domain.words.noun,
        low,
        high,
        typed.get("step", ""),
        values,
        column.missing,
        _missing_written(column),
        "" if isinstance(column.buckets, EachValue) else _buckets(column),
        typed.get("precision", ""),
        typed.get("unit", ""),
        typed.get("spelling", ""),
        typed.get("zone", ""),
        values
        if ranged is None
        else _describe_range(ranged, own_numbers=own_numbers) + _describe_levels(column),
        _describe_role(column),
        column.known_from,
    )


def _describe_role(column: Column) -> str:
    """Return what a column is to the table; "" where that is nothing of its own."""
    if not column.role:
        return ""
    if column.population is None:
        return ROLES[column.role]
    return f"{ROLES[column.role]}, adding up to {column.population:,f} over the population"


def _describe_range(ranged: Ranged, *, own_numbers: bool) -> str:
    """Return what a column of numbers or dates may contain, in a phrase."""
    span = f"{ranged.show_ends()}{f' {ranged.units}' if ranged.units else ''}"
    span += f", without {ranged.gap_words} (missing)" if ranged.gaps else ""
    typed = ranged.setting_texts()
    span += f", written as {typed['spelling']}" if typed.get("spelling") else ""
    span += f", on the clock of {typed['zone']}" if typed.get("zone") else ""
    if not ranged.measured:
        return f"{span}, in steps of {ranged.step_words}"
    if own_numbers:
        return f"{span}, {ranged.kept_words}; drawn by the method itself"
    drawn = measured_of(ranged).drawn_words
    cells = f"modelled in cells of {ranged.step_words} and {drawn}"
    return f"{span}, {ranged.kept_words}; {cells}"


def _describe_levels(column: Column) -> str:
    """Return the levels of a column of numbers or dates, in a phrase after others; "" for none."""
    if not column.levels:
        return ""
    named = ", ".join(map(column.name_level, range(column.coarsest + 1)))
    return f"; levels: {named} (the calibrated model counts the finest that the budget carries)"


def _values(domain: Domain, listed: str) -> str:
    if domain.size > _FEW:
        return f"{domain.size:,} values, listed in {listed}"
    labels = domain.given_labels or domain.texts
    pairs = zip(domain.texts, labels, strict=True)
    return "; ".join(value if value == label else f"{value} = {label}" for value, label in pairs)


def _missing_written(column: Column) -> str:
    if column.has_plain_missing:
        return "".join(column.missing_texts)
    pairs = zip(column.missing_texts, column.missing_labels, strict=True)
    return "; ".join(f"{text or EMPTY} = {label}" for text, label in pairs)


def _buckets(column: Column) -> str:
    labels = column.bucket_labels[: column.bucket_count - column.missing_count]
    return f"{len(labels):,} buckets" if len(labels) > _FEW else "; ".join(labels)


def columns_csv(schema: Schema, listed: str) -> str:
    """Return one line for each column, then one for each that is left out; `listed` is the file
    with long lists of values."""
    more = bool(schema.full.measured_places)
    heading = (*COLUMNS, *MEASURED) if more else COLUMNS
    about = [describe_column(each, listed) for each in schema.full.columns]
    lines = [cells if more else cells[:-2] for cells in map(_cells, about)]
    said = [it.spelling for it in about], [it.zone for it in about]
    for title, texts in zip(SPELT, said, strict=True):
        if any(texts):
            heading = (*heading, title)
            lines = [(*line, text) for line, text in zip(lines, texts, strict=True)]
    rows = [heading, *lines]
    words = {each.name: each.formula.words for each in schema.derived}
    words |= {each.name: each.words for each in schema.recodings}
    further = (
        (ROLE, [it.role for it in about]),
        (KNOWN_FROM, [it.known_from for it in about]),
        (DERIVED, [words.get(it.name, "") for it in about]),
        (RULES, [_list_rules(schema, it.name) for it in about]),
        (TOTALS, [_list_totals(schema, it.name) for it in about]),
    )
    for title, texts in further:
        if any(texts):
            rows = [(*row, text) for row, text in zip(rows, [title, *texts], strict=True)]
    if schema.omissions:
        rows = [(*row, "" if place else LEFT_OUT) for place, row in enumerate(rows)]
        blank = ("",) * (len(rows[0]) - 2)
        rows += [(each.name, *blank, describe_omission(each)) for each in schema.omissions]
    return "".join(map(csv_line, rows))


def _list_rules(schema: Schema, name: str) -> str:
    """Return the rules that name a column, as they are declared."""
    return "; ".join(rule.text for rule in schema.rules if name in rule.names)


def _list_totals(schema: Schema, name: str) -> str:
    """Return the known totals by a column, with their source."""
    return " ".join(each.sentence for each in schema.totals if name in each.columns)


def _cells(found: ColumnDescription) -> tuple[str, ...]:
    missing = "yes" if found.missing else "no"
    token = (found.token or EMPTY) if found.missing else ""
    return (
        found.name, found.title, found.type, found.minimum, found.maximum, found.step,
        found.values, missing, token, found.buckets, found.precision, found.unit,
    )  # fmt: skip


def values_csv(schema: Schema) -> str:
    """Return one line for each value of each column of categories: its label and its bucket, and
    its group at each level above that."""
    schema = schema.full
    coarsest = max(column.coarsest for column in schema.columns)
    heading = (*VALUES, *(f"level {number}" for number in range(2, coarsest + 1)))
    return "".join(map(csv_line, [heading, *_label_values(schema, coarsest)]))


def _label_values(schema: Schema, coarsest: int) -> Iterator[tuple[str, ...]]:
    for column in schema.columns:
        if not column.ordered:
            levels = [_groups(column, level) for level in range(1, column.coarsest + 1)]
            blank = [[""] * column.cardinality] * (coarsest - column.coarsest)
            rows = zip(column.texts, column.labels, *levels, *blank, strict=True)
            yield from ((column.name, *row) for row in rows)


def _groups(column: Column, level: int) -> list[str]:
    """Of each value, the group that it is in at a level."""
    labels = column.level_labels(level)
    return [labels[place] for place in column.level_map(level)]
