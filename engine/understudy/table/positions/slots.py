"""The time that traces are told in: days cut into slots of 20 minutes."""

from __future__ import annotations

from typing import Final

SLOTS: Final = 72
"""How many slots of 20 minutes a day has."""


def slot_clock(slot: int) -> str:
    """Return the time of day at which a slot begins, such as “08:20”."""
    hours, twenties = divmod(slot, 3)
    return f"{hours:02d}:{20 * twenties:02d}"
