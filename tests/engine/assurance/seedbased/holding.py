"""What the claims about one attempt come to."""

from __future__ import annotations

from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, worst
from understudy.assurance.check import TOLERANCE


def holds(tried: Pairs) -> None:
    """The claims hold, with rejections seen and without."""
    for ratio in (attempt.with_seeds, attempt.rejections_seen, attempt.released_slot):
        assert worst([tried], ratio).worst <= 1 + TOLERANCE
