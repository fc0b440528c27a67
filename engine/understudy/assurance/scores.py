"""How far one record moves the scores that models ask for, and the exact distributions of the
mechanisms that select by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np

from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.model_queries import PART, amounts, tiny_schema
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.transcript import Transcript
from understudy.core.arrays import FloatArray, IntArray
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.selection import (
    FINE,
    candidates,
    compare_candidates,
    every_view,
    misfit,
    score,
)
from understudy.models.third_party.private_pgm import GRID, SENSITIVITY, Choosing, Parents
from understudy.models.views import Marginal, Rows
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise, selection
from understudy.table.buckets import ByGroups, Group
from understudy.table.records import Records
from understudy.table.schema import Schema

_PART = "Choices among scores"
_ALPHAS = (1.0001, 1.5, 2.0, 4.0, 16.0, 64.0)
_SCALES = (0.5, 3.0, 20.0)
_STARTS = 4
_LOST = 1e-7
"""What the logarithm of a sum that is nearly 1 may lose, over α − 1 ≥ 10⁻⁴ and a small ρ."""


def list_selection_checks() -> tuple[Check, ...]:
    """Return the two laws, and what the library says of them."""
    return (
        Check(
            _PART,
            "the exponential mechanism",
            "ρ = Δ²/(2s²): Rényi divergences of order α are at most αρ",
            "Cesar and Rogers 2021",
            exponential_moved,
        ),
        Check(
            _PART,
            "permute and flip",
            "ε = 2Δ/s",
            "McKenna and Sheldon 2020",
            flipped_moved,
        ),
        Check(
            _PART,
            "what OpenDP says of its choices",
            "its own privacy map: Δ²/(2s²) in zCDP, 2Δ/s in pure ε",
            "OpenDP's privacy maps",
            _maps,
        ),
    )


def exponential(scores: IntArray, scale: float) -> FloatArray:
    """Return the law of the exponential mechanism, shape (K,)."""
    likely = np.exp((scores - scores.max()) / scale)
    return np.asarray(likely / likely.sum())


def permute_and_flip_law(scores: IntArray, scale: float) -> FloatArray:
    """Return the law of permute-and-flip, shape (K,): of the index with the largest score plus
    exponential noise (Ding, Kifer, Saeed, Steinke, Wang, Xiao and Zhang 2021).

    The order of the indices is that of K uniform times; index i stops at time u, unless another
    did before: p_i·∫ Π_j (1 − u·p_j) du over the others, a polynomial.
    """
    stops = np.exp((scores - scores.max()) / scale)
    law = np.empty(len(stops))
    for index, stop in enumerate(stops.tolist()):
        polynomial = np.ones(1)
        for other in np.delete(stops, index).tolist():
            polynomial = np.convolve(polynomial, (1.0, -other))
        law[index] = stop * (polynomial / np.arange(1, len(polynomial) + 1)).sum()
    return law


def renyi(first: FloatArray, second: FloatArray, alpha: float) -> float:
    """Return the larger of D_α(F‖G) and D_α(G‖F); both are positive everywhere."""
    logs = np.log(first), np.log(second)
    return max(
        float(np.logaddexp.reduce(alpha * one - (alpha - 1) * other)) / (alpha - 1)
        for one, other in (logs, logs[::-1])
    )


def _scores(effort: Effort) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield scores, and scores that are apart by 3 at most."""
    draw = RandomInputs(effort.seed + 16)
    starts = [np.zeros(size, dtype=np.int64) for size in (2, 3)]
    starts += [draw.several(-6, 6, draw.whole(2, 4)) for _ in range(effort.of(_STARTS))]
    for start in starts:
        for moves in product((-3, 0, 3), repeat=len(start)):
            yield start, start + np.array(moves)


