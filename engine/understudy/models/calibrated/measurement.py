"""Shares of the budget for each question, and noisy tables of counts that know their own noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.count_tables import CountSource
from understudy.models.noisy_tables import Law, NoisyTable
from understudy.models.possible import possible_cells
from understudy.models.views import Marginal
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.schema import Schema

NUMBER = 0.01
"""The share of ε that the number of records gets, where it is asked for."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class QuestionShares:
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

    def among(self, steps: Steps) -> QuestionShares:
        """Return shares of the same sum, for the questions of these steps only."""
        return self if steps.pairs else QuestionShares(math.fsum(astuple(self)), 0.0, 0.0)


@dataclass(frozen=True)
class Steps:
    """Which steps are taken, to see what each is worth.

    Attributes:
        pairs: measure pairs where the model is off.
        choose: ask only about some pairs, that are chosen, where answers about all are too noisy.
        again: measure attributes by themselves again where that gains more.
        forest: draw records from a forest of the first pairs; without, of every attribute by
            itself.
        shapes: draw measured pairs towards what their shape tells.
        calibrate: calibrate to what was measured.
        distil: distil the calibrated records, and calibrate the outcome.
        triples: measure triples that are not marked where the model is off.
    """

    pairs: bool = True
    choose: bool = True
    again: bool = True
    forest: bool = True
    shapes: bool = True
    calibrate: bool = True
    distil: bool = True
    triples: bool = True


USUAL_SPEND: Final = QuestionShares()
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


def count_tables(attributes: int) -> int:
    """Return how many tables a budget is divided among if every pair is measured."""
    return 2 * attributes + attributes * (attributes - 1) // 2


_MOST_TRUST = 100.0
"""The most that a table lets what was expected weigh."""


@dataclass(frozen=True, eq=False)
class MeasuredMarginal:
    """Noisy counts of a marginal.

    Attributes:
        marginal: what was counted.
        counts: (cells,) the counts, noise and all; some may be negative.
        deviation: the standard deviation of the noise on each; 0 where there is none.
        possible: (cells,) which of them some record can be in, the count of the others being 0
            without noise; None where all are.
        trust: what whatever was expected before weighs beside the counts, at least: τ of
            `understudy.models.calibrated.fit`.
        left: (cells,) of counts that were drawn towards their shape, the variance of what is left
            on each; None of others.
        settled: whether the counts are followed as they are, whatever was expected.
        above: of a column that was counted at several levels, the deviations at those above.
        answers: the noisy tables that it comes from, as they were drawn; none where nothing was
            noised.
    """

    marginal: Marginal
    counts: FloatArray
    deviation: float
    possible: BoolArray | None = None
    trust: float = 0.0
    left: FloatArray | None = None
    settled: bool = False
    above: tuple[float, ...] = ()
    answers: tuple[NoisyTable, ...] = ()

    @property
    def noise(self) -> FloatArray | float:
        """The variance of the noise on each cell."""
        return self.deviation**2 if self.left is None else self.left

    @property
    def variance(self) -> FloatArray | float:
        """The same, at least 1, as noise-free counts are not more certain."""
        return np.maximum(self.noise, 1.0)

    @property
    def noisy_cells(self) -> int:
        """How many of the cells have noise."""
        return len(self.counts) if self.possible is None else int(self.possible.sum())

    def on_simplex(self, whole: float) -> FloatArray:
        """Return the nearest counts that are possible, nowhere negative, and sum to `whole` > 0."""
        return on_simplex(self.counts, whole, self.possible)

    def beside(self, expected: FloatArray) -> MeasuredMarginal:
        """Return the same, expected to be something of which its own noise tells how far to trust
        it.

        Where the counts stray by s·expected from what was expected, s an estimate from the whole
        table (empirical Bayes), that much is a prior variance, and τ its inverse.
        """
        strays = beyond_noise(self, expected)
        return replace(self, trust=min(_MOST_TRUST, 1 / max(strays, 1 / _MOST_TRUST)))


