"""How the budget of the calibrated model is divided among its questions, and in which currency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from understudy.privacy.accounting.allowance import Allowance
from understudy.privacy.accounting.concentrated import largest_rho
from understudy.privacy.budget import Budget

NUMBER = 0.01
"""The share of ε that the number of records gets, where it is asked for."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Spend:
    """The share of the budget that each question gets. They sum to 1, or to less.

    Raises:
        ValueError: they sum to more, or one is negative.
    """

    alone: float = 0.15
    misfit: float = 0.05
    rounds: float = 0.80

    def __post_init__(self) -> None:
        shares = astuple(self)
        if min(shares) < 0 or math.fsum(shares) > 1 + _ROUNDING:
            raise ValueError("the shares of a budget are never negative and sum to 1 at most")

    def among(self, steps: Steps) -> Spend:
        """As much in all, for the questions of these steps only."""
        return self if steps.pairs else Spend(math.fsum(astuple(self)), 0.0, 0.0)


@dataclass(frozen=True)
class Steps:
    """Which steps are taken, to see what each is worth.

    Attributes:
        pairs: measure pairs where the model is off.
        again: measure attributes by themselves again where that gains more.
        forest: draw records from a forest of the first pairs; without, of every attribute by
            itself.
        calibrate: calibrate to what was measured.
        distil: distil the calibrated records, and calibrate the outcome.
    """

    pairs: bool = True
    again: bool = True
    forest: bool = True
    calibrate: bool = True
    distil: bool = True


USUAL_SPEND: Final = Spend()
EVERY_STEP: Final = Steps()


def of_columns(budget: Budget, sizes: Sequence[int], number: float = 0.0) -> Allowance:
    """Return all of a budget, in the currency that leaves the tables of all columns by themselves
    the least noise together, ε being less by the share that the number of records gets."""
    if not budget.bounded or not budget.delta:
        return Allowance.of(budget, len(sizes))
    both = (
        Allowance(budget.epsilon * (1 - number), "epsilon"),
        Allowance(largest_rho(budget), "rho"),
    )
    return min(both, key=lambda each: each.total_error(math.fsum(map(each.weight, sizes))))


def less(whole: Allowance, first: Allowance) -> Allowance:
    """Return what is left of an allowance after a question in ε. In ρ that costs ε²/2 (Bun and
    Steinke 2016, Proposition 1.4)."""
    paid = first.amount if whole.currency == "epsilon" else first.amount**2 / 2
    return Allowance(whole.amount - paid, whole.currency)


def tables(attributes: int) -> int:
    """Return how many tables a budget is divided among if every pair is measured."""
    return 2 * attributes + attributes * (attributes - 1) // 2
