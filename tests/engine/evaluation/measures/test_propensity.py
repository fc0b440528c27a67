from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy import special, stats

from tests.engine.evaluation.builders import people as people_codes
from tests.engine.evaluation.builders import records_of, tables
from tests.engine.evaluation.builders import shares_study as study_of
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import Study
from understudy.evaluation.measures import propensity
from understudy.evaluation.measures.propensity import (
    LARGEST,
    Pooled,
    Propensity,
    PropensityFit,
    pmse,
)
from understudy.table.records import Records

SCHEMA = category_schema(4, 4, 4, 4, 4)
ALL = [
    propensity.LOGISTIC,
    propensity.LOGISTIC_RATIO,
    propensity.LOGISTIC_STANDARDISED,
    propensity.TREE,
    propensity.TREE_RATIO,
    propensity.TREE_STANDARDISED,
]


def people(count: int, key: int) -> Records:
    return Records(SCHEMA, people_codes(count, key, 5, 4))


def loose(count: int, key: int) -> Records:
    """The same columns, none of which goes with another."""
    rng = np.random.default_rng(key)
    return Records(
        SCHEMA,
        np.column_stack([rng.permutation(each) for each in people_codes(count, key, 5, 4).T]),
    )


def pooled(study: Study) -> Pooled:
    return Pooled.of(study.tables[0].records, study)


def told_of(measure: Propensity, study: Study) -> PropensityFit:
    return measure.told(pooled(study), study)


def test_by_hand() -> None:
    made = np.array([False, False, True, True])
    assert pmse(np.array([0.5, 0.5, 0.5, 0.5]), made) == 0
    assert pmse(np.array([0.0, 0.0, 1.0, 1.0]), made) == LARGEST
    assert pmse(np.array([0.25, 0.5, 0.5, 0.75]), made) == pytest.approx(0.03125)


def test_a_heap_has_as_many_of_either_in_every_block() -> None:
    heap = pooled(study_of(people(70, 1), people(90, 2)))
    assert len(heap) == 140
    assert heap.made.sum() == 70
    assert np.array_equal(heap.records.codes[heap.made], people(70, 1).codes)
    for block in range(heap.blocks):
        inside = heap.made[heap.block == block]
        assert abs(int(inside.sum()) - 70 / heap.blocks) < 1
        assert inside.sum() == (~inside).sum()
    for half in heap.halves(5, np.random.default_rng(1)):
        assert heap.made[half].sum() == (~heap.made[half]).sum() == 35


# Logistic regression


@settings(max_examples=15, deadline=None)
@given(tables(fewest=20))
def test_probabilities_are_those_of_an_independent_fit(pair: tuple[Records, Records]) -> None:
    from sklearn.linear_model import LogisticRegression

    heap = pooled(study_of(*pair))
    x = propensity.design(heap.records)
    assume(x.shape[1] > 1)
    ours = special.expit(x @ propensity.fit_logistic(x, heap.made))
    theirs = LogisticRegression(C=1e6, tol=1e-9, max_iter=10_000, solver="newton-cg")
    seen = x[:, 1:].toarray()
    theirs.fit(seen, heap.made)
    np.testing.assert_allclose(ours, theirs.predict_proba(seen)[:, 1], atol=2e-3)


def test_of_one_column_the_regression_gives_the_shares() -> None:
    """Where the other column is constant, p̂ is the share of its value's records (saturated)."""
    rng = np.random.default_rng(1)
    schema = category_schema(6, 1)
    sides = [
        Records(schema, np.column_stack([rng.integers(0, most, 200), np.zeros(200, int)]))
        for most in (6, 5)
    ]
    found = propensity.LOGISTIC.measure(study_of(*sides))["a"]
    shares = [np.bincount(each.codes[:, 0], minlength=6) / 200 for each in sides]
    # A value that only one side has is told apart for certain, as far as _RIDGE lets it.
    wanted = np.sum(np.square(shares[0] - shares[1]) / (shares[0] + shares[1])) / 8
    assert found.value == pytest.approx(wanted, rel=1e-4)
    assert [part.value for part in found.parts] == pytest.approx([wanted, 0])


def test_what_is_told_apart_for_certain_is_a_quarter() -> None:
    apart = study_of(records_of([(0, 0)] * 60, 2, 2), records_of([(1, 1)] * 60, 2, 2))
    assert propensity.LOGISTIC.measure(apart)["a"].value == pytest.approx(0.25, abs=1e-4)
    assert propensity.TREE.measure(apart)["a"].value == pytest.approx(0.25)


