"""Table 9.2: what its parameters come to, by their own formula and by others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import brentq

from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import advanced_epsilon
from understudy.privacy.accounting.published_figures import published_k
from understudy.privacy.accounting.unit import Unit, best_t, total_epsilon_at, unit_of
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.studies.latent.publication import DELTA, SMALLEST_SET, Parameters

PARTS: Final = 4
"""Into so many parts the records are divided, as of Table 9.2."""
COUNTED = 500_000
"""The records of each of four parts, as far as is publicly known."""


@dataclass(frozen=True)
class Cost:
    """The ε of as many releases as a part has, at δ = 2^−40.

    Attributes:
        printed: by (4.6), which the source uses, at the printed t.
        released: by optimal composition, over what is released.
        attempted: likewise over attempts, rejections counted, with `COUNTED` seeds.
    """

    printed: float
    released: float
    attempted: float


def cost(setting: Parameters) -> Cost:
    """Return what one column of the table comes to."""
    unit, many = _unit(setting), setting.part
    slack = DELTA / (many + 1)
    each = float(unit.epsilon(np.array(setting.t)))
    printed = float(advanced_epsilon(np.float64(each), many, np.float64(slack)))
    released = total_epsilon_at(unit, best_t(unit, many, DELTA), many, DELTA)
    whole = account(_test(setting), many, DELTA, seeds_at_least=COUNTED).total.epsilon
    return Cost(printed, released, whole)


def least_delta(k: int, epsilon0: float) -> float:
    """Return the least δ of one release, by the source's own theorem: that of t = 1."""
    return math.exp(-epsilon0 * (k - 1))


def by_rule(epsilon: float, many: int) -> tuple[int, float]:
    """Return k and ε0 that the source's rule gives for so many releases at this ε.

    Raises:
        ValueError: it gives none.
    """
    k = published_k(epsilon, DELTA, many, 1.0)
    if k is None:
        raise ValueError("the rule's noise is beyond what a coin is built for")
    return k, (math.log(1 / DELTA) + math.log(many + 1)) / (k // 2)


def least_by_rule(size: int, epsilon: float = 1.0) -> Parameters:
    """Return the parameters with the smallest k for a release of so many records, by (4.6) as
    printed.

    Args:
        size: how many records are released, a quarter from each part.
        epsilon: in all.
    """
    many = size // PARTS
    spread = math.log(1 / DELTA) + math.log(many + 1)

    def over(each: float) -> float:
        return each * math.sqrt(2 * many * spread) + many * each * math.expm1(each) - epsilon

    each = float(brentq(over, 0.0, epsilon / math.sqrt(2 * many * spread), xtol=1e-15))

    def compute_k(t: int) -> float:
        left = each - math.log1p(1 / t)
        return t + spread / left if left > 0 else math.inf

    first = math.ceil(1 / each)
    t = min(range(first, 20 * first, max(1, first // 500)), key=compute_k)
    return Parameters(size, many, math.ceil(compute_k(t)), t, each - math.log1p(1 / t))


def _test(setting: Parameters) -> RelativeSensitivity:
    return RelativeSensitivity(k=setting.k, epsilon0=setting.epsilon0)


def _unit(setting: Parameters) -> Unit:
    unit = unit_of(_test(setting))
    assert unit is not None
    return unit


LARGE: Final = least_by_rule(SMALLEST_SET)
"""Of the smallest set that experiments are on, where nothing else is said of them."""