def exponential_moved(effort: Effort, drawn: float = 1.0) -> MeasuredValue:
    """Return Rényi divergences over αρ.

    Args:
        effort: how many scores.
        drawn: how much of the scale is used, for a mutant.
    """
    total = NOTHING
    for scale in _SCALES:
        rho = (3 / scale) ** 2 / 2
        for one, other in _scores(effort):
            laws = [exponential(each, drawn * scale) for each in (one, other)]
            found = _over(laws[0], laws[1], rho)
            total |= MeasuredValue(1, found, f"scale {scale:g}, {one} and {other}")
    return total


def _over(first: FloatArray, second: FloatArray, rho: float) -> float:
    """Return the largest Rényi divergence, over αρ."""
    found = max(renyi(first, second, alpha) / (alpha * rho) for alpha in _ALPHAS)
    return max(0.0, found) / (1 + _LOST)


def flipped_moved(effort: Effort, drawn: float = 1.0) -> MeasuredValue:
    """Return the largest ratio of probabilities, in logs, over 2Δ/s."""
    total = NOTHING
    for scale in _SCALES:
        for one, other in _scores(effort):
            laws = [permute_and_flip_law(each, drawn * scale) for each in (one, other)]
            apart = float(np.abs(np.log(laws[0]) - np.log(laws[1])).max())
            found = apart * scale / 6 / (1 + _LOST)
            total |= MeasuredValue(1, found, f"scale {scale:g}, {one} and {other}")
    return total


def _maps(_: Effort) -> MeasuredValue:
    total = NOTHING
    for scale in _SCALES:
        concentrated = selection(scale, concentrated=True).map(3) * 2 * scale**2 / 9
        pure = selection(scale, concentrated=False).map(3) * scale / 6
        total |= MeasuredValue(2, max(concentrated, pure) / (1 + _LOST), f"scale {scale:g}")
    return total


Compare = Callable[
    [Rows, Particles, Sequence[Marginal]], Iterator[tuple[int, IntArray, FloatArray]]
]
"""Counts candidates among the records, and by the model."""

_TABLES = 60
_SIZES = sorted({8 * part + less for part in range(1, 51) for less in (-1, 0)})
"""Numbers of records one of which is a record more, on both sides of a whole number of eights."""
_MOST_RECORDS = 9
_ASKED: tuple[tuple[int, Parents], ...] = ((1, (0,)), (2, (1,)), (2, (0, 1)), (0, (1, 2)))
"""Children with their parents, some of these through coarser buckets."""


@cache
def make_levels() -> Schema:
    """Return three columns, one of them with coarser buckets and a level above these."""
    columns = tiny_schema()
    groups = [("low", ("0", "1")), ("middle", ("2",)), ("high", ("3",))]
    above = [("low", ("low",)), ("not low", ("middle", "high"))]
    buckets, level = (
        ByGroups(groups=tuple(Group(label=label, values=each) for label, each in made))
        for made in (groups, above)
    )
    return columns.replace(columns.column("c1").changed(buckets=buckets, levels=(level,)))


@cache
def _list_groups() -> tuple[Marginal, ...]:
    """Return every pair, and the triple, at every level of their columns."""
    pairs = candidates(make_levels(), 1.0, Allowance(0.0, "none"))
    return (*pairs, *product(*every_view(make_levels())))


def list_score_checks() -> tuple[Check, ...]:
    """Return scores of misfits, and of parents."""

    def check(name: str, claim: str, measure: Callable[[Effort], MeasuredValue]) -> Check:
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


def parents_moved(effort: Effort, sensitivity: int = SENSITIVITY) -> MeasuredValue:
    """Return how far a score of parents moves, over what choices are made for."""
    total = NOTHING
    for one, more, draw in _neighbours(effort, 12):
        weights = [_weights(draw, size) for size in make_levels().cardinalities.tolist()]
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
            total |= MeasuredValue(1, moved, f"{len(one)} records, {child} after {parents}")
    return total


def _weights(draw: RandomInputs, size: int) -> IntArray:
    """Return any distribution over `GRID`, also one that nearly leaves a value out."""
    weights: IntArray = np.floor(draw.distributions(1, size)[0] * GRID).astype(np.int64)
    weights[draw.whole(0, size - 1)] += GRID - weights.sum()
    return weights


