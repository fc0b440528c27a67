"""From a share of what could be kept to words, so that the same share is the same words wherever it
is told."""

from __future__ import annotations

import math
from typing import Final

from understudy.core.numerals import FIXED, UNKNOWN, fixed
from understudy.evaluation.study import MARGINALS

BELOW: Final = "◂"
BEYOND: Final = "▸"
"""Before what stands beyond an end of the way."""

_ALL: Final = "practically all"
_BANDS: Final = (
    (0.95, _ALL),
    (0.85, "nearly all"),
    (0.65, "most"),
    (0.55, "more than half"),
    (0.45, "about half"),
    (0.2, "less than half"),
    (0.05, "little"),
)
_NOTHING: Final = "next to nothing"


def kept_in_words(share: float) -> str:
    """Return how much that is in words: “nearly all (87 %)”, and no share beyond either end.

    The number is rounded first, so that no number stands beside the words of another.

    Args:
        share: of what other real records have more than a table without relations; nothing where
            a table is worse than that; above 1 where chance brought it nearer than real ones.
    """
    if math.isnan(share):
        return UNKNOWN
    if share < 0:
        return "nothing"
    points = round(100 * share)
    if points > 100:
        return _ALL
    said = next((words for least, words in _BANDS if points >= round(100 * least)), _NOTHING)
    return f"{said} ({points}{FIXED}%)"


def way_in_words(share: float, worst: str = MARGINALS) -> str:
    """Return how far of the way from the worst reference to the best, “50 % of the way”; no share
    beyond either end.

    Args:
        share: 0 at the worst, 1 at the best.
        worst: what the worst is called.
    """
    if math.isnan(share):
        return UNKNOWN
    if share < 0:
        return f"{BELOW} worse than {worst}"
    if share > 1:
        return f"{BEYOND} all of the way"
    return f"{fixed(100 * share, 0)}{FIXED}% of the way"
