"""How every number of the published simulations is defined, and the errors of the paper."""

from __future__ import annotations

import math
from typing import Final

from understudy.mechanisms.errata import PMSE, Errata, Erratum
from understudy.mechanisms.pmse.gini import sensitivity
from understudy.studies.pmse.common_practice import (
    CPS,
    DEPTHS,
    PUBLISHED_BOUND,
    RECORDS,
    exclusive_or,
    threshold,
)
from understudy.studies.pmse.methods import DRAWS, USUAL
from understudy.studies.pmse.publication import (
    BOUNDS,
    EPSILONS,
    FIGURE_EPSILONS,
    FULL,
    LEAF,
    PRACTISED,
    PUBLISHED_CHANGES,
    PUBLISHED_REPEATS,
    VARIANCES,
)
from understudy.studies.reproduction import Definition

DEFINITIONS: Final = (
    Definition(
        "Table 1, Figure 1",
        f"Per cent of {PUBLISHED_CHANGES:,} simulations, of {RECORDS:,} records, in which noise "
        f"N(0, 25) on one record moves the pMSE of greedy trees by more than 1/n; depths "
        f"{', '.join('unlimited' if each is None else str(each) for each in DEPTHS)}, cp of "
        f"{' and '.join(f'{each:g}' for each in CPS)}.",
        f"The same in {FULL.changes:,} simulations, trees by scikit-learn, cp as a share of "
        "the root's impurity.",
        "a million take half a day; so many give a tenth of a percentage point",
    ),
    Definition(
        "Figures 2 and 4",
        "|β̂ − β̂ of the synthetic table| of intercept and slope; ε of "
        f"{', '.join(f'{each:g}' for each in FIGURE_EPSILONS)}; bounded methods truncated at "
        f"{', '.join(f'{each:g}' for each in BOUNDS)} standard deviations; trees of four depths. "
        "The number of tables is not said.",
        f"The same, of {FULL.repeats} tables each, at {USUAL:g} standard deviations where a "
        "method has no others; safe mechanism, linear and calibrated model beside.",
        "other ways at the same ε are what a custodian chooses from",
    ),
    Definition(
        "Table 2, Figure 3",
        f"Mean and variance of the pMSE of {PUBLISHED_REPEATS:,} tables a method at ε of "
        f"{', '.join(f'{each:g}' for each in EPSILONS)}; which tree evaluates is not said.",
        f"The same of {FULL.repeats} tables; a tree without cp whose leaves hold {LEAF} or "
        "more, which comes to the published pMSE without privacy.",
        "with the printed cp = 0.01 such a tree makes no split at all",
    ),
    Definition(
        "pMSE Mech.",
        f"States of a Metropolis chain, l = {DRAWS} at ε/l, of a length that is not said.",
        f"The last state of {FULL.steps:,} steps at ε/{DRAWS}, as practised and without an "
        "ε; beside it the safe mechanism at the full ε.",
        "a chain has no ε of its own, and the length decides the result",
    ),
    Definition(
        "Smooth Hist., DP Bayes",
        "λ ≥ K/(K + n(e^{ε/n} − 1)), K not said; how ε is divided and the priors are not said.",
        "λ as printed, four bins a side; ε divided evenly.",
        "with the printed λ no K gives the printed numbers",
    ),
)


_VOLUME: Final = 1e5
"""The variance of the flat prior of each parameter."""


def compare_to_bound(scores: tuple[float, float]) -> float:
    """Return how far one record moves a score, over the published bound."""
    return abs(scores[0] - scores[1]) / PUBLISHED_BOUND


def prior_over_signal() -> float:
    """Return the nats that the flat prior of five parameters puts outside of ±2, over the most that
    the mechanism gains of 5,000 records at ε = 0.25 in ten releases."""
    signal = (RECORDS * 0.25 / 10 / 2) / 4
    return 5 * math.log(math.sqrt(_VOLUME) / 2) / signal


