"""What a plan costs: the curve of everything that it releases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.curves import drawn as worst
from understudy.mechanisms.imputation.curves.curve import (
    FINEST,
    ROUNDING,
    Composed,
    Curve,
    Gaussian,
    GaussianCurve,
    epsilon_at,
)
from understudy.mechanisms.imputation.curves.drawn import (
    DrawAmounts,
    Figure,
    PosteriorCurve,
    TooMany,
    count_moments,
    covering,
    envelope,
    gaussian_moments,
    one_draw,
    parameter_moments,
    pure_moments,
    row_moments,
)
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType

FINE = float(1 << 30)
"""How many steps of the lattice a deviation has at least; see `lattice`."""


_RARE = 1e-100
"""Counts that are rarer are left out of moments, where they count as the largest loss."""


@dataclass(frozen=True)
class Pure:
    """The curve of ε-differential privacy without a δ, at its worst: randomised response."""

    epsilon: float

    def forward(self, epsilons: FloatArray) -> FloatArray:
        return np.maximum(-np.expm1(epsilons - self.epsilon), 0.0) / (1 + math.exp(-self.epsilon))

    def backward(self, epsilons: FloatArray) -> FloatArray:
        return self.forward(epsilons)

    @property
    def largest(self) -> float:
        """As `Curve`."""
        return self.epsilon


@dataclass(frozen=True)
class Drawing:
    """What is drawn from every part.

    Attributes:
        release: see `ImputationPlan`.
        rows, tables: as of the plan.
        conditioned: whether numbers are drawn until they lie within their bounds.
    """

    release: ReleaseType
    rows: int = 1
    tables: int = 1
    conditioned: bool = False

    @classmethod
    def of(cls, plan: ImputationPlan) -> Drawing:
        """Return what a plan draws."""
        return cls(plan.release, plan.rows, plan.tables, plan.conditioned)

    @property
    def drawn(self) -> DrawAmounts:
        """How many draws of the parameter, and rows of each."""
        if self.release == "posterior-draw":
            return DrawAmounts(1, None)
        if self.release == "imputations":
            return DrawAmounts(self.tables, self.rows)
        return (
            DrawAmounts(1, self.rows)
            if self.release == "rows-from-one-draw"
            else DrawAmounts(self.rows, 1)
        )

    def cells(self, part: Histogram) -> worst.Cells:
        """Return a histogram as it is drawn from: the mode is a mean under a weaker prior.

        Raises:
            Refusal: the prior is too weak for a mode.
        """
        if self.release != "rows-from-mode":
            return part.cells
        if part.alpha <= 1:
            raise Refusal(
                "Rows from the mode need a prior of strength above 1: below, a value that nobody "
                "has would never be drawn.",
                "Choose a larger strength, or rows from one draw.",
                field="strength",
            )
        return part.cells.mode

    def curve(self, part: Part) -> tuple[Curve, int]:
        """Return the curve of a part, or one that is never below it, and how many times it is
        used."""
        if isinstance(part, Mean):
            return self._mean(part.model)
        drawn, cells = self.drawn, self.cells(part)
        if part.given:
            return PosteriorCurve(cells.alpha + 1, cells.alpha), drawn.times
        once, times = (
            (drawn, 1) if drawn.rows in (None, 1) else (DrawAmounts(1, drawn.rows), drawn.times)
        )
        return envelope(cells, once) if cells.count == 2 else once.between(*cells.rarest), times

    def _mean(self, model: Gaussian) -> tuple[Curve, int]:
        drawn = self.drawn
        if self.conditioned:
            if self.release in ("rows-from-mode", "rows-from-own-draws"):
                once = model.conditioned_row(mode=self.release == "rows-from-mode")
            else:
                once = model.conditioned_mean()
            # Both normalisers are sums over the lattice; each is within this of its integral.
            return Pure(once + 16 / FINE), drawn.times
        if self.release == "rows-from-mode":
            ratio = model.from_mode(self.rows)
        else:
            ratio = model.compute_mu(drawn.times, math.inf if drawn.rows is None else drawn.rows)
        return GaussianCurve(ratio, FINE), 1

    def moments(self, part: Part) -> FloatArray:
        """Return K of a part, at each λ of `moments`: for a δ that convolutions cannot tell from
        0."""
        if isinstance(part, Mean):
            curve, times = self._mean(part.model)
            if isinstance(curve, Pure):
                return times * pure_moments(curve.epsilon)
            assert isinstance(curve, GaussianCurve)
            return times * gaussian_moments(curve.ratio)
        drawn, cells = self.drawn, self.cells(part)
        if part.given:
            return drawn.times * parameter_moments(cells.alpha + 1, cells.alpha)
        pairs = tuple(covering(cells)) if cells.count == 2 else (cells.rarest,)
        return np.asarray(np.max([_moments(drawn, *pair) for pair in pairs], axis=0))

    def pure(self, part: Part) -> float:
        """Return ε of a part without a δ."""
        if isinstance(part, Histogram) and not part.given:
            return self.drawn.pure(self.cells(part).alpha)
        curve, times = self.curve(part)
        return times * curve.largest


@lru_cache(maxsize=256)
def _moments(drawn: DrawAmounts, a: float, b: float, rest: float) -> FloatArray:
    """Return K of everything that is drawn, for a pair. The same at every δ, of which many are
    tried."""
    if drawn.rows == 1:
        return drawn.times * row_moments(a, b, rest)
    whole = parameter_moments(a, b)
    if drawn.rows is not None:
        with suppress(TooMany):
            whole = np.minimum(whole, count_moments(one_draw(a, b, rest, drawn.rows, _RARE)))
    return drawn.times * whole


def plan_epsilon(
    drawing: Drawing, parts: Sequence[Part], delta: float, share: float = 1.0
) -> float:
    """Return ε of everything that is drawn, at a δ; infinite where there is none.

    Args:
        drawing: what is drawn from each part.
        parts: at least one.
        delta: of the total, 0 or more.
        share: of the records that are used.
    """
    if delta <= 0:
        whole = math.fsum(drawing.pure(part) for part in parts)
    else:
        whole = _at(drawing, tuple(parts), min(delta / share, 1.0))
    if math.isinf(whole) or whole > 700:
        return math.inf
    found = whole if share == 1 else math.log1p(share * math.expm1(whole))
    return found * (1 + ROUNDING)


@lru_cache(maxsize=512)
def _at(drawing: Drawing, parts: tuple[Part, ...], delta: float) -> float:
    found = _curve(drawing, parts, delta)
    if isinstance(found, Composed) and delta < 10 * FINEST:
        logs = np.sum([drawing.moments(part) for part in parts], axis=0)
        return min(Figure(delta, epsilon=True).bound_by_moments(logs), found.largest)
    return epsilon_at(found, delta)


def curve(drawing: Drawing, parts: Sequence[Part], delta: float) -> Curve:
    """Return the curve of the two tables for which ε is largest at a δ, or one that is above it,
    for the records that are used."""
    return _curve(drawing, tuple(parts), delta)


@lru_cache(maxsize=128)
def _curve(drawing: Drawing, parts: tuple[Part, ...], delta: float) -> Curve:
    if len(parts) == 1 and isinstance(parts[0], Histogram) and not parts[0].given:
        return worst.worst_curve(
            drawing.cells(parts[0]), drawing.drawn, Figure(delta, epsilon=True)
        )
    curves = tuple(drawing.curve(part) for part in parts)
    return curves[0][0] if len(curves) == 1 and curves[0][1] == 1 else Composed(curves)


def exact(drawing: Drawing, parts: Sequence[Part]) -> bool:
    """Return whether the ε of the parts is that of the worst table, and not only never below it: it
    is for one part, and for several that each have three cells or more and depend on nothing."""
    if len(parts) == 1:
        return isinstance(parts[0], Mean) is False and not _hangs(parts[0])
    return (
        all(isinstance(part, Mean) or (part.count > 2 and not part.given) for part in parts)
        and not drawing.conditioned
    )


def _hangs(part: Part) -> bool:
    return isinstance(part, Histogram) and bool(part.given)
