"""How every number of chapter 7 is defined, and the errors of section 6.1 and chapter 7 of the
dissertation.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.mechanisms.errata import DISSERTATION, Errata, Erratum
from understudy.studies.reproduction import Definition
from understudy.studies.traces.fakes.measures import TOP
from understudy.studies.traces.fakes.profiles import inside_over_across
from understudy.studies.traces.publication import FULL
from understudy.studies.traces.setting import NUMBERS

DEFINITIONS: Final = (
    Definition(
        "People",
        "30 users of the Lausanne campaign, two days each of 72 slots, 400 locations clustered "
        "from 1,491; day 1 is seed and training, day 2 the baseline; some 500 fakes a seed, of "
        "which 10 data sets of 30 are selected.",
        f"{FULL.people} people of the simulated city, two days, 400 cells; {FULL.releases} data "
        "sets of one fake each.",
        "the campaign's data are not here; how fakes were selected was not printed",
    ),
    Definition(
        "Figure 7.2",
        "Histograms of sim_G and sim_S of all pairs of people.",
        "Quantiles of the same.",
    ),
    Definition(
        "Table 7.1",
        "KL divergence of day 1 from each data set, visits of locations sorted by popularity, "
        "zeros set to 0.1; relative error |n₁ − n₂|/max(n₁, 0.001 N), the mean over locations.",
        "The same; the relative error by location; the divergence by location beside.",
        "sorted visits forget which place is which",
    ),
    Definition(
        "Figure 7.3",
        f"Shares of visits of the {TOP} most visited locations of each data set.",
        "The same.",
    ),
    Definition(
        "Figure 7.4",
        "How many of day 1's top n locations are among the top n of a data set; the mean over data "
        f"sets relative to day 2's, at most 1, n up to {TOP}.",
        "The same; beside it how much of the visits day 1's top n take in, relative to day 2's.",
        "both are printed: for n of 1 to 3 a count is of one to three places, and says little",
    ),
    Definition(
        "Table 7.2, Figure 7.5",
        "KL divergence of the time that each user spends in the three places where they are most; "
        "“uniform” spends equal time at each of k, “random” a uniformly random share.",
        "How the time in the first, second and third place is shared among people, person i beside "
        "trace i; “uniform” spends a third in each of three, “random” shares by chance.",
        "in what order users are, and k, was not printed",
    ),
    Definition(
        "Aggregates",
        "Mean similarity of p̄ and π̄ of a data set to day 1's, by sim_G.",
        "Σ π̄ Σ min(p̄), and Σ min(π̄).",
    ),
    Definition(
        "Figure 7.6",
        "|sim_S(s, y) − sim_S(s′, y)| of every fake y of a seed s and all other seeds s′.",
        "The same.",
    ),
    Definition(
        "Figures 7.7 and 7.8",
        "sim_S of each fake and its seed; quantiles of sim_S of pairs of people beside pairs of "
        "fakes.",
        "The same.",
    ),
    Definition(
        "Figure 7.9, privacy",
        "The share of queries whose place a hidden Markov model misses, of the median user; a "
        f"query every 40 minutes on average; {', '.join(map(str, NUMBERS))} fakes, 20 times.",
        f"The same, {FULL.repeats} times; four other adversaries beside.",
        "the published one is not the strongest: who takes the least likely place misses less",
    ),
    Definition(
        "Figure 7.9, cost",
        "Bandwidth: the number of distinct locations that a query sends. Pollution: the number of "
        "distinct semantic classes among them. Averages.",
        "The same, over all queries; and the median number of either that a day sends.",
        "both are printed: a day's number is what a service learns of a user, and the order of two "
        "methods changes",
    ),
)


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
