"""The guarantees of `engine/privacy` against exact laws, and mutants that must be caught.

`understudy audit` runs the same checks; what they are and how they work stands in `engine/audit`.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from engine.audit import composed, mutants
from engine.audit.finding import TOLERANCE, Check, Effort
from engine.mechanisms.seedbased.audit import broken, one_attempt, ratios, whole_runs
from engine.mechanisms.seedbased.audit import mutants as seedbased
from engine.mechanisms.seedbased.audit.attempt import Pairs, pairs, worst
from engine.mechanisms.seedbased.audit.toys import TOYS
from engine.mechanisms.seedbased.audit.universes import (
    KINDS,
    giving_away,
    small_test,
    steps,
    universes,
)
from engine.privacy.plausibility.coin import PassCoin
from engine.privacy.plausibility.privacy_test import TestKind

USUAL = Effort()
LESS = Effort(0.2)


def named(checks: tuple[Check, ...]) -> object:
    return pytest.mark.parametrize("check", checks, ids=[each.name for each in checks])


def holds(tried: Pairs) -> None:
    """The claims hold, with rejections seen and without."""
    for ratio in (ratios.with_seeds, ratios.rejections_seen, ratios.released_slot):
        assert worst([tried], ratio).worst <= 1 + TOLERANCE


@named(one_attempt.checks())
def test_one_attempt(check: Check) -> None:
    found = check.find(USUAL)
    assert found.passed, found.measured
    assert found.measured.cases >= (700 if check.kind == "claim" else 1)


@named(whole_runs.checks())
def test_whole_runs(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.cases > 40


@named(composed.checks())
def test_composition(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured


@named((*mutants.of_reading(), *seedbased.checks(), *mutants.of_learning()))
def test_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.verdict == "caught", found.measured


@pytest.mark.parametrize("kind", KINDS)
def test_what_catches_the_mutants_lets_the_mechanism_pass(kind: TestKind) -> None:
    for tried in (*steps(kind), giving_away(kind)):
        holds(tried)


def test_the_toy_models_are_all_tried() -> None:
    for kind in KINDS:
        counted = [sum(each.model == f"the {name} model" for each in universes(kind, USUAL))
                   for name in TOYS]  # fmt: skip
        assert min(counted) >= 40


@pytest.mark.parametrize("kind", KINDS)
def test_the_claims_are_close_to_what_the_mechanism_spends(kind: TestKind) -> None:
    """Or a claim could be loosened without anything being seen."""
    tried = universes(kind, LESS)
    exact = ratios.with_seeds if kind == "plausible-deniability" else ratios.with_whole_scores
    assert worst(tried, exact).worst == pytest.approx(1, abs=1e-9)
    for ratio in (ratios.with_seeds, ratios.rejections_seen, ratios.released_slot):
        assert worst(tried, ratio).worst > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_a_rejection_that_gives_a_record_away(kind: TestKind) -> None:
    case = giving_away(kind)
    assert case.rejected[0] < 1e-30
    assert case.rejected[1] == pytest.approx(1 / 401, rel=1e-6)
    at_five = ratios.published_with_rejections(case)[0, 4]
    assert at_five > 1_000
    for share in (0.0, 0.1, 0.5, 0.95):
        capped = partial(ratios.rejections_seen, share_of_cap=share)
        assert worst([case], capped).worst > 1_000
    holds(case)


def test_without_the_pass_cap_random_models_fail_too() -> None:
    uncapped = partial(ratios.rejections_seen, share_of_cap=0.0)
    drawn = [each for each in universes(KINDS[0], LESS) if each.model == "a random model"]
    assert worst(drawn, uncapped).worst > 100
    for kind in KINDS:
        assert worst(steps(kind), uncapped).worst > 1_000


def test_gamma_counts_where_likelihoods_differ() -> None:
    case = broken.unequal()
    assert worst([case], ratios.with_seeds).worst > 10
    model = np.array([[0.26, 0.74, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    holds(pairs(case.test, model, [1, 0, 1], added=[0, 1, 0]))


def test_likelier_seeds_are_left_out_of_the_sum() -> None:
    case = broken.likelier()
    assert worst([case], ratios.with_seeds).worst > 10
    model = np.array([[0.01, 0.99], [1.0, 0.0], [0.0, 1.0]])
    holds(pairs(case.test, model, [1, 0, 7], added=[0, 1, 0]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [1.5, 1.1])
def test_a_little_less_noise_is_caught(kind: TestKind, share: float) -> None:
    coin = lambda test: PassCoin(test.k, share * test.epsilon0, test.noise)  # noqa: E731
    assert worst(steps(kind, coin=coin), ratios.with_seeds).worst > 1.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_threshold_one_too_low_is_caught(kind: TestKind) -> None:
    coin = lambda test: PassCoin(test.k - 1, test.epsilon0, test.noise)  # noqa: E731
    exact = ratios.with_seeds if kind == "plausible-deniability" else ratios.with_whole_scores
    assert worst(steps(kind, coin=coin), exact).worst > 1.1


def test_noise_of_their_own_is_what_two_attempts_need() -> None:
    """The joint law that catches the shared threshold, with two thresholds: it holds."""
    for kind in KINDS:
        tried = pairs(small_test(kind, 8, 1.0), np.eye(2), [8, 8], equal_likelihood=True)
        assert worst([tried], broken.noise_reused).worst > 10
        assert worst([tried], whole_runs.attempted).worst <= 1 + TOLERANCE
