from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from sklearn.ensemble import RandomForestClassifier

from tests.engine.evaluation.builders import copies, records, study_of
from tests.support import World, category_schema, random_network, random_structure, worlds
from understudy.core.refusal import Refusal
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import MARGINALS
from understudy.evaluation.measures import model_accuracy
from understudy.evaluation.measures.model_accuracy import (
    GUESS,
    IMPROVEMENT,
    MEASURE,
    ModelAccuracy,
    most_likely,
)
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.table.records import Records

SCHEMA = category_schema(2, 4, 2)
FLAT = ConditionalTable.from_probabilities(np.array([[0.1, 0.2, 0.4, 0.3]]))
LEANING = ConditionalTable.from_probabilities(np.array([[0.4, 0.6]]))
COPYING = ConditionalTable.from_probabilities(np.array([[0.9, 0.1], [0.2, 0.8]]))


def network(*, copying: bool) -> BayesianNetwork:
    """c2 is mostly a copy of c0, or all three are independent."""
    structure = Structure.of([(), (), (0,)] if copying else [()] * 3)
    return BayesianNetwork(SCHEMA, structure, (LEANING, FLAT, COPYING if copying else LEANING))


def test_a_model_that_knows_of_a_copy_is_always_right_about_it() -> None:
    held_out = copies(500, 1)
    study = study_of(
        {"made": copies(50, 2)},
        held_out,
        models={"ours": network(copying=True), MARGINALS: network(copying=False)},
        seeds=copies(600, 3),
    )
    found = MEASURE.measure(study)
    assert list(found) == ["ours", MARGINALS, GUESS, "random forest"]
    ones, twos = int(held_out.codes[:, 0].sum()), int((held_out.codes[:, 1] == 2).sum())
    ours, marginals = found["ours"], found[MARGINALS]
    assert [part.of for part in ours.parts] == [("c0",), ("c1",), ("c2",)]
    assert [part.value for part in ours.parts] == [1.0, twos / 500, 1.0]
    # Independent: the likeliest value of each column, whatever the others are.
    assert [part.value for part in marginals.parts] == [ones / 500, twos / 500, ones / 500]
    assert marginals.parts[0].interval == clopper_pearson(ones, 500)
    assert marginals.value == pytest.approx((2 * ones + twos) / 1500)
    forest = [part.value for part in found["random forest"].parts]
    assert (forest[0], forest[2]) == (1.0, 1.0)
    # It is not shown what it is asked.
    assert forest[1] < 0.4
    guesses = found[GUESS]
    assert [part.value for part in guesses.parts] == [0.5, 0.25, 0.5]
    assert guesses.value == pytest.approx(1.25 / 3)


def test_the_interval_is_of_records_not_of_columns() -> None:
    """c0 and c2 are right and wrong together, so they are no two trials."""
    held_out = copies(500, 1)
    study = study_of({"made": held_out}, held_out, models={"ours": network(copying=False)})
    found = MEASURE.measure(study)["ours"]
    first, second = held_out.codes[:, 0] == 1, held_out.codes[:, 1] == 2
    each = (2 * first + 1.0 * second) / 3
    reach = 1.959964 * each.std(ddof=1) / np.sqrt(500)
    assert found.interval is not None
    assert found.interval.high - found.value == pytest.approx(reach, rel=1e-6)
    assert found.value - found.interval.low == pytest.approx(reach, rel=1e-6)


def test_the_forest_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(1)
    schema = category_schema(5, 6, 3)
    model = random_network(schema, random_structure(3, random), random)
    known, asked = (random.integers(0, schema.cardinalities, (n, 3)) for n in (300, 200))
    for codes in (known, asked):
        codes[:, 2] = (codes[:, 0] + codes[:, 1]) % 3
    study = study_of(
        {"made": Records(schema, known)},
        Records(schema, asked),
        seeds=Records(schema, known),
        models={"ours": model},
    )
    found = ModelAccuracy(forest_trees=7).measure(study)
    seed = int(study.random("trees of the forest").integers(2**31))
    theirs = RandomForestClassifier(7, random_state=seed).fit(known[:, :2], known[:, 2])
    part = found["random forest"].parts[2]
    assert part.value == pytest.approx(theirs.score(asked[:, :2], asked[:, 2]))
    right = most_likely(model, 1, asked.astype(np.uint16)) == asked[:, 1]
    assert found["ours"].parts[1].value == right.mean()


