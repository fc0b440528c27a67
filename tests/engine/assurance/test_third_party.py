from __future__ import annotations

import math

import pytest

from understudy.assurance import model_queries
from understudy.assurance.finding import Check, Effort
from understudy.assurance.model_queries import CALIBRATED_BUDGETS, neighbours
from understudy.assurance.transcript import Transcript
from understudy.models.third_party import private_pgm
from understudy.models.third_party.private_pgm import measured_tree
from understudy.privacy.randomness import RandomSource

LESS = Effort(0.5)


@pytest.mark.parametrize("check", model_queries.list_tree_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert check.name == "what else is looked at" or found.measured.worst > 0.8


def test_every_question_is_asked_in_both_currencies() -> None:
    laws = set()
    for budget in CALIBRATED_BUDGETS:
        for _, more in neighbours(LESS):
            asking = Transcript(RandomSource.fixed(1))
            measured_tree(more, budget, asking)
            laws |= {each.law for each in asking.asked}
    assert laws == {"geometric", "Gaussian", "permute and flip", "exponential"}


def test_half_the_noise_and_the_true_number_of_records_are_caught() -> None:
    assert model_queries.measure_tree_spending(LESS, drawn=0.5).worst > 1.5
    assert model_queries.measure_tree_peeking(LESS, model_queries.counting).worst == math.inf


def test_a_tree_that_is_paid_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_pgm, "TREE", 0.5)
    assert model_queries.measure_tree_spending(LESS).worst > 1
