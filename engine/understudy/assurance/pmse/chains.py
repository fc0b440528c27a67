"""What a Markov chain would have to draw from, and does not where it scores its state anew.

The practised mechanism is no part of what is offered. Its chain is on two places at a time, a
parameter and the synthetic table it was scored by. Where that score is kept, the chain goes to the
law ∝ prior·E e^{−β·u}; where it is estimated again at every step, it goes elsewhere. Both are
worked out here, on a few parameters with two synthetic tables each.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from understudy.assurance.finding import NOTHING, Check, Effort, Measured
from understudy.assurance.pmse.names import PART
from understudy.core.arrays import FloatArray
from understudy.mechanisms.pmse.stages import published_signal, published_volume

_STATES: Final = 4
_CHAINS: Final = 12
_ROUNDING: Final = 1e-10
_LINE: Final = 8
_STEPS: Final = 10
_EPSILON: Final = 1.0


def checks() -> tuple[Check, ...]:
    """Return the chain that keeps its score goes where it is said to."""
    return (
        Check(
            PART,
            "where a chain goes that keeps the score of its state",
            "the law ∝ E e^{−ε·u/(2Δu)}, after endlessly many steps, which nobody takes",
            "Andrieu and Roberts 2009",
            partial(_off, again=False),
        ),
        Check(
            PART,
            "what a chain that was stopped is worth",
            "(ε, (1 + e^ε)·τ), for a law that is off by τ in total variation, which nobody knows",
            "docs/pmse.md, “As practised”",
            _stopped,
        ),
        Check(
            PART,
            "as published: a flat prior does not affect the utility",
            "the signal at n = 5,000, ε = 0.25 over ten draws is above what the prior swamps",
            "Snoke and Slavković 2018, Section 6",
            _flat,
            "counter-example",
        ),
    )


def mutants() -> tuple[Check, ...]:
    """Return the chain that does not."""
    return (
        Check.mutant(
            "the score of a chain's state is estimated again at every step",
            "the chain goes to another law than the one that is accounted for",
            partial(_off, again=True),
        ),
        Check.mutant(
            "a chain is stopped after a few steps from the best state",
            f"{_STEPS} steps between neighbouring states, under the ε of the law it would go to",
            _begun,
        ),
    )


def _off(effort: Effort, *, again: bool) -> Measured:
    """Return how far the law of a chain is from the one that it is to have, as a multiple of what
    rounding leaves."""
    random, found = np.random.default_rng(effort.seed), NOTHING
    for _ in range(effort.of(_CHAINS)):
        weights = np.exp(-random.exponential(2.0, (_STATES, 2)))
        wanted = weights.mean(axis=1) / weights.mean(axis=1).sum()
        reached = _again(weights) if again else _kept(weights)
        off = float(np.abs(reached - wanted).sum())
        found |= Measured(1, off / _ROUNDING, f"{_STATES} parameters, two tables of each")
    return found


def _laws(scores: FloatArray, steps: int) -> tuple[FloatArray, FloatArray]:
    """(states,) the law that a chain between neighbouring states goes to, and the one that it has
    after so many steps from the best of them."""
    weights = np.exp(-_EPSILON * scores / 2)
    moves = np.zeros((_LINE, _LINE))
    for here in range(_LINE - 1):
        for one, two in ((here, here + 1), (here + 1, here)):
            moves[one, two] = min(1.0, weights[two] / weights[one]) / 2
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    reached = np.linalg.matrix_power(moves, steps)[int(scores.argmin())]
    return weights / weights.sum(), reached


def _stopped(effort: Effort) -> Measured:
    """δ of the law after some steps, over what its distance from the other leaves."""
    random, found = np.random.default_rng(effort.seed), NOTHING
    for turn in range(effort.of(_CHAINS)):
        scores = random.exponential(2.0, _LINE)
        both = (scores, scores + random.uniform(-1, 1, _LINE))
        laws = [_laws(each, 1 + 5 * turn) for each in both]
        tau = max(float(np.abs(wanted - reached).sum()) / 2 for wanted, reached in laws)
        apart = np.maximum(laws[0][1] - np.exp(_EPSILON) * laws[1][1], 0).sum()
        bound = (1 + np.exp(_EPSILON)) * tau
        found |= Measured(1, float(apart / bound), f"{_LINE} states, {1 + 5 * turn} steps")
    return found


def _begun(_: Effort) -> Measured:
    """Return the largest loss, over ε, of two tables whose scores move by 1 at most, and with them
    which of both ends is the best."""
    scores = np.full(_LINE, 2.0)
    scores[0], scores[-1] = 0.0, 1.0
    one, two = (_laws(each, _STEPS)[1] for each in (scores, scores[::-1]))
    return Measured(1, float(np.abs(np.log(one / two)).max()) / _EPSILON, f"{_LINE} states")


def _flat(_: Effort) -> Measured:
    signal = published_signal(0.25 / 10, 5000)
    return Measured(1, published_volume(5, 100_000**0.5, 2.0) / signal, "n = 5,000")


def _kept(weights: FloatArray) -> FloatArray:
    """(states,) the law of parameters where the chain is on pairs of one and a table."""
    flat = weights.ravel()
    moves = np.minimum(1.0, flat[None, :] / flat[:, None]) / len(flat)
    return np.asarray(_stationary(moves).reshape(weights.shape).sum(axis=1))


def _again(weights: FloatArray) -> FloatArray:
    """(states,) the same where both tables are drawn afresh for every step."""
    here, there = weights[:, None, :, None], weights[None, :, None, :]
    moves = np.minimum(1.0, there / here).mean(axis=(2, 3)) / len(weights)
    return _stationary(moves)


def _stationary(moves: FloatArray) -> FloatArray:
    """Return the law that a chain keeps, from its chances to move."""
    chain = moves.copy()
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    size = len(chain)
    equations = np.vstack([chain.T - np.eye(size), np.ones(size)])
    return np.asarray(np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0])
