"""Demonstration: simulated people only, nothing of anybody's own to be opened or shown.

`understudy dashboard --demo` sets UNDERSTUDY_DEMO. The server then takes no upload at all, keeps
its runs apart from real ones, and `refuse_own` turns away what a page would open. `--sample`
sets UNDERSTUDY_SAMPLE: the sample is open at once, and everything else is possible too.
"""

from __future__ import annotations

import os
from typing import Final

from understudy.core.refusal import Refusal

FOLDER: Final = "demonstration"
"""Where in the home folder a demonstration keeps what it makes."""

BANNER: Final = (
    "**Demonstration.** Everybody in this table is simulated, and nothing of your own can be "
    "opened here."
)


def is_demonstration() -> bool:
    """Return whether this server shows simulated people only."""
    return os.environ.get("UNDERSTUDY_DEMO") == "1"


def begins_with_sample() -> bool:
    """Return whether the sample census is opened as soon as somebody comes."""
    return is_demonstration() or os.environ.get("UNDERSTUDY_SAMPLE") == "1"


def refuse_own(what: str = "A table of your own", field: str = "table") -> None:
    """Turn away whatever is not simulated, in a demonstration.

    Raises:
        Refusal: this server is a demonstration.
    """
    if is_demonstration():
        raise Refusal(
            f"{what} cannot be opened in a demonstration.",
            "Close this page, and start Understudy again with “understudy dashboard”.",
            field=field,
        )
