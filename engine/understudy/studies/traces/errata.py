"""What is wrong in sections 6.1 and chapter 7 of the dissertation."""

from __future__ import annotations

from itertools import permutations
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.mechanisms.errata import DISSERTATION, Errata, Erratum
from understudy.studies.traces.fakes.classes import inside_over_across

_HOURS: Final = np.array([[0.6, 0.4, 0.0, 0.0], [0.0, 0.0, 0.6, 0.4]])
"""The shares of four places in two people's days, who never meet and live alike."""


def matched_time(one: FloatArray, other: FloatArray) -> float:
    """Return the most time that two people spend in matched places, over all matchings."""
    return max(
        float(np.minimum(one, other[list(order)]).sum()) for order in permutations(range(len(one)))
    )


def likeness_of_twins() -> float:
    """Return sim_S of two people who live alike elsewhere, over one less it, which is printed."""
    alike = matched_time(*_HOURS)
    return alike / max(1 - alike, 1e-12)


def other_ignored() -> float:
    """Return (6.11) with the second person's chances over (6.11) with the first's twice, as
    printed, of people who go otherwise from the same place: 1 − the sum, over the best matching of
    places."""
    mine = np.array([[0.9, 0.1], [0.5, 0.5]])
    theirs = np.array([[0.5, 0.5], [0.5, 0.5]])

    def apart(second: FloatArray) -> float:
        best = max(
            float(np.minimum(mine, second[np.ix_(order, order)]).sum() / 2)
            for order in (list(each) for each in permutations(range(2)))
        )
        return 1 - best

    return apart(theirs) / max(apart(mine), 1e-12)


def inside_over_outside() -> float:
    """Return the weight inside classes over that across them, if they are right, over the same if
    they are mixed up: the printed ratio is its inverse, and largest if classes are wrong."""
    graph = np.kron(np.eye(2), np.ones((3, 3))).astype(np.float64) + 0.1
    right, mixed = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 0, 1])
    return inside_over_across(graph, right) / inside_over_across(graph, mixed)


_ERRATA: Final = (
    Erratum(
        "(6.10), (6.11)", "The semantic similarity is 1 − Σ.",
        "That is how unlike two people are: twins have 0.", "Σ, without “1 −”.", "wrong",
        "the similarity of two people who live alike, over the printed one", likeness_of_twins,
    ),
    Erratum(
        "(6.11)", "Chances of the first person stand in both places of the minimum.",
        "Compared with oneself everybody is alike.", "p(v) in the second place.", "a misprint",
        "how unlike two people are who move otherwise, over the printed one", other_ignored,
    ),
    Erratum(
        "6.1, 7.2", "The number of classes has the most similarity across over that inside.",
        "That is largest where classes are wrong.", "Inside over across.", "wrong",
        "inside over across of right classes, over that of mixed ones", inside_over_outside,
    ),
    Erratum(
        "Algorithm 6.4", "Input: a seed, the aggregate, p_c, p_l, p_m.",
        "The decoder takes p_v too, and the classes.", "p_v and C belong to the input.",
        "a misprint", "read", None,
    ),
    Erratum(
        "Algorithms 6.3, 6.4, and (6.8) to (6.11)", "One matching per period; one matching in all.",
        "The formulas have a matching for each period, the algorithm returns a single one.",
        "One for all periods, an exact linear assignment.", "a misprint", "read", None,
    ),
    Erratum(
        "Chapter 7", "Fakes are released as if they were private.",
        "No test is run and nothing is noised, and fakes are learned from the days they hide; by "
        "Viterbi's algorithm with random weights no likelihood can be told, so none could be.",
        "No guarantee: docs/published-traces.md.", "unsafe",
        "measured by `understudy reproduce locations`, Given away", None,
    ),
)  # fmt: skip

ERRATA: Final = (Errata(DISSERTATION, "Section 6.1 and chapter 7: locations", _ERRATA),)
