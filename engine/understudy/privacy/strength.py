"""The strength of a guarantee: what it means for beliefs about one person, its grade, and figures
that other organisations published, each with its source.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import numpy as np
from scipy.special import expit, logit

from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget

# What a guarantee means for what somebody believes about one person.
#
# Let somebody hold the one of two cases to be true with probability p before they read a release.
# By Bayes' rule the odds p/(1 − p) are multiplied by Pr{S | one} / Pr{S | other} when they read S.
#
# *Whether the person is in the table* compares two neighbours, so for δ = 0 that factor lies
# between e^−ε and e^ε, whatever else is believed about the other records. *What the values of a
# person in the table are* compares two tables in which the person's records differ: both are
# neighbours of the one without that person, so the pair is (2ε, (1 + e^ε)·δ).
#
# With δ > 0 no factor holds for every outcome. Let A be the set of outcomes that multiply the odds
# by more than c > e^ε. Then Pr{A | one} ≥ c·Pr{A | other}, and Pr{A | one} ≤ e^ε·Pr{A | other} + δ
# ≤ (e^ε/c)·Pr{A | one} + δ, so Pr{A | one} ≤ δ·c/(c − e^ε), and Pr{A | other} ≤ δ/(c − e^ε). The
# same holds with the cases exchanged. So all outcomes but a set of chance δ·(c + 1)/(c − e^ε) or
# less, whichever case is true, keep the factor within 1/c and c. c = 1.01·e^ε is taken here.
#
# (Kasiviswanathan and Smith, “On the ‘Semantics’ of Differential Privacy”, 2014, ask the question
# in the same way; the constants here are proved above.)

MARGIN: Final = 1.01
"""c/e^ε: by how much more than e^ε the odds may change where δ is above 0."""

About = Literal["presence", "value", "replaced"]
"""What is believed: that the person is in the table, or what their record says; the latter, too,
where the figure itself is one between tables in which a record is replaced (“replaced”)."""


@dataclass(frozen=True)
class Belief:
    """The bounds on a belief after the release was read.

    Attributes:
        prior: the probability before.
        at_least, at_most: bounds on the probability after.
        failing: a bound on the probability of a release that moves the belief beyond these
            bounds, whichever case is true.
    """

    prior: float
    at_least: float
    at_most: float
    failing: float


def belief(prior: float, total: Budget, about: About = "presence") -> Belief:
    """Return the bounds on a belief about one person, given the guarantee of a release.

    Args:
        prior: the probability before, 0 to 1.
        total: the guarantee for one person, of the whole release.
        about: what is believed.

    Raises:
        Refusal: the prior is no probability.
    """
    if not 0 <= prior <= 1:
        raise Refusal(
            f"{prior:g} is no probability.", "Choose a number from 0 to 1.", field="prior"
        )
    if prior in (0.0, 1.0):
        return Belief(prior, prior, prior, 0.0)
    pair = _pair(total, about)
    if not pair.bounded:
        return Belief(prior, 0.0, 1.0, 0.0)
    room = pair.epsilon + (math.log(MARGIN) if pair.delta > 0 else 0.0)
    odds = float(logit(prior))
    return Belief(prior, float(expit(odds - room)), float(expit(odds + room)), _failing(pair))


def _pair(total: Budget, about: About) -> Budget:
    """Return the (ε, δ) between the two cases that are to be told apart."""
    if about != "value" or not total.bounded:
        return total
    if total.delta == 0:
        return Budget(2 * total.epsilon)
    log_delta = math.log(total.delta) + float(np.logaddexp(0.0, total.epsilon))
    if log_delta >= 0:
        return Budget.unbounded()
    return Budget(2 * total.epsilon, math.exp(log_delta))


def _failing(pair: Budget) -> float:
    """Return δ·(c + 1)/(c − e^ε) at c = 1.01·e^ε, both parts divided by e^ε."""
    if pair.delta == 0:
        return 0.0
    return min(1.0, pair.delta * (MARGIN + math.exp(-pair.epsilon)) / (MARGIN - 1))


# Grades of a guarantee, from “very strong” to “none”, by what it promises one person.
#
# A grade follows from what a belief of 10 % about one person may become at most: the belief that
# the person is in the table, or one about the values of their record, whichever moves more
# (`understudy.privacy.belief`; the second compares two tables that are 2ε apart). With δ = 0:
#
#     grade        10 % becomes at most   ε up to
#     very strong  12.5 %                 ½·ln(9/7) = .125
#     strong       25 %                   ½·ln 3    = .549
#     moderate     50 %                   ½·ln 9    = 1.098
#     weak         90 %                   ½·ln 81   = 2.197
#     very weak    anything               any
#     none         nothing is promised
#
# With δ above 0 the bounds hold except with a small probability (`Belief.failing`). Where that is
# more than one in a thousand, the bounds mean little and the grade is very weak, whatever ε is.
#
# Every judgement of a guarantee in words is chosen by its grade, so that words and figures agree.

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


# ε and δ that other organisations published for their releases, each with its source.
#
# An ε means something only together with what it protects (the unit), by what the two tables differ
# (the neighbours), and which releases it counts. These differ between any two of the deployments,
# and from ours, so nothing follows from one ε being larger than another.


@dataclass(frozen=True)
class Deployment:
    """A release whose privacy figures were published.

    Attributes:
        name: what was released, by whom.
        year: since when.
        epsilon, delta: as the source states them; δ is None where it gives none.
        unit: what is protected.
        covers: which releases the figures count.
        source: the document that states them.
        address: the URL of the source.
    """

    name: str
    year: int
    epsilon: float
    unit: str
    covers: str
    source: str
    address: str
    delta: float | None = 0.0


DEPLOYMENTS: Final = (
    Deployment(
        name="Wikimedia, page views by country and page",
        year=2023,
        epsilon=1.0,
        delta=1e-7,
        unit="the first 10 pages that one device views on one day",
        covers="one day of counts; the next day is counted anew. About that much: the noise is "
        "stated as ρ = 0.015",
        source="Wikimedia Foundation, notes to the data set",
        address="https://analytics.wikimedia.org/published/datasets/country_project_page/"
        "00_README.html",
    ),
    Deployment(
        name="Apple, popular emoji",
        year=2017,
        epsilon=4.0,
        unit="what one device sends at once, which it does once a day",
        covers="one day; the noise is added on the device, before Apple sees anything",
        source="Apple, “Differential Privacy Overview”",
        address="https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf",
    ),
    Deployment(
        name="Israel’s Ministry of Health, synthetic table of live births in 2014",
        year=2024,
        epsilon=9.98,
        unit="one birth: mother and newborn",
        covers="the whole table, the choice of the model and the published measures of quality",
        source="Hod and Canetti 2024, arXiv:2405.00267",
        address="https://arxiv.org/abs/2405.00267",
    ),
    Deployment(
        name="United States Census 2020, redistricting data on persons",
        year=2021,
        epsilon=17.14,
        delta=None,
        unit="one person’s answers, exchanged for others",
        covers="all tables on persons in this product; some totals, such as those of the states, "
        "are published exactly and counted nowhere. Housing units: ε = 2.47 more",
        source="U.S. Census Bureau, 9 June 2021",
        address="https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html",
    ),
    Deployment(
        name="LinkedIn, audience engagements",
        year=2020,
        epsilon=34.9,
        delta=7e-9,
        unit="one member",
        covers="everything that one advertiser may ask in one month",
        source="Rogers et al. 2020, arXiv:2002.05839",
        address="https://arxiv.org/abs/2002.05839",
    ),
)
"""Ordered by what is protected, from one day or action of a person to the person for good, and
within that by ε."""
