"""Learners whose noise is a model's own posterior: what they cost, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.models.latent.test_latent_noise import EVERY, network
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import NetworkNoiseLearner
from understudy.models.latent.networks import variational
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

SCHEMA = category_schema(*[2] * 5)


def plan(**changed: Any) -> ScoredPlan:
    return ScoredPlan(domain=SCHEMA.fingerprint, **changed)


@pytest.mark.parametrize("proposer", ["factor-noise", "network-noise"])
def test_learning_stays_within_its_part(proposer: str) -> None:
    found = plan_run(plan(proposer=proposer, numbers={}, epsilon=2.0), SCHEMA).guarantee
    part = found.parts[1]
    assert part.cost.epsilon == 2.0


def test_a_network_is_never_dearer_than_what_it_is_charged() -> None:
    for epsilon in (0.5, 1.0, 4.0):
        budget = Budget(epsilon, 1e-9)
        cost = variational.plan_network(5, 50_000, budget).cost
        assert cost.epsilon <= epsilon
        assert cost.delta <= 1e-9


@pytest.mark.parametrize(
    ("proposer", "numbers", "field"),
    [
        ("factor-noise", {"factors": 5}, "numbers.factors"),
        ("factor-noise", {"disturbed": 0.1}, "numbers.disturbed"),
        ("network-noise", {"records": 300}, "model"),
        ("network-noise", {"records": 10}, "numbers.records"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    proposer: str, numbers: dict[str, float], field: str
) -> None:
    with pytest.raises(Refusal) as refused:
        plan_run(plan(proposer=proposer, numbers=numbers), SCHEMA)
    assert refused.value.field == field


def test_a_network_proposes_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variational, "learn_network", lambda *_: network())
    learner, source = NetworkNoiseLearner(), RandomSource.fixed(1)
    records = Records(SCHEMA, np.repeat(EVERY, 10, axis=0))
    numbers = {"records": 50_000.0, "disturbed": 1.0}
    made = learner.learn(records, Budget(1.0, 1e-9), numbers, Noise(source), source.child())
    codes = made.propose(EVERY, RandomSource.fixed(2))
    again = learner.restore(SCHEMA, made.arrays())
    assert (again.log_likelihood(EVERY, codes) == made.log_likelihood(EVERY, codes)).all()
    assert made.decode(codes, source).max() == 1
