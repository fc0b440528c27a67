"""The search, with its law taken apart: every path that choices can take, and how likely it is.
Lines, units, and records by a sequence of regressions. How long choosing takes, foreseen: every
table that is counted is counted here, and no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.pmse.tables import ROWS, plan, schema
from tests.support import category_schema
from understudy.core.arrays import IntArray
from understudy.core.progress import on_stage, read_count
from understudy.mechanisms.expected_utility import foresee_seconds
from understudy.mechanisms.pmse import model_search
from understudy.mechanisms.pmse.expected_utility import _tables, seconds_a_candidate
from understudy.mechanisms.pmse.gini import Gini, largest, sensitivity
from understudy.mechanisms.pmse.guarantee import Costs
from understudy.mechanisms.pmse.mechanism import drawn_records
from understudy.mechanisms.pmse.model_search import (
    ChosenModel,
    PublicSearch,
    Stage,
    around_point,
    evenly,
    over_prior,
    published_signal,
    published_volume,
    score_candidates,
    search,
    signal,
    stages_of,
)
from understudy.mechanisms.pmse.regressions import Made, common_numbers, simulate_units
from understudy.mechanisms.pmse.released_figures import list_parameters
from understudy.mechanisms.pmse.units import Line, lines_of, mirror_points, units_of
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=(
        Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(3))),
        Column(name="y", domain=Categories(values=("a", "b"))),
    )
)
EPSILON = 1.5
CANDIDATES = 3


def setting(partitions: Any = "depth-two", made: int = 6) -> PublicSearch:
    units = units_of(SCHEMA, SCHEMA.names, 2, narrowest=0.05, middles={})
    return PublicSearch(
        SCHEMA, units, lines_of(SCHEMA, ()), common_numbers(units, made, 1), partitions, 4, 1, 1
    )


def stages(search: Any = "columns", rounds: int = 1) -> tuple[Stage, ...]:
    found = stages_of(setting().units, search, rounds, 4 * CANDIDATES, 0.5)
    return tuple(
        Stage(s.units, s.round, s.prior, s.share, s.width, CANDIDATES, s.shrinks) for s in found
    )


def flipped(scores: IntArray, scale: float) -> list[float]:
    """The law of permute-and-flip: accepted with e^{(score − best)/scale} in an even order."""
    accepted = np.exp((scores - scores.max()) / scale)
    found = []
    for place in range(len(scores)):
        others = np.delete(accepted, place)
        total = 0.0
        for chosen in product((0, 1), repeat=len(others)):
            size = sum(chosen)
            sign = math.prod(-float(p) for p, c in zip(others, chosen, strict=True) if c)
            total += sign / (size + 1)
        found.append(float(accepted[place]) * total)
    return found


def law(
    codes: Any, planned: tuple[Stage, ...], chances: Callable[[IntArray, float], list[float]]
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every path of choices with its probability."""
    for path in product(range(CANDIDATES), repeat=len(planned)):
        left, probability = list(path), [1.0]

        def select(
            scores: IntArray, share: float, left: Any = left, into: Any = probability
        ) -> int:
            here = left.pop(0)
            into[0] *= chances(scores, share)[here]
            return int(here)

        search(setting(), planned, codes, select)
        yield path, probability[0]


def test_the_whole_search_costs_no_more_than_is_said() -> None:
    """Over every neighbouring pair of a few tables: ln of the ratio of every path."""
    gini, planned = Gini(6), stages()[:3]
    total = sum(each.share for each in planned)

    def chances(scores: IntArray, share: float) -> list[float]:
        return flipped(scores, 2 * gini.sensitivity / (EPSILON * share / total))

    random = np.random.default_rng(2)
    widest = 0.0
    for _ in range(6):
        table = np.column_stack([random.integers(0, 4, 4), random.integers(0, 2, 4)])
        other = table.copy()
        other[0] = 3 - other[0, 0], 1 - other[0, 1]
        one, two = (dict(law(each, planned, chances)) for each in (table, other))
        assert sum(one.values()) == pytest.approx(1)
        widest = max(widest, max(abs(math.log(one[path] / two[path])) for path in one))
    assert 0.1 < widest <= EPSILON


