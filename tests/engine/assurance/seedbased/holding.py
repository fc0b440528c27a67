"""What the claims about one attempt come to."""

from __future__ import annotations

from understudy.assurance import ratios
from understudy.assurance.attempt import Pairs, worst
from understudy.assurance.finding import TOLERANCE


def holds(tried: Pairs) -> None:
    """The claims hold, with rejections seen and without."""
    for ratio in (ratios.with_seeds, ratios.rejections_seen, ratios.released_slot):
        assert worst([tried], ratio).worst <= 1 + TOLERANCE
