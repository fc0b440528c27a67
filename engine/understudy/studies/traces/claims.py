"""Chapter 7 in words: what it says of its tables and figures and whether it holds here, how every
number is defined, and the errors of section 6.1 and chapter 7 of the dissertation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.mechanisms.errata import DISSERTATION, Errata, Erratum
from understudy.studies.comparison import Comparison, Numbers, StudyClaim
from understudy.studies.reproduction import Definition
from understudy.studies.traces.fakes.measures import TOP
from understudy.studies.traces.fakes.profiles import inside_over_across
from understudy.studies.traces.publication import FAKES, FULL, RANDOM, REAL, SINGLE, UNIFORM
from understudy.studies.traces.setting import NUMBERS, OWN, POPULAR, WALK

_BASELINES: Final = (UNIFORM, POPULAR, WALK, OWN)
"""The published ones of Figure 7.9."""
_ALIKE: Final = 0.7
_LINEAR: Final = 0.95


def claims(
    tables: Sequence[Comparison], real: FloatArray, fakes: FloatArray
) -> tuple[StudyClaim, ...]:
    """Return every claim.

    Args:
        tables: every comparison.
        real, fakes: sim_S of pairs of real people, and of pairs of fakes.
    """
    numbers = Numbers(tables)
    return (
        _profiles(numbers),
        *(_visits(numbers, measure) for measure in ("KL divergence, nats", "Relative error")),
        _judge_coverage(numbers),
        _times(numbers),
        _nearer(numbers),
        _aggregates(numbers),
        _resemblance(numbers),
        _quantiles(real, fakes),
        *_service(numbers),
        *_costs(numbers),
    )


def _profiles(numbers: Numbers) -> StudyClaim:
    geo, sem = (numbers.ours("Figure 7.2", name, "50 %") for name in ("sim_G", "sim_S"))
    assert geo is not None
    assert sem is not None
    return StudyClaim(
        "People are geographically unlike and semantically alike.",
        "Figure 7.2",
        f"Medians: sim_G {geo:.3f}, sim_S {sem:.3f}.",
        geo < 0.1 and sem > 0.5,
        "the median of sim_G is below 0.1, that of sim_S above 0.5",
    )


def _visits(numbers: Numbers, measure: str) -> StudyClaim:
    found = dict(numbers.all_of("Table 7.1", measure))
    of = {kind: value for (_, kind), value in found.items()}
    holds = of[REAL] < of[FAKES] < min(of[UNIFORM], of[SINGLE])
    return StudyClaim(
        f"{measure}: fakes are further from day 1 than day 2 is, and nearer than other baselines.",
        "Table 7.1",
        ", ".join(f"{kind} {value:.3f}" for kind, value in of.items()) + ".",
        holds,
        because=""
        if holds
        else "most locations are visited by nobody here, where the relative error of one place "
        "alone is next to nothing",
    )


def _judge_coverage(numbers: Numbers) -> StudyClaim:
    tops = [
        (top, value, numbers.ours("Figure 7.4", UNIFORM, top))
        for (_, top), value in numbers.all_of("Figure 7.4", FAKES)
        if top.startswith("top ")
    ]
    ahead = sum(other is not None and value > other for _, value, other in tops)
    least = numbers.ours("Figure 7.4", FAKES, "least") or 0.0
    return StudyClaim(
        "The top locations are covered to 61 % and more, far beyond visits of all alike.",
        "Figure 7.4",
        f"{least:.0%} and more; beyond visits of all alike for {ahead} of {len(tops)} tops.",
        least >= 0.61 and ahead == len(tops),
        because=""
        if least >= 0.61
        else "a fake never is where its seed is (p_l = 1), and the few most visited cells here are "
        "homes and workplaces of single people",
    )


def _times(numbers: Numbers) -> StudyClaim:
    beyond = []
    for rank in ("1st", "2nd", "3rd"):
        of = {kind: value for (_, kind), value in numbers.all_of("Table 7.2", rank)}
        beyond.append(of[FAKES] < min(of[UNIFORM], of[RANDOM]))
    return StudyClaim(
        "The time in each user's top three places is nearer to day 1 than baselines are.",
        "Table 7.2",
        f"For {sum(beyond)} of {len(beyond)} places.",
        all(beyond),
        because="" if all(beyond) else "people here have few places on a day, and fakes fewer",
    )


def _nearer(numbers: Numbers) -> StudyClaim:
    ranks = ("1st", "2nd", "3rd")
    pairs = [[numbers.ours("Table 7.2", rank, kind) for kind in (FAKES, REAL)] for rank in ranks]
    nearer = sum(one is not None and two is not None and one < two for one, two in pairs)
    return StudyClaim(
        "Sometimes the time in top places is nearer to day 1 than that of day 2 is.",
        "Table 7.2",
        f"For {nearer} of {len(ranks)} places.",
        nearer > 0,
    )


def _aggregates(numbers: Numbers) -> StudyClaim:
    found = [value for _, value in numbers.all_of("Aggregates", FAKES)]
    holds = min(found) >= _ALIKE
    return StudyClaim(
        "Aggregate mobility of fakes is strongly like that of day 1.",
        "section 7.3 (e)",
        f"Steps {found[0]:.2f}, places {found[1]:.2f}.",
        holds,
        f"both are {_ALIKE:g} or more (0.81 and 0.79 were printed)",
        "" if holds else "30 people leave most of the 400 cells to one or none of them",
    )


def _resemblance(numbers: Numbers) -> StudyClaim:
    mean = numbers.ours("Figures 7.6 to 7.8", "sim_S of a seed and its fake, mean", "–") or 0.0
    return StudyClaim(
        "sim_S of seeds and their fakes is biased high.",
        "Figure 7.7",
        f"Mean {mean:.2f}.",
        mean > 0.5,
        "the mean is above ½",
    )


def _quantiles(real: FloatArray, fakes: FloatArray) -> StudyClaim:
    levels = np.arange(1, 100)
    one, other = (np.percentile(each, levels) for each in (real, fakes))
    known = min(one.std(), other.std()) > 0
    line = float(np.corrcoef(one, other)[0, 1]) if known else 0.0
    return StudyClaim(
        "Similarities among fakes and among people are strongly linearly related.",
        "Figure 7.8",
        f"Correlation of percentiles {line:.3f}.",
        line > _LINEAR,
        f"the correlation of percentiles is above {_LINEAR:g}",
    )


def _service(numbers: Numbers) -> tuple[StudyClaim, StudyClaim]:
    def read_misses(kind: str, number: int) -> float:
        return numbers.ours("Figure 7.9, privacy", kind, str(number), "naive") or 0.0

    most = {n: max(read_misses(kind, n) for kind in _BASELINES) for n in NUMBERS}
    best = all(read_misses(FAKES, n) >= most[n] for n in NUMBERS)
    clearly = all(read_misses(FAKES, n) > most[n] for n in NUMBERS[:-1])
    closest = [max(_BASELINES, key=lambda kind, n=n: read_misses(kind, n)) for n in NUMBERS]  # type: ignore[misc]
    return (
        StudyClaim(
            "The published fakes clearly outperform all others.",
            "Figure 7.9",
            "; ".join(
                f"{n} fakes: {read_misses(FAKES, n):.2f}, the best other {read_misses(each, n):.2f}"
                for n, each in zip(NUMBERS, closest, strict=True)
            )
            + ".",
            best and clearly,
            "the published adversary misses as much as with any other kind, and more where there "
            "are fewer than ten fakes, of which every place may be missed",
            "the published adversary is not the strongest",
        ),
        StudyClaim(
            "Of the others, walks of one's own come closest in privacy.",
            "Figure 7.9",
            f"Closest are {', '.join(dict.fromkeys(closest))}.",
            set(closest) == {OWN},
            because=""
            if set(closest) == {OWN}
            else "people here keep to so few places that walks of their own often stand where they "
            "are",
        ),
    )


def _costs(numbers: Numbers) -> tuple[StudyClaim]:
    def read_sent(kind: str, number: int) -> float:
        return numbers.ours("Figure 7.9, cost", kind, str(number), "locations") or 0.0

    others = (UNIFORM, POPULAR, WALK)
    less = [
        max(read_sent(FAKES, n), read_sent(OWN, n)) < min(read_sent(each, n) for each in others)
        for n in NUMBERS
    ]
    said = "; ".join(
        f"{n} fakes: {read_sent(FAKES, n):.2f} and {read_sent(OWN, n):.2f}, others from "
        f"{min(read_sent(each, n) for each in others):.2f}"
        for n in NUMBERS
    )
    return (
        StudyClaim(
            "Published fakes and walks of one's own send fewer different locations.",
            "Figure 7.9",
            f"{said}.",
            all(less),
            "fewer a query than all of the other three, whatever the number of fakes",
            ""
            if all(less)
            else "a single fake never is where its seed is, and a popular place sometimes is",
        ),
    )


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