def test_columns_of_many_values_are_not_asked_of_the_forest() -> None:
    study = study_of({"made": copies(60, 1)}, copies(60, 2), models={"m": network(copying=True)})
    found = ModelAccuracy(forest_values=3).measure(study)
    assert [part.of for part in found["random forest"].parts] == [("c0",), ("c2",)]
    assert "random forest" not in ModelAccuracy(forest_values=1).measure(study)


def test_no_more_records_are_tested_on_than_asked() -> None:
    study = study_of({"made": copies(60, 1)}, copies(900, 2), models={"m": network(copying=True)})
    found = ModelAccuracy(most_records=70).measure(study)["m"]
    assert found.parts[0].interval == clopper_pearson(70, 70)


def test_too_few_held_out_records_are_refused() -> None:
    with pytest.raises(Refusal, match="fewer than 50"):
        MEASURE.measure(study_of({"made": copies(60, 1)}, copies(49, 2)))


IMPROVEMENT_SCHEMA = category_schema(2, 2)


def table(*weights: list[float]) -> ConditionalTable:
    return ConditionalTable.from_probabilities(np.array(weights))


MARGINAL = BayesianNetwork(
    IMPROVEMENT_SCHEMA, Structure.independent(2), (table([2, 1]), table([2, 1]))
)
"""Says 0 and 0."""

CERTAIN = BayesianNetwork(
    IMPROVEMENT_SCHEMA, Structure.of([(), (0,)]), (table([2, 1]), table([9, 1], [1, 9]))
)
"""Says that c0 and c1 are equal."""

BACKWARDS = BayesianNetwork(
    IMPROVEMENT_SCHEMA, Structure.independent(2), (table([1, 2]), table([2, 1]))
)
"""Says 1 and 0."""


def held_out(equal: int, unequal: int, zeros: int) -> Records:
    """(1, 1), (1, 0) and (0, 0) so often."""
    pairs = np.repeat([[1, 1], [1, 0], [0, 0]], [equal, unequal, zeros], axis=0)
    return records(IMPROVEMENT_SCHEMA, pairs[:, 0], pairs[:, 1])


def measured(real: Records, **models: BayesianNetwork) -> dict[str, object]:
    return dict(
        IMPROVEMENT.measure(study_of({"made": real}, real, models={MARGINALS: MARGINAL, **models}))
    )


def test_errors_avoided_are_shares_of_the_errors_of_the_marginals() -> None:
    real = held_out(equal=40, unequal=20, zeros=40)
    study = study_of(
        {"made": real},
        real,
        models={"certain": CERTAIN, MARGINALS: MARGINAL, "backwards": BACKWARDS},
    )
    found = IMPROVEMENT.measure(study)
    assert list(found) == ["certain", "backwards"]
    # The marginals are wrong about c0 in 60 and about c1 in 40, the copy in 20 and in 20.
    by = {part.of[0]: part.value for part in found["certain"].parts}
    assert by == {"c0": pytest.approx(2 / 3), "c1": pytest.approx(1 / 2)}
    assert found["certain"].value == pytest.approx((2 / 3 + 1 / 2) / 2)
    by = {part.of[0]: part.value for part in found["backwards"].parts}
    assert by == {"c0": pytest.approx(1 - 40 / 60), "c1": 0.0}


def test_who_is_wrong_more_often_is_below_zero() -> None:
    real = held_out(equal=10, unequal=10, zeros=80)
    study = study_of({"made": real}, real, models={MARGINALS: MARGINAL, "backwards": BACKWARDS})
    assert IMPROVEMENT.measure(study)["backwards"].parts[0].value == pytest.approx(1 - 80 / 20)


def test_its_interval_is_that_of_resampled_records() -> None:
    real = held_out(equal=400, unequal=200, zeros=400)
    study = study_of({"made": real}, real, models={MARGINALS: MARGINAL, "certain": CERTAIN})
    found = IMPROVEMENT.measure(study)["certain"]
    random = np.random.default_rng(1)
    values = []
    for _ in range(2_000):
        equal, unequal, _zeros = random.multinomial(1000, [0.4, 0.2, 0.4])
        c0 = 1 - unequal / (equal + unequal)
        values.append((c0, (c0 + 1 - unequal / equal) / 2))
    spread = np.std(values, axis=0) * 1.96
    for interval, expected in zip((found.parts[0].interval, found.interval), spread, strict=True):
        assert interval is not None
        assert (interval.high - interval.low) / 2 == pytest.approx(expected, rel=0.1)


