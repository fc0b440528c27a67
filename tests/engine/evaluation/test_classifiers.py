"""Which columns can be predicted; what is said of them is tested with the measures."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.linear_model import LogisticRegression

from tests.engine.evaluation.builders import copies, records
from tests.support import category_schema
from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import (
    ADABOOST,
    BOOSTING,
    FOREST,
    LOGISTIC,
    TREE,
    Classifier,
    codes,
    indicators,
    most_common,
    random_forest,
    unit_rows,
    with_headline,
)
from understudy.evaluation.measure import BreakdownEntry, Interval
from understudy.evaluation.measures.linear_accuracy import (
    HUBER,
    Loss,
    Risk,
    draw_noise_columns,
    minimiser_sensitivity,
    objective_noise,
    objective_perturbation,
    output_perturbation,
    predict,
    signs_of,
)
from understudy.evaluation.measures.linear_accuracy import LOGISTIC as LINEAR_ACCURACY_LOGISTIC
from understudy.evaluation.measures.prediction import MOST_VALUES, check_target
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.schema import Schema

ALL = (TREE, random_forest(10), ADABOOST, BOOSTING, LOGISTIC)


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_each_learns_a_copy(classifier: Classifier) -> None:
    known, asked = copies(200, 1), copies(100, 2)
    answering = classifier.learn(known, known.codes[:, 2].astype(np.int64), 7, 2)
    assert answering(asked).tolist() == asked.codes[:, 0].tolist()


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_each_says_the_only_label_there_is(classifier: Classifier) -> None:
    known = copies(50, 1)
    answering = classifier.learn(known, np.full(50, 3), 7)
    assert set(answering(copies(20, 2)).tolist()) == {3}


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_none_looks_at_what_it_is_asked(classifier: Classifier) -> None:
    """The copy is left out, and so is the only other column that says anything."""
    random = np.random.default_rng(1)
    what = random.integers(0, 2, 400)
    known = records(category_schema(2, 2), what, np.zeros(400, dtype=np.int64))
    other = records(category_schema(2, 2), 1 - what, np.zeros(400, dtype=np.int64))
    answering = classifier.learn(known, what, 7, 0)
    assert answering(known).tolist() == answering(other).tolist()


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_the_same_seed_learns_the_same(classifier: Classifier) -> None:
    random = np.random.default_rng(3)
    known = records(category_schema(9, 9), *random.integers(0, 9, (2, 300)))
    labels = random.integers(0, 3, 300)
    asked = records(category_schema(9, 9), *random.integers(0, 9, (2, 300)))
    once, again = (classifier.learn(known, labels, 5)(asked) for _ in range(2))
    assert once.tolist() == again.tolist()


def test_adaboost_that_cannot_begin_says_the_commonest() -> None:
    """No stump beats a coin at an exclusive or."""
    one, other = np.array([0, 0, 1, 1] * 10), np.array([0, 1, 0, 1] * 10)
    known = records(category_schema(2, 2), one, other)
    assert set(ADABOOST.learn(known, one ^ other, 1)(known).tolist()) == {0}
    assert TREE.learn(known, one ^ other, 1)(known).tolist() == (one ^ other).tolist()


def test_other_errors_of_a_classifier_are_not_swallowed() -> None:
    def broken(seed: int) -> object:
        class Broken:
            def fit(self, features: object, labels: object) -> None:
                raise ValueError("something else")

        return Broken()

    with pytest.raises(ValueError, match="something else"):
        Classifier("broken", TREE.sees, broken).learn(copies(10, 1), np.arange(10), 1)


def test_the_smallest_of_the_commonest_is_it() -> None:
    assert most_common(np.array([4, 2, 2, 4, 1])) == 2


def test_the_forest_heads_what_classifiers_found() -> None:
    tree, ours = (
        BreakdownEntry((TREE.name,), 0.3),
        BreakdownEntry((FOREST.name,), 0.4, Interval(0.1, 0.5)),
    )
    found = with_headline([tree, ours])
    assert (found.value, found.interval, found.parts) == (0.4, ours.interval, (tree, ours))
    assert with_headline([tree]).value == 0.3


def test_two_forests_are_told_apart_by_their_trees() -> None:
    assert (random_forest(5).key, random_forest(7).key) == (
        "random forest of 5 trees",
        "random forest of 7 trees",
    )
    assert len({each.key for each in ALL}) == len(ALL)


def grid(name: str, steps: int, *, missing: bool = False) -> Column:
    return Column(
        name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(steps - 1)), missing=missing
    )


def kinds(name: str, size: int, *, missing: bool = False) -> Column:
    values = tuple(f"v{value}" for value in range(size))
    return Column(name=name, domain=Categories(values=values), missing=missing)


MIXED = Schema(columns=(kinds("kind", 3, missing=True), grid("age", 5, missing=True), grid("t", 2)))


def table(schema: Schema, *rows: tuple[int, ...]) -> Records:
    return Records(schema, np.array(rows))


def test_trees_see_every_code_but_the_target() -> None:
    assert codes(table(MIXED, (0, 5, 1), (3, 2, 0)), 1).tolist() == [[0, 1], [3, 0]]
    assert codes(table(MIXED, (0, 5, 1))).tolist() == [[0, 5, 1]]


def test_what_is_linear_sees_categories_one_by_one_and_numbers_scaled() -> None:
    seen = indicators(table(MIXED, (0, 3, 0), (3, 5, 1), (2, 0, 0), (2, 4, 0)), 2).toarray()
    #  intercept, kind: v0 v1 v2 missing, age: scaled, missing
    assert seen.tolist() == [
        [1, 1, 0, 0, 0, 0.75, 0],
        [1, 0, 0, 0, 1, 0, 1],
        [1, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 1, 0, 1, 0],
    ]


def test_each_code_for_missing_of_a_number_is_a_feature() -> None:
    two = (MissingCode(values=("-1",)), MissingCode(values=("-2",)))
    age = grid("age", 5, missing=True).changed(missing_codes=two)
    schema = Schema(columns=(age, grid("t", 2)))
    seen = indicators(table(schema, (3, 0), (5, 0), (6, 0)), 1).toarray()
    assert seen.tolist() == [[1, 0.75, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]


def test_a_number_of_one_value_only_is_scaled_without_dividing_by_zero() -> None:
    schema = Schema(columns=(grid("one", 1), grid("two", 2)))
    assert indicators(table(schema, (0, 1))).toarray().tolist() == [[1, 0, 1]]


@st.composite
def tables(draw: st.DrawFn) -> Records:
    columns = tuple(
        draw(st.sampled_from([grid, kinds]))(
            f"c{place}", draw(st.integers(1, 6)), missing=draw(st.booleans())
        )
        for place in range(draw(st.integers(2, 5)))
    )
    schema = Schema(columns=columns)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Records(
        schema, random.integers(0, schema.cardinalities, (draw(st.integers(1, 9)), len(columns)))
    )


@given(tables(), st.booleans())
def test_no_row_is_longer_than_one_and_none_depends_on_the_others(
    records: Records, leave: bool
) -> None:
    without = 0 if leave else None
    rows = unit_rows(records, without).toarray()
    assert (np.linalg.norm(rows, axis=1) <= 1 + 1e-12).all()
    for place in range(len(records)):
        alone = unit_rows(records.take(np.array([place])), without).toarray()
        assert alone.tolist() == [rows[place].tolist()]


@given(tables())
def test_different_records_are_seen_as_different(records: Records) -> None:
    distinct = len(np.unique(records.codes, axis=0))
    assert len(np.unique(indicators(records).toarray(), axis=0)) == distinct


def test_many_values_take_no_more_memory_than_few() -> None:
    schema = Schema(columns=(kinds("many", 1000), kinds("few", 2), grid("steps", 10_000)))
    rows = np.random.default_rng(1).integers(0, schema.cardinalities, (500, 3))
    seen = indicators(Records(schema, rows))
    assert seen.shape == (500, 1 + 1000 + 2 + 1)
    assert seen.nnz <= 500 * 4


SCHEMA = category_schema(2, 1, 51)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("c9", "no column “c9” to predict.*c0, c1, c2"),
        ("c1", "1 possible value"),
        ("c2", "51 possible value"),
    ],
)
def test_targets_that_cannot_be_predicted_are_refused(target: str, said: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        check_target(SCHEMA, target, MOST_VALUES)
    assert refused.value.field == "target"


def test_any_column_will_do_where_each_measure_looks_for_itself() -> None:
    for name in SCHEMA.names:
        check_target(SCHEMA, name)
    with pytest.raises(Refusal, match="no column “”"):
        check_target(SCHEMA, "")


BOTH = pytest.mark.parametrize(
    "loss", [LINEAR_ACCURACY_LOGISTIC, HUBER], ids=lambda each: each.name
)


def rows(count: int, width: int, random: np.random.Generator) -> FloatArray:
    """Rows of norm at most 1."""
    made = random.standard_normal((count, width))
    return np.asarray(
        made / np.linalg.norm(made, axis=1, keepdims=True) * random.random((count, 1))
    )


def risk(count: int, width: int, seed: int, loss: Loss, penalty: float, values: int = 2) -> Risk:
    random = np.random.default_rng(seed)
    signs = signs_of(random.integers(0, values, count), values)
    return Risk(sparse.csr_array(rows(count, width, random)), signs, loss, penalty)


@pytest.mark.parametrize("values", [2, 4])
@pytest.mark.parametrize("penalty", [1e-1, 1e-2, 1e-3])
def test_logistic_regression_is_that_of_scikit_learn(penalty: float, values: int) -> None:
    ours = risk(400, 6, 1, LINEAR_ACCURACY_LOGISTIC, penalty, values)
    found = ours.least()
    for place in range(ours.signs.shape[1]):
        theirs = LogisticRegression(C=1 / (400 * penalty), fit_intercept=False, tol=1e-10)
        theirs.fit(ours.features, ours.signs[:, place])
        assert found[:, place] == pytest.approx(theirs.coef_[0], abs=2e-3, rel=2e-3)


@BOTH
@pytest.mark.parametrize("start", [0.0, 5.0])
def test_nothing_near_the_minimum_is_lower(loss: Loss, start: float) -> None:
    ours = risk(200, 4, 2, loss, 1e-2)
    least = ours.least(start=np.full((4, 1), start))

    def objective(f: FloatArray) -> float:
        margin = ours.signs * (ours.features @ f)
        return float(loss.value(margin).mean() + 1e-2 / 2 * (f**2).sum())

    steps = np.random.default_rng(3).standard_normal((200, 4, 1)) * 0.05
    assert all(objective(least) <= objective(least + step) for step in steps)


@BOTH
def test_a_loss_has_the_slope_and_the_curvature_it_says(loss: Loss) -> None:
    z = np.linspace(-6, 6, 4001)
    step = 1e-5
    slope = (loss.value(z + step) - loss.value(z - step)) / (2 * step)
    assert loss.slope(z) == pytest.approx(slope, abs=1e-4)
    assert (loss.slope(z) >= -1).all()
    assert (loss.slope(z) <= 0).all()
    bend = np.diff(loss.slope(z)) / np.diff(z)
    assert bend.max() <= loss.curvature + 1e-6
    assert bend.max() == pytest.approx(loss.curvature, rel=1e-2)


def test_the_huber_loss_is_the_published_one() -> None:
    z = np.array([2.0, 1.5, 1.25, 1.0, 0.5, -1.0])
    assert HUBER.value(z).tolist() == [0, 0, 0.25**2 / 2, 0.5**2 / 2, 0.5, 2.0]
    assert HUBER.curvature == 1.0
    assert LINEAR_ACCURACY_LOGISTIC.curvature == 0.25


@BOTH
@given(
    count=st.integers(2, 12),
    width=st.integers(1, 3),
    penalty=st.sampled_from([0.02, 0.1, 1.0]),
    seed=st.integers(0, 10**6),
)
def test_one_record_moves_the_minimum_no_further_than_its_sensitivity(
    loss: Loss, count: int, width: int, penalty: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    features, signs = rows(count, width, random), random.choice([-1.0, 1.0], (count, 1))
    one = Risk(sparse.csr_array(features), signs, loss, penalty).least()
    other_features, other_signs = features.copy(), signs.copy()
    other_features[0] = -features[0] / np.linalg.norm(features[0])
    other_signs[0] = random.choice([-1.0, 1.0])
    other = Risk(sparse.csr_array(other_features), other_signs, loss, penalty).least()
    assert np.linalg.norm(one - other) <= minimiser_sensitivity(count, penalty) + 1e-3


def test_the_sensitivity_is_reached() -> None:
    """One record, and so steep a penalty that the slope is 1 at either minimum."""
    both = [
        Risk(sparse.csr_array([[1.0]]), np.array([[sign]]), HUBER, 4.0).least()[0, 0]
        for sign in (1.0, -1.0)
    ]
    assert abs(both[0] - both[1]) == pytest.approx(minimiser_sensitivity(1, 4.0), rel=1e-5)


@pytest.mark.parametrize(("width", "rate"), [(1, 0.5), (3, 2.0), (40, 0.1)])
def test_noise_has_the_published_law(width: int, rate: float) -> None:
    drawn = draw_noise_columns((width, 4_000), rate, np.random.default_rng(5))
    lengths = np.linalg.norm(drawn, axis=0)
    assert stats.kstest(lengths, stats.gamma(width, scale=1 / rate).cdf).pvalue > 1e-3
    # Of a random direction any one coordinate, squared, is Beta(½, (d − 1)/2).
    if width > 1:
        squared = (drawn[0] / lengths) ** 2
        assert stats.kstest(squared, stats.beta(0.5, (width - 1) / 2).cdf).pvalue > 1e-3
    assert abs((drawn[0] > 0).mean() - 0.5) < 0.04


def test_noise_of_one_dimension_is_laplace() -> None:
    drawn = draw_noise_columns((1, 4_000), 0.7, np.random.default_rng(6))[0]
    assert stats.kstest(drawn, stats.laplace(scale=1 / 0.7).cdf).pvalue > 1e-3


def test_tilting_spends_what_the_loss_leaves() -> None:
    n, penalty, c, epsilon = 1_000, 1e-2, 0.25, 0.5
    left = epsilon - np.log(1 + 2 * c / (n * penalty) + c**2 / (n * penalty) ** 2)
    assert left > 0
    assert objective_noise(n, penalty, c, epsilon) == pytest.approx((left / 2, 0.0))


def test_tilting_adds_a_penalty_where_the_loss_leaves_nothing() -> None:
    n, penalty, c, epsilon = 100, 1e-6, 1.0, 0.5
    rate, extra = objective_noise(n, penalty, c, epsilon)
    assert rate == epsilon / 4
    assert extra == pytest.approx(c / (n * (np.exp(epsilon / 4) - 1)) - penalty)
    # With it, what the curvature costs is half of ε: the paper's reason for the choice.
    assert 2 * np.log1p(c / (n * (penalty + extra))) == pytest.approx(epsilon / 2)


@BOTH
def test_output_perturbation_is_the_minimum_and_noise(loss: Loss) -> None:
    ours = risk(300, 5, 7, loss, 1e-2, values=3)
    least = ours.least()
    found = output_perturbation(ours, least, 0.9, np.random.default_rng(8))
    expected = draw_noise_columns((5, 3), 300 * 1e-2 * (0.9 / 3) / 2, np.random.default_rng(8))
    assert found - least == pytest.approx(expected)


@BOTH
@pytest.mark.parametrize("penalty", [1e-1, 1e-5])
def test_objective_perturbation_minimises_what_was_tilted(loss: Loss, penalty: float) -> None:
    """At the minimum the slopes of loss, penalties and tilt cancel."""
    ours = risk(300, 5, 9, loss, penalty, values=3)
    found = objective_perturbation(ours, ours.least(), 0.9, np.random.default_rng(10))
    rate, extra = objective_noise(300, penalty, loss.curvature, 0.9 / 3)
    tilt = draw_noise_columns((5, 3), rate, np.random.default_rng(10))
    pull = ours.features.T @ (ours.signs * loss.slope(ours.signs * (ours.features @ found)))
    assert pull / 300 + (penalty + extra) * found + tilt / 300 == pytest.approx(0, abs=1e-5)


def test_rows_longer_than_one_are_not_taken() -> None:
    with pytest.raises(ValueError, match="norm"):
        Risk(sparse.csr_array([[0.8, 0.8]]), np.ones((1, 1)), LINEAR_ACCURACY_LOGISTIC, 1e-3)


def test_two_values_need_one_classifier_and_more_need_one_each() -> None:
    assert signs_of(np.array([0, 1]), 2).tolist() == [[-1], [1]]
    assert signs_of(np.array([0, 2]), 3).tolist() == [[1, -1, -1], [-1, -1, 1]]


def test_the_largest_score_is_the_answer() -> None:
    features = sparse.csr_array([[1.0, 0.0], [0.0, 1.0]])
    assert predict(features, np.array([[0.3], [-0.3]])).tolist() == [1, 0]
    assert predict(features, np.array([[0.1, 0.5, 0.5], [0.9, 0.0, 0.2]])).tolist() == [1, 0]
