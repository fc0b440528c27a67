"""What the calibrated model is called, and what it needs."""

from __future__ import annotations

from typing import Final

from understudy.models.about import ModelAbout

CALIBRATED: Final = ModelAbout(
    title="calibrated model",
    name="calibrated",
    proposed=True,
    marked=True,
    tells_tables=True,
    pictured=" The calibrated model was learned first and then put into this network, which may "
    "have more arrows than were paid for. Whole rows are weighted besides, so that pairs without "
    "an arrow agree with what was measured too.",
)
