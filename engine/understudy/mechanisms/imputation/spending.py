"""Settings that keep to an ε, and what each release would give for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy.optimize import brentq

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.curves.curve import Gaussian, largest_ratio
from understudy.mechanisms.imputation.draws import RESOLUTION
from understudy.mechanisms.imputation.guarantee import guarantee
from understudy.mechanisms.imputation.outputs import RowOrigin, people_share
from understudy.mechanisms.imputation.parts import Histogram, parts
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.plan import MechanismPlan
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema

STRONGEST = 1e7
"""No stronger prior is looked for."""

_WEAKEST = 1e-3
_CLOSE = 1e-4
"""The relative precision of a planned prior; it is rounded up."""


@dataclass(frozen=True)
class WantedRelease:
    """What is to be released of one histogram.

    Attributes:
        release: see `ImputationPlan`.
        cells: k, at least 2.
        records: n.
        rows, tables: as of the plan.
    """

    release: ReleaseType
    cells: int
    records: int
    rows: int
    tables: int = 1

    def epsilon(self, alpha: float, delta: float) -> float:
        """Return ε under a prior; infinite where there is none."""
        part = Histogram((0,), (), (self.cells,), (), Fraction(alpha), self.records)
        if self.release == "rows-from-mode" and alpha <= 1:
            return math.inf
        return accounting.plan_epsilon(Drawing(self.release, self.rows, self.tables), [part], delta)

    def rows_of(self) -> RowOrigin:
        """Return how its rows come about."""
        if self.release == "rows-from-mode":
            return RowOrigin(self.records, None, self.rows)
        drawn = Drawing(self.release, self.rows, self.tables).drawn
        return RowOrigin(self.records, drawn.times, drawn.rows or RESOLUTION)


def least_strength(wanted: WantedRelease, target: Budget) -> float:
    """Return the smallest α with which an (ε, δ) holds, rounded up to three digits.

    Raises:
        Refusal: there is none up to `STRONGEST`.
    """

    def over(log_alpha: float) -> float:
        found = wanted.epsilon(math.exp(log_alpha), target.delta)
        return math.log(min(found, 1e9) / target.epsilon) if found > 0 else -50.0

    low, high = math.log(_WEAKEST), math.log(STRONGEST)
    if over(low) <= 0:
        return _WEAKEST
    if over(high) > 0:
        raise Refusal(
            "No prior is strong enough for this ε and δ.",
            "Choose a larger δ or ε, fewer rows, or another release.",
            field="delta",
        )
    found = math.exp(float(brentq(over, low, high, xtol=_CLOSE)) + _CLOSE)
    digits = 2 - math.floor(math.log10(found))
    return math.ceil(found * 10**digits) / 10**digits if digits > 0 else float(math.ceil(found))


@dataclass(frozen=True)
class Distortion:
    """What a prior does to a share of the population.

    Attributes:
        shrinkage: the share of the posterior that is the prior.
        bias: by how much a share is drawn towards 1/k, in what is released as it is.
        error: the usual (root of the mean square) error of the share in the rows.
        half_width: half of the 95 % interval that knows of the prior.
    """

    shrinkage: float
    bias: float
    error: float
    half_width: float


def distortion(wanted: WantedRelease, alpha: float, of: float) -> Distortion:
    """Return what a prior does to a share.

    Args:
        wanted: what is released.
        alpha: the strength.
        of: the share, of one cell.
    """
    felt = alpha - (wanted.release == "rows-from-mode")
    total, rows = wanted.records + wanted.cells * felt, wanted.rows_of()
    centre = (wanted.records * of + felt) / total
    between = 0.0 if rows.draws is None else 1 / (rows.draws * (total + 1))
    within = (1.0 if rows.draws is None else total / (total + 1)) / rows.total
    variance = (wanted.records / total) ** 2 * of * (1 - of) / wanted.records
    variance += centre * (1 - centre) * (between + within)
    interval = people_share(centre, wanted.cells, felt, rows, 0.95)
    return Distortion(
        shrinkage=wanted.cells * felt / total,
        bias=centre - of,
        error=math.sqrt(variance + (centre - of) ** 2),
        half_width=(interval.high - interval.low) / 2,
    )


def widest_range(
    release: ReleaseType, records: int, rows: int, tables: int, prior: float, target: Budget
) -> float:
    """Return the largest R/σ with which an (ε, δ) holds for a mean and its rows."""
    model, drawn = Gaussian(1.0, 1.0, prior, records), Drawing(release, rows, tables).drawn
    if release == "rows-from-mode":
        ratio = model.from_mode(rows)
    else:
        ratio = model.compute_mu(drawn.times, math.inf if drawn.rows is None else drawn.rows)
    return largest_ratio(target.epsilon, target.delta) / ratio


@dataclass(frozen=True)
class _Split:
    """One way to make so many rows.

    Attributes:
        tables, rows: M and s.
        alpha: the prior that it needs.
        half_width: of the interval for a share.
    """

    tables: int
    rows: int
    alpha: float
    half_width: float


def splits(
    cells: int, records: int, total: int, target: Budget, of: float, tables: Sequence[int]
) -> tuple[_Split, ...]:
    """Return tables of equally many rows, all of them at most `total`: what each way needs and
    gives.

    Args:
        cells: k.
        records: n.
        total: M·s.
        target: the (ε, δ) of all tables together.
        of: the share that an interval is wanted for.
        tables: the M to try.
    """
    found = []
    for count in tables:
        rows = total // count
        if not rows:
            continue
        release: ReleaseType = "rows-from-one-draw" if count == 1 else "imputations"
        wanted = WantedRelease(release, cells, records, rows, count)
        alpha = least_strength(wanted, target)
        width = distortion(wanted, alpha, of).half_width
        found.append(_Split(count, rows, alpha, width))
    return tuple(found)


def strength_for(plan: ImputationPlan, schema: Schema, epsilon: float) -> float:
    """Return the smallest strength with which a whole plan keeps to an ε, to three digits.

    Raises:
        Refusal: there is none that leaves the records more weight than the prior has, or the plan
            does not fit the schema.
    """

    def cost(alpha: float) -> float:
        changed = plan.model_copy(update={"strength": alpha})
        return float(guarantee(changed, schema).total.epsilon)

    low = _FEWEST
    found = parts(plan.model_copy(update={"strength": _FEWEST}), schema)
    cells = max((p.count * p.groups for p in found if isinstance(p, Histogram)), default=0)
    if not cells:
        raise Refusal(
            "No column is counted, so that the strength has no use.",
            "Choose the weight of the prior of means.",
            field="strength",
        )
    high = _rounded_down(plan.used_records / cells)
    if high < low or cost(high) > epsilon:
        raise Refusal(
            f"No strength keeps this plan to ε = {epsilon:g} and leaves the records more weight "
            "than the prior has.",
            "Choose a larger ε, fewer rows, fewer columns or cells, or another release.",
            field="strength",
        )
    while high / low > 1.005:
        middle = float(f"{math.sqrt(low * high):.3g}")
        if middle in (low, high):
            break
        if _safely(cost, middle) <= epsilon:
            high = middle
        else:
            low = middle
    return high


_FEWEST = 0.1


def _safely(cost: Callable[[float], float], alpha: float) -> float:
    try:
        return cost(alpha)
    except Refusal:
        return math.inf


def _rounded_down(value: float) -> float:
    """Round a number down to three digits."""
    power = 10 ** (2 - math.floor(math.log10(value)))
    return float(math.floor(value * power) / power)


def list_budgeted(plan: MechanismPlan) -> tuple[str, ...]:
    """Return the names of the settings that follow; see `understudy.mechanisms.spending`."""
    assert isinstance(plan, ImputationPlan)
    return ("epsilon",) if plan.release == "noised-mode" else ("strength",)


def spend(plan: MechanismPlan, schema: Schema, epsilon: float) -> Mapping[str, Any]:
    """Return the settings that keep to an ε: how strong the prior is; of parameters with noise, how
    much noise.

    Raises:
        Refusal: no prior that leaves the records most of the say keeps to it.
    """
    assert isinstance(plan, ImputationPlan)
    if plan.release == "noised-mode":
        used = math.expm1(epsilon / plan.records_per_person) * plan.records / plan.used_records
        return {"epsilon": math.log1p(used)}
    return {"strength": strength_for(plan, schema, epsilon)}
