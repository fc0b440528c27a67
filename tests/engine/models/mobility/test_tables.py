"""What one person adds, and that no other person changes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import TOWN, days, lives, of_lives
from understudy.models.mobility.geography import BINS
from understudy.models.mobility.stays import (
    HOME,
    LISTED,
    OTHER,
    OTHER_PATTERN,
    WORK,
    anchors,
    numbers,
    stays,
)
from understudy.models.mobility.tables import (
    BACK_TO_WORK,
    FROM_ELSEWHERE,
    FROM_HOME,
    FROM_WORK,
    UNITS,
    added_up,
    count_entries,
    layout,
    outing,
)
from understudy.samples import city


@given(st.lists(lives(), min_size=1, max_size=3), st.data())
def test_one_person_moves_each_table_by_its_clip_at_most(
    people: list[list[list[int]]], data: st.DataObject
) -> None:
    """However many days, wherever they are: exactly, in whole units."""
    gone = data.draw(st.integers(0, len(people) - 1))
    rest = [each for number, each in enumerate(people) if number != gone]
    whole = added_up(of_lives(people), TOWN)
    without = added_up(of_lives(rest), TOWN)
    for table in layout(TOWN):
        gap = whole[table.name] - without[table.name]
        assert int((gap.astype(object) ** 2).sum()) <= (table.clip * UNITS) ** 2, table.name


@given(st.lists(lives(most_days=9), min_size=2, max_size=4))
def test_tables_are_sums_over_people(people: list[list[list[int]]]) -> None:
    whole = added_up(of_lives(people), TOWN)
    for table, entries in zip(layout(TOWN), count_entries(of_lives(people), TOWN), strict=True):
        # A cell beyond the last would be one of the next person's.
        assert np.isin(entries.cell, np.arange(table.cells)).all(), table.name
    alone = [added_up(of_lives([each]), TOWN) for each in people]
    for name, counts in whole.items():
        assert counts.tolist() == sum(each[name] for each in alone).tolist(), name


def test_the_shares_of_rho_are_all_of_it() -> None:
    assert sum(table.share for table in layout(TOWN)) == pytest.approx(1, abs=1e-12)
    assert all(table.share > 0 and table.clip > 0 for table in layout(TOWN))


def test_a_day_at_work_is_counted_as_what_it_is() -> None:
    """Home in cell 0, work in cell 3 from slot 25 on, cell 6 from 50 to 54, home again."""
    told = days([[(0, 0), (25, 3), (50, 6), (55, 0)]] * 1)
    found = {name: each / UNITS for name, each in added_up(told, TOWN).items()}
    one = pytest.approx(1, abs=2 / UNITS)
    assert found["home cells"][0] == one
    assert found["work zones"][TOWN.zone[3]] == one
    assert found["commute"][TOWN.bin[0, 3]] == one
    assert found["other cells"][6] == pytest.approx(0.65, abs=2 / UNITS)
    clipped = pytest.approx(0.8, abs=2 / UNITS)
    assert found["from the last place"][FROM_WORK * BINS + TOWN.bin[3, 6]] == clipped
    assert found["from home"][TOWN.bin[0, 6]] == clipped
    patterns = found["patterns"].reshape(3, OTHER_PATTERN + 1)
    assert np.flatnonzero(patterns[0]).tolist() == [LISTED.index("HWOH")]
    assert found["commute"][BINS] == 0
    assert found["times"][:72].nonzero()[0].tolist() == [25]


def test_who_has_no_work_says_so() -> None:
    told = days([[(0, 0), (60, 5), (66, 0)]])
    found = added_up(told, TOWN)
    assert found["work cells"].sum() == 0
    assert found["commute"][BINS] == pytest.approx(UNITS, abs=2)


def test_a_return_is_to_where_one_was_on_an_earlier_day() -> None:
    out = [(0, 0), (60, 5), (66, 0)]
    for second, expected in ((out, [UNITS / 2, 0]), ([(0, 0), (60, 6), (66, 0)], [0, UNITS / 2])):
        assert added_up(days([out, second]), TOWN)["returns"].tolist() == pytest.approx(
            expected, abs=2
        )


def test_whether_somebody_returns_hangs_on_nobody_else() -> None:
    """Others have been in the very place, or in the last one where it is the first."""
    out = [[(0, 0), (60, 11), (66, 0)], [(0, 0)]]
    there, first = ([[(0, 5)], [(0, 5), (60, cell), (66, 5)]] for cell in (11, 0))
    found = added_up(days(out, there, first), TOWN)["returns"]
    alone = [added_up(days(each), TOWN)["returns"].tolist() for each in (out, there, first)]
    assert alone == [[0, 0], [0, UNITS // 2], [0, UNITS // 2]]
    assert found.tolist() == np.sum(alone, axis=0).tolist()


def test_nearly_all_days_of_the_city_have_a_listed_pattern() -> None:
    """So that little of what people do is told as the rest."""
    people = city.simulate(150, 5).astype(np.int64)
    told = of_lives(people.tolist())
    found = stays(told, anchors(told, city.CELLS), city.CELLS)
    assert (numbers(found, len(told.cells)) != OTHER_PATTERN).mean() > 0.97


def test_how_people_come_to_be_elsewhere_hangs_on_what_is_before_and_after() -> None:
    before = np.array([HOME, HOME, WORK, WORK, OTHER])
    after = np.array([HOME, WORK, WORK, HOME, WORK])
    expected = [FROM_HOME, FROM_HOME, BACK_TO_WORK, FROM_WORK, FROM_ELSEWHERE]
    assert outing(before, after).tolist() == expected


def test_who_comes_from_home_tells_of_that_distance_once() -> None:
    found = added_up(days([[(0, 0), (60, 5), (66, 0)]]), TOWN)
    assert found["from home"].sum() == 0
    assert found["from the last place"][FROM_HOME * BINS + TOWN.bin[0, 5]] > 0
