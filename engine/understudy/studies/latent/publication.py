"""What was printed (Bindschaedler 2018, chapter 9), and how much of it is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SOURCE: Final = "Bindschaedler 2018"
REALS: Final = "reals"
PCA: Final = "PCA-5"
AE: Final = "AE-3"
VAE: Final = "true VAE-3"
TESTED: Final = "tested "
"""Before the name of a model: candidates that passed the test, which are printed as “PP”."""

DISTANCES: Final = ("SD", "HEL", "KL")
# Mean and standard deviation over columns, then over pairs, of each distance.
TABLE_9_1: Final[Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    REALS: ((0.000, 0.001, 0.000), (0.001, 0.002, 0.000)),
    PCA: ((0.001, 0.003, 0.000), (0.002, 0.006, 0.000)),
    TESTED + PCA: ((0.002, 0.006, 0.001), (0.003, 0.012, 0.001)),
    AE: ((0.001, 0.003, 0.000), (0.001, 0.006, 0.000)),
    TESTED + AE: ((0.003, 0.014, 0.004), (0.007, 0.026, 0.010)),
}


@dataclass(frozen=True)
class Parameters:
    """A column of Table 9.2.

    Attributes:
        size: how many records are released.
        part: how many of them from each of four parts of the records.
        k, t, epsilon0: of the test.
    """

    size: int
    part: int
    k: int
    t: int
    epsilon0: float


TABLE_9_2: Final = (
    Parameters(1_000, 250, 5_500, 900, 0.0072),
    Parameters(5_000, 1_250, 12_800, 1_700, 0.0031),
    Parameters(10_000, 2_500, 18_400, 2_400, 0.0022),
    Parameters(20_000, 5_000, 26_500, 3_300, 0.0016),
    Parameters(30_000, 7_500, 32_700, 5_000, 0.0013),
    Parameters(40_000, 10_000, 38_000, 5_800, 0.0011),
    Parameters(50_000, 12_500, 42_700, 5_600, 0.0010),
)
USUAL: Final = TABLE_9_2[2]
SMALLEST_SET: Final = 100_000
"""Experiments are on sets of at least so many records, unless otherwise stated (9.3)."""
SMALL: Final = TABLE_9_2[0]
HALF: Final = Parameters(10_000, 2_500, 39_000, 3_000, 0.001)
"""Of Table 9.3, at ε = .5."""
DELTA: Final = 2.0**-40

EPSILONS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
TABLE_9_3: Final[Mapping[str, tuple[float, ...]]] = {
    AE: (0.136, 0.053, 0.039, 0.035, 0.026),
    PCA: (0.099, 0.036, 0.022, 0.017, 0.012),
}
MODEL_LOSS: Final[Mapping[str, float]] = {AE: 0.064, PCA: 0.047}
SEEDLESS: Final = {"tested": 0.05, "seedless": 0.24}

QUERIES: Final = ("women", "deaths", "births", "planned")
# The heads “hospbirth” and “elective” exchanged; see `understudy.samples.discharges`.
TABLE_9_4: Final[Mapping[str, tuple[int, int, int, int]]] = {
    "training": (5766, 191, 1007, 2205),
    "sub-population": (2787, 204, 2, 979),
    AE: (2896, 206, 9, 922),
}
SUB_POPULATION: Final = {"training": 0.365, AE: 0.026}

# k, t (utility's, not the test's), β̂, the bound.
Row = tuple[int, int, float, float]
TABLE_9_5: Final[Mapping[str, tuple[Row, ...]]] = {
    AE: (
        (1_000, 5_000, 0.006, 0.0103),
        (5_000, 10_000, 0.049, 0.0509),
        (10_000, 15_000, 0.070, 0.0713),
        (20_000, 25_000, 0.080, 0.0819),
        (50_000, 55_000, 0.174, 0.1754),
    ),
    PCA: (
        (1_000, 5_000, 0.013, 0.0171),
        (5_000, 10_000, 0.023, 0.0246),
        (10_000, 15_000, 0.034, 0.0359),
        (20_000, 25_000, 0.050, 0.0522),
        (50_000, 55_000, 0.154, 0.1558),
    ),
}
EPSILON0: Final = 0.001
"""Of Table 9.5."""

CS: Final = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Of Figure 9.3."""

# What comes out at the full size, least and most of three seeds: measured before this was built,
# on simulated records with the same shares.
EXPECTED: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    PCA: {
        "model": (0.053, 0.061), "5000": (0.005, 0.006), "10000": (0.016, 0.018),
        "15000": (0.022, 0.025), "25000": (0.041, 0.047), "55000": (0.113, 0.124),
        "18400": (0.011, 0.022), "39000": (0.048, 0.054),
    },
    AE: {
        "model": (0.026, 0.043), "5000": (0.022, 0.058), "10000": (0.058, 0.091),
        "15000": (0.081, 0.121), "25000": (0.114, 0.122), "55000": (0.163, 0.204),
        "18400": (0.095, 0.118), "39000": (0.112, 0.130),
    },
}  # fmt: skip
ALLOWED: Final[Mapping[str, float]] = {PCA: 0.25, AE: 0.5}
"""By what share beyond that ours may lie; the training of networks varies more."""


def allow_range(model: str, what: str) -> tuple[float, float] | None:
    """Between what ours should lie; None where nothing is known."""
    found = EXPECTED.get(model, {}).get(what)
    if found is None:
        return None
    return found[0] * (1 - ALLOWED[model]), found[1] * (1 + ALLOWED[model])


PUBLISHED_SEEDS: Final = 2_000_000
"""About how many records the published seeds were: six million, in three."""


@dataclass(frozen=True)
class LatentStudySizes:
    """How much is done.

    Attributes:
        training: records that models are trained on.
        seeds: records that candidates are made of.
        candidates: how many; as many records are held out.
        told: of each table, how many records classifiers other than forests see.
        epochs: of training, as published 200.
        strengths: the C of Figure 9.3.
        swept: of its trainings, how many records and epochs.
    """

    training: int
    seeds: int
    candidates: int
    told: int
    epochs: int
    strengths: tuple[float, ...]
    swept: tuple[int, int]

    def scale_threshold(self, number: int) -> int:
        """Return a threshold on so many of the published seeds, for as many as there are here."""
        return max(2, round(number * self.seeds / PUBLISHED_SEEDS))


FULL: Final = LatentStudySizes(200_000, 2_000_000, 100_000, 20_000, 200, CS, (100_000, 40))
QUICK: Final = LatentStudySizes(20_000, 100_000, 6_000, 2_000, 20, (0.0, 0.5, 2.0), (10_000, 10))
