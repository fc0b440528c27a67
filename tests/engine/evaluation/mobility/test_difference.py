"""Measures of days: their values, where they may lie, and how far from real people's. Distances of
counts, against what they are defined as.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.engine.evaluation.mobility.walking import homebodies, study
from tests.engine.models.mobility.town import TOWN
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.intervals import block_jackknife
from understudy.evaluation.measure import PEOPLE, RELEASED, UNIFORM
from understudy.evaluation.mobility.days import Seen, people_of
from understudy.evaluation.mobility.difference import (
    jensen_shannon,
    kendall,
    kolmogorov,
    relative_error,
    row_shares,
    top_kept,
    variation,
)
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


rows = st.lists(st.integers(0, 6), min_size=2, max_size=7)


@st.composite
def both(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two rows of counts, each of something."""
    one = draw(rows)
    other = draw(st.lists(st.integers(0, 6), min_size=len(one), max_size=len(one)))
    one[draw(st.integers(0, len(one) - 1))] += 1
    other[draw(st.integers(0, len(one) - 1))] += 1
    return np.array([one], float), np.array([other], float)


@given(both())
def test_distances_are_those_of_their_definitions(sides: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = sides
    p, q = one[0] / one.sum(), other[0] / other.sum()
    events = [
        abs(sum(p[list(which)]) - sum(q[list(which)]))
        for size in range(len(p) + 1)
        for which in combinations(range(len(p)), size)
    ]
    assert variation(one, other)[0] == pytest.approx(max(events))
    below = [abs(p[:end].sum() - q[:end].sum()) for end in range(1, len(p) + 1)]
    assert kolmogorov(one, other)[0] == pytest.approx(max(below))
    m = (p + q) / 2
    told = sum(
        each * math.log2(each / middle) / 2
        for side in (p, q)
        for each, middle in zip(side, m, strict=True)
        if each > 0
    )
    assert jensen_shannon(one, other)[0] == pytest.approx(told, abs=1e-12)
    assert jensen_shannon(one, other)[0] == pytest.approx(jensen_shannon(other, one)[0])


@given(both())
def test_kendall_counts_pairs_of_cells(sides: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = sides
    alike = sum(
        np.sign(one[0, a] - one[0, b]) * np.sign(other[0, a] - other[0, b])
        for a, b in combinations(range(one.shape[1]), 2)
    )
    found = kendall(one, other)[0]
    assert found == pytest.approx(alike / math.comb(one.shape[1], 2))
    if len(set(one[0])) == len(set(other[0])) == one.shape[1]:
        assert found == pytest.approx(stats.kendalltau(one[0], other[0]).statistic)


@given(both(), st.integers(1, 9))
def test_the_top_is_kept_where_it_is_found_again(
    sides: tuple[np.ndarray, np.ndarray], top: int
) -> None:
    one, other = sides
    size = min(top, one.shape[1])
    best = [
        set(sorted(range(one.shape[1]), key=lambda at: (-side[0, at], at))[:size])
        for side in (one, other)
    ]
    assert top_kept(top)(one, other)[0] == pytest.approx(len(best[0] & best[1]) / size)


def test_the_relative_error_has_a_floor() -> None:
    """Of 100 days 30 and 0 against 20 and 0 of 200; of 50 days, where the floor is a tenth."""
    error = relative_error(0.1)
    one, other = np.array([[30.0, 0, 100]]), np.array([[20.0, 10, 200]])
    assert error(one, other)[0] == pytest.approx(((0.3 - 0.1) / 0.1 + 0.05 / 0.1) / 2)
    assert error(other, other)[0] == 0


def test_nothing_has_no_shares() -> None:
    assert row_shares(np.array([[0.0, 0], [1, 3]])).tolist() == [[0, 0], [0.25, 0.75]]
    assert variation(np.zeros((1, 2)), np.array([[1.0, 0]]))[0] == 0.5
