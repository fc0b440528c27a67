"""Tilts after which columns by themselves are as they were told, among any records a network draws.

What weights are found for fits the chance in the records that carry them, and a weight that is
capped is another weight: both set columns apart, which were told best of all. So those that are
further off than chance explains are settled again on fresh records, weighted as those that are
released will be accepted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.particles import Particles
from understudy.models.tilts import Tilt, Tilts

TURNS = 2
"""How many times the cap is found anew, and columns are settled under it."""
_SWEEPS = 2
_BEYOND = 2.0
"""How many times the variance of chance a column's squares must come to, to be settled."""


def settled_tilts(
    tilts: Tilts, fresh: Particles, accepted: Particles, tables: Sequence[Measured]
) -> Tilts:
    """Return the tilts, with those of columns that they set apart.

    Args:
        tilts: as they were found on other records.
        fresh: records of the network, of equal weights.
        accepted: the same, weighted as they are accepted.
        tables: what was measured.
    """
    for _ in range(TURNS):
        columns = [each for each in tables if each.settled and _off(accepted, each)]
        # Where no sweep was kept, nothing was followed.
        if not columns or accepted.trust == math.inf:
            break
        trust = accepted.trust
        accepted.calibrate(columns, sweeps=_SWEEPS, trust=trust)
        further = (Tilt(*each) for each in accepted.tilts)
        tilts = Tilts.of(fresh.rows, (*tilts.each, *further))
        accepted = fresh.weighted(tilts.acceptance(fresh.rows.columns), trust)
    return tilts


def _off(model: Particles, column: Measured) -> bool:
    """Return whether chance in these records does not explain how far off a column is: it moves a
    cell of so many by their square root, in records of the weight they have."""
    now = model.counts(column.marginal)
    chance = float((model.weights**2).sum() / model.weights.sum()) * float(now.sum())
    return float(((now - column.counts) ** 2).sum()) > _BEYOND * chance