def _misfits_moved(effort: Effort) -> MeasuredValue:
    total = NOTHING
    for one, more, draw in _neighbours(effort, 13):
        for marginal in _list_groups():
            counts = [Rows.of(each).counts(marginal) for each in (one, more)]
            expected = draw.uniforms(len(counts[0])) * draw.one_of((0.1, 2.0, 20.0))
            first, second = (score(each, expected) for each in counts)
            total |= MeasuredValue(1, abs(first - second) / FINE, f"{len(one)} records")
    return total


def model_counts(effort: Effort, compare: Compare = compare_candidates) -> MeasuredValue:
    """Return 0 where what the model counts does not depend on the number of records.

    Args:
        effort: how many models.
        compare: another way to count both, for a mutant.
    """
    total = NOTHING
    asked = _list_groups()
    sizes = make_levels().cardinalities.tolist()
    draw = RandomInputs(effort.seed + 16)
    for _ in range(effort.of(_TABLES // 6)):
        drawn = [draw.several(0, size - 1, 50).astype(np.uint16) for size in sizes]
        model = Particles.of(Rows(make_levels(), drawn), 5.0)
        model.weights[:] = draw.uniforms(50)
        columns = [draw.several(0, size - 1, _SIZES[-1]).astype(np.uint16) for size in sizes]
        before: dict[int, bytes] | None = None
        for many in _SIZES:
            rows = Rows(make_levels(), [column[:many] for column in columns])
            told = {place: each.tobytes() for place, _, each in compare(rows, model, asked)}
            well = before in (None, told)
            total |= MeasuredValue(1, 0.0 if well else math.inf, f"{many} records")
            before = told
    return total


def by_their_number(
    rows: Rows, model: Particles, asked: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """As `compared`, but what is read off together depends on the number of records: a mutant."""
    return compare_candidates(rows, _Sized(rows, model), asked)


class _Sized(Particles):
    """A model that passes for one of as many records as there are."""

    def __init__(self, rows: Rows, model: Particles) -> None:
        self.rows, self._model = rows, model

    def counts(self, marginal: Marginal) -> FloatArray:
        return self._model.counts(marginal)


def misfits_cost(effort: Effort, thinned: bool = False) -> MeasuredValue:
    """Return what telling neighbours by their misfits costs, over what they may spend.

    Args:
        effort: how many tables.
        thinned: whether the noise is as if one candidate were asked about, for a mutant.
    """
    total = NOTHING
    asked = _list_groups()
    many = len(asked)
    for spend in amounts():
        part = 1 / many if spend.currency == "epsilon" else 1 / math.sqrt(many)
        for one, more, draw in _neighbours(effort, 14, _TABLES // 6):
            sizes = make_levels().cardinalities.tolist()
            drawn = [draw.several(0, size - 1, 50).astype(np.uint16) for size in sizes]
            model = Particles.of(Rows(make_levels(), drawn), 5.0)
            told = [Transcript(draw.source, drawn=part if thinned else 1.0) for _ in range(2)]
            for each, records in zip(told, (one, more), strict=True):
                misfit(Rows.of(records), model, asked, spend, each)
            costs = [
                first.cost(second) for first, second in zip(*(t.asked for t in told), strict=True)
            ]
            at = f"{len(one)} records, {spend.amount:.3g} of {spend.currency}"
            total |= MeasuredValue(1, math.fsum(costs) / spend.amount, at)
    return total


def _neighbours(
    effort: Effort, stream: int, usual: int = _TABLES
) -> Iterator[tuple[Records, Records, RandomInputs]]:
    """Yield tables of any few records, none too, with one record more."""
    draw = RandomInputs(effort.seed + stream)
    columns = make_levels()
    sizes = columns.cardinalities.tolist()
    for _ in range(effort.of(usual)):
        rows = draw.whole(1, _MOST_RECORDS)
        codes = np.column_stack([draw.several(0, size - 1, rows) for size in sizes])
        more = Records(columns, codes.astype(np.uint16))
        yield more.take(np.arange(rows - 1)), more, draw
