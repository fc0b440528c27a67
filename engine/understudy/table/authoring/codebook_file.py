"""Codebooks as files: a Table Schema in JSON, or a table with a row a column or a row a value.

The table has the columns name, label, values, and where wanted type, minimum, maximum, step,
precision, unit, spelling, zone, weekdays, missing, required, origin, role, groups and rest; a row
that says something under “left out” is of a column that is not used, and is not read. Values stand
as `1=male; 2=female`; a text with one of `=;"` in it, or with blanks at its ends, stands in
quotation marks, doubled inside. Groups stand likewise, each code with its group, and rest is the
group for all other codes. Or each value has a row of its own, and its group stands under group.
Levels above them stand likewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.table.authoring.codebook import Entry, entry_of
from understudy.table.buckets import ByGroups, Group
from understudy.table.cells import parse_number
from understudy.table.column import KNOWN, ROLES, Column, Origin, Role, origin_read
from understudy.table.formula_safety import csv_line, unescape_formula
from understudy.table.kinds import check_setting, class_of_kind, list_kinds, list_spellings
from understudy.table.levels import MOST_LEVELS
from understudy.table.missing_codes import label_missing, missing_of_labels
from understudy.table.omissions import describe_omission
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.schema_file import loosely_parsed
from understudy.table.sources.reading import read_table

# Rows of a codebook that is a table, and lists of codes and labels within a cell of it.

_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^=;"]*))\s*')


class Row:
    """One row of a codebook."""

    def __init__(self, number: int, cells: Mapping[str, str]) -> None:
        self.number, self.cells = number, cells

    def __getitem__(self, what: str) -> str:
        return self.cells.get(what, "")

    def refusal(self, problem: str, remedy: str) -> Refusal:
        return Refusal(f"Row {self.number} of the codebook: {problem}", remedy)


def first_said(rows: Iterable[Row], what: str) -> tuple[Row, str] | None:
    """Return the first row that says something under a heading, and what; None where none does."""
    return next(((row, row[what]) for row in rows if row[what]), None)


def _pairs(row: Row, text: str) -> list[tuple[str, str]]:
    """Return the codes and labels of `1=male; 2=female`; a label is empty if there is none."""
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(text):
        code, place = _token(row, text, place)
        label: str | None = None
        if text[place : place + 1] == "=":
            label, place = _token(row, text, place + 1, label=True)
        if code is not None:
            found.append((code, label or ""))
        if place < len(text) and text[place] != ";":
            raise row.refusal(
                "a list of values is not understood.",
                'Write it as 1=male; 2=female, with "quotation marks" around a text that has one '
                "of = ; in it.",
            )
        place += 1
    return found


def _token(row: Row, text: str, place: int, *, label: bool = False) -> tuple[str | None, int]:
    """Return a text of a list and where it ends; nothing between two signs is None."""
    if label and not text[place:].lstrip().startswith('"'):
        # A label may hold the sign between code and label.
        end = text.find(";", place)
        end = len(text) if end < 0 else end
        return text[place:end].strip() or None, end
    found = _TOKEN.match(text, place)
    assert found is not None
    quoted, bare = found.groups()
    if quoted is not None:
        return quoted.replace('""', '"'), found.end()
    return bare.strip() or None, found.end()


def quote_text(text: str) -> str:
    """Return a text as it stands in such a list."""
    bare = bool(text) and text == text.strip() and not any(sign in text for sign in '=;"')
    return text if bare else '"' + text.replace('"', '""') + '"'


# Groups of categories in a codebook that is a table, and the levels above them.
#
# Groups stand under groups, each code with its group, and the group for all other codes under rest;
# the groups of these under groups 2 and rest 2, each group with the one above it, and so on. Where
# each value has a row, its group stands under group, and the group of that under group 2.

NUMBERS: Final = ("", *(f" {number}" for number in range(2, MOST_LEVELS + 2)))
"""What stands after “groups”, “group” and “rest” of each level, the finest first."""


def groups_headings(depth: int) -> list[str]:
    """Return the headings of so many levels of groups."""
    return [f"{what}{number}" for number in NUMBERS[:depth] for what in ("groups", "rest")]


def levels_of(column: Column) -> tuple[ByGroups, ...]:
    """Return the groups of a column and what is above them; none where its buckets are no
    groups."""
    levels = (column.buckets, *column.levels)
    return tuple(level for level in levels if isinstance(level, ByGroups))


def groups_cells(levels: Sequence[ByGroups], depth: int) -> list[str]:
    """Return what stands under those headings: each code or group with its group, and the name of
    the group for all others."""
    cells: list[str] = []
    for level in levels:
        within = (
            f"{quote_text(value)}={quote_text(group.label)}"
            for group in level.groups
            for value in group.values
        )
        cells += ["; ".join(within), "" if level.rest is None else quote_text(level.rest)]
    return cells + [""] * (2 * depth - len(cells))


def groups_in(rows: Sequence[Row]) -> tuple[ByGroups, ...]:
    """Return the groups of a column and what is above them, each in the order in which they are
    named.

    Raises:
        Refusal: a code or a group is named without the group above it, or is in two of them; with
            the row.
    """
    found: list[ByGroups] = []
    for place, number in enumerate(NUMBERS):
        above = list(_within(rows, place))
        if not above:
            continue
        if len(found) < place:
            raise above[0][0].refusal(
                f"there are groups under “groups{number}” and none of the level below.",
                f"Name these under “groups{NUMBERS[place - 1]}”.",
            )
        # Two groups of one code are for the column to refuse, which knows its place.
        named = _one_each(above, number) if place else [each[1:] for each in above]
        found.append(_level(named, rows, number))
    return tuple(found)


def _one_each(above: Sequence[tuple[Row, str, str]], number: str) -> list[tuple[str, str]]:
    """Return each group once, with the one above it.

    Raises:
        Refusal: it is in two of them.
    """
    found: dict[str, str] = {}
    for row, below, label in above:
        if found.setdefault(below, label) != label:
            raise row.refusal(
                f"a group is in another group of “group{number}” than in a row before it.",
                "Give each group one group of the level above.",
            )
    return list(found.items())


def _within(rows: Sequence[Row], place: int) -> Iterator[tuple[Row, str, str]]:
    """Yield the row, the code or group, and the group above it, of all that are named of a
    level."""
    number = NUMBERS[place]
    below = f"group{NUMBERS[place - 1]}" if place else "value"
    for row in rows:
        if place and row[f"group{number}"] and not row[below]:
            raise row.refusal(
                f"a group stands under “group{number}” and none of the level below.",
                f"Name the one that it is above under “{below}”.",
            )
        if row[below] and row[f"group{number}"]:
            yield row, row[below], row[f"group{number}"]
        for code, label in _pairs(row, row[f"groups{number}"]):
            if not label:
                raise row.refusal(
                    f"a code is named under “groups{number}” without its group.",
                    "Write it as 1=men.",
                )
            yield row, code, label


def _level(above: Sequence[tuple[str, str]], rows: Sequence[Row], number: str) -> ByGroups:
    members: dict[str, list[str]] = {}
    for below, label in above:
        members.setdefault(label, []).append(below)
    rest = first_said(rows, f"rest{number}")
    named = [] if rest is None else _pairs(*rest)
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in members.items())
    return ByGroups(groups=groups, rest=named[0][0] if named else None)


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
    "spelling": ("spelling", "written as", "format"),
    "zone": ("zone", "time zone"),
    "weekdays": ("weekdays",),
    "missing": ("missing", "missing values", "missing codes"),
    "required": ("required",),
    "origin": ("origin", "known from"),
    "source": ("source line",),
    "role": ("role",),
    "groups": ("groups",),
    "group": ("group", "value group", "code group"),
    "rest": ("rest", "rest group", "everything else"),
    "left out": ("left out",),
    **{
        f"{what}{number}": (f"{what}{number}",)
        for number in NUMBERS[1:]
        for what in ("groups", "group", "rest")
    },
}
_YES, _NO = ("yes", "true", "1", "y"), ("no", "false", "0", "n")
_RANGE = re.compile(r"\s*([+-]?[0-9.]+)\s*(?:\.\.+|-|–|—|to)\s*([+-]?[0-9.]+)\s*")
_OUT = ("name", "label", "type", "values", "minimum", "maximum", "step", "missing", "required")
_MEASURED = ("precision", "unit")
"""What follows them where some column is continuous."""
_SPELT = ("spelling", "zone", "weekdays")
"""What follows where some column says it."""


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
    above them, and where columns are known from, then a row for each column that is derived or left
    out, with how or why; other buckets and the declaration are not in it.

    No cell of it is one that a spreadsheet takes for a formula; see `formula_safety`.
    """
    headings = list(_OUT)
    entries = [entry_of(column) for column in schema.columns]
    rows = [_row(each) for each in entries]
    if schema.measured_places:
        headings += _MEASURED
        rows = [row + _write_precision(each) for row, each in zip(rows, entries, strict=True)]
    for name in _SPELT:
        if any(entry.settings.get(name) for entry in entries):
            headings.append(name)
            rows = [
                [*row, each.settings.get(name, "")] for row, each in zip(rows, entries, strict=True)
            ]
    # What nobody has said is not said by the codebook either: it has a place for it.
    headings.append("origin")
    rows = [[*row, each.origin or ""] for row, each in zip(rows, entries, strict=True)]
    if any(column.source for column in schema.columns):
        headings.append(_HEADINGS["source"][0])
        rows = [[*row, each.source] for row, each in zip(rows, entries, strict=True)]
    if any(column.role for column in schema.columns):
        headings.append("role")
        rows = [[*row, each.role or ""] for row, each in zip(rows, entries, strict=True)]
    levels = [levels_of(column) for column in schema.columns]
    depth = max(map(len, levels))
    headings += groups_headings(depth)
    rows = [row + groups_cells(each, depth) for row, each in zip(rows, levels, strict=True)]
    beside = [(each.name, f"computed as {each.formula.formula}") for each in schema.derived]
    beside += [(each.name, describe_omission(each)) for each in schema.omissions]
    if beside:
        blank = [""] * (len(headings) - 1)
        rows = [[*row, ""] for row in rows]
        rows += [[name, *blank, why] for name, why in beside]
        headings.append("left out")
    return "".join(map(csv_line, [headings, *rows]))


