"""How the settings of scored candidates follow what was said on the Data page."""

from __future__ import annotations

from typing import Any, Final

from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.projects.state import Sizes
from understudy_dashboard.methods.choosing import Filled, FormChoosing


class ScoredChoosing(FormChoosing):
    """As `FormChoosing`."""

    def sized(self, chosen: Filled, sizes: Sizes) -> None:
        """As `FormChoosing`, but where seeds are among some records only: how many those are is not
        said on the Data page."""
        if not among_some(chosen):
            super().sized(chosen, sizes)


def among_some(chosen: Filled) -> bool:
    """Return whether seeds are among some of the records only."""
    held: Any = chosen.held
    return bool(held.seeds_among)


CHOOSING: Final = ScoredChoosing(ScoredPlan.kind)
