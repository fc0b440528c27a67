"""A graphical model turned into a network says the same of every record."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import World, category_schema, random_network, worlds
from understudy.core.extras import suggest_install
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.measurement import MeasuredMarginal, measure
from understudy.models.third_party import private_pgm
from understudy.models.third_party.offers import third_party_model
from understudy.models.third_party.private_pgm import (
    ALONE,
    GRID,
    PAIRS,
    TREE,
    Choosing,
    PrivatePGM,
    as_network,
    directed_graph,
    estimated_network,
    family,
    most_family_cells,
    number_of_choices,
    rounded_distribution,
)
from understudy.models.views import Rows, View, cells
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

Reals = npt.NDArray[np.float64]


def joint(sizes: list[int], together: list[tuple[int, ...]], seed: int) -> Reals:
    """The law in proportion to a product of factors, some of whose cells are 0."""
    rng = np.random.default_rng(seed)
    law = np.ones(sizes)
    for each in together:
        sides = [sizes[place] if place in each else 1 for place in range(len(sizes))]
        law = law * np.maximum(rng.gamma(0.5, size=sides) * (rng.random(sides) > 0.15), 0.0)
    if law.sum() == 0:
        law.flat[0] = 1.0
    return np.asarray(law / law.sum())


def marginals_of(law: Reals) -> private_pgm.Marginals:
    def marginal(attributes: tuple[int, ...]) -> Reals:
        others = tuple(set(range(law.ndim)) - set(attributes))
        kept = sorted(attributes)
        return np.asarray(law.sum(axis=others)).transpose([kept.index(each) for each in attributes])

    return marginal


def enumerated(network: BayesianNetwork, sizes: list[int]) -> Reals:
    """The probability that the network gives to every record there is."""
    every = np.array(list(itertools.product(*map(range, sizes))), dtype=np.uint16)
    logs = sum(network.log_likelihood(each, list(every.T)) for each in network.order)
    return np.exp(logs).reshape(sizes)


GRAPHS = {
    "a tree": [(0, 1), (1, 2), (1, 3), (3, 4)],
    "nothing": [],
    "two triangles": [(0, 1, 2), (2, 3, 4)],
    "a ring, which has to be joined across": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)],
    "a triangle of pairs": [(0, 1), (1, 2), (0, 2), (3, 4)],
    "everything": [(0, 1, 2, 3, 4)],
}


@settings(max_examples=12, deadline=None)
@pytest.mark.parametrize("together", GRAPHS.values(), ids=GRAPHS)
@given(sizes=st.lists(st.integers(1, 3), min_size=5, max_size=5), seed=st.integers(0, 2**32 - 1))
def test_the_law_is_the_same(together: list[tuple[int, ...]], sizes: list[int], seed: int) -> None:
    law = joint(sizes, together, seed)
    network = as_network(category_schema(*sizes), together, marginals_of(law))
    assert enumerated(network, sizes) == pytest.approx(law, abs=1e-12)


def test_the_law_is_the_same_past_the_buckets() -> None:
    """Parents are seen in full, whatever buckets the schema gives them."""
    sizes = [4, 4, 3]
    law = joint(sizes, [(0, 1), (1, 2)], 3)
    schema = category_schema(*sizes, halves=frozenset({0, 1}))
    network = as_network(schema, [(0, 1), (1, 2)], marginals_of(law))
    assert enumerated(network, sizes) == pytest.approx(law, abs=1e-12)


@given(st.integers(3, 9), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_nothing_is_joined_where_the_graph_is_chordal(many: int, width: int, seed: int) -> None:
    """Of a random k-tree, every family is within one of its cliques."""
    rng = np.random.default_rng(seed)
    cliques = [tuple(range(min(width + 1, many)))]
    for new in range(len(cliques[0]), many):
        base = cliques[rng.integers(len(cliques))]
        kept = rng.permutation(base)[:width]
        cliques.append((*(int(each) for each in kept), new))
    sizes = rng.integers(2, 9, many).tolist()
    structure = directed_graph(sizes, cliques)
    for child, parents in enumerate(structure.parents):
        assert any({child, *parents} <= set(each) for each in cliques)
    assert structure.order[0] == sizes.index(min(sizes))


def test_a_marginal_that_is_none_is_refused() -> None:
    schema = category_schema(2, 3)
    spoiled = (np.ones((3, 2)), np.array([[1.0, -1, 1]] * 2), np.full((2, 3), np.nan))
    for table in spoiled:
        with pytest.raises(Refusal, match="“c0”, “c1” is none for this schema") as refused:
            as_network(schema, [(0, 1)], lambda of, t=table: t if len(of) == 2 else np.ones(2))
        assert refused.value.field == "model"


def test_tables_that_fit_nowhere_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_pgm, "MOST_CELLS", 7)
    with pytest.raises(Refusal, match="would have 8 cells, and 7 are the most"):
        as_network(category_schema(2, 3), [(0, 1)], lambda _: np.ones((2, 3)))


FREE = Allowance(0.0, "none")


def choosing(rows: Rows, deviation: float = 0.0, records: float | None = None) -> Choosing:
    return Choosing(
        rows,
        distributions=[
            rounded_distribution(np.bincount(column, minlength=size).astype(float) + 1e-9)
            for column, size in zip(rows.columns, rows.schema.cardinalities.tolist(), strict=True)
        ],
        records=float(len(rows)) if records is None else records,
        deviation=deviation,
        each=FREE,
        noise=Noise(RandomSource.fixed(1)),
    )


@settings(max_examples=40, deadline=None)
@given(worlds(most_columns=4), st.data())
def test_a_score_is_what_its_sum_says(world: World, data: st.DataObject) -> None:
    rows = Rows.of(world.records)
    schema = rows.schema
    child = data.draw(st.integers(0, len(schema) - 1))
    others = [each for each in range(len(schema)) if each != child]
    parents = tuple(sorted(data.draw(st.sets(st.sampled_from(others), min_size=1, max_size=2))))
    asked = choosing(rows)
    weights = asked.distributions[child]
    groups: dict[tuple[int, ...], list[int]] = {}
    for record in world.records.codes.tolist():
        key = tuple(int(schema.columns[each].bucket_map[record[each]]) for each in parents)
        groups.setdefault(key, [0] * len(weights))[record[child]] += 1
    total = sum(
        abs(GRID * count - int(weight) * sum(counts))
        for counts in groups.values()
        for count, weight in zip(counts, weights, strict=True)
    )
    assert asked.score(child, parents) == total


def test_a_score_is_the_records_that_would_have_to_change() -> None:
    """A column that repeats another: half of the records of two even values."""
    first = np.repeat([0, 1], 50).astype(np.uint16)
    rows = Rows(category_schema(2, 2), [first, first])
    assert choosing(rows).score(1, (0,)) == pytest.approx(2 * GRID * 50, rel=1e-6)
    even = Rows(category_schema(2, 2), [first, np.tile([0, 1], 50).astype(np.uint16)])
    assert choosing(even).score(1, (0,)) == pytest.approx(0, abs=1e3)


def test_what_depends_is_found_and_what_does_not_stands_alone() -> None:
    rng = np.random.default_rng(2)
    first, noise, more = (rng.integers(0, size, 3_000) for size in (2, 3, 3))
    columns = [first, noise, (first + (more == 0)) % 2 + 2 * first, noise * 2 + first]
    rows = Rows(category_schema(2, 3, 4, 6), [each.astype(np.uint16) for each in columns])
    structure = choosing(rows, deviation=2.0).structure()
    assert structure.order[0] == 0
    undirected = {frozenset(each) for each in structure.edges}
    assert {frozenset(each) for each in ((0, 2), (0, 3), (1, 3))} <= undirected
    assert frozenset({0, 1}) not in undirected


def plainly(asked: Choosing) -> tuple[dict[int, tuple[int, ...]], list[int]]:
    """The choices one after another, each family scored by itself."""
    schema = asked.rows.schema

    def worth(child: int, parents: tuple[int, ...]) -> int:
        if not parents:
            return 0
        size = cells(schema, family(schema, child, parents))
        made_up = size * asked.deviation + np.sqrt(asked.records * size)
        return asked.score(child, parents) - round(GRID * HALF_NORMAL * made_up)

    def fits(child: int, parents: tuple[int, ...]) -> bool:
        size = cells(schema, family(schema, child, parents))
        return size <= most_family_cells(asked.records, asked.deviation)

    order = [int(np.argmin(schema.cardinalities))]
    found: dict[int, tuple[int, ...]] = {order[0]: ()}
    while len(order) < len(schema):
        left = [each for each in range(len(schema)) if each not in order]
        firsts = [(child, each) for child in left for each in ((), *((one,) for one in order))]
        child, chosen = max((each for each in firsts if fits(*each)), key=lambda each: worth(*each))
        found[child] = chosen
        order.append(child)
    return found, order


@pytest.mark.parametrize("deviation", [0.0, 4.0, 60.0])
def test_the_structure_is_that_of_a_plain_search(deviation: float) -> None:
    rng = np.random.default_rng(4)
    sizes = (5, 2, 3, 6, 4)
    columns = [rng.integers(0, size, 2_000) for size in sizes]
    columns[3] = (columns[1] + columns[2] + (rng.random(2_000) < 0.2)) % 6
    columns[0] = (columns[3] + columns[1] * (rng.random(2_000) < 0.6)) % 5
    schema = category_schema(*sizes, halves=frozenset({3}))
    rows = Rows(schema, [each.astype(np.uint16) for each in columns])
    asked = choosing(rows, deviation)
    structure = asked.structure()
    parents, order = plainly(choosing(rows, deviation))
    assert structure.order == tuple(order)
    assert structure.parents == tuple(parents[each] for each in range(len(sizes)))
    assert deviation > 4 or structure.edges


@pytest.mark.parametrize("deviation", [0.0, 3.0, 1e6])
def test_choices_are_no_more_than_are_paid_for(deviation: float) -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 400)
    columns = [(first + rng.integers(0, 2, 400)) % 2 for _ in range(6)]
    rows = Rows(category_schema(*[2] * 6), [each.astype(np.uint16) for each in columns])
    made: list[int] = []

    class Counting(Allowance):
        def choose_best(self, scores: np.ndarray, sensitivity: int, noise: Noise) -> int:
            made.append(len(scores))
            return int(np.argmax(scores))

    asked = choosing(rows, deviation)
    object.__setattr__(asked, "each", Counting(0.0, "none"))
    structure = asked.structure()
    assert len(made) == number_of_choices(6) == 5
    assert max(len(each) for each in structure.parents) <= 1
    if deviation > 1e5:
        assert structure.edges == ()


def test_a_family_sees_parents_through_their_buckets_and_the_child_in_full() -> None:
    schema = category_schema(4, 3, halves=frozenset({0}))
    assert family(schema, 1, (0,)) == (View(0, level=1), View(1))
    assert family(schema, 0, (1,)) == (View(1), View(0))


def test_the_most_cells_fall_with_noise() -> None:
    assert most_family_cells(1_000, 10.0) == 400
    assert most_family_cells(1_000, 0.0) == 4_000
    assert most_family_cells(1e12, 1.0) == 1 << 22
    assert [number_of_choices(each) for each in (1, 2, 5)] == [1, 1, 4]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8))
def test_rounded_distributions_sum_to_the_grid(values: list[float]) -> None:
    counts = np.array(values) + 1e-6
    found = rounded_distribution(counts)
    assert found.sum() == GRID
    assert (found >= 0).all()
    assert np.abs(found / GRID - counts / counts.sum()).max() <= len(values) / GRID


SIZES = (3, 4, 2, 5)
SCHEMA = category_schema(*SIZES, halves=frozenset({1, 3}))
with_mbi = pytest.mark.skipif(
    find_spec("mbi") is None, reason="mbi is not installed: pip install '.[private-pgm]'"
)


def records(count: int = 4000) -> Records:
    """c3 follows from c1, and c1 depends on c0; c2 stands by itself."""
    rng = np.random.default_rng(8)
    first = rng.integers(0, 3, count)
    second = np.where(rng.random(count) < 0.8, first, rng.integers(0, 4, count))
    columns = [first, second, rng.integers(0, 2, count), second]
    return Records(SCHEMA, np.column_stack(columns).astype(np.uint16))


def test_without_mbi_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_pgm, "find_spec", lambda _: None)
    with pytest.raises(Refusal, match="needs the package mbi") as caught:
        PrivatePGM()
    assert suggest_install("private-pgm") in caught.value.remedy


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Budget], tuple[Any, ...]]:
    """What is measured under a budget, and what is declared; nothing is estimated."""
    monkeypatch.setattr(private_pgm, "find_spec", lambda _: object())

    def learned(budget: Budget) -> tuple[Any, ...]:
        seen: list[tuple[Structure, tuple[MeasuredMarginal, ...]]] = []
        chosen: list[tuple[float, bool]] = []
        best = Noise.choose_best

        def watched(self: Noise, scores: Any, scale: float, *, concentrated: bool) -> int:
            chosen.append((scale, concentrated))
            return best(self, scores, scale, concentrated=concentrated)

        def instead(_: Any, tree: Structure, measured: Any, __: float) -> BayesianNetwork:
            seen.append((tree, measured))
            return random_network(SCHEMA, tree, np.random.default_rng(1))

        monkeypatch.setattr(Noise, "choose_best", watched)
        monkeypatch.setattr(private_pgm, "estimated_network", instead)
        made = PrivatePGM().learn(records(), budget, RandomSource.fixed(6))
        (only,) = seen
        return made.guarantee, *only, chosen

    return learned


@pytest.mark.parametrize("budget", [Budget(2.0), Budget(1.0, 1e-9)], ids=["pure", "with δ"])
def test_its_parts_cost_no_more_than_it_declares(
    budget: Budget, asked: Callable[[Budget], tuple[Any, ...]]
) -> None:
    """Table by table and choice by choice, from the noise that each got."""
    guarantee, _, measured, chosen = asked(budget)
    assert guarantee.epsilon <= budget.epsilon * (1 + 1e-12)
    assert guarantee.delta <= budget.delta
    whole = Allowance.of(budget, 2 * len(SIZES))
    assert 1 <= len(chosen) <= number_of_choices(len(SIZES))
    sensitivity = 2 * (1 << 20)
    if whole.currency == "epsilon":
        # √2/ε is the deviation of continuous Laplace noise; that of whole-numbered is less.
        tables = sum(math.sqrt(2) / each.deviation for each in measured)
        picks = sum(2 * sensitivity / scale for scale, _ in chosen)
        assert tables >= (ALONE + PAIRS) * whole.amount
        tables = sum(_pure(each.deviation) for each in measured)
    else:
        tables = sum(1 / (2 * each.deviation**2) for each in measured)
        picks = sum(sensitivity**2 / (2 * scale**2) for scale, _ in chosen)
    assert all(concentrated == (whole.currency == "rho") for _, concentrated in chosen)
    assert tables == pytest.approx((ALONE + PAIRS) * whole.amount)
    assert picks <= TREE * whole.amount * (1 + 1e-9)
    assert math.isclose(ALONE + TREE + PAIRS, 1.0)


def _pure(deviation: float) -> float:
    """The ε of whole-numbered Laplace noise: σ² = 2a/(1 − a)², a = e^−ε."""
    return math.acosh(1 + 1 / deviation**2)


def test_it_measures_every_column_and_a_tree_of_pairs_in_full(
    asked: Callable[[Budget], tuple[Any, ...]],
) -> None:
    guarantee, tree, measured, _ = asked(Budget.unbounded())
    assert not guarantee.bounded
    assert all(len(parents) <= 1 for parents in tree.parents)
    assert {frozenset(edge) for edge in tree.edges} >= {frozenset({0, 1}), frozenset({1, 3})}
    singles, pairs = measured[: len(SIZES)], measured[len(SIZES) :]
    assert [each.marginal for each in singles] == [(View(place),) for place in range(len(SIZES))]
    assert [each.marginal for each in pairs] == [tuple(map(View, edge)) for edge in tree.edges]
    assert all(each.counts.sum() == len(records()) for each in measured)


def law(network: BayesianNetwork) -> npt.NDArray[np.float64]:
    every = np.array(list(itertools.product(*map(range, SIZES))), dtype=np.uint16)
    logs = sum(network.log_likelihood(each, list(every.T)) for each in network.order)
    return np.exp(logs).reshape(SIZES)


TREE_OF_PAIRS = Structure(((), (0,), (), (1,)), (0, 1, 2, 3))


def noisy() -> tuple[MeasuredMarginal, ...]:
    """Measurements that contradict one another."""
    marginals = [(View(place),) for place in range(len(SIZES))]
    marginals += [(View(0), View(1)), (View(1), View(3))]
    rows = Rows.of(records(500))
    cells = [math.prod(SIZES[view.attribute] for view in each) for each in marginals]
    return measure(rows, marginals, cells, Allowance(0.5, "epsilon"), Noise(RandomSource.fixed(2)))


@with_mbi
def test_the_network_is_the_graphical_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record has the probability that mbi itself works out."""
    models = []
    graphical_model = private_pgm.graphical_model

    def watched(*arguments: Any) -> Any:
        models.append(graphical_model(*arguments))
        joint = models[0].project(("0", "1", "2", "3")).transpose(("0", "1", "2", "3"))
        models.append(np.asarray(joint.datavector(flatten=False), dtype=np.float64))
        return models[0]

    monkeypatch.setattr(private_pgm, "graphical_model", watched)
    network = estimated_network(SCHEMA, TREE_OF_PAIRS, noisy(), 500.0)
    joint = models[1] / models[1].sum()
    assert law(network) == pytest.approx(joint, abs=1e-9)
    assert joint.max() < 0.5


@with_mbi
def test_without_noise_it_is_the_tree_of_the_records() -> None:
    """The maximum-likelihood law of a tree is the product of its pairs over its columns."""
    made = third_party_model("private-pgm").learner.learn(
        records(), Budget.unbounded(), RandomSource.fixed(1)
    )
    assert isinstance(made.model, BayesianNetwork)
    counts = np.zeros(SIZES)
    np.add.at(counts, tuple(records().codes.T.astype(int)), 1.0)
    found = law(made.model)
    for one, other in itertools.combinations((0, 1, 3), 2):
        others = tuple({0, 1, 2, 3} - {one, other})
        assert found.sum(axis=others) == pytest.approx(
            counts.sum(axis=others) / counts.sum(), abs=0.01
        )
