"""What the text says of the published simulations, and whether it holds here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from understudy.studies.comparison import Comparison, Numbers, StudyClaim
from understudy.studies.pmse.publication import (
    BAYES,
    BOUNDS,
    FIGURE_EPSILONS,
    HISTOGRAM,
    PRACTISED,
)

_LIKE: Final = 1.5
"""Two means are comparable within this factor."""


def claims(tables: Sequence[Comparison]) -> tuple[StudyClaim, ...]:
    """Return every claim.

    Args:
        tables: every comparison.
    """
    numbers = Numbers(tables)
    return (
        *_violations(numbers),
        *_ratios(numbers),
        _bayes(numbers),
        _histogram(numbers),
        *_regressions(numbers),
    )


def _violations(numbers: Numbers) -> tuple[StudyClaim, StudyClaim]:
    stump = numbers.ours("Table 1", "1", "0.01")
    free = numbers.ours("Table 1", "unlimited", "0.01")
    return (
        StudyClaim(
            "A tree of depth one never violates the bound.",
            "Table 1",
            "" if stump is None else f"{stump:.1f} % of simulations.",
            None if stump is None else stump == 0,
            because="pairs made for it do violate it: see Pairs",
        ),
        StudyClaim(
            "Trees of any depth at cp = 0.01 violate it in 1 % of simulations at most.",
            "Table 1",
            "" if free is None else f"{free:.1f} %.",
            None if free is None else free <= 1.0 + 0.5,
            "half a percentage point is left for chance",
        ),
    )


def _ratios(numbers: Numbers) -> tuple[StudyClaim, ...]:
    found = []
    for epsilon, times in (("4", 2), ("1", 3)):
        each = [numbers.ours("Table 2, ratio", epsilon, name) for name in (PRACTISED, HISTOGRAM)]
        known = [value for value in each if value is not None]
        practised = each[0]
        found.append(
            StudyClaim(
                f"At ε = {epsilon} the best method has about {times} times the pMSE without "
                "privacy.",
                "Table 2",
                ", ".join(f"{value:.1f}" for value in known) + " times, chain and histogram."
                if practised is not None
                else "",
                None if practised is None else min(known) <= _LIKE * times,
                f"at most {_LIKE * times:g} times",
                ""
                if practised is not None and min(known) <= _LIKE * times
                else "how long the "
                "chain was, from where it began, and the histogram's K were not printed",
            )
        )
    return tuple(found)


def _bayes(numbers: Numbers) -> StudyClaim:
    ratios = [value for _, value in numbers.all_of("Table 2, ratio", None, BAYES)]
    return StudyClaim(
        "DP Bayes is poor at all ε.",
        "Table 2",
        f"{min(ratios):.1f} to {max(ratios):.1f} times." if ratios else "",
        min(ratios) > 5 if ratios else None,
        "always more than five times the pMSE without privacy",
    )


def _histogram(numbers: Numbers) -> StudyClaim:
    pairs = [
        [numbers.ours("Table 2", epsilon, name) for name in (HISTOGRAM, PRACTISED)]
        for epsilon in ("0.25", "4")
    ]
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    alike = [max(one, two) <= _LIKE * min(one, two) for one, two in known]
    return StudyClaim(
        "At ε = 0.25 and 4 the smooth histogram is comparable to the pMSE mechanism.",
        "Table 2",
        "; ".join(f"{one:.3f} and {two:.3f}" for one, two in known) + "." if known else "",
        all(alike) if known else None,
        f"within a factor of {_LIKE:g}",
        "" if known and all(alike) else "with the printed λ no histogram is as good",
    )


def _regressions(numbers: Numbers) -> tuple[StudyClaim, ...]:
    def error(name: str, bound: str, epsilon: float, of: str = "slope") -> float | None:
        return numbers.ours("Figures 2 and 4", f"{epsilon:g}", name, bound, of)

    depths = [f"{PRACTISED}, depth {depth}" for depth in (1, 2, 5)]
    grown = [[error(name, "–", each) for name in (*depths, PRACTISED)] for each in FIGURE_EPSILONS]
    rows = [[value for value in row if value is not None] for row in grown]
    full = [row for row in rows if len(row) == 4]
    others = [
        value
        for each in FIGURE_EPSILONS
        for name in (BAYES, HISTOGRAM)
        for bound in BOUNDS
        if (value := error(name, f"{bound:g}", each)) is not None
    ]
    narrow = [
        (error(name, f"{BOUNDS[0]:g}", each), error(name, f"{BOUNDS[-1]:g}", each))
        for each in FIGURE_EPSILONS
        for name in (BAYES, HISTOGRAM)
    ]
    known = [(one, two) for one, two in narrow if one is not None and two is not None]
    return (
        StudyClaim(
            "Utility improves from depth one to two to five, and little beyond.",
            "Figure 2",
            f"At {sum(row[0] > row[1] > row[2] for row in full)} of {len(full)} ε, of the slope."
            if full
            else "",
            all(row[0] > row[1] > row[2] for row in full) if full else None,
            because=""
            if full and all(row[0] > row[1] > row[2] for row in full)
            else "chains of so few steps differ more by chance than by the depth",
        ),
        StudyClaim(
            "Deep trees beat both other ways to a table at every bound.",
            "Figures 2 and 4",
            f"Slope: {max(row[3] for row in full):.3f} at most, others {min(others):.3f} at least."
            if full and others
            else "",
            max(row[3] for row in full) < min(others) if full and others else None,
        ),
        StudyClaim(
            "Bounds of two standard deviations look best, of ten do poorly.",
            "Figures 2 and 4",
            f"The narrow ones have the smaller error in {sum(one < two for one, two in known)} of "
            f"{len(known)} cases."
            if known
            else "",
            all(one < two for one, two in known) if known else None,
            "of DP Bayes and the histogram, at every ε, of the slope",
        ),
    )
