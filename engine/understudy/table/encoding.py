"""Texts to integer codes and numbers and back, and what does not fit the schema.

Each column is looked at once per different text, whatever the number of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.fit import (
    Fitter,
    Outside,
    Policy,
    check_decided,
    check_policies,
    check_present,
    outside_of,
)
from understudy.table.formula_safety import (
    csv_line,
    escape_formula,
    is_formula,
    quote_cell,
    unescape_formula,
)
from understudy.table.people import keep_records
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records, spell_column
from understudy.table.rules.repair import count_left_out, repair_records
from understudy.table.schema import Schema

RELEASED = usual("csv").changed(line_breaks=True)
"""How a file of `csv_blocks` is read."""

_ROWS_AT_ONCE = 1 << 17
_BYTES_AT_ONCE = 1 << 28


@dataclass(frozen=True, eq=False)
class Fitting:
    """How the records of a column fit its domain. Internal.

    Attributes:
        outside: those that lie outside, by reason.
        counts: (cardinality,) how many hold each code; those outside are in none.
    """

    outside: Outside
    counts: IntArray


def choices(column: Column) -> tuple[Policy, ...]:
    """Return what can be done about values outside the domain of a column."""
    missing: tuple[Policy, ...] = () if column.unknown_code is None else ("missing",)
    clip: tuple[Policy, ...] = ("clip",) if column.ordered else ()
    return ("refuse", *missing, *clip)


def outside(raw: RawTable, schema: Schema) -> tuple[Outside, ...]:
    """Count what does not fit, one entry per column of the schema.

    Raises:
        Refusal: the table lacks a column of the schema, or as of `people.keep_records`.
    """
    raw, _ = _keep_records(raw, schema)
    return tuple(outside_of(column, _Column(raw, column).reasons) for column in schema.file_columns)


def fitting(raw: RawTable, column: Column) -> Fitting:
    """Count what fits one column, and what does not.

    Raises:
        Refusal: the table lacks the column.
    """
    check_present(raw.names, (column.name,))
    found = _Column(raw, column)
    return Fitting(outside_of(column, found.reasons), found.fit.tally(found.counts))


def count_distances(raw: RawTable, schema: Schema, column: Column) -> Fitting:
    """Count how many records have each distance by which a column is modelled, of those that have
    one. Internal.

    Args:
        raw: the table.
        schema: with the column of distances.
        column: of distances.

    Raises:
        Refusal: the table lacks a column.
    """
    alone = schema.with_rules(())
    records = encode_fitting(raw, alone)
    counts = np.zeros(column.cardinality, dtype=np.int64)
    if count_left_out(records) < len(records):
        counts = repair_records(records).recode(alone).counts(schema.index(column.name))
    return Fitting(Outside(column.name), counts)


def encode(raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None) -> Records:
    """Turn texts into codes, and those of measured columns into numbers too. Columns the schema
    does not name are left out. Where it says whose the records are, so are the records of a person
    beyond those that are kept (`people.keep_records`). What becomes of records that break a rule
    is as the rule says (`rules.repair`).

    Args:
        raw: the table.
        schema: what each column may contain.
        policies: per column, what becomes of values outside its domain: "refuse" (the
            default), "missing", or "clip" to the nearest bound for numbers.

    Raises:
        Refusal: the table was read in another way than the schema says, a column is absent, a
            policy does not suit its column, or values lie outside a domain and the policy does not
            cover them; `field` is the column. Or as of `people.keep_records`, or no record is left.
    """
    return repair_records(encode_unrepaired(raw, schema, policies)).recode(schema)


def encode_unrepaired(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Records:
    """As `encode`, with records that break rules as they stand in the table, in the columns that
    the file has.

    Raises:
        Refusal: as of `encode`.
    """
    policies, schema = policies or {}, schema.of_file
    check_reading(raw, schema)
    raw, whose = _keep_records(raw, schema)
    check_policies(policies, schema)
    return _encode_columns(raw, schema, policies, whose)


def encode_fitting(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Records:
    """As `encode_unrepaired`, without the records of whose values some are outside and undecided;
    for counting what is to be decided. Internal.

    Raises:
        Refusal: the table lacks a column, or as of `people.keep_records`.
    """
    policies, schema = policies or {}, schema.of_file
    raw, whose = _keep_records(raw, schema)
    outside = np.zeros(raw.rows, dtype=bool)
    for column in schema.columns:
        outside |= _Column(raw, column).leaves_outside(policies.get(column.name, "refuse"))
    kept = np.flatnonzero(~outside)
    return _encode_columns(raw.take(kept), schema, policies, None if whose is None else whose[kept])


def _encode_columns(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy], whose: IntArray | None
) -> Records:
    """Return the records of a table, all of which count.

    Raises:
        Refusal: a policy leaves some outside.
    """
    codes = np.empty((raw.rows, len(schema)), dtype=np.uint16)
    numbers = np.empty((raw.rows, len(schema.measured_places))) if schema.measured_places else None
    for place, column in enumerate(schema.columns):
        found, policy = _Column(raw, column), policies.get(column.name, "refuse")
        codes[:, place] = found.codes(policy)
        if numbers is not None and column.measured:
            numbers[:, schema.measured_places.index(place)] = found.numbers(policy)
    return Records(schema, codes, numbers, whose)


def encode_public(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Records:
    """As `encode`, of a table that is not confidential, in whatever way it was read; all of its
    records, whosever they are and whatever rules they break.

    Raises:
        Refusal: as of `encode`.
    """
    raw, of_file = raw.of_file(), schema.of_file
    alone = of_file.with_reading(raw.reading).with_people(None)
    records = encode_unrepaired(raw, alone, policies).under(of_file)
    try:
        return records.recode(schema)
    except KeyError as error:
        raise Refusal(
            f"In a row of the table, column “{error.args[0]}” is not after the column that it "
            "follows, or further than the schema allows.",
            "Correct the table, or model the column as it is.",
            field=error.args[0],
        ) from None


def _keep_records(raw: RawTable, schema: Schema) -> tuple[RawTable, IntArray | None]:
    """Return the records that count, and whose each is where the schema says that they are
    people's.

    Raises:
        Refusal: the table lacks a column that is needed, or as of `people.keep_records`.
    """
    check_present(raw.names, schema.needed)
    return (raw, None) if schema.people is None else keep_records(raw, schema.people)


def check_reading(raw: RawTable, schema: Schema) -> None:
    """Check that a table was read as its schema declares.

    Raises:
        Refusal: it was not.
    """
    if raw.reading != schema.reading_of(raw.reading.kind):
        raise Refusal(
            "The table was not read as the schema says that it is: the encoding, the separator or "
            "another sign differs.",
            "Read it again by the schema, or say there how it is read and declare it public anew.",
            field="table",
        )


def decode(records: Records) -> pa.Table:
    """Turn codes back into texts, one string column per column of the schema."""
    found = (spell_column(records, place) for place in range(len(records.schema)))
    columns = [pa.array(texts, pa.string()).take(pa.array(places)) for texts, places in found]
    return pa.table(columns, names=list(records.schema.names))


def csv_blocks(records: Records, *, header: bool = True) -> Iterator[bytes]:
    """Yield records as CSV, block after block: UTF-8, commas, line feeds, quotation marks only
    where needed, and no cell that a spreadsheet takes for a formula (`formula_safety`);
    `as_written` undoes that. Columns that are kept empty have their place and no values; derived
    ones are computed.

    Args:
        records: what is written.
        header: whether the names of the columns come first.
    """
    records = records.complete()
    columns = records.schema.columns
    if header:
        yield csv_line(records.schema.header).encode()
    before, ends = _separators(records.schema)
    # A column's cells are made once where they can be listed; others may be quoted.
    listed = [
        None if column.measured else _cells(column, column.texts, blank, end)
        for column, blank, end in zip(columns, before, ends, strict=True)
    ]
    widest = sum(
        column.most_bytes + len('""') + len(blank) + len(end)
        if cells is None
        else int(pc.max(pc.binary_length(cells)).as_py())
        for column, cells, blank, end in zip(columns, listed, before, ends, strict=True)
    )
    rows = max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // widest))
    for start in range(0, len(records), rows):
        taken = []
        for place, cells in enumerate(listed):
            texts, places = spell_column(records, place, slice(start, start + rows))
            found = (
                _cells(columns[place], texts, before[place], ends[place])
                if cells is None
                else cells
            )
            taken.append(found.take(pa.array(places)))
        lines = pc.binary_join_element_wise(*taken, "")
        end = int(np.frombuffer(lines.buffers()[1], np.int32)[len(lines)])
        yield memoryview(lines.buffers()[2])[:end].tobytes()


def _separators(schema: Schema) -> tuple[list[str], list[str]]:
    """Return what stands before and after the cells of each column: separators, also of the columns
    that are kept empty, and the end of the line."""
    places = schema.released_places
    before = [
        "," * (place - earlier - 1) for earlier, place in zip((-1, *places), places, strict=False)
    ]
    last = "," * (len(schema.header) - places[-1] - 1) + "\n"
    return before, [","] * (len(places) - 1) + [last]


def _cells(column: Column, texts: Sequence[str], before: str, end: str) -> pa.Array:
    """Return texts of a column as cells, each with what stands before and after it."""
    cells = (quote_cell(escape_text(column, text)) for text in texts)
    return pa.array([f"{before}{cell}{end}" for cell in cells], pa.string())


def escape_text(column: Column, text: str) -> str:
    """Return a text of a column, escaped if a spreadsheet may take it for a formula. Numbers in a
    spelling of the column are none."""
    return text if _is_spelt(column, text) else escape_formula(text)


def _is_spelt(column: Column, text: str) -> bool:
    """Return whether a text is a number as its column spells it, which is none of the formulas that
    a spreadsheet could take it for."""
    ranged = column.domain.ranged
    if ranged is None or (ranged.typed is ranged and not ranged.held_as_texts):
        return False
    return ranged.value_of(text) is not None


def to_csv_bytes(records: Records) -> bytes:
    """Return the records as one CSV file; see `csv_blocks`."""
    return b"".join(csv_blocks(records))


def has_neutralised_cells(schema: Schema) -> bool:
    """Return whether `write_csv` marks some cell of a table, so that its reader has to know. Told
    from the schema alone, so that nothing of the records decides what is said."""
    listed = (
        text
        for column in schema.full.columns
        for text in column.listed_texts
        if is_formula(text) and not _is_spelt(column, text)
    )
    return any(map(is_formula, (*schema.header, *listed)))


def as_written(raw: RawTable, staying: Schema | None = None) -> RawTable:
    """Return a table that `write_csv` wrote and a reader read, with its names and values as they
    were.

    Args:
        raw: what was read.
        staying: columns whose names and values stay as they stand, for a file that may come from
            another program.
    """
    stay = frozenset[str]()
    if staying is not None:
        stay = frozenset(
            each for column in staying.columns for each in (column.name, *column.listed_texts)
        )
    names = [name if name in stay else unescape_formula(name) for name in raw.names]
    columns = [_restore_texts(column.chunk(0), stay) for column in raw.arrow.columns]
    return replace(raw, arrow=table_of(names, columns))


def _restore_texts(column: pa.DictionaryArray, stay: Set[str]) -> pa.DictionaryArray:
    texts = column.dictionary.to_pylist()
    bare = [text if text in stay else unescape_formula(text) for text in texts]
    return column if bare == texts else text_column(column.indices.to_numpy(), bare)


class _Column:
    """One column of a table seen through the schema."""

    def __init__(self, raw: RawTable, column: Column) -> None:
        self.column = column
        texts, self.places = raw.distinct(column.name)
        self.counts = np.bincount(self.places, minlength=len(texts)).astype(np.int64)
        self.fit = Fitter(column, typed=raw.reading.kind != "csv").fit(texts)
        self.reasons = self.fit.reasons(self.counts)

    def leaves_outside(self, policy: Policy) -> BoolArray:
        """Return whether a policy leaves each record outside."""
        return self.fit.leaves_outside(policy)[self.places]

    def codes(self, policy: Policy) -> CodeArray:
        """Return one code per record, under a policy.

        Raises:
            Refusal: the policy leaves some records outside.
        """
        check_decided(self.column, self.reasons, policy)
        return self.fit.codes(policy)[self.places]

    def numbers(self, policy: Policy) -> FloatArray:
        """Return one number per record of a measured column, under a policy that `codes` took."""
        return self.fit.numbers(policy)[self.places]
