"""The learner as a whole, on tables of every awkward kind, with few made-up records. Which pairs
are foreseen to be measured.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from benchmarks.wide_tables import survey
from tests.engine.table.builders import grouped
from tests.support import category_schema
from understudy.evaluation.comparison import Distances, distances
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated import learner as learner_module
from understudy.models.calibrated import questions
from understudy.models.calibrated.column_levels import column_views
from understudy.models.calibrated.expected_error import expected_errors, learning_seconds
from understudy.models.calibrated.learner import (
    CalibratedLearner,
    LearnedModel,
    Measurements,
    count_drawn,
)
from understudy.models.calibrated.measurement import MeasuredMarginal, QuestionShares, Steps
from understudy.models.calibrated.selection import candidates, every_view, pairs_that_fit
from understudy.models.calibrated.usual_tables import COARSER, Asking, Usual
from understudy.models.categorical import WHOLE
from understudy.models.marks import EVEN
from understudy.models.prediction import USUAL as PREDICTION_USUAL
from understudy.models.views import View
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

ALONE = (
    MeasuredMarginal((View(0),), np.array([-5.0, 45.0, 60.0]), 3.0),
    MeasuredMarginal((View(1),), np.array([70.0, 20.0]), 3.0),
)
PAIR = MeasuredMarginal((View(0), View(1)), np.array([-5.0, 15.0, 30.0, 15.0, 40.0, 20.0]), 4.0)
TOLD = Measurements(category_schema(3, 2), 100.0, ALONE, (PAIR,))
"""Noisy counts that do not agree: below zero, and of 100, 90 and 115 records."""


def test_columns_are_the_nearest_shares_that_can_be() -> None:
    """By hand: all cells that stay above zero move by the same amount."""
    one, other = TOLD.distributions
    assert one == pytest.approx([0, 0.425, 0.575])
    assert other == pytest.approx([0.75, 0.25])


def test_columns_are_settled_and_pairs_stay_as_they_were_told() -> None:
    *columns, pair = TOLD.measured
    for each, before in zip(columns, ALONE, strict=True):
        assert each.settled
        assert each.counts.sum() == pytest.approx(100)
        assert (each.marginal, each.deviation) == (before.marginal, before.deviation)
    assert pair is PAIR
    assert not pair.settled
    assert not any(each.settled for each in ALONE)


PURE, USUAL, SMALL = Budget(1.0), Budget(1.0, 1e-9), Budget(0.01, 1e-9)
LARGE, FREE = Budget(100.0, 1e-9), Budget.unbounded()


def dependent(schema: Schema, rows: int, seed: int = 1) -> Records:
    """Each column half follows the one before it."""
    rng = np.random.default_rng(seed)
    sizes = schema.cardinalities.tolist()
    columns = [rng.integers(0, sizes[0], rows)]
    for size in sizes[1:]:
        followed = columns[-1] % size
        columns.append(np.where(rng.random(rows) < 0.5, followed, rng.integers(0, size, rows)))
    return Records(schema, np.column_stack(columns).astype(np.uint16))


def learned(
    records: Records, budget: Budget, *, steps: Steps | None = None, fewest: int = 1_500
) -> LearnedModel:
    made = CalibratedLearner.within(records.schema, budget, steps=steps)
    source = RandomSource.fixed(2)
    return replace(made, fewest=fewest).learn(records, Noise(RandomSource.fixed(1)), source)


def check(network: BayesianNetwork) -> np.ndarray:
    """That the model is one, and draws records of its schema."""
    for each in network.tables:
        assert (each.weights >= 0).all()
        assert (each.weights.sum(axis=1) == WHOLE).all()
    drawn = network.records(200, RandomSource.fixed(3))
    assert drawn.shape == (len(network.schema), 200)
    assert (drawn < network.schema.cardinalities[:, None]).all()
    if network.tilts is not None:
        assert np.isfinite(network.tilts.average)
        accepted = network.tilts.acceptance(list(drawn))
        assert np.isfinite(accepted).all()
    return drawn


def _awkward() -> dict[str, Records]:
    missing = Column(
        name="age",
        domain=Grid(minimum=Decimal(0), maximum=Decimal(90), step=Decimal(10)),
        missing=True,
    )
    with_missing = category_schema(2, 4, 3).replace(missing.model_copy(update={"name": "c1"}))
    single = category_schema(1, 4, 3)
    fixed = dependent(category_schema(3, 4, 3), 300)
    constant = fixed.codes.copy()
    constant[:, 1] = 2
    determined = fixed.codes.copy()
    determined[:, 2] = determined[:, 0]
    return {
        "two columns": dependent(category_schema(2, 3), 300),
        "five columns": dependent(category_schema(2, 3, 4, 5, 6, halves=frozenset({3, 4})), 400),
        "a thousand categories": dependent(category_schema(1_000, 5, 3), 800),
        "a constant column": Records(fixed.schema, constant),
        "a column of one value": dependent(single, 200),
        "a determined column": Records(fixed.schema, determined),
        "thirty rows": dependent(category_schema(4, 3, 4), 30),
        "one row": dependent(category_schema(4, 3, 4), 1),
        "no rows": Records(category_schema(4, 3, 4), np.empty((0, 3), np.uint16)),
        "missing values": dependent(with_missing, 300),
    }


AWKWARD = _awkward()


@pytest.mark.parametrize("budget", [PURE, USUAL, SMALL, LARGE, FREE], ids=str)
@pytest.mark.parametrize("name", AWKWARD)
def test_it_learns_from_any_table(name: str, budget: Budget) -> None:
    found = learned(AWKWARD[name], budget)
    check(found.network)
    assert found.records >= 1
    for each in found.measured:
        assert np.isfinite(each.counts).all()


@pytest.mark.parametrize(
    "budget",
    [
        USUAL,
        pytest.param(FREE, marks=pytest.mark.thorough("test_it_learns_from_sixty_columns")),
    ],
    ids=str,
)
def test_it_learns_from_sixty_columns(budget: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (learner_module, questions):
        monkeypatch.setattr(module, "ROUNDS", 1)
    check(learned(dependent(category_schema(*[2, 3] * 30), 300), budget, fewest=300).network)


@pytest.mark.parametrize(
    "steps",
    [
        Steps(pairs=False),
        Steps(again=False),
        Steps(forest=False),
        Steps(calibrate=False),
        Steps(distil=False),
        Steps(pairs=False, calibrate=False, distil=False),
    ],
    ids=str,
)
def test_any_step_may_be_left_out(steps: Steps) -> None:
    records = dependent(AWKWARD["five columns"].schema, 2_000)
    found = learned(records, Budget(20.0, 1e-9), steps=steps)
    check(found.network)
    assert found.network.tilts is None or steps.calibrate
    assert bool(found.effective) == (steps.calibrate and steps.pairs)
    assert bool(found.misfits) == steps.pairs


def test_without_noise_the_pairs_are_those_of_the_records() -> None:
    records = dependent(category_schema(2, 3, 4), 4_000)
    found = learned(records, FREE, fewest=30_000)
    drawn = found.network.records(40_000, RandomSource.fixed(5))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        shares = [
            np.bincount(4 * codes[one] + codes[other], minlength=16) / len(codes[one])
            for codes in (records.codes.T.astype(int), drawn.astype(int))
        ]
        assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.015
    assert found.records == 4_000


def test_a_determined_column_stays_determined() -> None:
    found = learned(AWKWARD["a determined column"], LARGE)
    drawn = check(found.network)
    assert (drawn[2] == drawn[0]).mean() > 0.9


def test_noise_moves_the_model_less_with_more_to_spend() -> None:
    records = dependent(category_schema(2, 3, 4), 2_000)
    truth = np.bincount(records.codes[:, 2], minlength=4) / 2_000

    def apart(budget: Budget) -> float:
        drawn = learned(records, budget).network.records(8_000, RandomSource.fixed(5))[2]
        return float(np.abs(np.bincount(drawn, minlength=4) / 8_000 - truth).sum())

    assert apart(LARGE) < 0.05 < apart(Budget(0.003))


def test_the_cost_is_within_the_budget() -> None:
    schema = category_schema(*[3] * 12)
    for budget in (PURE, USUAL, SMALL, Budget(10.0, 1e-12)):
        cost = CalibratedLearner.within(schema, budget).cost
        assert cost.epsilon <= budget.epsilon
        assert cost.delta <= budget.delta
        assert cost.epsilon > 0.99 * budget.epsilon
    assert CalibratedLearner.within(schema, PURE).cost.delta == 0
    assert not CalibratedLearner.within(schema, FREE).cost.bounded


def test_many_questions_are_cheaper_in_rho_and_few_in_epsilon() -> None:
    few, many = (
        CalibratedLearner.within(category_schema(*[3] * size), USUAL).allowance for size in (2, 30)
    )
    assert (few.currency, many.currency) == ("epsilon", "rho")


def test_shares_are_of_the_questions_that_are_asked() -> None:
    made = CalibratedLearner.within(category_schema(2, 3), USUAL, steps=Steps(pairs=False))
    assert (made.spend.misfit, made.spend.rounds) == (0, 0)
    assert made.spend.alone == pytest.approx(1)


def test_records_that_stand_for_others_are_neither_few_nor_too_many() -> None:
    assert count_drawn(1.0, 5) == 30_000
    assert count_drawn(20_000.0, 5) == 80_000
    assert count_drawn(1e9, 5) == 400_000
    assert count_drawn(1e9, 60) < 100_000
    assert count_drawn(10.0, 5, 20) == 40
    assert count_drawn(10.0, 5, 20, 2.5) == 100
    assert count_drawn(1e9, 5, times=2.5) == 1_000_000
    assert count_drawn(1e9, 60, times=2.5) == count_drawn(1e9, 60)


def test_weights_are_left_to_many_records_where_most_columns_apply_to_few() -> None:
    """The first 16 columns of the table below."""
    every = survey(2_000, 1)
    schema = every.schema.with_columns(every.schema.columns[:16])
    records = Records(schema, np.ascontiguousarray(every.codes[:, :16]))
    source = RandomSource.fixed(2)
    learner = replace(CalibratedLearner.within(schema, Budget(10.0, 1e-9)), fewest=2_000)
    found = learner.learn(records, Noise(source), source.child())
    assert len(found.effective) > 3
    assert min(found.effective) >= 0.2
    assert found.effective[-1] >= 0.5


@pytest.mark.thorough("test_weights_are_left_to_many_records_where_most_columns_apply_to_few")
def test_a_wide_table_is_not_far_from_its_columns_by_themselves() -> None:
    """42 columns of which most apply to few: the weights of the records that stand for the model
    are not left to a few of them."""
    records = survey(5_000, 1)
    budget = Budget(10.0, 1e-9)

    def learned_by(steps: Steps) -> tuple[Distances, LearnedModel]:
        source = RandomSource.fixed(2)
        learner = CalibratedLearner.within(records.schema, budget, steps=steps)
        learner = replace(learner, fewest=10_000)
        found = learner.learn(records, Noise(source), source.child())
        drawn = found.network.records(5_000, source)
        made = Records(records.schema, np.ascontiguousarray(drawn.T))
        return distances(made, records), found

    whole, found = learned_by(Steps())
    columns, _ = learned_by(Steps(pairs=False))
    assert whole.each_pair.mean() < 0.85 * columns.each_pair.mean()
    # Of so few records chance alone sets those that are drawn by tilts apart by more.
    assert whole.typical_pair < 1.2 * columns.typical_pair
    assert whole.typical_column < 0.02
    assert min(found.effective) >= 0.2
    assert found.effective[-1] >= 0.5


def test_where_answers_would_be_noise_pairs_are_not_asked_about_and_columns_get_it_all() -> None:
    """At a tenth of the ε the noise on how far pairs are off is ten times as large."""
    records = dependent(category_schema(*[4] * 8), 4_000)
    many, none = (learned(records, Budget(epsilon, 1e-9)) for epsilon in (1.0, 0.02))
    assert many.misfits
    assert len(many.measured) > 8
    assert not none.misfits
    assert not none.divisions
    assert len(none.measured) == 8
    assert none.network.structure.edges == ()
    learner = CalibratedLearner.within(records.schema, Budget(0.02, 1e-9))
    whole = [part.deviation for part in learner.columns.divide([4] * 8)]
    assert [each.deviation for each in none.measured] == pytest.approx(whole)


def test_columns_alone_are_paid_in_the_currency_that_is_cheaper_for_them() -> None:
    """Of 8 columns ε, and of 60 ρ; one hundredth of ε goes to the number of records."""
    budget = Budget(0.02, 1e-9)
    few, many = (CalibratedLearner.within(category_schema(*[4] * m), budget) for m in (8, 60))
    assert (few.allowance.currency, many.allowance.currency) == ("rho", "rho")
    assert few.columns == Allowance(0.99 * 0.02, "epsilon")
    assert few.allowance.amount == pytest.approx(largest_rho(budget) - 0.0002**2 / 2, rel=1e-12)
    assert many.number is None
    assert many.columns == many.allowance
    in_rho = Allowance(largest_rho(budget), "rho").divide([4] * 8)[0].deviation
    assert few.columns.divide([4] * 8)[0].deviation < 0.85 * in_rho
    alone = CalibratedLearner.within(category_schema(*[4] * 8), budget, steps=Steps(pairs=False))
    assert (alone.number, alone.allowance) == (None, Allowance(0.02, "epsilon"))


def test_columns_are_followed_as_closely_as_they_were_measured() -> None:
    """Settled tables: the records that stand for the model agree with what all measurements of a
    column together make of it, whatever the pairs say."""
    records = dependent(category_schema(*[4] * 8), 4_000)
    found = learned(records, Budget(1.0, 1e-9), fewest=30_000)
    drawn = found.network.records(40_000, RandomSource.fixed(3))
    for place, each in enumerate(found.measured[:8]):
        assert each.settled
        assert each.counts.sum() == pytest.approx(found.records)
        shares = np.bincount(drawn[place], minlength=4) / 40_000
        assert np.abs(shares - each.counts / found.records).sum() / 2 < 0.01


def test_the_share_of_columns_follows_what_their_pairs_tell() -> None:
    """Columns that hang together need pairs; those that do not, themselves."""
    schema = category_schema(*[4] * 8)
    rng = np.random.default_rng(7)
    apart = Records(schema, rng.integers(0, 4, (20_000, 8)).astype(np.uint16))
    shares = [
        learned(records, Budget(1.0, 1e-9)).divisions[0].alone
        for records in (dependent(schema, 20_000), apart)
    ]
    assert shares[0] < 0.6 < shares[1]


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
    assert learning_seconds(learner, found, 50_000, 100) < learning_seconds(
        learner, found, 90_000, 100
    )
    assert learning_seconds(learner, found, 50_000, 100) < learning_seconds(
        learner, found, 50_000, 10**6
    )


LONG = Schema(columns=(grouped((400, 200, 20, 4)), *category_schema(6, 40).columns))
FLAT = LONG.replace(LONG.columns[0].changed(levels=()))


def test_a_column_of_too_many_groups_is_related_through_the_levels_above_them() -> None:
    budget = Budget(0.5, 1e-9)
    flat, kept = (
        expected_errors(CalibratedLearner.within(schema, budget), 12_000, 1_000)
        for schema in (FLAT, LONG)
    )
    assert (0 in flat.hardly_related, flat.possible[0, 2]) == (True, False)
    assert 0 not in (*kept.unrelated, *kept.hardly_related)
    assert kept.possible[0].all()


def test_what_the_levels_of_a_pair_hide_counts_as_an_error_without_any_noise() -> None:
    schema = Schema(columns=(grouped((40, 9, 4), "long"), *category_schema(6, 6).columns[:1]))
    coarsest = tuple(each[-1:] for each in every_view(schema))
    usual, free = (
        Usual(schema, EVEN, 1_000.0, coarsest, column_views(schema)),
        Allowance(0.0, "none"),
    )
    asking = Asking(usual, free, free, QuestionShares(), 0.0)
    hidden = 1 - COARSER ** (coarsest[0][0].level - 1)
    assert hidden > 0
    assert asking.counted.tolist() == pytest.approx([PREDICTION_USUAL * hidden])
    np.testing.assert_allclose(asking.off, hidden * asking._strengths)


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
        for records in (100, 2_500, 50_000)
    }
    assert seen == {100: [0, 1], 2_500: [3], 50_000: [0, 1, 2, 3]}


def test_where_answers_at_all_levels_gain_nothing_those_at_the_coarsest_may() -> None:
    """Eight columns with four levels each: 25 tables of every pair, or one."""
    schema = Schema(columns=tuple(grouped((40, 20, 10, 4), f"c{place}") for place in range(8)))
    learner = CalibratedLearner.within(schema, Budget(1.0))
    ways = {records: learner.way(records) for records in (1_000, 14_000, 1_000_000)}
    assert [way.scope for way in ways.values()] == ["none", "all", "all"]
    seen = {records: [view.level for view in way.views[0]] for records, way in ways.items()}
    assert seen == {1_000: [0, 1], 14_000: [3], 1_000_000: [0, 1, 2, 3]}
