"""Pictures of what a plan comes to, from public numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from understudy.charts.public import PublicPicture, Shape
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.charts.budgets import over_epsilon
from understudy.mechanisms.imputation.charts.curves import delta_curves, growth, table_of
from understudy.mechanisms.imputation.curves.curve import Amplified, delta_at
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part, parts
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.imputation.thesis import printed_delta
from understudy.mechanisms.mechanism import PlannedRun
from understudy.table.schema import Schema

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
    budgets = over_epsilon(decided)
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
    share = plan.kept / plan.records

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
        table_of("ε", epsilons, found), "δ of the plan against ε",
        Shape("lines", "ε", tuple(found), "δ", marked=at),
    )  # fmt: skip


def _statement(part: Part) -> tuple[str, bool]:
    return ("Theorem 7.8", True) if isinstance(part, Mean) else ("Lemma 6.5", False)


def _growth(plan: ImputationPlan, decided: PlannedRun[ImputationPlan]) -> PublicPicture:
    most = costliest(decided)
    found = {name: grown(release, most.part, plan.delta) for name, release in GROWING.items()}
    return PublicPicture(
        "growth", "What more rows cost",
        f"What {most.name} alone costs, by how many rows there are. Rows from one draw cost more "
        "and more, but never more than the parameter they are drawn from; rows with draws of "
        "their own soon do.",
        partial(growth, ROWS, found, plan.rows if plan.copies else None),
        table_of("Rows", ROWS, found), "ε of one part against the number of rows",
        Shape("lines", "Rows", tuple(found), "ε", powers=True,
              marked=plan.rows if plan.copies else None),
    )  # fmt: skip


def grown(release: ReleaseType, part: Part, delta: float) -> list[float]:
    """ε of a part alone at a δ, for each of `ROWS`."""
    return [
        accounting.epsilon(Drawing(release, rows), [part], delta)
        for rows in (ROWS if release != "posterior-draw" else (1,) * len(ROWS))
    ]
