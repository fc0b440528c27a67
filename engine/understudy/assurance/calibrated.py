"""What the calibrated model asks of the records, and whether it looks at anything else.

The shipped learner runs on a small table, and every question it asks and every answer it gets is
kept. Then it runs on a neighbour and is given the same answers. How far each question is moved by
the one record is what it costs; and as all that it may know are the answers, the two models must
be one and the same.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from understudy.assurance.drawing import Drawing
from understudy.assurance.finding import GUARANTEE, NOTHING, Check, Effort, Measured
from understudy.assurance.learned import schema
from understudy.assurance.transcript import Question, Transcript, costs
from understudy.core.arrays import AnyArray
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

Make = Callable[[Budget, Records], CalibratedLearner]
"""Makes the learner of a budget; a mutant may look at the records."""

PART = "Learning the calibrated model"
BUDGETS = (Budget(1.0), Budget(0.05, 1e-9), Budget(20.0), Budget(1.0, 1e-2), Budget(9.0, 0.1))
"""In either currency, and so much that pairs are asked for."""
_TABLES = 8
_MOST = 1 << 17
"""Records of a table, at most."""
_SIZES = (300, 2, 3_000)
_SURELY = 12
"""How many times as many records are surely asked about pairs, whatever noise says of their
number."""
_FEWEST = 400


@dataclass(frozen=True, eq=False)
class Twice:
    """A learner on two neighbours, told the same.

    Attributes:
        learner: of the smaller table.
        asked: of each, every question.
        same: whether the two models are one.
    """

    learner: CalibratedLearner
    asked: tuple[list[Question], list[Question]]
    same: bool

    @property
    def spent(self) -> float:
        """What all questions cost together, over what may be spent in their currency."""
        budget = self.learner.budget
        pure = all(each.pure for each in self.asked[0])
        if not pure and not budget.delta:
            return math.inf
        whole = budget.epsilon if pure else largest_rho(budget)
        return costs(*self.asked, pure=pure) / whole


def checks() -> tuple[Check, ...]:
    """Return what learning the calibrated model costs, and that it is all."""

    def check(name: str, claim: str, measure: Callable[[Effort], Measured]) -> Check:
        return Check(PART, name, claim, GUARANTEE, measure)

    return (
        check(
            "what a whole learning spends",
            "the ε of all questions together, or where not all are of ε their ρ, is at most that "
            "of the budget, whatever the answers were",
            spent,
        ),
        check(
            "what else is looked at",
            "(0, 0): neighbours of which the same answers are given have the same model",
            looked_at,
        ),
    )


def shipped(budget: Budget, _: Records) -> CalibratedLearner:
    """Return the learner as it is, except for a smaller number of made-up records."""
    return replace(CalibratedLearner.within(schema(), budget), fewest=_FEWEST)


def spent(effort: Effort, make: Make = shipped, drawn: float = 1.0) -> Measured:
    """Return what the questions of a whole learning cost, over the budget."""
    return _worst(make, effort, lambda each: each.spent, drawn)


def looked_at(effort: Effort, make: Make = shipped) -> Measured:
    """0 where the same answers gave the same model, and infinite elsewhere."""
    return _worst(make, effort, lambda each: 0.0 if each.same else math.inf)


def _worst(
    make: Make, effort: Effort, measure: Callable[[Twice], float], drawn: float = 1.0
) -> Measured:
    total = NOTHING
    for words, each in _twice(make, effort, drawn):
        total |= Measured(1, measure(each), words)
    return total


@cache
def _twice(make: Make, effort: Effort, drawn: float) -> tuple[tuple[str, Twice], ...]:
    """Return every budget with some pairs of neighbours, each with answers of its own."""
    found = []
    for budget in BUDGETS:
        at = edge(budget)
        for turn, (one, more) in enumerate(neighbours(effort, at, _SURELY * at)):
            words = f"{len(one)} records, a budget of ({budget.epsilon:g}, {budget.delta:g})"
            found.append((words, told(make, budget, one, more, turn, drawn)))
    return tuple(found)


def told(
    make: Make, budget: Budget, one: Records, more: Records, seed: int, drawn: float = 1.0
) -> Twice:
    """Learn from the larger table, and then from the smaller with the same answers."""
    first = Transcript(RandomSource.fixed(seed), drawn=drawn)
    larger = make(budget, more).learn(more, first, RandomSource.fixed(seed + 1))
    second = Transcript(RandomSource.fixed(seed), first.answers, drawn)
    learner = make(budget, one)
    smaller = learner.learn(one, second, RandomSource.fixed(seed + 1))
    return Twice(learner, (second.asked, first.asked), alike(smaller, larger))


def alike(one: LearnedModel, other: LearnedModel) -> bool:
    """Return whether two models are the same to the last bit."""
    return one.records == other.records and all(
        len(first) == len(second) and all(map(np.array_equal, first, second))
        for first, second in zip(_numbers(one), _numbers(other), strict=True)
    )


def _numbers(model: LearnedModel) -> Iterator[list[AnyArray]]:
    network: BayesianNetwork = model.network
    yield [np.array(network.order)]
    yield [np.array(each) for each in network.structure.parents]
    yield [each.weights for each in network.tables]
    yield [each.counts for each in model.measured]
    yield [each.records for each in model.misfits]
    tilts = network.tilts
    yield (
        []
        if tilts is None
        else [np.array([tilts.average, tilts.cap]), *(each.logs for each in tilts.each)]
    )


def edge(budget: Budget) -> int:
    """Return a number of records that pairs are asked about, where one less is too few."""
    learner = CalibratedLearner.within(schema(), budget)
    return bisect_left(range(_MOST), True, lo=1, key=lambda rows: bool(learner.asked(rows)))


def neighbours(effort: Effort, *more_sizes: int) -> Iterator[tuple[Records, Records]]:
    """Tables of records that depend on one another, of very different sizes and of these, with one
    more; of these at least."""
    draw = Drawing(effort.seed + 11)
    columns = schema()
    sizes = columns.cardinalities.tolist()
    every = (*more_sizes, *_SIZES)
    for turn in range(max(len(more_sizes), effort.of(_TABLES))):
        rows = every[turn % len(every)]
        codes = np.column_stack([draw.several(0, size - 1, rows) for size in sizes])
        if turn % 2 == 0:
            codes[:-1, 1:] = codes[:-1, :1] + codes[:-1, 1:] % 2
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more


def amounts() -> Iterator[Allowance]:
    """Yield what may be spent, in either currency."""
    for budget in BUDGETS:
        yield CalibratedLearner.within(schema(), budget).allowance
