"""The small space of scored candidates: where a proposer disturbs them."""

from __future__ import annotations

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.scored.mechanism import ScoredState
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.latent.projected import Projected
from understudy.models.latent.small_space import OfGrid


def space_of(decided: PlannedRun[ScoredPlan], state: ScoredState) -> OfGrid | None:
    """Return the space of the proposers projected and latent-noise; None for others."""
    proposer = state.proposer
    if isinstance(proposer, Projected):
        return OfGrid(proposer)
    if isinstance(proposer, LatentNoise) and isinstance(proposer.space, Linear):
        return OfGrid(proposer)
    return None
