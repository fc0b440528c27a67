"""What one person adds, and that no other person changes it. Days as stays, against a walk through
each day slot by slot.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

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
    Days,
    anchors,
    numbers,
    stays,
    visits,
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
from understudy.table.positions.slots import SLOTS


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


def plain_anchors(told: Days, person: int) -> tuple[int, int]:
    mine = [day for day in range(len(told.person)) if told.person[day] == person]
    night = Counter(int(cell) for day in mine for cell in told.cells[day, :18] if cell < TOWN.cells)
    home = min(night, key=lambda cell: (-night[cell], cell)) if night else -1
    office = [int(cell) for day in mine if not told.weekend[day] for cell in told.cells[day, 27:51]]
    elsewhere = Counter(cell for cell in office if cell < TOWN.cells and cell != home)
    if not elsewhere:
        return home, -1
    work = min(elsewhere, key=lambda cell: (-elsewhere[cell], cell))
    return home, work if elsewhere[work] * 4 >= len(office) else -1


def plain_stays(cells: list[int], home: int, work: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int]] = []
    slot = 0
    for cell, run in groupby(cells):
        length = len(list(run))
        if length >= 2 and cell < TOWN.cells and (not found or found[-1][1] != cell):
            found.append((slot if found else 0, cell))
        slot += length
    sorts = {home: HOME, work: WORK} if work >= 0 else {home: HOME}
    return [(start, cell, sorts.get(cell, OTHER)) for start, cell in found]


@given(st.lists(lives(most_days=9), min_size=1, max_size=4))
def test_stays_are_what_a_walk_through_the_day_finds(people: list[list[list[int]]]) -> None:
    told = of_lives(people)
    at = anchors(told, TOWN.cells)
    for person in range(len(people)):
        assert (at.home[person], at.work[person]) == plain_anchors(told, person)
    found = stays(told, at, TOWN.cells)
    for day in range(len(told.cells)):
        mine = found.day == day
        person = told.person[day]
        plain = plain_stays(told.cells[day].tolist(), int(at.home[person]), int(at.work[person]))
        ours = [found.start[mine], found.cell[mine], found.sort[mine]]
        assert list(zip(*(each.tolist() for each in ours), strict=True)) == plain


def test_a_stay_ends_where_the_next_begins() -> None:
    told = days([[(0, 2), (30, 5), (31, 6), (50, 2)], [(0, 2)]])
    found = stays(told, anchors(told, TOWN.cells), TOWN.cells)
    assert found.start.tolist() == [0, 31, 50, 0]
    assert found.end.tolist() == [31, 50, SLOTS, SLOTS]
    assert found.first.tolist() == [True, False, False, True]
    assert found.last.tolist() == [False, False, True, True]


def test_work_takes_a_quarter_of_the_office_hours() -> None:
    for slots, work in ((5, -1), (6, 3)):
        told = days([[(0, 1), (30, 3), (30 + slots, 1)]])
        assert anchors(told, TOWN.cells).work.tolist() == [work]


def test_weekends_say_nothing_of_work() -> None:
    told = days([[(0, 1), (27, 3), (60, 1)]], first=5)
    assert anchors(told, TOWN.cells).work.tolist() == [-1]


def test_nobody_is_no_trouble() -> None:
    nobody = Days(np.zeros((0, SLOTS), np.int64), np.zeros(0, bool), np.zeros(0, np.int64))
    assert len(stays(nobody, anchors(nobody, TOWN.cells), TOWN.cells).day) == 0


def plain_visits(cells: list[int]) -> list[tuple[int, int]]:
    """(start, cell) of the stays of a day, and the furthest slot off each way between two."""
    runs, slot = [], 0
    for cell, run in groupby(cells):
        length = len(list(run))
        runs.append((slot, cell, length))
        slot += length
    kept = [number for number, (_, cell, length) in enumerate(runs) if length >= 2 and cell < 12]
    found = list(kept)
    for one, other in pairwise(kept):
        first, last = runs[one][1], runs[other][1]
        best, most = None, SLOW.km_a_slot
        for number in range(one + 1, other):
            at = runs[number][1]
            if at == TOWN.cells:
                continue
            far = TOWN.apart[first, at] + TOWN.apart[at, last] - TOWN.apart[first, last]
            if far > most or (far == most and best is None):
                best, most = number, far
        if best is not None:
            found.append(best)
    told: list[tuple[int, int]] = []
    for number in sorted(found):
        start, cell, _ = runs[number]
        if not told or told[-1][1] != cell:
            told.append((start if told else 0, cell))
    return told


SLOW = TOWN.model_copy(update={"km_a_slot": 3.0})


@given(st.lists(lives(most_days=5), min_size=1, max_size=3))
def test_visits_are_stays_and_what_lies_far_off_the_way(people: list[list[list[int]]]) -> None:
    told = of_lives(people)
    found = visits(told, anchors(told, TOWN.cells), SLOW)
    for day in range(len(told.cells)):
        mine = found.day == day
        ours = list(zip(found.start[mine].tolist(), found.cell[mine].tolist(), strict=True))
        assert ours == plain_visits(told.cells[day].tolist())
