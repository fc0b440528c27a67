from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.support import category_schema
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.carrying import ENOUGH, Carried, fit_records
from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.particles import Particles
from understudy.models.categorical import ConditionalTable
from understudy.models.views import Rows, View
from understudy.privacy.randomness import RandomSource

SCHEMA = category_schema(6, 6, 6)


def independent() -> BayesianNetwork:
    """Every value as likely as any other."""
    tables = tuple(ConditionalTable.from_probabilities(np.full((1, 6), 1 / 6)) for _ in range(3))
    return BayesianNetwork(SCHEMA, Structure.independent(3), tables)


def drawing() -> tuple[list[BayesianNetwork], Callable[[BayesianNetwork], Particles]]:
    """What was drawn from, and 5,000 records that stand for 1,000."""
    source, of = RandomSource.fixed(3), []

    def draw(network: BayesianNetwork) -> Particles:
        of.append(network)
        return Particles.of(Rows(SCHEMA, list(network.records(5_000, source))), 1_000.0)

    return of, draw


def alike(share: float) -> list[Measured]:
    """Without noise: columns that are the same for this share, and any for the rest."""
    counts = np.full((6, 6), 1_000 * (1 - share) / 36) + np.eye(6) * 1_000 * share / 6
    return [
        Measured((View(one), View(other)), counts.ravel(), 0.5)
        for one, other in ((0, 1), (1, 2), (0, 2))
    ]


def test_records_are_drawn_afresh_until_many_carry_the_weights() -> None:
    of, draw = drawing()
    network = independent()
    found = fit_records(Carried(network, draw(network)), alike(0.9), draw, least=0.1, redraws=3)
    assert found.effective[0] < ENOUGH <= found.effective[-1]
    assert found.model.effective == found.effective[-1]
    assert found.network is of[-1] is not network
    for each in alike(0.9):
        off = np.abs(found.model.counts(each.marginal) - each.counts).sum() / 2
        assert off < 20


def test_records_that_carry_the_weights_stay() -> None:
    of, draw = drawing()
    network = independent()
    found = fit_records(Carried(network, draw(network)), alike(0.05), draw, least=0.1, redraws=3)
    assert found.effective == (found.model.effective,)
    assert found.network is network
    assert len(of) == 1
