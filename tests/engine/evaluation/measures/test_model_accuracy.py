from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from tests.engine.evaluation.predicting import copies, study_of
from tests.support import category_schema, random_network, random_structure
from understudy.core.refusal import Refusal
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import MARGINALS
from understudy.evaluation.measures.model_accuracy import GUESS, MEASURE, ModelAccuracy, most_likely
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
