"""What a page shows of a plan beside its pictures, from public numbers alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pandas as pd

from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.charts.public import against_shares, curve_table, delta_curves
from understudy.mechanisms.imputation.curves.curve import delta_at
from understudy.mechanisms.imputation.errata import ERRATA, average_case
from understudy.mechanisms.imputation.parts import Histogram, Part
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.imputation.spending import WantedRelease
from understudy.mechanisms.imputation.spending import distortion as distortion_of

_POINTS: Final = 25
_SHARES: Final = (0.5, 0.2, 0.05, 0.01)
_RANDOM: Final = tuple(float(each) for each in np.geomspace(1e-4, 0.5, 30))
_AVERAGE_EPSILON: Final = 0.5


@dataclass(frozen=True, eq=False)
class RowsCurve:
    """Curves of one part by what is drawn.

    Attributes:
        one, own, parameter: ε at the δ of the plan, of rows from one draw, from draws of their own
            (None where they cannot be drawn), and of the parameter.
        figure: δ against ε of each.
        table: the same.
    """

    one: float
    own: float | None
    parameter: float
    figure: Any
    table: pd.DataFrame


def rows_curve(part: Part, delta: float, rows: int) -> RowsCurve:
    """Return how much rows from one draw of a part cost, beside the others.

    Args:
        part: it.
        delta: at which ε is told; where it is 0, one in a million.
        rows: how many.
    """
    at = delta or 1e-6
    kinds: dict[str, ReleaseType] = {
        f"{rows:,} rows from one draw": "rows-from-one-draw",
        f"{rows:,} rows from draws of their own": "rows-from-own-draws",
        "The parameter": "posterior-draw",
    }
    if isinstance(part, Histogram) and part.given:
        kinds = {name: kind for name, kind in kinds.items() if kind != "rows-from-own-draws"}
    costs = {
        kind: accounting.plan_epsilon(Drawing(kind, rows), [part], at) for kind in kinds.values()
    }
    whole = costs["posterior-draw"]
    epsilons = np.linspace(whole / _POINTS, 1.3 * whole, _POINTS).tolist()
    found = {}
    for name, kind in kinds.items():
        curve = accounting.curve(Drawing(kind, rows), [part], at)
        found[name] = [delta_at(curve, each) for each in epsilons]
    return RowsCurve(
        costs["rows-from-one-draw"], costs.get("rows-from-own-draws"), whole,
        delta_curves(epsilons, found), curve_table("ε", epsilons, found),
    )  # fmt: skip


def tabulate_distortion(plan: ImputationPlan, part: Histogram) -> pd.DataFrame:
    """Return what the prior does to some shares, in per cent."""
    tables = plan.tables if plan.release == "imputations" else 1
    wanted = WantedRelease(plan.release, part.count, part.records, plan.rows, tables)
    rows = []
    for share in _SHARES:
        found = distortion_of(wanted, float(part.alpha), share)
        rows.append(
            {
                "Share, %": 100 * share,
                "Moved by, %": round(100 * found.bias, 2),
                "Usual error in the rows, %": round(100 * found.error, 2),
                "Interval, ± %": round(100 * found.half_width, 2),
            }
        )
    return pd.DataFrame(rows)


@dataclass(frozen=True, eq=False)
class Averages:
    """The average case.

    Attributes:
        here: δ at the share that was asked for.
        figure: δ against the share.
        table: the same.
    """

    here: float
    figure: Any
    table: pd.DataFrame


def averages(records: int, share: float) -> Averages:
    """Return δ by which a plain count gives a record away among random others, at ε = ½."""
    deltas = _averages(records)
    return Averages(
        average_case(records, share, _AVERAGE_EPSILON),
        against_shares(_RANDOM, deltas),
        curve_table("Share", _RANDOM, {"δ": deltas}),
    )


@lru_cache(maxsize=16)
def _averages(records: int) -> tuple[float, ...]:
    return tuple(average_case(records, each, _AVERAGE_EPSILON) for each in _RANDOM)


def errata() -> list[dict[str, str]]:
    """Return the errors of the source, a row each."""
    return [
        {
            "Statement": each.number,
            "Prints": each.prints,
            "Wrong": each.wrong,
            "Right": each.instead,
            "Using it is": each.verdict,
            "By a factor of": _factor(each.factor() or math.inf),
            "Of": each.figure,
        }
        for each in ERRATA
    ]


def _factor(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) and value < 1e6 else "any"
