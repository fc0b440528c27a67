from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from tests.engine.table.rules.oracle import (
    COLUMNS,
    RULES,
    Missing,
    Value,
    judge_slowly,
    list_values,
)
from understudy.core.refusal import Refusal
from understudy.table.declared_reading import usual
from understudy.table.encoding import decode, encode, encode_public, encode_unrepaired
from understudy.table.people import People
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.rules import repair
from understudy.table.rules.repair import (
    count_left_out,
    repair_records,
)
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.rules.rule_check import check_kept_rules
from understudy.table.rules.tree import ChoicePart
from understudy.table.schema import Schema
from understudy.table.sequences import encode_sequences
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable

Row = tuple[Value, ...]
ROWS: st.SearchStrategy[list[Row]] = st.lists(
    st.tuples(
        *(
            st.sampled_from(
                [v for code in range(each.cardinality) for v in list_values(each, code)]
            )
            for each in COLUMNS
        )
    ),
    min_size=1,
    max_size=8,
)
INSTEAD: st.SearchStrategy[SetMissing | None] = st.sampled_from(
    [None, SetMissing(column="kind"), SetMissing(column="fine", code="not asked"),
     SetMissing(column="later")]
)  # fmt: skip
RULED: st.SearchStrategy[Schema] = st.lists(
    st.builds(Rule, text=RULES, instead=INSTEAD), min_size=1, max_size=3, unique_by=lambda r: r.text
).map(lambda rules: Schema(columns=COLUMNS, rules=tuple(rules)))


def _write(place: int, value: Value) -> str:
    column = COLUMNS[place]
    if isinstance(value, Missing):
        return "-8" if value.meaning else ""
    if isinstance(value, str):
        return value
    ranged = column.domain.ranged
    assert ranged is not None
    return ranged.spell_places([ranged.lattice.place(_decimal(value))])[0]


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _table(rows: list[Row]) -> RawTable:
    columns = [
        text_column(np.arange(len(rows)), [_write(place, row[place]) for row in rows])
        for place in range(len(COLUMNS))
    ]
    return RawTable(table_of([each.name for each in COLUMNS], columns), usual("csv"))


def _named(row: Row) -> dict[str, Value]:
    return dict(zip((each.name for each in COLUMNS), row, strict=True))


def _repair_slowly(schema: Schema, row: Row) -> Row | None:
    """Return what becomes of one record; None if it is left out."""
    record = _named(row)
    for rule in schema.rules:
        if rule.instead is not None and judge_slowly(rule.tree, record) is False:
            record[rule.instead.column] = Missing(rule.instead.code)
    if any(judge_slowly(rule.tree, record) is False for rule in schema.rules):
        return None
    return tuple(record.values())


@given(RULED, ROWS)
def test_records_are_repaired_as_each_alone_would_be(schema: Schema, rows: list[Row]) -> None:
    expected = [row for row in (_repair_slowly(schema, each) for each in rows) if row is not None]
    if not expected:
        assert refused(encode, _table(rows), schema).problem.startswith("Every record")
        return
    records = encode(_table(rows), schema)
    assert decode(records).equals(decode(encode_public(_table(expected), schema)))


@given(RULED, ROWS, st.data())
def test_one_record_more_changes_what_becomes_of_no_other(
    schema: Schema, rows: list[Row], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(rows) - 1))
    whole = repair_whole(schema, rows)
    without = repair_whole(schema, [*rows[:place], *rows[place + 1 :]])
    alone = repair_whole(schema, [rows[place]])
    before = repair_whole(schema, rows[:place])
    assert whole == without[: len(before)] + alone + without[len(before) :]


@settings(max_examples=25)
@given(RULED, ROWS)
def test_a_table_is_repaired_alike_in_parts(schema: Schema, rows: list[Row]) -> None:
    whole = repair_whole(schema, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair, "_ROWS_AT_ONCE", 2)
        assert repair_whole(schema, rows) == whole


def repair_whole(schema: Schema, rows: list[Row]) -> list[dict[str, str]]:
    """Return what becomes of records, as texts."""
    records = encode_public(_table(rows), schema) if rows else None
    if records is None or count_left_out(records) == len(rows):
        return []
    return decode(repair_records(records)).to_pylist()


