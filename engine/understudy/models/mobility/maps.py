"""From noisy counts of a map's cells, and of its zones, to shares of its cells.

Nothing here looks at anybody's days. Zones come first, then the cells within each. What a cell is
likely to hold is read off the cells around it, never off the cell itself; how far cells differ from
that is read off the whole map; and what the noisy count then says of the cell follows by Bayes'
rule, for a count that cannot be below nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.fitting import around, by_bayes, shares
from understudy.models.mobility.geography import Geography

_WIDTHS: Final = (1.0, 2.0, 4.0)
"""In cells: how far around a cell those lie that tell of it."""
_LEAST: Final = 1e-3


def map_shares(
    cells: FloatArray, zones: FloatArray, where: Geography, deviations: tuple[float, float]
) -> FloatArray:
    """(cells,) shares of a map, from counts of its cells and, apart from those, of its zones.

    Args:
        cells, zones: noisy counts.
        where: the map.
        deviations: of the noise on a cell, and on a zone.
    """
    zone = where.zone
    total = _zones(cells, zones, zone, deviations)
    likely = _within(_expected(cells, where), zone, total)
    found = by_bayes(cells, likely, deviations[0])
    return shares(_within(found, zone, total))


def _zones(
    cells: FloatArray, zones: FloatArray, zone: IntArray, deviations: tuple[float, float]
) -> FloatArray:
    """(zones,) what each holds: both counts of it weighed by their noise, and shrunk towards what
    all zones hold on average."""
    sizes = np.bincount(zone, minlength=len(zones))
    there = sizes > 0
    by_cells, by_zone = sizes[there] * deviations[0] ** 2, deviations[1] ** 2
    summed = np.bincount(zone, weights=cells, minlength=len(zones))[there]
    counted = (summed * by_zone + zones[there] * by_cells) / (by_zone + by_cells)
    noise = by_cells * by_zone / (by_cells + by_zone)
    even = np.full(len(counted), max(float(counted.mean()), _LEAST))
    found = np.zeros(len(zones))
    found[there] = by_bayes(counted, even, float(np.sqrt(noise.mean())))
    return found


def _within(cells: FloatArray, zone: IntArray, total: FloatArray) -> FloatArray:
    """(cells,) scaled so that each zone holds its total."""
    held = np.bincount(zone, weights=cells, minlength=len(total))
    found: FloatArray = cells * (total / np.maximum(held, 1e-12))[zone]
    return found


def _expected(cells: FloatArray, where: Geography) -> FloatArray:
    """(cells,) what each holds to judge by those around it."""
    side = float(np.sqrt(where.cell_km[0] * where.cell_km[1]))
    return around(cells, where.apart / side, _WIDTHS)
