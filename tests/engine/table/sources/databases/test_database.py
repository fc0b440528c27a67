"""Tables and queries of SQLite and of a real PostgreSQL, read as they are."""

from __future__ import annotations

import pandas as pd
import pytest
import sqlalchemy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.formats import write_table
from tests.engine.table.neighbours import KEPT, ODD, check_alike
from tests.postgres import Postgres
from understudy.assurance.hostile_files import Record
from understudy.ledger.likeness import likeness
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT
from understudy.table.raw import RawTable
from understudy.table.sources.databases import database
from understudy.table.sources.databases.database import read_query, table_name


def texts(raw: RawTable) -> dict[str, list[str]]:
    return {name: raw.arrow.column(name).to_pylist() for name in raw.names}


def test_a_table_of_sqlite(sqlite: str) -> None:
    raw = read_query(sqlite, "people")
    assert raw.reading.kind == "database"
    assert raw.names == ("id", "pay", "Of Town")
    assert {name: found[:6] for name, found in texts(raw).items()} == {
        "id": ["0", "1", "10", "100", "101", "102"],
        "pay": ["0", "0.25", "2.5", "25", "25.25", "25.5"],
        "Of Town": ["", "T1", "", "", "T2", "T0"],
    }


def test_a_view_and_a_query(sqlite: str) -> None:
    assert read_query(sqlite, "rich").rows == 99
    found = read_query(sqlite, 'SELECT id, "Of Town" AS town FROM people WHERE id < 3 -- three\n;')
    assert texts(found) == {"id": ["0", "1", "2"], "town": ["", "T1", "T2"]}


def test_every_common_type_of_postgresql(served: str) -> None:
    raw = read_query(served, '"People"')
    assert {name: found[:3] for name, found in texts(raw).items()} == {
        "id": ["1", "10", "100"],
        "pay": ["0.25", "2.5", "25"],
        "rate": ["0.1", "0.1", "0.1"],
        "born": ["2000-01-02", "2000-01-11", "2000-04-10"],
        "seen": ["2000-01-01 03:04:05"] * 3,
        "noon": ["2000-01-01"] * 3,
        "well": ["false", "true", "true"],
        "town": ["T1"] * 3,
    }


def test_a_value_that_is_none_takes_no_other_of_sqlite_with_it(sqlite: str) -> None:
    """Any value may stand in any column there."""
    odd = "SELECT 'b' AS a, CAST(x'5afc' AS TEXT) AS b UNION ALL SELECT 1, x'00ff' "
    few = "SELECT 'a' AS a, 'Zürich' AS b UNION ALL SELECT 'c', 2.0 UNION ALL SELECT 'd', NULL "
    assert texts(read_query(sqlite, f"{few}UNION ALL {odd}")) == {
        "a": ["1", "a", "b", "c", "d"],
        "b": [NOT_A_VALUE, "Zürich", NOT_TEXT, "2", ""],
    }
    assert texts(read_query(sqlite, "blobs")) == {"a": ["1"], "b": [NOT_A_VALUE]}


def test_a_value_that_is_none_takes_no_other_of_postgresql_with_it(served: str) -> None:
    days = (
        "SELECT a, d, d::date AS e, d AT TIME ZONE 'Asia/Tokyo' AS f FROM (SELECT a, d FROM odd "
        "UNION ALL SELECT 2, '2020-01-02' UNION ALL SELECT 3, '0044-03-15 BC') AS days"
    )
    assert texts(read_query(served, days)) == {
        "a": ["1", "2", "3"],
        "d": [NOT_A_VALUE, "2020-01-02", NOT_A_VALUE],
        "e": [NOT_A_VALUE, "2020-01-02", NOT_A_VALUE],
        "f": [NOT_A_VALUE, "2020-01-01 15:00:00", NOT_A_VALUE],
    }
    spans = "SELECT 1 AS a, '1 day'::interval AS b UNION SELECT 2, '99999999 years'::interval"
    assert texts(read_query(served, spans))["b"] == ["1 day, 0:00:00", NOT_A_VALUE]


@pytest.mark.parametrize("name", ["People", "people", "public.People", 'public."People"'])
def test_a_name_is_found_however_it_is_written(served: str, name: str) -> None:
    assert read_query(served, name).rows == 900


def test_a_table_of_another_schema(served: str) -> None:
    assert texts(read_query(served, "other.few")) == {"a": ["1"], "b": ["2"]}


def test_signs_that_drivers_take_for_parameters_stand_for_themselves(served: str) -> None:
    query = "SELECT id, '%s :x ?' AS y FROM \"People\" WHERE town LIKE 'T%' AND id::text ~ '^1'"
    assert set(texts(read_query(served, query))["y"]) == {"%s :x ?"}


@pytest.mark.parametrize("where", ["sqlite", "served"])
def test_blocks_make_the_same_table(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    url = request.getfixturevalue(where)
    whole = texts(read_query(url, "people"))
    monkeypatch.setattr(database, "_BLOCK_CELLS", 50)
    assert texts(read_query(url, "people")) == whole


def test_the_same_records_in_another_order_are_the_same_table(postgres: Postgres) -> None:
    """A changed record moves to the end of PostgreSQL's own order."""
    made = sqlalchemy.create_engine(postgres.url())

    def after(*statements: str) -> tuple[dict[str, list[str]], str]:
        with made.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        raw = read_query(postgres.url(), "moving")
        return texts(raw), likeness(raw, b"key").fingerprint

    before = after(
        "CREATE TABLE moving (x int, name text)",
        "INSERT INTO moving VALUES (3, 'c'), (1, 'b'), (1, 'a')",
    )
    assert before[0] == {"x": ["1", "1", "3"], "name": ["a", "b", "c"]}
    assert after("UPDATE moving SET x = 3 WHERE name = 'c'") == before
    assert after("UPDATE moving SET x = 4 WHERE name = 'c'")[1] != before[1]
    made.dispose()


def test_a_data_frame_written_by_others_is_read_back(postgres: Postgres) -> None:
    frame = pd.DataFrame({"x": [1.5, None, 3.0], "y": ["a", "b", None]})
    write_table(postgres.url(), frame, "frame")
    found = texts(read_query(postgres.url(), "frame"))
    assert found == {"x": ["", "1.5", "3"], "y": ["b", "a", ""]}


def test_a_table_is_called_by_its_name_and_its_database() -> None:
    assert table_name("postgresql://u:sesame@db.example/clinic", "x.people") == "people of clinic"
    assert table_name("sqlite:////data/clinic.db", "SELECT 1") == "a query of clinic"


@settings(max_examples=20, deadline=None)
@given(KEPT, ODD, st.integers(0, 9))
def test_one_record_more_changes_how_no_other_is_read(
    kept: list[Record], odd: Record, place: int
) -> None:
    check_alike("SQLite", kept, odd, place)
