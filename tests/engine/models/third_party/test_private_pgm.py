"""The example of a third-party model: what it asks of the records; its law is that of mbi."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.support import category_schema, random_network
from understudy.core.extras import suggest_install
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.measurement import Measured, measure
from understudy.models.third_party import private_pgm
from understudy.models.third_party.choosing import number_of_choices
from understudy.models.third_party.offers import third_party_model
from understudy.models.third_party.private_pgm import (
    ALONE,
    PAIRS,
    TREE,
    PrivatePGM,
    estimated_network,
)
from understudy.models.views import Rows, View
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

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
        seen: list[tuple[Structure, tuple[Measured, ...]]] = []
        chosen: list[tuple[float, bool]] = []
        best = Noise.best

        def watched(self: Noise, scores: Any, scale: float, *, concentrated: bool) -> int:
            chosen.append((scale, concentrated))
            return best(self, scores, scale, concentrated=concentrated)

        def instead(_: Any, tree: Structure, measured: Any, __: float) -> BayesianNetwork:
            seen.append((tree, measured))
            return random_network(SCHEMA, tree, np.random.default_rng(1))

        monkeypatch.setattr(Noise, "best", watched)
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


def noisy() -> tuple[Measured, ...]:
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
