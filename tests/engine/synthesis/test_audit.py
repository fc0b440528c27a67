"""The shipped mechanism, its law written out in full on universes small enough to enumerate.

F_D(y) sums, over every seed and every candidate, the chance to draw the one, to make the other
of it, and to pass. Scores come from the shipped index, classes and score, passing from the
shipped coin; the chance to make a candidate comes from the definition of the model.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from engine.models.bayesnet.kept import KeptAttributes, likelihood_classes
from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.omega import Omega
from engine.privacy.account import account
from engine.privacy.deniability import PlausibleDeniability, score
from engine.privacy.guarantee import pass_cap, plausible_deniability
from engine.synthesis.attempts import Synthesizer
from engine.table.records import Records
from tests.support import category_schema, random_network

SCHEMA = category_schema(2, 2, 2)
UNIVERSE = np.array(list(product(range(2), repeat=3)), dtype=np.uint16)


def chain(seed: int) -> BayesianNetwork:
    """c0 → c1 → c2 with random tables."""
    structure = Structure.of([(), (0,), (1,)])
    return random_network(SCHEMA, structure, np.random.default_rng(seed))


def law(
    network: BayesianNetwork, omega: Omega, counts: np.ndarray, test: PlausibleDeniability
) -> np.ndarray:
    """(9,) the probability of each record of the universe, then of rejection, without ρ."""
    model = KeptAttributes(network, omega)
    records = np.repeat(UNIVERSE, counts, axis=0)
    made = Synthesizer(model, Records(SCHEMA, records))
    total = np.zeros(len(UNIVERSE) + 1)
    for omega_now in omega.values:
        kept = model.attributes - omega_now
        for row, seed in enumerate(made.index.seeds):
            for place, candidate in enumerate(UNIVERSE):
                chance = _chance(network, kept, seed, candidate)
                if chance == 0:
                    continue
                passing = float(
                    test.coin.probability(_score(made, omega, row, kept, candidate, test))[0]
                )
                weight = chance / (len(omega.values) * len(records))
                total[place] += weight * passing
                total[-1] += weight * (1 - passing)
    assert total.sum() == pytest.approx(1)
    return total


def _chance(network: BayesianNetwork, kept: int, seed: np.ndarray, made: np.ndarray) -> float:
    if (seed[:kept] != made[:kept]).any():
        return 0.0
    chance = 1.0
    for place in range(kept, 3):
        row = 0 if place == 0 else int(made[place - 1])
        chance *= float(network.tables[place].probabilities[row, made[place]])
    return chance


def _score(
    made: Synthesizer,
    omega: Omega,
    row: int,
    kept: int,
    candidate: np.ndarray,
    test: PlausibleDeniability,
) -> np.ndarray:
    rows = np.array([row])
    if omega.per_attempt:
        return made.index.shared(rows, kept)
    column = candidate[:, None]
    counts = made.index.prefix_counts(rows, column, np.array([kept]))
    seeds = made.index.seeds[rows].T
    return score(test, likelihood_classes(made.model, counts, seeds, column))


def capped(attempt: np.ndarray, rho: float) -> np.ndarray:
    """The law with every candidate turned away with probability ρ after the test."""
    passed = (1 - rho) * attempt[:-1]
    return np.append(passed, 1 - passed.sum())


def hockey_stick(one: np.ndarray, other: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(one - np.exp(epsilon) * other, 0).sum())


def worst(one: np.ndarray, other: np.ndarray, epsilon: float) -> float:
    return max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))


def neighbours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    counts = rng.integers(0, 5, len(UNIVERSE)) * (rng.random(len(UNIVERSE)) < 0.7)
    counts[rng.integers(len(UNIVERSE))] += 6
    more = counts.copy()
    more[rng.integers(len(UNIVERSE))] += 1
    return counts, more


@pytest.mark.parametrize(
    "omega",
    [
        Omega(low=1, high=1),
        Omega(low=2, high=2),
        Omega(low=0, high=2),
        Omega(low=1, high=3),
        Omega(low=0, high=3),
    ],
    ids=str,
)
def test_one_attempt_keeps_its_promise_with_and_without_rejections(omega: Omega) -> None:
    rng = np.random.default_rng(11)
    for round_number in range(12):
        network = chain(round_number)
        counts, more = neighbours(rng)
        test = PlausibleDeniability(
            k=int(rng.integers(2, 6)),
            gamma=float(rng.uniform(1.2, 5)),
            epsilon0=float(rng.uniform(0.2, 2)),
        )
        one, other = law(network, omega, counts, test), law(network, omega, more, test)
        gamma = 1.0 if omega.per_attempt else test.gamma
        for t in range(1, test.k):
            promised = plausible_deniability(k=test.k, gamma=gamma, epsilon0=test.epsilon0, t=t)
            epsilon, delta = promised.epsilon, promised.delta
            assert worst(one[:-1], other[:-1], epsilon) <= delta + 1e-12
            rho = pass_cap(epsilon, int(counts.sum()), epsilon0=test.epsilon0)
            assert worst(capped(one, rho), capped(other, rho), epsilon) <= delta + 1e-12


def identical(fresh: bool) -> tuple[np.ndarray, np.ndarray]:
    """400 equal records, and one different one more (run-guarantee §2)."""
    counts = np.zeros(len(UNIVERSE), dtype=np.int64)
    counts[0] = 400
    more = counts.copy()
    more[7 if fresh else 0] += 1
    return counts, more


def test_seen_rejections_break_the_promise_without_the_pass_cap() -> None:
    test = PlausibleDeniability(k=20, gamma=1.5, epsilon0=1.0)
    keep_all = Omega(low=0, high=0)
    counts, more = identical(fresh=True)
    one, other = (law(chain(1), keep_all, each, test) for each in (counts, more))
    made = account(test, 1, 1e-6, seeds_at_least=400, equal_likelihood=True)
    epsilon, delta = made.attempt.budget.epsilon, made.attempt.budget.delta
    assert worst(one[:-1], other[:-1], epsilon) <= delta
    assert worst(one, other, epsilon) > 1_000 * delta
    assert made.pass_cap is not None
    rho = made.pass_cap
    assert worst(capped(one, rho), capped(other, rho), epsilon) <= delta
    assert worst(capped(one, rho / 100), capped(other, rho / 100), epsilon) > delta


def test_half_the_noise_is_caught() -> None:
    """The audit can fail: claim ε0 and draw with 2·ε0."""
    counts, more = identical(fresh=False)
    counts[0], more[0] = 19, 20
    claimed = PlausibleDeniability(k=20, gamma=1.5, epsilon0=0.5)
    drawn = PlausibleDeniability(k=20, gamma=1.5, epsilon0=1.0)
    keep_all = Omega(low=0, high=0)
    promised = plausible_deniability(k=20, gamma=1.0, epsilon0=0.5, t=18)
    right = [law(chain(1), keep_all, each, claimed)[:-1] for each in (counts, more)]
    wrong = [law(chain(1), keep_all, each, drawn)[:-1] for each in (counts, more)]
    assert worst(*right, promised.epsilon) == 0
    assert worst(*wrong, promised.epsilon) > 0.01
