"""How every number of the census evaluation is defined, and the errors of the paper of 2017 and of
the same parts of the dissertation of 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.stats import hypergeom

from understudy.mechanisms.errata import DISSERTATION, PAPER, Errata, Erratum
from understudy.models.bayesnet.structure import entropy_sensitivity, published_count
from understudy.privacy.accounting.published_figures import published_k
from understudy.studies.reproduction import Definition
from understudy.studies.seedbased import publication as published
from understudy.studies.seedbased.results import LEAF
from understudy.studies.seedbased.setting import PUBLISHED_ROWS, SeedbasedStudySetting

_FULL: Final = SeedbasedStudySetting.of(len(published.CARDINALITIES))

DEFINITIONS: Final = (
    Definition(
        "Tables 1 and 2",
        f"{published.RECORDS:,} clean records of the American Community Survey of 2013; values of "
        "each column, possible records, and those that occur once.",
        f"The same of {PUBLISHED_ROWS:,} simulated people.",
        "the survey is not here; possible records are the product of the values, which the printed "
        "number is not",
    ),
    Definition(
        "Table 3",
        f"Trees, forests and AdaBoostM1 trained on {published.TRAINING:,} records or more, tested "
        f"on a disjoint set of at least 30 % as many; the average of {published.RUNS} runs with "
        "other samples. Agreement: with a classifier trained on real records.",
        f"Trained on {_FULL.most:,} records, tested on as many held-out ones, once; the interval "
        f"is of {_FULL.repeats} more fits, each without a fifth. Agreement as published, with a "
        "classifier trained on seeds.",
        "one fit of all records says more than the mean of several, and blocks give the interval; "
        "which base learner AdaBoostM1 had was not printed (stumps here)",
    ),
    Definition(
        "Table 4",
        "Logistic regression and SVM, with output and objective perturbation at ε = 1 by the "
        "code of their authors; one-hot features in [0, 1], rows of a norm of at most 1; λ of "
        "10⁻³ to 10⁻⁶, picked on the classifier without noise.",
        "The same, by an implementation of our own from the publication.",
    ),
    Definition(
        "Table 5",
        f"{published.DISTINGUISHED:,} real and {published.DISTINGUISHED:,} synthetic records to "
        "learn from, tested on as many of each that were not learned from.",
        f"The same: half of {_FULL.most:,} of each.",
    ),
    Definition(
        "Figure 1",
        "Errors of the most likely value given all others, relative to those of private marginals, "
        f"on records of the input, drawn millions of times; the average of {published.MODELS} "
        "models at each ε.",
        f"The same on {_FULL.tested:,} held-out records, {_FULL.models} models: "
        f"{_FULL.tested * _FULL.models:,} guesses at each ε and column.",
        "records that nothing was learned from",
    ),
    Definition(
        "Figure 2",
        "The model without noise beside marginals without noise, a guess, and a random forest "
        "trained on as many records as the model.",
        f"The same: the forest learns from {published.PARAMETERS:,} records, with leaves of "
        f"{LEAF} or more; private marginals stand beside.",
        "the text has the best classifier that was found without its settings, and trees that are "
        "grown out know less",
    ),
    Definition(
        "Figures 3 and 4",
        "Total variation of every column, and of every pair, from other real records, as box "
        "plots; the number of records is not said.",
        f"The same, of {_FULL.most:,} records each.",
    ),
    Definition(
        "Figure 5",
        "Seconds of one core until so many candidates are made, those that fail the test "
        f"included; the test stops at {published.TIMED_PLAUSIBLE} plausible seeds or after "
        f"{published.TIMED_EXAMINED:,} of {published.SEEDS:,}.",
        f"Seconds until so many records are released, with the candidates made; all "
        f"{published.SEEDS:,} seeds count, by an index. The share that passes is given for both.",
        "released records are what is wanted, and an exact count costs no more; it is also what "
        "the guarantee is proven for",
    ),
    Definition(
        "Figure 6",
        f"The share of candidates that pass at γ = {published.PASSING_GAMMA:g}, where plausible "
        f"seeds are counted among {published.PASSING_EXAMINED:,} of {published.SEEDS:,}, drawn at "
        "random for each candidate.",
        "The same, and beside it where all seeds count, as a run here does; expected shares, over "
        f"the noise on k, of {_FULL.scored:,} candidates of each ω.",
        "both are printed: a limit on what is looked at lets fewer pass and saves nothing here",
    ),
)


_ATTRIBUTES: Final = len(published.CARDINALITIES)


def passes(count: int, k: int, epsilon0: float) -> float:
    """Return the chance that so many plausible seeds pass the randomised test."""
    over = epsilon0 * (count - k)
    return 1 - math.exp(-over) / 2 if over >= 0 else math.exp(over) / 2


def rejected_beyond_delta() -> float:
    """Return, of 400 equal records and one more that differs, the chance of a rejection beyond e^ε
    times that without it, over the printed δ. The model is the identity."""
    records, k, t, gamma, epsilon0 = 400, 20, 5, 2.0, 1.0
    one = 1 - passes(records, k, epsilon0)
    other = (records * one + 1 - passes(1, k, epsilon0)) / (records + 1)
    epsilon = epsilon0 + math.log1p(gamma / t)
    delta = math.exp(-epsilon0 * (k - t))
    return (other - math.exp(epsilon) * one) / delta


def passes_early(count: int, records: int, examined: int, k: int, epsilon0: float) -> float:
    """Return the chance of passing if so many of the records, at random, are looked at."""
    found = np.arange(min(count, examined) + 1)
    chances = hypergeom.pmf(found, records, count, min(examined, records))
    passing = np.array([passes(int(each), k, epsilon0) for each in found])
    return float(chances @ passing)


def other_partition_falls() -> float:
    """Return by how many times q of a partition falls as a record joins another one, if the
    published tool looks at twenty records."""
    return passes_early(20, 20, 20, 25, 1.0) / passes_early(20, 21, 20, 25, 1.0)


def advanced_over_basic() -> float:
    """Return what each column's counts may spend by basic composition, over what advanced
    composition gives them."""
    delta = published.DELTA

    def total(each: float) -> float:
        m = _ATTRIBUTES
        return each * math.sqrt(2 * m * math.log(1 / delta)) + m * each * math.expm1(each) - 1

    return 1 / _ATTRIBUTES / float(brentq(total, 1e-6, 1.0))


def mean_over_mode() -> float:
    """Return the mode of a share over its mean, of counts 3 and 1 and a prior of 2 and 2."""
    return ((3 + 2 - 1) / (4 + 4 - 2)) / ((3 + 2) / (4 + 4))


def least_k(epsilon: float, delta: float) -> int:
    """Return the smallest k with which one release of the second test keeps to ε and δ."""
    k = 2
    while not any(
        math.log(1 / delta) / (k - t) + math.log1p(1 / t) <= epsilon for t in range(1, k)
    ):
        k += 1
    return k


def strings(length: int) -> Iterator[tuple[int, ...]]:
    """Yield all strings of zeros and ones."""
    yield from product((0, 1), repeat=length)


def hybrid(seed: Sequence[int], made: Sequence[int], share: float) -> float:
    """Return the chance of a string by the hybrid model of Example 3.6."""
    length, ones = len(seed), sum(seed)
    alike = 1 / math.comb(length, ones) if sum(made) == ones else 0.0
    return share * alike + (1 - share) * 0.5**length


def hybrid_sensitivity(share: float) -> float:
    """Return the largest relative sensitivity of the hybrid model, of three strings of four."""
    records = [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)]
    ratios = []
    for made in strings(4):
        chances = [hybrid(each, made, share) for each in records]
        whole = sum(chances) / len(records)
        for at in range(len(records)):
            without = (sum(chances) - chances[at]) / (len(records) - 1)
            ratios += [whole / without, without / whole]
    return max(ratios)


_OF_PAPER: Final = (
    Erratum(
        "Theorem 1, proof (dissertation: Theorems 4.1, 4.2)",
        "The range of the mechanism is U, so any outcome is a set of records.",
        "It may also release nothing, and who learns that learns of a record.",
        "A pass cap, or a run that tells nothing of rejections: docs/guarantee.md.", "unsafe",
        "Pr{⊥ | one more} beyond e^ε·Pr{⊥}, over δ: 400 equal records, k = 20, t = 5, ε0 = 1",
        rejected_beyond_delta,
    ),
    Erratum(
        "Theorem 1", "δ = e^{−ε0(k − t)}.", "Laplace noise reaches so far with half that chance.",
        "δ = ½e^{−ε0(k − t)}; with geometric noise e^{−ε0(k − t)}/(1 + e^{−ε0}).", "loose",
        "δ, k = 50, t = 29, ε0 = 1",
        lambda: math.exp(-21) / passes(29, 50, 1.0),
    ),
    Erratum(
        "Section 5, Lemma C.12 (a)",
        "max_check_plausible affects performance, but not privacy; and a record that joins one "
        "partition leaves q of all others as it was.",
        "Where so many records are looked at, one that joins crowds out others, and q of their "
        "partitions falls. Corollary C.13 fails with it, and what is proven here of rejections.",
        "Count all plausible seeds, as here. With the limit ε and δ still hold for what is "
        "released (docs/guarantee.md), with e^{ε0}(1 + 1/n) in the place of 1 + 1/k.",
        "proves nothing",
        "q without the record over q with it: 20 looked at of 20 and 21, k = 25, ε0 = 1",
        other_partition_falls,
    ),
    Erratum(
        "3.5 (dissertation: 6.2.5)", "Structure learning takes m(m + 1) entropies.",
        "That leaves out those of two parents with each other, which (6.14) needs: "
        f"{_ATTRIBUTES * (_ATTRIBUTES + 1)} are paid for and "
        f"{published_count(_ATTRIBUTES)} asked for, of {_ATTRIBUTES} columns.",
        "m(m + 1) + m(m − 1)/2.", "unsafe", f"entropies, m = {_ATTRIBUTES}",
        lambda: published_count(_ATTRIBUTES) / (_ATTRIBUTES * (_ATTRIBUTES + 1)),
    ),
    Erratum(
        "Appendix B, Lemma 1 (dissertation: A.1)",
        "An entropy moves by up to (2 + 1/ln 2 + 2 log₂ n)/n.",
        "Proven for a record that is replaced, where the guarantee is for one more or less.",
        "(log₂ n + 1/ln 2)/n for one more or less: docs/guarantee.md.", "loose",
        f"Δ_H, n = {published.STRUCTURE:,}",
        lambda: (2 + 1 / math.log(2) + 2 * math.log2(published.STRUCTURE)) / published.STRUCTURE
        / entropy_sensitivity(published.STRUCTURE),
    ),
    Erratum(
        "3.3.1 (dissertation: (6.20))", "Δ_H is worked out at a noisy number of records.",
        "Where the noise is above 0 that is less than Δ_H, and too little noise is added.",
        "A lower bound on the number, which is missed with a chance that is part of δ.", "unsafe",
        "Δ_H at n = 1,000 over that at a noisy number of 1,010",
        lambda: entropy_sensitivity(1_000) / entropy_sensitivity(1_010),
    ),
    Erratum(
        "3.5 (dissertation: 6.2.5)", "Advanced composition is used for the counts of the columns.",
        "Of so few columns it allows less than basic composition does.",
        "The best of several compositions.", "loose",
        f"ε of a column's counts, m = {_ATTRIBUTES}, ε = 1, δ = 2^−30", advanced_over_basic,
    ),
    Erratum(
        "(13) (dissertation: (6.23))", "(α + n)/Σ(α + n) are the most likely parameters.",
        "They are the mean of the posterior, and not its mode.", "The posterior mean.", "wrong",
        "the mode of a share over its mean, α = 2, 2, n = 3, 1", mean_over_mode,
    ),
    Erratum(
        "Table 2 (dissertation: Table 8.2)", f"{published.POSSIBLE:,} records are possible.",
        "That takes 79 ages and 99 numbers of hours, where Table 1 has 80 and 100.",
        f"{math.prod(published.CARDINALITIES.values()):,}.", "a misprint", "possible records",
        lambda: math.prod(published.CARDINALITIES.values()) / published.POSSIBLE,
    ),
)  # fmt: skip

_OF_DISSERTATION: Final = (
    Erratum(
        "2.1, 6.3.1, 9.2, 10.2", "Gaus(μ, σ) has the standard deviation σ; Gaus(0, βI) is used.",
        "There β is a variance.", "Codes get noise of variance β.", "a misprint",
        "the standard deviation of β = 0.8", lambda: math.sqrt(0.8) / 0.8,
    ),
    Erratum(
        "Example 3.6", "The closer b is to 1, the smaller the relative sensitivity.",
        "b is the share of the model that depends on its seed.", "The closer b is to 0.", "wrong",
        "relative sensitivity at b = 0.9 over that at b = 0.1, of 0000, 0001 and 0011",
        lambda: hybrid_sensitivity(0.9) / hybrid_sensitivity(0.1),
    ),
    Erratum(
        "(4.3), Tests 4.1 and 4.2", "i is the unique positive integer with r^{−i−1} < p ≤ r^{−i}.",
        "A likelihood above 1/r has i = 0.", "i ≥ 0; for densities any integer.", "a misprint",
        "read", None,
    ),
    Erratum(
        "Observation 4.2", "κ ≥ t leaves a record a share of the likelihood of at most 1/t.",
        "Its own likelihood is part of the whole.", "1/(t + 1).", "loose", "the share, t = 5",
        lambda: (1 / 5) / (1 / 6),
    ),
    Erratum(
        "Lemma 4.1, Theorem 4.2, proofs", "“Less than” in the one, Σ over D in the other.",
        "Ties belong to it; the sum is over the smaller data set.", "≤, and D⋆.", "a misprint",
        "read", None,
    ),
    Erratum(
        "Theorem 4.2", "Pr{y | D1} ≤ e^ε·Pr{y | D2} + δ(t) for every y.",
        "Added up over the outcomes of a set that is as many δ.",
        "δ(t) for every set: the proof gives each y a part of it (docs/guarantee.md).", "loose",
        "δ added up over the records of four flags", lambda: float(len(list(strings(4)))),
    ),
    Erratum(
        "(4.6), k = 2t", "k and ε0 follow from advanced composition with k = 2t.",
        "Of few releases it asks for far more than is needed.",
        "k, t, ε0 and δ are searched for with the best composition.", "loose",
        "k, one release, ε = 1, δ = 2^−40",
        lambda: (published_k(1.0, 2.0**-40, 1, 1.0) or math.inf) / least_k(1.0, 2.0**-40),
    ),
    Erratum(
        "Lemma 5.1", "η̃ = ((1 + 1/|D|)η − 1)^{−1}.",
        "Definition 3.3 compares n records with n − 1, so the factor is n/(n − 1).",
        "η̃ = (η·n/(n − 1) − 1)^{−1}.", "wrong", "the factor, n = 10",
        lambda: (10 / 9) / (1 + 1 / 10),
    ),
)  # fmt: skip

ERRATA: Final = (
    Errata(PAPER, "", _OF_PAPER),
    Errata(DISSERTATION, "Chapters 2 to 6 and 8, beside what the paper has too", _OF_DISSERTATION),
)
