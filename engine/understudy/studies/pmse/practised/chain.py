"""The Markov chain of the published experiments, on public tables only.

Metropolis on the five parameters with density ∝ exp(−n·ε·û/2) times a normal prior, û being pMSE of
a greedy tree against one synthetic table. The score of the current state is *kept*, as a chain that
estimates it again at each step does not have that density (reference: pseudo-marginal chains).
What a chain of finite length draws is not what it converges to, by an amount nobody knows, and its
greedy scores have no sensitivity: neither is any ε.

Proposal, length, start and how many synthetic tables a score is the mean of were not published.
Here steps are normal, their size adapted while the chain warms up; it starts at the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.practised.greedy import greedy_pmse
from understudy.studies.pmse.practised.public import PublicTable
from understudy.studies.pmse.practised.published_model import TRUTH, by_chance, made

NO_EPSILON: Final = "no ε: as practised, on public data only"
"""How whatever comes of it is marked."""
_ACCEPTED: Final = 0.25
_STEP: Final = (0.05, 0.3, 0.05, 0.01, 0.1)


@dataclass(frozen=True, eq=False)
class Chain:
    """What a chain came to.

    Attributes:
        states: (steps, 5) the parameters.
        scores: (steps,) the kept score of each.
        mark: `NO_EPSILON`.
    """

    states: FloatArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    mark: str = NO_EPSILON


def metropolis(
    table: PublicTable,
    nominal: float,
    steps: int,
    random: np.random.Generator,
    *,
    depth: int | None = 5,
    cp: float = 0.01,
    prior: float = 100_000.0,
    start: tuple[float, ...] = TRUTH,
) -> Chain:
    """Run a chain.

    Args:
        table: two columns.
        nominal: what the published mechanism calls ε.
        steps: how many; the first half warms up.
        random: where chance comes from.
        depth, cp: of the greedy trees.
        prior: the variance of the normal prior of each parameter.
        start: where it begins.
    """
    real, weight = table.values, len(table.values) * nominal / 2

    def score(state: FloatArray) -> float:
        return greedy_pmse(real, made(state, by_chance(len(real), random)), depth, cp)

    state, size = np.array(start), 1.0
    kept = score(state)
    states, scores = np.empty((steps, len(state))), np.empty(steps)
    for turn in range(steps):
        proposed = state + size * np.array(_STEP) * random.normal(size=len(state))
        fresh = score(proposed)
        gain = weight * (kept - fresh) + (state @ state - proposed @ proposed) / (2 * prior)
        accepted = np.log(random.random()) < gain
        if accepted:
            state, kept = proposed, fresh
        if turn < steps // 2:
            size *= np.exp((accepted - _ACCEPTED) / np.sqrt(turn + 1))
        states[turn], scores[turn] = state, kept
    return Chain(states, scores)
