"""The small space that a run's records were drawn or disturbed in, where its method has one.

A method that has brings a module `space` (`understudy.mechanisms.companions`) with a function
`space_of`, from what was decided and the state of a run to a `SmallSpace`, or None. It is made of
the model alone, which the guarantee covers, and of no record.
"""

from __future__ import annotations

from typing import Any

from understudy.mechanisms.companions import companion
from understudy.mechanisms.mechanism import PlannedRun
from understudy.models.latent.small_space import SmallSpace


def space_of(decided: PlannedRun, state: Any) -> SmallSpace | None:
    """Return the small space of a run; None where it has none.

    Args:
        decided: what was run.
        state: of the run; see `Mechanism.restore`.
    """
    found = companion(decided.mechanism, "space")
    space: SmallSpace | None = None if found is None else found.space_of(decided, state)
    return space
