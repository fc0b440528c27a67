"""Texts to integer codes and back, and what does not fit the schema.

Each column is looked at once per different text, whatever the number of records. A category is
found as it stands or, failing that, without the blanks around it; a number is read exactly and put
on the nearest step.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.refusal import Refusal
from engine.table.domain import Categories, Grid
from engine.table.numerals import number_in
from engine.table.raw import RawTable
from engine.table.records import Records
from engine.table.schema import Column, Schema

Policy = Literal["refuse", "missing", "clip"]

_FINE, _ROUNDED, _UNKNOWN, _TOO_LOW, _TOO_HIGH, _NOT_A_NUMBER, _MISSING = range(7)
_ROWS_AT_ONCE = 1 << 17
_BYTES_AT_ONCE = 1 << 28


@dataclass(frozen=True)
class Outside:
    """How many records of a column lie outside its domain, by reason. Internal.

    Attributes:
        column: its name.
        unknown: not one of the categories.
        too_low, too_high: numbers outside the bounds.
        not_a_number: words, infinities and the like in a column of numbers.
        missing: missing where that is not allowed.
        rounded: numbers between two steps, put on the nearest; not an error.
    """

    column: str
    unknown: int = 0
    too_low: int = 0
    too_high: int = 0
    not_a_number: int = 0
    missing: int = 0
    rounded: int = 0

    @property
    def total(self) -> int:
        """How many records need a decision; those rounded do not."""
        return self.unknown + self.too_low + self.too_high + self.not_a_number + self.missing


@dataclass(frozen=True, eq=False)
class Fitting:
    """How the records of a column fit its domain. Internal.

    Attributes:
        outside: those that lie outside, by reason.
        counts: (cardinality,) how many hold each code; those outside are in none.
    """

    outside: Outside
    counts: npt.NDArray[np.int64]


class Sink(Protocol):
    """Where bytes can be written."""

    def write(self, data: bytes, /) -> object: ...


def choices(column: Column) -> tuple[Policy, ...]:
    """What can be done about values outside the domain of a column."""
    missing: tuple[Policy, ...] = ("missing",) if column.missing else ()
    clip: tuple[Policy, ...] = ("clip",) if column.ordered else ()
    return ("refuse", *missing, *clip)


def outside(raw: RawTable, schema: Schema) -> tuple[Outside, ...]:
    """Count what does not fit, one entry per column of the schema.

    Raises:
        Refusal: the table lacks a column of the schema.
    """
    _check_present(raw, schema.names)
    return tuple(_Column(raw, column).outside() for column in schema.columns)


def fitting(raw: RawTable, column: Column) -> Fitting:
    """Count what fits one column, and what does not.

    Raises:
        Refusal: the table lacks the column.
    """
    _check_present(raw, (column.name,))
    found = _Column(raw, column)
    return Fitting(found.outside(), found.tally())


def encode(raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None) -> Records:
    """Turn texts into codes. Columns the schema does not name are left out.

    Args:
        raw: the table.
        schema: what each column may contain.
        policies: per column, what becomes of values outside its domain: "refuse" (the
            default), "missing", or "clip" to the nearest bound for numbers.

    Raises:
        Refusal: a column is absent, a policy does not suit its column, or values lie outside a
            domain and the policy does not cover them; `field` is the column.
    """
    policies = policies or {}
    _check_present(raw, schema.names)
    _check_policies(policies, schema)
    codes = np.empty((raw.rows, len(schema)), dtype=np.uint16)
    for place, column in enumerate(schema.columns):
        found = _Column(raw, column)
        codes[:, place] = found.codes(policies.get(column.name, "refuse"))
    return Records(schema, codes)


def decode(records: Records) -> pa.Table:
    """Turn codes back into texts, one string column per column of the schema."""
    columns = [
        pa.array(column.texts, pa.string()).take(pa.array(records.codes[:, place]))
        for place, column in enumerate(records.schema.columns)
    ]
    return pa.table(columns, names=list(records.schema.names))


def write_csv(
    records: Records, sink: Sink, *, header: bool = True, shown: Callable[[str], str] = str
) -> None:
    """Write records as CSV: UTF-8, commas, line feeds, quotation marks only where needed.

    Args:
        records: what is written.
        sink: what takes the bytes.
        header: whether the names of the columns come first.
        shown: how a name or a value stands in the file.
    """
    columns = records.schema.columns
    if header:
        sink.write((",".join(_cell(shown(column.name)) for column in columns) + "\n").encode())
    ends = [","] * (len(columns) - 1) + ["\n"]
    cells = [
        [_cell(shown(text)) + end for text in column.texts]
        for column, end in zip(columns, ends, strict=True)
    ]
    widest = sum(max(len(cell.encode()) for cell in column) for column in cells)
    rows = max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // widest))
    arrays = [pa.array(column, pa.string()) for column in cells]
    for start in range(0, len(records), rows):
        block = records.codes[start : start + rows]
        taken = [array.take(pa.array(block[:, place])) for place, array in enumerate(arrays)]
        lines = pc.binary_join_element_wise(*taken, "")
        end = int(np.frombuffer(lines.buffers()[1], np.int32)[len(lines)])
        sink.write(memoryview(lines.buffers()[2])[:end].tobytes())


def to_csv_bytes(records: Records) -> bytes:
    """The records as one CSV file; see `write_csv`."""
    sink = io.BytesIO()
    write_csv(records, sink)
    return sink.getvalue()


def _cell(text: str) -> str:
    """A text as it stands in CSV."""
    if any(letter in text for letter in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


class _Column:
    """One column of a table seen through the schema: per different text, a code and a reason."""

    def __init__(self, raw: RawTable, column: Column) -> None:
        self.column = column
        texts, self.places = raw.distinct(column.name)
        self.counts = np.bincount(self.places, minlength=len(texts))
        read = _category_reader if isinstance(column.domain, Categories) else _number_reader
        verdicts = np.array(read(column, texts), dtype=np.int64).reshape(-1, 2)
        self.code, self.reason = verdicts[:, 0], verdicts[:, 1]

    def outside(self) -> Outside:
        """Records by reason."""
        counts = np.zeros(7, dtype=np.int64)
        np.add.at(counts, self.reason, self.counts)
        return Outside(
            self.column.name,
            unknown=int(counts[_UNKNOWN]),
            too_low=int(counts[_TOO_LOW]),
            too_high=int(counts[_TOO_HIGH]),
            not_a_number=int(counts[_NOT_A_NUMBER]),
            missing=int(counts[_MISSING]),
            rounded=int(counts[_ROUNDED]),
        )

    def tally(self) -> npt.NDArray[np.int64]:
        """(cardinality,) records by code, those that need a decision left out."""
        fits = self.reason <= _ROUNDED
        tally = np.zeros(self.column.cardinality, dtype=np.int64)
        np.add.at(tally, self.code[fits], self.counts[fits])
        return tally

    def codes(self, policy: Policy) -> npt.NDArray[np.uint16]:
        """One code per record, under a policy.

        Raises:
            Refusal: the policy leaves some records outside.
        """
        code, bad = self.code.copy(), self.reason > _ROUNDED
        if policy == "clip":
            bad &= (self.reason != _TOO_LOW) & (self.reason != _TOO_HIGH)
        if policy == "missing":
            code[bad] = self.column.cardinality - 1
        elif (self.counts[bad] > 0).any():
            raise _refusal(self.column, self.outside(), policy)
        else:
            code[bad] = 0
        return code.astype(np.uint16)[self.places]


def _category_reader(column: Column, texts: list[str]) -> list[tuple[int, int]]:
    """(code, reason) of each text of a column of categories."""
    codes = {text: code for code, text in enumerate(column.domain.texts)}
    missing = _missing(column)

    def read(text: str) -> tuple[int, int]:
        code = codes.get(text)
        if code is None:
            code = codes.get(text.strip())
        if code is not None:
            return code, _FINE
        return missing if text.strip() in column.missing_values else (0, _UNKNOWN)

    return [read(text) for text in texts]


def _number_reader(column: Column, texts: list[str]) -> list[tuple[int, int]]:
    """(code, reason) of each text of a column of numbers; outside the bounds, the end's code."""
    grid = column.domain
    assert isinstance(grid, Grid)
    known = {text: (code, _FINE) for code, text in enumerate(grid.texts)}
    known |= dict.fromkeys(column.missing_values, _missing(column))

    def read(text: str) -> tuple[int, int]:
        verdict = known.get(text) or known.get(text.strip())
        if verdict is not None:
            return verdict
        number = number_in(text)
        return (0, _NOT_A_NUMBER) if number is None else _on_grid(number, grid)

    return [read(text) for text in texts]


