"""Private-PGM as a third-party model: noisy counts and a tree of pairs, put together by mbi.

In the manner of MST (McKenna, Miklau and Sheldon 2021), whose measurements are the counts of every
attribute and those of the pairs along a tree; each edge of the tree is chosen by the exponential
mechanism among the attributes that are left. The privacy accounting is this project's own, as in
`understudy.models.calibrated`. The estimate is that of McKenna, Sheldon and Miklau
(2019), as the package mbi makes it: it sees noisy counts and no record. A tree is a decomposable
model, so the outcome is a Bayesian network of the same law.

It serves as an example and for comparison. The calibrated model is more accurate.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NoReturn

import numpy as np

from understudy.core.arrays import FloatArray, NamedArrays
from understudy.core.extras import suggest_install
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.measurement import Measured, measure, on_simplex, total
from understudy.models.third_party.choosing import Choosing, number_of_choices, rounded_distribution
from understudy.models.third_party.claim import refusal
from understudy.models.third_party.decomposable import as_network
from understudy.models.third_party.offers import ThirdPartyModel
from understudy.models.views import Rows, View, cells
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

NAME = "private-pgm"
ALONE, TREE, PAIRS = 0.25, 0.1, 0.65
"""The shares of the budget: for single attributes, for the choice of the tree, and for pairs."""
ITERATIONS = 1000
_LEAST_DEVIATION = 1e-3
"""The deviation stated for counts without noise, so that their weight is finite."""


class PrivatePGM:
    """The learner.

    Raises:
        Refusal: mbi is not installed.
    """

    source = (
        "The accounting of Understudy, docs/models.md. The estimation, by the package mbi, sees "
        "noisy counts only."
    )
    covers = (
        "Tables that differ by one record, added or removed; the number of records is not taken "
        "as public. Noisy counts of every column, and of pairs of columns chosen by the "
        "exponential mechanism."
    )

    def __init__(self) -> None:
        if find_spec("mbi") is None:
            raise refusal(
                f"The third-party model “{NAME}” needs the package mbi, which is not installed.",
                f"Install it with: {suggest_install(NAME)}.",
            )

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        """Measure, estimate, and turn into a network; see the module."""
        found = measured_tree(records, budget, Noise(source))
        network = estimated_network(records.schema, found.tree, found.measured, found.records)
        return ThirdPartyModel(network, found.allowance.cost(budget.delta))

    def load(self, schema: Schema, arrays: NamedArrays) -> NoReturn:
        """Networks are kept as networks."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class MeasuredTree:
    """All noisy answers about the records.

    Attributes:
        tree: the pairs that were counted.
        measured: every attribute by itself, and the pairs.
        records: the noisy number of records.
        allowance: what was spent.
    """

    tree: Structure
    measured: tuple[Measured, ...]
    records: float
    allowance: Allowance


def measured_tree(records: Records, budget: Budget, noise: Noise) -> MeasuredTree:
    """Count every attribute, choose a tree of pairs, and count those."""
    # Pairs are counted over full codes, not over buckets.
    schema = records.schema.refined([True] * len(records.schema))
    rows = Rows(schema, Rows.of(records).columns)
    many = len(schema)
    allowance = Allowance.of(budget, 2 * many)
    singles = [(View(place),) for place in range(many)]
    alone = measure(rows, singles, schema.cardinalities.tolist(), allowance.part(ALONE), noise)
    known = total(alone)
    tree = Choosing(
        rows=rows,
        distributions=[rounded_distribution(on_simplex(each.counts, known)) for each in alone],
        records=known,
        deviation=allowance.part(PAIRS / many).deviation,
        each=allowance.part(TREE / number_of_choices(many)),
        noise=noise,
    ).structure()
    marginals = [tuple(map(View, edge)) for edge in tree.edges]
    within = [cells(schema, each) for each in marginals]
    pairs = measure(rows, marginals, within, allowance.part(PAIRS), noise)
    return MeasuredTree(tree, (*alone, *pairs), known, allowance)


def estimated_network(
    schema: Schema, tree: Structure, measured: tuple[Measured, ...], known: float
) -> BayesianNetwork:
    """Return the network of the maximum-entropy graphical model fitted to the measurements.

    Args:
        schema: the attributes.
        tree: which pairs were measured.
        measured: noisy counts over attributes in full.
        known: the noisy number of records.
    """
    with _double_precision():
        model = graphical_model(schema.cardinalities.tolist(), measured, known)

        def marginal(attributes: tuple[int, ...]) -> FloatArray:
            named = tuple(map(str, attributes))
            table = model.project(named).transpose(named).datavector(flatten=False)
            return np.maximum(np.asarray(table, dtype=np.float64), 0.0)

        return as_network(schema, tree.edges, marginal)


def graphical_model(sizes: list[int], measured: tuple[Measured, ...], known: float) -> Any:
    """Return the estimate of mbi from the measurements, over attributes named “0”, “1”, …"""
    from mbi import Domain, estimation, marginal_loss

    told = [
        marginal_loss.LinearMeasurement(
            each.counts,
            tuple(str(view.attribute) for view in each.marginal),
            stddev=max(each.deviation, _LEAST_DEVIATION),
        )
        for each in measured
    ]
    domain = Domain([str(place) for place in range(len(sizes))], sizes)
    return estimation.MirrorDescent().estimate(domain, told, known_total=known, iters=ITERATIONS)


@contextmanager
def _double_precision() -> Iterator[None]:
    """Provide a context in which jax computes in double precision, which large tables need."""
    # Imported here, as it takes seconds that other commands should not wait.
    import jax

    with jax.enable_x64(True), warnings.catch_warnings():
        # mbi warns about settings of jax on import, which do not apply here.
        warnings.simplefilter("ignore", UserWarning)
        yield
