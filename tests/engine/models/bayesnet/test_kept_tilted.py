"""Kept attributes of a network with tilts: only records that keep nothing, and are known to, are
drawn by them; whatever a test reasons about is what the tables say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import View
from understudy.privacy.randomness import RandomSource

SCHEMA = category_schema(2, 2)
MANY = 20_000


def network(tilted: bool = True) -> BayesianNetwork:
    """Two fair coins; the tilts leave those that agree, and hardly any other."""
    fair = ConditionalTable.from_probabilities(np.full((1, 2), 0.5))
    logs = np.where(np.eye(2, dtype=bool).ravel(), np.log(1.98), np.log(0.02))
    tilts = Tilts(SCHEMA, (Tilt((View(0), View(1)), logs),), 0.0)
    return BayesianNetwork(SCHEMA, Structure.of([(), ()]), (fair, fair), tilts if tilted else None)


def proposed(omega: Omega, omegas: np.ndarray, *, tilted: bool = True) -> np.ndarray:
    seeds = np.zeros((2, len(omegas)), dtype=np.uint16)
    return KeptAttributes(network(tilted), omega).propose(seeds, omegas, RandomSource.fixed(1))


def agreeing(candidates: np.ndarray) -> float:
    return float((candidates[0] == candidates[1]).mean())


@pytest.mark.parametrize(
    "omega",
    [Omega(low=2, high=2), Omega(low=1, high=2, reading="announced")],
    ids=["fixed", "announced"],
)
def test_records_known_to_keep_nothing_are_tilted(omega: Omega) -> None:
    assert agreeing(proposed(omega, np.full(MANY, 2))) > 0.97
    assert agreeing(proposed(omega, np.full(MANY, 2), tilted=False)) < 0.55


def test_where_omega_is_hidden_the_tables_alone_are_drawn_from() -> None:
    omega = Omega(low=1, high=2, reading="hidden")
    assert agreeing(proposed(omega, np.full(MANY, 2))) < 0.55


def test_records_that_keep_something_are_drawn_from_the_tables() -> None:
    omega = Omega(low=1, high=2, reading="announced")
    omegas = np.repeat([2, 1], MANY)
    candidates = proposed(omega, omegas)
    assert agreeing(candidates[:, :MANY]) > 0.97
    kept = candidates[:, MANY:]
    assert (kept[0] == 0).all()
    assert kept[1].mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("reading", ["hidden", "announced"])
def test_likelihoods_do_not_know_of_tilts(reading: str) -> None:
    omega = Omega(low=1, high=2, reading="hidden" if reading == "hidden" else "announced")
    candidates = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint16)
    found = [KeptAttributes(network(each), omega) for each in (True, False)]
    assert np.array_equal(*(each.tails(candidates) for each in found))
    assert np.array_equal(*(each.log_likelihoods(candidates) for each in found))
