from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, kstest

from tests.support import category_schema, uniform_records
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.as_learner import Marginals, PublishedNetwork
from understudy.models.bayesnet.network import Structure
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.bayesnet.structure import (
    CellCap,
    Correlations,
    CostCap,
    StructureLearner,
    Views,
    entropies,
    entropy_sensitivity,
    merit,
    order_query,
    printed_count,
    published_count,
    select,
)
from understudy.models.views import View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, laplace_tail
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every histogram of `total` records, as sorted counts."""
    if total == 0:
        yield ()
        return
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def bits(counts: tuple[int, ...]) -> float:
    total = sum(counts)
    return -sum(each / total * math.log2(each / total) for each in counts if each)


def test_no_histogram_moves_further_than_the_sensitivity() -> None:
    furthest = 0.0
    for size in range(1, 13):
        for counts in partitions(size, size):
            for place in range(len(counts) + 1):
                grown = [*counts, 0]
                grown[place] += 1
                change = abs(bits(tuple(grown)) - bits(counts))
                assert change <= entropy_sensitivity(size) + 1e-12
                furthest = max(furthest, change / entropy_sensitivity(size))
    assert furthest > 0.5


def test_a_lower_bound_on_n_may_stand_in_for_n() -> None:
    values = [entropy_sensitivity(size) for size in range(1, 500)]
    assert values == sorted(values, reverse=True)


@given(st.integers(0, 2**31), st.integers(1, 60))
def test_entropies_are_those_of_the_definition(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    schema = category_schema(4, 3, 5, halves=frozenset({0, 2}))
    codes = np.column_stack([rng.integers(0, size, count) for size in (4, 3, 5)])
    records = Records(schema, codes.astype(np.uint16))
    views = Views.of(schema)
    for query, value in entropies(records, (*views.single(), *views.pairs())).items():
        cells: dict[tuple[int, ...], int] = {}
        for row in codes.tolist():
            cell = tuple(
                int(schema.columns[view.attribute].bucket_map[row[view.attribute]])
                if view.level
                else row[view.attribute]
                for view in query
            )
            cells[cell] = cells.get(cell, 0) + 1
        assert value == pytest.approx(bits(tuple(cells.values())), abs=1e-9)


def test_nothing_is_asked_twice_and_everything_used_is_asked() -> None:
    views = Views.of(category_schema(4, 3, 5, halves=frozenset({0, 2})))
    asked = (*views.single(), *views.pairs())
    assert len(set(asked)) == len(asked)
    assert (View(1),) in asked
    assert (View(0),) in asked
    assert (View(0, True),) in asked
    for child in range(3):
        for parent in range(3):
            if child != parent:
                assert order_query(views.full[child], views.parent[parent]) in asked
                assert order_query(views.parent[child], views.parent[parent]) in asked


def test_without_buckets_half_of_the_published_queries_remain() -> None:
    views = Views.of(category_schema(2, 3, 4))
    assert len(views.single()) + len(views.pairs()) == 3 + 3
    assert published_count(11) == 187
    assert published_count(12) == 222


def test_a_wide_pair_is_counted_without_its_table() -> None:
    schema = category_schema(1000, 1000, 2)
    codes = np.array([[0, 0, 0], [999, 999, 1], [999, 999, 1]], dtype=np.uint16)
    query = order_query(View(0), View(1))
    assert entropies(Records(schema, codes), (query,))[query] == pytest.approx(bits((1, 2)))


def random_correlations(seed: int, attributes: int) -> Correlations:
    rng = np.random.default_rng(seed)
    parents = rng.random((attributes, attributes))
    return Correlations(rng.random((attributes, attributes)), (parents + parents.T) / 2)


def test_merit_is_the_published_score() -> None:
    child_parent = np.array([[0, 0.4, 0.6], [0, 0, 0], [0, 0, 0]])
    parents = np.array([[1, 0, 0], [0, 1, 0.25], [0, 0.25, 1]])
    correlations = Correlations(child_parent, parents)
    assert merit(correlations, 0, ()) == 0
    assert merit(correlations, 0, (1,)) == pytest.approx(0.4)
    assert merit(correlations, 0, (1, 2)) == pytest.approx(1.0 / math.sqrt(2 + 2 * 0.25))


@given(st.integers(0, 2**31), st.integers(2, 7), st.floats(4, 500))
def test_the_choice_is_acyclic_under_the_cap_and_cannot_be_bettered_by_an_edge(
    seed: int, attributes: int, most_cells: float
) -> None:
    correlations = random_correlations(seed, attributes)
    rng = np.random.default_rng(seed)
    cap = CostCap(rng.integers(2, 9, attributes), rng.integers(2, 5, attributes), most_cells)
    structure = select(correlations, cap)
    place = {attribute: at for at, attribute in enumerate(structure.order)}
    for child, parents in enumerate(structure.parents):
        assert not parents or cap.allows(child, parents)
        for parent in range(attributes):
            if parent == child or parent in parents or not cap.allows(child, (*parents, parent)):
                continue
            if _reaches(structure.parents, child, parent):
                continue
            more = merit(correlations, child, (*parents, parent))
            assert more <= merit(correlations, child, parents)
    assert len(place) == attributes


def _reaches(parents: tuple[tuple[int, ...], ...], start: int, goal: int) -> bool:
    """Whether `start` is an ancestor of `goal`, so that the edge goal → start closes a cycle."""
    return goal == start or any(_reaches(parents, start, each) for each in parents[goal])


def test_no_correlation_no_edges() -> None:
    none = Correlations(np.zeros((4, 4)), np.eye(4))
    cap = CostCap(np.full(4, 3), np.full(4, 3), 1e9)
    assert select(none, cap).edges == ()


def test_a_cap_below_every_pair_leaves_the_marginals() -> None:
    cap = CostCap(np.full(4, 3), np.full(4, 3), 8)
    assert select(random_correlations(1, 4), cap).edges == ()


def test_among_equals_the_coarsest_attribute_comes_first() -> None:
    none = Correlations(np.zeros((4, 4)), np.eye(4))
    cap = CostCap(np.array([80, 2, 5, 2]), np.full(4, 2), 1e9)
    assert select(none, cap).order == (1, 3, 2, 0)


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
    records = uniform_records(SCHEMA, 3_000, 3)
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
        needed = learner.share.scale * entropy_sensitivity(1_999)
        assert of_entropies * 2.0**-30 >= needed
        assert of_entropies * 2.0**-30 <= 3 * needed
        assert learned.noise == pytest.approx(
            of_entropies * 2.0**-30 * learner.share.deviation / learner.share.scale
        )


PARAMETERS_SCHEMA = category_schema(4, 3, halves=frozenset({0}))
STRUCTURE = Structure.of([(), (0,)])
CODES = np.array([[0, 0], [1, 0], [1, 2], [3, 1], [2, 1], [3, 1]], dtype=np.uint16)


def test_the_posterior_mean_is_counts_and_prior() -> None:
    learner = ParameterLearner.within(PARAMETERS_SCHEMA, Budget.unbounded())
    network = learner.learn(
        Records(PARAMETERS_SCHEMA, CODES), STRUCTURE, Noise(RandomSource.fixed(1))
    )
    counts = np.array([[2, 0, 1], [0, 3, 0]])
    expected = (counts + 1 / 3) / (counts.sum(axis=1, keepdims=True) + 1)
    assert network.tables[1].probabilities == pytest.approx(expected, abs=1e-12)
    assert network.tables[0].probabilities[0] == pytest.approx(
        (np.array([1, 2, 1, 2]) + 0.25) / 7, abs=1e-12
    )


def test_every_cell_is_noised_the_empty_ones_too() -> None:
    learner = ParameterLearner.within(PARAMETERS_SCHEMA, Budget(0.05, 1e-9))
    one = Records(PARAMETERS_SCHEMA, CODES[:1])
    seen = np.zeros((2, 3), dtype=bool)
    for seed in range(30):
        network = learner.learn(one, STRUCTURE, Noise(RandomSource.fixed(seed)))
        seen |= network.tables[1].probabilities > 1 / 3 + 1e-6
    assert seen.all()


def test_the_noise_has_the_scale_that_is_paid_for() -> None:
    learner = ParameterLearner.within(PARAMETERS_SCHEMA, Budget(1.0, 1e-9))
    assert learner.share.composed_by == "sequential"
    assert learner.share.scale == 2.0
    assert learner.cost == Budget(1.0, 0.0)


def test_a_sampled_posterior_follows_the_dirichlet() -> None:
    learner = ParameterLearner.within(PARAMETERS_SCHEMA, Budget.unbounded())
    records = Records(PARAMETERS_SCHEMA, CODES)
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
    learner = ParameterLearner.within(PARAMETERS_SCHEMA, budget)
    records = Records(PARAMETERS_SCHEMA, CODES)
    network, told = learner.learn_and_tell(records, STRUCTURE, Noise(RandomSource.fixed(1)))
    for table, noisy in zip(network.tables, told, strict=True):
        counts = noisy.counts.reshape(table.configurations, -1)
        counts = np.maximum(0, counts) + 1 / table.cardinality
        assert table.probabilities == pytest.approx(counts / counts.sum(axis=1, keepdims=True))
        assert noisy.scale == learner.share.scale
        assert noisy.law == ("gaussian" if learner.share.gaussian else "geometric")
    assert [len(each.marginal) for each in told] == [1, 2]
    assert (
        ParameterLearner.within(PARAMETERS_SCHEMA, Budget.unbounded()).learn_and_tell(
            records, STRUCTURE, Noise(RandomSource.fixed(1))
        )[1]
        == ()
    )


def test_the_marginals_have_no_edges() -> None:
    learner = ParameterLearner.within(PARAMETERS_SCHEMA, Budget.unbounded())
    network = learn_marginals(
        Records(PARAMETERS_SCHEMA, CODES), learner, Noise(RandomSource.fixed(1))
    )
    assert network.structure.edges == ()
    assert [table.configurations for table in network.tables] == [1, 1]
