"""Noise on what is counted of people: a discrete Gaussian on every cell of every table."""

from __future__ import annotations

import math
from collections.abc import Mapping

from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.models.mobility.tables import UNITS, added_up, layout
from understudy.privacy.noise import Noise


def deviations(where: Geography, rho: float) -> Mapping[str, float]:
    """σ_k = C_k / √(2 s_k ρ) of the noise on each cell of each table, in people, so that all tables
    together are ρ-zCDP for one person with all of their days."""
    return {table.name: table.clip / math.sqrt(2 * table.share * rho) for table in layout(where)}


def noisy_tables(days: Days, where: Geography, rho: float, noise: Noise) -> dict[str, IntArray]:
    """Return each table of `layout`, (cells,) in units, with noise. May be published at that ρ."""
    sigma = deviations(where, rho)
    return {
        name: noise.gaussians(exact, sigma[name] * UNITS)
        for name, exact in added_up(days, where).items()
    }
