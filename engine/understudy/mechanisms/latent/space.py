"""The small space of a latent model: its hidden numbers."""

from __future__ import annotations

from understudy.mechanisms.defaults import HELD_OUT, ArraysState
from understudy.mechanisms.latent.models import LEARNERS, AsRecords
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.latent.reading import Reading
from understudy.mechanisms.mechanism import PlannedRun
from understudy.models.latent.small_space import OfHidden


def space_of(decided: PlannedRun[LatentPlan], state: ArraysState) -> OfHidden | None:
    """Return the hidden numbers of factors or directions; None of a network."""
    learned = {name: each for name, each in state.arrays().items() if name != HELD_OUT}
    held = LEARNERS[decided.plan.model].restore(decided.schema, learned)
    if not isinstance(held, AsRecords):
        return None
    return OfHidden(held.model, Reading.of(held.model).encoder, held.features)
