"""Checks of the queries of Private-PGM, before the estimating package sees anything.

As for the calibrated model: it measures a small table, then a neighbour with the same noisy
    answers.
The change of each query gives its cost, and both sets of measurements, which are all that the
package sees, must be equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from understudy.assurance.calibrated import BUDGETS, neighbours
from understudy.assurance.finding import GUARANTEE, NOTHING, Check, Effort, Measured
from understudy.assurance.transcript import Transcript, costs
from understudy.models.third_party.private_pgm import MeasuredTree, measured_tree
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

Measuring = Callable[[Records, Budget, Noise], MeasuredTree]

_PART = "Measuring for Private-PGM"


def checks() -> tuple[Check, ...]:
    """Return what it costs, and that it is all."""
    return (
        Check(
            _PART,
            "what all questions spend",
            "the ε of counts and choices together, or their ρ, is at most the allowance",
            GUARANTEE,
            spent,
        ),
        Check(
            _PART,
            "what else is looked at",
            "(0, 0): neighbours of which the same answers are given hand the same numbers on",
            GUARANTEE,
            looked_at,
        ),
    )


def spent(effort: Effort, drawn: float = 1.0) -> Measured:
    """Return what the questions cost, over the allowance.

    Args:
        effort: how many tables.
        drawn: how much of the noise is drawn, for a mutant.
    """
    return _worst(effort, measured_tree, _over, drawn)


def looked_at(effort: Effort, measuring: Measuring = measured_tree) -> Measured:
    """0 where the same answers gave the same measurements, and infinite elsewhere."""
    return _worst(effort, measuring, lambda one, more, *_: 0.0 if _same(one, more) else math.inf)


def counting(records: Records, budget: Budget, noise: Noise) -> MeasuredTree:
    """Return a mutant: the true number of records is handed on."""
    found = measured_tree(records, budget, noise)
    return MeasuredTree(found.tree, found.measured, float(len(records)), found.allowance)


_Figure = Callable[[MeasuredTree, MeasuredTree, Transcript, Transcript], float]


def _worst(effort: Effort, measuring: Measuring, figure: _Figure, drawn: float = 1.0) -> Measured:
    total = NOTHING
    for budget in BUDGETS:
        for turn, (one, more) in enumerate(neighbours(effort)):
            asking = partial(Transcript, RandomSource.fixed(turn), drawn=drawn)
            first = asking()
            larger = measuring(more, budget, first)
            second = asking(answers=first.answers)
            smaller = measuring(one, budget, second)
            words = f"{len(one)} records, a budget of ({budget.epsilon:g}, {budget.delta:g})"
            total |= Measured(1, figure(smaller, larger, second, first), words)
    return total


def _over(one: MeasuredTree, _: MeasuredTree, asked: Transcript, more: Transcript) -> float:
    pure = one.allowance.currency == "epsilon"
    return costs(asked.asked, more.asked, pure=pure) / one.allowance.amount


def _same(one: MeasuredTree, more: MeasuredTree) -> bool:
    return (
        one.records == more.records
        and one.tree == more.tree
        and len(one.measured) == len(more.measured)
        and all(
            first.marginal == second.marginal and np.array_equal(first.counts, second.counts)
            for first, second in zip(one.measured, more.measured, strict=True)
        )
    )
