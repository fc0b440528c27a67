"""A graphical model turned into a network says the same of every record."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.third_party import private_pgm as decomposable
from understudy.models.third_party.private_pgm import as_network, directed_graph

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


def marginals_of(law: Reals) -> decomposable.Marginals:
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
    monkeypatch.setattr(decomposable, "MOST_CELLS", 7)
    with pytest.raises(Refusal, match="would have 8 cells, and 7 are the most"):
        as_network(category_schema(2, 3), [(0, 1)], lambda _: np.ones((2, 3)))
