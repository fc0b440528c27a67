"""Numbers within cells under rules, judged by the slow oracle on the values of each record."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.engine.table.rules.oracle import (
    COLUMNS,
    RULES,
    Missing,
    Value,
    judge_slowly,
    list_records,
    list_values,
)
from understudy.core.refusal import Refusal
from understudy.privacy.randomness import Secret
from understudy.runs.table_file import WithinCells
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.records import Records
from understudy.table.rules import cell_numbers
from understudy.table.rules.boxes import CellBoxes
from understudy.table.rules.cases import Bound
from understudy.table.rules.conditions import ColumnValues
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema


def list_written(records: Records) -> list[dict[str, Value]]:
    """Return the values of each record as they stand in a file."""
    numbers = (
        {}
        if records.numbers is None
        else dict(zip(records.schema.measured_places, records.numbers.T, strict=True))
    )
    found = []
    for row, codes in enumerate(records.codes.tolist()):
        record: dict[str, Value] = {}
        for place, (column, code) in enumerate(zip(records.schema.columns, codes, strict=True)):
            values = list_values(column, code)
            if column.measured and not isinstance(values[0], Missing):
                ranged = column.domain.ranged
                assert ranged is not None
                where = ranged.lattice.places(numbers[place][row : row + 1])[0]
                value = Fraction(ranged.lattice.number(int(where)))
                assert value in values
                record[column.name] = value
            else:
                (record[column.name],) = values
        found.append(record)
    return found


def is_broken(schema: Schema, record: dict[str, Value]) -> bool:
    """Return whether a record breaks a rule."""
    return any(judge_slowly(rule.tree, record) is False for rule in schema.rules)


@settings(max_examples=60)
@given(st.lists(RULES, min_size=1, max_size=3, unique=True), st.data())
def test_numbers_break_no_rule_that_numbers_in_the_cells_can_meet(
    texts: list[str], data: st.DataObject
) -> None:
    rules = tuple(Rule(text=text) for text in texts)
    named = {name for rule in rules for name in rule.names}
    columns = tuple(each for each in COLUMNS if each.name in named)
    assume(2 <= len(columns) <= 4)
    schema = Schema(columns=columns, rules=rules)
    assume(schema.measured_places)
    sizes = schema.cardinalities.tolist()
    codes = tuple(data.draw(st.integers(0, size - 1)) for size in sizes)
    assume(any(not is_broken(schema, each) for each in list_records(columns, codes)))
    rows = np.array([codes] * 20, dtype=np.uint16)
    found = WithinCells(schema, Secret.fixed(data.draw(st.integers(0, 5)))).records(rows, 0)
    assert (found.codes == rows).all()
    assert not any(is_broken(schema, each) for each in list_written(found))


AMOUNT = Continuous(minimum=Decimal(0), maximum=Decimal(40), step=Decimal(10), precision=Decimal(1))
AMOUNTS = tuple(
    Column(name=name, domain=AMOUNT, missing=name == "late") for name in ("early", "late")
)


def ruled(*texts: str, columns: tuple[Column, ...] = AMOUNTS) -> Schema:
    """Return amounts under rules."""
    return Schema(columns=columns, rules=tuple(Rule(text=text) for text in texts))


def numbers_of(schema: Schema, rows: np.ndarray, first: int = 0) -> np.ndarray:
    """Return the numbers that are drawn for some codes."""
    found = WithinCells(schema, Secret.fixed(3)).records(rows.astype(np.uint16), first)
    assert found.numbers is not None
    return found.numbers


def test_they_are_spread_evenly_over_what_rules_leave() -> None:
    found = numbers_of(ruled("early <= late"), np.tile([1, 1], (40_000, 1)))
    seen = Counter(map(tuple, found.tolist()))
    left = [(a, b) for a in range(10, 20) for b in range(10, 20) if a <= b]
    assert set(seen) == set(left)
    share = 1 / len(left)
    spread = np.sqrt(40_000 * share * (1 - share))
    assert all(abs(each - 40_000 * share) <= 5 * spread for each in seen.values())


def test_numbers_that_break_nothing_are_those_of_a_table_without_rules() -> None:
    rows = np.random.default_rng(1).integers(0, 4, (500, 2))
    free, found = (
        numbers_of(Schema(columns=AMOUNTS), rows),
        numbers_of(ruled("early <= late"), rows),
    )
    met = ~(free[:, 0] > free[:, 1])
    assert (found[met] == free[met]).all()
    assert (rows[:, 0] <= rows[:, 1]).sum() > met.sum()


def test_missing_numbers_break_nothing() -> None:
    found = numbers_of(ruled("early <= late"), np.array([[3, 4]] * 50))
    assert np.isnan(found[:, 1]).all()
    assert (found[:, 0] >= 30).all()


def test_a_table_made_in_parts_has_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = ruled("late == early + 3")
    rows = np.tile([[1, 1], [2, 2], [0, 1]], (30, 1))
    whole = numbers_of(schema, rows)
    monkeypatch.setattr("understudy.runs.table_file._CELLS", 14)
    parts = [numbers_of(schema, rows[at : at + 7], at) for at in range(0, len(rows), 7)]
    assert (np.concatenate(parts) == whole).all()


def test_numbers_chosen_in_turn_depend_on_no_other_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some records have two cases, others one."""
    schema = ruled("late == early + 3 | late == early - 3")
    rows = np.tile([[1, 1], [2, 4], [2, 2], [1, 1], [0, 1]], (12, 1))
    monkeypatch.setattr(cell_numbers, "_DRAWS", 1)
    whole = numbers_of(schema, rows)
    alone = [numbers_of(schema, rows[at : at + 1], at) for at in range(len(rows))]
    assert np.array_equal(np.concatenate(alone), whole, equal_nan=True)
    apart = whole[:, 1] - whole[:, 0]
    assert {3.0, -3.0} <= set(apart.tolist())


