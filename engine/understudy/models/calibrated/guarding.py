"""Which of several laws fits best what was measured, by the noisy tables and their known noise.

Squares of what a table is off by, in units of its noise, are a likelihood; a law that was fitted to
the very same tables has some of their noise in it, which it is charged for. Noisy numbers only are
looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.particles import Particles, charged
from understudy.models.joint_tables import marginal_tables


def apart(model: Particles, tables: Sequence[Measured]) -> float:
    """Return how badly weighted records fit: the lower, the better."""
    schema, rows = model.rows.schema, model.rows
    marginals = [each.marginal for each in tables]
    found = marginal_tables(schema, marginals, len(rows), lambda views: map(model.counts, views))
    return math.fsum(charged(now, tables[place], model.trust) for place, now in found)


def best(candidates: Sequence[Particles], tables: Sequence[Measured]) -> int:
    """Return the place of the candidate that fits best; the first of equals."""
    return int(np.argmin([apart(each, tables) for each in candidates]))
