"""What the claims about one attempt come to."""

from __future__ import annotations

from understudy.audit import ratios
from understudy.audit.attempt import Pairs, worst
from understudy.audit.finding import TOLERANCE


def holds(tried: Pairs) -> None:
    """The claims hold, with rejections seen and without."""
    for ratio in (ratios.with_seeds, ratios.rejections_seen, ratios.released_slot):
        assert worst([tried], ratio).worst <= 1 + TOLERANCE
