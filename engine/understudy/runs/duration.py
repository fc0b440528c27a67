"""Lengths of time in words."""

from __future__ import annotations

import math

_STOPS = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 2700)


def duration(seconds: float) -> str:
    """Return a length of time, to the second below an hour."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def roughly(seconds: float) -> str:
    """Return a length of time that is only known roughly, rounded up to a usual one."""
    usual = next((stop for stop in _STOPS if seconds <= stop), 0)
    if not usual:
        return duration(3600 * math.ceil(seconds / 3600)).removesuffix(" 0 min")
    return f"{usual} s" if usual < 60 else duration(usual).removesuffix(" 0 s")
