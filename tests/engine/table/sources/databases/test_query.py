"""What may be asked of a database, before it is asked."""

from __future__ import annotations

import pytest

from tests.engine.table.refusals import refused
from understudy.table.sources.databases.database import Query, TableName, parse_query


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
    refusal = refused(parse_query, text)
    assert said in refusal.problem
    assert refusal.field == "query"