@pytest.mark.parametrize("partitions", ["crossed", "stump", "depth-two", "forest", "guillotine"])
@pytest.mark.parametrize("search_", ["columns", "whole"])
def test_no_record_moves_a_score_further_than_is_said(partitions: Any, search_: Any) -> None:
    random = np.random.default_rng(5)
    made, gini = setting(partitions), Gini(6)
    for stage in stages(search_, 2):
        centre = None if stage.round == 0 else over_prior(stage.prior, 1)[0]
        points = over_prior(stage.prior, 20)
        before = Made()
        if stage.units[0]:
            first = [made.units[place].prior for place in range(stage.units[0])]
            from understudy.mechanisms.pmse.regressions import simulate_units

            units = made.units[: stage.units[0]]
            chosen = np.concatenate([over_prior(each, 1) for each in first], axis=1)
            chance = made.chance[: len(units)]
            before = simulate_units(units, made.lines, chosen, Made(), chance)
        for _ in range(5):
            table = np.column_stack([random.integers(0, 4, 5), random.integers(0, 2, 5)])
            other = table.copy()
            other[0] = random.integers(0, 4), 1 - other[0, 1]
            one, two = (
                score_candidates(made, stage, points, before, each, centre)
                for each in (table, other)
            )
            assert np.abs(one - two).max() <= gini.sensitivity


def test_scores_do_not_hang_on_how_many_are_scored_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from understudy.mechanisms.pmse import model_search

    stage = stages("whole")[0]
    points = over_prior(stage.prior, 30)
    codes = np.random.default_rng(1).integers(0, 2, (9, 2))
    together = score_candidates(setting(), stage, points, Made(), codes, None)
    monkeypatch.setattr(model_search, "_MOST", 1)
    alone = score_candidates(setting(), stage, points, Made(), codes, None)
    assert together.tolist() == alone.tolist()


def test_scores_of_a_first_stage_are_made_once() -> None:
    known: dict[int, IntArray] = {}
    codes = np.zeros((5, 2), dtype=np.int64)
    asked: list[IntArray] = []

    def largest(scores: IntArray, _: float) -> int:
        asked.append(scores)
        return int(np.argmax(scores))

    for _ in range(2):
        search(setting(), stages(), codes, largest, known)
    kept = known[0].copy()
    np.testing.assert_array_equal(kept, -asked[0])
    assert not np.array_equal(kept, -asked[1])
    known[0] = np.arange(CANDIDATES)[::-1].copy()
    seen: list[int] = []

    def select(scores: IntArray, _: float) -> int:
        seen.append(int(scores[0]))
        return 0

    search(setting(), stages(), codes, select, known)
    assert seen[0] == -(CANDIDATES - 1)
    assert len(kept) == CANDIDATES


def test_candidates_are_the_same_for_everybody_and_even() -> None:
    points = evenly(4096, 3)
    assert np.array_equal(points, evenly(4096, 3))
    assert ((points > 0) & (points < 1)).all()
    cells = np.ravel_multi_index((points * 4).astype(int).T, (4, 4, 4))
    assert np.abs(np.bincount(cells, minlength=64) - 64).max() <= 12
    prior = setting().units[0].prior
    near = around_point(prior, prior.low, 0.1, 50)
    assert len(near) == 50
    assert np.array_equal(near[0], prior.low)
    assert ((near >= prior.low) & (near <= prior.high)).all()


