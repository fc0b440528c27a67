"""Who finds a user among fakes, and who tells that somebody was counted: measured on the simulated
city.

`python -m benchmarks traces-attack` prints these figures: means of four cities with thirty people
each, as published. Published fakes are made of these people's days; made traces, at ε = 1 and
δ = 1e-6, of 5,000 others'. No confidential table has anything to do with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NUMBERS: Final = (1, 2, 5, 10)
"""How many fakes are sent beside a user's place."""
PUBLISHED, MADE = "published", "made"
KINDS: Final = (PUBLISHED, MADE)
NAIVE, CONTRARIAN, RATIO, GUESSING = "naive", "contrarian", "ratio", "guessing"
ADVERSARIES: Final = (NAIVE, CONTRARIAN, RATIO, GUESSING)
"""Of `understudy.studies.traces.fakes.adversaries`."""

MISSED: Final[Mapping[str, Mapping[str, tuple[float, ...]]]] = {
    PUBLISHED: {
        NAIVE: (0.683, 0.904, 0.975, 1.0),
        CONTRARIAN: (0.317, 0.372, 0.521, 0.583),
        RATIO: (0.435, 0.575, 0.709, 0.791),
        GUESSING: (0.5, 0.646, 0.786, 0.859),
    },
    MADE: {
        NAIVE: (0.0, 0.031, 0.154, 0.384),
        CONTRARIAN: (0.992, 1.0, 1.0, 1.0),
        RATIO: (0.283, 0.542, 0.829, 0.908),
        GUESSING: (0.5, 0.666, 0.831, 0.907),
    },
}
"""By kind of fakes and adversary, the share of the median user's places that are missed, at each
of `NUMBERS`."""

HITS: Final = 0.625
"""The share of people of whom a release of a published fake each shows a place where they alone
were, so that they were counted."""
ALARMS: Final = 0.0
"""The same of people who were not counted."""


def right() -> float:
    """Return the share of right answers of whoever goes by that, where a coin decides who is
    counted."""
    return (1 + HITS - ALARMS) / 2
