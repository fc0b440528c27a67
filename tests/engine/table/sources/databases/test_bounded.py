"""What no database is asked for, and what cannot be read: refused, with nothing given away."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy

from tests.postgres import Postgres
from understudy.core.refusal import Refusal
from understudy.table.sources.databases import database
from understudy.table.sources.databases.database import Limits, read_query

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
