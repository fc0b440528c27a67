"""The time that traces are told in: days cut into slots of 20 minutes."""

from __future__ import annotations

from typing import Final

SLOTS: Final = 72
"""How many slots of 20 minutes a day has."""
