from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.engine.evaluation.builders import copies, records, study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import unit_rows
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measures.linear_accuracy import (
    MEASURE,
    OBJECTIVE,
    ORDINARY,
    OUTPUT,
    LinearAccuracy,
)
from understudy.table.records import Records


def noisy(count: int, seed: int, values: int = 2) -> Records:
    """The target goes with the sum of the others, and is often something else."""
    random = np.random.default_rng(seed)
    one, other = random.integers(0, 5, count), random.integers(0, 9, count)
    target = np.minimum((one + other + random.integers(0, 7, count)) * values // 20, values - 1)
    return records(category_schema(5, 9, values), one, other, target)


@pytest.mark.parametrize("values", [2, 4])
def test_a_copy_is_learned_by_whoever_may_see_enough(values: int) -> None:
    study = study_of(
        {"made": copies(200, 1, values)}, copies(300, 2, values), seeds=copies(400, 3, values)
    )
    found = LinearAccuracy(epsilon=1e6).measure(study)
    assert list(found) == [ORDINARY, OUTPUT, OBJECTIVE, "made"]
    for measured in found.values():
        assert [part.of[0] for part in measured.parts] == ["logistic regression", "linear SVM"]
        assert [part.value for part in measured.parts] == [1.0, 1.0]
        assert (measured.value, measured.interval) == (1.0, clopper_pearson(300, 300))


def test_the_ordinary_one_is_that_of_scikit_learn() -> None:
    study = study_of({"made": noisy(400, 1)}, noisy(500, 2))
    found = LinearAccuracy(penalties=(1e-2,)).measure(study)["made"]
    made = study.tables[0].records
    theirs = LogisticRegression(C=1 / (400 * 1e-2), fit_intercept=False, tol=1e-10)
    theirs.fit(unit_rows(made, 2), made.codes[:, 2])
    expected = theirs.score(unit_rows(study.held_out, 2), study.held_out.codes[:, 2])
    assert found.parts[0].value == pytest.approx(expected, abs=1 / 500)


def test_privacy_costs_accuracy_the_more_the_smaller_epsilon_is() -> None:
    study = study_of({"made": noisy(100, 1)}, noisy(500, 2), seeds=noisy(2_000, 3))
    strict, loose = (
        LinearAccuracy(epsilon=epsilon, penalties=(1e-2,)).measure(study) for epsilon in (1e-3, 1e3)
    )
    for method in (OUTPUT, OBJECTIVE):
        assert strict[method].value < loose[method].value - 0.1
        assert loose[method].value == pytest.approx(loose[ORDINARY].value, abs=0.02)
        assert strict[method].interval is not None
    assert strict[ORDINARY] == loose[ORDINARY]
    assert strict["made"] == loose["made"]


def test_noise_is_drawn_afresh_for_every_repeat() -> None:
    study = study_of({"made": noisy(100, 1)}, noisy(400, 2))
    found = LinearAccuracy(epsilon=0.05, penalties=(1e-2,)).measure(study)[OUTPUT]
    assert found.interval is not None
    tested = clopper_pearson(round(found.value * 400), 400)
    assert found.interval.high - found.interval.low > 1.5 * (tested.high - tested.low)


def test_the_penalty_is_the_one_that_does_best_on_the_fifth_not_learned_from() -> None:
    """With a penalty of 100 nothing is learned but the commonest value."""
    study = study_of({"made": noisy(300, 1)}, noisy(400, 2))
    both = LinearAccuracy(penalties=(1e2, 1e-3)).measure(study)
    small = LinearAccuracy(penalties=(1e-3,)).measure(study)
    assert both["made"] == small["made"]
    assert both[OUTPUT] == small[OUTPUT]


def test_of_penalties_that_do_as_well_it_is_the_largest() -> None:
    study = study_of({"made": copies(200, 1)}, copies(300, 2))
    both, large, small = (
        LinearAccuracy(penalties=penalties).measure(study)[OUTPUT]
        for penalties in ((1e-3, 1e-1), (1e-1,), (1e-3,))
    )
    assert both == large != small


def test_no_more_seeds_are_learned_from_than_asked() -> None:
    study = study_of({"made": noisy(60, 1)}, noisy(200, 2), seeds=noisy(900, 3))
    few = LinearAccuracy(most_seeds=60, penalties=(1e-3,)).measure(study)
    many = LinearAccuracy(penalties=(1e-3,)).measure(study)
    assert few[ORDINARY] != many[ORDINARY]
    assert few["made"] == many["made"]


def test_the_same_key_finds_the_same() -> None:
    one, again = (
        LinearAccuracy(penalties=(1e-2, 1e-3)).measure(
            study_of({"made": noisy(80, 1, 3)}, noisy(90, 2, 3), key=4)
        )
        for _ in range(2)
    )
    assert one == again


def test_what_cannot_be_predicted_is_refused() -> None:
    with pytest.raises(Refusal, match="more than 10 possible values"):
        MEASURE.measure(study_of({"made": copies(99, 1, 11)}, copies(99, 2, 11)))
