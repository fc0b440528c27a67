"""Lengths of time in words."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A length of time, to the second below an hour."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
