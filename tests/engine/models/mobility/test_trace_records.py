"""Records and days, there and back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import days, lives, of_lives, records, schema
from understudy.models.mobility.trace_records import TraceColumns, codes_of, days_of, schema_of
from understudy.table.records import Records


@given(st.lists(lives(most_days=14), min_size=1, max_size=4), st.randoms())
def test_days_come_back_from_their_records_in_any_order(people: list, random: object) -> None:
    told = of_lives(people)
    rows = records(told)
    order = np.arange(len(rows))
    random.shuffle(order)  # type: ignore[attr-defined]
    found = days_of(rows.take(order), TraceColumns())
    assert (found.cells == told.cells).all()
    assert (found.weekend == told.weekend).all()
    assert (found.person == told.person).all()


def test_who_is_seen_late_was_there_before() -> None:
    codes = np.array([[2, 30, 5], [2, 40, 6]], dtype=np.uint16)
    found = days_of(Records(schema(), codes, whose=np.array([7, 7])), TraceColumns())
    assert found.cells[0, [0, 29, 30, 39, 40, 71]].tolist() == [5, 5, 5, 5, 6, 6]


def test_of_two_records_of_a_slot_the_later_one_holds() -> None:
    codes = np.array([[0, 3, 5], [0, 3, 6]], dtype=np.uint16)
    found = days_of(Records(schema(), codes, whose=np.array([0, 0])), TraceColumns())
    assert found.cells[0, 3] == 6


def test_made_days_are_written_as_arrivals() -> None:
    told = days([[(0, 1), (20, 2), (60, 1)], [(0, 1)]], [[(0, 3)], [(0, 3), (9, 4)]])
    rows = codes_of(told, first=10)
    assert rows.tolist() == [
        [10, 0, 0, 1], [10, 0, 20, 2], [10, 0, 60, 1], [10, 1, 0, 1],
        [11, 0, 0, 3], [11, 1, 0, 3], [11, 1, 9, 4],
    ]  # fmt: skip


def test_made_people_are_counted_from_one() -> None:
    found = schema_of(60, 3, schema().column("place").domain)
    assert found.names == ("trace", "day", "slot", "place")
    assert found.column("trace").texts[0] == "1"
    assert found.column("trace").cardinality == 60
    assert found.column("day").texts == ("0", "1", "2")
