"""How close made days come, drawn. What fakes without a guarantee give away: measured once, drawn,
and never without the warning. What is drawn of a plan, from public numbers alone. One made
person's days as parts.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from benchmarks import traces_attack
from tests.engine.charts.rules import RULES
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import TOWN, commuters, lives, of_lives, schema
from understudy.charts import scales
from understudy.charts.public import PublicPicture, public_pictures
from understudy.charts.ribbons import DayPart, named_day, ribbon, ribbon_table
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.charts import attacks, curves, fakes
from understudy.mechanisms.traces.charts import close as close_chart
from understudy.mechanisms.traces.charts.close import ASPECTS, close, close_table
from understudy.mechanisms.traces.charts.fakes import FOLD, NO_GUARANTEE, WARNING
from understudy.mechanisms.traces.guarantee import deviations, rho_of
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.tables import UNITS
from understudy.privacy.accounting.growth import guess_advantage
from understudy.report.report import draw_packet_pictures
from understudy.studies.traces.fakes.adversaries import ADVERSARIES, Privacy
from understudy.studies.traces.fakes.measures import Told
from understudy.table.positions.slots import SLOTS


def test_an_axis_that_a_bar_can_pass_is_not_of_100() -> None:
    """More than twice as many people may come to a place as do."""
    off = {each.name: 1.93 for each in ASPECTS}
    found: Any = SimpleNamespace(made=off, others=off)
    most = close_table(found).select_dtypes("number").to_numpy().max()
    title = close(found).to_dict()["layer"][0]["encoding"]["x"]["title"]
    assert most > 100
    assert "of 100" not in title


PLANNED = plan_run(plan(epsilon=2.0), schema())


@cache
def fakes_drawn() -> tuple[PublicPicture, PublicPicture]:
    found = {each.name: each for each in public_pictures(PLANNED)}
    return found["fakes"], found["counted"]


def test_the_figures_have_the_shape_of_those_that_the_benchmark_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def privacy(missed: float) -> tuple[Privacy, ...]:
        return tuple(
            Privacy(who, number, missed, 0, 1) for number in attacks.NUMBERS for who in ADVERSARIES
        )

    monkeypatch.setattr(traces_attack, "privacy_of_published", lambda *_: privacy(0.25))
    monkeypatch.setattr(traces_attack, "_among_made", lambda *_: privacy(0.75))
    monkeypatch.setattr(traces_attack, "told_present", lambda *_: Told(0.5, 0.125))
    printed = traces_attack.measure("tiny")
    shape = {kind: {who: len(each) for who, each in found.items()}
             for kind, found in printed["missed"].items()}  # fmt: skip
    assert shape == {
        kind: {who: len(each) for who, each in found.items()}
        for kind, found in attacks.MISSED.items()
    }
    assert printed["missed"]["published"]["naive"] == [0.25] * 4
    assert printed["missed"]["made"]["ratio"] == [0.75] * 4
    assert printed["told"] == {"hits": 0.5, "alarms": 0.125}


def test_what_is_said_is_what_was_measured() -> None:
    missed = attacks.MISSED[attacks.PUBLISHED]
    for naive, least, guess in zip(
        missed["naive"][1:], missed["contrarian"][1:], missed["guessing"][1:], strict=True
    ):
        assert naive > guess > least
    assert all(0 <= each <= 1 for found in attacks.MISSED.values()
               for values in found.values() for each in values)  # fmt: skip
    assert 0 <= attacks.ALARMS < attacks.HITS <= 1
    assert attacks.right() == Told(attacks.HITS, attacks.ALARMS).right


def test_a_row_of_the_table_is_a_number_of_fakes() -> None:
    table = fakes.missed_table()
    assert len(table) == len(attacks.KINDS) * len(attacks.NUMBERS)
    five = table[(table[fakes.KIND] == "Fakes as published") & (table[fakes.SENT] == 5)]
    for who, name in fakes.ADVERSARIES.items():
        exact = 100 * attacks.MISSED["published"][who][attacks.NUMBERS.index(5)]
        assert five[name].item() == pytest.approx(exact, abs=0.051)


def test_the_bound_of_the_plan_is_rounded_up_and_the_attack_down() -> None:
    asked = plan(epsilon=2.0)
    coin, ours, published = fakes.counted_table(asked)[fakes.RIGHT]
    assert coin == 50
    assert curves.right_guesses(asked) <= ours < curves.right_guesses(asked) + 0.1 + 1e-9
    assert 100 * attacks.right() - 0.1 - 1e-9 < published <= 100 * attacks.right() + 1e-9
    assert f"more than {ours:g} times" in fakes_drawn()[1].said
    assert f"is right {published:g} times" in fakes_drawn()[1].said
    assert math.isfinite(published)


@pytest.mark.parametrize("number", [0, 1])
def test_neither_is_ever_without_the_warning(number: int) -> None:
    one = fakes_drawn()[number]
    assert NO_GUARANTEE in WARNING
    assert "not this release" in WARNING
    assert one.warning == WARNING
    assert one.fold == FOLD
    assert one.alt.startswith(WARNING)
    assert one.export().heading.startswith(WARNING)


def test_a_packet_shows_no_picture_of_another_method() -> None:
    titles = {picture.title for picture in draw_packet_pictures(PLANNED)}
    assert titles == {each.title for each in public_pictures(PLANNED)} - {
        each.title for each in fakes_drawn()
    }


def test_they_are_of_nobody_in_a_plan() -> None:
    """The same whatever the plan, except for its own bound."""
    other = {each.name: each for each in public_pictures(plan_run(plan(), schema()))}
    assert other["fakes"].table.equals(fakes_drawn()[0].table)
    assert other["fakes"].said == fakes_drawn()[0].said
    assert not other["counted"].table.equals(fakes_drawn()[1].table)


NAMES = ("person", "guesses", "errors", "map", "fakes", "counted")


@cache
def pictures() -> tuple[PublicPicture, ...]:
    return public_pictures(plan_run(plan(public_people=500, gathered=2), schema()))


def test_there_is_one_for_each_question() -> None:
    assert tuple(each.name for each in pictures()) == NAMES


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("number", range(len(NAMES)))
def test_each_keeps_the_rules_of_charts_and_can_be_drawn(rule, number) -> None:  # type: ignore[no-untyped-def]
    rule(pictures()[number].figure.to_dict())


def test_none_is_internal_and_each_is_a_file() -> None:
    for each in pictures():
        carried = each.export("a plan")
        assert not carried.internal
        assert b"<svg" in carried.svg()
        assert len(each.table)


def test_the_guess_is_that_of_the_noise_of_the_plan() -> None:
    asked = plan(epsilon=2.0)
    least = min(deviations(asked).values()) * UNITS
    assert curves.right_guesses(asked) == pytest.approx(
        50 + 50 * guess_advantage(rho_of(asked), least)
    )
    table = curves.guesses_table(asked)
    assert table["ε"].is_monotonic_increasing
    assert table[curves.GUESS].is_monotonic_increasing
    assert (table[curves.GUESS] > 50).all()


def test_a_guess_that_is_said_of_all_is_rounded_up() -> None:
    said = pictures()[1].said
    told = float(said.partition("right more than ")[2].split()[0])
    exact = curves.right_guesses(plan())
    assert exact <= told < exact + 0.1 + 1e-9


@pytest.mark.parametrize("cells", [25, 100, 400])
def test_what_is_foreseen_lies_between_the_figures(cells: int) -> None:
    found = curves.BY_CELLS[cells]
    at = [curves.foresee_error(cells, each) for each in curves.PEOPLE_TIMES_EPSILON]
    assert at == pytest.approx(found.places)
    between = curves.foresee_error(cells, math.sqrt(250 * 500))
    assert between == pytest.approx((found.places[0] + found.places[1]) / 2)
    assert curves.foresee_error(cells, 1) == found.places[0]
    assert curves.foresee_error(cells, 1e9) == found.places[-1]
    assert min(found.places) >= found.others
    assert np.diff(found.places).max() <= 1e-9


@pytest.mark.parametrize(("cells", "nearest"), [(1, 25), (49, 25), (51, 100), (900, 400)])
def test_the_nearest_map_is_taken(cells: int, nearest: int) -> None:
    assert curves.nearest(cells) == nearest


def test_who_is_publicly_there_is_marked_and_nobody_else() -> None:
    unsaid = public_pictures(plan_run(plan(), schema()))[2]
    assert unsaid.shape is not None
    assert unsaid.shape.marked is None
    assert "Say how many people" in unsaid.said
    marked = pictures()[2].shape
    assert marked is not None
    assert marked.marked == 500.0
    assert curves.place_plan(TracesPlan(domain="", public_people=3), (250, 50_000)) == 250


def test_the_map_says_how_many_people_it_needs() -> None:
    table = pictures()[3].table
    assert table["Cells of the map"].tolist() == [12, 4, 2, 1]
    assert table["People needed at ε = 1"].tolist() == [120, 40, 20, 10]
    assert table["This plan"].tolist() == ["", "yes", "", ""]


WEEK_NAMES = (*(f"p{cell}" for cell in range(TOWN.cells)), "outside")


@given(life=lives(most_days=9))
def test_the_parts_of_a_day_follow_on_each_other_from_midnight_to_midnight(
    life: list[list[int]],
) -> None:
    one = of_lives([life])
    found = close_chart.day_parts(one, TOWN, WEEK_NAMES)
    for day in range(len(life)):
        mine = sorted((each.start, each.end) for each in found if each.day == day)
        assert mine[0][0] == 0
        assert mine[-1][1] == SLOTS
        assert all(before[1] == after[0] for before, after in pairwise(mine))
        assert all(start < end for start, end in mine)


def test_a_commuter_is_at_home_at_work_and_elsewhere() -> None:
    one = close_chart.days_of_one(commuters(5), 3)
    found = close_chart.day_parts(one, TOWN, WEEK_NAMES)
    monday = [each.sort for each in found if each.day == 0]
    assert monday == ["Home", "Work", "Elsewhere", "Home"]
    cells, said = close_chart.day_stops(0, found, WEEK_NAMES)
    assert [WEEK_NAMES[cell] for cell in cells] == [each.place for each in found if each.day == 0]
    assert said[0].startswith("Home, 00:00")


def test_it_is_drawn_and_can_be_read_as_a_table() -> None:
    parts = [DayPart(0, 0, 25, "Home", "p1"), DayPart(0, 25, 26, "On the way"),
             DayPart(0, 26, 72, "Work", "p2"), DayPart(8, 0, 72, "Home", "p1")]  # fmt: skip
    spec = ribbon(parts, scales.note("")).to_dict()
    for rule in RULES:
        rule(spec)
    table = ribbon_table(parts)
    assert table["From"].tolist() == ["00:00", "08:20", "08:40", "00:00"]
    assert table["Day"].tolist() == ["Mon", "Mon", "Mon", "Tue 2"]
    assert named_day(6) == "Sun"
