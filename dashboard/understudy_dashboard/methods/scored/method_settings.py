"""How the settings of scored candidates follow what was said on the Data page."""

from __future__ import annotations

from typing import Any, Final

from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.projects.state import Sizes
from understudy_dashboard.methods.method_settings import FormSettings, FormSettingsFactory


class ScoredSettings(FormSettingsFactory):
    """As `FormSettingsFactory`."""

    def set_sizes(self, chosen: FormSettings, sizes: Sizes) -> None:
        """Answer as `FormSettingsFactory`, but where seeds are among some records only: how many
        those are is not said on the Data page."""
        if not uses_some_records(chosen):
            super().set_sizes(chosen, sizes)


def uses_some_records(chosen: FormSettings) -> bool:
    """Return whether seeds are among some of the records only."""
    held: Any = chosen.held
    return bool(held.seeds_among)


SETTINGS: Final = ScoredSettings(ScoredPlan.kind)