@pytest.mark.parametrize("search_", ["columns", "whole"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_shares_come_to_the_whole(search_: Any, rounds: int) -> None:
    found = stages(search_, rounds)
    assert sum(each.share for each in found) == pytest.approx(1, abs=1e-12)
    assert [each.units for each in found[-rounds:]] == [(0, 1)] * rounds
    assert found[0].width == 1
    widths = [each.width for each in found[-rounds:]]
    assert widths == sorted(widths, reverse=True)


def test_how_many_candidates_have_a_score_is_told_while_they_are_scored() -> None:
    """By public numbers alone: the same whatever the records are."""
    told: list[list[str]] = []
    for seed in (1, 2):
        rng, said = np.random.default_rng(seed), list[str]()
        codes = np.column_stack([rng.integers(0, 4, 50), rng.integers(0, 2, 50)])
        with on_stage(said.append):
            search(setting(), stages(), codes, lambda scores, _: int(np.argmax(scores)))
        told.append(said)
    counted = [read_count(step) for step in told[0]]
    total = len(stages()) * CANDIDATES
    assert all(each is not None and each[1] == total for each in counted)
    assert [each[0] for each in counted if each] == sorted(each[0] for each in counted if each)
    assert counted[-1] == (total, total)
    assert told[0] == told[1]


@pytest.mark.parametrize(("real", "made"), [(5000, 5000), (5000, 20_000), (7, 3)])
def test_the_signal_is_what_one_choice_can_tell_apart(real: int, made: int) -> None:
    exact = 0.8 * float(largest(real, made) / (2 * sensitivity(real, made)))
    assert signal(0.8, real, made) == pytest.approx(exact)


def test_the_published_prior_swamps_the_published_signal() -> None:
    """n = 5,000, ε = 0.25 over ten draws: 15.6 nats against 25 to 29."""
    found = published_signal(0.025, 5000)
    assert found == pytest.approx(15.6, abs=0.05)
    deviation = math.sqrt(100_000)
    assert published_volume(5, deviation, 2.0) == pytest.approx(25.3, abs=0.1)
    assert published_volume(5, deviation, 1.0) == pytest.approx(28.8, abs=0.1)
    assert found < published_volume(5, deviation, 2.0)


def test_the_levers_are_worth_what_is_said() -> None:
    """Half the bound doubles the signal, and many made records double it again."""
    published = published_signal(1.0, 5000)
    assert signal(1.0, 5000, 5000) == pytest.approx(2 * published, rel=1e-3)
    assert signal(1.0, 5000, 10**6) == pytest.approx(4 * published, rel=1e-2)


def test_what_a_score_without_a_bound_may_do() -> None:
    """6.1: two tables 0.25 apart at n = 5,000 and a nominal ε of 1 are 625 nats apart."""
    assert published_signal(1.0, 5000) == 625.0


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=9))
def test_points_are_mirrored_as_often_as_it_takes(points: list[float]) -> None:
    def slowly(y: float) -> float:
        while not 0 <= y <= 1:
            y = -y if y < 0 else 2 - y
        return y

    assert mirror_points(np.array(points)) == pytest.approx(
        [slowly(each) for each in points], abs=1e-9
    )


@given(st.integers(2, 50), st.booleans())
def test_every_code_is_found_at_its_middle(size: int, bent: bool) -> None:
    column = Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(size - 1)))
    line = Line.of(column, bent=bent)
    assert line.codes_of(line.middles()).tolist() == list(range(size))
    assert line.places_of(np.array([0.0, 1.0])).tolist() == [0, size - 1]


def test_a_line_bent_by_the_logarithm_has_more_room_at_its_lower_end() -> None:
    column = Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(99)))
    straight, bent = (Line.of(column, bent=each) for each in (False, True))
    half = np.array([0.5])
    assert straight.codes_of(half)[0] == 50
    assert bent.codes_of(half)[0] == 9


def test_candidates_share_their_numbers_by_chance() -> None:
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    assert np.array_equal(common_numbers(units, 50, 3), common_numbers(units, 50, 3))
    assert not np.array_equal(common_numbers(units, 50, 3), common_numbers(units, 50, 4))
    assert sorted(common_numbers(units, 50, 3)[0]) == pytest.approx(
        sorted(common_numbers(units, 50, 4)[0])
    )


def test_units_follow_those_before_them() -> None:
    """A column of numbers is one unit, three categories are two; each after the nearest columns."""
    units = units_of(schema(), schema().names, 1, narrowest=0.01, middles={})
    assert [(each.column, each.value, each.after) for each in units] == [
        (0, None, ()), (1, None, (0,)), (2, 0, (1,)), (2, 1, (1,)),
    ]  # fmt: skip
    assert [each.size for each in units] == [2, 3, 2, 2]
    assert all(len(each.prior.low) == each.size for each in units)
    assert (units[0].prior + units[1].prior).nats == pytest.approx(
        units[0].prior.nats + units[1].prior.nats
    )


def test_parameters_mean_what_they_say() -> None:
    """Middle, spread, the part that follows, and log odds, of many records."""
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    values = np.array([[0.4, np.log(0.1), 0.5, np.log(0.08), 0.8, -1.0, 1.5, 0.0, 0.0, 0.0, 0.0]])
    made = simulate_units(
        units, lines_of(schema(), ()), values, Made(), common_numbers(units, 20_000, 1)
    )
    first, second = made.points[0][0], made.points[1][0]
    assert (first.mean(), first.std()) == pytest.approx((0.4, 0.1), abs=2e-3)
    assert (second.mean(), second.std()) == pytest.approx((0.5, 0.08), abs=2e-3)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.8, abs=0.02)
    kind = made.codes[2][0]
    standardised = (first - first.mean()) / first.std()
    expected = 1 / (1 + np.exp(1.0 - 1.5 * standardised))
    assert (kind == 0).mean() == pytest.approx(expected.mean(), abs=0.01)
    left = kind[kind > 0]
    assert (left == 1).mean() == pytest.approx(0.5, abs=0.02)


