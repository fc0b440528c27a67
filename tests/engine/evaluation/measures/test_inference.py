"""Guessing a hidden column from the nearest records of the table. Guessing who was a seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_curve
from sklearn.neighbors import NearestNeighbors

from tests.engine.evaluation.builders import disclosure_study as study_of
from tests.engine.evaluation.builders import leaking, people
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import RELEASED, BreakdownEntry
from understudy.evaluation.measures.copies import CONTROL, SEEDS
from understudy.evaluation.measures.inference import (
    ATTRIBUTE,
    DENSITY,
    MEMBERSHIP,
    NEAREST,
    attack,
    best_threshold,
    better_attack,
    guess_commonest,
)


def test_by_hand() -> None:
    rows = [[7, 1, 1], [7, 1, 1], [4, 1, 1], [4, 1, 2], [4, 2, 2], [9, 2, 2]]
    table = np.array([*rows, *[[9, 3, 3]] * 3], dtype=np.uint16)
    asked = np.array([[0, 1, 1], [0, 1, 2], [0, 2, 2], [0, 8, 8]], dtype=np.uint16)
    # Two of three; the only one; even, and 9 is commoner in the table; all are as far, so is 9.
    assert guess_commonest(asked, table, 0).tolist() == [7, 4, 9, 9]


def slow(person: np.ndarray, table: np.ndarray, target: int) -> int:
    others = [each for each in range(table.shape[1]) if each != target]
    far = (table[:, others] != person[others]).sum(axis=1)
    votes = Counter(table[far == far.min(), target].tolist())
    overall = Counter(table[:, target].tolist())
    return min(votes, key=lambda value: (-votes[value], -overall[value], value))


@pytest.mark.parametrize("target", [0, 3, 5])
def test_as_one_would_look_it_up(target: int) -> None:
    table, asked = people(150, 1, columns=6, values=4), people(60, 2, columns=6, values=4)
    assert guess_commonest(asked, table, target).tolist() == [
        slow(each, table, target) for each in asked
    ]


def test_the_guess_is_a_value_of_a_nearest_record() -> None:
    table, asked = people(200, 3), people(50, 4)
    learned = NearestNeighbors(n_neighbors=1, metric="hamming").fit(table[:, 1:])
    far, _ = learned.kneighbors(asked[:, 1:])
    for person, guess, least in zip(
        asked, guess_commonest(asked, table, 0), far[:, 0], strict=True
    ):
        away = (table[:, 1:] != person[1:]).mean(axis=1)
        assert guess in table[np.isclose(away, least), 0]


def test_parts_are_the_two_accuracies_and_the_value_their_difference() -> None:
    seeds, held_out = people(200, 5), people(200, 6)
    study = study_of(leaking(seeds, 200, 0.5, 0, 7), seeds, held_out, target="c4")
    found = ATTRIBUTE.measure(study)[RELEASED]
    table = study.tables[0].records.codes
    right = [(guess_commonest(each, table, 4) == each[:, 4]).mean() for each in (seeds, held_out)]
    assert [part.of for part in found.parts] == [(SEEDS,), (CONTROL,)]
    assert [part.value for part in found.parts] == pytest.approx(right)
    assert found.value == pytest.approx(right[0] - right[1])
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_what_is_true_of_everybody_is_no_leak() -> None:
    """The target is its neighbour: every table shows it, about seeds and others alike."""
    made = [people(200, key) for key in (8, 9, 10)]
    for each in made:
        each[:, 0] = each[:, 1]
    found = ATTRIBUTE.measure(study_of(*made))[RELEASED]
    assert min(part.value for part in found.parts) > 0.8
    assert found.interval is not None
    assert found.interval.low <= 0 <= found.interval.high


def test_copies_of_seeds_give_their_column_away() -> None:
    rng = np.random.default_rng(11)
    seeds, held_out = people(300, 12), people(300, 13)
    for each in (seeds, held_out):
        each[:, 0] = rng.integers(0, 5, len(each))
    found = ATTRIBUTE.measure(study_of(seeds.copy(), seeds, held_out))[RELEASED]
    assert found.interval is not None
    assert found.interval.low > 0.3


def test_a_column_that_is_not_there_is_refused() -> None:
    study = study_of(people(90, 1), people(90, 2), people(90, 3), target="income")
    with pytest.raises(Refusal):
        ATTRIBUTE.measure(study)


def test_by_hand_of_membership() -> None:
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
    one, other = BreakdownEntry(("one",), 0.1), BreakdownEntry(("other",), 0.6)
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
