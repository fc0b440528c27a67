"""The current time, refused where the clock is beyond what a date can hold."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final

from understudy.core.refusal import Refusal

_LAST_YEAR: Final = 9998
"""The last year but one of `datetime`, so that the time has a date in every time zone."""


def now() -> datetime:
    """Return the current time, in UTC.

    Raises:
        Refusal: the clock of this computer is set to a year that `datetime` cannot hold.
    """
    try:
        found = datetime.fromtimestamp(time.time(), UTC)
    except (ValueError, OverflowError, OSError):
        raise _beyond() from None
    if found.year > _LAST_YEAR:
        raise _beyond()
    return found


def _beyond() -> Refusal:
    return Refusal(
        f"The clock of this computer is beyond the year {_LAST_YEAR}, or before the year 1.",
        "Set it, then try again.",
    )
