"""What can be foreseen of the planner's plan at every ε, before anything is spent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import ModelKind, Plan
from understudy.mechanisms.seedbased.proposal import (
    Purpose,
    Wanted,
    asked_alike,
    asked_whole,
    foreseen_at,
)
from understudy.mechanisms.seedbased.target import least_epsilon
from understudy.table.schema import Schema

EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
"""Where the curve is worked out."""
_INDEPENDENT: Final[ModelKind] = "marginals"


@dataclass(frozen=True, eq=False)
class OverEpsilon:
    """How far off a typical pair of columns will be, over all pairs, at each ε.

    Attributes:
        epsilons: (E,) of the whole release, ascending.
        proposed: (E,) by noise and chance under the plan that is proposed; not a number where no
            plan fits.
        independent: (E,) the same for independent columns, which keep no relation.
        chance: at most so much by chance alone, as so many other real records would be.
        least: the smallest ε at which a plan fits; 0 where one does at any, and infinity where
            none does at these.
    """

    epsilons: FloatArray
    proposed: FloatArray
    independent: FloatArray
    chance: float
    least: float


def over_epsilon(
    schema: Schema, wanted: Wanted, purpose: Purpose, epsilons: Sequence[float] = EPSILONS
) -> OverEpsilon:
    """Return what is foreseen at each ε, all else as wanted.

    Args:
        schema: the columns.
        wanted: how many records there are is known.
        purpose: what the table is for.
        epsilons: of the whole release, ascending.

    Raises:
        Refusal: a number is out of range, or none is known for the records.
    """
    plan, records = draft_plan(schema, wanted, purpose)
    least = least_epsilon(plan, schema, epsilons[-1])
    found = [foreseen_at(plan, schema, epsilon, records) for epsilon in epsilons]
    return OverEpsilon(
        np.array(epsilons, dtype=np.float64),
        np.array(
            [
                best.typical_of_all if epsilon >= least else math.nan
                for epsilon, (best, _) in zip(epsilons, found, strict=True)
            ]
        ),
        np.array([models[_INDEPENDENT].typical_of_all for _, models in found]),
        found[0][0].typical_by_chance,
        least,
    )


def draft_plan(schema: Schema, wanted: Wanted, purpose: Purpose) -> tuple[Plan, int]:
    """Return the plan that is asked for, before its noise is settled, and how many records there
    are.

    Raises:
        Refusal: a number is out of range, or none is known for the records.
    """
    if wanted.records is None:
        raise Refusal(
            "It is not known how many records the table has.",
            "Say how many it is publicly known to have at least.",
            field="records",
        )
    asked = asked_whole if purpose == "table" else asked_alike
    return asked(schema, wanted), wanted.records
