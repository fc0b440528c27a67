"""What is foreseen of a model against what it turns out to be. To how many columns each can be
related: what the plan's own forecast counts, and no record. What buckets leave for the model, from
public numbers: the noise is the noise that is drawn.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.evaluation.comparison import Distances, distances
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.foresight import (
    FamilySize,
    Precision,
    as_published,
    count_relatable,
    foresee_run,
    learning_time,
    left_out,
    levels_in_words,
    nearness_in_words,
    predict_table,
    related_in,
    round_per_cent,
    tie_in_words,
    unrelated_columns,
)
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.model_fit import promised_budget, promised_terms
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table
from understudy.models.bayesnet.as_learner import cell_cap
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.learner import Terms
from understudy.models.omega import Omega
from understudy.models.prediction import Predicted, prediction_of
from understudy.models.sequential import Sequential
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_deviation, laplace_deviation, laplace_tail
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByCuts, ByGroups, EachValue, Group
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.levels import calendar_levels
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Shares

SCHEMA = category_schema(8, 5, 12, 3, 24)
ALL = Shares(seeds=0, structure=0, parameters=1, held_out=0)
RECORDS, ROWS = 12_000, 30_000


@pytest.fixture(scope="module")
def table() -> Records:
    """Columns each of which follows the one before half of the time."""
    rng = np.random.default_rng(11)
    columns = [rng.integers(0, 8, RECORDS)]
    for size in (5, 12, 3, 24):
        fresh = rng.integers(0, size, RECORDS)
        columns.append(np.where(rng.random(RECORDS) < 0.5, columns[-1] % size, fresh))
    return Records(SCHEMA, np.stack(columns, axis=1).astype(np.uint16))


def measured(network: Sequential, table: Records, source: RandomSource) -> Distances:
    """Of whole records, drawn as a release draws them."""
    return distances(Records(SCHEMA, drawn(network, SCHEMA, source)), table)


def drawn(network: Sequential, schema: Schema, source: RandomSource) -> np.ndarray:
    every = len(schema)
    made = KeptAttributes(network, Omega(low=every, high=every))
    seeds = np.zeros((every, ROWS), dtype=np.uint16)
    codes = np.empty((ROWS, every), dtype=np.uint16)
    codes[:, list(network.order)] = made.propose(seeds, np.full(ROWS, every), source).T
    return codes


def learned(kind: str, budget: Budget, table: Records, seed: int = 5) -> Distances:
    source = RandomSource.fixed(seed)
    noise = Noise(source)
    if kind == "marginals":
        learner = ParameterLearner.within(SCHEMA, budget)
        return measured(learn_marginals(table, learner, noise), table, source)
    calibrated = CalibratedLearner.within(SCHEMA, budget)
    return measured(calibrated.learn(table, noise, source.child()).network, table, source)


def told(kind: str, budget: Budget) -> Predicted:
    found = learner_of(kind).foreseen(Terms(SCHEMA, budget, ALL), RECORDS, ROWS)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ["calibrated", "marginals"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_columns_come_out_within_a_factor_of_two(kind: str, epsilon: float, table: Records) -> None:
    budget = Budget(epsilon, 1e-9)
    found, seen = told(kind, budget), learned(kind, budget, table)
    assert 0.5 < float(np.mean(seen.single) / np.mean(found.each_column)) < 2
    ratios = seen.single / found.each_column
    assert 0.5 < float(np.median(ratios)) < 2


def test_pairs_come_out_within_a_factor_of_two(table: Records) -> None:
    budget = Budget(1.0, 1e-9)
    found, seen = told("calibrated", budget), learned("calibrated", budget, table)
    counted = np.isfinite(found.each_pair)
    assert counted.sum() >= 5
    ratios = seen.each_pair[counted] / found.each_pair[counted]
    assert 0.5 < float(np.median(ratios)) < 2


def test_the_model_that_is_foreseen_to_be_closer_is(table: Records) -> None:
    budget, kinds = Budget(1.0, 1e-9), ("calibrated", "marginals")
    foreseen = [told(kind, budget).all_pairs for kind in kinds]
    found = [learned(kind, budget, table).each_pair.mean() for kind in kinds]
    assert foreseen[0] < 0.8 * foreseen[1]
    assert found[0] < 0.8 * found[1]


def test_a_column_foretold_to_be_unrelated_comes_out_so() -> None:
    """A column of 528 codes that tells half of each of the others, of too few records."""
    schema, records = category_schema(528, 8, 5), 3_000
    rng = np.random.default_rng(5)
    first = rng.integers(0, 528, records)
    others = [
        np.where(rng.random(records) < 0.5, first % size, rng.integers(0, size, records))
        for size in (8, 5)
    ]
    table = Records(schema, np.stack([first, *others], axis=1).astype(np.uint16))
    wanted = Wanted(epsilon=1.0, records=records, attempts=ROWS)
    plan = whole_table(schema, wanted).plan.change(schema, model=ModelPlan(epsilon=1.0))
    decided = plan_run(plan, schema)
    found = foresee_run(decided)
    assert found is not None
    assert found.unrelated == (0,)
    said = unrelated_columns(found, plan, schema)
    assert said.startswith(f"“{schema.names[0]}” will be unrelated to every other column")
    source = RandomSource.fixed(8)
    terms = promised_terms(plan, schema, decided.guarantee.account_as(Promise))
    learner = CalibratedLearner.within(schema, terms.budget)
    network = learner.learn(table, Noise(source), source.child()).network
    codes = drawn(network, schema, source)
    for place, size in enumerate((8, 5), 1):
        agree = (codes[:, 0] % size == codes[:, place]).mean()
        assert agree == pytest.approx(1 / size, abs=0.05)
        assert (table.codes[:, 0] % size == table.codes[:, place]).mean() > 0.5


def test_where_no_pair_is_asked_about_columns_are_as_close_as_is_foreseen(table: Records) -> None:
    """Both pay in ε then, and the calibrated model divides it by how long columns are. Of one
    learning the noise says a fourth more or less, of thirty a few hundredths."""
    budget, kinds = Budget(0.02, 1e-9), ("calibrated", "marginals")
    assert not told("calibrated", budget).counted
    foreseen = [told(kind, budget).each_column.mean() for kind in kinds]
    found = [
        np.mean([learned(kind, budget, table, seed).single.mean() for seed in range(30)])
        for kind in kinds
    ]
    assert foreseen[0] < foreseen[1]
    assert found[0] < found[1]
    assert found == pytest.approx(foreseen, rel=0.25)


@pytest.mark.parametrize("kind", ["calibrated", "network", "marginals"])
def test_more_of_anything_brings_it_nearer(kind: str) -> None:
    def off(epsilon: float = 1.0, records: int = RECORDS, rows: int = ROWS) -> float:
        found = learner_of(kind).foreseen(Terms(SCHEMA, Budget(epsilon, 1e-9), ALL), records, rows)
        assert found is not None
        return found.typical_column

    assert off(epsilon=3.0) < off()
    assert off(records=5 * RECORDS) < off()
    assert off(rows=5 * ROWS) < off()


def test_a_plan_is_foreseen_from_the_records_its_model_learns_from() -> None:
    plan = Plan.of(SCHEMA, attempts=ROWS)
    made = promise(plan, SCHEMA)
    found = predict_table(plan, SCHEMA, made, RECORDS, ROWS)
    budget = Budget(1.0, made.record_delta)
    same = learner_of("calibrated").foreseen(Terms(SCHEMA, budget, ALL), round(0.6 * RECORDS), ROWS)
    assert found is not None
    assert same is not None
    assert found.single == pytest.approx(same.single)
    assert learning_time(plan, SCHEMA, made, found, RECORDS) > 0


def test_without_noise_only_chance_is_left() -> None:
    plan = Plan.of(SCHEMA, model=ModelPlan(kind="marginals", epsilon=None))
    found = predict_table(plan, SCHEMA, promise(plan, SCHEMA), RECORDS, ROWS)
    assert found is not None
    assert not found.single.any()
    assert found.each_column.all()


def test_of_another_kind_nothing_is_known() -> None:
    assert (
        learner_of("outside").foreseen(Terms(SCHEMA, Budget(1.0, 1e-9), ALL), RECORDS, ROWS) is None
    )


def test_the_published_formula_asks_more_for_the_same_noise() -> None:
    plan = Plan.of(SCHEMA, model=ModelPlan(kind="network"))
    made = promise(plan, SCHEMA)
    budget = Budget(1.0, made.record_delta)
    assert as_published(SCHEMA, budget) == made.published_model
    assert as_published(SCHEMA, replace(budget)).corrected.epsilon > 1


def pairs_of(counted: str, possible: str = "") -> Predicted:
    """Four columns, named by their places, of which these pairs are counted or possible."""
    square, able = np.full((4, 4), np.nan), np.zeros((4, 4), dtype=bool)
    for pair in counted.split():
        one, other = map(int, pair)
        square[one, other] = square[other, one] = 0.1
    for pair in possible.split():
        one, other = map(int, pair)
        able[one, other] = able[other, one] = True
    np.fill_diagonal(square, 0.05)
    able |= np.isfinite(square)
    return Predicted(np.full(4, 0.05), square, able, np.zeros((4, 4)), np.zeros((1, 6)))


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ("01 02 03 12 13 23", []),
        ("01 02 03", [(1, (2, 3)), (2, (3,))]),
        ("01 12 23", [(0, (2, 3)), (1, (3,))]),
        ("01", []),  # the two others are in no pair at all, which is said of them by name
    ],
)
def test_every_pair_that_is_not_counted_is_listed_once(
    counted: str, expected: list[tuple[int, tuple[int, ...]]]
) -> None:
    assert [(each.column, each.others) for each in left_out(pairs_of(counted))] == expected


def test_a_pair_is_said_to_be_kept_as_the_map_has_it() -> None:
    found = pairs_of("01", possible="02")
    assert "is kept" in tie_in_words(found, 0, 1)
    assert "only where they are tied more" in tie_in_words(found, 2, 0)
    assert "is lost" in tie_in_words(found, 1, 3)


def test_only_a_bound_is_called_at_most() -> None:
    single, pairs = np.array([0.01, 0.02, 0.03]), {(0, 1): 0.04, (1, 2): 0.05}
    found = replace(prediction_of(np.array([4, 5, 6]), single, pairs, 10**6), sure=True)
    assert found.typical_column < found.column_at_most
    assert found.typical_pair < found.pair_at_most
    column, pair = round_per_cent(found.column_at_most), round_per_cent(found.pair_at_most)
    assert nearness_in_words(found) == (
        f"Noise and chance put a typical column at most {column} off, and a typical pair that is "
        f"counted {pair}, in 95 of 100 runs."
    )
    assert nearness_in_words(replace(found, sure=False)) == ""


RELATING_SCHEMA = category_schema(500, 4, 8, 3)
HALVES = ByGroups(
    groups=(Group(label="first", values=RELATING_SCHEMA.columns[0].domain.texts[:250]),),
    rest="others",
)


def test_it_counts_the_pairs_that_the_forecast_of_the_plan_counts() -> None:
    plan = Plan.of(RELATING_SCHEMA)
    made = promise(plan, RELATING_SCHEMA)
    found = predict_table(plan, RELATING_SCHEMA, made, 5000, plan.attempts)
    assert found is not None
    counts = np.isfinite(found.pairs).sum(axis=1) - 1
    assert count_relatable(plan, RELATING_SCHEMA, made, 5000) == dict(
        zip(RELATING_SCHEMA.names, counts, strict=True)
    )


def test_a_long_list_is_related_to_more_once_it_is_grouped() -> None:
    plan = Plan.of(RELATING_SCHEMA)
    choices = [RELATING_SCHEMA.columns[0].with_buckets(each) for each in (EachValue(), HALVES)]
    found = related_in(plan, RELATING_SCHEMA, promise(plan, RELATING_SCHEMA), choices, 20_000)
    assert found is not None
    assert found[0] < found[1] == 3


def test_marginals_relate_nothing() -> None:
    plan = Plan.of(RELATING_SCHEMA, model={"kind": "marginals"})
    found = count_relatable(plan, RELATING_SCHEMA, promise(plan, RELATING_SCHEMA))
    assert found is not None
    assert set(found.values()) == {0}


VISIBILITY_SCHEMA = category_schema(6, 4, 8, 3, halves=frozenset({2}))


def precision(plan: Plan) -> Precision:
    return Precision.of(plan, VISIBILITY_SCHEMA, promise(plan, VISIBILITY_SCHEMA))


def test_configurations_count_buckets_and_cells_count_values() -> None:
    family = FamilySize.of(VISIBILITY_SCHEMA, "c0", ("c2", "c3"))
    assert (family.configurations, family.values, family.cells) == (2 * 3, 6, 36)
    assert FamilySize.of(VISIBILITY_SCHEMA, "c0", ()).configurations == 1


@pytest.mark.parametrize("kind", ["network", "marginals"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0, 500.0])
def test_the_noise_is_that_of_the_learner_of_the_plan(kind: str, epsilon: float) -> None:
    plan = Plan.of(VISIBILITY_SCHEMA, model={"kind": kind, "epsilon": epsilon})
    learner = ParameterLearner.within(
        VISIBILITY_SCHEMA, promised_budget(plan, promise(plan, VISIBILITY_SCHEMA))
    )
    found = precision(plan)
    assert found.deviation == learner.deviation
    exact = learner.share.deviation
    assert found.deviation == pytest.approx(exact, rel=0.02 + 1 / exact**2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0])
def test_the_noise_of_the_calibrated_model_is_that_of_as_many_pairs_as_columns(
    epsilon: float,
) -> None:
    """Each gets the same share of a round, which so many records pay in full."""
    plan = Plan.of(VISIBILITY_SCHEMA, model={"epsilon": epsilon})
    learner = CalibratedLearner.within(
        VISIBILITY_SCHEMA, promised_budget(plan, promise(plan, VISIBILITY_SCHEMA))
    )
    spend = learner.of_a_round
    found = precision(plan)
    for part in spend.divide([24] * len(VISIBILITY_SCHEMA)):
        assert part.deviation == pytest.approx(found.deviation)
    made = promise(plan, VISIBILITY_SCHEMA)
    assert made.records_at_least is not None
    assert found.records == pytest.approx(made.records_at_least * 0.6)
    assert found.usable(FamilySize(1, math.floor(found.most_cells)))
    assert not found.usable(FamilySize(1, math.floor(found.most_cells) + 1))


def test_a_plan_that_makes_no_seeds_counts_on_as_many_records_as_were_to_be_seeds() -> None:
    shares = {"seeds": 0.0, "structure": 0.0, "parameters": 0.9, "held_out": 0.1}
    for kind in ("calibrated", "marginals"):
        plan = Plan.of(
            VISIBILITY_SCHEMA,
            omega=Omega(low=4, high=4),
            model={"kind": kind},
            shares=shares,
            seeds_at_least=2_000,
        )
        assert precision(plan).records == pytest.approx(1_800)


def test_the_marginals_use_no_parents() -> None:
    assert not precision(Plan.of(VISIBILITY_SCHEMA, model={"kind": "marginals"})).usable(
        FamilySize(2, 3)
    )


@pytest.mark.parametrize("kind", ["calibrated", "network"])
def test_without_noise_there_is_none_and_what_is_allowed_follows_from_the_records(
    kind: str,
) -> None:
    found = precision(Plan.of(VISIBILITY_SCHEMA, model={"kind": kind, "epsilon": None}))
    assert found.deviation == 0
    assert found.noise_share(FamilySize(4, 4)) == 0
    assert found.usable(FamilySize(1, math.floor(found.most_cells)))
    assert not found.usable(FamilySize(1, math.floor(found.most_cells) + 1))


@given(st.integers(500, 50_000), st.sampled_from([0.3, 1.0, 3.0]))
def test_only_declared_numbers_are_used_and_more_records_help(seeds: int, epsilon: float) -> None:
    shares = {"seeds": 0.3, "structure": 0.2, "parameters": 0.4, "held_out": 0.1}
    model = {"kind": "network", "epsilon": epsilon}
    plan = Plan.of(VISIBILITY_SCHEMA, seeds_at_least=seeds, model=model, shares=shares)
    made = promise(plan, VISIBILITY_SCHEMA)
    found, family = Precision.of(plan, VISIBILITY_SCHEMA, made), FamilySize(12, 6)
    assert made.records_at_least is not None
    assert found.records == made.records_at_least * plan.shares.parameters
    assert found.even(family) * family.cells == pytest.approx(found.records)
    cap = cell_cap(
        ParameterLearner.within(
            VISIBILITY_SCHEMA, promised_budget(plan, promise(plan, VISIBILITY_SCHEMA))
        ),
        plan.shares,
    )
    assert found.most_cells == cap.cells(math.floor(made.records_at_least * plan.shares.structure))
    # A seedless plan promises nothing of its seeds, and counts on as many records all the same.
    seedless = Precision.of(plan, VISIBILITY_SCHEMA, replace(made, records_at_least=None))
    assert seedless.records == pytest.approx(found.records, rel=1e-3)


@pytest.mark.parametrize("scale", [0.2, 0.7, 1.0, 2.5, 40.0])
def test_the_deviation_of_integer_laplace_noise_is_that_of_its_law(scale: float) -> None:
    places = np.arange(1, math.ceil(60 * scale) + 60)
    chances = [laplace_tail(int(j), scale) - laplace_tail(int(j) + 1, scale) for j in places]
    assert laplace_deviation(scale) ** 2 == pytest.approx(2 * float(places**2 @ np.array(chances)))


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0, 2.99, 3.0, 50.0])
def test_the_deviation_of_integer_gaussian_noise_is_that_of_its_law(scale: float) -> None:
    places = np.arange(-math.ceil(40 * scale) - 5, math.ceil(40 * scale) + 6)
    weights = np.exp(-(places**2) / (2 * scale**2))
    law = float((weights @ places**2) / weights.sum())
    assert gaussian_deviation(scale) ** 2 == pytest.approx(law, rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "level", "words"),
    [(0.02, 2, "in decades"), (0.1, 1, "in years"), (3.0, 0, "in cells of 1 month")],
)
def test_the_level_at_which_a_column_will_be_counted_is_named(
    epsilon: float, level: int, words: str
) -> None:
    domain = Dates.read({"minimum": "1950-01-01", "maximum": "2019-12-31", "step": "month"})
    buckets = ByCuts(cuts=domain.cut_presets()["Years"])
    levels = calendar_levels(domain, buckets)
    column = Column(name="day", title="Born", domain=domain, buckets=buckets, levels=levels)
    other = column.changed(name="died", title="")
    schema = Schema(columns=(column, other, *category_schema(3, 4).columns))
    found = _foreseen(schema, epsilon)
    assert found.levels == {0: level, 1: level}
    assert levels_in_words(found, schema) == (
        f"“Born” and “died” will be counted {words}, the finest level that this budget carries; "
        "dates are drawn evenly within each."
    )
    plain = schema.with_columns([each.changed(levels=()) for each in schema.columns])
    assert levels_in_words(_foreseen(plain, epsilon), plain) == ""


def _foreseen(schema: Schema, epsilon: float) -> Predicted:
    """What is foreseen of the plan proposed for a table of 50,000 records."""
    plan = whole_table(schema, Wanted(epsilon=epsilon, records=50_000)).plan
    found = foresee_run(plan_run(plan, schema))
    assert found is not None
    return found
