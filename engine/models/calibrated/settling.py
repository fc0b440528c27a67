"""Tilts that hold of any records a network draws, and not only of those they were found on.

What weights are found for fits the chance in the records that carry them, and a weight that is
capped is another weight: both set columns by themselves apart, which were told best of all. So they
are settled once more on fresh records, weighted as those that are released will be accepted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.models.calibrated.measured import Measured
from engine.models.calibrated.particles import Particles
from engine.models.tilts import Tilt, Tilts

TURNS = 2
"""How many times the cap is found anew, and columns are settled under it."""


def settled(model: Particles, fresh: Particles, tables: Sequence[Measured]) -> Tilts:
    """The tilts of a calibrated model and of its columns again.

    Args:
        model: records with their weights and tilts.
        fresh: others of the same network, of equal weights.
        tables: what was measured.
    """
    columns = [each for each in tables if each.settled]
    each = [Tilt(*tilt) for tilt in model.tilts]
    tilts = Tilts.of(fresh.rows, each)
    # Where no sweep was kept, nothing was followed.
    for _ in range(TURNS if model.trust < math.inf else 0):
        accepted = fresh.weighted(tilts.acceptance(fresh.rows.columns), model.trust)
        accepted.calibrate(columns, sweeps=2, trust=model.trust)
        each += [Tilt(*tilt) for tilt in accepted.tilts]
        tilts = Tilts.of(fresh.rows, each)
    return tilts
