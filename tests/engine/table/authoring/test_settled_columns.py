"""Columns that another column settles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from understudy.table.authoring.settled_columns import derived_columns, settling_columns
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.declared_reading import usual
from understudy.table.raw import RawTable, table_of, text_column

ROWS = 3000
CHANCE = np.random.default_rng(11)
CODES = CHANCE.integers(0, 60, ROWS)
PAY = CHANCE.integers(0, 700, ROWS)
EXCEPT = np.where(np.arange(ROWS) % 300 == 7, 3, 0)


def table(**columns: Sequence[object]) -> RawTable:
    made = [text_column(np.arange(ROWS), [str(each) for each in told]) for told in columns.values()]
    return RawTable(table_of(list(columns), made), usual("csv"))


def found(**columns: Sequence[object]) -> dict[str, str]:
    raw = table(**columns)
    return derived_columns(settling_columns(raw, raw.names), raw.names)


def test_a_code_settles_its_group_but_no_group_its_code() -> None:
    assert found(group=CODES // 10, code=CODES) == {"group": "code"}
    assert found(code=CODES, group=(CODES // 10 + EXCEPT) % 6) == {"group": "code"}
    assert found(code=CODES, group=CODES // 10, other=CHANCE.integers(0, 6, ROWS)) == {
        "group": "code"
    }


def test_of_two_names_for_one_thing_the_later_is_derived() -> None:
    assert found(name=[f"n{each}" for each in CODES], number=CODES) == {"number": "name"}
    assert found(number=CODES, name=[f"n{each}" for each in CODES]) == {"name": "number"}


def test_the_shortest_list_that_settles_a_column_is_named() -> None:
    assert found(code=CODES, group=CODES // 10, part=CODES // 30) == {
        "group": "code",
        "part": "group",
    }


def test_without_the_shortest_the_next_is_named() -> None:
    raw = table(code=CODES, group=CODES // 10, part=CODES // 30)
    settling = settling_columns(raw, raw.names)
    assert settling["part"] == ("group", "code")
    assert derived_columns(settling, ["code", "part"]) == {"part": "code"}
    assert derived_columns(settling, ["part"]) == {}


def test_an_amount_settles_its_tenth() -> None:
    tenth = np.searchsorted(np.quantile(PAY, np.arange(0.1, 1, 0.1)), PAY)
    assert found(pay=PAY, tenth=tenth) == {"tenth": "pay"}
    # Of most amounts there is one record: it is the order that shows it.
    many = CHANCE.integers(0, 8000, ROWS)
    assert found(pay=many, tenth=many // 800) == {"tenth": "pay"}


@pytest.mark.parametrize(
    "columns",
    [
        {"code": CODES, "other": CHANCE.integers(0, 6, ROWS)},
        # Two records of each, which agree by chance in half of all.
        {"pair": CHANCE.permutation(ROWS) // 2, "sex": CHANCE.integers(0, 2, ROWS)},
        {"row": np.arange(ROWS), "year": np.arange(ROWS) // 300},
        {"word": [f"w{each}" for each in range(ROWS)], "year": np.arange(ROWS) // 300},
        {"person": np.arange(ROWS) // 6, "sex": np.repeat(CHANCE.integers(0, 2, ROWS // 6), 6)},
        {"code": np.arange(ROWS) // 15, "rare": np.arange(ROWS) < 15},
        {"code": CODES, "group": np.where(np.arange(ROWS) % 10 == 7, 0, CODES // 10)},
        {"code": CODES, "same": [1] * ROWS},
    ],
    ids=["unrelated", "pairs", "count", "words", "person", "rare", "a tenth off", "constant"],
)
def test_nothing_else_is_settled(columns: dict[str, Sequence[object]]) -> None:
    assert found(**columns) == {}


def test_its_note_names_the_other_and_what_to_do() -> None:
    suggested = suggest_schema(table(code=CODES, group=[f"g{each // 10}" for each in CODES]))
    (note,) = (each for each in suggested.notes["group"] if "settles" in each)
    assert note.startswith("“code” settles this column")
    assert "Leave one of them out" in note
    assert not any("settles" in each for each in suggested.notes["code"])
