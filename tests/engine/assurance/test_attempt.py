"""The claims about one attempt against exact laws, and how close they are. Cases that break a
claim if a condition of it is dropped.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

from tests.engine.assurance.seedbased.holding import holds
from understudy.assurance import attempt
from understudy.assurance.attempt import (
    Pairs,
    pairs,
    pass_probabilities,
    scanned_scores,
    shipped_scores,
    worst,
)
from understudy.assurance.check import NOTHING, Check, Effort
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.seedbased import mutants, one_attempt
from understudy.assurance.seedbased.one_attempt import (
    KINDS,
    NAMES,
    TOYS,
    giving_away,
    small_test,
    steps,
    two_more,
    universes,
)
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, PrivacyTest, TestKind
from understudy.privacy.plausibility.threshold import PassCoin

FEW = Effort(0.03, seed=5)


def deniable(test: PlausibleDeniability, made: list[float], table: list[int], seed: int) -> int:
    """How many records make the candidate about as likely as the seed does, by the definition."""
    if made[seed] == 0:
        return 0
    index = [math.floor(-math.log(p) / math.log(test.gamma)) if p else None for p in made]
    return sum(count for each, count in zip(index, table, strict=True) if each == index[seed])


def relative(made: list[float], table: list[int], seed: int) -> int:
    """⌊κ⌋ by Definition 4.2, in fractions."""
    weights = [Fraction(p) for p in made]
    held = [(weight, count) for weight, count in zip(weights, table, strict=True) if count]
    ranked = [weight for weight, _ in held if weight >= weights[seed] and weight > 0]
    sums = [
        sum(count * other for other, count in held if other <= weight) / weight - 1
        for weight in ranked
    ]
    return math.floor(max(sums, default=0))


def slow_score(test: PrivacyTest, made: list[float], table: list[int], seed: int) -> int:
    if isinstance(test, PlausibleDeniability):
        return deniable(test, made, table, seed)
    return relative(made, table, seed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scores", [shipped_scores, scanned_scores])
def test_scores_are_those_of_the_definition(kind: str, scores: object) -> None:
    draw = RandomInputs(11)
    for _ in range(80):
        test, seeds = draw.test(kind), draw.whole(1, 4)
        model, table = draw.model(seeds, draw.whole(1, 4)), draw.table(seeds, test.k)
        found = scores(test, model, table[None])[0]
        for seed, value in product(*map(range, model.shape)):
            if table[seed]:
                slow = slow_score(test, model[:, value].tolist(), table.tolist(), seed)
                assert found[seed, value] == slow


@pytest.mark.parametrize("kind", KINDS)
def test_a_law_is_a_law(kind: str) -> None:
    tried = universes(kind, FEW)
    assert {each.model for each in tried} >= {f"the {name} model" for name in TOYS}
    for each in tried:
        for rho in (0.0, 0.2, 1.0):
            np.testing.assert_allclose(each.cap_attempts(rho).sum(axis=1), 1, rtol=1e-12)
        assert (each.released >= 0).all()
        assert each.records >= each.test.k


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_have_one_record_more_or_two_of_one_person(kind: str) -> None:
    for more, tried in ((1, universes(kind, FEW)), (2, two_more(kind, FEW))):
        for each in tried:
            added = each.tables[1:] - each.tables[0]
            assert (added >= 0).all()
            assert (added.sum(axis=1) == more).all()


def test_an_attempt_by_hand() -> None:
    """Three records, of which two are alike; a coin for whether they pass."""
    test = small_test("plausible-deniability", 2, 1.0)
    made = pairs(test, np.array([[0.8, 0.2], [0.0, 1.0]]), [2, 1], added=[0, 1])
    coin = [float(PassCoin(2, 1.0).probability(np.array(score))) for score in range(4)]
    # γ = 4: likelihoods of 0.2 and of 1 are in buckets of their own.
    released = [2 / 3 * 0.8 * coin[2], 2 / 3 * 0.2 * coin[2] + 1 / 3 * coin[1]]
    np.testing.assert_allclose(made.released[0], released, rtol=1e-12)
    assert made.rejected[0] == pytest.approx(1 - sum(released))
    assert made.passing[0] == pytest.approx(sum(released))


@pytest.mark.parametrize(("noise", "mirrored"), [("laplace", 2), ("geometric", 1)])
def test_odds_keep_their_precision_in_both_tails(noise: str, mirrored: int) -> None:
    coin = PassCoin(60, 1.0, noise)
    passes, fails = pass_probabilities(coin, 118)
    assert passes[0] == pytest.approx(float(coin.probability(np.array(0))), rel=1e-9)
    assert 0 < fails[118] < 1e-25
    assert fails[118] == pytest.approx(passes[mirrored], rel=1e-9)


def test_a_rejection_gives_a_record_away() -> None:
    for kind in KINDS:
        each = giving_away(kind)
        assert each.rejected[0] < 1e-30
        assert each.rejected[1] == pytest.approx(1 / 401, rel=1e-6)


def test_the_worst_case_is_named_and_what_has_no_claim_is_not_counted() -> None:
    kind = KINDS[0]
    first, second = universes(kind, FEW)[:2]

    def ratio(tried: Pairs) -> np.ndarray:
        return np.array([0.5, 2.0]) if tried is second else np.empty(0)

    found = worst([first, second], ratio)
    assert (found.cases, found.worst, found.at) == (len(second), 2.0, str(second))
    assert worst([first], ratio) == NOTHING


def test_a_law_that_is_not_a_number_is_not_overlooked() -> None:
    found = worst(universes(KINDS[0], FEW)[:2], lambda _: np.array([0.1, math.nan]))
    assert math.isnan(found.worst)


def test_the_same_seed_tries_the_same_universes_and_another_does_not() -> None:
    kind = KINDS[1]
    one, again, other = (
        [str(each) for each in universes(kind, Effort(0.01, seed))] for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


LESS = Effort(0.2)


@pytest.mark.parametrize("check", one_attempt.list_checks(), ids=lambda each: each.name)
def test_one_attempt(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.cases >= (50 if check.kind == "claim" else 1)


@pytest.mark.thorough("test_one_attempt")
@pytest.mark.parametrize("check", one_attempt.list_checks(), ids=lambda each: each.name)
def test_one_attempt_in_full(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found.measured
    assert found.measured.cases >= (700 if check.kind == "claim" else 1)


def test_the_published_statement_of_either_test_fails_where_rejections_are_seen() -> None:
    broken = [each.name for each in one_attempt.list_checks() if each.kind == "counter-example"]
    assert broken == [f"{NAMES[kind]}, as published" for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS)
def test_the_claims_are_close_to_what_the_mechanism_spends(kind: TestKind) -> None:
    """Or a claim could be loosened without anything being seen."""
    tried = universes(kind, LESS)
    exact = attempt.with_seeds if kind == "plausible-deniability" else attempt.with_whole_scores
    assert worst(tried, exact).worst == pytest.approx(1, abs=1e-9)
    for ratio in (attempt.with_seeds, attempt.rejections_seen, attempt.released_slot):
        assert worst(tried, ratio).worst > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_a_rejection_that_gives_a_record_away(kind: TestKind) -> None:
    case = giving_away(kind)
    assert case.rejected[0] < 1e-30
    assert case.rejected[1] == pytest.approx(1 / 401, rel=1e-6)
    at_five = attempt.published_with_rejections(case)[0, 4]
    assert at_five > 1_000
    for share in (0.0, 0.1, 0.5, 0.95):
        capped = partial(attempt.rejections_seen, share_of_cap=share)
        assert worst([case], capped).worst > 1_000
    holds(case)


def test_without_the_pass_cap_random_models_fail_too() -> None:
    uncapped = partial(attempt.rejections_seen, share_of_cap=0.0)
    drawn = [each for each in universes(KINDS[0], LESS) if each.model == "a random model"]
    assert worst(drawn, uncapped).worst > 100
    for kind in KINDS:
        assert worst(steps(kind), uncapped).worst > 1_000


def test_gamma_counts_where_likelihoods_differ() -> None:
    case = mutants.unequal()
    assert worst([case], attempt.with_seeds).worst > 10
    model = np.array([[0.26, 0.74, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    holds(pairs(case.test, model, [1, 0, 1], added=[0, 1, 0]))


def test_likelier_seeds_are_left_out_of_the_sum() -> None:
    case = mutants.likelier()
    assert worst([case], attempt.with_seeds).worst > 10
    model = np.array([[0.01, 0.99], [1.0, 0.0], [0.0, 1.0]])
    holds(pairs(case.test, model, [1, 0, 7], added=[0, 1, 0]))


def test_the_toy_models_are_all_tried() -> None:
    for kind in KINDS:
        counted = [sum(each.model == f"the {name} model" for each in universes(kind, Effort(0.2)))
                   for name in TOYS]  # fmt: skip
        assert min(counted) >= 8
