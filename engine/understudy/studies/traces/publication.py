"""What was printed (Bindschaedler 2018, chapter 7), and how much of it is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SOURCE: Final = "Bindschaedler 2018"
REAL, FAKES, UNIFORM, SINGLE, RANDOM = (
    "real, day 2",
    "published fakes",
    "uniform",
    "single",
    "random",
)

TABLE_7_1: Final[Mapping[tuple[str, str], float]] = {
    ("KL divergence, nats", REAL): 0.037,
    ("KL divergence, nats", FAKES): 0.384,
    ("KL divergence, nats", UNIFORM): 1.191,
    ("KL divergence, nats", SINGLE): 4.666,
    ("Relative error", REAL): 0.144,
    ("Relative error", FAKES): 0.370,
    ("Relative error", UNIFORM): 1.621,
    ("Relative error", SINGLE): 0.542,
}
TABLE_7_2: Final[Mapping[str, tuple[float, float, float]]] = {
    REAL: (0.0189, 0.0026, 0.0114),
    FAKES: (0.0125, 0.0092, 0.0089),
    UNIFORM: (0.1652, 0.0778, 0.0779),
    RANDOM: (0.6794, 0.5360, 0.5092),
}
ALIKE: Final = (0.8061, 0.7856)
"""Means of how alike aggregates of fakes and of day 1 are: p̄ and π̄."""
COVERED: Final[Mapping[str, tuple[float, float]]] = {FAKES: (0.61, 1.0), UNIFORM: (0.11, 0.24)}
"""The least and the most relative coverage of Figure 7.4."""


@dataclass(frozen=True)
class TracesStudySizes:
    """How much is done.

    Attributes:
        people, releases: as the fields of those names.
        repeats: how often a service is queried, as published 20 times.
        counted: of how many other people made traces are counted.
    """

    people: int
    releases: int
    repeats: int
    counted: int


FULL: Final = TracesStudySizes(30, 10, 20, 1000)
QUICK: Final = TracesStudySizes(12, 2, 2, 60)
