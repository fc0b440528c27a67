"""Guessing who was a seed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_curve

from tests.engine.evaluation.disclosing import leaking, people, study_of
from understudy.evaluation.measure import RELEASED, Part
from understudy.evaluation.measures.inference import (
    DENSITY,
    MEMBERSHIP,
    NEAREST,
    attack,
    best_threshold,
    better_attack,
)


def test_by_hand() -> None:
    """The threshold is found on the first half, and tried on the second."""
    members = np.array([5.0, 4.0, 1.0, 5.0, 1.0, 5.0])
    others = np.array([0.0, 1.0, 2.0, 5.0, 0.0, 0.0])
    assert best_threshold(members[:3], others[:3]) == (4.0, pytest.approx(2 / 3))
    gained, part = attack("by hand", members, others)
    assert gained == pytest.approx(2 / 3)
    # Two of three members reach 4, and two of three others do not: four right of six.
    assert part.value == pytest.approx(2 * 4 / 6 - 1)
    assert part.interval is not None
    assert part.interval.low < part.value < part.interval.high


def test_the_best_threshold_is_that_of_the_roc_curve() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        members, others = rng.integers(0, 9, 40) + 0.0, rng.integers(0, 7, 40) + 0.0
        truth = np.repeat([1, 0], 40)
        false, true, _ = roc_curve(truth, np.concatenate([members, others]))
        threshold, gained = best_threshold(members, others)
        # A curve also has the point where nobody is called a member.
        assert max(gained, 0) == pytest.approx((true - false).max())
        called = np.concatenate([members, others]) >= threshold
        assert gained == pytest.approx(2 * balanced_accuracy_score(truth, called) - 1)


def test_copies_of_seeds_give_every_seed_away() -> None:
    seeds, held_out = people(300, 1, values=9), people(300, 2, values=9)
    found = MEMBERSHIP.measure(study_of(seeds.copy(), seeds, held_out))[RELEASED]
    fresh = {tuple(row) for row in held_out.tolist()} - {tuple(row) for row in seeds.tolist()}
    assert len(fresh) > 250
    assert found.value > 0.8
    assert found.interval is not None
    assert found.interval.low > 0.7


def test_an_attack_is_not_chosen_for_how_it_turned_out() -> None:
    one, other = Part(("one",), 0.1), Part(("other",), 0.6)
    assert better_attack([(0.3, one), (0.2, other)]) is one


def test_the_value_is_that_of_one_of_the_attacks() -> None:
    seeds, held_out = people(400, 11), people(400, 12)
    found = MEMBERSHIP.measure(study_of(leaking(seeds, 400, 0.7, 1, 13), seeds, held_out))[RELEASED]
    assert [part.of for part in found.parts] == [(NEAREST,), (DENSITY,)]
    assert found.value in [part.value for part in found.parts]
    assert found.value > 0.1


def test_a_table_that_owes_seeds_nothing_says_nothing_about_them() -> None:
    missed = 0
    for key in range(40):
        study = study_of(people(300, 3 * key), people(300, 3 * key + 1), people(300, 3 * key + 2))
        found = MEMBERSHIP.measure(study)[RELEASED]
        assert found.interval is not None
        missed += not found.interval.low <= 0 <= found.interval.high
        assert abs(found.value) < 0.3
    assert missed <= 5


def test_density_speaks_where_the_nearest_record_does_not() -> None:
    """Everybody has a record of the table one column away; around seeds there are many."""
    rng = np.random.default_rng(6)
    seeds, held_out = np.zeros((200, 6)), np.full((200, 6), 5)
    seeds[:, 0], held_out[:, 0] = rng.integers(1, 5, 200), rng.integers(1, 5, 200)
    table = np.concatenate([np.zeros((90, 6)), np.full((10, 6), 5)])
    made = (each.astype(np.uint16) for each in (table, seeds, held_out))
    found = MEMBERSHIP.measure(study_of(*made))[RELEASED]
    nearest, density = (part.value for part in found.parts)
    assert nearest == pytest.approx(0, abs=0.2)
    assert density == found.value == 1.0
