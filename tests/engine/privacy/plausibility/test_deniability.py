"""The plausible-deniability score against a record-by-record count."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, PlausibleDeniability


def of_gamma(gamma: float) -> PlausibleDeniability:
    return PlausibleDeniability(k=50, gamma=gamma, epsilon0=1.0)


def scan(test: PlausibleDeniability, likelihoods: list[float], own: float) -> int:
    """One record at a time: which interval (γ^{−i−1}, γ^{−i}] holds each likelihood?"""

    def interval(probability: float) -> int:
        index, gamma = 0, Fraction(test.gamma)
        while Fraction(probability) <= gamma ** -(index + 1):
            index += 1
        return index

    if own == 0:
        return 0
    alike = [p for p in likelihoods if p > 0 and interval(p) == interval(own)]
    return len(alike)


def classes_of(sizes: list[int], likelihoods: list[float], own: int) -> LikelihoodClasses:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([likelihoods]))
    return LikelihoodClasses(np.array([sizes]), logs, np.array([own]))


@st.composite
def candidates(draw: st.DrawFn) -> tuple[float, list[int], list[float], int]:
    gamma = draw(st.sampled_from([1.3, 2.0, math.e, 4.0, 10.0]))

    # A power of γ is the edge of an interval; logarithms decide it to within their rounding.
    def off_edge(probability: float) -> bool:
        power = -math.log(probability, gamma)
        return probability == 1 or abs(power - round(power)) > 1e-11

    edge = st.integers(0, 30).map(lambda i: gamma**-i)
    beside = st.tuples(edge, st.sampled_from([1 - 1e-9, 1 + 1e-9]))
    likelihood = st.one_of(
        st.just(0.0),
        st.floats(1e-12, 1.0).filter(off_edge),
        beside.map(lambda pair: min(1.0, pair[0] * pair[1])),
    )
    columns = draw(st.integers(1, 7))
    likelihoods = draw(st.lists(likelihood, min_size=columns, max_size=columns))
    sizes = draw(st.lists(st.integers(0, 20), min_size=columns, max_size=columns))
    own = draw(st.integers(0, columns - 1))
    sizes[own] += 1
    return gamma, sizes, likelihoods, own


@given(candidates())
def test_score_is_the_count_over_records(
    candidate: tuple[float, list[int], list[float], int],
) -> None:
    gamma, sizes, likelihoods, own = candidate
    test = of_gamma(gamma)
    records = [p for size, p in zip(sizes, likelihoods, strict=True) for _ in range(size)]
    (counted,) = test.scores(classes_of(sizes, likelihoods, own))
    assert counted == scan(test, records, likelihoods[own])


@given(candidates(), st.data())
def test_one_record_more_changes_the_score_by_at_most_one(
    candidate: tuple[float, list[int], list[float], int], data: st.DataObject
) -> None:
    gamma, sizes, likelihoods, own = candidate
    test = of_gamma(gamma)
    (before,) = test.scores(classes_of(sizes, likelihoods, own))
    sizes[data.draw(st.integers(0, len(sizes) - 1))] += 1
    (after,) = test.scores(classes_of(sizes, likelihoods, own))
    assert after - before in (0, 1)


@pytest.mark.parametrize("gamma", [2.0, 4.0])
def test_the_upper_edge_belongs_to_an_interval_and_the_lower_does_not(gamma: float) -> None:
    test = of_gamma(gamma)
    likelihoods = [1.0, 1 / gamma, 1 / gamma**2]
    for own in range(3):
        assert test.scores(classes_of([10, 20, 40], likelihoods, own)) == [[10, 20, 40][own]]


def test_a_batch_is_scored_candidate_by_candidate() -> None:
    test = of_gamma(4.0)
    logs = np.log([[0.9, 0.5, 0.1], [0.2, 0.2, 0.2], [0.01, 0.9, 0.02]])
    logs[2, 1] = -math.inf
    sizes = np.array([[3, 4, 5], [1, 1, 1], [7, 9, 2]])
    counted = test.scores(LikelihoodClasses(sizes, logs, np.array([0, 2, 1])))
    assert counted.tolist() == [7, 3, 0]
    assert counted.dtype == np.int64


def test_classes_of_different_shapes_are_an_error() -> None:
    sizes, logs = np.ones((2, 3), dtype=np.int64), np.zeros((2, 3))
    with pytest.raises(ValueError, match="shape"):
        LikelihoodClasses(sizes, logs[:, :2], np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="shape"):
        LikelihoodClasses(sizes, logs, np.zeros(3, dtype=np.int64))


def test_where_all_are_equally_likely_they_are_counted() -> None:
    counts = np.array([7, 1, 10**9])
    assert of_gamma(4.0).scores(counts).tolist() == [7, 1, 10**9]


def test_the_similarity_and_the_noise() -> None:
    test = of_gamma(3.5)
    assert (test.similarity, test.noise, test.coin.noise) == (3.5, "laplace", "laplace")
