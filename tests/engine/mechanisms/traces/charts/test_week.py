"""One made person's days as parts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from tests.engine.charts.rules import RULES
from tests.engine.models.mobility.town import TOWN, commuters, lives, of_lives
from understudy.charts import scales
from understudy.charts.ribbons import Part, named_day, ribbon, ribbon_table
from understudy.mechanisms.traces.charts import close
from understudy.table.positions.slots import SLOTS

NAMES = (*(f"p{cell}" for cell in range(TOWN.cells)), "outside")


@given(life=lives(most_days=9))
def test_the_parts_of_a_day_follow_on_each_other_from_midnight_to_midnight(
    life: list[list[int]],
) -> None:
    one = of_lives([life])
    found = close.parts(one, TOWN, NAMES)
    for day in range(len(life)):
        mine = sorted((each.start, each.end) for each in found if each.day == day)
        assert mine[0][0] == 0
        assert mine[-1][1] == SLOTS
        assert all(before[1] == after[0] for before, after in pairwise(mine))
        assert all(start < end for start, end in mine)


def test_a_commuter_is_at_home_at_work_and_elsewhere() -> None:
    one = close.days_of_one(commuters(5), 3)
    found = close.parts(one, TOWN, NAMES)
    monday = [each.sort for each in found if each.day == 0]
    assert monday == ["Home", "Work", "Elsewhere", "Home"]
    cells, said = close.stops(0, found, NAMES)
    assert [NAMES[cell] for cell in cells] == [each.place for each in found if each.day == 0]
    assert said[0].startswith("Home, 00:00")


def test_it_is_drawn_and_can_be_read_as_a_table() -> None:
    parts = [Part(0, 0, 25, "Home", "p1"), Part(0, 25, 26, "On the way"),
             Part(0, 26, 72, "Work", "p2"), Part(8, 0, 72, "Home", "p1")]  # fmt: skip
    spec = ribbon(parts, scales.note("")).to_dict()
    for rule in RULES:
        rule(spec)
    table = ribbon_table(parts)
    assert table["From"].tolist() == ["00:00", "08:20", "08:40", "00:00"]
    assert table["Day"].tolist() == ["Mon", "Mon", "Mon", "Tue 2"]
    assert named_day(6) == "Sun"
