"""How far one record moves the scores that models ask for, and what the noise on them is
made for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from understudy.assurance.calibrated import PART, amounts
from understudy.assurance.drawing import Drawing
from understudy.assurance.finding import GUARANTEE, NOTHING, Check, Effort, Measured
from understudy.assurance.learned import schema
from understudy.assurance.transcript import Transcript
from understudy.core.arrays import FloatArray, IntArray
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.selection import FINE, candidates, compared, misfit, score
from understudy.models.third_party.private_pgm import GRID, SENSITIVITY, Choosing, Parents
from understudy.models.views import Marginal, Rows
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise
from understudy.table.buckets import ByGroups, Group
from understudy.table.records import Records
from understudy.table.schema import Schema

Compare = Callable[[Rows, Particles, Sequence[Marginal]], Iterator[tuple[int, IntArray, FloatArray]]]
"""Counts candidates among the records, and by the model."""

_TABLES = 60
_SIZES = sorted({8 * part + less for part in range(1, 51) for less in (-1, 0)})
"""Numbers of records one of which is a record more, on both sides of a whole number of eights."""
_MOST_RECORDS = 9
_ASKED: tuple[tuple[int, Parents], ...] = ((1, (0,)), (2, (1,)), (2, (0, 1)), (0, (1, 2)))
"""Children with their parents, some of these through coarser buckets."""


@cache
def leveled() -> Schema:
    """Return three columns, one of them with coarser buckets and a level above these."""
    columns = schema()
    groups = [("low", ("0", "1")), ("middle", ("2",)), ("high", ("3",))]
    above = [("low", ("low",)), ("not low", ("middle", "high"))]
    buckets, level = (
        ByGroups(groups=tuple(Group(label=label, values=each) for label, each in made))
        for made in (groups, above)
    )
    return columns.replace(columns.column("c1").changed(buckets=buckets, levels=(level,)))


def checks() -> tuple[Check, ...]:
    """Scores of misfits, and of parents."""

    def check(name: str, claim: str, measure: Callable[[Effort], Measured]) -> Check:
        return Check(PART, name, claim, GUARANTEE, measure)

    return (
        check(
            "how far a score of parents moves",
            f"2·{GRID} for a record more in any cell, whatever the child's distribution",
            parents_moved,
        ),
        check(
            "how far a misfit moves",
            f"{FINE} for a record more in any cell, whatever the model counts",
            _misfits_moved,
        ),
        check(
            "what the model counts beside the records",
            "the same to the last bit with a record more, at any number of records",
            model_counts,
        ),
        check(
            "what the noise on misfits is made for",
            "all misfits together cost no more than what they may spend",
            misfits_cost,
        ),
    )


def parents_moved(effort: Effort, sensitivity: int = SENSITIVITY) -> Measured:
    """Return how far a score of parents moves, over what choices are made for."""
    total = NOTHING
    for one, more, draw in _neighbours(effort, 12):
        weights = [_weights(draw, size) for size in leveled().cardinalities.tolist()]
        for child, parents in _ASKED:
            scores = [
                Choosing(
                    Rows.of(each),
                    distributions=weights,
                    records=5.0,
                    deviation=1.0,
                    each=Allowance(1.0, "rho"),
                    noise=Noise(draw.source),
                ).score(child, parents)
                for each in (one, more)
            ]
            moved = abs(scores[1] - scores[0]) / sensitivity
            total |= Measured(1, moved, f"{len(one)} records, {child} after {parents}")
    return total


def _weights(draw: Drawing, size: int) -> IntArray:
    """Return any distribution over `GRID`, also one that nearly leaves a value out."""
    weights: IntArray = np.floor(draw.distributions(1, size)[0] * GRID).astype(np.int64)
    weights[draw.whole(0, size - 1)] += GRID - weights.sum()
    return weights


def _misfits_moved(effort: Effort) -> Measured:
    total = NOTHING
    for one, more, draw in _neighbours(effort, 13):
        for marginal in candidates(leveled(), 1.0, Allowance(0.0, "none")):
            counts = [Rows.of(each).counts(marginal) for each in (one, more)]
            expected = draw.uniforms(len(counts[0])) * draw.one_of((0.1, 2.0, 20.0))
            first, second = (score(each, expected) for each in counts)
            total |= Measured(1, abs(first - second) / FINE, f"{len(one)} records")
    return total


def model_counts(effort: Effort, compare: Compare = compared) -> Measured:
    """0 where what the model counts does not depend on the number of records.

    Args:
        effort: how many models.
        compare: another way to count both, for a mutant.
    """
    total = NOTHING
    asked = candidates(leveled(), 1.0, Allowance(0.0, "none"))
    sizes = leveled().cardinalities.tolist()
    draw = Drawing(effort.seed + 16)
    for _ in range(effort.of(_TABLES // 6)):
        drawn = [draw.several(0, size - 1, 50).astype(np.uint16) for size in sizes]
        model = Particles.of(Rows(leveled(), drawn), 5.0)
        model.weights[:] = draw.uniforms(50)
        columns = [draw.several(0, size - 1, _SIZES[-1]).astype(np.uint16) for size in sizes]
        before: dict[int, bytes] | None = None
        for many in _SIZES:
            rows = Rows(leveled(), [column[:many] for column in columns])
            told = {place: each.tobytes() for place, _, each in compare(rows, model, asked)}
            well = before in (None, told)
            total |= Measured(1, 0.0 if well else math.inf, f"{many} records")
            before = told
    return total


def by_their_number(
    rows: Rows, model: Particles, asked: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """As `compared`, but what is read off together depends on the number of records: a mutant."""
    return compared(rows, _Sized(rows, model), asked)


class _Sized(Particles):
    """A model that passes for one of as many records as there are."""

    def __init__(self, rows: Rows, model: Particles) -> None:
        self.rows, self._model = rows, model

    def counts(self, marginal: Marginal) -> FloatArray:
        return self._model.counts(marginal)


def misfits_cost(effort: Effort, thinned: bool = False) -> Measured:
    """Return what telling neighbours by their misfits costs, over what they may spend.

    Args:
        effort: how many tables.
        thinned: whether the noise is as if one candidate were asked about, for a mutant.
    """
    total = NOTHING
    asked = candidates(leveled(), 1.0, Allowance(0.0, "none"))
    many = len(asked)
    for spend in amounts():
        part = 1 / many if spend.currency == "epsilon" else 1 / math.sqrt(many)
        for one, more, draw in _neighbours(effort, 14, _TABLES // 6):
            sizes = leveled().cardinalities.tolist()
            drawn = [draw.several(0, size - 1, 50).astype(np.uint16) for size in sizes]
            model = Particles.of(Rows(leveled(), drawn), 5.0)
            told = [Transcript(draw.source, drawn=part if thinned else 1.0) for _ in range(2)]
            for each, records in zip(told, (one, more), strict=True):
                misfit(Rows.of(records), model, asked, spend, each)
            costs = [
                first.cost(second) for first, second in zip(*(t.asked for t in told), strict=True)
            ]
            at = f"{len(one)} records, {spend.amount:.3g} of {spend.currency}"
            total |= Measured(1, math.fsum(costs) / spend.amount, at)
    return total


def _neighbours(
    effort: Effort, stream: int, usual: int = _TABLES
) -> Iterator[tuple[Records, Records, Drawing]]:
    """Tables of any few records, none too, with one record more."""
    draw = Drawing(effort.seed + stream)
    columns = leveled()
    sizes = columns.cardinalities.tolist()
    for _ in range(effort.of(usual)):
        rows = draw.whole(1, _MOST_RECORDS)
        codes = np.column_stack([draw.several(0, size - 1, rows) for size in sizes])
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more, draw
