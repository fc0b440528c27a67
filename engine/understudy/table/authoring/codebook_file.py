"""Codebooks as files: a Table Schema in JSON, or a table with a row a column or a row a value.

The table has the columns name, label, values, and where wanted type, minimum, maximum, step,
precision, unit, missing, required, origin, groups and rest. Values stand as `1=male; 2=female`; a
text with one of `=;"` in it, or with blanks at its ends, stands in quotation marks, doubled inside.
Groups stand likewise, each code with its group, and rest is the group for all other codes. Or each
value has a row of its own, and its group stands under group. Levels above them: `codebook_groups`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.authoring.codebook import Entry, entry_of, number_or_refuse
from understudy.table.authoring.codebook_groups import (
    NUMBERS,
    groups_cells,
    groups_headings,
    groups_in,
    levels_of,
)
from understudy.table.authoring.codebook_rows import Row, first_said, pairs, quoted
from understudy.table.column import Column
from understudy.table.formula_safety import csv_line, unescape_formula
from understudy.table.kinds import class_of_kind, list_kinds
from understudy.table.number_texts import parse_number, without_trailing_zeros
from understudy.table.origins import KNOWN, Origin, origin_read
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.schema_file import loosely_parsed
from understudy.table.sources.reading import read_table

MOST_BYTES = 32 << 20

_HEADINGS = {
    "name": ("name", "variable", "column", "field", "variable name", "column name"),
    "label": ("label", "title", "description", "variable label", "column label"),
    "values": ("values", "categories", "codes", "value labels", "allowed values"),
    "value": ("value", "code", "category"),
    "value label": ("value label", "value_label", "meaning", "code label", "category label"),
    "type": ("type", "kind", "data type"),
    "minimum": ("minimum", "min", "smallest", "lower"),
    "maximum": ("maximum", "max", "largest", "upper"),
    "step": ("step",),
    "precision": ("precision", "resolution"),
    "unit": ("unit", "units", "unit of measurement"),
    "missing": ("missing", "missing values", "missing codes"),
    "required": ("required",),
    "origin": ("origin", "known from"),
    "groups": ("groups",),
    "group": ("group", "value group", "code group"),
    "rest": ("rest", "rest group", "everything else"),
    **{
        f"{what}{number}": (f"{what}{number}",)
        for number in NUMBERS[1:]
        for what in ("groups", "group", "rest")
    },
}
_TYPES: dict[str, str] = {
    **dict.fromkeys(
        ("string", "text", "character", "categorical", "category", "categories", "factor",
         "nominal", "ordinal", "boolean", "any"),
        "categories",
    ),
    **dict.fromkeys(("integer", "integers", "int", "whole", "year"), "integers"),
    **dict.fromkeys(
        ("number", "numbers", "numeric", "float", "double", "decimal"), "numbers"
    ),
    "continuous": "continuous",
}  # fmt: skip
_YES, _NO = ("yes", "true", "1", "y"), ("no", "false", "0", "n")
_RANGE = re.compile(r"\s*([+-]?[0-9.]+)\s*(?:\.\.+|-|–|—|to)\s*([+-]?[0-9.]+)\s*")
_OUT = ("name", "label", "type", "values", "minimum", "maximum", "step", "missing", "required")
_MEASURED = ("precision", "unit")
"""What follows them where some column is continuous."""


def read_codebook(data: bytes, name: str) -> tuple[Entry, ...]:
    """Return the entries of a codebook.

    Args:
        data: the file.
        name: its name, whose ending says what it is: .json, or what a table ends in.

    Raises:
        Refusal: it is damaged or too large, names no columns, or says something that cannot be
            understood, with the row; `field` is "codebook".
    """
    if len(data) > MOST_BYTES:
        raise Refusal(
            f"The codebook is over {MOST_BYTES >> 20} MiB.",
            "Choose a codebook, not the table.",
            field="codebook",
        )
    try:
        if Path(name).suffix.lower() == ".json" or data.lstrip()[:1] == b"{":
            return _of_json(data)
        return _of_table(read_table(data, name=name, trusted=False))
    except Refusal as refusal:
        raise Refusal(refusal.problem, refusal.remedy, field="codebook") from None


def csv_codebook(schema: Schema) -> str:
    """Return the codebook of a schema as CSV, a row a column, with groups of categories, the levels
    above them, and where columns are known from; other buckets and the declaration are not in it.

    No cell of it is one that a spreadsheet takes for a formula; see `formula_safety`.
    """
    headings = list(_OUT)
    entries = [entry_of(column) for column in schema.columns]
    rows = [_row(each) for each in entries]
    if schema.continuous:
        headings += _MEASURED
        rows = [row + _measured(each) for row, each in zip(rows, entries, strict=True)]
    if any(column.origin for column in schema.columns):
        headings.append("origin")
        rows = [[*row, each.origin or ""] for row, each in zip(rows, entries, strict=True)]
    levels = [levels_of(column) for column in schema.columns]
    depth = max(map(len, levels))
    headings += groups_headings(depth)
    rows = [row + groups_cells(each, depth) for row, each in zip(rows, levels, strict=True)]
    return "".join(map(csv_line, [headings, *rows]))


def _measured(entry: Entry) -> list[str]:
    """Return what is said of a continuous column besides."""
    precision = "" if entry.precision is None else f"{without_trailing_zeros(entry.precision):f}"
    return [precision, entry.unit or ""]


def _row(entry: Entry) -> list[str]:
    numbers = (entry.minimum, entry.maximum, entry.step)
    return [
        entry.name,
        entry.title,
        list_kinds()[entry.kind or "categories"].codebook,
        "; ".join(
            f"{quoted(code)}={quoted(label)}" if label else quoted(code)
            for code, label in entry.values
        ),
        *("" if number is None else f"{without_trailing_zeros(number):f}" for number in numbers),
        "; ".join(map(quoted, entry.missing or ())),
        "yes" if entry.required else "no",
    ]


def _of_json(data: bytes) -> tuple[Entry, ...]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("The codebook is not text in UTF-8.", "Save it as UTF-8.") from None
    return tuple(
        replace(entry_of(each), buckets=each.buckets, levels=each.levels)
        if isinstance(each, Column)
        else _bare(each)
        for each in loosely_parsed(text)
    )


def _bare(about: Mapping[str, Any]) -> Entry:
    return Entry(**about)


def _of_table(raw: RawTable) -> tuple[Entry, ...]:
    """Return the entries of a table with a row for each column, or for each value of one."""
    headings = _headings(raw.names)
    texts = {what: _cells(raw, heading) for what, heading in headings.items()}
    rows: dict[str, list[Row]] = {}
    name = ""
    for place in range(raw.rows):
        cells = {what: unescape_formula(column[place].strip()) for what, column in texts.items()}
        if not any(cells.values()):
            continue
        # Where each value has a row, the name often stands in the first of them only.
        name = cells.pop("name") or name
        if not name:
            raise Refusal(
                f"Row {place + 2} of the codebook names no column.",
                "Write the column's name in the column “name”.",
            )
        rows.setdefault(name, []).append(Row(place + 2, cells))
    return tuple(_entry(name, found) for name, found in rows.items())


def _headings(names: Sequence[str]) -> dict[str, str]:
    """Return what each heading of a codebook stands for.

    Raises:
        Refusal: none of them names the columns, or nothing else is said of these.
    """
    folded = {name.strip().casefold(): name for name in names}
    found = {
        what: folded[spelling]
        for what, spellings in _HEADINGS.items()
        for spelling in reversed(spellings)
        if spelling in folded
    }
    if "name" not in found or len(found) < 2:
        raise Refusal(
            "The codebook has no column “name”, or nothing beside it.",
            "Put name, label and values in its first row.",
        )
    return found


def _cells(raw: RawTable, name: str) -> list[str]:
    texts, places = raw.distinct(name)
    return [texts[place] for place in places]


def _entry(name: str, rows: Sequence[Row]) -> Entry:
    """Return one column, from all rows about it."""
    first = rows[0]
    title, values = _values(rows)
    entry = Entry(name, title, _kind(first), values)
    low, high, step, precision = (
        _number(rows, what) for what in ("minimum", "maximum", "step", "precision")
    )
    unit = first_said(rows, "unit")
    bounds = _range(entry)
    if bounds is not None and low is None and high is None:
        (low, high), entry = bounds, replace(entry, values=())
    missing = first_said(rows, "missing")
    levels = groups_in(rows)
    return replace(
        entry,
        minimum=low,
        maximum=high,
        step=step,
        precision=precision,
        unit=None if unit is None else unit[1],
        missing=None if missing is None else tuple(token for token, _ in pairs(*missing)),
        required=_required(rows),
        origin=_origin(rows),
        buckets=levels[0] if levels else None,
        levels=levels[1:],
    )


def _values(rows: Sequence[Row]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the title of a column and its values, whether they share a row or not."""
    titles = list(dict.fromkeys(row["label"] for row in rows if row["label"]))
    found: dict[str, str] = {}
    for row in rows:
        if row["value"]:
            found[row["value"]] = row["value label"]
        found |= dict(pairs(row, row["values"]))
    bare = len(found) == len(rows) > 1 and not any(found.values())
    if bare and len(titles) == len(rows):
        # A row a value, and no other place for what the value means.
        return "", tuple((code, row["label"]) for code, row in zip(found, rows, strict=True))
    return titles[0] if titles else "", tuple(found.items())