def variance_at_low_epsilon() -> float:
    """Return the variance of the pMSE mechanism at the smallest ε over that at the largest."""
    of = dict(zip(EPSILONS, VARIANCES[PRACTISED], strict=True))
    return of[0.25] / of[4.0]


_ERRATA: Final = (
    Erratum(
        "Theorem 4.1, (17)", "Δu ≤ 1/n, as the sum moves by 2 at most.",
        "The record that goes was no synthetic one, so each term is below 1.",
        "Δu = 1/(2(n + 1)), which is attained: the same ε with nearly twice the exponent.", "loose",
        f"Δu, n = {RECORDS:,}", lambda: (1 / RECORDS) / float(sensitivity(RECORDS, RECORDS)),
    ),
    Erratum(
        "Sections 5 to 7", "Trees that are grown greedily violate the bound in up to 2.5 % of "
        "simulations.",
        "That is no chance of anything: one record can move their score over its whole range.",
        "Exhaustive search, or trees that are grown without the real records.", "unsafe",
        f"the score's move over 1/n, two columns in unlike values, depth 2, n = {RECORDS:,}",
        lambda: compare_to_bound(exclusive_or().scores()),
    ),
    Erratum(
        "Table 1, depth 1", "0.0 % of simulations violate the bound at cp = 0.01.",
        "A threshold on the gain lets one record decide whether there is a split.",
        "cp = 0, or the penalised optimum itself as the score.", "unsafe",
        f"the score's move over 1/n, one split, cp = 0.01, n = {RECORDS:,}",
        lambda: compare_to_bound(threshold().scores()),
    ),
    Erratum(
        "Section 6", "The flatness of the prior ensures that it does not affect the utility.",
        "Where it outweighs what records can say, nearly all of what is drawn is in its tail.",
        "Their nats are compared before anything is spent.", "wrong",
        "nats of the prior beyond ±2 over the most that 5,000 records gain, ε = 0.25, l = 10",
        prior_over_signal,
    ),
    Erratum(
        "Algorithm 2, section 3", "θ is drawn by Metropolis, so the release is lε-private.",
        "A chain of finite length has not the law that is proven of; l states of one chain are "
        "not l draws.",
        "An exact choice among candidates that are drawn without the records.", "unsafe", "read",
        None,
    ),
    Erratum(
        "(4)", "GI = argmin Σ, D the number of nodes.", "GI is the least sum; there are D splits.",
        "min, and D + 1 leaves.", "a misprint", "read", None,
    ),
    Erratum(
        "Algorithm 2, step 3", "m synthetic data sets in total.", "l are drawn.", "l.",
        "a misprint", "read", None,
    ),
    Erratum(
        "(9), (10)", "− 0.25 m_i.", "(p − ½)² gives + 0.25 m_i. It cancels, as Σ m_i is the same.",
        "+ 0.25 m_i.", "a misprint", "read", None,
    ),
    Erratum(
        "(12), (17)", "A minimum over D; terms without primes.",
        "D is fixed, the minimum is over partitions; the second table's terms are meant.",
        "Over partitions into D + 1 leaves, and m′.", "a misprint", "read", None,
    ),
    Erratum(
        "Table 2", "Variances at ε = 1 and at ε = 2 are the same in all four columns.",
        "One row was copied.", "That of ε = 2 is not known.", "a misprint",
        "the printed digits, compared by a test", None,
    ),
    Erratum(
        "Section 7", "The variances of the pMSE mechanism are higher at small or large ε.",
        "In Table 2 they fall all the way.", "They fall as ε grows.", "wrong",
        "the printed variance at ε = 0.25 over that at ε = 4", variance_at_low_epsilon,
    ),
    Erratum(
        "Table 2, Smooth Hist.", "0.082 to 0.011 with λ ≥ K/(K + n(e^{ε/n} − 1)).",
        "With that λ the histogram is nearly even, whatever K: its pMSE stays above 0.07.",
        "λ as printed; the column is not reproducible from the text.", "wrong",
        "measured by `understudy reproduce pmse`, Table 2", None,
    ),
)  # fmt: skip

ERRATA: Final = (Errata(PMSE, "", _ERRATA),)
