"""The claims about one attempt against exact laws, and how close they are."""

from __future__ import annotations

from functools import partial

import pytest

from tests.engine.assurance.seedbased.holding import holds
from understudy.assurance import attempt
from understudy.assurance.attempt import worst
from understudy.assurance.finding import Check, Effort
from understudy.assurance.seedbased import one_attempt
from understudy.assurance.seedbased.universes import KINDS, NAMES, giving_away, steps, universes
from understudy.privacy.plausibility.privacy_test import TestKind

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