def _write_precision(entry: Entry) -> list[str]:
    """Return what is said of a continuous column besides."""
    return [entry.settings.get(name, "") for name in _MEASURED]


def _row(entry: Entry) -> list[str]:
    return [
        entry.name,
        entry.title,
        list_kinds()[entry.kind or "categories"].codebook,
        _write_pairs(entry.values),
        *(entry.settings.get(name, "") for name in ("minimum", "maximum", "step")),
        _write_pairs(label_missing(entry.missing or ())),
        "yes" if entry.required else "no",
    ]


def _write_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "; ".join(
        f"{quote_text(code)}={quote_text(label)}" if label else quote_text(code)
        for code, label in pairs
    )


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
        if not any(cells.values()) or cells.get("left out"):
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
    settings = _settings(rows, entry.kind)
    bounds = _range(entry)
    if bounds is not None and not {"minimum", "maximum"} & settings.keys():
        settings, entry = {**settings, **bounds}, replace(entry, values=())
    missing = first_said(rows, "missing")
    levels = groups_in(rows)
    return replace(
        entry,
        settings=settings,
        missing=None if missing is None else missing_of_labels(_pairs(*missing)),
        required=_read_required(rows),
        origin=_origin(rows),
        source=next((row["source"] for row in rows if row["source"]), ""),
        role=_role(rows),
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
        found |= dict(_pairs(row, row["values"]))
    bare = len(found) == len(rows) > 1 and not any(found.values())
    if bare and len(titles) == len(rows):
        # A row a value, and no other place for what the value means.
        return "", tuple((code, row["label"]) for code, row in zip(found, rows, strict=True))
    return titles[0] if titles else "", tuple(found.items())


def _kind(row: Row) -> str | None:
    named = row["type"].casefold()
    types = list_spellings()
    if named and named not in types:
        raise row.refusal(
            "the type is not known.",
            f"Write one of {', '.join(words.codebook for words in list_kinds().values())}.",
        )
    return types[named] if named else None


def _settings(rows: Sequence[Row], kind: str | None) -> dict[str, str]:
    """Return the settings of a range as they are typed.

    Raises:
        Refusal: one cannot be read in the kind of the column, or in any.
    """
    settings: dict[str, str] = {}
    for name in ("minimum", "maximum", "step", *_MEASURED, *_SPELT):
        found = first_said(rows, name)
        if found is not None:
            row, settings[name] = found
            try:
                check_setting(kind, name, settings[name])
            except Refusal as refusal:
                raise row.refusal(f"its {refusal.problem[4:]}", refusal.remedy) from None
    return settings


def _read_required(rows: Iterable[Row]) -> bool | None:
    found = first_said(rows, "required")
    if found is None:
        return None
    row, text = found
    if text.casefold() not in (*_YES, *_NO):
        raise row.refusal("“required” is neither yes nor no.", "Write yes or no.")
    return text.casefold() in _YES


def _origin(rows: Sequence[Row]) -> Origin | None:
    """Return the kind of source of a column; "" if its place is left empty, None without one."""
    found = first_said(rows, "origin")
    if found is None:
        return "" if "origin" in rows[0].cells else None
    row, text = found
    origin = origin_read(text)
    if origin is None:
        raise row.refusal(
            "the source that it is known from is none of those there are.",
            f"Write one of {', '.join(KNOWN)}, or leave it empty.",
        )
    return origin


def _role(rows: Iterable[Row]) -> Role | None:
    """Return the role of a column; None where there is none, or one that other programs know."""
    found = first_said(rows, "role")
    text = "" if found is None else found[1].casefold()
    return next((each for each in ROLES if each and text in (each, ROLES[each])), None)


def _range(entry: Entry) -> dict[str, str] | None:
    """Return the ends of a range of numbers written where values stand: 18–99."""
    listed = entry.kind is not None and class_of_kind(entry.kind).scale == "list"
    if listed or len(entry.values) != 1 or entry.values[0][1]:
        return None
    found = _RANGE.fullmatch(entry.values[0][0])
    if found is None or None in map(parse_number, found.groups()):
        return None
    low, high = found.groups()
    return {"minimum": low, "maximum": high}
