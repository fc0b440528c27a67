"""How every number of chapter 7 is defined, as published and here."""

from __future__ import annotations

from typing import Final

from understudy.studies.reproduction import Definition
from understudy.studies.traces.fakes.visits import TOP
from understudy.studies.traces.setting import NUMBERS
from understudy.studies.traces.sizes import FULL

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
