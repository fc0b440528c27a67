"""Derived columns: what is rebuilt from the texts of a file, missing values, circles, schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.derivations.builders import (
    DOMAINS,
    GONE,
    ORACLES,
    draw_records,
    formulas,
    inputs_of,
    make_schema,
    number_of,
    read_derived,
    read_rows,
)
from tests.engine.table.refusals import refused
from tests.support import within_cells
from understudy.core.refusal import Refusal
from understudy.report.outputs import read_released_csv
from understudy.runs.table_file import read_first_records
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.derivation_edits import derive_column
from understudy.table.authoring.edits import keep_empty, name_omissions, without_columns
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.derivations.derived_column import DerivedColumn
from understudy.table.derivations.registry import parse_formula
from understudy.table.differences import differences
from understudy.table.encoding import to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.omissions import Omission
from understudy.table.people import People
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema
from understudy.table.seed_mark import COLUMN, marked_schema, stain_records

SEEDS = st.integers(0, 2**32 - 1)


@given(formulas(), st.sets(st.sampled_from(sorted(DOMAINS))), SEEDS)
def test_what_stands_in_the_file_is_what_its_other_texts_make(
    texts: dict[str, str], missing: set[str], seed: int
) -> None:
    check_file(texts, missing, 8, seed)


@pytest.mark.parametrize("text", sorted(ORACLES))
def test_every_formula_makes_what_its_name_says(text: str) -> None:
    check_file({"it": text}, {"tax", "went"}, 60, len(text))


def check_file(texts: dict[str, str], missing: set[str], rows: int, seed: int) -> None:
    """Check every derived text of some rows against the other texts of its row."""
    schema = make_schema(texts, frozenset(missing))
    for row in read_rows(draw_records(schema, rows, seed)):
        for name, text in texts.items():
            found = row[name]
            if any(row[each] in ("", "-1") and each in missing for each in inputs_of(text)):
                assert found == ""
                continue
            expected = ORACLES[text](row)
            if name_is_spelt(schema, name):
                found = found.replace(".", "").replace(",", ".")
            shown = found if isinstance(expected, str) else read_derived(found)
            assert shown == expected, (text, row)


def name_is_spelt(schema: Schema, name: str) -> bool:
    return bool(schema.full.column(name).domain.setting_texts().get("spelling"))


def test_a_birthday_counts_on_its_day_and_one_of_29_february_on_1_march() -> None:
    born = Dates(minimum="2000-02-28", maximum="2000-03-01", step="day")
    at = Dates(minimum="2001-02-28", maximum="2001-03-01", step="day")
    columns = (Column(name="born", domain=born), Column(name="at", domain=at))
    age = DerivedColumn(name="age", formula=parse_formula("age(born, at)"))
    schema = Schema(columns=columns, derived=(age,))
    codes = np.array([[one, other] for one in range(3) for other in range(2)], np.uint16)
    rows = read_rows(within_cells(schema).records(codes, 0))
    assert [row["age"] for row in rows] == ["1", "1", "0", "1", "0", "1"]


def test_no_total_of_ten_thousand_rows_is_off_by_a_cent() -> None:
    schema = make_schema({"total": "fee + tax + euros - count"})
    rows = read_rows(draw_records(schema, 10_000, 7))
    broken = [
        row
        for row in rows
        if sum(number_of(row, name) for name in ("fee", "tax", "euros")) - number_of(row, "count")
        != Decimal(row["total"])
    ]
    assert len(rows) == 10_000
    assert broken == []


@given(formulas(), st.sets(st.sampled_from(sorted(DOMAINS))), SEEDS)
def test_what_is_written_is_read_again(texts: dict[str, str], missing: set[str], seed: int) -> None:
    schema = make_schema(texts, frozenset(missing))
    records = draw_records(schema, 5, seed)
    data = to_csv_bytes(records)
    again = read_released_csv(data, schema)
    assert to_csv_bytes(again) == data
    complete = records.complete()
    assert complete.schema.names == schema.header
    assert to_csv_bytes(complete) == data
    assert as_arrow(records).equals(as_arrow(complete))
    whole = read_released_csv(data, schema.full)
    assert (whole.codes == complete.codes).all()


@given(formulas(), st.sets(st.sampled_from(sorted(DOMAINS))))
def test_a_schema_file_holds_them(texts: dict[str, str], missing: set[str]) -> None:
    schema = make_schema(texts, frozenset(missing))
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint
    assert again.header == schema.header
    assert again.declare_public("a code book").declared


def test_a_schema_without_any_says_nothing_of_them() -> None:
    schema = make_schema({})
    assert "derived" not in schema.to_json()
    assert schema.full is schema
    records = draw_records(schema, 3, 1)
    assert records.complete() is records


def test_released_files_are_read_without_the_derived_columns(tmp_path: Path) -> None:
    schema = make_schema({"total": "fee + tax", "band": "bands(total, c(5))"})
    records = draw_records(schema, 20, 3)
    (tmp_path / "t.csv").write_bytes(to_csv_bytes(records))
    pq.write_table(as_arrow(records), tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        found = read_first_records(tmp_path / name, schema, 100)
        assert to_csv_bytes(found) == to_csv_bytes(records)


def test_a_demonstration_has_its_mark_last() -> None:
    schema = make_schema({"total": "fee + tax"})
    marked = marked_schema(schema)
    records = stain_records(draw_records(schema, 3, 1), marked)
    assert marked.header == (*schema.header, COLUMN)
    assert read_rows(records)[0]["total"] == read_rows(draw_records(schema, 3, 1))[0]["total"]
    assert read_released_csv(to_csv_bytes(records), marked).schema == marked


def test_a_value_that_differs_is_refused_by_its_row() -> None:
    schema = make_schema({"total": "count - one"})
    data = to_csv_bytes(draw_records(schema, 4, 5)).decode().splitlines()
    place = schema.header.index("total")
    cells = data[3].split(",")
    cells[place] = "5" if cells[place] != "5" else "6"
    data[3] = ",".join(cells)
    text = refused(read_released_csv, "\n".join([*data, ""]).encode(), schema).problem
    assert "“total” is derived" in text
    assert "row 3 " in text


# Missing values.


def two_codes(*formula: str, codes: tuple[MissingCode, ...]) -> Schema:
    schema = make_schema({}, frozenset({"fee", "count"}))
    return schema.with_derived(
        [DerivedColumn(name="it", formula=parse_formula(formula[0]), missing_codes=codes)]
    )


def rows_with(schema: Schema, missing: dict[str, int]) -> dict[str, str]:
    """The first row, with some columns missing by their codes."""
    records = draw_records(schema, 1, 2)
    codes, numbers = records.codes.copy(), records.numbers
    assert numbers is not None
    numbers = numbers.copy()
    for place, column in enumerate(schema.columns):
        if column.name in missing:
            codes[0, place] = column.domain.size + missing[column.name]
        elif codes[0, place] >= column.domain.size:
            codes[0, place] = 0
        if place in schema.measured_places:
            at = schema.measured_places.index(place)
            ranged = column.domain.ranged
            assert ranged is not None
            if column.name in missing:
                numbers[0, at] = float("nan")
            else:
                lowest = ranged.lattice.lowest_in(np.array([int(codes[0, place])]))
                numbers[0, at] = ranged.lattice.numbers(lowest)[0]
    return read_rows(Records(schema, codes, numbers))[0]


def test_a_missing_input_is_missing_by_the_code_that_means_the_same() -> None:
    codes = (MissingCode(values=("X",)), MissingCode(values=("R",), label="refused"))
    schema = two_codes("fee + count", codes=codes)
    assert rows_with(schema, {"fee": 0})["it"] == "R"
    assert rows_with(schema, {"fee": 1})["it"] == "X"
    assert rows_with(schema, {"count": 0})["it"] == "R"
    assert rows_with(schema, {"fee": 1, "count": 0})["it"] == "X"
    assert rows_with(schema, {})["it"] not in ("R", "X")


def test_missing_parts_of_a_sum_can_count_as_nothing() -> None:
    schema = two_codes("sum(fee, count)", codes=(MissingCode(values=("X",)),))
    assert rows_with(schema, {"fee": 0, "count": 0})["it"] == "X"
    row = rows_with(schema, {"fee": 0})
    assert Decimal(row["it"]) == Decimal(row["count"])
    row = rows_with(schema, {})
    assert Decimal(row["it"]) == Decimal(row["count"]) + Decimal(row["fee"])


def test_a_code_for_missing_cannot_be_a_number_that_comes_out() -> None:
    refusal = refused(two_codes, "fee + count", codes=GONE)
    assert "-1 can come out of it as a number, and is a code for missing" in refusal.problem
    assert two_codes("days(born, in)", codes=GONE).full.column("it").missing_codes != GONE


# The graph.


def derive(**texts: str) -> Callable[[], Schema]:
    return lambda: make_schema(texts)


def test_derivations_build_on_each_other_in_any_order() -> None:
    schema = make_schema(
        {"band": "bands(total, c(5))", "total": "fee + tax", "b": "prefix(band,5)"}
    )
    assert [each.name for each in schema.derived] == ["total", "band", "b"]
    row = read_rows(draw_records(schema, 1, 1))[0]
    assert row["band"] == ("under 5" if Decimal(row["total"]) < 5 else "5 and over")
    assert row["b"] == row["band"][:5].strip()


def test_a_circle_is_named() -> None:
    refusal = refused(derive(a="b + fee", b="c + tax", c="count + a", d="fee + a"))
    assert "“a” from “b” from “c” from “a”" in refusal.problem
    assert "derived from itself" in refused(derive(a="a + fee")).problem


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        ("fee + nothing", "derived from “nothing”, which is no column"),
        ("fee + code", "“code” holds categories, and a sum needs numbers"),
        ("fee + in", "“in” holds dates, and a sum needs numbers"),
        ("bands(code, c(1))", "which have no order to cut"),
        ('bands(in, c("soon"))', "The cut “soon” is none that dates have"),
        ("bands(fee, c(3, 1))", "The cuts 3, 1 do not rise"),
        ("age(born, bed)", "“bed” holds times, and an age needs dates"),
        ("age(fee, in)", "“fee” holds numbers, and an age needs dates"),
        ("days(bed, up)", "Between two times of day there are no days"),
        ("days(bed, in)", "are not both of days or both of times"),
        ("hours(born, in)", "Between days there are no hours"),
        ('hours(came, went, "past midnight")', "past midnight is one between two times of day"),
        ("month(bed)", "“bed” holds times, and the month needs dates"),
        ("hour(born)", "“born” holds dates without a time"),
        ("prefix(fee, 1)", "“fee” holds numbers, which are not listed"),
        ('lookup(code, c("A01" = "x", "B" = "y"))', "has no text for “A1”, “C99”, “-x”"),
    ],
)  # fmt: skip
def test_a_derivation_that_cannot_be_is_refused_in_words(formula: str, problem: str) -> None:
    refusal = refused(derive(it=formula))
    assert problem in refusal.problem
    assert refusal.field == "it"
    assert "“it”" in refusal.problem


def test_more_digits_than_a_number_has_are_refused() -> None:
    wide = Column(name="wide", domain=Grid(minimum=10**14, maximum=10**14 + 5))
    fine = Column(name="fine", domain=Grid(kind="numbers", minimum=0, maximum=1, step="0.001"))
    total = DerivedColumn(name="it", formula=parse_formula("wide + fine"))
    refusal = refused(lambda: Schema(columns=(wide, fine), derived=(total,)))
    assert "more than 15 digits" in refusal.problem


def test_a_column_is_in_the_schema_once() -> None:
    total = DerivedColumn(name="total", formula=parse_formula("fee + tax"))
    schema = make_schema({})
    same = DerivedColumn(name="count", formula=parse_formula("fee + tax"))
    columns = schema.columns
    assert (
        "is derived, and named a second time"
        in refused(lambda: Schema(columns=columns, derived=(same,))).problem
    )
    assert "second time" in refused(lambda: Schema(columns=columns, derived=(total, total))).problem
    left = (Omission(name="total"),)
    assert (
        "left out and named a second time"
        in refused(lambda: Schema(columns=columns, derived=(total,), omissions=left)).problem
    )
    people = People(person="total", order="count", records_at_most=2)
    assert (
        "says whose a record is"
        in refused(lambda: Schema(columns=columns, derived=(total,), people=people)).problem
    )


# Editing.


def test_a_derived_column_leaves_the_model_and_keeps_its_place_title_and_codes() -> None:
    schema = make_schema({}, frozenset({"tax"}))
    column = schema.column("tax").changed(title="Taxes")
    changed = derive_column(
        schema.replace(column), "tax", parse_formula("fee + count"), tuple(DOMAINS)
    )
    assert "tax" not in changed.names
    assert changed.header == tuple(DOMAINS)
    (derived,) = changed.derived
    assert (derived.title, derived.missing_codes) == ("Taxes", column.missing_codes)
    new = derive_column(changed, "new", parse_formula("tax - fee"), tuple(DOMAINS))
    newer = derive_column(new, "newer", parse_formula("new - fee"), tuple(DOMAINS))
    assert newer.header == (*DOMAINS, "new", "newer")
    back = newer.with_columns([*newer.columns, column])
    assert [each.name for each in back.derived] == ["new", "newer"]


def test_leaving_out_knows_derived_columns() -> None:
    schema = derive_column(make_schema({}), "tax", parse_formula("fee + count"), tuple(DOMAINS))
    with pytest.raises(Refusal) as raised:
        without_columns(schema, ["fee"])
    assert "“tax” is derived from “fee”" in raised.value.problem
    less = without_columns(schema, ["tax", "fee"])
    assert [each.name for each in less.omissions] == ["fee", "tax"]
    assert keep_empty(less, ["fee", "tax"]).header == tuple(DOMAINS)
    named = name_omissions(schema, ["extra", *DOMAINS])
    assert [(each.name, each.place) for each in named.omissions] == [("extra", 0)]
    assert named.derived[0].place == 2
    assert named.order == ("extra", *DOMAINS)


def test_a_file_that_says_something_else_is_refused() -> None:
    text = json.loads(make_schema({"it": "fee + tax"}).to_json())
    (entry,) = text["understudy"]["derived"]
    for wrong, problem in [
        ({**entry, "formula": {"kind": "magic"}}, "no kind that exists"),
        ({**entry, "formula": {"kind": "sum", "plus": ["fee"]}}, "two columns or more"),
        ({**entry, "labels": 3}, "labels of a derived column"),
        ({**entry, "name": " it"}, "begins or ends with a blank"),
        (3, "is no set of names and values"),
    ]:
        text["understudy"]["derived"] = [wrong]
        assert problem in refused(Schema.from_json, json.dumps(text)).problem


def test_a_codebook_names_how_they_are_computed_and_does_not_bring_them_back() -> None:
    schema = make_schema({"it": "fee + tax"})
    text = csv_codebook(schema)
    assert "computed as fee + tax" in text
    entries = read_codebook(text.encode(), "codebook.csv")
    assert [each.name for each in entries] == [*schema.names]


def test_a_schema_shows_and_compares_its_derived_columns() -> None:
    schema = make_schema({"it": "fee + tax"})
    assert "A schema of 13 columns" in str(schema)
    assert "it: Derived: “fee” + “tax”." in str(schema.declare_public("a code book"))
    other = make_schema({"it": "tax + fee"})
    assert schema.fingerprint != other.fingerprint
    (found,) = differences({"a": schema, "b": other, "c": make_schema({})})
    assert found.what == "Derived columns"
    assert dict(found.said) == {
        "a": "it = “fee” + “tax”", "b": "it = “tax” + “fee”", "c": "none",
    }  # fmt: skip