def _on_grid(number: Decimal, grid: Grid) -> tuple[int, int]:
    """(code, reason) of a number: the nearest value, a half going up."""
    if number < grid.minimum:
        return 0, _TOO_LOW
    if number > grid.maximum:
        return grid.size - 1, _TOO_HIGH
    steps = ((number - grid.minimum) / grid.step).to_integral_value(ROUND_HALF_UP)
    code = min(int(steps), grid.size - 1)
    return code, _FINE if grid.numbers[code] == number else _ROUNDED


def _missing(column: Column) -> tuple[int, int]:
    """(code, reason) of a text that stands for missing."""
    return (0, _MISSING) if column.missing_code is None else (column.missing_code, _FINE)


def _check_present(raw: RawTable, names: Sequence[str]) -> None:
    """Check that the table has every one of these columns of the schema."""
    absent = [name for name in names if name not in raw.names]
    if not absent:
        return
    folded = {name.casefold() for name in raw.names}
    alike = absent[0].casefold() in folded
    more = f" (nor {len(absent) - 1} more of the schema)" if len(absent) > 1 else ""
    raise Refusal(
        f"The table has no column “{absent[0]}”{more}.",
        "One differs only in capital letters: write the name the same way in both."
        if alike
        else "Choose the table the schema describes, or take the column out of the schema.",
        field=absent[0],
    )


