"""Scores of some of the records: the interval that a bucket is, and what they settle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.plausibility.partial import count_true
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)

DENIABILITY = PlausibleDeniability(k=5, gamma=2.0, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=5, epsilon0=1.0)
doubles = st.one_of(
    st.floats(-50, 0),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-40, 1).map(lambda each: each * math.log(2)),
    st.just(0.0),
)


@given(
    own=doubles,
    gamma=st.one_of(st.sampled_from([1 + 2.0**-40, 2.0, 4.0, 1e300]), st.floats(1.01, 50)),
)
def test_the_likelihoods_of_a_bucket_are_exactly_an_interval(own: float, gamma: float) -> None:
    test = PlausibleDeniability(k=2, gamma=gamma, epsilon0=1.0)
    low, high = (float(each[0]) for each in test.alike(np.array([own])))
    if not abs(own) / math.log(gamma) < math.inf:
        assert low > high
        return
    assert low <= own <= high
    # Two records score 2 where the other one is in the seed's own bucket, and else 1.
    beside = [low, high, math.nextafter(low, -math.inf), math.nextafter(high, math.inf)]
    pairs = np.array([[own, other] for other in beside])
    scores = test.scores(LikelihoodClasses(np.ones((4, 2), int), pairs, np.zeros(4, int)))
    finite = np.isfinite(pairs[:, 1])
    assert scores.tolist() == [2, 2, 1, 1] or (not finite.all() and scores[:2].tolist() == [2, 2])


def test_what_cannot_be_made_is_like_nothing() -> None:
    low, high = DENIABILITY.alike(np.array([-np.inf]))
    assert low[0] > high[0]


@given(
    true=st.lists(st.lists(st.booleans(), min_size=13, max_size=13), min_size=1, max_size=4),
    sizes=st.one_of(
        st.lists(st.integers(1, 10**9), min_size=13, max_size=13),
        st.integers(1, 9).map(lambda each: [each] * 13),
    ),
)
def test_records_are_counted_as_often_as_they_occur(
    true: list[list[bool]], sizes: list[int]
) -> None:
    expected = [sum(s for t, s in zip(row, sizes, strict=True) if t) for row in true]
    assert count_true(np.array(true), np.array(sizes)).tolist() == expected


def test_of_no_records_none_are_counted() -> None:
    assert count_true(np.ones((2, 0), bool), np.ones(0, int)).tolist() == [0, 0]


def test_both_ends_of_the_interval_are_alike_and_nothing_beyond() -> None:
    own = np.array([-1.0])
    low, high = (float(each[0]) for each in DENIABILITY.alike(own))
    beside = [low, high, math.nextafter(low, -40), math.nextafter(high, 1)]
    partial = DENIABILITY.partial(own, 5)
    partial.add(np.array([beside]), np.ones(4, int), np.array([False]))
    assert [bool(partial.settle(np.array([at]), np.array([0]))[0][0]) for at in (3, 4)] == [
        True,
        False,
    ]


def test_a_seed_that_is_like_nothing_is_not_taken_off_again() -> None:
    partial = DENIABILITY.partial(np.array([-np.inf]), 1)
    partial.add(np.array([[-np.inf]]), np.array([1]), np.array([True]))
    reaches, _ = partial.settle(np.array([0]), np.array([0]))
    assert reaches[0]


records = st.lists(
    st.tuples(st.one_of(st.floats(-25, 0), st.sampled_from([-1.0, -2.0])), st.integers(1, 4)),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
@given(found=records, data=st.data())
def test_what_is_settled_of_some_holds_of_all_and_most_is_settled_in_the_end(
    test: PrivacyTest, found: list[tuple[float, int]], data: st.DataObject
) -> None:
    likely, sizes = np.array([each for each, _ in found]), np.array([size for _, size in found])
    own = data.draw(st.integers(0, len(found) - 1))
    classes = LikelihoodClasses(sizes[None], likely[None], np.array([own]))
    (score,) = test.scores(classes)
    records = int(sizes.sum())
    order = data.draw(st.permutations(range(len(found))))
    for least in range(records + 2):
        partial, start = test.partial(likely[own : own + 1], records), 0
        while True:
            seen = list(order[:start])
            left = records - int(sizes[seen].sum()) - (own not in seen)
            reaches, fails = partial.settle(np.array([least]), np.array([left]))
            assert not (reaches[0] and fails[0])
            assert not reaches[0] or score >= least
            assert not fails[0] or score < least
            if start == len(found):
                break
            at = order[start : start + 2]
            again = np.array([own in at])
            partial.add(likely[None, list(at)], sizes[list(at)], again)
            start += len(at)
        if test is DENIABILITY or abs(least - score) > 1:
            assert reaches[0] or fails[0]


def test_bounds_that_rounding_leaves_open_say_nothing() -> None:
    """Two records half as likely: what they weigh is a whole number, which doubles only nearly
    say; and a record that outweighs the seed by more than doubles hold."""
    half = np.array([[0.0, math.log(0.5)]])
    partial = RELATIVE.partial(np.array([0.0]), 3)
    partial.add(half, np.array([1, 2]), np.array([True]))
    for least, settled in ((0, (True, False)), (1, (False, False)), (2, (False, True))):
        asked = partial.settle(np.array([least]), np.array([0]))
        assert tuple(bool(each[0]) for each in asked) == settled
    far = RELATIVE.partial(np.array([-900.0]), 4)
    far.add(np.array([[-900.0, -1.0]]), np.array([1, 3]), np.array([True]))
    for least, settled in ((0, (True, False)), (2, (False, False)), (4, (False, True))):
        asked = far.settle(np.array([least]), np.array([0]))
        assert tuple(bool(each[0]) for each in asked) == settled


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
def test_candidates_are_kept_by_their_places(test: PrivacyTest) -> None:
    own, many = np.array([-1.0, -2.0, -3.0]), np.array([2, 3, 4])
    likelihoods = np.tile(own, (3, 1))
    scores = test.scores(LikelihoodClasses(np.tile(many, (3, 1)), likelihoods, np.arange(3)))
    partial = test.partial(own, 9)
    partial.add(likelihoods, many, np.ones(3, bool))
    partial.keep(np.array([0, 2]))
    for step in (-1, 2):
        reaches, fails = partial.settle(scores[[0, 2]] + step, np.zeros(2, int))
        assert reaches.tolist() == [step < 0] * 2
        assert fails.tolist() == [step > 0] * 2


def test_likelihoods_that_only_a_difference_makes_equal_are_no_ties() -> None:
    """Far above the seed, neighbouring doubles are as far above it; the score tells them apart."""
    half = math.log(0.5)
    likely, many = np.array([-37.0, half, math.nextafter(half, 0)]), np.ones(3, dtype=np.int64)
    assert likely[1] != likely[2]
    assert likely[1] - likely[0] == likely[2] - likely[0]
    for first in (likely, np.array([-37.0, half, math.nextafter(half, -1)])):
        classes = LikelihoodClasses(many[None], first[None], np.zeros(1, dtype=np.int64))
        (score,) = RELATIVE.scores(classes)
        partial = RELATIVE.partial(first[:1], 3)
        partial.add(first[None], many, np.ones(1, bool))
        for least in range(4):
            reaches, fails = partial.settle(np.array([least]), np.zeros(1, int))
            assert not reaches[0] or score >= least
            assert not fails[0] or score < least


def test_what_rounding_may_have_moved_is_not_settled() -> None:
    """So many records that a sum of doubles is out by more than is left out."""
    random = np.random.default_rng(1)
    for _ in range(100):
        likely = np.sort(-300 - 3 * random.random(3))
        sizes = random.integers(1 << 44, 1 << 45, 3)
        (score,) = RELATIVE.scores(LikelihoodClasses(sizes[None], likely[None], np.array([0])))
        partial = RELATIVE.partial(likely[:1], int(sizes.sum()))
        partial.add(likely[None], sizes, np.array([True]))
        assert not partial.settle(np.array([score]), np.array([0]))[1][0]
        assert not partial.settle(np.array([score + 1]), np.array([0]))[0][0]
