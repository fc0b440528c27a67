"""What a suggested schema needs looked at, the most pressing first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from understudy.table.authoring.attention import ATTENTION, identifiers, needs_attention
from understudy.table.authoring.settling import set_origin
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.declared_reading import usual
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.schema import Schema

ROWS = 60
WORDS = [f"w{row}" for row in range(ROWS)]
NUMBERS = [str(7 * (row % 31)) for row in range(ROWS)]


def opened(**columns: Sequence[str]) -> tuple[RawTable, Schema]:
    """A table with the schema that is suggested for it, beside two plain columns."""
    columns = {**columns, "sex": ["m", "f"] * (ROWS // 2), "age": NUMBERS}
    made = [text_column(np.arange(len(texts)), list(texts)) for texts in columns.values()]
    raw = RawTable(table_of(list(columns), made), usual("csv"))
    return raw, suggest_schema(raw).schema


@pytest.mark.parametrize(
    ("name", "texts", "alone"),
    [
        ("name", WORDS, True),
        ("row", [str(1000 + row) for row in range(ROWS)], True),
        ("pat_id", [str(31 * row) for row in range(ROWS)], True),
        ("patient_no", [str(31 * row) for row in range(ROWS)], True),
        ("no_of_steps", [str(31 * row) for row in range(ROWS)], False),
        ("pay", [str(31 * row) for row in range(ROWS)], False),
        ("height", [f"{150 + row}.5" for row in range(ROWS)], False),
        ("name", [*WORDS[:-1], WORDS[0]], False),
        ("paid", [str(31 * row) for row in range(ROWS)], False),
    ],
)
def test_an_identifier_is_told_from_a_measurement(name: str, texts: list[str], alone: bool) -> None:
    raw, schema = opened(**{name: texts})
    assert identifiers(raw, schema) == ((name,) if alone else ())
    assert identifiers(raw, schema, keep=[name]) == ()
    assert ("identifier" in needs_attention(raw, schema, ())[name]) == alone


def test_too_few_rows_tell_nothing_and_two_columns_stay() -> None:
    made = [text_column(np.arange(ROWS), WORDS), text_column(np.arange(ROWS), WORDS)]
    raw = RawTable(table_of(["a", "b"], made), usual("csv"))
    assert identifiers(raw, suggest_schema(raw).schema) == ()
    short = [text_column(np.arange(5), WORDS[:5])] * 3
    raw = RawTable(table_of(["a", "b", "c"], short), usual("csv"))
    assert identifiers(raw, suggest_schema(raw).schema) == ()


@pytest.mark.parametrize(
    ("name", "texts", "found"),
    [
        ("seen", [f"2020-0{1 + row % 9}-1{row % 9}" for row in range(ROWS)], ("date", "list")),
        ("seen", [f"{1 + row % 9}.3.2021" for row in range(ROWS)], ("date", "list")),
        ("place", [str(10_000 + 1_371 * (row % 50)) for row in range(ROWS)], ("codes", "bounds")),
        ("zip_code", [str(row % 40) for row in range(ROWS)], ("codes", "bounds")),
        ("wage", [str(10_000 + 500 * (row % 50)) for row in range(ROWS)], ("bounds",)),
        ("born", [str(1950 + row % 50) for row in range(ROWS)], ("bounds",)),
        ("job", [f"job {row % 7}" for row in range(ROWS)], ("list",)),
    ],
)
def test_the_most_pressing_comes_first(name: str, texts: list[str], found: tuple[str, ...]) -> None:
    raw, schema = opened(**{name: texts})
    kinds = needs_attention(raw, schema, ())[name]
    assert kinds == found
    assert sorted(kinds, key=list(ATTENTION).index) == list(kinds)


def test_what_is_known_from_a_source_no_longer_comes_from_the_file() -> None:
    raw, schema = opened(job=[f"job {row % 7}" for row in range(ROWS)])
    after = needs_attention(raw, set_origin(schema, "codebook", ["job", "age"]), ["age"])
    assert (after["job"], after["age"], after["sex"]) == ((), ("derived",), ("list",))
