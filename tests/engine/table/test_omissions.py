"""Columns that are left out: where they stand, why, and as empty columns of what is released."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.report.dictionary import columns_csv
from understudy.report.documents import published_schema
from understudy.report.outputs import read_released_csv
from understudy.runs.table_file import read_first_records
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.declaration import declare
from understudy.table.authoring.edits import keep_empty, with_columns, without_columns
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.declared_reading import usual
from understudy.table.encoding import to_csv_bytes
from understudy.table.omissions import WHY, Omission, list_reasons, order_names
from understudy.table.people import People
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema
from understudy.table.seed_mark import COLUMN, marked_schema


def test_of_a_schema_file_of_many_fields_the_first_are_used_and_the_others_named() -> None:
    few = Categories(values=("1", "2"))
    columns = [Column(name=f"q{number}", domain=few) for number in range(300)]
    left_out = Omission(name="name", place=1, why="name")
    made = Schema(columns=tuple(columns[:255]), omissions=(left_out,)).declare_public("a test")
    document = json.loads(made.to_json())
    more = json.loads(Schema(columns=tuple(columns[250:])).to_json())["fields"][5:]
    document["fields"] += more
    schema = Schema.from_json(json.dumps(document))
    assert schema.names == tuple(f"q{number}" for number in range(255))
    reasons = list_reasons(schema.omissions)
    assert reasons[WHY["surplus"]] == tuple(f"q{number}" for number in range(255, 300))
    assert reasons[WHY["name"]] == ("name",)
    assert order_names(schema.names, schema.omissions)[:3] == ("q0", "name", "q1")
    assert Schema.from_json(schema.to_json()) == schema
    assert Schema.from_json(made.to_json()) == made
    document["fields"] += more[:1]
    assert "second time" in refused(Schema.from_json, json.dumps(document)).problem


NAMES = tuple("abcdefgh")
PLACES = st.sets(st.sampled_from(NAMES))
NUMBER = Continuous(
    minimum=Decimal(0), maximum=Decimal(10), precision=Decimal(1), step=Decimal(2), unit=""
)


def made_column(name: str) -> Column:
    """Numbers for some names and texts for others, one of which needs quotation marks."""
    if name in "bg":
        return Column(name=name, domain=NUMBER, missing=name == "g")
    return Column(name=name, domain=Categories(values=("x", 'y,"', "=z")), missing=name == "c")


FILE = Schema(columns=tuple(made_column(name) for name in NAMES))


def some_records(schema: Schema, rows: int) -> Records:
    """Records of any values, the same at each call."""
    rng = np.random.default_rng(rows)
    codes = np.column_stack([rng.integers(0, size, rows) for size in schema.cardinalities])
    numbers = [
        np.where(codes[:, place] == 6, np.nan, np.minimum(2.0 * codes[:, place], 10))
        for place in schema.measured_places
    ]
    codes = codes.astype(np.uint16)
    for place, column in enumerate(numbers):
        at = schema.measured_places[place]
        lattice, missing = NUMBER.lattice, np.isnan(column)
        codes[~missing, at] = lattice.cells_of(lattice.places(column[~missing]))
        codes[missing, at] = NUMBER.size
    return Records(schema, codes, np.column_stack(numbers) if numbers else None)


def left(out: set[str], empty: set[str]) -> Schema:
    """The file without some columns, one after the other, of which some are kept empty."""
    schema = FILE
    for name in sorted(out, reverse=len(out) % 2 == 0):
        schema = without_columns(schema, [name])
    return keep_empty(schema, empty & out)


@given(st.sets(st.sampled_from(NAMES), max_size=6), PLACES)
def test_the_header_is_that_of_the_file_and_what_is_kept_empty_is_empty(
    out: set[str], empty: set[str]
) -> None:
    schema = left(out, empty)
    assert schema.header == tuple(n for n in NAMES if n not in out or n in empty)
    assert [each.name for each in schema.omissions] == [n for n in NAMES if n in out]
    assert Schema.from_json(schema.to_json()) == schema
    records = some_records(schema, 20)
    data = to_csv_bytes(records)
    heading, *rows = csv.reader(io.StringIO(data.decode()))
    assert tuple(heading) == schema.header
    assert len(rows) == 20
    for place, name in enumerate(schema.header):
        assert name not in out or {row[place] for row in rows} == {""}
    again = read_released_csv(data, schema)
    np.testing.assert_array_equal(again.codes, records.codes)
    table = as_arrow(records)
    assert tuple(table.column_names) == schema.header
    assert all(table[name].null_count == 20 for name in schema.header if name in out)
    assert [each["name"] for each in published_schema(schema)["fields"]] == [*schema.header]


@given(st.sets(st.sampled_from(NAMES), max_size=6), PLACES)
def test_without_empty_columns_a_file_is_what_it_was(out: set[str], empty: set[str]) -> None:
    bare = Schema(columns=tuple(each for each in FILE.columns if each.name not in out))
    named = left(out, set())
    records = some_records(bare, 5)
    assert to_csv_bytes(some_records(named, 5)) == to_csv_bytes(records)
    assert as_arrow(some_records(named, 5)).equals(as_arrow(records), check_metadata=True)
    assert named.fingerprint == bare.fingerprint
    assert (left(out, empty).fingerprint == bare.fingerprint) == (not empty & out)


def test_a_released_file_is_read_back(tmp_path: Path) -> None:
    schema = left({"a", "d", "h"}, {"a", "h"})
    records = some_records(schema, 30)
    (tmp_path / "t.csv").write_bytes(to_csv_bytes(records))
    pq.write_table(as_arrow(records), tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        found = read_first_records(tmp_path / name, schema, 30)
        np.testing.assert_array_equal(found.codes, records.codes)


def test_a_value_in_a_column_that_is_to_be_empty_is_refused() -> None:
    schema = left({"d"}, {"d"})
    data = to_csv_bytes(some_records(schema, 3)).decode()
    smuggled = "\n".join(
        line.replace(",,", ",4711,", 1) if number else line
        for number, line in enumerate(data.splitlines())
    )
    refusal = refused(read_released_csv, smuggled.encode(), schema)
    assert "is to be empty" in refusal.problem
    assert "4711" not in refusal.problem


def test_a_column_that_comes_back_is_left_out_no_more() -> None:
    schema = left({"b", "c", "d"}, {"c"})
    assert with_columns(schema, FILE.columns[1:4], NAMES) == FILE
    again = with_columns(schema, FILE.columns[1:2], NAMES)
    assert [each.name for each in again.omissions] == ["c", "d"]
    assert again.header == tuple("abcefgh")


def test_a_declaration_holds_for_the_columns_that_were_named() -> None:
    declared = left({"d"}, set()).declare_public("a law")
    assert declared.declared
    assert not keep_empty(declared, ["d"]).declared


@pytest.mark.parametrize(
    "omissions",
    [
        (Omission(name="a"),),
        (Omission(name="q"), Omission(name="q", place=3)),
    ],
)
def test_a_column_is_named_once(omissions: tuple[Omission, ...]) -> None:
    assert refused(Schema, columns=FILE.columns, omissions=omissions).field == "left_out"


def test_only_what_is_left_out_is_kept_empty_and_under_a_name_that_is_one() -> None:
    assert refused(keep_empty, FILE, ["a"]).field == "left_out"
    assert "4711" not in refused(Omission, name="4711\n").problem
    assert refused(Omission, name=" ").field == "left_out"


def test_dictionary_and_codebook_list_what_is_left_out_and_why() -> None:
    schema = without_columns(without_columns(FILE, ["d"], "text"), ["f"], "name")
    schema = keep_empty(schema, ["d"])
    reasons = {"d": f"{WHY['text']}, kept as an empty column", "f": WHY["name"]}
    for text in (columns_csv(schema, "values.csv"), csv_codebook(schema)):
        heading, *rows = csv.reader(io.StringIO(text))
        assert heading[-1] == "left out"
        assert {row[0]: row[-1] for row in rows if row[-1]} == reasons
        assert [row[0] for row in rows] == [*schema.names, "d", "f"]
    entries = read_codebook(csv_codebook(schema).encode(), "c.csv")
    assert [each.name for each in entries] == [*schema.names]
    assert list_reasons(schema.omissions) == {why: (name,) for name, why in reasons.items()}
    for text in (columns_csv(FILE, "values.csv"), csv_codebook(FILE)):
        assert "left out" not in text


def test_a_declaration_names_every_column_of_the_table_that_is_not_used() -> None:
    made = [text_column(np.arange(2), ["1", "2"]) for _ in range(5)]
    raw = RawTable(table_of(["d", "a", "b\nc", "c", "e"], made), usual("csv"))
    people = People(person="d", order="e", order_is="number", records_at_most=2)
    schema = Schema(columns=(made_column("a"), made_column("c")), people=people)
    schema = schema.with_omissions([Omission(name="e", place=1, why="text", empty=True)])
    declared = declare(schema, raw, "a law", origins=["law"])
    assert declared.declared
    assert [(each.name, each.place, each.why) for each in declared.omissions] == [
        ("d", 0, "people"),
        ("e", 4, "text"),
    ]
    assert declared.header == ("a", "c", "e")


def test_a_demonstration_has_its_mark_behind_the_columns_of_the_file() -> None:
    marked = marked_schema(left({"a", "d", "h"}, {"a", "h"}))
    assert marked.header == (*"abcefgh", COLUMN)
    assert [each.name for each in marked.omissions] == ["a", "d", "h"]
    named = FILE.with_omissions([Omission(name=COLUMN)])
    assert "has one of that name" in refused(marked_schema, named).problem
