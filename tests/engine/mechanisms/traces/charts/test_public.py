"""What is drawn of a plan, from public numbers alone."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from tests.engine.charts.rules import RULES
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import schema
from understudy.charts.public import PublicPicture, public_pictures
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.charts import curves, measured
from understudy.mechanisms.traces.guarantee import deviations, rho_of
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.tables import UNITS
from understudy.privacy.accounting.growth import advantage

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
    assert curves.right_guesses(asked) == pytest.approx(50 + 50 * advantage(rho_of(asked), least))
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
    found = measured.BY_CELLS[cells]
    at = [measured.foreseen(cells, each) for each in measured.PEOPLE_TIMES_EPSILON]
    assert at == pytest.approx(found.places)
    between = measured.foreseen(cells, math.sqrt(250 * 500))
    assert between == pytest.approx((found.places[0] + found.places[1]) / 2)
    assert measured.foreseen(cells, 1) == found.places[0]
    assert measured.foreseen(cells, 1e9) == found.places[-1]
    assert min(found.places) >= found.others
    assert np.diff(found.places).max() <= 1e-9


@pytest.mark.parametrize(("cells", "nearest"), [(1, 25), (49, 25), (51, 100), (900, 400)])
def test_the_nearest_map_is_taken(cells: int, nearest: int) -> None:
    assert measured.nearest(cells) == nearest


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
