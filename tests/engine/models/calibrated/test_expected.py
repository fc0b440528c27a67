"""Which pairs are foreseen to be measured."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.leveled import grouped
from tests.support import category_schema
from understudy.models.calibrated.expected import (
    expected_errors,
    seconds,
)
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.residuals import (
    Misfit,
    candidates,
    pairs_that_fit,
    worth_measuring,
)
from understudy.models.calibrated.usual import COARSER, UsualDivision, affordable, usual_tables
from understudy.models.marks import EVEN
from understudy.models.predicted import UNTOLD
from understudy.models.views import View
from understudy.privacy.accounting.allowance import Allowance, Currency
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 60), min_size=2, max_size=9),
    records=st.floats(10, 1e6),
    amount=st.floats(1e-4, 10),
    currency=st.sampled_from(["epsilon", "rho"]),
)
def test_they_are_those_the_learners_own_rule_chooses(
    sizes: list[int], records: float, amount: float, currency: Currency
) -> None:
    spend = Allowance(amount, currency)
    pairs = tuple((View(one), View(other)) for one, other in combinations(range(len(sizes)), 2))
    off = np.full(len(pairs), UNTOLD * records)
    every = np.array([sizes[first.attribute] * sizes[second.attribute] for first, second in pairs])
    chosen = worth_measuring(Misfit(pairs, off, 0.0, every), off, spend)
    found_tables = affordable(usual_tables([{0: each} for each in sizes], EVEN), spend, records)
    found = list(zip(found_tables.one.tolist(), found_tables.other.tolist(), strict=True))
    told = [(first.attribute, second.attribute) for first, second in chosen]
    assert len(found) == len(told)
    assert sorted(sizes[a] * sizes[b] for a, b in found) == sorted(
        sizes[a] * sizes[b] for a, b in told
    )


@given(
    sizes=st.lists(
        st.lists(st.integers(2, 60), min_size=1, max_size=3, unique=True), min_size=2, max_size=5
    ),
    records=st.floats(10, 1e6),
    amount=st.floats(1e-4, 10),
    currency=st.sampled_from(["epsilon", "rho"]),
)
def test_at_several_levels_too_they_are_those_the_learners_own_rule_chooses(
    sizes: list[list[int]], records: float, amount: float, currency: Currency
) -> None:
    spend = Allowance(amount, currency)
    levels = [sorted(each, reverse=True) for each in sizes]
    pairs, every, off = [], [], []
    for one, other in combinations(range(len(sizes)), 2):
        for low, high in product(range(len(levels[one])), range(len(levels[other]))):
            pairs.append((View(one, low), View(other, high)))
            every.append(levels[one][low] * levels[other][high])
            off.append(COARSER ** (low + high) * UNTOLD * records)
    found = Misfit(tuple(pairs), np.array(off), 0.0, np.array(every))
    chosen = worth_measuring(found, np.array(off), spend)
    tables = affordable(
        usual_tables([dict(enumerate(each)) for each in levels], EVEN), spend, records
    )
    assert sorted(tables.counts.tolist()) == sorted(found.sizes(chosen))
    assert len(set(zip(tables.one.tolist(), tables.other.tolist(), strict=True))) == len(chosen)


def test_what_is_seen_through_buckets_costs_less_and_tells_nothing_of_the_single_column() -> None:
    full, halved = category_schema(40, 40, 40), category_schema(40, 40, 40, halves=frozenset({1}))
    budget = Budget(1.0, 1e-9)
    plain, bucketed = (
        expected_errors(CalibratedLearner.within(schema, budget), 200_000, 1_000)
        for schema in (full, halved)
    )
    assert bucketed.pairs[0, 1] < plain.pairs[0, 1]
    assert bucketed.counted == plain.counted == 3


def test_nothing_is_counted_of_pairs_where_there_are_too_few_records() -> None:
    learner = CalibratedLearner.within(category_schema(9, 9, 9), Budget(0.1, 1e-9))
    found = expected_errors(learner, 50, 100)
    assert found.counted == 0
    assert np.isnan(found.typical_pair)


def test_without_noise_every_pair_is_counted() -> None:
    learner = CalibratedLearner.within(category_schema(9, 9, 9), Budget.unbounded())
    found = expected_errors(learner, 50, 100)
    assert found.counted == 3
    assert found.pairs[0, 1] == pytest.approx(0, abs=1e-9)


def test_more_records_and_rows_take_longer() -> None:
    learner = CalibratedLearner.within(category_schema(9, 9, 9), Budget(1.0, 1e-9))
    found = expected_errors(learner, 50_000, 100)
    assert seconds(learner, found, 50_000, 100) < seconds(learner, found, 90_000, 100)
    assert seconds(learner, found, 50_000, 100) < seconds(learner, found, 50_000, 10**6)


LONG = Schema(columns=(grouped((400, 200, 20, 4)), *category_schema(6, 40).columns))
FLAT = LONG.replace(LONG.columns[0].changed(levels=()))


def test_a_column_of_too_many_groups_is_related_through_the_levels_above_them() -> None:
    budget = Budget(0.5, 1e-9)
    flat, kept = (
        expected_errors(CalibratedLearner.within(schema, budget), 8_000, 1_000)
        for schema in (FLAT, LONG)
    )
    assert (0 in flat.hardly_related, flat.possible[0, 2]) == (True, False)
    assert 0 not in (*kept.unrelated, *kept.hardly_related)
    assert kept.possible[0].all()


def test_what_the_levels_of_a_pair_hide_counts_as_an_error_without_any_noise() -> None:
    tables = usual_tables([{0: 9}, {2: 4}], EVEN)
    without = UsualDivision(Allowance(1.0, "epsilon"), tables, np.zeros(1), None)
    assert without.apart(1_000).tolist() == pytest.approx([UNTOLD * (1 - COARSER**2)])


def test_what_is_foreseen_counts_the_very_tables_that_are_asked_about() -> None:
    for records in (300, 1_000, 3_000, 30_000):
        learner = CalibratedLearner.within(LONG, Budget(0.5, 1e-9))
        views = learner.way(records).views
        found = candidates(LONG, records, learner.of_a_round, views)
        fits = pairs_that_fit(LONG, records, learner.of_a_round, views)
        assert int(np.sum(fits)) == len(found)


def test_where_so_many_answers_would_be_noise_only_the_coarsest_level_is_asked_about() -> None:
    learner = CalibratedLearner.within(LONG, Budget(1.0))
    seen = {
        records: [each.level for each in learner.way(records).views[0]]
        for records in (100, 1_500, 50_000)
    }
    assert seen == {100: [0, 1], 1_500: [3], 50_000: [0, 1, 2, 3]}


def test_where_answers_at_all_levels_gain_nothing_those_at_the_coarsest_may() -> None:
    """Eight columns with four levels each: 25 tables of every pair, or one."""
    schema = Schema(columns=tuple(grouped((40, 20, 10, 4), f"c{place}") for place in range(8)))
    learner = CalibratedLearner.within(schema, Budget(1.0))
    ways = {records: learner.way(records) for records in (1_000, 12_000, 1_000_000)}
    assert [way.scope for way in ways.values()] == ["none", "all", "all"]
    seen = {records: [view.level for view in way.views[0]] for records, way in ways.items()}
    assert seen == {1_000: [0, 1], 12_000: [3], 1_000_000: [0, 1, 2, 3]}
