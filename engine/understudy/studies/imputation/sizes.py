"""For how many rows bounds are worked out."""

from __future__ import annotations

from typing import Final

ROWS: Final = 1000
