"""Mistakes of the thesis, each with its numbers, and what was published.

Zheng 2015 states its bounds for two categories and for Gaussian means; several are off by a
constant. Where a printed bound would promise more than holds, using it is unsafe; where it asks for
more than is needed, it is only strict. Orders of growth (O, Ω) have no constants there, and are no
figures.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from understudy.mechanisms.errata import THESIS, Errata, Erratum
from understudy.mechanisms.imputation.curves.curve import Gaussian, GaussianCurve, largest_ratio
from understudy.mechanisms.imputation.curves.drawn import Cells, DrawAmounts, drawn_delta
from understudy.mechanisms.imputation.parts import Mean, Part
from understudy.mechanisms.imputation.plan import ReleaseType

FLAT: Final = 1e-12
"""A prior that counts for next to no records, as good as none."""


def noised_mode_of_two(records: int, alpha: float, beta: float) -> float:
    """Return the true ε over the printed one, of Corollary 6.2."""
    total = records + alpha + beta
    return total / (total - 2)


def noised_mode_of_a_mean(records: int, prior: float) -> float:
    """Return the true ε over the printed one, of Corollary 7.3: the mean moves by 2Rw/n, and not by
    R/n."""
    return 2 * Gaussian(1.0, 1.0, prior, records).weight


def printed_range(
    release: ReleaseType, records: int, rows: int, epsilon: float, delta: float
) -> float:
    """Return the largest R/σ that is printed for an (ε, δ): Theorem 7.8 for one draw and its rows,
    the better of Theorem 7.15 and Corollary 7.16 for rows from the mode or from draws of their
    own."""
    if release in ("posterior-draw", "rows-from-one-draw"):
        return epsilon * math.sqrt(records) / math.sqrt(2 * math.log(1 / delta))
    return max(
        printed_few(records, rows, epsilon, delta), printed_many(records, rows, epsilon, delta)
    )


def printed_few(records: int, rows: int, epsilon: float, delta: float) -> float:
    """Return R/σ of Theorem 7.15."""
    return records * epsilon / (2 * rows * math.sqrt(2 * math.log(rows / delta)))


def printed_many(records: int, rows: int, epsilon: float, delta: float) -> float:
    """Return R/σ of Corollary 7.16."""
    return math.sqrt(epsilon * records / (4 * math.sqrt(2 * rows * math.log(1 / delta))))


def exact_range(
    release: ReleaseType, records: int, rows: int, epsilon: float, delta: float, prior: float = FLAT
) -> float:
    """Return the largest R/σ with which an (ε, δ) holds."""
    return largest_ratio(epsilon, delta) / _ratio_of(release, Gaussian(1, 1, prior, records), rows)


def _ratio_of(release: ReleaseType, model: Gaussian, rows: int) -> float:
    if release == "posterior-draw":
        return model.compute_mu(1, math.inf)
    if release == "rows-from-one-draw":
        return model.compute_mu(1, rows)
    return model.from_mode(rows) if release == "rows-from-mode" else model.compute_mu(rows, 1)


def delta_of_range(
    release: ReleaseType, radius: float, records: int, rows: int, epsilon: float
) -> float:
    """Return the true δ at an R/σ, without a prior."""
    ratio = _ratio_of(release, Gaussian(radius, 1.0, FLAT, records), rows)
    return float(GaussianCurve(ratio).forward(np.array([epsilon]))[0])


def printed_delta(release: ReleaseType, part: Part, epsilon: float) -> float | None:
    """Return δ at an ε that follows from a printed bound: Theorem 7.8 for means, Lemma 6.5 for a
    draw of the parameter of two categories; None where none is printed with its constants."""
    if isinstance(part, Mean):
        if release not in ("posterior-draw", "rows-from-one-draw"):
            return None
        return math.exp(-part.records * (epsilon * part.deviation / part.model.radius) ** 2 / 2)
    if release in ("posterior-draw", "rows-from-one-draw") and part.count == 2 and not part.given:
        return tail_bound(float(part.alpha), part.records, epsilon)
    return None


def printed_strength(release: ReleaseType, cells: int, rows: int, epsilon: float) -> float | None:
    """Return α that is printed for ε without a δ (Theorems 6.9 to 6.13, Corollaries 6.21 and 6.22);
    None where there is none."""
    if release == "rows-from-one-draw":
        return 1 + rows / math.expm1(epsilon) if cells == 2 else 2 * rows / epsilon
    if release not in ("rows-from-mode", "rows-from-own-draws"):
        return None
    if cells > 2:
        return 1 + 1 / math.expm1(epsilon / (2 * rows))
    return (2 if release == "rows-from-mode" else 1) + 1 / math.expm1(epsilon / rows)


def exact_strength(release: ReleaseType, rows: int, epsilon: float) -> float | None:
    """Return the smallest α with ε and no δ; None where there is none."""
    if release == "rows-from-one-draw":
        return rows / math.expm1(epsilon)
    if release not in ("rows-from-mode", "rows-from-own-draws"):
        return None
    return (1 if release == "rows-from-mode" else 0) + 1 / math.expm1(epsilon / rows)


def tail_bound(alpha: float, records: int, epsilon: float) -> float:
    """Return δ by Lemma 6.5, whose proof asks that no unlikely θ is drawn at all."""
    from scipy.special import betainc, betaincc

    # It is largest where one of the two is rare.
    ones = np.unique(np.concatenate([np.arange(1, min(records, 50) + 1),
                                     np.geomspace(1, records, 200).astype(int)]))  # fmt: skip
    a, b = ones + alpha, records - ones + alpha
    high = math.exp(epsilon) * (a - 1) / (b + math.exp(epsilon) * (a - 1))
    low = a / (a + math.exp(epsilon) * (b - 1))
    return float(np.max(betaincc(a, b, high) + betainc(a, b, low)))


def average_case(records: int, share: float, epsilon: float) -> float:
    """Return δ by which the count of a yes-or-no column gives away one record among random others.

    Every other record is a yes with the same chance, by itself; nothing is drawn. That is
    Bin(n − 1, θ) with one more, or without.

    Args:
        records: n, this record included.
        share: θ.
        epsilon: ε.
    """
    from scipy.stats import binom

    counts = np.arange(records + 1)
    less, more = binom.pmf(counts, records - 1, share), binom.pmf(counts - 1, records - 1, share)
    grown = math.exp(epsilon)
    both = (np.maximum(more - grown * less, 0).sum(), np.maximum(less - grown * more, 0).sum())
    return float(max(both))


def _strict(release: ReleaseType, cells: int, rows: int) -> float:
    printed, needed = (
        printed_strength(release, cells, rows, 1.0),
        exact_strength(release, rows, 1.0),
    )
    assert printed is not None
    assert needed is not None
    return printed / needed


def _row(radius: float, *, mode: bool) -> float:
    return Gaussian(radius, 1.0, FLAT, 1000).conditioned_row(mode=mode)


ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        "2.10", "(ε, δ) where the ratio is beyond e^ε with chance δ only: Pr S ≤ e^ε·Pr′ S.",
        "The last line leaves + δ out.", "Pr S ≤ e^ε·Pr′ S + δ.", "a misprint",
        "Pr S = ½ against ¼, e^ε = 1.5", lambda: 0.5 / (1.5 * 0.25),
    ),
    Erratum(
        "3.3.1", "The next row is a 1 with chance (n₁ + α)/(n₁ + α + β).",
        "The rows that say 0 are missing below.", "(n₁ + α)/(n + α + β).", "a misprint",
        "the chance, n = 10, n₁ = 3, α = β = 2", lambda: ((3 + 2) / (3 + 2 + 2)) / ((3 + 2) / 14),
    ),
    Erratum(
        "6, on 4.2", "Machanavajjhala et al. 2008 showed α, β ≥ cm/ε for rows from the mode.",
        "They showed it for rows from one draw, for which c = 1 does. The mode needs more.",
        "α, β ≥ m/(e^ε − 1) from one draw, 1 + 1/(e^{ε/m} − 1) from the mode.", "unsafe",
        "ε, α = m/ε, m = 2, ε = 1", lambda: 2 * math.log1p(1 / (2.0 - 1)),
    ),
    Erratum(
        "4.3", "A draw of the parameter is (0, δ)-DP where α, β ≥ 2.46/δ² (of Dimitrakakis et al. "
        "2013).", "Holds, and asks for many times what is enough.", "The exact curve.", "loose",
        "α, n = 1000, δ = 0.1", lambda: 2.46 / 0.1**2 / 16.0,
    ),
    Erratum(
        "6.2", "The mode with Laplace noise of scale 1/(ε(n + α + β)) is ε-DP.",
        "The mode is a quotient by n + α + β − 2; the scale is that of the mean.",
        "Scale 1/(ε(n + α + β − 2)).", "unsafe", "ε, n = 5, α = β = 1.5",
        lambda: noised_mode_of_two(5, 1.5, 1.5),
    ),
    Erratum(
        "6.9, 6.10", "Rows from the mode are ε-DP if and only if α, β ≥ 2 + 1/(e^{ε/m} − 1).",
        "The worst case takes n₁ = 0, but a table that loses a 1 has one.",
        "α, β ≥ 1 + 1/(e^{ε/m} − 1).", "strict", "α, m = 1, ε = 1",
        lambda: _strict("rows-from-mode", 2, 1),
    ),
    Erratum(
        "6.11, 6.12", "Rows from draws of their own: if and only if α, β ≥ 1 + 1/(e^{ε/m} − 1).",
        "As in 6.9.", "α, β ≥ 1/(e^{ε/m} − 1).", "strict", "α, m = 1, ε = 1",
        lambda: _strict("rows-from-own-draws", 2, 1),
    ),
    Erratum(
        "6.13", "Rows from one draw: if and only if α, β ≥ 1 + m/(e^ε − 1).",
        "As in 6.9, and indices of the proof are exchanged.",
        "α, β ≥ m/(e^ε − 1), so one draw is strictly better than draws of their own from two rows "
        "on.", "strict", "α, m = 1, ε = 1",
        lambda: _strict("rows-from-one-draw", 2, 1),
    ),
    Erratum(
        "6.4", "A draw of the parameter is (ε, δ)-DP where α, β ≥ (c/ε²)(ln n + ln 1/δ).",
        "ln n is not needed, as the summary of the chapter has it against its own theorem: the "
        "more records, the less a draw tells.",
        "No table costs more than Beta(α + 1, α) against Beta(α, α + 1).", "loose",
        "δ, α = 24.5, ε = 1, over n = 10⁶ records and over 100",
        lambda: drawn_delta(Cells(2, 24.5, 100), DrawAmounts(1, None), 1.0)
        / drawn_delta(Cells(2, 24.5, 10**6), DrawAmounts(1, None), 1.0),
    ),
    Erratum(
        "6.5", "(ε, δ) where no θ beyond two thresholds is drawn with more than δ.",
        "Sufficient and loose: what is beyond counts in full.", "The exact curve.", "loose",
        "δ, n = 200, α = 5, ε = 1",
        lambda: tail_bound(5.0, 200, 1.0) / drawn_delta(Cells(2, 5.0, 200), DrawAmounts(1, None),
        1.0),
    ),
    Erratum(
        "6.16", "Rows from the mode, or draws of their own: m ≤ c₁n, α, β ≥ (c₂/ε²) ln 1/δ.",
        "The proof has p² in an exponent, bounds m from the wrong side, and constants that are "
        "chosen by one another. It holds with c₁ = 1 and c₂ = 2 wherever the curve was looked at.",
        "The exact curve.", "loose", "δ at α = 2 ln(1/δ)/ε², n = m = 1000, ε = 1, δ = 1e-6",
        lambda: 1e-6 / drawn_delta(Cells(2, 2 * math.log(1e6), 1000).mode, DrawAmounts(1000, 1),
        1.0),
    ),
    Erratum(
        "6.19", "The mode is not average-case private where δ(1 + e^ε) = o((1 − e^{2ε})…/√n).",
        "1 − e^{2ε} is below 0 for ε > 0, so nothing is proved. With shares away from 0 and 1 the "
        "mode does hide a record among random others; only rare events break it.",
        "See the average case.", "proves nothing", "δ, n = 1000, θ = 1/1000 over θ = ½, ε = ½",
        lambda: average_case(1000, 0.001, 0.5) / average_case(1000, 0.5, 0.5),
    ),
    Erratum(
        "6.21, 6.22", "Categories: ε-DP if all α ≥ 1 + 1/(e^{ε/2m} − 1).",
        "The factor 2 is not needed: the law is already normalised.",
        "α ≥ 1 + 1/(e^{ε/m} − 1) from the mode, 1/(e^{ε/m} − 1) from own draws, m/(e^ε − 1) "
        "from one draw.", "strict", "α, m = 1000, ε = 1",
        lambda: _strict("rows-from-own-draws", 3, 1000),
    ),
    Erratum(
        "7.3", "The mean with Laplace noise of scale R/(nε) is ε-DP.",
        "Values in ±R move the mean by 2Rw/n.", "Scale 2Rw/(nε).", "unsafe", "ε, n = 1000",
        lambda: noised_mode_of_a_mean(1000, 1.0),
    ),
    Erratum(
        "7, introduction", "The choice of σ0 matters little.",
        "Not where σ0 is about σ/√n or less: then the prior makes far wider bounds possible.",
        "The exact curve, with its prior.", "strict", "R/σ, σ0 = σ/100, n = 1000, ε = 1, δ = 1e-6",
        lambda: exact_range("posterior-draw", 1000, 1000, 1.0, 1e-6, 1e4)
        / exact_range("posterior-draw", 1000, 1000, 1.0, 1e-6),
    ),
    Erratum(
        "7, summary", "R/σ = O(ε√n/√ln(1/δ)) for rows from draws of their own, O(√(εn/(m ln 1/δ))) "
        "for rows from one draw; Ω(√n) is wanted; εe/(m√ln(m/δ)).",
        "The two releases are exchanged, √n stands for √ln n, and εe for εn.",
        "As the theorems have it, and Figure 7.1 except for its own slip.", "a misprint",
        "δ of 100 n rows from draws of their own, n = 1000, at the R/σ that one draw has for "
        "ε = 1, δ = 1e-6", lambda: delta_of_range(
            "rows-from-own-draws", exact_range("posterior-draw", 1000, 1, 1.0, 1e-6), 1000,
            100_000, 1.0,
        ) / 1e-6,
    ),
    Erratum(
        "Figure 7.1", "Ω(√(εn/(m ln 1/δ))) for rows from the mode or draws of their own.",
        "Corollary 7.16, of which it is, has √(m ln 1/δ) there: a root is missing.",
        "Ω(√(εn/√(m ln 1/δ))).", "a misprint", "R/σ of the corollary over it, m = 1000, δ = 1e-6",
        lambda: (1000 * math.log(1e6)) ** 0.25,
    ),
    Erratum(
        "7.7", "A draw of the mean conditioned on ±R is ε-DP where R/σ ≤ √ε/2.",
        "The proof leaves the normalisers out. It holds: the loss is Δη·(μ − E μ).", "√ε/2 stays.",
        "loose", "ε, n = 1000, ε = 1",
        lambda: 1 / Gaussian(0.5, 1.0, FLAT, 1000).conditioned_mean(),
    ),
    Erratum(
        "7.8", "A draw of the mean is (ε, δ)-DP where R/σ ≤ ε√n/√(2 ln(1/δ)).",
        "It takes |x̄ − x̄′| ≤ R/n, which is 2R/n.",
        "The exact curve, or R/σ ≤ ε√n/(2√(2 ln(1.25/δ))) for ε < 1.", "unsafe",
        "δ, n = 1000, ε = 1, δ = 1e-6",
        lambda: delta_of_range(
            "posterior-draw", printed_range("posterior-draw", 1000, 1, 1.0, 1e-6), 1000, 1, 1.0
        ) / 1e-6,
    ),
    Erratum(
        "7.8, rows from one draw", "The same holds for rows from one draw.",
        "It takes the error of 7.8 over.", "The exact curve.", "unsafe",
        "δ, n = m = 1000, ε = 1, δ = 1e-6",
        lambda: delta_of_range(
            "rows-from-one-draw", printed_range("rows-from-one-draw", 1000, 1000, 1.0, 1e-6),
            1000, 1000, 1.0,
        ) / 1e-6,
    ),
    Erratum(
        "7.12, 7.13", "Rows conditioned on ±R are ε-DP where R/σ ≤ √(εn/2m).",
        "R/n in the place of 2R/n again.", "R/σ ≤ ½√(εn/m).", "unsafe", "ε, n = 1000, m = 1, ε = 1",
        lambda: _row(math.sqrt(1000 / 2), mode=False),
    ),
    Erratum(
        "7.14", "Rows from the mode: if and only if R/σ ≤ √(εn/(2 − 1/2n)).",
        "As in 7.12; and the mode is taken to be x̄, without a prior.", "R/σ ≤ ½√(εn/m).", "unsafe",
        "ε, n = 1000, ε = 1", lambda: _row(math.sqrt(1000 / (2 - 1 / 2000)), mode=True),
    ),
    Erratum(
        "7.14, its δ", "(ε, δ)-DP if and only if R/σ ≤ √(εn/(2 − 1/2n)).",
        "It is a statement on ε alone: with a δ far more is allowed.", "ε-DP.", "a misprint",
        "R/σ of one row without conditions, n = 1000, ε = 1, δ = 1e-6, over it",
        lambda: exact_range("rows-from-mode", 1000, 1, 1.0, 1e-6) / math.sqrt(1000 / 2),
    ),
    Erratum(
        "7.15, its tail", "A row is kσ off with a chance of at most 1/δ.",
        "A chance is at most 1; Lemma 7.9, of which it is, has δ.", "At most δ.", "a misprint",
        "the bound over that of the lemma, δ = 0.01", lambda: (1 / 0.01) / 0.01,
    ),
    Erratum(
        "7.15", "Rows from the mode or draws of their own: R/σ ≤ nε/(2m√(2 ln(m/δ))).",
        "R/n in the place of 2R/n, for which its slack makes up.", "The exact curve.", "loose",
        "δ, n = 1000, m = 1, ε = 1, δ = 1e-6",
        lambda: 1e-6
        / delta_of_range("rows-from-mode", printed_few(1000, 1, 1.0, 1e-6), 1000, 1, 1.0),
    ),
    Erratum(
        "7.16", "Rows from the mode or draws of their own: R/σ ≤ √(εn/(4√(2m ln(1/δ)))).",
        "Derived for conditioned rows and stated for others; it holds, and is loose.",
        "The exact curve.", "loose", "R/σ, n = m = 1000, ε = 1, δ = 1e-6",
        lambda: exact_range("rows-from-mode", 1000, 1000, 1.0, 1e-6)
        / printed_many(1000, 1000, 1.0, 1e-6),
    ),
)  # fmt: skip
"""What is wrong in the source, as far as it bears on what is released."""

READ: Final[tuple[Erratum, ...]] = (
    Erratum(
        "6.4, utility", "−q(X, z) = ln(…), of which e^{−q} is the chance.",
        "The exponential mechanism draws with e^{+q}.", "q(X, z) = ln(…).", "a misprint", "read",
        None,
    ),
    Erratum(
        "7.13", "When a single row is released, rows from draws of their own are ε-DP where …/2m.",
        "It is of m rows.", "When m rows are released.", "a misprint", "read", None,
    ),
    Erratum(
        "Tables 6.1 and 7.1", "The text speaks of Tables 6.1 and 7.1.",
        "They are captioned as Figures 6.1 and 7.1.", "Figures.", "a misprint", "read", None,
    ),
)  # fmt: skip
"""Slips that nothing can be computed of."""

SOURCES: Final = (Errata(THESIS, "", (*ERRATA, *READ)),)