@given(RULED, ROWS)
def test_a_table_is_checked_before_anything_is_repaired(schema: Schema, rows: list[Row]) -> None:
    found = check_kept_rules(_table(rows), schema)
    assert found.left_out == sum(_repair_slowly(schema, row) is None for row in rows)
    assert not found.aside
    for rule, check in zip(schema.rules, found.rules, strict=True):
        broken = [judge_slowly(rule.tree, _named(row)) is False for row in rows]
        assert (check.rows, check.broken) == (len(rows), sum(broken))
        assert check.examples.tolist() == np.flatnonzero(broken)[:3].tolist()
        if isinstance(rule.tree, ChoicePart):
            condition = rule.tree.condition
            assert check.met == sum(judge_slowly(condition, _named(row)) is True for row in rows)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ('other == "y"', ""),
        ('other == "z"', "Most"),
        ("grid > 0", "No record keeps it"),
        ('if (grid > 0) other == "y"', "No record meets its condition"),
    ],
)
def test_a_rule_that_most_records_break_is_doubted(text: str, doubt: str) -> None:
    raw = _people_table(("a", "0", "y"), ("b", "0", "y"), ("c", "0", "z"), ("d", "7", "z"))
    schema = PEOPLE.with_people(None).with_rules([Rule(text=text.replace("grid", "turn"))])
    found = check_kept_rules(raw, schema)
    assert found.aside == 1
    assert found.rules[0].doubt.startswith(doubt)
    assert bool(found.rules[0].doubt) == bool(doubt)
    assert "1 record was not looked at" in found.sentence


@given(RULED, ROWS)
def test_a_repaired_record_is_one_whose_codes_the_rules_allow(
    schema: Schema, rows: list[Row]
) -> None:
    records = encode_public(_table(rows), schema)
    if count_left_out(records) == len(rows):
        return
    repaired = repair_records(records)
    assert not count_left_out(repaired)
    try:
        relations = schema.relations
    except Refusal:
        # A column is left with no value, or there are too many cases.
        return
    for relation in relations.each:
        codes = repaired.codes[:, list(relation.columns)]
        assert relation.allowed[tuple(codes.T)].all()


@given(rows=ROWS, schema=RULED, places=st.sampled_from([None, (0,), (5, 1)]))
def test_a_streamed_table_is_repaired_like_one_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[Row],
    schema: Schema,
    places: tuple[int, ...] | None,
) -> None:
    path = tmp_path_factory.mktemp("streamed") / "table.parquet"
    texts = _table(rows).arrow
    pq.write_table(
        pa.table([each.cast(pa.string()) for each in texts.columns], texts.column_names),
        path,
        row_group_size=3,
    )
    raw = read_table(path)
    if all(_repair_slowly(schema, row) is None for row in rows):
        assert refused(StreamedTable.open, path, schema).problem.startswith("Every record")
        return
    records, table = encode(raw, schema), StreamedTable.open(path, schema)
    assert len(table) == len(records)
    pieces = list(table.pieces(places, numbers=True))
    for place in places or range(len(COLUMNS)):
        codes = np.concatenate([piece.columns[place] for piece in pieces])
        assert np.array_equal(codes, records.codes[:, place])
        if COLUMNS[place].measured:
            assert records.numbers is not None
            numbers = np.concatenate([piece.numbers[place] for piece in pieces])
            which = schema.measured_places.index(place)
            assert np.array_equal(numbers, records.numbers[:, which], equal_nan=True)
    assert [piece.start for piece in pieces] == [
        sum(len(each) for each in pieces[:count]) for count in range(len(pieces))
    ]


def _people_table(*rows: tuple[str, str, str]) -> RawTable:
    columns = zip(*rows, strict=True)
    names = ["who", "turn", "other"]
    return RawTable(
        table_of(names, [text_column(np.arange(len(rows)), list(each)) for each in columns]),
        usual("csv"),
    )


PEOPLE = Schema(
    columns=(COLUMNS[0].changed(name="turn"), COLUMNS[6]),
    people=People(person="who", order="turn", records_at_most=2),
    rules=(Rule(text='other == "y"'),),
)


def test_records_of_people_are_repaired_after_the_first_are_kept() -> None:
    raw = _people_table(
        ("a", "0", "z"), ("b", "0", "y"), ("a", "1", "y"), ("a", "2", "y"), ("c", "3", "z")
    )
    records = encode(raw, PEOPLE)
    assert decode(records).column("turn").to_pylist() == ["0", "1"]
    assert records.whose is not None
    assert len(set(records.whose.tolist())) == 2
    sequences = encode_sequences(raw, PEOPLE)
    assert sequences.offsets.tolist() == [0, 1, 2]
    assert decode(sequences.of(0)).column("turn").to_pylist() == ["1"]


def test_public_tables_and_codes_alone_are_not_repaired() -> None:
    raw = _people_table(("a", "0", "z"), ("b", "0", "y"))
    assert len(encode_public(raw, PEOPLE)) == len(encode_unrepaired(raw, PEOPLE)) == 2
    schema = Schema(columns=COLUMNS, rules=(Rule(text="fine < coarse"),))
    with pytest.raises(ValueError, match="numbers of column 'fine'"):
        repair_records(Records(schema, np.zeros((1, len(COLUMNS)), dtype=np.uint16)))
