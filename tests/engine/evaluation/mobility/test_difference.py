"""Measures of days: their values, where they may lie, and how far from real people's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.evaluation.mobility.walking import homebodies, study
from tests.engine.models.mobility.town import TOWN
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.intervals import block_jackknife
from understudy.evaluation.measure import PEOPLE, RELEASED, UNIFORM
from understudy.evaluation.mobility.days import Seen, people_of
from understudy.evaluation.mobility.measures import lives, population
from understudy.evaluation.mobility.registry import FIGURES, MEASURES, compare_days
from understudy.evaluation.registry import abouts
from understudy.evaluation.relative_score import excess, standing


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, float]]:
    """Every measure of a small study, by key and table."""
    evaluation = evaluate(study(), MEASURES, lambda done, name: None)
    for each in evaluation.findings:
        assert not each.trouble, (each.key, each.trouble)
    return {
        each.key: {name: of.value for name, of in each.by_subject.items()}
        for each in evaluation.findings
    }


def test_every_measure_stays_within_its_range(found: dict[str, dict[str, float]]) -> None:
    assert list(found) == [each.about.key for each in MEASURES]
    for key, values in found.items():
        about = abouts()[key]
        assert set(values) == {PEOPLE, UNIFORM, RELEASED}
        for value in values.values():
            assert about.low <= value <= about.high, key


def test_figures_are_the_measures_without_their_intervals(
    found: dict[str, dict[str, float]],
) -> None:
    told = study()
    released = told.of("released")
    assert released is not None
    figures = compare_days(released.seen, told.held_out)
    for name, measure in FIGURES.items():
        assert figures[name] == pytest.approx(found[measure.about.key][RELEASED], abs=1e-12), name


def test_days_beside_themselves_differ_in_nothing() -> None:
    days = Seen(homebodies(60, 4), TOWN)
    figures = compare_days(days, days)
    assert figures.pop("kept") == 1
    assert set(figures.values()) == {0.0}


def test_an_interval_comes_from_leaving_people_out() -> None:
    """The people of a block out of both sides, measured anew."""
    told = study()
    released = told.of("released")
    assert released is not None
    blocks = [told.blocks(name, 80) for name in (RELEASED, "held out")]
    without = []
    for left in range(20):
        sides = (
            people_of(seen, np.flatnonzero(block != left))
            for seen, block in zip((released.seen, told.held_out), blocks, strict=True)
        )
        without.append(compare_days(*sides)["flows"])
    measured = population.FLOWS.measure(told)[RELEASED]
    wanted = block_jackknife(measured.value, np.array(without))
    assert measured.interval is not None
    assert measured.interval.low == pytest.approx(max(0, wanted.low))
    assert measured.interval.high == pytest.approx(min(1, wanted.high))
    assert population.TOP_KEPT.measure(told)[RELEASED].interval is None


def test_what_too_few_days_cannot_tell_is_refused() -> None:
    short = homebodies(60, 2, days=2)
    told = study(short)
    one_day = [each for each in study().tables if each.name == RELEASED]
    assert lives.GROWTH.measure(told).keys() == {PEOPLE, UNIFORM}
    assert lives.GROWTH.measure(told)[PEOPLE].interval is not None
    assert one_day
    alone = type(told)(
        tuple(each for each in told.tables if each.name == RELEASED),
        told.held_out,
        members=told.members,
        key=1,
    )
    with pytest.raises(Refusal, match="too few days"):
        lives.GROWTH.measure(alone)


def test_excess_is_how_much_further_off_than_real_people() -> None:
    evaluation = evaluate(study(), MEASURES, lambda done, name: None)
    for each in evaluation.findings:
        about = abouts()[each.key]
        values = {name: of.value for name, of in each.by_subject.items()}
        beyond = excess(about, each)
        if about.group == "disclosure":
            assert beyond == {}
            continue
        off = values[RELEASED] - values[PEOPLE]
        if about.better == "as real":
            assert beyond == {RELEASED: pytest.approx(abs(off))}
        elif about.ideal is not None:
            shorts = [abs(values[name] - about.ideal) for name in (RELEASED, PEOPLE)]
            assert beyond == {RELEASED: pytest.approx(shorts[0] - shorts[1])}
        else:
            assert beyond == {RELEASED: pytest.approx(off if about.better == "lower" else -off)}


def test_people_who_know_nothing_but_the_map_are_the_lower_end_of_the_scale() -> None:
    from understudy.evaluation.mobility.days import DaysStudy, DaysTable, uniform_days

    told = study()
    nobody = uniform_days(TOWN, 80, (False,) * 5, np.random.default_rng(1))
    tables = tuple(
        DaysTable(UNIFORM, "marginals", Seen(nobody, TOWN)) if each.name == UNIFORM else each
        for each in told.tables
    )
    other = DaysStudy(tables, told.held_out, members=told.members, key=1)
    (finding,) = evaluate(other, [population.STAYS], lambda done, name: None).findings
    placed = standing(population.STAYS.about, finding)
    assert placed is not None
    assert placed[RELEASED].value == pytest.approx(1, abs=0.3)
