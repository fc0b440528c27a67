"""Connection strings: what may be kept and shown of them. What no database is asked for, and what
cannot be read: refused, with nothing given away. Tables and queries of SQLite and of a real
PostgreSQL, read as they are. What may be asked of a database, before it is asked. Records sorted
by their texts, so that the order they came in does not matter.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlalchemy
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from tests.engine.table.formats import write_table
from tests.engine.table.neighbours import KEPT, ODD, check_alike
from tests.engine.table.refusals import refused as refused_by
from tests.postgres import Postgres
from understudy.assurance.hostile_files import Record
from understudy.core.refusal import Refusal
from understudy.ledger.likeness import measure_likeness
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.sources.databases import database
from understudy.table.sources.databases.address import address, password_in, without_password
from understudy.table.sources.databases.database import (
    Limits,
    Query,
    TableName,
    parse_query,
    read_query,
    sorted_records,
    table_name,
)

_NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=10)


@settings(deadline=None)
@given(user=_NAMES, database=_NAMES, name=st.sampled_from(["password", "sslPassword", "pwd"]))
def test_no_password_is_kept(user: str, database: str, name: str) -> None:
    secret = "4711-sesame @:/?&="
    made = URL.create(
        "postgresql", user, secret, "host", 5432, database, {name: secret, "sslmode": "require"}
    )
    connection = made.render_as_string(hide_password=False)
    assert password_in(connection) == secret
    kept = without_password(connection)
    assert "4711" not in kept
    assert "sslmode=require" in kept
    again = address(kept, secret)
    assert (again.username, again.password, again.database) == (user, secret, database)
    assert "4711" not in str(again)
    assert "4711" not in repr(again)


def test_a_string_without_a_password_stays() -> None:
    for connection in (
        "postgresql://anna@host:5432/clinic?connect_timeout=3",
        "sqlite:////data/clinic.db",
    ):
        assert without_password(connection) == connection
        assert password_in(connection) is None


def test_the_driver_of_this_project_is_taken() -> None:
    assert address("postgres://host/x").drivername == "postgresql+psycopg"
    assert address("postgresql+other://host/x").drivername == "postgresql+other"


@pytest.mark.parametrize("connection", ["", "  ", "clinic.db", "http", "postgresql://h:p:q/x"])
def test_what_is_none_is_refused(connection: str) -> None:
    for ask in (address, without_password, password_in):
        with pytest.raises(Refusal) as caught:
            ask(connection)
        assert caught.value.field == "connection"


_SECRET = "sesame-4711"
_ENDLESS: Callable[[str], str] = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} AS a, 1 AS b FROM n"
).format


def refused(connection: str, query: str, field: str, **settings: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read_query(connection, query, **settings)  # type: ignore[arg-type]
    assert caught.value.field == field
    assert _SECRET not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM people",
        "SELECT 1 AS a, 2 AS b; DROP TABLE people",
        "WITH gone AS (DELETE FROM people RETURNING *) SELECT * FROM gone",
        "SELECT id, pay INTO copy_of FROM people",
        "SELECT * FROM people FOR UPDATE",
        "SELECT E'\\'' AS a, 1 AS b ; DROP TABLE people; --'",
        "SELECT 1 AS a /*! INTO OUTFILE '/tmp/x' */",
        "PRAGMA query_only = OFF",
        "ATTACH 'x.db' AS x",
        "/* SELECT */ UPDATE people SET pay = 0",
    ],
)
def test_only_reading_is_asked_of_any_database(sqlite: str, query: str) -> None:
    refused(sqlite, query, "query")
    assert read_query(sqlite, "people").rows == 300


@pytest.mark.parametrize(
    "query",
    [
        # Each is run by MySQL, or by SQL Server, where others see a quotation or a comment.
        "SELECT a, b FROM t # '\n INTO OUTFILE '/tmp/x' # '",
        "SELECT 5 --'1' INTO OUTFILE '/tmp/x'",
        'SELECT "\\"" INTO OUTFILE "/tmp/x"',
        "SELECT a AS $$ INTO OUTFILE '/tmp/x' FROM t AS $$",
        "SELECT a AS ['], b INTO c FROM t -- '",
        "SELECT a AS ['] FROM t; EXEC x -- '",
    ],
)
def test_a_database_that_cannot_be_opened_for_reading_only_is_asked_less(
    sqlite: str, query: str
) -> None:
    found = refused(f"mysql://anna:{_SECRET}@host/x", query, "query")
    assert "if only in quotation marks" in found.problem
    with pytest.raises(Refusal) as caught:
        read_query(sqlite, query)
    assert "if only" not in caught.value.problem
    refused("mysql+nosuchdriver://host/x", "SELECT a, 'b' AS c FROM d", "connection")


def test_a_word_in_quotation_marks_is_a_name(sqlite: str) -> None:
    found = read_query(sqlite, 'SELECT id AS "update", \'drop; it\' AS "set" FROM people')
    assert found.names == ("update", "set")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT nextval('counter') AS a, 1 AS b",
        "SELECT grow() AS a, 1 AS b",
        "SELECT set_config('transaction_read_only', 'off', false) AS a, grow() AS b",
    ],
)
def test_postgresql_itself_refuses_to_write(served: str, query: str) -> None:
    assert "only read" in refused(served, query, "query").problem


def test_sqlite_itself_refuses_to_write(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "parse_query", lambda text: database.Query(text))
    refused(sqlite, "DELETE FROM people RETURNING id, pay", "query")
    refused(sqlite, "CREATE TABLE x AS SELECT 1 AS a, 2 AS b", "query")
    assert read_query(sqlite, "SELECT id, pay FROM people").rows == 300


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("nobody", "It has: blobs, people, rich"),
        ("SELECT a, b FROM nobody", "no table or view"),
        ("SELECT id, absent FROM people", "column that does not exist"),
        ("SELECT FROM WHERE", "does not understand"),
        ("SELECT id FROM people", "only one column"),
        ("SELECT id, id FROM people", "have the same name"),
        ("SELECT id, pay FROM people WHERE id < 0", "no records"),
        ("", "No table and no query"),
    ],
)
def test_a_query_that_cannot_be_used(sqlite: str, query: str, said: str) -> None:
    assert said in str(refused(sqlite, query, "query"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('SELECT id, 1 / (id - 5) AS x FROM "People"', "cannot calculate"),
        (f"SELECT ('{_SECRET}')::int AS x, 1 AS y", "cannot calculate"),
        (f"SELECT '{_SECRET}' AS x FROM nowhere", "no table or view"),
        ('SELECT nothing, id FROM "People"', "column that does not exist"),
        ('SELECT id, FROM "People"', "does not understand"),
        ("SELECT a, b FROM odd", "no single text"),
        ("SELECT a, c FROM odd", "no single text"),
    ],
)
def test_postgresql_is_never_quoted(
    served: str, caplog: pytest.LogCaptureFixture, query: str, said: str
) -> None:
    with caplog.at_level(logging.DEBUG):
        assert said in str(refused(served, query, "query"))
    assert _SECRET not in caplog.text


def test_who_may_not_read_is_told_so(postgres: Postgres, served: str) -> None:
    assert "right to SELECT" in str(refused(postgres.url(user="guest"), '"People"', "query"))
    assert "no database" in str(refused(postgres.url("nowhere"), "people", "connection"))
    refused(postgres.url(user="nobody-known"), "people", "password")


@pytest.mark.parametrize(
    "connection",
    [
        "",
        "clinic.db",
        "nosuchkind://x/y",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////nowhere/at/all.db",
        f"postgresql://anna:{_SECRET}@/x?host=/nowhere",
        f"postgresql://anna:{_SECRET}@host:notaport/x",
        f"postgresql://anna:{_SECRET}@/x?host=/nowhere&unheardof=1",
        f"mysql+nosuchdriver://anna:{_SECRET}@host/x",
    ],
)
def test_a_connection_string_that_cannot_be_used(connection: str) -> None:
    refused(connection, "people", "connection")


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        found = refused(f"postgresql://u:{_SECRET}@127.0.0.1:{port}/x", "people", "connection")
    assert "cannot be reached" in found.problem


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"not a database, whatever its name says" * 100)
    assert "not an SQLite" in refused(f"sqlite:///{path}", "people", "connection").problem


def test_too_many_records_are_refused(sqlite: str, served: str) -> None:
    for url in (sqlite, served):
        assert "more than 100 records" in str(
            refused(url, "people", "query", limits=Limits(rows=100))
        )
        refused(url, "people", "query", limits=Limits(size=2000))


def test_what_takes_too_long_is_stopped(sqlite: str, served: str) -> None:
    for url, query in (
        (sqlite, _ENDLESS("max(i)")),
        (served, "SELECT pg_sleep(600) AS a, 1 AS b"),
    ):
        found = refused(url, query, "query", limits=Limits(seconds=0.2))
        assert "too long" in found.problem


def test_where_only_folders_may_be_read_no_other_file_is(sqlite: str, tmp_path: Path) -> None:
    assert read_query(sqlite, "people", folders=[tmp_path]).rows == 300
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = elsewhere / "link.db"
    link.symlink_to(tmp_path / "clinic.db")
    for connection in (
        sqlite,
        f"sqlite:///{link}",
        f"sqlite:///{elsewhere}/../clinic.db",
        "sqlite:////etc/passwd",
        "duckdb:////data/x.db",
        "postgresql://u@/x?host=/tmp&passfile=/root/.pgpass",
        "mssql+pyodbc://?odbc_connect=DRIVER",
    ):
        refused(connection, "people", "connection", folders=[elsewhere])
    refused(sqlite, "people", "connection", folders=[])


def test_passwords_kept_on_a_shared_server_are_not_used(
    served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, object]] = []
    real = sqlalchemy.create_engine

    def watched(url: object, **options: object) -> object:
        seen.append(options)
        return real(url, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(database, "create_engine", watched)
    assert read_query(served, "people", folders=[]).rows == 900
    assert seen[0]["connect_args"]["passfile"] == "/dev/null"  # type: ignore[index]


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
        return texts(raw), measure_likeness(raw, b"key").fingerprint

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


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("people", ("people",)),
        (" x.people ", ("x", "people")),
        ('"Of Town"."Ma.in"', ("Of Town", "Ma.in")),
        ("Größe_2", ("Größe_2",)),
    ],
)
def test_names_of_tables(text: str, parts: tuple[str, ...]) -> None:
    assert parse_query(text) == TableName(parts)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM b",
        "select a from b ;\n",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "-- DELETE\nSELECT 'DROP; it''s' AS \"update\", $$ ; INSERT $$ /* ; DROP */ FROM b",
        "SELECT updated, creator, inset FROM b",
    ],
)
def test_queries_that_only_read(text: str) -> None:
    assert parse_query(text) == Query(text.strip().rstrip("; \n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "No table"),
        ("two words", "does not begin"),
        ("SELECT 1; SELECT 2", "more than one statement"),
        ("SELECT '1'; SELECT '2'", "more than one statement"),
        ("SELECT a INTO c FROM b", "INTO"),
        ("SELECT /* ' */ 1; DROP TABLE b -- '", "more than one statement"),
        # Under some rules the first quotation ends at the second sign, under others at the fourth.
        ("SELECT E'\\'' ; DROP TABLE b; --'", "not every database"),
        ("SELECT 1 /*! ; DROP TABLE b */", "not every database"),
        ("'SELECT'", "does not begin"),
    ],
)
def test_anything_else_is_refused(text: str, said: str) -> None:
    refusal = refused_by(parse_query, text)
    assert said in refusal.problem
    assert refusal.field == "query"


_TEXTS = st.text("a1é\U0001f600", max_size=2)
Row = tuple[str, str]


def table(rows: list[Row]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return table_of(("x", "y"), (text_column(np.arange(len(rows)), each) for each in columns))


def rows_of(found: pa.Table) -> list[Row]:
    return list(zip(found["x"].to_pylist(), found["y"].to_pylist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=12))
def test_records_are_sorted_by_their_texts(rows: list[Row]) -> None:
    assert rows_of(sorted_records(table(rows))) == sorted(rows)


def test_a_text_that_no_record_has_does_not_matter() -> None:
    found = table([("b", "1"), ("a", "2"), ("c", "3")]).take(pa.array([2, 1])).combine_chunks()
    assert rows_of(sorted_records(found)) == [("a", "2"), ("c", "3")]