def test_what_chance_hardly_meets_is_chosen_number_by_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sum of four amounts of 1,000 values each is exactly known."""
    wide = Continuous(minimum=Decimal(0), maximum=Decimal(999), step=Decimal(1000), precision=1)
    total = Continuous(minimum=Decimal(0), maximum=Decimal(4000), step=Decimal(4000), precision=1)
    names = ("a", "b", "c", "d")
    columns = (
        *(Column(name=name, domain=wide) for name in names),
        Column(name="total", domain=total),
    )
    schema = ruled("total == a + b + c + d", "a <= b", columns=columns)
    monkeypatch.setattr(cell_numbers, "_DRAWS", 2)
    found = numbers_of(schema, np.zeros((300, 5)))
    assert (found[:, :4].sum(axis=1) == found[:, 4]).all()
    assert (found[:, 0] <= found[:, 1]).all()
    assert len(set(found[:, 4].tolist())) > 200


def test_numbers_have_more_places_than_codes_have_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred million places, in ten cells: sums of them do not fit into 16 bits."""
    wide = Continuous(minimum=Decimal(0), maximum=10**8, step=10**7, precision=Decimal(1))
    columns = tuple(Column(name=name, domain=wide) for name in ("early", "late"))
    monkeypatch.setattr(cell_numbers, "_DRAWS", 1)
    schema = ruled("late == early + 3", "early >= 0 - 2 * late", columns=columns)
    found = numbers_of(schema, np.tile([[9, 9], [7, 7], [6, 7]], (10, 1)))
    assert (found[:, 1] == found[:, 0] + 3).all()


def test_other_cells_are_taken_where_cells_hold_no_numbers_together() -> None:
    """Each rule by itself can be met in the cells, and each two; all three cannot."""
    columns = tuple(Column(name=name, domain=AMOUNT) for name in ("a", "b", "c"))
    schema = ruled("b >= a + 4", "c >= b + 4", "c <= a + 7", columns=columns)
    with pytest.raises(Refusal, match="leave no values for some records"):
        WithinCells(schema, Secret.fixed(1)).records(np.ones((3, 3), dtype=np.uint16), 0)
    schema = ruled("b >= a + 6", "c >= b + 6", columns=columns)
    found = WithinCells(schema, Secret.fixed(1)).records(np.ones((50, 3), dtype=np.uint16), 0)
    assert not any(is_broken(schema, each) for each in list_written(found))


@given(st.data())
def test_boxes_are_drawn_in_alike_alone_and_together(data: st.DataObject) -> None:
    values = tuple(
        ColumnValues(place, Column(name=name, domain=AMOUNT)) for place, name in enumerate("abc")
    )
    pairs = st.permutations(values).map(lambda each: ((each[0], 1), (each[1], -1)))
    tests = [Bound(data.draw(pairs), data.draw(st.integers(-12, 12))) for _ in range(3)]
    codes = data.draw(arrays(np.int64, (3, 4), elements=st.integers(0, 3)))
    together = CellBoxes.of(values, list(codes), np.arange(4)).drawn_in(tests)
    for row in range(4):
        alone = CellBoxes.of(values, list(codes[:, row : row + 1]), np.array([row]))
        one, other = alone.drawn_in(tests), together.take(together.cells == row)
        assert [each.tolist() for each in (*one.low, *one.high)] == [
            each.tolist() for each in (*other.low, *other.high)
        ]