@given(st.integers(0, 10**6))
def test_every_candidate_makes_records_of_the_schema(seed: int) -> None:
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    prior = units[0].prior
    for unit in units[1:]:
        prior = prior + unit.prior
    point = over_prior(prior, seed % 40 + 1)[-1]
    lines = lines_of(schema(), ("height",))
    made = simulate_units(units, lines, point[None], Made(), common_numbers(units, 40, seed))
    moments = np.concatenate(made.moments)
    model = ChosenModel(point, moments)
    released = drawn_records(schema(), units, lines, model, RandomSource.secure(), 30)
    assert len(released) == 30
    figures = list_parameters(units, [model], schema(), ("height",))
    assert len(figures["models"][0]) == len(units)


def test_many_tables_are_those_made_one_by_one() -> None:
    units = units_of(schema(), schema().names, 2, narrowest=0.01, middles={})
    prior = units[0].prior
    for unit in units[1:]:
        prior = prior + unit.prior
    points, chance = over_prior(prior, 7), common_numbers(units, 60, 2)
    lines = lines_of(schema(), ())
    together = simulate_units(units, lines, points, Made(), chance)
    for turn, point in enumerate(points):
        alone = simulate_units(units, lines, point[None], Made(), chance)
        for place in range(3):
            assert np.array_equal(alone.codes[place][0], together.codes[place][turn])


def foreseen(declared: Schema | None = None, **changed: Any) -> float:
    found = foresee_seconds(plan_run(plan(**changed), declared or schema()))
    assert found is not None
    return found


@pytest.mark.parametrize("partitions", ["crossed", "stump", "depth-two", "forest", "guillotine"])
@pytest.mark.parametrize("search", ["columns", "whole"])
def test_the_tables_are_those_that_records_are_counted_in(
    partitions: Any, search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared, made = schema(), 50
    paying = Costs.of(plan(partitions=partitions, search=search, bins=4), declared)
    lines, chance = lines_of(declared, ()), common_numbers(paying.units, made, 1)
    setting = model_search.PublicSearch(declared, paying.units, lines, chance, partitions, 4, 1, 1)
    for stage in paying.stages:
        if stage.round:
            continue
        ours = model_search._partitions(
            setting,
            stage,
            tuple(model_search._binnings(setting, stage, _before(setting, stage), None)),
        )
        bins = [np.zeros((2, made), dtype=np.int64) for _ in ours.axes]
        counted: list[int] = []
        bincount = np.bincount

        def count(*given: Any, counted: list[int] = counted, of: Any = bincount, **how: Any) -> Any:
            counted.append(1)
            return of(*given, **how)

        with monkeypatch.context() as watched:
            watched.setattr(np, "bincount", count)
            ours.counts(bins)
        assert len(counted) == _tables(partitions, paying.units, stage)


def _before(setting: model_search.PublicSearch, stage: Any) -> Made:
    """Any records of the units before those of a stage."""
    places = range(stage.units[0])
    if not places:
        return Made()
    return model_search._so_far(
        setting,
        {place: np.full(setting.units[place].size, 0.5) for place in places},
        len(places),
    )


def test_it_follows_public_numbers_alone() -> None:
    once = foreseen()
    assert once > 0
    assert foreseen(candidates=1600) == pytest.approx(2 * once)
    assert foreseen(public_records=2 * ROWS) == pytest.approx(2 * once)
    assert foreseen(ratio=2) == pytest.approx(2 * once)
    assert foreseen(partitions="forest") > once
    numbers = schema().with_columns(schema().columns[:2]).declare_public()
    assert foreseen(numbers, domain=numbers.fingerprint) < once
    paying = Costs.of(plan(), schema())
    made = paying.deciding
    each = [
        s.candidates * seconds_a_candidate("crossed", paying.units, s, made) for s in paying.stages
    ]
    assert once == pytest.approx(sum(each))
    assert foreseen(draws=3, epsilon=90.0) == pytest.approx(each[0] + 3 * sum(each[1:]))


def test_nothing_is_said_where_nobody_said_how_many_records_there_are() -> None:
    assert foresee_seconds(plan_run(plan(public_records=None), schema())) is None


def test_other_methods_say_it_too_or_nothing() -> None:
    columns = category_schema(3, 4, 2).declare_public()
    found = foresee_seconds(plan_run(opening_plan("seedbased", columns), columns))
    assert found is not None
    assert found > 0
    assert foresee_seconds(plan_run(opening_plan("imputation", columns), columns)) is None
