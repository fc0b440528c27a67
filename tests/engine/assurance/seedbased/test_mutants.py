"""Seedbased synthesis broken on purpose, and what must notice."""

from __future__ import annotations

import pytest

from tests.engine.assurance.seedbased.holding import holds
from understudy.assurance import attempt
from understudy.assurance.attempt import worst
from understudy.assurance.finding import Check, Effort
from understudy.assurance.seedbased import mutants
from understudy.assurance.seedbased.universes import (
    KINDS,
    giving_away,
    steps,
)
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.privacy.plausibility.threshold import PassCoin

LESS = Effort(0.2)


@pytest.mark.parametrize("check", mutants.list_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.verdict == "caught", found.measured


@pytest.mark.parametrize("kind", KINDS)
def test_what_catches_the_mutants_lets_the_mechanism_pass(kind: TestKind) -> None:
    for tried in (*steps(kind), giving_away(kind)):
        holds(tried)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [1.5, 1.1])
def test_a_little_less_noise_is_caught(kind: TestKind, share: float) -> None:
    coin = lambda test: PassCoin(test.k, share * test.epsilon0, test.noise)  # noqa: E731
    assert worst(steps(kind, coin=coin), attempt.with_seeds).worst > 1.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_threshold_one_too_low_is_caught(kind: TestKind) -> None:
    coin = lambda test: PassCoin(test.k - 1, test.epsilon0, test.noise)  # noqa: E731
    exact = attempt.with_seeds if kind == "plausible-deniability" else attempt.with_whole_scores
    assert worst(steps(kind, coin=coin), exact).worst > 1.1
