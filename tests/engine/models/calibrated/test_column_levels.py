"""Columns counted at several levels: which ones, how their answers are put together, and how what
is finer is spread."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.arrays import FloatArray
from understudy.models.calibrated.column_levels import (
    CARRIED,
    carried_views,
    column_views,
    merge_levels,
    settle_column,
    spread_evenly,
)
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.models.calibrated.measurement import MeasuredMarginal, count_tables
from understudy.models.calibrated.questions import NUMBER
from understudy.models.marks import EVEN
from understudy.models.views import View, sum_views, views_of
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByCuts
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.grid import Grid
from understudy.table.levels import calendar_levels
from understudy.table.records import Records
from understudy.table.rules.relation import Relation, Relations
from understudy.table.schema import Schema

EPSILON = Budget(1.0, 1e-9)


def dated(step: str = "day", **settings: object) -> Column:
    """Three years of dates, in months, quarters and years above their cells."""
    ends = {"minimum": "2019-02-10", "maximum": "2021-12-31", "step": step}
    domain = Dates.read({**ends, **settings})
    fine, coarse = {
        "day": ("Months", "Years"), "month": ("Quarters", "Years"), "quarter": ("Years", "Decades")
    }[step]  # fmt: skip
    below = ByCuts(cuts=domain.cut_presets()[fine])
    column = Column(name="day", domain=domain, missing=True, buckets=below)
    years = ByCuts(cuts=domain.cut_presets()[coarse])
    return column.changed(levels=(years,))


SCHEMA = Schema(columns=(dated(), *category_schema(3, 2).columns))
TREE = views_of(SCHEMA, 0)


def counted(counts: list[FloatArray], deviations: list[float]) -> list[MeasuredMarginal]:
    """The column at its levels, the finest first."""
    pairs = zip(TREE, counts, deviations, strict=True)
    return [MeasuredMarginal((view,), each, deviation) for view, each, deviation in pairs]


def test_only_ordered_columns_with_levels_are_counted_at_several() -> None:
    assert column_views(SCHEMA) == (TREE, (View(1),), (View(2),))
    assert [view.size(SCHEMA) for view in TREE] == [1_057, 36, 4]
    plain = SCHEMA.replace(SCHEMA.columns[0].changed(levels=()))
    assert column_views(plain)[0] == (View(0),)


@given(
    noise=st.lists(st.floats(0.5, 40.0), min_size=3, max_size=3),
    seed=st.integers(0, 1_000),
)
def test_levels_agree_as_least_squares_do(noise: list[float], seed: int) -> None:
    """Against all answers as one overdetermined system, solved at once."""
    schema = Schema(columns=(dated("month"), *category_schema(2, 2).columns))
    views = views_of(schema, 0)
    random = np.random.default_rng(seed)
    answers = [random.normal(50, 30, view.size(schema)) for view in views]
    tables = [
        MeasuredMarginal((view,), each, deviation)
        for view, each, deviation in zip(views, answers, noise, strict=True)
    ]
    found = merge_levels(schema, tables)
    size = views[0].size(schema)
    rows, right = [], []
    for view, answer, deviation in zip(views, answers, noise, strict=True):
        sums = np.zeros((view.size(schema), size))
        sums[schema.columns[0].level_map(view.level), np.arange(size)] = 1
        rows.append(sums / deviation)
        right.append(answer / deviation)
    expected = np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=None)[0]
    assert found.counts == pytest.approx(expected, abs=1e-6)
    assert (found.deviation, found.above) == (noise[0], tuple(noise[1:]))


def test_a_level_above_keeps_the_noise_of_one_count() -> None:
    """Days of much noise each leave months and years as certain as these were counted."""
    random = np.random.default_rng(3)
    truth = random.multinomial(20_000, np.full(1_057, 1 / 1_057)).astype(float)
    levels = [sum_views(SCHEMA, truth, (TREE[0],), (view,)) for view in TREE]
    noise = [20.0, 5.0, 5.0]
    told = [each + random.normal(0, sd, len(each)) for each, sd in zip(levels, noise, strict=True)]
    merged = merge_levels(SCHEMA, counted(told, noise))
    for place, view in enumerate(TREE[1:], 1):
        here = sum_views(SCHEMA, merged.counts, (TREE[0],), (view,))
        summed = sum_views(SCHEMA, told[0], (TREE[0],), (view,))
        assert np.abs(here - levels[place]).mean() < 6
        assert np.abs(summed - levels[place]).mean() > 60


def test_what_noise_explains_is_spread_evenly_and_what_it_does_not_is_kept() -> None:
    even = np.array([float(each) for each in _days_of_months()])
    records = even.sum()
    flat = [sum_views(SCHEMA, even, (TREE[0],), (view,)) for view in TREE]
    random = np.random.default_rng(5)
    noise = [3.0, 0.5, 0.5]
    told = [each + random.normal(0, sd, len(each)) for each, sd in zip(flat, noise, strict=True)]
    settled = settle_column(SCHEMA, merge_levels(SCHEMA, counted(told, noise)), records)
    assert np.abs(settled * records - even).mean() < 0.2
    lumpy = even.copy()
    lumpy[500] += 400.0
    sums = [sum_views(SCHEMA, lumpy, (TREE[0],), (view,)) for view in TREE]
    told = [each + random.normal(0, sd, len(each)) for each, sd in zip(sums, noise, strict=True)]
    settled = settle_column(SCHEMA, merge_levels(SCHEMA, counted(told, noise)), records + 400)
    assert settled[500] * (records + 400) == pytest.approx(401, abs=15)


def _days_of_months() -> list[int]:
    return [1] * SCHEMA.columns[0].cardinality


def test_what_is_finer_is_spread_over_the_days_that_cells_hold() -> None:
    schema = Schema(columns=(dated("month"), *category_schema(2, 2).columns))
    column = schema.columns[0]
    quarters = column.level_labels(1)
    shares = np.zeros(len(quarters))
    shares[0], shares[-1] = 0.75, 0.25
    spread = spread_evenly(schema, View(0, 1), shares)
    # 10 to 28 February and March 2019; missing is a code of its own.
    assert spread[:2].tolist() == pytest.approx([0.75 * 19 / 50, 0.75 * 31 / 50])
    assert spread[-1] == 0.25
    assert spread[2:-1].sum() == 0


def test_nothing_is_spread_over_days_that_rules_forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    days = SCHEMA.columns[0].cardinality
    allowed = np.arange(days) % 2 == 0
    relations = Relations.of(SCHEMA.cardinalities.tolist(), [Relation((0,), allowed)])
    monkeypatch.setattr(Schema, "relations", property(lambda _: relations))
    view = views_of(SCHEMA, 0)[1]
    cells = view.size(SCHEMA)
    found = spread_evenly(SCHEMA, view, np.full(cells, 1 / cells))
    assert not found[~allowed].any()
    assert found.sum() == pytest.approx(1)


def test_what_is_finer_follows_the_declared_weekdays() -> None:
    column = dated(weekdays=(1, 1, 1, 1, 1, 0, 0))
    schema = Schema(columns=(column, *category_schema(2, 2).columns))
    shares = np.zeros(column.level_size(1))
    shares[1] = 1.0
    spread = spread_evenly(schema, View(0, 1), shares)
    # March 2019 begins on a Friday and has 21 working days.
    march = spread[19:50]
    assert set(march.tolist()) == {0.0, 1 / 21}
    assert march[1] == march[2] == march[8] == 0.0
    assert march.sum() == pytest.approx(1)


def test_the_finest_level_is_the_one_that_the_budget_carries() -> None:
    """More budget or more records never make it coarser, and noise decides."""
    levels = {
        (epsilon, records): carried_views(SCHEMA, Allowance(epsilon, "epsilon"), records, EVEN)[0]
        for epsilon in (0.001, 0.01, 0.1, 1.0, 10.0)
        for records in (100.0, 1_000.0, 100_000.0)
    }
    for records in (100.0, 1_000.0, 100_000.0):
        finest = [levels[epsilon, records][0].level for epsilon in (0.001, 0.01, 0.1, 1.0, 10.0)]
        assert finest == sorted(finest, reverse=True)
    assert levels[0.001, 100.0] == TREE[-1:]
    assert levels[10.0, 100_000.0] == TREE
    assert {each[0].level for each in levels.values()} == {0, 1, 2}
    assert all(each == TREE[-len(each) :] for each in levels.values())
    free = Allowance(0.0, "none")
    assert carried_views(SCHEMA, free, 10.0, EVEN) == ((View(0),), (View(1),), (View(2),))
    assert 0 < CARRIED < 1


def _records(count: int, schema: Schema = SCHEMA) -> Records:
    random = np.random.default_rng(count)
    columns = [random.integers(0, size, count) for size in schema.cardinalities]
    return Records(schema, np.stack(columns, axis=1).astype(np.uint16))


def _learned(budget: Budget, records: Records, seed: int = 1) -> LearnedModel:
    learner = replace(CalibratedLearner.within(records.schema, budget), fewest=500)
    source = RandomSource.fixed(seed)
    return learner.learn(records, Noise(source), source.child())


@pytest.mark.parametrize(("epsilon", "level"), [(0.05, 2), (1.0, 1), (300.0, 0)])
def test_a_learned_column_was_counted_at_its_levels(epsilon: float, level: int) -> None:
    """Every answer is told, at every level that was counted, and none of a finer one."""
    found = _learned(Budget(epsilon), _records(3_000))
    (view,) = found.measured[0].marginal
    assert view == View(0, level)
    single = {answer.marginal for answer in found.answers if len(answer.marginal) == 1}
    assert {marginal[0] for marginal in single} == {*TREE[level:], View(1), View(2)}
    (drawn,) = {each.shape[1] for each in [_draw(found)]}
    assert drawn == 3


def _draw(found: LearnedModel) -> np.ndarray[tuple[int, int], np.dtype[np.uint16]]:
    return np.ascontiguousarray(found.network.records(500, RandomSource.fixed(2)).T)


def test_the_number_of_records_is_asked_for_where_it_decides_the_level() -> None:
    """In either currency; and what is left pays for the rest."""
    for budget in (Budget(1.0), Budget(1.0, 1e-6)):
        learner = CalibratedLearner.within(SCHEMA, budget)
        assert learner.number == Allowance(NUMBER, "epsilon")
        whole = Allowance.of(budget, count_tables(len(SCHEMA)))
        paid = NUMBER if whole.currency == "epsilon" else NUMBER**2 / 2
        assert learner.allowance.amount == pytest.approx(whole.amount - paid, rel=1e-9)
    many = category_schema(*[4] * 80)
    plain = Schema(columns=(dated("quarter").changed(levels=()), *many.columns))
    levelled = Schema(columns=(dated("quarter"), *many.columns))
    learner = CalibratedLearner.within(levelled, Budget(1.0, 1e-4))
    assert CalibratedLearner.within(plain, Budget(1.0, 1e-4)).number is None
    assert learner.number == Allowance(NUMBER, "epsilon")
    assert learner.columns == learner.allowance
    whole = CalibratedLearner.within(plain, Budget(1.0, 1e-4)).allowance
    assert learner.allowance.amount == pytest.approx(whole.amount - NUMBER**2 / 2, rel=1e-9)
    assert learner.allowance.currency == "rho"


def test_a_column_of_numbers_has_levels_too() -> None:
    grid = Grid(minimum=Decimal(0), maximum=Decimal(99))
    cuts = [ByCuts(cuts=tuple(map(Decimal, range(each, 100, each)))) for each in (10, 50)]
    column = Column(name="n", domain=grid, buckets=cuts[0], levels=(cuts[1],))
    schema = Schema(columns=(column, *category_schema(2, 2).columns))
    found = _learned(Budget(0.3), _records(400, schema))
    assert found.measured[0].marginal[0].level > 0
    drawn = _draw(found)
    assert len(np.unique(drawn[:, 0])) > 50


def test_calendar_levels_are_ever_coarser() -> None:
    domain = Dates.read({"minimum": "1940-01-01", "maximum": "2022-02-19", "step": "month"})
    years = ByCuts(cuts=domain.cut_presets()["Years"])
    (decades,) = calendar_levels(domain, years)
    assert decades.cuts == domain.cut_presets()["Decades"]
    sizes = [len(each.cuts) for each in (years, decades)]
    assert all(fine > 2 * coarse for fine, coarse in pairwise(sizes))
    assert not math.isnan(sizes[0])
