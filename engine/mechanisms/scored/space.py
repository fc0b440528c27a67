"""The small space of scored candidates: where a proposer disturbs them."""

from __future__ import annotations

from engine.mechanisms.planned_run import PlannedRun
from engine.mechanisms.scored.mechanism import ScoredState
from engine.models.latent.latent_noise import LatentNoise
from engine.models.latent.projected import Projected
from engine.models.latent.small_space import OfGrid
from engine.models.latent.spaces import Linear


def space_of(decided: PlannedRun, state: ScoredState) -> OfGrid | None:
    """The space of the proposers projected and latent-noise; None for others."""
    proposer = state.proposer
    if isinstance(proposer, Projected):
        return OfGrid(proposer)
    if isinstance(proposer, LatentNoise) and isinstance(proposer.space, Linear):
        return OfGrid(proposer)
    return None