def beyond_noise(table: MeasuredMarginal, expected: FloatArray) -> float:
    """Return how far the true counts stray from expected ones: s, where their variance about them
    is estimated to be s·expected; 0 where noise explains all that the counts stray by.

    Noisy counts stray by their noise as well; those that were drawn towards their shape stray less
    than the true ones, by what is left on them.
    """
    strays = float(((table.counts - expected) ** 2).sum())
    noise = table.noisy_cells * table.deviation**2
    beyond = strays - noise if table.left is None else strays + float(table.left.sum())
    return max(0.0, beyond) / max(float(expected.sum()), 1.0)


def pool_measurements(
    one: Sequence[MeasuredMarginal], other: Sequence[MeasuredMarginal]
) -> tuple[MeasuredMarginal, ...]:
    """Return two measurements of each of the same marginals as one, each counting for its
    precision."""
    return tuple(map(_pool, one, other))


def _pool(one: MeasuredMarginal, other: MeasuredMarginal) -> MeasuredMarginal:
    deviation = pooled_deviation(one.deviation, other.deviation)
    if not deviation:
        return min(one, other, key=lambda each: each.deviation)
    share = (deviation / one.deviation) ** 2
    counts = share * one.counts + (1 - share) * other.counts
    above = tuple(map(pooled_deviation, one.above, other.above))
    answers = (*one.answers, *other.answers)
    return MeasuredMarginal(
        one.marginal, counts, deviation, one.possible, above=above, answers=answers
    )


def pooled_deviation(one: float, other: float) -> float:
    """Return the standard deviation of the noise that is left when counts with these are put
    together, each counting for its precision."""
    larger = math.hypot(one, other)
    return one * other / larger if larger else 0.0


def measure(
    rows: CountSource,
    marginals: Sequence[Marginal],
    sizes: Sequence[float],
    spend: Allowance,
    noise: Noise,
) -> tuple[MeasuredMarginal, ...]:
    """Count several marginals of the records, dividing what may be spent by their sizes, each
    times what its errors weigh.

    Cells that no record can be in are 0 whatever the records are, and their noise is set aside:
    the counts of the others are as private as they are without rules (every record meets them).
    """
    if not marginals:
        return ()
    parts = spend.divide(sizes)
    return tuple(
        _measured_table(rows.schema, marginal, part, part.table(counts, noise))
        for marginal, part, counts in zip(marginals, parts, rows.tables(marginals), strict=True)
    )


def _measured_table(
    schema: Schema, marginal: Marginal, part: Allowance, counts: IntArray
) -> MeasuredMarginal:
    """Return a table as it was answered under a part of what may be spent."""
    answers: tuple[NoisyTable, ...] = ()
    if part.private:
        law: Law = "geometric" if part.currency == "epsilon" else "gaussian"
        answers = (NoisyTable(marginal, counts, law, part.scale(1.0, 1.0)),)
    possible = possible_cells(schema, marginal)
    found = counts.astype(float)
    if possible is not None:
        found[~possible] = 0.0
    return MeasuredMarginal(marginal, found, part.deviation, possible, answers=answers)


def total_records(measured: Sequence[MeasuredMarginal]) -> float:
    """Return the number of records, from tables that each count all of them; at least 1.

    The sum of a table errs by its cells' noise together; each sum counts for its precision.
    """
    sums = np.array([each.counts.sum() for each in measured])
    variances = np.array([each.deviation**2 * each.noisy_cells for each in measured])
    if not variances.all():
        return max(1.0, float(sums[variances == 0].mean()))
    return max(1.0, float(np.average(sums, weights=1 / variances)))


def on_simplex(counts: FloatArray, whole: float, possible: BoolArray | None = None) -> FloatArray:
    """Return the nearest counts, by squares, that are nowhere negative and sum to `whole` > 0; 0
    where they are impossible.

    Unlike clipping at 0 it makes no records up out of the noise of empty cells.
    """
    if possible is not None:
        found = np.zeros(len(counts))
        found[possible] = on_simplex(counts[possible], whole)
        return found
    falling = np.sort(counts)[::-1]
    excess = (np.cumsum(falling) - whole) / np.arange(1, len(counts) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    return np.asarray(np.maximum(counts - excess[last], 0.0))
