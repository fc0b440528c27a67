"""The calibrated model under rules: no record that cannot be, and impossible cells without
noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support import category_schema
from understudy.evaluation.comparison import distances
from understudy.models.calibrated.column_levels import settle_column
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.models.calibrated.measurement import (
    MeasuredMarginal,
    Steps,
    beyond_noise,
    measure,
    on_simplex,
    total_records,
)
from understudy.models.possible import possible_cells
from understudy.models.views import Rows, View
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.rules.relation import Relation, Relations
from understudy.table.schema import Schema

SIZES = (4, 4, 3, 5)
SCHEMA = category_schema(*SIZES)


def relate() -> Relations:
    """Return: the second is at least the first; the third is 0 exactly where the second is 0; the
    fourth is 0 if the first is 0."""
    rising = np.triu(np.ones((4, 4), dtype=bool))
    exact = np.equal.outer(np.arange(4) == 0, np.arange(3) == 0)
    implied = np.ones((4, 5), dtype=bool)
    implied[0, 1:] = False
    each = [Relation((0, 1), rising), Relation((1, 2), exact), Relation((0, 3), implied)]
    return Relations.of(SIZES, each)


RELATIONS = relate()


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Schema, "relations", property(lambda _: RELATIONS))


def broken(codes: np.ndarray) -> int:
    """Return how many of (n, m) records break a rule."""
    bad = np.zeros(len(codes), dtype=bool)
    for one in RELATIONS.each:
        bad |= ~one.allowed[tuple(codes[:, place] for place in one.columns)]
    return int(bad.sum())


def make_records(count: int, seed: int = 1) -> Records:
    """Return valid records with relations of their own besides."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, 12 * count) for size in SIZES])
    codes[:, 3] = np.where(rng.random(12 * count) < 0.6, codes[:, 1], codes[:, 3])
    fits = np.ones(len(codes), dtype=bool)
    for one in RELATIONS.each:
        fits &= one.allowed[tuple(codes[:, place] for place in one.columns)]
    return Records(SCHEMA, codes[fits][:count].astype(np.uint16))


def learn(
    records: Records, budget: Budget, *, steps: Steps | None = None, seed: int = 1
) -> LearnedModel:
    """Return what is learned with few drawn records."""
    made = CalibratedLearner.within(records.schema, budget, steps=steps)
    noise, source = Noise(RandomSource.fixed(seed)), RandomSource.fixed(seed + 1)
    return replace(made, fewest=3_000).learn(records, noise, source)


@pytest.mark.parametrize(
    "steps", [Steps(), Steps(pairs=False), Steps(distil=False), Steps(forest=False)]
)
@pytest.mark.parametrize("budget", [Budget(0.05, 1e-9), Budget(1.0, 1e-9), Budget.unbounded()])
def test_no_record_is_drawn_that_cannot_be(budget: Budget, steps: Steps) -> None:
    found = learn(make_records(2_000), budget, steps=steps)
    drawn = found.network.records(5_000, RandomSource.fixed(3)).T
    assert len(drawn) == 5_000
    assert broken(drawn) == 0


def test_columns_by_themselves_are_calibrated_under_rules() -> None:
    """Drawn by themselves under masks, columns lean to what many records complete."""
    records = make_records(20_000)
    found = learn(records, Budget(2.0, 1e-9), steps=Steps(pairs=False))
    drawn = Records(SCHEMA, found.network.records(20_000, RandomSource.fixed(4)).T.copy())
    assert max(distances(records, drawn).single) < 0.02