def _kind(row: Row) -> str | None:
    named = row["type"].casefold()
    types = _TYPES | {words.codebook.casefold(): kind for kind, words in list_kinds().items()}
    if named and named not in types:
        raise row.refusal("the type is not known.", "Write string, integer or number.")
    return types[named] if named else None


def _number(rows: Iterable[Row], what: str) -> Decimal | None:
    found = first_said(rows, what)
    if found is None:
        return None
    row, text = found
    try:
        return number_or_refuse(text, what)
    except Refusal as refusal:
        raise row.refusal(refusal.problem, refusal.remedy) from None


def _required(rows: Iterable[Row]) -> bool | None:
    found = first_said(rows, "required")
    if found is None:
        return None
    row, text = found
    if text.casefold() not in (*_YES, *_NO):
        raise row.refusal("“required” is neither yes nor no.", "Write yes or no.")
    return text.casefold() in _YES


def _origin(rows: Iterable[Row]) -> Origin | None:
    found = first_said(rows, "origin")
    if found is None:
        return None
    row, text = found
    origin = origin_read(text)
    if origin is None:
        raise row.refusal(
            "the source that it is known from is none of those there are.",
            f"Write one of {', '.join(KNOWN)}, or leave it empty.",
        )
    return origin


def _range(entry: Entry) -> tuple[Decimal, Decimal] | None:
    """Return the ends of a range written where values stand: 18–99."""
    listed = entry.kind is not None and class_of_kind(entry.kind).scale == "list"
    if listed or len(entry.values) != 1 or entry.values[0][1]:
        return None
    found = _RANGE.fullmatch(entry.values[0][0])
    ends = [parse_number(end) for end in found.groups()] if found else []
    low, high = ends if len(ends) == 2 else (None, None)
    return None if low is None or high is None else (low, high)
