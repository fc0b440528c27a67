"""Grades of a guarantee, from “very strong” to “none”, by what it promises one person.

A grade follows from what a belief of 10 % about one person may become at most: the belief that the
person is in the table, or one about the values of their record, whichever moves more
(`understudy.privacy.belief`; the second compares two tables that are 2ε apart). With δ = 0:

    grade        10 % becomes at most   ε up to
    very strong  12.5 %                 ½·ln(9/7) = .125
    strong       25 %                   ½·ln 3    = .549
    moderate     50 %                   ½·ln 9    = 1.098
    weak         90 %                   ½·ln 81   = 2.197
    very weak    anything               any
    none         nothing is promised

With δ above 0 the bounds hold except with a small probability (`Belief.failing`). Where that is
more than one in a thousand, the bounds mean little and the grade is very weak, whatever ε is.

Every judgement of a guarantee in words is chosen by its grade, so that words and figures agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from understudy.privacy.belief import belief
from understudy.privacy.budget import Budget

PRIOR: Final = 0.1
"""The prior belief by which grades are defined."""

LIKELIEST_BEYOND: Final = 1e-3
"""The largest `Belief.failing` with which the bounds on beliefs count."""


class Strength(StrEnum):
    """The grades, the strongest first."""

    VERY_STRONG = "very strong"
    STRONG = "strong"
    MODERATE = "moderate"
    WEAK = "weak"
    VERY_WEAK = "very weak"
    NONE = "none"


MOST: Final[Mapping[Strength, float]] = {
    Strength.VERY_STRONG: 0.125,
    Strength.STRONG: 0.25,
    Strength.MODERATE: 0.5,
    Strength.WEAK: 0.9,
}
"""For each grade what a belief of `PRIOR` becomes at most."""

AMOUNTS_TO: Final[Mapping[Strength, str]] = {
    Strength.VERY_STRONG: "That is a very strong promise.",
    Strength.STRONG: "That is a strong promise.",
    Strength.MODERATE: "That is a moderate promise.",
    Strength.WEAK: "That is a weak promise.",
    Strength.VERY_WEAK: "As a promise about any one person, that means next to nothing.",
    Strength.NONE: "Nothing is promised about any one person.",
}
"""The grade as a sentence."""

DEPENDS: Final[Mapping[Strength, str]] = {
    Strength.VERY_STRONG: "what can be concluded hardly depends on",
    Strength.STRONG: "what can be concluded depends only a little on",
    Strength.MODERATE: "what can be concluded depends to a limited degree on",
    Strength.WEAK: "what can be concluded may depend strongly on",
    Strength.VERY_WEAK: "what can be concluded may depend almost wholly on",
    Strength.NONE: "what can be concluded may depend wholly on",
}
"""How far what is concluded depends on whether somebody is in the table."""


def strength(total: Budget) -> Strength:
    """Return the grade of a guarantee.

    Args:
        total: of the whole release, between tables that differ by the records of one person.
    """
    if not total.bounded:
        return Strength.NONE
    found = [belief(PRIOR, total, about) for about in ("presence", "value")]
    if max(each.failing for each in found) > LIKELIEST_BEYOND:
        return Strength.VERY_WEAK
    reached = max(each.at_most for each in found)
    return next((grade for grade, most in MOST.items() if reached <= most), Strength.VERY_WEAK)
