"""The guarantees against the exact law of one attempt, on universes small enough to enumerate.

F_D over U ∪ {⊥} is the sum over seeds, candidates and the pass coin; what (ε, δ) promises is
that Σ max(F_D(y) − e^ε·F_D'(y), 0) ≤ δ both ways between neighbours. The coin and the score are
the shipped ones, except where a test breaks them on purpose and must see the audit fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest

from engine.privacy.budget import Budget
from engine.privacy.coin import PassCoin
from engine.privacy.deniability import (
    LikelihoodClasses,
    PlausibleDeniability,
    plausible_deniability_test,
    score,
)
from engine.privacy.guarantee import pass_cap, plausible_deniability

ROUNDING = 1e-13

Scores = Callable[[PlausibleDeniability, np.ndarray, np.ndarray], np.ndarray]


def shipped_score(test: PlausibleDeniability, model: np.ndarray, records: np.ndarray) -> np.ndarray:
    """Score of every (seed, candidate) pair, shape (S, Y), as a run computes it."""
    seeds, values = model.shape
    with np.errstate(divide="ignore"):
        logs = np.log(model)
    own = np.repeat(np.arange(seeds), values)
    sizes = np.broadcast_to(records, (own.size, seeds))
    counted = score(test, LikelihoodClasses(sizes, np.tile(logs.T, (seeds, 1)), own))
    return counted.reshape(seeds, values)


@cache
def odds(coin: PassCoin, scored: int) -> tuple[float, float]:
    """Probabilities of passing and of failing, each to full relative precision."""
    threshold = coin.threshold(scored)
    return threshold / 2**128, (2**128 - threshold) / 2**128


def law(
    test: PlausibleDeniability,
    model: np.ndarray,
    records: np.ndarray,
    *,
    rho: float = 0.0,
    coin: PassCoin | None = None,
    scores: Scores = shipped_score,
) -> np.ndarray:
    """F_D: the exact probability of each value of U, and of ⊥ last.

    Args:
        model: p_d(y), shape (S, Y), a row for each value that a record can have.
        records: how many records have each value, shape (S,).
        rho: the pass cap.
        coin, scores: what decides, the test's own unless broken on purpose.
    """
    counted = scores(test, model, records)
    flipped = [[odds(coin or test.coin, int(scored)) for scored in row] for row in counted]
    passes, fails = np.moveaxis(np.array(flipped), -1, 0)
    made = (records / records.sum())[:, None] * model
    released = (made * passes * (1 - rho)).sum(axis=0)
    return np.append(released, (made * (fails + passes * rho)).sum())


def divergence(first: np.ndarray, second: np.ndarray, epsilon: float) -> float:
    """The larger hockey-stick divergence of the two directions."""
    bound = math.exp(epsilon)
    one_way = np.maximum(first - bound * second, 0).sum()
    return float(max(one_way, np.maximum(second - bound * first, 0).sum()))


@dataclass(frozen=True)
class Case:
    """A test, a model, and a dataset with one record to add."""

    test: PlausibleDeniability
    model: np.ndarray
    records: np.ndarray
    added: int

    @property
    def neighbour(self) -> np.ndarray:
        more = self.records.copy()
        more[self.added] += 1
        return more

    def stated(self, t: int, *, equal_likelihood: bool = False) -> Budget:
        gamma = 1.0 if equal_likelihood else self.test.gamma
        assert self.test.epsilon0 is not None
        return plausible_deniability(k=self.test.k, gamma=gamma, epsilon0=self.test.epsilon0, t=t)

    def cap(self, stated: Budget) -> float:
        assert self.test.epsilon0 is not None
        return pass_cap(stated.epsilon, int(self.records.sum()), epsilon0=self.test.epsilon0)

    def laws(self, **broken: object) -> tuple[np.ndarray, np.ndarray]:
        one, other = (
            law(self.test, self.model, records, **broken)
            for records in (self.records, self.neighbour)
        )
        return one, other

    def breach_on_u(self, *, equal_likelihood: bool = False, **broken: object) -> float:
        """By how much Theorem 1 fails on U, at the worst t; 0 or less if it holds."""
        one, other = (full[:-1] for full in self.laws(**broken))
        breaches = []
        for t in range(1, self.test.k):
            stated = self.stated(t, equal_likelihood=equal_likelihood)
            breaches.append(divergence(one, other, stated.epsilon) - stated.delta)
        return max(breaches)

    def breach_with_rejections(
        self, *, share_of_cap: float = 1.0, equal_likelihood: bool = False, **broken: object
    ) -> float:
        """By how much protocol A fails on U ∪ {⊥}, at the worst t."""
        breaches = []
        for t in range(1, self.test.k):
            stated = self.stated(t, equal_likelihood=equal_likelihood)
            one, other = self.laws(rho=share_of_cap * self.cap(stated), **broken)
            breaches.append(divergence(one, other, stated.epsilon) - stated.delta)
        return max(breaches)


def random_model(draw: np.random.Generator, seeds: int, values: int) -> np.ndarray:
    """p_d(y) over several orders of magnitude, with zeros and with rows alike."""
    weights = np.exp(draw.normal(scale=draw.choice([0.3, 1.5, 4.0]), size=(seeds, values)))
    weights *= draw.random((seeds, values)) < draw.choice([1.0, 0.6])
    weights[np.arange(seeds), draw.integers(values, size=seeds)] += 0.01
    if draw.random() < 0.3:
        weights[draw.integers(seeds)] = weights[draw.integers(seeds)]
    return weights / weights.sum(axis=1, keepdims=True)


def random_test(draw: np.random.Generator) -> PlausibleDeniability:
    return plausible_deniability_test(
        int(draw.integers(2, 7)),
        float(draw.choice([1.05, 1.5, 2.0, 4.0])),
        float(draw.choice([0.1, 0.3, 1.0, 2.5, 5.0])),
    )


def random_records(draw: np.random.Generator, seeds: int, least: int) -> np.ndarray:
    """A dataset of at least `least` records, with values nobody has among them."""
    records = draw.integers(0, 5, size=seeds)
    while records.sum() < least:
        records[draw.integers(seeds)] += 1
    return records


def neighbours(test: PlausibleDeniability, model: np.ndarray, records: np.ndarray) -> list[Case]:
    return [Case(test, model, records, added) for added in range(records.size)]


def random_cases(seed: int, count: int) -> Iterator[Case]:
    draw = np.random.default_rng(seed)
    for _ in range(count):
        test, seeds = random_test(draw), int(draw.integers(1, 5))
        model = random_model(draw, seeds, int(draw.integers(1, 5)))
        yield from neighbours(test, model, random_records(draw, seeds, test.k))


def hamming(bits: int) -> np.ndarray:
    weight = np.array([sum(word) for word in product((0, 1), repeat=bits)])
    alike = (weight[:, None] == weight).astype(float)
    return alike / alike.sum(axis=1, keepdims=True)


TOYS = {
    "identity": np.eye(4),
    "hamming": hamming(3),
    "uniform": np.full((4, 4), 1 / 4),
    "mixture": 0.7 * hamming(2) + 0.3 / 4,
    "randomised response": np.full((2, 2), 1 / 6) + np.eye(2) * 2 / 3,
}


def toy_cases(name: str, count: int = 40) -> Iterator[Case]:
    draw = np.random.default_rng(len(name))
    for _ in range(count):
        test, model = random_test(draw), TOYS[name]
        yield from neighbours(test, model, random_records(draw, len(model), test.k))


def rejection_gives_it_away() -> Case:
    """400 equal records and one other, which cannot pass: only a rejection tells of it."""
    return Case(plausible_deniability_test(20, 4, 1), np.eye(2), np.array([400, 0]), 1)


def on_the_edge_of_passing() -> Case:
    """One record less than k, all equal: the steepest point of the pass coin."""
    return Case(plausible_deniability_test(4, 1.05, 3), np.eye(2), np.array([3, 2]), 0)


def slow_score(test: PlausibleDeniability, model: np.ndarray, records: np.ndarray) -> np.ndarray:
    counted = np.zeros(model.shape, dtype=np.int64)
    for seed, value in product(*map(range, model.shape)):
        for other in range(len(records)):
            both = (model[seed, value], model[other, value])
            if min(both) > 0:
                index = [math.floor(-math.log(p) / math.log(test.gamma)) for p in both]
                counted[seed, value] += records[other] * (index[0] == index[1])
    return counted


def test_the_law_is_a_law_and_the_score_a_count() -> None:
    for case in random_cases(1, 50):
        for rho in (0.0, 0.2):
            one, other = case.laws(rho=rho)
            assert one.sum() == pytest.approx(1)
            assert other.sum() == pytest.approx(1)
        np.testing.assert_array_equal(
            shipped_score(case.test, case.model, case.records),
            slow_score(case.test, case.model, case.records),
        )


def test_theorem_1_holds_on_released_records() -> None:
    breaches = [case.breach_on_u() for case in random_cases(2, 3_000)]
    assert max(breaches) <= ROUNDING


def test_protocol_a_holds_with_rejections() -> None:
    breaches = [case.breach_with_rejections() for case in random_cases(3, 600)]
    assert max(breaches) <= ROUNDING


@pytest.mark.parametrize("name", TOYS)
def test_toy_models(name: str) -> None:
    for case in toy_cases(name):
        assert case.breach_on_u() <= ROUNDING
        assert case.breach_with_rejections() <= ROUNDING


def test_equal_likelihoods_let_gamma_count_as_one() -> None:
    draw = np.random.default_rng(4)
    for _ in range(150):
        # Every seed that can make a value makes it as likely: attributes kept, the rest drawn.
        kept, drawn = draw.integers(3, size=4), draw.dirichlet([0.5] * 3, size=3)
        model = np.zeros((4, 9))
        for seed, prefix in enumerate(kept):
            model[seed, 3 * prefix : 3 * prefix + 3] = drawn[prefix]
        test = random_test(draw)
        for case in neighbours(test, model, random_records(draw, 4, test.k)):
            assert case.breach_on_u(equal_likelihood=True) <= ROUNDING
            assert case.breach_with_rejections(equal_likelihood=True) <= ROUNDING


def test_a_rejection_that_gives_a_record_away_is_covered_by_the_pass_cap() -> None:
    case = rejection_gives_it_away()
    assert case.breach_on_u() <= ROUNDING
    assert case.breach_with_rejections() <= ROUNDING


class TestTheAuditCanFail:
    """Each part of the guarantee, broken, must show."""

    def test_without_the_pass_cap_a_rejection_gives_a_record_away(self) -> None:
        case = rejection_gives_it_away()
        stated = case.stated(5)
        one, other = case.laws()
        assert one[-1] < 1e-30
        assert other[-1] == pytest.approx(1 / 401, rel=1e-6)
        assert divergence(one, other, stated.epsilon) > 1_000 * stated.delta
        assert case.breach_with_rejections(share_of_cap=0) > 1e-3

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
    def test_with_a_pass_cap_too_small(self, share: float) -> None:
        assert rejection_gives_it_away().breach_with_rejections(share_of_cap=share) > 1e-6

    def test_without_the_pass_cap_random_models_fail_too(self) -> None:
        cases = random_cases(3, 150)
        assert max(case.breach_with_rejections(share_of_cap=0) for case in cases) > 1e-3

    def test_with_half_the_noise(self) -> None:
        case = on_the_edge_of_passing()
        assert case.breach_on_u() <= ROUNDING
        assert case.breach_on_u(coin=PassCoin(case.test.k, 2 * case.test.epsilon0)) > 0.01

    def test_with_no_noise(self) -> None:
        case = on_the_edge_of_passing()
        assert case.breach_on_u(coin=PassCoin(case.test.k, None)) > 0.01

    def test_with_a_score_that_counts_a_record_twice(self) -> None:
        def twice(test: PlausibleDeniability, model: np.ndarray, records: np.ndarray) -> np.ndarray:
            return 2 * shipped_score(test, model, records)

        case = Case(plausible_deniability_test(4, 1.05, 3), np.eye(2), np.array([1, 4]), 0)
        assert case.breach_on_u() <= ROUNDING
        assert case.breach_on_u(scores=twice) > 0.01

    def test_with_a_score_that_is_the_number_of_records(self) -> None:
        def everyone(
            test: PlausibleDeniability, model: np.ndarray, records: np.ndarray
        ) -> np.ndarray:
            return np.full(model.shape, records.sum())

        case = Case(plausible_deniability_test(20, 4, 1), np.eye(2), np.array([40, 0]), 1)
        assert case.breach_on_u() <= ROUNDING
        assert case.breach_on_u(scores=everyone) > 0.01

    def test_with_gamma_taken_for_one_where_likelihoods_differ(self) -> None:
        model = np.array([[0.26, 0.74, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        case = Case(plausible_deniability_test(2, 4, 5), model, np.array([1, 0, 1]), 1)
        assert case.breach_on_u() <= ROUNDING
        assert case.breach_on_u(equal_likelihood=True) > 0.01

    def test_with_a_threshold_below_k(self) -> None:
        case = Case(plausible_deniability_test(4, 1.05, 1), np.eye(2), np.array([0, 4]), 0)
        assert case.breach_on_u() <= ROUNDING
        assert case.breach_on_u(coin=PassCoin(1, case.test.epsilon0)) > 0.01
