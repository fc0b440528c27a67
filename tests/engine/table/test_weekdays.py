"""Days drawn within cells by a declared pattern of weekdays."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.report.dictionary import describe_column
from understudy.table.authoring.edits import with_range
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.schema import Schema
from understudy.table.times import DatesTimes, Times

WORKING = (5, 5, 5, 5, 5, 1, 0)


def dates(**settings: Any) -> Dates:
    """Dates of a little more than a year, in cells of a month."""
    ends = {"minimum": "2023-11-15", "maximum": "2025-01-03", "step": "month"}
    return Dates.read({**ends, "weekdays": WORKING, **settings})


def words(domain: Dates | DatesTimes, cell: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """As many consecutive words as the moments of a cell weigh together."""
    return np.arange(int(domain.even_weights[cell]), dtype=np.uint64)


@given(
    cell=st.integers(0, 14),
    pattern=st.lists(st.integers(0, 9), min_size=7, max_size=7),
    gaps=st.sets(st.integers(0, 415), max_size=30),
)
def test_each_day_of_a_cell_is_drawn_as_often_as_its_weekday_says(
    cell: int, pattern: list[int], gaps: set[int]
) -> None:
    """Exact: of as many consecutive words as its days weigh, each comes to as many as it weighs,
    and a day that stands for missing to none."""
    domain = dates(weekdays=tuple(pattern) if any(pattern) else WORKING)
    gone = {domain.minimum + place for place in gaps}
    domain = domain.with_gaps(gone)
    assume(cell < domain.size)
    held = [
        number
        for number in range(int(domain.minimum), int(domain.maximum) + 1)
        if number not in gone
        and int(domain.lattice.cells_of(domain.lattice.places(np.array([number])))[0]) == cell
    ]
    often = domain.weekdays or (1,) * 7
    weighed = {day: often[date.fromordinal(day).weekday()] for day in held}
    if not sum(weighed.values()):
        weighed = dict.fromkeys(held, 1)
    count = np.arange(sum(weighed.values()), dtype=np.uint64)
    places = domain.draw_places(np.full(len(count), cell), count)
    drawn = Counter(domain.lattice.whole_numbers(places).tolist())
    assert drawn == {day: weight for day, weight in weighed.items() if weight}


def test_days_with_times_keep_their_times_even_within_a_day() -> None:
    domain = DatesTimes.read(
        {"minimum": "2024-03-01 10:00", "maximum": "2024-03-31 23:59", "step": "month",
         "precision": "hour", "weekdays": WORKING},
    )  # fmt: skip
    drawn = domain.draw_places(np.zeros(len(words(domain, 0)), dtype=np.int64), words(domain, 0))
    hours = Counter(domain.lattice.whole_numbers(drawn).tolist())
    often = {1: 5, 2: 1, 3: None, 4: 5}
    for day, weight in often.items():
        minutes = (date(2024, 3, day).toordinal() * 24 + 12) * 60
        assert hours.get(minutes) == weight
    assert hours.get((date(2024, 3, 1).toordinal() * 24 + 9) * 60) is None


def test_an_even_pattern_is_none_and_draws_as_before() -> None:
    even, plain = dates(weekdays=(3,) * 7), dates(weekdays=())
    assert even == plain
    assert "weekdays" not in str(plain.substance())
    cells, drawn = np.arange(15), np.arange(15, dtype=np.uint64) * 7_919
    expected = plain.lattice.lowest_in(cells) + (drawn % plain.lattice.held_by(cells)).astype(int)
    assert plain.draw_places(cells, drawn).tolist() == expected.tolist()
    assert plain.even_weights.tolist() == plain.lattice.held_by(cells).tolist()


def test_a_cell_whose_days_never_occur_is_drawn_evenly() -> None:
    sundays = dates(minimum="2024-03-01", maximum="2024-03-10", step="day")
    assert sundays.even_weights.tolist() == [5, 1, 0, 5, 5, 5, 5, 5, 1, 0]
    assert sundays.draw_places(np.array([2, 9]), np.array([4, 5], np.uint64)).tolist() == [2, 9]


def test_it_is_part_of_what_is_declared_and_is_read_again() -> None:
    schema = Schema(columns=(Column(name="day", domain=dates()), Column(name="b", domain=dates())))
    declared = schema.declare_public()
    assert declared.declared
    other = with_range(schema.columns[0], weekdays="5, 5, 5, 5, 5, 1, 1")
    assert not declared.replace(other).declared
    assert Schema.from_json(schema.to_json()) == schema
    plain = schema.with_columns(
        [each.changed(domain=dates(weekdays=())) for each in schema.columns]
    )
    assert "weekdays" not in plain.to_json()
    assert plain.fingerprint != schema.fingerprint


def test_the_dictionary_says_how_days_are_drawn() -> None:
    about = describe_column(Column(name="day", domain=dates()), "values.csv").domain
    assert "drawn within each by declared weekdays (Mon 5, Tue 5, " in about
    plain = describe_column(Column(name="day", domain=dates(weekdays=())), "values.csv").domain
    assert plain.endswith("modelled in cells of 1 month and drawn evenly within each")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("5, 5, 5", "not seven whole numbers"),
        ("1,1,1,1,1,1,10001", "not seven whole numbers"),
        ("0,0,0,0,0,0,0", "No weekday ever occurs"),
        ("a lot", "not whole numbers"),
        ("1,1,1,1,1,1,-1", "not whole numbers"),
    ],
)
def test_other_weekdays_are_refused_at_their_field(typed: str, said: str) -> None:
    refusal = refused(with_range, Column(name="day", domain=dates()), weekdays=typed)
    assert said in refusal.problem
    assert refusal.field == "weekdays"


def test_moments_without_days_have_no_weekdays() -> None:
    refusal = refused(dates, precision="month", minimum="2023-11-01")
    assert refusal.field == "weekdays"
    assert "weekdays" not in {each.name for each in Times.settings}
