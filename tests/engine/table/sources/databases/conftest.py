from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from tests.postgres import Postgres


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """An SQLite file with people, a view of them and what cannot be read."""
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE people (id INTEGER, pay REAL, "Of Town" TEXT);
            CREATE VIEW rich AS SELECT id, pay FROM people WHERE pay > 50;
            CREATE TABLE blobs (a INTEGER, b BLOB);
            INSERT INTO blobs VALUES (1, x'00ff');
            """
        )
        rows = [(i, i / 4, None if i % 5 == 0 else f"T{i % 3}") for i in range(300)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        connection.commit()
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def served(postgres: Postgres) -> str:
    """The connection string of a PostgreSQL with a table of every common type."""
    made = sqlalchemy.create_engine(postgres.url())
    with made.begin() as connection:
        run = connection.execution_options(no_parameters=True).exec_driver_sql
        run(
            """
            CREATE TABLE "People" (
                id int, pay numeric(8, 2), rate real, born date, seen timestamp, noon timestamp,
                well boolean, town text
            )
            """
        )
        run(
            """
            INSERT INTO "People" SELECT i, i / 4.0, 0.1, date '2000-01-01' + i,
                timestamp '2000-01-01 03:04:05', timestamp '2000-01-01', i % 2 = 0,
                CASE WHEN i % 3 > 0 THEN 'T' || i % 3 END
            FROM generate_series(1, 900) AS i
            """
        )
        run("CREATE SCHEMA other")
        run("CREATE TABLE other.few AS SELECT 1 AS a, 2 AS b")
        run("CREATE TABLE odd (a int, b bytea, c int[], d timestamp)")
        run("INSERT INTO odd VALUES (1, 'x', ARRAY[1], 'infinity')")
        run("CREATE SEQUENCE counter")
        run(
            "CREATE FUNCTION grow() RETURNS int LANGUAGE sql "
            "AS 'INSERT INTO other.few VALUES (3, 4) RETURNING a'"
        )
        run("CREATE ROLE guest LOGIN")
    made.dispose()
    return postgres.url()
