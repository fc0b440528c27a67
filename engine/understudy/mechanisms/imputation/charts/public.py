"""Pictures of what a plan comes to: curves, bounds and what budgets give; and what a page shows
beside them, from public numbers alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.over_epsilon import ACROSS, against_epsilon
from understudy.charts.palette import BLUE, DASHES, GOLD, GREEN, GREY, PURPLE, QUIET, VERMILLION
from understudy.charts.public import PictureShape, PublicPicture
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.curves.curve import Amplified, delta_at
from understudy.mechanisms.imputation.errata import ERRATA, average_case, printed_delta
from understudy.mechanisms.imputation.guarantee import guarantee
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part, histograms, parts
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.imputation.spending import WantedRelease
from understudy.mechanisms.imputation.spending import distortion as distortion_of
from understudy.mechanisms.mechanism import PlannedRun
from understudy.table.schema import Schema

UP: Final = "Made-up records, of 100"
TYPICAL: Final = "Typical column"
_STRENGTHS: Final = tuple(float(f"{10 ** (place / 3):.3g}") for place in range(-3, 10))
_SHOWN: Final = (0.05, 20.0)


def _over_epsilon(decided: PlannedRun[ImputationPlan]) -> PublicPicture | None:
    """Return the picture; None where nothing is counted, or ε does not follow from the prior."""
    plan = decided.plan
    if plan.release == "noised-mode" or not decided.guarantee.total.bounded:
        return None
    table = tabulate_made_up(plan, decided.schema)
    if table is None:
        return None
    here = decided.guarantee.total.epsilon
    worst = str(table.columns[1])
    now = _shares(histograms(plan, decided.schema))
    most = max(now.values())
    low = float(table.iloc[:, 1:].to_numpy().min())
    said = (
        "So that nobody's record shows, made-up records stand in every cell before the real ones "
        f"are counted. With this plan they are {significant(100 * most, 2)} of 100 that the shares "
        f"of {worst} are made of. A larger ε takes fewer of them, and more records outweigh them."
    )
    return PublicPicture(
        name="made-up",
        title="How much is made up beforehand",
        said=said,
        draw=partial(against_epsilon, table, UP, ends=(max(0.01, low / 1.5), 100.0), powers=True,
                     here=here),
        table=table,
        alt="How many of 100 records that shares are made of are made up, by ε.",
        shape=PictureShape("lines", ACROSS, tuple(map(str, table.columns[1:])), UP, powers=True,
                    marked=here),
        foresees=True,
        in_short=(
            f"Of 100 records behind the shares of “{worst}”, {significant(100 * most, 2)} are made "
            "up, to hide the real ones. A larger ε takes fewer."
        ),
    )  # fmt: skip


def tabulate_made_up(plan: ImputationPlan, schema: Schema) -> pd.DataFrame | None:
    """Return, for each ε, how many of 100 records are made up: of the column with the most, and of
    a typical one; None where no column is counted, or no prior keeps to any of these ε."""
    every = histograms(plan, schema)
    if not every:
        return None
    rows = []
    for strength in sorted({*_STRENGTHS, plan.strength}):
        other = plan.model_copy(update={"strength": strength})
        try:
            epsilon = guarantee(other, schema).total.epsilon
        except Refusal:
            continue
        if not math.isfinite(epsilon) or not _SHOWN[0] <= epsilon <= _SHOWN[1]:
            continue
        shares = _shares(histograms(other, schema))
        worst = max(shares, key=lambda place: shares[place])
        rows.append((epsilon, 100 * shares[worst], 100 * float(np.median(list(shares.values())))))
    if len(rows) < 2:
        return None
    widest = max(every, key=lambda each: each.mass)
    name = " × ".join(
        schema.columns[place].title or schema.names[place]
        for place in (*widest.columns, *widest.given)
    )
    table = pd.DataFrame(sorted(rows), columns=[ACROSS, name, TYPICAL])
    return table if len(every) > 1 else table.drop(columns=TYPICAL)


def _shares(every: tuple[Histogram, ...]) -> dict[int, float]:
    """Return, by histogram, the share of the counted records that are made up."""
    return {place: each.mass / (each.mass + each.records) for place, each in enumerate(every)}


LEAST: Final = 1e-15
"""Smaller δ are drawn as this."""

_COLOURS: Final = (BLUE, VERMILLION, GREEN, PURPLE, GOLD, GREY)


def curve_table(
    x: str, values: Sequence[float], found: Mapping[str, Sequence[float]]
) -> pd.DataFrame:
    """Return a row for each value across, a column for each curve."""
    return pd.DataFrame({x: list(values), **{name: list(each) for name, each in found.items()}})


def delta_curves(
    epsilons: Sequence[float], found: Mapping[str, Sequence[float]], marked: float | None = None
) -> Any:
    """Return δ against ε, on a logarithmic axis.

    Args:
        epsilons: across.
        found: δ at each ε, by the name of the curve.
        marked: the ε of the plan.
    """
    high = max(max(each) for each in found.values())
    y = scales.log_y("y", "δ", [LEAST, max(high, 10 * LEAST)], ".0e")
    x = alt.X("x:Q", title="ε", scale=alt.Scale(domain=[min(epsilons), max(epsilons)], nice=False))
    return _draw_curves(epsilons, found, x, y, marked, "δ against ε")


def chart_growth(
    rows: Sequence[int], found: Mapping[str, Sequence[float]], marked: float | None = None
) -> Any:
    """Return ε against the number of rows, both axes logarithmic.

    Args:
        rows: across.
        found: ε at each number, by the name of the release; infinite ones are left out.
        marked: the rows of the plan.
    """
    every = [value for each in found.values() for value in each if np.isfinite(value) and value > 0]
    x = scales.log_x("x", "Rows", [min(rows), max(rows)])
    y = scales.log_y("y", "ε", scales.log_domain(every, 1.2), ".3~g")
    return _draw_curves(rows, found, x, y, marked, "ε against rows")


def against_shares(shares: Sequence[float], deltas: Sequence[float]) -> Any:
    """Return δ of one record among random others against how common it is."""
    x = scales.log_x("x", "How many in a hundred are like it", [100 * shares[0], 100 * shares[-1]],
                     ".3~g")  # fmt: skip
    y = scales.log_y("y", "δ", [LEAST, 1.0], ".0e")
    return _draw_curves([100 * each for each in shares], {"One record": deltas}, x, y, None,
                  "δ among random others against how common a value is")  # fmt: skip


def _draw_curves(
    across: Sequence[float],
    found: Mapping[str, Sequence[float]],
    x: alt.X,
    y: alt.Y,
    marked: float | None,
    said: str,
) -> Any:
    rows = [
        {"x": at, "y": max(value, LEAST), "name": name}
        for name, each in found.items()
        for at, value in zip(across, each, strict=True)
        if np.isfinite(value) and value > 0
    ]
    looks = {
        name: scales.CurveLook(_COLOURS[place % len(_COLOURS)], DASHES[place % len(DASHES)])
        for place, name in enumerate(found)
    }
    figure = scales.curves(pd.DataFrame(rows), x, y, looks)
    layers: list[Any] = [figure]
    if marked is not None and min(across) <= marked <= max(across):
        here = pd.DataFrame({"x": [marked]})
        layers.append(
            alt.Chart(here).mark_rule(strokeDash=[3, 3], color=QUIET).encode(x=alt.X("x:Q"))
        )
    return scales.stack_layers(*layers, title=scales.note(""), description=said, height=300)


POINTS: Final = 15
EXACT: Final = "Everything"
ROWS: Final = (1, 10, 100, 1000, 10_000)
GROWING: Final[dict[str, ReleaseType]] = {
    "Rows from one draw": "rows-from-one-draw",
    "A draw for each row": "rows-from-own-draws",
    "The parameter itself": "posterior-draw",
}


@dataclass(frozen=True)
class Costliest:
    """The part of a plan that costs most alone.

    Attributes:
        name: of it.
        part: it.
    """

    name: str
    part: Part


def costliest(decided: PlannedRun[ImputationPlan]) -> Costliest:
    """Return the part of a plan that costs most alone."""
    plan = decided.plan
    found = parts(plan, decided.schema)
    costs = [each.cost.epsilon for each in decided.guarantee.parts]
    at = int(np.argmax(costs))
    return Costliest(decided.guarantee.parts[at].of, found[at])


def pictures(decided: PlannedRun[ImputationPlan]) -> tuple[PublicPicture, ...]:
    """Return the pictures: how much is made up at each ε, the privacy curve of a plan beside the
    printed bound, and how it grows with the rows."""
    plan = decided.plan
    if plan.release == "noised-mode" or plan.delta == 0 or not decided.guarantee.total.bounded:
        return ()
    budgets = _over_epsilon(decided)
    first = () if budgets is None else (budgets,)
    curve = _curve(plan, decided, decided.schema)
    # Rows of what depends on others cost as much as the parameter, whatever their number.
    growing = () if by_others(costliest(decided).part) else (_growth(plan, decided),)
    return (*first, curve, *growing)


def by_others(part: Part) -> bool:
    """Return whether a part is kept apart by other columns."""
    return isinstance(part, Histogram) and bool(part.given)


def _curve(
    plan: ImputationPlan, decided: PlannedRun[ImputationPlan], schema: Schema
) -> PublicPicture:
    at = decided.guarantee.record.epsilon
    epsilons = np.linspace(0.2 * at, 1.6 * at, POINTS).tolist()
    drawing, every = Drawing.of(plan), parts(plan, schema)
    share = plan.used_records / plan.records

    def deltas(of: Sequence[Part]) -> list[float]:
        whole = accounting.curve(drawing, of, min(1.0, plan.delta / share))
        return [delta_at(Amplified(whole, share), each) for each in epsilons]

    found = {EXACT: deltas(every)}
    said = (
        "The ε of this plan at any δ, and not at the chosen one alone (the upright line). It is "
        "the curve of the two tables that are worst at that δ."
    )
    most = costliest(decided)
    if len(every) > 1:
        found[f"{most.name} alone"] = deltas([most.part])
    printed = [printed_delta(plan.release, most.part, each) for each in epsilons]
    if share == 1 and all(each is not None for each in printed):
        number, unsafe = _statement(most.part)
        name = f"{most.name}, as printed in {number}"
        found[name] = [min(1.0, each) for each in printed if each is not None]
        said += (
            f" {number} of the source prints a bound for {most.name} alone that lies below what "
            "holds: using it would have promised too much."
            if unsafe
            else f" {number} of the source prints a bound for {most.name} alone that holds, and "
            "is many times too large."
        )
    return PublicPicture(
        "curve", "δ for every ε", said, partial(delta_curves, epsilons, found, at),
        curve_table("ε", epsilons, found), "δ of the plan against ε",
        PictureShape("lines", "ε", tuple(found), "δ", marked=at),
    )  # fmt: skip


def _statement(part: Part) -> tuple[str, bool]:
    return ("Theorem 7.8", True) if isinstance(part, Mean) else ("Lemma 6.5", False)


def _growth(plan: ImputationPlan, decided: PlannedRun[ImputationPlan]) -> PublicPicture:
    most = costliest(decided)
    found = {
        name: compute_epsilons(release, most.part, plan.delta) for name, release in GROWING.items()
    }
    return PublicPicture(
        "growth", "What more rows cost",
        f"What {most.name} alone costs, by how many rows there are. Rows from one draw cost more "
        "and more, but never more than the parameter they are drawn from; rows with draws of "
        "their own soon do.",
        partial(chart_growth, ROWS, found, plan.rows if plan.copies else None),
        curve_table("Rows", ROWS, found), "ε of one part against the number of rows",
        PictureShape("lines", "Rows", tuple(found), "ε", powers=True,
              marked=plan.rows if plan.copies else None),
    )  # fmt: skip


def compute_epsilons(release: ReleaseType, part: Part, delta: float) -> list[float]:
    """Return ε of a part alone at a δ, for each of `ROWS`."""
    return [
        accounting.plan_epsilon(Drawing(release, rows), [part], delta)
        for rows in (ROWS if release != "posterior-draw" else (1,) * len(ROWS))
    ]


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
