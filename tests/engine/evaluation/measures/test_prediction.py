from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

from tests.engine.evaluation.builders import copies, records, study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import ADABOOST, TREE, random_forest
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import Interval
from understudy.evaluation.measures.prediction import (
    ACCURACY,
    AGREEMENT,
    COMMONEST,
    Accuracy,
    Agreement,
    blocks_of,
    combined_interval,
    leaving_out,
    sample_seeds,
    share_interval,
)
from understudy.table.records import Records

QUICK = Accuracy((TREE, random_forest(5), ADABOOST))
TREES = Accuracy((TREE,))
FOREST = Accuracy((TREE, random_forest(5)))


def unrelated(count: int, seed: int, share: float = 0.5, values: int = 2) -> Records:
    """A target that has nothing to do with anything."""
    random = np.random.default_rng(seed)
    target = (random.random(count) < share) * (values - 1)
    columns = random.integers(0, 2, count), random.integers(0, 4, count)
    return records(category_schema(2, 4, values), *columns, target)


@pytest.mark.parametrize(
    "values",
    [2, pytest.param(3, marks=pytest.mark.thorough("test_a_copy_is_predicted_without_fail"))],
)
def test_a_copy_is_predicted_without_fail(values: int) -> None:
    study = study_of({"made": copies(210, 1, values)}, copies(300, 2, values))
    found = QUICK.measure(study)["made"]
    assert [part.value for part in found.parts[:2]] == [1.0, 1.0]
    assert (found.value, found.interval) == (1.0, clopper_pearson(300, 300))
    assert [part.of for part in found.parts] == [
        ("classification tree",),
        ("random forest",),
        ("AdaBoost",),
    ]


def test_where_nothing_helps_it_is_the_share_of_the_commonest() -> None:
    """The other columns hold one value, so a classifier can do no more than guess."""
    zeros = np.zeros(400, dtype=np.int64)
    target = np.arange(400) % 10 < 3
    held_out = records(category_schema(2, 4, 2), zeros, zeros, target.astype(int))
    found = QUICK.measure(study_of({"made": held_out}, held_out))
    assert [part.value for part in found["made"].parts] == [0.7] * 3
    assert found["made"].interval == clopper_pearson(280, 400)
    assert (found[COMMONEST].value, found[COMMONEST].interval) == (0.7, clopper_pearson(280, 400))


def test_the_commonest_is_that_of_the_seeds() -> None:
    zeros = np.zeros(100, dtype=np.int64)
    schema = category_schema(2, 4, 2)
    held_out = records(schema, zeros, zeros, np.arange(100) % 5 > 0)
    seeds = records(schema, zeros, zeros, np.arange(100) % 5 == 0)
    found = TREES.measure(study_of({"made": held_out}, held_out, seeds=seeds))
    assert found[COMMONEST].value == pytest.approx(0.2)


def test_it_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(4)
    schema = category_schema(5, 9, 3)
    made, held_out = (
        records(schema, a, b, (a + b + random.integers(0, 2, size)) % 3)
        for size in (200, 333)
        for a, b in [(random.integers(0, 5, size), random.integers(0, 9, size))]
    )
    study = study_of({"made": made}, held_out)
    seed = int(study.random("training classification tree").integers(2**31))
    theirs = DecisionTreeClassifier(random_state=seed).fit(made.codes[:, :2], made.codes[:, 2])
    expected = theirs.score(held_out.codes[:, :2], held_out.codes[:, 2])
    assert TREES.measure(study)["made"].value == pytest.approx(expected)


def test_the_same_key_finds_the_same_and_every_value_is_in_its_interval() -> None:
    tables = {"made": unrelated(120, 1), "other": unrelated(120, 2)}
    one, again = (FOREST.measure(study_of(tables, unrelated(200, 3), key=5)) for _ in range(2))
    assert one == again
    assert list(one) == ["made", "other", COMMONEST]
    for found in one.values():
        for part in found.parts:
            assert part.interval is not None
            assert 0 <= part.interval.low <= part.value <= part.interval.high <= 1
    other = FOREST.measure(study_of(tables, unrelated(200, 3), key=6))
    assert other["made"].interval != one["made"].interval


def test_a_table_of_one_target_value_is_measured_beside_the_others() -> None:
    schema = category_schema(2, 4, 2)
    zeros = np.zeros(100, dtype=np.int64)
    held_out = copies(400, 2)
    found = QUICK.measure(study_of({"flat": records(schema, zeros, zeros, zeros)}, held_out))
    assert found["flat"].value == pytest.approx(1 - held_out.codes[:, 2].mean())


def test_errors_that_are_independent_add_by_squares() -> None:
    both = combined_interval(0.5, [Interval(0.47, 0.56), Interval(0.46, 0.58)])
    assert (both.low, both.high) == (pytest.approx(0.45), pytest.approx(0.6))
    assert combined_interval(0.9, [Interval(0.5, 1.0), Interval(0.9, 1.2)]).high == 1.0


def test_each_block_is_left_out_once() -> None:
    table = copies(100, 1, 7)
    study = study_of({"made": table}, table)
    blocks = blocks_of(study, "made", table)
    assert sorted(np.bincount(blocks).tolist()) == [33, 33, 34]
    without = leaving_out(table, blocks)
    assert [len(each) for each in without] == [100 - size for size in np.bincount(blocks)]
    for block, rest in enumerate(without):
        assert rest.codes.tolist() == table.codes[blocks != block].tolist()


def test_what_was_learned_from_widens_the_interval() -> None:
    right = np.arange(100) < 80
    tested = share_interval(right, np.full(4, 0.8))
    assert tested == clopper_pearson(80, 100)
    wider = share_interval(right, np.array([0.7, 0.8, 0.9, 0.8]))
    widest = share_interval(right, np.array([0.7, 0.8, 0.9, 0.8]), np.array([0.7, 0.8, 0.9, 0.8]))
    assert widest.low < wider.low < tested.low
    # se² = ¾·0.02 of the jackknife.
    jackknife = 1.959964 * np.sqrt(0.75 * 0.02)
    assert 0.8 - wider.low == pytest.approx(np.hypot(jackknife, 0.8 - tested.low), rel=1e-5)


@pytest.mark.parametrize(
    ("target", "held_out", "made", "said"),
    [
        ("c9", copies(100, 1), copies(100, 2), "no column"),
        ("c2", unrelated(100, 1, 0.0), unrelated(100, 2), "same value in all records"),
        ("c2", copies(49, 1), copies(100, 2), "fewer than 50"),
        ("c2", copies(100, 1), copies(49, 2), "fewer than 50"),
        ("c2", copies(100, 1, 51), copies(100, 2, 51), "more than 50"),
    ],
)
def test_what_cannot_be_predicted_is_refused(
    target: str, held_out: Records, made: Records, said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        ACCURACY.measure(study_of({"made": made}, held_out, target=target))


CLASSIFIERS = (TREE, random_forest(5), ADABOOST)


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
    seeds = sample_seeds(study)
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


def test_what_cannot_be_predicted_is_refused_of_agreement() -> None:
    with pytest.raises(Refusal, match="no column"):
        AGREEMENT.measure(study_of({"made": copies(100, 1)}, copies(100, 2), target="c9"))
