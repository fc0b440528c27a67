"""Cases that break a claim if a condition of it is dropped."""

from __future__ import annotations

import numpy as np

from tests.engine.assurance.seedbased.holding import holds
from understudy.assurance import attempt
from understudy.assurance.attempt import pairs, worst
from understudy.assurance.seedbased import mutants


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
