"""Which column may say whose a record is."""

from __future__ import annotations

import pytest

from tests.panel import panel_csv
from understudy.table.authoring.belonging import Likely, likely_order, likely_people, order_of
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table


def read(csv: bytes) -> RawTable:
    return read_table(csv, name="t.csv")


@pytest.mark.parametrize("name", ["resp", "pid", "patient_id", "PersonID", "spalte3"])
def test_a_person_is_found_by_what_stays_with_it_whatever_it_is_called(name: str) -> None:
    raw = read(panel_csv().replace(b"resp", name.encode()))
    assert likely_people(raw) == Likely(name, "wave")


def test_days_order_as_well_as_numbers() -> None:
    lines = [line.split(",", 2) for line in panel_csv().decode().splitlines()[1:]]
    rows = [f"{who},2020-01-0{wave},{rest}" for who, wave, rest in lines]
    raw = read("\n".join(["resp,seen,sex,job,age", *rows]).encode())
    assert likely_people(raw) == Likely("resp", "seen")
    assert (order_of(raw, "seen"), order_of(raw, "age")) == ("time", "number")


def test_a_name_alone_is_a_reason_to_ask_too() -> None:
    lines = [f"{row % 40},{'ab'[row % 2]},{'xyz'[row % 3]}" for row in range(120)]
    raw = read("\n".join(["patient,sex,job", *lines]).encode())
    assert likely_people(raw) == Likely("patient", None)


def test_a_table_of_a_row_a_person_is_not_asked_about() -> None:
    rows = "\n".join(f"{row},{'ab'[row % 2]},{'xyz'[row % 3]}" for row in range(120))
    assert likely_people(read(f"id,sex,job\n{rows}".encode())) is None


def test_neither_measurements_nor_days_are_people() -> None:
    lines = [f"{row % 40}.5,2020-01-{row % 28 + 1:02},{row % 3}" for row in range(120)]
    assert likely_people(read("\n".join(["pay,seen,wave", *lines]).encode())) is None


def test_a_column_that_repeats_within_a_person_orders_nothing() -> None:
    raw = read(panel_csv())
    assert likely_order(raw, "resp") == "wave"
    sexes = RawTable(raw.arrow.drop_columns(["wave", "age"]), raw.reading)
    assert likely_order(sexes, "resp") is None
