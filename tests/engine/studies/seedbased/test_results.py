"""The published tool's early stop against looking at seeds one by one, as it does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    BreakdownEntry,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.evaluation.measures import linear_accuracy
from understudy.evaluation.measures.model_accuracy import ModelAccuracy
from understudy.mechanisms.seedbased.model_fit import learn_baseline
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.evaluation import (
    IMPROVEMENT,
    MODELS,
    EarlyStop,
    found_in,
    measures_of,
)
from understudy.studies.seedbased.publication import (
    CLASSIFICATION,
    DISTINGUISHING,
    LINEAR,
    TABLES,
    PublishedTable,
    gap,
    set_beside,
)
from understudy.studies.seedbased.setting import (
    EPSILONS,
    FEWEST,
    PUBLISHED_ROWS,
    UNNOISED,
    SeedbasedStudySetting,
    SeedbasedStudySizes,
    average_by_kind,
    compared_with,
    learned_kinds,
    networks_of,
    omegas_of,
    published_plan,
)
from understudy.table.records import Records

TABLE = PublishedTable(
    name="Table 0",
    title="made by hand",
    source="nowhere",
    best=REALS,
    quantities=(("accuracy", "random forest"), ("accuracy", "AdaBoost")),
    rows={REALS: (80.0, 90.0), MARGINALS: (60.0, 70.0), "ω = 3": (75.0, 90.0)},
)
FOUND = {
    ("accuracy", "random forest"): {
        REALS: BreakdownEntry(("random forest",), 0.9),
        MARGINALS: BreakdownEntry(("random forest",), 0.5),
        "ω = 3": BreakdownEntry(("random forest",), 0.6, Interval(0.58, 0.61)),
    }
}
ROWS = (REALS, MARGINALS, "ω = 3")


def test_published_ours_ratio_and_both_gaps() -> None:
    forest, adaboost = set_beside(TABLE, FOUND, ROWS, with_published=True).columns
    line = forest.lines[2]
    assert line.subject == "ω = 3"
    assert (line.published, line.ours) == (75.0, pytest.approx(60.0))
    assert line.ratio == pytest.approx(0.8)
    assert (line.low, line.high) == (pytest.approx(58.0), pytest.approx(61.0))
    assert line.gap_published == pytest.approx(0.75)
    assert line.gap_ours == pytest.approx(0.25)
    assert adaboost.lines[2].published == 90.0
    assert adaboost.lines[2].ours is adaboost.lines[2].ratio is adaboost.lines[2].gap_ours is None
    assert adaboost.lines[2].gap_published == pytest.approx(1.0)


def test_references_have_no_gap_of_their_own() -> None:
    forest = set_beside(TABLE, FOUND, ROWS, with_published=True).columns[0]
    assert [each.gap_ours for each in forest.lines[:2]] == [None, None]
    assert [each.gap_published for each in forest.lines[:2]] == [None, None]


def test_without_the_published_numbers_only_ours_are_there() -> None:
    forest = set_beside(TABLE, FOUND, ROWS, with_published=False).columns[0]
    assert all(each.published is each.ratio is each.gap_published is None for each in forest.lines)
    assert forest.lines[2].gap_ours == pytest.approx(0.25)


def test_where_less_is_better_the_gap_counts_the_same_way() -> None:
    row = {name: numbers[0] for name, numbers in DISTINGUISHING.rows.items()}
    assert gap("ω = 11", REALS, row) == pytest.approx((79.8 - 62.3) / (79.8 - 50.0))


def test_references_too_close_give_no_gap() -> None:
    assert gap("a", REALS, {"a": 60.2, REALS: 60.4, MARGINALS: 60.0}) is None
    assert gap("a", REALS, {"a": 60.2, MARGINALS: 60.0}) is None


def test_references_that_chance_may_have_set_apart_give_no_gap_of_ours() -> None:
    found = {
        ("accuracy", "random forest"): {
            REALS: BreakdownEntry(("random forest",), 0.52, Interval(0.49, 0.55)),
            MARGINALS: BreakdownEntry(("random forest",), 0.5, Interval(0.47, 0.53)),
            "ω = 3": BreakdownEntry(("random forest",), 0.43, Interval(0.4, 0.46)),
        }
    }
    line = set_beside(TABLE, found, ROWS, with_published=True).columns[0].lines[2]
    assert line.gap_ours is None
    assert line.gap_published == pytest.approx(0.75)


def of(key: str, **parts: BreakdownEntry) -> Evaluation:
    measured = {name: SubjectResult(each.value, None, (each,)) for name, each in parts.items()}
    return Evaluation((), 0, "x", (Finding(key, measured),))


def test_an_advantage_becomes_how_often_the_guess_is_right() -> None:
    evaluation = of(
        "distinguishing", table=BreakdownEntry(("random forest",), 0.2, Interval(0.1, 0.4))
    )
    part = found_in(evaluation)["distinguishing", "random forest"]["table"]
    assert part.value == pytest.approx(0.6)
    assert (part.interval.low, part.interval.high) == (pytest.approx(0.55), pytest.approx(0.7))


def test_parts_are_found_by_their_classifier() -> None:
    evaluation = of(
        "accuracy", a=BreakdownEntry(("AdaBoost",), 0.7), b=BreakdownEntry(("random forest",), 0.8)
    )
    found = found_in(evaluation)
    assert found["accuracy", "AdaBoost"] == {"a": BreakdownEntry(("AdaBoost",), 0.7)}
    assert set(found["accuracy", "random forest"]) == {"b"}
    assert found["agreement", "AdaBoost"] == {}


def test_subjects_go_by_their_published_names() -> None:
    subjects = (linear_accuracy.ORDINARY, linear_accuracy.OUTPUT, linear_accuracy.OBJECTIVE)
    parts = {name: BreakdownEntry(("linear SVM",), 0.7) for name in subjects}
    found = found_in(of("linear-accuracy", **parts))["linear accuracy", "linear SVM"]
    assert set(found) == {each for each in LINEAR.rows if not each.startswith(("ω", "marg"))}


def test_everything_the_published_tables_have_is_asked_for() -> None:
    asked = {measure.about.key for measure in measures_of(SeedbasedStudySetting.of(11), 1)}
    keys = {"linear accuracy": "linear-accuracy"}
    assert {keys.get(what, what) for table in TABLES for what, _ in table.quantities} <= asked


def test_the_forest_of_figure_2_learns_from_as_many_records_as_the_model() -> None:
    asked = measures_of(SeedbasedStudySetting.of(11), learned_from=publication.PARAMETERS)
    (accuracy,) = (each for each in asked if isinstance(each, ModelAccuracy))
    assert accuracy.forest_records == publication.PARAMETERS
    assert accuracy.most_records == SeedbasedStudySetting.of(11).tested


SEEDS = 60


def looked_at(plausible: int, limit: EarlyStop, random: np.random.Generator) -> tuple[int, int]:
    """What is found, and how many are looked at, one seed after another."""
    found = looked = 0
    for each in random.permutation(SEEDS):
        if looked == limit.examined or found == limit.plausible:
            break
        looked += 1
        found += int(each < plausible)
    return found, looked


@pytest.mark.parametrize("limit", [EarlyStop(20), EarlyStop(20, 4), EarlyStop(45, 9)])
@pytest.mark.parametrize("plausible", [0, 3, 12, 50, SEEDS])
def test_counts_and_looks_have_the_law_of_the_tool(limit: EarlyStop, plausible: int) -> None:
    random = np.random.default_rng(plausible)
    slow = np.array([looked_at(plausible, limit, random) for _ in range(2_000)])
    many = np.full(20_000, plausible)
    found, looked = limit.count(many, SEEDS, random), limit.examine(many, SEEDS, random)
    for one, other, slack in ((slow[:, 0], found, 0.0), (slow[:, 1], looked, 0.6)):
        spread = 5 * np.sqrt(one.var() / len(one) + other.var() / len(other))
        assert abs(one.mean() - other.mean()) <= spread + slack


def test_where_all_seeds_are_looked_at_all_plausible_ones_are_found() -> None:
    counts = np.arange(SEEDS + 1)
    random = np.random.default_rng(1)
    assert (EarlyStop(10 * SEEDS).count(counts, SEEDS, random) == counts).all()
    assert (EarlyStop(SEEDS, 7).count(counts, SEEDS, random) == np.minimum(counts, 7)).all()


def test_limits_are_in_proportion_to_the_published_seeds() -> None:
    assert EarlyStop.of_share(publication.SEEDS, 100_000).examined == 100_000
    assert EarlyStop.of_share(publication.SEEDS // 10, 100_000, 100) == EarlyStop(10_000, 100)


def test_models_of_a_kind_are_averaged_by_column(evaluation: Evaluation) -> None:
    kinds = average_by_kind(evaluation, IMPROVEMENT)
    assert list(learned_kinds(kinds)) == list(EPSILONS)
    assert kinds["ε = 1"]["AGEP"] == pytest.approx(0.3)
    assert kinds["without noise"]["AGEP"] == pytest.approx(0.5)
    assert average_by_kind(evaluation, "nothing of the kind") == {}


def test_one_kind_stands_beside_what_is_no_model(evaluation: Evaluation) -> None:
    shown = compared_with(average_by_kind(evaluation, MODELS), "without noise")
    assert list(shown) == [
        *("without noise", MARGINALS, UNNOISED),
        *("random guess", "random forest"),
    ]


def test_as_many_models_as_their_noise_needs() -> None:
    schema = census.schema()
    parts = SeedbasedStudySizes(100, 300, 300, 0).cut(Records(schema, census.simulate(700, 1)))
    source = RandomSource.fixed(1)
    shares = SeedbasedStudySizes(100, 300, 300, 100).shares
    baseline = learn_baseline(published_plan(schema, shares, 1.0), parts, source)
    made = networks_of(parts, shares, baseline, 2, source)
    assert list(made) == [
        *(MARGINALS, UNNOISED, "without noise #1"),
        *("ε = 1 #1", "ε = 1 #2", "ε = 0.1 #1", "ε = 0.1 #2"),
    ]
    counted = np.bincount(parts.parameters.codes[:, 0], minlength=schema.cardinalities[0])
    exact = made[UNNOISED].tables[0].probabilities.ravel()
    assert exact.argmax() == counted.argmax()
    one, other = (made[f"ε = 1 #{number}"].tables[-1].weights for number in (1, 2))
    assert one.shape != other.shape or (one != other).any()


def test_sizes_are_the_published_ones_at_full_size_and_follow_the_rows() -> None:
    assert SeedbasedStudySizes.of(PUBLISHED_ROWS) == SeedbasedStudySizes(
        735_000, 280_000, 280_000, 100_000
    )
    assert (
        SeedbasedStudySizes.of(PUBLISHED_ROWS // 10)
        == SeedbasedStudySizes().tenth()
        == SeedbasedStudySizes(73_500, 28_000, 28_000, 10_000)
    )
    assert SeedbasedStudySizes.of(PUBLISHED_ROWS).total < PUBLISHED_ROWS


def test_shares_of_a_table_that_is_split_by_coins() -> None:
    assert SeedbasedStudySizes().shares.each == (0.53, 0.2, 0.2, 0.07)


def test_cut_takes_every_record_once_and_in_order() -> None:
    schema = category_schema(7, 3)
    codes = np.column_stack([np.arange(20) % 7, np.arange(20) % 3]).astype(np.uint16)
    parts = SeedbasedStudySizes(8, 5, 4, 2).cut(Records(schema, codes))
    made = [parts.seeds, parts.structure, parts.parameters, parts.held_out]
    assert [len(each) for each in made] == [8, 5, 4, 2]
    np.testing.assert_array_equal(np.concatenate([each.codes for each in made]), codes[:19])


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (11, ["11", "10", "9", "9-11", "5-11"]),
        (4, ["4", "3", "2", "2-4"]),
        (2, ["2", "1", "1-2"]),
    ],
)
def test_omegas_are_the_published_ones_for_eleven_columns(
    attributes: int, expected: list[str]
) -> None:
    assert [str(each) for each in omegas_of(attributes)] == expected


def test_too_few_rows_are_refused() -> None:
    assert SeedbasedStudySizes.of(FEWEST).held_out > 0
    with pytest.raises(Refusal, match=r"too few records.*2,000 or more") as refused:
        SeedbasedStudySizes.of(FEWEST - 1)
    assert refused.value.field == "rows"


def test_quick_says_what_it_cuts_and_full_says_nothing() -> None:
    full = SeedbasedStudySetting.of(11)
    assert full.cut(PUBLISHED_ROWS) == full.cut(None) == ""
    said = full.quick().cut(PUBLISHED_ROWS // 10)
    assert "150,000 people instead of 1,500,000" in said
    assert "10,000 records of each table at most instead of 100,000" in said
    assert "people" not in full.quick().cut(None)


def test_tables_are_as_large_as_published() -> None:
    full = SeedbasedStudySetting.of(11)
    assert (full.most, full.most // 2) == (publication.TRAINING, publication.DISTINGUISHED)
    assert (full.repeats, full.models) == (publication.RUNS, publication.MODELS)


def test_the_plan_is_the_published_one() -> None:
    schema = category_schema(3, 4, 2)
    plan = published_plan(schema, SeedbasedStudySizes().shares, 1.0)
    assert (plan.test.k, plan.test.gamma, plan.test.epsilon0) == (50, 4.0, 1.0)
    assert plan.delta == 2**-30
    assert plan.model.epsilon == 1.0


# Added up from the printed tables, so that a digit typed wrongly shows.
SUMS = {
    "Table 3": (497.2, 520.3, 538.3, 507.6, 547.1, 584.2),
    "Table 4": (682.8, 687.4),
    "Table 5": (438.4, 416.8),
}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_columns_add_up_to_the_printed_ones(table: publication.PublishedTable) -> None:
    assert all(len(row) == len(table.quantities) for row in table.rows.values())
    sums = [
        math.fsum(row[at] for row in table.rows.values()) for at in range(len(table.quantities))
    ]
    assert sums == pytest.approx(SUMS[table.name], abs=1e-9)


def test_shapes_of_the_tables() -> None:
    shapes = {each.name: (len(each.rows), len(each.quantities)) for each in TABLES}
    assert shapes == {"Table 3": (7, 6), "Table 4": (9, 2), "Table 5": (7, 2)}
    assert all(each.best in each.rows and "marginals" in each.rows for each in TABLES)


def test_every_table_has_the_same_five_omegas() -> None:
    omegas = ["ω = 11", "ω = 10", "ω = 9", "ω = 9-11", "ω = 5-11"]
    for table in (CLASSIFICATION, LINEAR, DISTINGUISHING):
        assert [name for name in table.rows if name.startswith("ω")] == omegas


def test_possible_records_and_the_share_that_occur_once() -> None:
    ours = math.prod(publication.CARDINALITIES.values())
    assert ours == 552_960_000_000
    assert publication.POSSIBLE == ours // (80 * 100) * 79 * 99 == 540_587_520_000
    assert round(100 * publication.UNIQUE / publication.RECORDS, 1) == 68.4
    assert publication.POSSIBLE.bit_length() == 39


def test_the_rate_of_the_published_tool() -> None:
    assert math.ceil(publication.TIMED_RECORDS / publication.TIMED_SECONDS) == 17