def test_a_column_without_errors_is_left_out() -> None:
    real = held_out(equal=0, unequal=50, zeros=50)
    study = study_of({"made": real}, real, models={MARGINALS: MARGINAL, "certain": CERTAIN})
    assert [part.of for part in IMPROVEMENT.measure(study)["certain"].parts] == [("c0",)]


def test_it_has_no_lowest_value() -> None:
    assert (IMPROVEMENT.about.low, IMPROVEMENT.about.high) == (-math.inf, 1.0)


@pytest.mark.parametrize(
    ("real", "models", "said"),
    [
        (held_out(10, 10, 80), {"certain": CERTAIN}, "no marginals"),
        (held_out(0, 0, 80), {MARGINALS: MARGINAL}, "right about every"),
        (held_out(0, 10, 10), {MARGINALS: MARGINAL}, "fewer than 50"),
    ],
)
def test_without_errors_to_avoid_it_is_refused(
    real: Records, models: dict[str, BayesianNetwork], said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        IMPROVEMENT.measure(study_of({"made": real}, real, models=models))


def joint(network: BayesianNetwork, record: list[int]) -> float:
    """The probability of a whole record, factor by factor."""
    product = 1.0
    for column in range(len(record)):
        configuration = 0
        for parent in network.structure.parents[column]:
            of = network.schema.columns[parent]
            configuration = configuration * of.bucket_count + int(of.bucket_map[record[parent]])
        product *= float(network.tables[column].probabilities[configuration, record[column]])
    return product


@given(worlds(most_records=12))
def test_the_most_likely_value_is_that_of_the_joint_distribution(world: World) -> None:
    codes = world.records.codes
    for column, values in enumerate(world.network.schema.cardinalities):
        found = most_likely(world.network, column, codes)
        for record, choice in zip(codes.tolist(), found.tolist(), strict=True):
            chances = [
                joint(world.network, [*record[:column], value, *record[column + 1 :]])
                for value in range(values)
            ]
            # What cannot happen whatever the value is says nothing of it.
            if max(chances) > 0:
                likely = [chance >= max(chances) * (1 - 1e-9) for chance in chances]
                assert choice == likely.index(True)


def test_what_the_record_holds_there_is_not_looked_at() -> None:
    random = np.random.default_rng(1)
    schema = category_schema(4, 3, 5, halves=frozenset({0, 2}))
    network = random_network(schema, random_structure(3, random), random)
    codes = random.integers(0, schema.cardinalities, (50, 3)).astype(np.uint16)
    for column, values in enumerate(schema.cardinalities):
        changed = codes.copy()
        changed[:, column] = (changed[:, column] + 1) % values
        assert (most_likely(network, column, codes) == most_likely(network, column, changed)).all()


def test_of_equals_it_is_the_smaller_code() -> None:
    """Three values, the last two as likely as each other through different factors."""
    schema = category_schema(3, 2)
    tables = (
        ConditionalTable.from_probabilities(np.array([[0.25, 0.25, 0.5]])),
        ConditionalTable.from_probabilities(np.array([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])),
    )
    network = BayesianNetwork(schema, Structure.of([(), (0,)]), tables)
    codes = np.array([[0, 0], [0, 1]], dtype=np.uint16)
    # x1 = 0: 1/8, 1/8, 1/8. x1 = 1: 1/8, 1/8, 3/8.
    assert most_likely(network, 0, codes).tolist() == [0, 2]


def test_many_records_are_looked_at_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    schema = category_schema(7, 5, 6)
    network = random_network(schema, random_structure(3, random), random)
    codes = random.integers(0, schema.cardinalities, (301, 3)).astype(np.uint16)
    whole = [most_likely(network, column, codes).tolist() for column in range(3)]
    monkeypatch.setattr(model_accuracy, "_CELLS", 50)
    assert [most_likely(network, column, codes).tolist() for column in range(3)] == whole
    assert most_likely(network, 0, codes[:0]).tolist() == []


def test_equals_whose_last_digits_differ_are_equals() -> None:
    """0.15 · 0.4 = 0.3 · 0.2, but not in logarithms of rounded probabilities."""
    tables = (
        ConditionalTable.from_probabilities(np.array([[1 / 3, 2 / 3]])),
        ConditionalTable.from_probabilities(np.array([[0.4, 0.6], [0.2, 0.8]])),
    )
    network = BayesianNetwork(category_schema(2, 2), Structure.of([(), (0,)]), tables)
    assert most_likely(network, 0, np.array([[1, 0]], dtype=np.uint16)).tolist() == [0]
