"""What the claims about one attempt come to."""

from __future__ import annotations

from engine.audit.finding import TOLERANCE
from engine.mechanisms.seedbased.audit import ratios
from engine.mechanisms.seedbased.audit.attempt import Pairs, worst


def holds(tried: Pairs) -> None:
    """The claims hold, with rejections seen and without."""
    for ratio in (ratios.with_seeds, ratios.rejections_seen, ratios.released_slot):
        assert worst([tried], ratio).worst <= 1 + TOLERANCE