def test_only_coefficients_that_can_be_estimated_count() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    schema = category_schema(4, 3, 4, 7, 9)
    # The third column repeats the first, the fourth is constant, two values never occur.
    codes = np.column_stack([one, other, one, np.full(300, 6), other * 2])
    x = propensity.design(Records(schema, codes.astype(np.uint16)))
    assert propensity.estimable(x) == 1 + 3 + 2
    study = study_of(
        Records(schema, codes[:150].astype(np.uint16)),
        Records(schema, codes[150:].astype(np.uint16)),
    )
    told = told_of(propensity.LOGISTIC, study)
    assert told.expected == pytest.approx(5 * 0.25 / 300)
    assert told.error == pytest.approx(math.sqrt(10) * 0.25 / 300)


@given(tables())
def test_the_design_says_every_value(pair: tuple[Records, Records]) -> None:
    records, _ = pair
    x = propensity.design(records).toarray()
    wanted = [np.ones((len(records), 1))]
    for column in records.codes.T:
        values, counts = np.unique(column, return_counts=True)
        kept = np.delete(values, counts.argmax())
        wanted.append((column[:, None] == kept).astype(float))
    assert np.array_equal(x, np.column_stack(wanted))
    assert propensity.estimable(propensity.design(records)) == np.linalg.matrix_rank(x)


def test_too_many_values_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propensity, "MOST_COEFFICIENTS", 20)
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.geometric(0.05, 2_000).clip(0, 99), rng.integers(0, 3, 2_000)])
    records = Records(category_schema(100, 3), codes.astype(np.uint16))
    x = propensity.design(records)
    # Ten values of the first column at most, the commonest of them not counted, and two.
    assert 8 <= x.shape[1] - 3 <= 9
    held = x[:, 1 : x.shape[1] - 2].sum(axis=0)
    assert held.max() < 2_000 / 4
    common = np.bincount(codes[:, 0]).argmax()
    rows = x[codes[:, 0] == common].toarray()
    assert len(np.unique(rows[:, :-2], axis=0)) == 1


def test_one_step_without_a_block_is_nearly_the_fit_without_it() -> None:
    study = study_of(people(400, 1), loose(400, 2))
    heap = pooled(study)
    x = propensity.design(heap.records)
    whole = propensity.fit_logistic(x, heap.made)
    for block in range(3):
        rest = heap.block != block
        again = propensity.fit_logistic(x[rest], heap.made[rest])
        wanted = pmse(special.expit(x[rest] @ again), heap.made[rest])
        assert propensity._without(x, heap, whole, block) == pytest.approx(wanted, rel=0.01)


def test_beside_other_real_records_the_standardised_form_is_standard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(propensity, "BLOCKS", 2)
    found = [
        told_of(propensity.LOGISTIC, study_of(people(250, 2 * each), people(250, 2 * each + 1)))
        for each in range(120)
    ]
    standard = np.array([(each.value - each.expected) / each.error for each in found])
    # The published null, for a table made from what it is compared with, would be half of this.
    assert np.mean([each.value / each.expected for each in found]) == pytest.approx(1, abs=0.1)
    assert abs(standard.mean()) < 0.3
    assert 0.8 < standard.std() < 1.25


# Classification tree


@given(tables(fewest=15))
def test_separation_is_what_the_probabilities_say(pair: tuple[Records, Records]) -> None:
    heap = pooled(study_of(*pair))
    seen = propensity.codes(heap.records)
    fitted = propensity.fit_tree(seen, heap.made)
    found = propensity.separation(fitted)
    assert found == pytest.approx(pmse(fitted.predict_proba(seen)[:, 1], heap.made), abs=1e-12)
    leaf = fitted.apply(seen)
    n = len(heap) // 2
    gini = sum(
        heap.made[leaf == each].sum() * (1 - heap.made[leaf == each].mean())
        for each in np.unique(leaf)
    )
    assert found == pytest.approx(1 / 4 - gini / (2 * n), abs=1e-12)
    assert min(np.unique(leaf, return_counts=True)[1]) >= min(propensity.FEWEST, len(heap))


def test_one_record_on_the_wrong_side_costs_what_it_must() -> None:
    """The reference's vector: GI = n/(n + 1) where one real record is like the made ones."""
    n = 60
    made = records_of([(1, 0)] * n, 2, 1)
    held_out = records_of([(1, 0), *[(0, 0)] * (n - 1)], 2, 1)
    found = propensity.TREE.measure(study_of(made, held_out))["a"]
    assert found.value == pytest.approx(1 / 4 - (n / (n + 1)) / (2 * n))


def test_the_columns_of_a_tree_add_up() -> None:
    found = propensity.TREE.measure(study_of(people(600, 1), loose(600, 2)))["a"]
    assert [part.of for part in found.parts] == [(name,) for name in SCHEMA.names]
    assert sum(part.value for part in found.parts) == pytest.approx(found.value)


