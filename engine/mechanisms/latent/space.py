"""The small space of a latent model: its hidden numbers."""

from __future__ import annotations

from engine.mechanisms.defaults import HELD_OUT, ArraysState
from engine.mechanisms.latent.models import LEARNERS, AsRecords
from engine.mechanisms.latent.plan import LatentPlan
from engine.mechanisms.latent.reading import Reading
from engine.mechanisms.planned_run import PlannedRun
from engine.models.latent.small_space import OfHidden


def space_of(decided: PlannedRun, state: ArraysState) -> OfHidden | None:
    """The hidden numbers of factors or directions; None of a network."""
    learned = {name: each for name, each in state.arrays().items() if name != HELD_OUT}
    held = LEARNERS[decided.plan_as(LatentPlan).model].restore(decided.schema, learned)
    if not isinstance(held, AsRecords):
        return None
    return OfHidden(held.model, Reading.of(held.model).encoder, held.features)
