"""Runs of Bayesian imputation that draw noise, on a record that is replaced by one that hurts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from understudy.assurance.real_runs import Asked, Begun, Break, Pair, Runs, Spend, Trial, pair_codes
from understudy.core.arrays import TextArray
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.imputation.draws import Sampler
from understudy.mechanisms.imputation.lattice import ColumnLattice
from understudy.mechanisms.imputation.mechanism import Imputation
from understudy.mechanisms.imputation.parts import Mean, parts
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.privacy.randomness import Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

_STEPS: Final = 5
_SCHEMA: Final = Schema(
    columns=(
        Column(name="flag", domain=Categories(values=("no", "yes"))),
        Column(name="kind", domain=Categories(values=("a", "b", "c")), missing=True),
        Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(_STEPS))),
    )
)
_SIGMA: Final = 2.0
_PRIOR: Final = 1.0
_ROWS: Final = 7
_TABLES: Final = 3
_MADE: Final = 4
_USED: Final = 4


def _trials() -> tuple[Trial, ...]:
    free: tuple[ReleaseType, ...] = (
        "posterior-draw",
        "rows-from-mode",
        "rows-from-own-draws",
        "rows-from-one-draw",
        "imputations",
    )
    return (
        _add_noise_trial("the mode with noise"),
        _add_noise_trial("the mode with noise, one column by another", given={"kind": ("flag",)}),
        _add_noise_trial("the mode with noise, some records", used=_USED),
        *(_drawn_trial(each) for each in free),
        *(_within(each) for each in free[:3]),
    )


def _plan(release: ReleaseType, **settings: Any) -> PlannedRun[ImputationPlan]:
    usual: dict[str, Any] = {
        "domain": _SCHEMA.fingerprint,
        "release": release,
        "records": _ROWS,
        "rows": _MADE,
        "tables": _TABLES,
        "deviations": {"size": _SIGMA},
        "prior_records": _PRIOR,
        "strength": 0.5,
        "delta": 1e-3,
    }
    return plan_run(ImputationPlan(**{**usual, **settings}), _SCHEMA)


def _parts(kept: Arrays) -> TextArray:
    return np.where(kept[HELD_OUT].astype(bool), "left out", "used")


def _pairs() -> tuple[Pair, ...]:
    """Return pairs that move every column from one end to the other, and to missing, alone and
    among equals."""
    low, high, missing = [0, 0, 0], [1, 2, _STEPS], [1, 3, _STEPS]
    cases = (
        ("from all lows to a high", [low] * (_ROWS - 1), low, high),
        ("from all highs to a low", [high] * (_ROWS - 1), high, low),
        ("to missing", [low, high, missing] * 2, low, missing),
    )

    return tuple(pair_codes(_SCHEMA, *each) for each in cases)


def _trial(
    name: str, decided: PlannedRun[ImputationPlan], spend: Spend, least: Mapping[str, float]
) -> Trial:
    plan = decided.plan
    others = ("left out",) if plan.used_records < plan.records else ()
    return Trial(name, decided, _pairs(), _parts, {"used": spend}, others, least)


def _add_noise_trial(name: str, **settings: Any) -> Trial:
    """Return the trial of Laplace noise on the counts of each column and on the sum, a third of ε
    for each."""
    decided = _plan("noised-mode", epsilon=1.5, **settings)
    whole = decided.plan.epsilon

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        each = [first.cost(second) for first, second in zip(one, other, strict=True)]
        names = (f"column {place}" for place in range(len(each)))
        shares = {name: cost * 3 / whole for name, cost in zip(names, each, strict=True)}
        return {**shares, "all": math.fsum(each) / whole}

    return _trial(name, decided, spend, {"all": 0.999})


def _drawn_trial(release: ReleaseType) -> Trial:
    """Return the trial of Gaussian noise on the mean, or on rows about it: what one record moves,
    in deviations of what is released."""
    decided = _plan(release, columns=("size",))
    paid = decided.guarantee.record
    (part,) = decided.guarantee.parts

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        moved = _sensitivity(release, one, other)
        return {
            "μ": moved / part.native["mu"],
            "all": _epsilon(moved, paid.delta) / paid.epsilon,
        }

    return _trial(f"{release}, numbers", decided, spend, {"μ": 0.999, "all": 0.999})


def _sensitivity(release: ReleaseType, one: Asked, other: Asked) -> float:
    """Return μ of all that is released. A mean that rows are drawn about is not: they have its
    noise and their own, of which so many rows leave a part."""
    if release in ("rows-from-one-draw", "imputations"):
        squares = []
        for at in range(0, len(one), 2):
            mean, rows = one[at], one[at + 1]
            shift = float(np.abs(mean.values - other[at].values).max())
            noise = math.hypot(mean.scale, rows.scale / math.sqrt(rows.values.size))
            squares.append((shift / noise) ** 2)
        return math.sqrt(math.fsum(squares))
    each = (first.cost(second) for first, second in zip(one, other, strict=True))
    return math.sqrt(2 * math.fsum(each))


def _epsilon(moved: float, delta: float) -> float:
    """Return ε at a δ of Gaussian noise by which tables are so many deviations apart (Balle and
    Wang 2018, Theorem 8)."""

    def over(epsilon: float) -> float:
        near, far = moved / 2 - epsilon / moved, -moved / 2 - epsilon / moved
        return float(ndtr(near) - math.exp(epsilon + log_ndtr(far))) - delta

    if not moved or over(0.0) <= 0:
        return 0.0
    return float(brentq(over, 0.0, moved**2 / 2 + moved * 40))


def _within(release: ReleaseType) -> Trial:
    """Return the trial of numbers that are drawn again until they lie within the bounds, without a
    δ."""
    decided = _plan(release, columns=("size",), conditioned=True, delta=0.0)
    base = decided.guarantee.record

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        end = _end(release)
        first, second = (float(each.values[0] / one[0].scale) for each in (one[0], other[0]))
        once = _ratio(first, second, end)
        return {"all": one[0].values.size * once / base.epsilon}

    found = _trial(f"{release}, numbers within their bounds", decided, spend, {"all": 0.99})
    return replace(found, later={"used": _all_within})


def _all_within(
    decided: PlannedRun[ImputationPlan], pair: Pair, secret: Secret, first: Begun, second: Begun
) -> tuple[Mapping[str, float], bool]:
    """Return whether everything beyond the bounds was drawn again, and nothing else."""
    (part,) = parts(decided.plan, decided.schema)
    assert isinstance(part, Mean)
    end = part.steps * ColumnLattice.of(part).per_step
    numbers, *again = first.draws.answers
    left = numbers.copy()
    for each in again:
        beyond = np.flatnonzero(2 * np.abs(left) > end)
        if beyond.size != each.size:
            return {}, False
        left[beyond] = each
    return {}, bool((2 * np.abs(left) <= end).all())


def _end(release: ReleaseType) -> float:
    """Return half of the bounds in deviations of what is drawn, by the model alone."""
    mean = _SIGMA / math.sqrt(_ROWS + _PRIOR)
    noise = {"posterior-draw": mean, "rows-from-mode": _SIGMA}
    return _STEPS / 2 / noise.get(release, math.hypot(_SIGMA, mean))


def _ratio(one: float, other: float, end: float) -> float:
    """Return the largest log-ratio of two normal laws of deviation 1 within ±end."""

    def inside(centre: float) -> float:
        return math.log(float(ndtr(end - centre) - ndtr(-end - centre)))

    def ratio(at: float) -> float:
        return ((at - other) ** 2 - (at - one) ** 2) / 2 - inside(one) + inside(other)

    return max(abs(ratio(end)), abs(ratio(-end)))


RUNS: Final = Runs(
    ImputationPlan.kind,
    "Bayesian imputation",
    _trials,
    (
        Break(
            "half the noise on counts",
            "a replaced record counts once less and once more, and noise is for one of both",
            Sampler._add_noise,
            "2 / share",
            "1 / share",
        ),
        Break(
            "the whole ε for every part",
            "parts do not share what may be spent",
            Sampler._add_noise,
            "self.plan.epsilon / len(self.parts)",
            "self.plan.epsilon",
        ),
        Break(
            "noise of numbers beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            Imputation.begin,
            "Noise(source.child(), tape)",
            "Noise(source.child())",
        ),
        Break(
            "records left out are used",
            "those that are only compared with are counted too",
            Imputation.begin,
            "np.flatnonzero(~apart)",
            "np.arange(len(held))",
            "the mode with noise, some records",
        ),
        Break(
            "rows closer than their model",
            "a row's deviation is taken for that of the mean",
            Sampler._numbers,
            "lattice.row if mode else lattice.own_row",
            "lattice.mean",
            "rows-from-mode",
        ),
        Break(
            "numbers beyond the bounds stay",
            "they are not drawn again, and the ε is that of numbers that are",
            ColumnLattice.around,
            "while conditioned:",
            "while False:",
            "rows-from-mode, numbers within",
        ),
        Break(
            "a lattice of half the step",
            "the mean moves by twice as many units as its deviation is for",
            ColumnLattice.centre,
            "self.per_sum * (2 * total",
            "self.per_sum * (4 * total",
            "posterior-draw",
        ),
    ),
)
