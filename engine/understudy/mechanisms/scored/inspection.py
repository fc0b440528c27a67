"""What a custodian looks at of a run: candidates on a map, and where they are disturbed.

The candidate is made for this look alone, from a seed drawn anew: which candidates of the run
passed is released, and of whom they were made is nobody's to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence, PlannedRun
from understudy.mechanisms.scored.mechanism import ScoredState
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import LearnedProposer, learner_of
from understudy.mechanisms.scored.settings import settings_in_full
from understudy.models.latent.coordinate_noise import Projected
from understudy.models.latent.features import Standardised
from understudy.models.latent.grid import DEVIATION, ProjectionGrid
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.latent.small_space import OfGrid, Reconstruction
from understudy.models.scores import scan_scores
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records


def space_of(decided: PlannedRun[ScoredPlan], state: ScoredState) -> OfGrid | None:
    """Return the space of the proposers projected and latent-noise; None for others."""
    proposer = state.proposer
    if isinstance(proposer, Projected):
        return OfGrid(proposer)
    if isinstance(proposer, LatentNoise) and isinstance(proposer.space, Linear):
        return OfGrid(proposer)
    return None


MOST: Final = 20_000
"""More seeds than this are not put on the map, and so many are drawn from them."""
_TRIED: Final = 32
"""So many candidates are tried until one has enough plausible seeds."""


@dataclass(frozen=True, eq=False)
class LatentMap:
    """Seeds and one candidate by the first two coordinates, in what a coordinate varies by.

    Attributes:
        seeds: (n, 2) where seeds lie.
        candidate: (2,) where the candidate lies.
        near: how far about it the likeliest of the seeds that k asks for lie.
        score: what the test counts for the candidate.
        k: how much it asks for, before noise.
        whole: whether the score is of all seeds, and not of some of them.
    """

    seeds: FloatArray
    candidate: FloatArray
    near: float
    score: int
    k: int
    whole: bool

    @property
    def passes(self) -> bool:
        """Whether the score is enough without the noise on k."""
        return self.score >= self.k


def has_map(plan: ScoredPlan) -> bool:
    """Return whether the proposer of a plan disturbs coordinates on a grid of two axes at least."""
    if plan.proposer not in ("projected", "latent-noise"):
        return False
    numbers = settings_in_full(plan.proposer, learner_of(plan.proposer).settings, plan.numbers)
    return numbers["directions"] >= 2


def latent_map(evidence: Evidence[ScoredPlan], source: RandomSource) -> LatentMap:
    """Return the map of a run.

    Args:
        evidence: of the run.
        source: what the candidate is drawn by.

    Raises:
        Refusal: its proposer has no small space of two axes, or no record became a seed.
    """
    plan = evidence.decided.plan
    proposer = evidence.state.proposer
    grid = _grid(proposer)
    seeds = evidence.records.take(np.flatnonzero(evidence.state.seeds))
    if grid is None or grid.axes < 2 or not len(seeds):
        raise _no_space()
    some = seeds
    if len(seeds) > MOST:
        spread = np.linspace(0, len(seeds), MOST, endpoint=False).astype(np.int64)
        some = seeds.take(spread)
    own = source.below(len(some), _TRIED)
    tried = proposer.propose(some.codes[own], source)
    scores = scan_scores(plan.test, proposer, some.codes, own, tried)
    enough = np.flatnonzero(scores >= plan.test.k)
    at = int(enough[0]) if len(enough) else int(scores.argmax())
    numbers = settings_in_full(plan.proposer, learner_of(plan.proposer).settings, plan.numbers)
    unit = DEVIATION / numbers["disturbed"]
    places = (_coordinates(proposer, some)[:, :2] - grid.places // 2) / unit
    middle = (tried[at, :2].astype(np.float64) - grid.places // 2) / unit
    likely = proposer.log_likelihood(some.codes, tried[at : at + 1])[:, 0]
    return LatentMap(
        seeds=places,
        candidate=middle,
        near=_near(places, middle, likely, plan.test.k),
        score=int(scores[at]),
        k=plan.test.k,
        whole=len(some) == len(seeds),
    )


def reconstruct_records(evidence: Evidence[ScoredPlan], count: int) -> Reconstruction:
    """Return some held-out records, where there are so many, beside what their places keep of them.

    Raises:
        Refusal: the proposer has no small space.
    """
    space = space_of(evidence.decided, evidence.state)
    if space is None:
        raise _no_space()
    apart = np.flatnonzero(evidence.state.apart)
    whole = evidence.records
    some = whole.take(apart) if len(apart) >= count else whole
    spread = np.linspace(0, len(some), min(count, len(some)), endpoint=False).astype(np.int64)
    return Reconstruction.of(space, some.take(spread))


def _no_space() -> Refusal:
    return Refusal(
        "There is no map of seeds: the proposer has no small space of two directions.",
        "Choose a run of the proposer projected or latent-noise, with two or more.",
    )


def _near(places: FloatArray, middle: FloatArray, likely: FloatArray, k: int) -> float:
    """Return how far about the middle the k likeliest seeds lie, or those that could have made it
    at all."""
    first = np.argsort(-likely, kind="stable")[:k]
    first = first[np.isfinite(likely[first])]
    apart = places[first] - middle
    return float(np.hypot(apart[:, 0], apart[:, 1]).max(initial=0.0))


def _grid(proposer: LearnedProposer) -> ProjectionGrid | None:
    return proposer.grid if isinstance(proposer, Projected | LatentNoise) else None


def _coordinates(proposer: Projected | LatentNoise, records: Records) -> IntArray:
    """Return (n, w) where records lie, before any noise."""
    if isinstance(proposer, LatentNoise):
        return proposer.locate(records.codes).astype(np.int64)
    numbers = Standardised.of(proposer.schema).numbers(records.codes)
    return proposer.grid.coordinates(numbers)