def _check_policies(policies: Mapping[str, Policy], schema: Schema) -> None:
    """Check that each policy can be followed for its column."""
    for name, policy in policies.items():
        column = schema.column(name)
        if policy not in get_args(Policy):
            raise Refusal(
                f"The choice for values outside column “{name}” is unknown.",
                "Choose refuse, missing or clip.",
                field=name,
            )
        if policy == "missing" and not column.missing:
            raise Refusal(
                f"Column “{name}” does not allow missing values, so values outside it cannot be "
                "treated as missing.",
                "Allow missing values in the column, or choose otherwise.",
                field=name,
            )
        if policy == "clip" and not column.ordered:
            raise Refusal(
                f"Column “{name}” holds categories, which cannot be clipped.",
                "Choose refuse or missing.",
                field=name,
            )


def _refusal(column: Column, found: Outside, policy: Policy) -> Refusal:
    """What lies outside a column, by reason, and what can be done."""
    low, high = (0, 0) if policy == "clip" else (found.too_low, found.too_high)
    reasons = (
        (found.unknown, "not among its categories"),
        (low, "below its minimum"),
        (high, "above its maximum"),
        (found.not_a_number, "not numbers"),
        (found.missing, "missing, which it does not allow"),
    )
    counted = ", ".join(f"{count:,} {reason}" for count, reason in reasons if count)
    return Refusal(
        f"Column “{column.name}” has values outside its domain: {counted}.",
        _remedy(column, low + high > 0),
        field=column.name,
    )


def _remedy(column: Column, can_clip: bool) -> str:
    options = ["Correct the column in the file or its domain in the schema"]
    if can_clip:
        options.append("clip the numbers to its bounds")
    if column.missing:
        options.append("treat what does not fit as missing")
    else:
        options.append("allow missing values in the column")
    return ", ".join(options[:-1]) + f", or {options[-1]}."
