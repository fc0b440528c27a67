"""Which triples are looked at, and that what only three columns show together is kept."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.models.calibrated import triples
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.models.calibrated.measurement import MeasuredMarginal, Steps
from understudy.models.calibrated.networks import distil
from understudy.models.calibrated.selection import Misfit, best_division
from understudy.models.calibrated.triples import NO_TRIPLES, TripleQuestions, draw_together
from understudy.models.marks import EVEN, Importance
from understudy.models.triple_tables import WIDEST
from understudy.models.views import Rows, View, cells
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

USUAL = Budget(1.0, 1e-9)
PARITY = (View(0), View(1), View(2))


def parity(rows: int, columns: int = 6) -> Records:
    """Coins, the third of which says whether the first two agree: no pair shows it."""
    codes = np.random.default_rng(1).integers(0, 2, (rows, columns))
    codes[:, 2] = codes[:, 0] ^ codes[:, 1]
    return Records(category_schema(*[2] * columns), codes.astype(np.uint16))


def learn(records: Records, steps: Steps | None = None) -> LearnedModel:
    learner = CalibratedLearner.within(records.schema, USUAL, steps=steps)
    source = RandomSource.fixed(2)
    return replace(learner, fewest=4_000).learn(records, Noise(source), source.child())


def agreeing(model: LearnedModel) -> float:
    drawn = model.network.records(4_000, RandomSource.fixed(3)).astype(int)
    return float((drawn[0] ^ drawn[1] == drawn[2]).mean())


def test_what_no_pair_shows_is_kept() -> None:
    records = parity(20_000)
    model = learn(records)
    assert [each.marginal for each in model.measured if len(each.marginal) > 2] == [PARITY]
    assert agreeing(model) > 0.97
    assert agreeing(learn(records, Steps(triples=False))) < 0.6


def questions(
    schema: Schema, records: float, epsilon: float = 1.0, importance: Importance = EVEN
) -> TripleQuestions:
    return CalibratedLearner.within(schema, Budget(epsilon, 1e-9), importance=importance).triples(
        records
    )


def test_all_are_looked_at_where_that_is_cheap_and_none_where_it_is_noise() -> None:
    schema = category_schema(*[3] * 10)
    assert questions(schema, 100_000).look.many == math.comb(10, 3)
    assert questions(schema, 1_000).look == NO_TRIPLES
    assert questions(category_schema(3, 3), 1e6).look == NO_TRIPLES
    free = TripleQuestions(schema, 1e3, Allowance(0.0, "none"), EVEN).look
    assert (free.many, free.share) == (math.comb(10, 3), 0.0)


@given(st.floats(1e3, 1e6), st.sampled_from([0.1, 1.0, 10.0]), st.integers(3, 45))
def test_looks_are_of_triples_that_there_are_and_leave_most_of_the_round(
    records: float, epsilon: float, columns: int
) -> None:
    schema = category_schema(*([2, 3, 5, 9] * 12)[:columns])
    look = questions(schema, records, epsilon).look
    assert 0 <= look.many <= min(math.comb(columns, 3), triples.MOST_LOOKED)
    assert (look.share > 0) == (look.many > 0)
    assert look.share <= 0.2


def test_what_looks_take_is_taken_from_the_round() -> None:
    learner = CalibratedLearner.within(category_schema(*[3] * 10), USUAL)
    look = learner.look_at_triples(100_000)
    looks, rest = learner.triple_parts(look)
    assert looks.amount > 0
    assert looks.amount + rest.amount == pytest.approx(learner.of_a_round.amount)
    fewer = learner.spend_beside(look).rounds * learner.allowance.amount
    assert fewer == pytest.approx(learner.of_a_round.amount + rest.amount)


def test_pairs_that_are_not_asked_about_have_no_triples() -> None:
    learner = CalibratedLearner.within(category_schema(*[3] * 10), USUAL, steps=Steps(pairs=False))
    assert learner.look_at_triples(100_000) == NO_TRIPLES


def chained(rows: int = 30_000) -> Particles:
    """Eight columns, each of which depends on the one before; the last two on nothing."""
    random = np.random.default_rng(4)
    columns = [random.integers(0, 3, rows)]
    for _ in range(5):
        columns.append((columns[-1] + (random.random(rows) < 0.3)) % 3)
    columns += [random.integers(0, 3, rows) for _ in range(2)]
    schema = category_schema(*[3] * 8)
    return Particles.of(Rows(schema, [each.astype(np.uint16) for each in columns]), float(rows))


def test_the_first_are_those_of_which_two_pairs_are_strongest() -> None:
    model = chained()
    asked = questions(model.rows.schema, 1e5)
    strengths = asked._strengths(model)
    ranked = list(asked._rank(strengths))
    assert len(ranked) == len({*ranked}) == math.comb(8, 3)
    second = [sorted(strengths[pair] for pair in combinations(each, 2))[1] for each in ranked]
    assert second == sorted(second, reverse=True)


def test_a_wide_or_a_marked_column_is_not_looked_at_here() -> None:
    schema = category_schema(2, WIDEST + 1, 2, 2, 60, halves=frozenset({4}))
    marked = Importance({(0, 2, 3): 16.0})
    asked = questions(schema, 1e6, importance=marked)
    assert asked.views == {0: View(0), 2: View(2), 3: View(3), 4: View(4, 1)}
    rows = 2_000
    random = np.random.default_rng(5)
    drawn = [random.integers(0, size, rows).astype(np.uint16) for size in schema.cardinalities]
    chosen = asked.choose(Particles.of(Rows(schema, drawn), 1e6))
    groups = {tuple(view.attribute for view in each) for each in chosen}
    assert groups == {(0, 2, 4), (0, 3, 4), (2, 3, 4)}
    assert all(cells(schema, each) <= asked.most_cells for each in chosen)


def looked(records: np.ndarray, deviation: float) -> Misfit:
    views = [View(place) for place in range(12)]
    every = tuple(combinations(views, 3))[: len(records)]
    return Misfit(every, records, deviation, np.full(len(records), 8))


def test_one_that_is_far_off_stays_among_many_of_mere_noise() -> None:
    noise = np.random.default_rng(6).normal(0, 50.0, 200)
    noise[17] = 4_000.0
    drawn = draw_together(looked(noise, 50.0)).records
    assert drawn[17] > 3_800
    assert np.abs(np.delete(drawn, 17)).max() < 60
    assert draw_together(looked(noise, 0.0)).records is noise


def test_no_more_triples_are_counted_than_time_allows() -> None:
    columns = [MeasuredMarginal((View(place),), np.full(2, 5e4), 1.0) for place in range(12)]
    found = looked(np.linspace(3e3, 5e3, 50), 10.0)
    weights = Importance({tuple(view.attribute for view in each): 0.5 for each in found.candidates})
    spend = Allowance(1.0, "rho")
    few = best_division(found, columns, spend, importance=weights, triples=5)
    assert few.pairs == found.candidates[45:]
    assert not best_division(found, columns, spend, importance=weights).pairs


def test_two_columns_become_parents_together_where_neither_tells_anything() -> None:
    codes = parity(40_000, 4).codes
    rows = Rows(category_schema(2, 2, 2, 2), list(np.ascontiguousarray(codes.T)))
    model = Particles.of(rows, 1e4)
    table = MeasuredMarginal(PARITY, np.full(8, 1e4 / 8), 1.0)
    without, beside = distil(model), distil(model, [table])
    assert max(map(len, without.structure.parents)) < 2
    last = max(PARITY, key=lambda view: beside.order.index(view.attribute)).attribute
    parents = {view.attribute for view in PARITY} - {last}
    assert {*beside.structure.parents[last]} == parents
