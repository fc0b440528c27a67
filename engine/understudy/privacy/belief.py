"""What a guarantee means for what somebody believes about one person.

Let somebody hold the one of two cases to be true with probability p before they read a release.
By Bayes' rule the odds p/(1 − p) are multiplied by Pr{S | one} / Pr{S | other} when they read S.

*Whether the person is in the table* compares two neighbours, so for δ = 0 that factor lies between
e^−ε and e^ε, whatever else is believed about the other records. *What the values of a person in the
table are* compares two tables in which the person's records differ: both are neighbours of the one
without that person, so the pair is (2ε, (1 + e^ε)·δ).

With δ > 0 no factor holds for every outcome. Let A be the set of outcomes that multiply the odds
by more than c > e^ε. Then Pr{A | one} ≥ c·Pr{A | other}, and Pr{A | one} ≤ e^ε·Pr{A | other} + δ ≤
(e^ε/c)·Pr{A | one} + δ, so Pr{A | one} ≤ δ·c/(c − e^ε), and Pr{A | other} ≤ δ/(c − e^ε). The same
holds with the cases exchanged. So all outcomes but a set of chance δ·(c + 1)/(c − e^ε) or less,
whichever case is true, keep the factor within 1/c and c. c = 1.01·e^ε is taken here.

(Kasiviswanathan and Smith, “On the ‘Semantics’ of Differential Privacy”, 2014, ask the question
in the same way; the constants here are proved above.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.special import expit, logit

from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget

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
    """δ·(c + 1)/(c − e^ε) at c = 1.01·e^ε, both parts divided by e^ε."""
    if pair.delta == 0:
        return 0.0
    return min(1.0, pair.delta * (MARGIN + math.exp(-pair.epsilon)) / (MARGIN - 1))