def test_the_null_of_a_tree_is_that_of_all_ways_to_share_the_records_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One column of two values, 20 of each, which the tree splits at: of h made records among the
    first 20, pMSE is (h/20 − 1/2)², and which records were made says nothing."""
    monkeypatch.setattr(propensity, "SHUFFLES", 200)
    half = records_of([(0, 0), (1, 0)] * 10, 2, 1)
    found = told_of(propensity.TREE, study_of(half, half))
    law = stats.hypergeom(40, 20, 20)
    h = np.arange(21)
    weight, value = law.pmf(h), (h / 20 - 0.5) ** 2
    expected = weight @ value
    assert found.expected == pytest.approx(expected, rel=0.3)
    assert found.error == pytest.approx(math.sqrt(weight @ (value - expected) ** 2), rel=0.3)


@pytest.mark.thorough("test_the_null_of_a_tree_is_that_of_all_ways_to_share_the_records_out")
def test_beside_other_real_records_a_tree_is_like_its_null() -> None:
    found = [
        told_of(propensity.TREE, study_of(people(150, 2 * each), people(150, 2 * each + 1)))
        for each in range(30)
    ]
    standard = np.array([(each.value - each.expected) / each.error for each in found])
    assert abs(standard.mean()) < 0.6
    assert 0.65 < standard.std() < 1.5


# Both


def test_lost_relations_are_seen_by_the_tree_and_not_by_the_regression() -> None:
    study = study_of(people(1_500, 1), people(1_500, 2), loose(1_500, 3))
    for measure in (propensity.TREE_STANDARDISED, propensity.LOGISTIC_STANDARDISED):
        found = measure.measure(study)
        assert abs(found["a"].value) < 4
    assert propensity.TREE_STANDARDISED.measure(study)["b"].value > 10
    assert propensity.TREE_RATIO.measure(study)["b"].value > 2
    assert abs(propensity.LOGISTIC_STANDARDISED.measure(study)["b"].value) < 4


@pytest.mark.parametrize("measure", ALL, ids=lambda each: each.about.key)
def test_intervals_hold_the_value_and_stay_in_the_range(measure: Propensity) -> None:
    about, study = measure.about, study_of(people(120, 1), people(200, 2), people(120, 2))
    for each in measure.measure(study).values():
        assert each.interval is not None
        assert about.low <= each.interval.low <= each.value <= each.interval.high <= about.high
        # At 240 records the spread of pMSE is at least a hundredth of it.
        assert each.interval.high - each.interval.low > abs(each.value) / 100
        assert len(each.parts) == (5 if about.parts else 0)


def test_three_forms_are_one_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of(people(100, 1), people(100, 2))
    raw = propensity.TREE.measure(study)["a"].value
    monkeypatch.setattr(propensity, "fit_tree", lambda *_: pytest.fail("fitted again"))
    ratio = propensity.TREE_RATIO.measure(study)["a"].value
    standard = propensity.TREE_STANDARDISED.measure(study)["a"].value
    told = study.once("propensity fit_tree_propensity a", lambda: None)
    assert isinstance(told, PropensityFit)
    assert ratio == pytest.approx(raw / told.expected)
    assert standard == pytest.approx((raw - told.expected) / told.error)


def test_nothing_to_see_is_as_good_as_real() -> None:
    blank = records_of([(0, 0)] * 60, 2, 2)
    study = study_of(blank, blank)
    for raw in (propensity.LOGISTIC, propensity.TREE):
        assert raw.measure(study)["a"].value == pytest.approx(0)
    for ratio in (propensity.LOGISTIC_RATIO, propensity.TREE_RATIO):
        assert ratio.measure(study)["a"].value == 1
    for standardised in (propensity.LOGISTIC_STANDARDISED, propensity.TREE_STANDARDISED):
        assert standardised.measure(study)["a"].value == 0


def test_too_few_held_out_records_are_refused() -> None:
    with pytest.raises(Refusal, match="held out"):
        propensity.TREE.measure(study_of(people(60, 1), people(1, 2)))


def test_a_regression_that_could_fit_anything_is_refused() -> None:
    schema = category_schema(*[10] * 20)
    rng = np.random.default_rng(1)
    few, enough = (
        Records(schema, rng.integers(0, 10, (count, 20)).astype(np.uint16)) for count in (100, 500)
    )
    with pytest.raises(Refusal, match=r"values to tell records by, too many for 200 records"):
        propensity.LOGISTIC.measure(study_of(few, few))
    propensity.LOGISTIC.measure(study_of(enough, enough))
