"""What is wrong in the paper on the pMSE mechanism."""

from __future__ import annotations

import math
from typing import Final

from understudy.mechanisms.errata import PMSE, Errata, Erratum
from understudy.mechanisms.pmse.gini import sensitivity
from understudy.studies.pmse.practised.failing import PUBLISHED_BOUND, exclusive_or, threshold
from understudy.studies.pmse.practised.published_model import RECORDS
from understudy.studies.pmse.published import EPSILONS, PRACTISED, VARIANCES

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
