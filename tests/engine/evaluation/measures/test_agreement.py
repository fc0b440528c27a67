from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

from tests.engine.evaluation.predicting import copies, records, study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import ADABOOST, TREE, forest
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measures.prediction import AGREEMENT, Accuracy, Agreement, seeds_of
from understudy.table.records import Records

CLASSIFIERS = (TREE, forest(5), ADABOOST)


def reversed_copies(count: int, seed: int) -> Records:
    made = copies(count, seed)
    return records(made.schema, made.codes[:, 0], made.codes[:, 1], 1 - made.codes[:, 0])


def test_who_learned_the_same_agrees_and_who_learned_the_opposite_does_not() -> None:
    tables = {"same": copies(120, 1), "opposite": reversed_copies(120, 2)}
    study = study_of(tables, copies(200, 3), seeds=copies(150, 4))
    found = Agreement(CLASSIFIERS).measure(study)
    assert list(found) == ["same", "opposite"]
    assert [part.value for part in found["same"].parts] == [1.0] * 3
    assert [part.value for part in found["opposite"].parts] == [0.0] * 3
    assert found["same"].interval == clopper_pearson(200, 200)


def test_it_says_nothing_of_who_is_right() -> None:
    study = study_of(
        {"made": reversed_copies(120, 1)}, copies(200, 3), seeds=reversed_copies(120, 2)
    )
    assert Agreement(CLASSIFIERS).measure(study)["made"].value == 1.0


def noisy(count: int, seed: int) -> Records:
    random = np.random.default_rng(seed)
    one, other = random.integers(0, 5, count), random.integers(0, 9, count)
    return records(
        category_schema(5, 9, 2), one, other, (one + other + random.integers(0, 6, count)) > 9
    )


def test_it_is_that_of_scikit_learn_on_as_many_seeds() -> None:
    study = study_of({"made": noisy(150, 1)}, noisy(300, 2), seeds=noisy(500, 3))
    seeds = seeds_of(study)
    assert len(seeds) == 150
    seed = int(study.random("training classification tree").integers(2**31))
    ours, theirs = (
        DecisionTreeClassifier(random_state=seed)
        .fit(each.codes[:, :2], each.codes[:, 2])
        .predict(study.held_out.codes[:, :2])
        for each in (study.tables[0].records, seeds)
    )
    found = Agreement((TREE,)).measure(study)["made"]
    assert found.value == pytest.approx(accuracy_score(theirs, ours))
    assert found.interval is not None
    exact = clopper_pearson(round(found.value * 300), 300)
    assert found.interval.low < exact.low < exact.high < found.interval.high


def test_who_can_never_agree_has_no_doubt_about_it() -> None:
    """Whichever block is left out, one says 0 and the other never does."""
    random = np.random.default_rng(6)
    schema = category_schema(5, 9, 3)
    columns = random.integers(0, 5, 120), random.integers(0, 9, 120)
    flat = records(schema, *columns, np.zeros(120, dtype=int))
    seeds = records(schema, *columns, random.integers(1, 3, 120))
    found = Agreement((TREE,)).measure(study_of({"flat": flat}, seeds))["flat"]
    assert (found.value, found.interval) == (0.0, clopper_pearson(0, 120))


def test_accuracy_and_agreement_train_once_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of({"made": noisy(100, 1)}, noisy(100, 2))
    Accuracy(CLASSIFIERS).measure(study)

    def never(*_: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr("understudy.evaluation.measures.prediction._answers", never)
    assert 0 < Agreement(CLASSIFIERS).measure(study)["made"].value < 1


def test_what_cannot_be_predicted_is_refused() -> None:
    with pytest.raises(Refusal, match="no column"):
        AGREEMENT.measure(study_of({"made": copies(100, 1)}, copies(100, 2), target="c9"))
