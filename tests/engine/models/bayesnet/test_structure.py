from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.as_learner import Marginals, PublishedNetwork
from understudy.models.bayesnet.network import Structure
from understudy.models.bayesnet.structure import (
    CellCap,
    StructureLearner,
    printed_count,
    published_count,
    sensitivity,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, laplace_tail
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records

SCHEMA = category_schema(4, 4, 4, 3)
WIDE = CellCap(noise=0.0, ratio=1.0, per_cell=0.001)


def copies(count: int) -> Records:
    """c1 copies c0 nine times in ten, c2 copies c1; c3 stands alone."""
    rng = np.random.default_rng(7)
    first = rng.integers(0, 4, count)
    second = np.where(rng.random(count) < 0.9, first, rng.integers(0, 4, count))
    third = np.where(rng.random(count) < 0.9, second, rng.integers(0, 4, count))
    codes = np.column_stack([first, second, third, rng.integers(0, 3, count)])
    return Records(SCHEMA, codes.astype(np.uint16))


def neighbours(structure: Structure) -> set[frozenset[int]]:
    return {frozenset(edge) for edge in structure.edges}


def test_dependence_is_found_with_and_without_noise() -> None:
    records = copies(20_000)
    for budget in (Budget.unbounded(), Budget(1.0, 1e-9)):
        learner = StructureLearner.within(SCHEMA, budget)
        learned = learner.learn(records, Noise(RandomSource.fixed(1)), WIDE)
        assert {frozenset({0, 1}), frozenset({1, 2})} <= neighbours(learned.structure)
        assert learned.correlations.child_parent.min() >= 0
        assert learned.correlations.child_parent.max() <= 1


def test_noise_alone_makes_few_edges() -> None:
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, size, 3_000) for size in (4, 4, 4, 3)])
    records = Records(SCHEMA, codes.astype(np.uint16))
    learner = StructureLearner.within(SCHEMA, Budget(0.1, 1e-9))
    found = [
        len(learner.learn(records, Noise(RandomSource.fixed(seed)), WIDE).structure.edges)
        for seed in range(40)
    ]
    assert np.mean(found) < 1


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-5])
def test_the_cost_stays_within_the_budget_and_uses_it(epsilon: float, delta: float) -> None:
    cost = StructureLearner.within(SCHEMA, Budget(epsilon, delta)).cost
    assert 0.99 * epsilon <= cost.epsilon <= epsilon * (1 + 1e-12)
    assert cost.delta <= delta


def test_un_noised_learning_promises_nothing() -> None:
    learner = StructureLearner.within(SCHEMA, Budget.unbounded())
    assert not learner.cost.bounded
    assert not learner.published_cost(187).bounded


def test_the_published_procedure_asks_for_more_entropies_than_are_printed() -> None:
    assert (published_count(11), printed_count(11)) == (187, 132)
    schema = census.schema()
    found = PublishedNetwork().published_cost(schema, Budget(1.0, 1e-9))
    assert found.corrected.epsilon > found.printed.epsilon > 1
    assert "from 132 to 187; as printed, ε = 2.037" in found.in_words
    alone = Marginals().published_cost(schema, Budget(1.0, 1e-9))
    assert alone.corrected == alone.printed
    assert "printed" not in alone.in_words


def test_a_budget_without_delta_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        StructureLearner.within(SCHEMA, Budget(1.0, 0.0))
    assert refused.value.field == "delta"


def test_the_noisy_count_hardly_ever_leads_to_too_little_noise() -> None:
    """The margin is what δ pays for: its tail must be the share of δ set aside."""
    learner = StructureLearner.within(SCHEMA, Budget(0.5, 0.01))
    scale, margin = learner.count.scale, learner.margin
    # With n + 1 records the margin has to cover one more than with n.
    assert laplace_tail(margin - 1, scale) <= learner.miss < laplace_tail(margin - 2, scale)


def test_more_noise_means_a_simpler_model() -> None:
    caps = [CellCap(noise, 1.0).cells(10_000) for noise in (0.0, 1.0, 5.0, 50.0)]
    assert caps[0] == caps[1] > caps[2] > caps[3]


class Recording(Noise):
    """Noise that remembers how much of it was asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(RandomSource.fixed(seed))
        self.spread: list[float] = []

    def integers(self, values: npt.NDArray[np.int64], scale: float) -> npt.NDArray[np.int64]:
        self.spread.append(scale)
        return super().integers(values, scale)

    def gaussians(self, values: npt.NDArray[np.int64], scale: float) -> npt.NDArray[np.int64]:
        self.spread.append(scale)
        return super().gaussians(values, scale)


@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_the_entropies_get_the_noise_that_the_smaller_neighbour_needs(delta: float) -> None:
    """Whatever the noisy count says, Δ is taken below the true n of either neighbour."""
    learner = StructureLearner.within(SCHEMA, Budget(1.0, delta))
    records = copies(2_000)
    for seed in range(60):
        noise = Recording(seed)
        learned = learner.learn(records, noise, WIDE)
        of_count, of_entropies = noise.spread
        assert of_count == learner.count.scale
        needed = learner.share.scale * sensitivity(1_999)
        assert of_entropies * 2.0**-30 >= needed
        assert of_entropies * 2.0**-30 <= 3 * needed
        assert learned.noise == pytest.approx(
            of_entropies * 2.0**-30 * learner.share.deviation / learner.share.scale
        )
