from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, kstest

from tests.support import category_schema
from understudy.models.bayesnet.network import Structure
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

SCHEMA = category_schema(4, 3, halves=frozenset({0}))
STRUCTURE = Structure.of([(), (0,)])
CODES = np.array([[0, 0], [1, 0], [1, 2], [3, 1], [2, 1], [3, 1]], dtype=np.uint16)


def test_the_posterior_mean_is_counts_and_prior() -> None:
    learner = ParameterLearner.within(SCHEMA, Budget.unbounded())
    network = learner.learn(Records(SCHEMA, CODES), STRUCTURE, Noise(RandomSource.fixed(1)))
    counts = np.array([[2, 0, 1], [0, 3, 0]])
    expected = (counts + 1 / 3) / (counts.sum(axis=1, keepdims=True) + 1)
    assert network.tables[1].probabilities == pytest.approx(expected, abs=1e-12)
    assert network.tables[0].probabilities[0] == pytest.approx(
        (np.array([1, 2, 1, 2]) + 0.25) / 7, abs=1e-12
    )


def test_every_cell_is_noised_the_empty_ones_too() -> None:
    learner = ParameterLearner.within(SCHEMA, Budget(0.05, 1e-9))
    one = Records(SCHEMA, CODES[:1])
    seen = np.zeros((2, 3), dtype=bool)
    for seed in range(30):
        network = learner.learn(one, STRUCTURE, Noise(RandomSource.fixed(seed)))
        seen |= network.tables[1].probabilities > 1 / 3 + 1e-6
    assert seen.all()


def test_the_noise_has_the_scale_that_is_paid_for() -> None:
    learner = ParameterLearner.within(SCHEMA, Budget(1.0, 1e-9))
    assert learner.share.composed_by == "sequential"
    assert learner.share.scale == 2.0
    assert learner.cost == Budget(1.0, 0.0)


def test_a_sampled_posterior_follows_the_dirichlet() -> None:
    learner = ParameterLearner.within(SCHEMA, Budget.unbounded())
    records = Records(SCHEMA, CODES)
    source = RandomSource.fixed(8)
    drawn = [
        learner.learn(records, STRUCTURE, Noise(source), estimate="sampled", source=source)
        .tables[1]
        .probabilities[1]
        for _ in range(800)
    ]
    first = np.array(drawn)[:, 1]
    assert kstest(first, beta(3 + 1 / 3, 2 / 3).cdf).pvalue > 1e-4
    assert np.array(drawn).sum(axis=1) == pytest.approx(np.ones(800))


@pytest.mark.parametrize("budget", [Budget(1.0), Budget(0.5, 1e-9)], ids=str)
def test_what_the_tables_are_made_of_is_told(budget: Budget) -> None:
    learner = ParameterLearner.within(SCHEMA, budget)
    records = Records(SCHEMA, CODES)
    network, told = learner.learn_and_tell(records, STRUCTURE, Noise(RandomSource.fixed(1)))
    for table, noisy in zip(network.tables, told, strict=True):
        counts = noisy.counts.reshape(table.configurations, -1)
        counts = np.maximum(0, counts) + 1 / table.cardinality
        assert table.probabilities == pytest.approx(counts / counts.sum(axis=1, keepdims=True))
        assert noisy.scale == learner.share.scale
        assert noisy.law == ("gaussian" if learner.share.gaussian else "geometric")
    assert [len(each.marginal) for each in told] == [1, 2]
    assert (
        ParameterLearner.within(SCHEMA, Budget.unbounded()).learn_and_tell(
            records, STRUCTURE, Noise(RandomSource.fixed(1))
        )[1]
        == ()
    )


def test_the_marginals_have_no_edges() -> None:
    learner = ParameterLearner.within(SCHEMA, Budget.unbounded())
    network = learn_marginals(Records(SCHEMA, CODES), learner, Noise(RandomSource.fixed(1)))
    assert network.structure.edges == ()
    assert [table.configurations for table in network.tables] == [1, 1]
