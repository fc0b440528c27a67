"""Many plans at once from public numbers alone: how near each kind of model comes at each ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from understudy.mechanisms.seedbased.over_epsilon import EPSILONS, draft_plan
from understudy.mechanisms.seedbased.plan import ModelKind, Plan
from understudy.mechanisms.seedbased.proposal import (
    Purpose,
    Wanted,
    alike,
    foreseen_at,
    whole_table,
    with_model,
)
from understudy.mechanisms.seedbased.target import least_epsilon
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Choice:
    """A plan that could be made.

    Attributes:
        epsilon: of the whole release.
        kind: of the model.
        off: how far off a typical pair of columns will be, over all pairs.
        chance: how far off as many other real records may be, by chance alone.
        proposed: whether it is the kind that would be proposed at this ε.
    """

    epsilon: float
    kind: ModelKind
    off: float
    chance: float
    proposed: bool


def choices(
    schema: Schema, wanted: Wanted, purpose: Purpose, epsilons: Sequence[float] = EPSILONS
) -> tuple[Choice, ...]:
    """Return a choice for each ε at which a plan fits and each kind of model, by ε.

    Args:
        schema: the columns.
        wanted: what is wanted; its ε has no say.
        purpose: what the table is for.
        epsilons: of the whole release, ascending.

    Raises:
        Refusal: a number is out of range, or it is not known how many records there are.
    """
    plan, records = draft_plan(schema, wanted, purpose)
    least = least_epsilon(plan, schema, epsilons[-1])
    found = []
    for epsilon in epsilons:
        if epsilon < least:
            continue
        best, models = foreseen_at(plan, schema, epsilon, records)
        found += [
            Choice(epsilon, kind, each.typical_of_all, best.typical_by_chance, each is best)
            for kind, each in models.items()
        ]
    return tuple(found)


def chosen_plan(schema: Schema, wanted: Wanted, purpose: Purpose, kind: ModelKind) -> Plan:
    """Return the plan that keeps to what is wanted, with a model of this kind.

    Raises:
        Refusal: a number is out of range or not known, or nothing fits.
    """
    found = (whole_table if purpose == "table" else alike)(schema, wanted)
    return with_model(found.plan, schema, kind)