def test_columns_that_are_one_by_rule_are_as_all_of_them_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alike = [Relation((place, place + 1), np.eye(2, dtype=bool)) for place in range(3)]
    relations = Relations.of((2,) * 4, alike)
    monkeypatch.setattr(Schema, "relations", property(lambda _: relations))
    codes = np.repeat(np.arange(2, dtype=np.uint16), [300, 700])
    records = Records(category_schema(*(2,) * 4), np.repeat(codes[:, None], 4, axis=1))
    found = learn(records, Budget(0.1, 1e-9), steps=Steps(pairs=False))
    told = [each.counts[1] / each.counts.sum() for each in found.measured]
    drawn = found.network.records(5_000, RandomSource.fixed(3))
    assert max(told) - min(told) > 0.03
    assert drawn.mean() == pytest.approx(np.mean(told), abs=0.01)


@pytest.mark.parametrize(("sizes", "told"), [((2, 5, 3), True), ((2, 9, 3), False)])
def test_pairs_that_rules_tell_are_not_asked_about(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], *, told: bool
) -> None:
    """The second column tells the first, for not many times its values; of any two of which one
    tells the other the columns tell all."""
    asked_just_then = np.equal.outer(np.arange(sizes[0]) > 0, np.arange(sizes[1]) > 0)
    relations = Relations.of(sizes, [Relation((0, 1), asked_just_then)])
    monkeypatch.setattr(Schema, "relations", property(lambda _: relations))
    learner = CalibratedLearner.within(category_schema(*sizes), Budget(5.0, 1e-9))
    pairs = {tuple(view.attribute for view in each) for each in learner.list_candidates(20_000.0)}
    assert pairs == ({(1, 2)} if told else {(0, 2), (1, 2)})


def test_impossible_cells_have_no_noise() -> None:
    rows = Rows.of(make_records(500))
    pair = (View(0), View(1))
    (found,) = measure(
        rows, [pair], [16.0], Allowance(0.2, "epsilon"), Noise(RandomSource.fixed(1))
    )
    possible = possible_cells(SCHEMA, pair)
    assert possible is not None
    assert not found.counts[~possible].any()
    assert (found.counts[possible] != rows.counts(pair)[possible]).any()
    assert found.noisy_cells == possible.sum() < 16
    (answer,) = found.answers
    assert answer.counts[~possible].any()


def test_a_cell_is_impossible_if_no_rule_names_its_pair() -> None:
    """The first is 0 where the second is, and the fourth then too."""
    found = possible_cells(SCHEMA, (View(3), View(2)))
    assert found is not None
    assert np.argwhere(~found.reshape(5, 3)).tolist() == [[1, 0], [2, 0], [3, 0], [4, 0]]
    assert possible_cells(SCHEMA, (View(3),)) is None


def test_values_that_cannot_be_get_no_share() -> None:
    possible = np.array([True, False, True, False])
    column = MeasuredMarginal((View(0),), np.array([-5.0, 0.0, -5.0, 0.0]), 2.0, possible)
    assert settle_column(SCHEMA, column, 4.0).tolist() == [0.5, 0.0, 0.5, 0.0]


def test_what_is_known_to_be_empty_is_left_out_of_estimates() -> None:
    possible = np.array([True, False, True, False])
    counts = np.array([7.0, 0.0, -5.0, 0.0])
    assert on_simplex(counts, 4.0, possible).tolist() == [4.0, 0.0, 0.0, 0.0]
    assert on_simplex(counts, 20.0, possible).tolist() == [16.0, 0.0, 4.0, 0.0]
    known = MeasuredMarginal((View(0),), counts, 2.0, possible)
    unknown = MeasuredMarginal((View(0),), counts, 2.0)
    other = MeasuredMarginal((View(1),), np.array([9.0, 1.0]), 2.0)
    assert total_records([known, other]) == 6.0
    assert total_records([unknown, other]) == pytest.approx((2 / 4 + 10 / 2) / (1 / 4 + 1 / 2))
    expected = np.array([1.0, 0.0, 1.0, 0.0])
    assert beyond_noise(known, expected) == (36 + 36 - 2 * 4) / 2
    assert beyond_noise(unknown, expected) == (36 + 36 - 4 * 4) / 2
