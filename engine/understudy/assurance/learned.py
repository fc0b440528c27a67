"""Checks of the queries of model learning against the noise on their answers.

The shipped learners run on tiny tables with a recorder in place of the noise. Their exact queries
on two neighbours are compared, in units of the noise requested.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from understudy.assurance.drawing import Drawing
from understudy.assurance.finding import GUARANTEE, NOTHING, Check, Effort, Measured
from understudy.core.arrays import IntArray
from understudy.models.bayesnet.network import Structure
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import CellCap, StructureLearner, entropies, sensitivity
from understudy.models.views import View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, laplace_tail
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByGroups, Group
from understudy.table.records import Records
from understudy.table.schema import Categories, Column, Schema

_STRUCTURE = "Learning the structure"
_PARAMETERS = "Learning the parameters"
_LARGEST = 12
_LARGEST_THOROUGH = 18
_TABLES = 40
BUDGETS = (Budget(0.1, 1e-9), Budget(1.0, 1e-6), Budget(5.0, 1e-3), Budget(1.0, 1e-12))
"""What the learners are given to spend."""


def checks() -> tuple[Check, ...]:
    """Entropies, and what either learner asks for."""
    return (
        Check(
            _STRUCTURE,
            "how far an entropy moves",
            "Δ(n) = (log2 n + 1/ln 2)/n bits for a record more, from n; every histogram of n ≤ "
            f"{_LARGEST} records",
            GUARANTEE,
            _entropies,
        ),
        Check(
            _STRUCTURE,
            "what structure learning asks for",
            "no entropy moves further than its noise allows, but where the noisy n is too high, "
            "which has at most the chance set aside for it in δ",
            GUARANTEE,
            structure_asked,
        ),
        Check(
            _PARAMETERS,
            "what parameter learning asks for",
            "one record moves each attribute's table of counts by 1 in all",
            GUARANTEE,
            _parameters,
        ),
    )


class Recorder(Noise):
    """Stands in for the noise: keeps what it is asked for, and adds nothing.

    Args:
        count: what to answer the first question with, where that is the number of records.

    Attributes:
        asked: the exact values and the scale of each question.
    """

    def __init__(self, count: int | None = None) -> None:
        super().__init__(RandomSource.fixed(0))
        self.asked: list[tuple[IntArray, float]] = []
        self._count = count

    def integers(self, values: IntArray, scale: float) -> IntArray:
        """Return the values as they are, except for a count that was given."""
        self.asked.append((np.asarray(values, dtype=np.int64), scale))
        if self._count is not None and len(self.asked) == 1:
            return np.full_like(values, self._count)
        return values

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        """As `integers`."""
        return self.integers(values, scale)


def schema() -> Schema:
    """Return three columns, one of them with coarser buckets."""
    groups = (Group(label="low", values=("0", "1")), Group(label="high", values=("2", "3")))
    return Schema(
        columns=(
            _column("c0", 2),
            Column(name="c1", domain=_categories(4), buckets=ByGroups(groups=groups)),
            _column("c2", 3),
        )
    )


def _column(name: str, values: int) -> Column:
    return Column(name=name, domain=_categories(values))


def _categories(values: int) -> Categories:
    return Categories(values=tuple(str(value) for value in range(values)))


def histograms(total: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread so many records over cells, the fullest cell first."""
    if total == 0:
        yield ()
        return
    for first in range(min(total, largest or total), 0, -1):
        for rest in histograms(total - first, first):
            yield (first, *rest)


def _entropies(effort: Effort) -> Measured:
    largest = _LARGEST if effort.times <= 1 else _LARGEST_THOROUGH
    two = Schema(columns=(_column("c0", largest + 1), _column("c1", 2)))
    known: dict[tuple[int, ...], float] = {}

    def bits(cells: tuple[int, ...]) -> float:
        if cells not in known:
            codes = np.zeros((sum(cells), 2), dtype=np.uint16)
            codes[:, 0] = np.repeat(np.arange(len(cells)), cells)
            query = (View(0),)
            known[cells] = entropies(Records(two, codes), (query,))[query]
        return known[cells]

    total = NOTHING
    for size in range(1, largest + 1):
        for cells in histograms(size):
            for place in {cells.index(count) for count in cells} | {len(cells)}:
                more = [*cells, 0]
                more[place] += 1
                moved = abs(bits(tuple(sorted(filter(None, more), reverse=True))) - bits(cells))
                total |= Measured(1, moved / sensitivity(size), f"cells of {cells} records")
    return total


def structure_asked(effort: Effort, noise: float = 1.0) -> Measured:
    """Return how far the entropies of neighbours are apart, over what their noise is made for.

    Args:
        effort: how many tables.
        noise: how much of the noise on entropies is drawn, for a mutant that draws less.
    """
    total = NOTHING
    for budget in BUDGETS:
        learner = StructureLearner.within(schema(), budget)
        for one, more in _neighbours(effort):
            # The highest noisy count that may come of the larger table more often than `miss`.
            count = len(more)
            while laplace_tail(count + 1 - len(more), learner.count.scale) > learner.miss:
                count += 1
            counts, bits = _apart(learner, one, more, count)
            apart = max(counts, bits / noise)
            total |= Measured(1, apart, _words(one, budget))
    return total


def _apart(
    learner: StructureLearner, one: Records, more: Records, count: int
) -> tuple[float, float]:
    """Return how far the number of records moves, and the entropies, over what is noised for."""
    recorders = [Recorder(count) for _ in range(2)]
    for recorder, records in zip(recorders, (one, more), strict=True):
        learner.learn(records, recorder, CellCap(1.0, 1.0))
    moved = []
    shares = (learner.count, learner.share)
    for share, *asked in zip(shares, *(each.asked for each in recorders), strict=True):
        (first, scale), (second, other) = asked
        if scale != other or first.size > share.queries:
            return math.inf, math.inf
        moved.append(float(np.abs(first - second).max()) * share.scale / scale)
    return moved[0], moved[1]


def _parameters(effort: Effort) -> Measured:
    """L1 distance of each table between neighbours, over what its noise is made for."""
    structure = Structure.of([(), (0,), (0, 1)])
    total = NOTHING
    for budget in BUDGETS:
        learner = ParameterLearner.within(schema(), budget)
        for one, more in _neighbours(effort):
            recorders = [Recorder() for _ in range(2)]
            for recorder, records in zip(recorders, (one, more), strict=True):
                learner.learn(records, structure, recorder)
            apart = [
                np.abs(first - second).sum() / scale
                for (first, scale), (second, _) in zip(*(r.asked for r in recorders), strict=True)
            ]
            asked = len(apart) / learner.share.queries
            found = max(asked, float(max(apart)) * learner.share.scale)
            total |= Measured(1, found, _words(one, budget))
    return total


def _words(records: Records, budget: Budget) -> str:
    return f"{len(records)} records, a budget of ({budget.epsilon:g}, {budget.delta:g})"


def _neighbours(effort: Effort) -> Iterator[tuple[Records, Records]]:
    """Random tables of few records, and tables of equal ones, with one record more."""
    draw = Drawing(effort.seed + 10)
    columns = schema()
    sizes = columns.cardinalities.tolist()
    for turn in range(effort.of(_TABLES)):
        rows = draw.whole(2, 12)
        codes = np.column_stack([draw.several(0, size - 1, rows) for size in sizes])
        if turn % 3 == 0:
            codes[:-1] = codes[0]
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more
