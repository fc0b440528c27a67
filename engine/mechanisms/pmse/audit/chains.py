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
import numpy.typing as npt

from engine.audit.finding import NOTHING, Check, Effort, Measured
from engine.mechanisms.pmse.audit.names import PART

Reals = npt.NDArray[np.float64]
_STATES: Final = 4
_CHAINS: Final = 12
_ROUNDING: Final = 1e-10


def checks() -> tuple[Check, ...]:
    """The chain that keeps its score goes where it is said to."""
    return (
        Check(
            PART,
            "where a chain goes that keeps the score of its state",
            "the law ∝ E e^{−ε·u/(2Δu)}, after endlessly many steps, which nobody takes",
            "Andrieu and Roberts 2009",
            partial(_off, again=False),
        ),
    )


def mutants() -> tuple[Check, ...]:
    """The chain that does not."""
    return (
        Check.mutant(
            "the score of a chain's state is estimated again at every step",
            "the chain goes to another law than the one that is accounted for",
            partial(_off, again=True),
        ),
    )


def _off(effort: Effort, *, again: bool) -> Measured:
    """How far the law of a chain is from the one that it is to have, as a multiple of what
    rounding leaves."""
    random, found = np.random.default_rng(effort.seed), NOTHING
    for _ in range(effort.of(_CHAINS)):
        weights = np.exp(-random.exponential(2.0, (_STATES, 2)))
        wanted = weights.mean(axis=1) / weights.mean(axis=1).sum()
        reached = _again(weights) if again else _kept(weights)
        off = float(np.abs(reached - wanted).sum())
        found |= Measured(1, off / _ROUNDING, f"{_STATES} parameters, two tables of each")
    return found


def _kept(weights: Reals) -> Reals:
    """(states,) the law of parameters where the chain is on pairs of one and a table."""
    flat = weights.ravel()
    moves = np.minimum(1.0, flat[None, :] / flat[:, None]) / len(flat)
    return np.asarray(_stationary(moves).reshape(weights.shape).sum(axis=1))


def _again(weights: Reals) -> Reals:
    """(states,) the same where both tables are drawn afresh for every step."""
    here, there = weights[:, None, :, None], weights[None, :, None, :]
    moves = np.minimum(1.0, there / here).mean(axis=(2, 3)) / len(weights)
    return _stationary(moves)


def _stationary(moves: Reals) -> Reals:
    """The law that a chain keeps, from its chances to move."""
    chain = moves.copy()
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    size = len(chain)
    equations = np.vstack([chain.T - np.eye(size), np.ones(size)])
    return np.asarray(np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0])
