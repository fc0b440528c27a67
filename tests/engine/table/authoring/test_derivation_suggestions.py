"""Columns that seem to be derived: what is suggested of records that follow, and of others."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from tests.engine.table.refusals import refused
from understudy.table.authoring.derivation_edits import (
    count_mismatches,
    derive_column,
    describe_mismatches,
    drop_lost_derivations,
    with_derivations,
    with_look_ups,
)
from understudy.table.authoring.derivation_suggestions import (
    describe_suggestion,
    suggest_derivations,
)
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

HEADER = (
    "region,district,drugs,bed,theatre,total,born,came,left,nights,age,band,month,weekday,noise"
)
ROWS = 400
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
REGIONS = {"N": "North", "S": "South", "W": "West"}
FOUND = {
    "region": "lookup(district, c(",
    "total": "drugs + bed + theatre",
    "nights": "days(came, left)",
    "age": "age(born, came)",
    "band": 'bands(age, c("18", "65"), c("child", "18-64", "65 and over"))',
    "month": "month(came)",
    "weekday": 'weekday(came, c("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))',
}


def make_lines(seed: int = 1) -> list[str]:
    random = np.random.default_rng(seed)
    lines = []
    for _ in range(ROWS):
        district = f"{random.choice(list(REGIONS))}{random.integers(1, 4)}"
        parts = (random.integers(0, 90_000, 3) * random.integers(0, 2, 3)).tolist()
        born = date(1930, 1, 1) + timedelta(days=int(random.integers(0, 33_000)))
        came = date(2021, 1, 1) + timedelta(days=int(random.integers(0, 365)))
        nights = int(random.integers(0, 12))
        age = came.year - born.year - ((came.month, came.day) < (born.month, born.day))
        band = "child" if age < 18 else "18-64" if age < 65 else "65 and over"
        cells = [
            REGIONS[district[0]], district, *(f"{part / 100:.2f}" for part in parts),
            f"{sum(parts) / 100:.2f}", born, came, came + timedelta(days=nights), nights, age,
            band, came.month, DAYS[came.weekday()], random.integers(0, 12),
        ]  # fmt: skip
        lines.append(",".join(map(str, cells)))
    return lines


def read(lines: list[str]) -> tuple[RawTable, Schema]:
    raw = read_table("\n".join([HEADER, *lines, ""]).encode(), name="t.csv")
    return raw, suggest_first_schema(raw, keep=HEADER.split(",")).schema


@pytest.fixture(scope="module")
def table() -> tuple[RawTable, Schema]:
    return read(make_lines())


def test_what_follows_from_other_columns_is_suggested(table: tuple[RawTable, Schema]) -> None:
    raw, schema = table
    suggested = {each.column: each for each in suggest_derivations(raw, schema)}
    assert suggested.keys() == FOUND.keys()
    for name, formula in FOUND.items():
        assert suggested[name].derivation.formula.startswith(formula), name
        assert suggested[name].share == 1
    assert "in every record that was looked at (internal)" in describe_suggestion(suggested["age"])


def test_all_that_is_suggested_can_be_declared_together(table: tuple[RawTable, Schema]) -> None:
    raw, schema = table
    for each in suggest_derivations(raw, schema):
        schema = derive_column(schema, each.column, each.derivation, raw.names)
    assert schema.header == raw.names
    mismatches = count_mismatches(raw, schema)
    assert {each.column for each in mismatches} == FOUND.keys()
    assert not any(each.records for each in mismatches)
    assert describe_mismatches(mismatches) == ()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_records_makes_no_difference(
    table: tuple[RawTable, Schema], seed: int
) -> None:
    lines = make_lines()
    np.random.default_rng(seed).shuffle(lines)
    shuffled = suggest_derivations(*read(lines))
    assert {each.column: each.derivation.formula for each in shuffled} == {
        each.column: each.derivation.formula for each in suggest_derivations(*table)
    }


def test_records_that_differ_are_counted_and_a_few_do_not_hide_what_nearly_all_say() -> None:
    lines = make_lines()
    for place in (3, 77, 200):
        cells = lines[place].split(",")
        cells[HEADER.split(",").index("total")] = "1.23"
        lines[place] = ",".join(cells)
    raw, schema = read(lines)
    (total,) = (each for each in suggest_derivations(raw, schema) if each.column == "total")
    assert total.share == 1 - 3 / ROWS
    schema = with_derivations(schema, ["total=drugs + bed + theatre"], raw.names)
    (mismatch,) = count_mismatches(raw, schema)
    assert (mismatch.records, mismatch.looked_at) == (3, ROWS)
    assert describe_mismatches([mismatch])[0].startswith("In 3 of 400 records column “total”")


def test_where_nothing_follows_nothing_is_suggested() -> None:
    random = np.random.default_rng(3)
    rows = random.integers(0, 5, (300, 4)).astype(str).tolist()
    raw = read_table("\n".join(["a,b,c,d", *map(",".join, rows), ""]).encode(), name="t.csv")
    assert suggest_derivations(raw, suggest_first_schema(raw).schema) == ()
    few = read_table("\n".join([HEADER, *make_lines()[:40], ""]).encode(), name="t.csv")
    assert suggest_derivations(few, suggest_first_schema(few).schema) == ()


def test_what_is_derived_from_columns_that_are_gone_goes_with_them() -> None:
    raw, schema = read(make_lines())
    schema = with_derivations(
        schema, ["total=drugs + bed", "much=bands(total, c(500))", "year=year(came)"], raw.names
    )
    kept = drop_lost_derivations(schema, [name for name in raw.names if name != "bed"])
    assert [each.name for each in kept.derived] == ["year"]
    assert drop_lost_derivations(schema, raw.names) is schema


def test_a_look_up_is_read_from_a_file_and_has_every_code(
    table: tuple[RawTable, Schema],
) -> None:
    raw, schema = table
    codes = sorted(schema.column("district").domain.texts)
    lines = [f"{code},part {code[0]}" for code in codes]
    files = {
        "all.csv": ["code,text,more", *(f"{line},x" for line in [*lines, lines[0]])],
        "few.csv": ["code,text", *lines[1:]],
        "twice.csv": ["code,text", *lines, f"{codes[0]},other"],
        "bare.csv": ["code", *codes],
    }

    def read_file(name: str) -> RawTable:
        return read_table("\n".join([*files[name], ""]).encode(), name=name)

    (derived,) = with_look_ups(schema, ["part=district=all.csv"], raw.names, read_file).derived
    assert derived.formula.words == f"look-up of “district” in a list of {len(codes)} codes"
    for name, problem in [
        ("few.csv", f"has no text for “{codes[0]}”"),
        ("twice.csv", f"Row {len(codes) + 2} of the look-up file has another text"),
        ("bare.csv", "has only one column"),
    ]:
        refusal = refused(with_look_ups, schema, [f"part=district={name}"], raw.names, read_file)
        assert problem in refusal.problem
        assert refusal.field == "look_up"
    typed = refused(with_look_ups, schema, ["part=district"], raw.names, read_file)
    assert "names no column, its codes and a file" in typed.problem


def test_what_is_typed_names_a_column_and_a_formula(table: tuple[RawTable, Schema]) -> None:
    raw, schema = table
    for text, problem in [
        ("total", "“total” names no column and its formula"),
        ("total=drugs + beds", "derived from “beds”, which is no column"),
        ("total=drugs %", "not understood"),
    ]:
        refusal = refused(with_derivations, schema, [text], raw.names)
        assert problem in refusal.problem
        assert refusal.field == "derive"
