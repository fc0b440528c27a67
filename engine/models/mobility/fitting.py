"""From noisy tables to shares: nothing here looks at anybody's days.

Noise and chance are shrunk by what the tables themselves show of both (James and Stein's estimator,
towards a smoother table), and what is left is projected on shares.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.models.mobility.geography import Places

Floats = npt.NDArray[np.float64]


def shares(values: Floats) -> Floats:
    """The nearest shares, which are 0 or more and sum to one, along the last axis.

    Duchi and others 2008. Rows are scaled to their sum first; a row that sums to nothing is even.
    """
    size = values.shape[-1]
    total = values.sum(axis=-1, keepdims=True)
    even = np.full_like(values, 1 / size)
    scaled = np.where(total > 0, values / np.where(total > 0, total, 1), even)
    falling = -np.sort(-scaled, axis=-1)
    over = (np.cumsum(falling, axis=-1) - 1) / np.arange(1, size + 1)
    last = (falling > over).sum(axis=-1, keepdims=True) - 1
    return np.maximum(scaled - np.take_along_axis(over, last, axis=-1), 0)


def towards(rows: Floats, target: Floats, deviation: float) -> Floats:
    """Rows of counts shrunk towards others of the same sums, as far as noise and chance explain
    what lies between them.

    Args:
        rows: (rows, cells) noisy counts.
        target: (rows, cells) what they are shrunk towards.
        deviation: of the noise on each count.
    """
    gap = rows - target
    chance = np.maximum(rows.sum(axis=-1, keepdims=True), 0) + rows.shape[-1] * deviation**2
    square = (gap**2).sum(axis=-1, keepdims=True)
    kept = np.maximum(0, 1 - chance / np.maximum(square, 1e-300))
    found: Floats = target + kept * gap
    return found


def pooled(rows: Floats, deviation: float) -> Floats:
    """(rows, cells) shares of each row, shrunk towards those of all rows together."""
    whole = shares(rows.sum(axis=0))
    target = np.maximum(rows.sum(axis=-1, keepdims=True), 0) * whole
    return shares(towards(rows, target, deviation))


def smoothed(rows: Floats, deviation: float, width: int = 2) -> Floats:
    """(rows, cells) counts, shrunk towards the mean of so many neighbours on either side."""
    padded = np.pad(rows, ((0, 0), (width, width)), mode="edge")
    window = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1, axis=1)
    return towards(rows, window.mean(axis=-1), deviation)


def map_shares(
    cells: Floats, zones: Floats, zone: Places, deviations: tuple[float, float]
) -> Floats:
    """(cells,) shares of a map, from counts of its cells and, apart from those, of its zones.

    The count of a zone is the mean of both, weighed by their noise. Within a zone, cells are shrunk
    towards their mean as far as noise and chance explain what lies between them; how much cells
    differ, in parts of that mean, is taken to be the same in all zones.

    Args:
        cells, zones: noisy counts.
        zone: (cells,) the zone of each cell.
        deviations: of the noise on a cell, and on a zone.
    """
    sizes = np.bincount(zone, minlength=len(zones))
    summed = np.bincount(zone, weights=cells, minlength=len(zones))
    by_cells, by_zone = sizes * deviations[0] ** 2, deviations[1] ** 2
    total = np.maximum((summed * by_zone + zones * by_cells) / (by_zone + by_cells), 0)
    mean = (total / np.maximum(sizes, 1))[zone]
    gap = cells - (summed / np.maximum(sizes, 1))[zone]
    chance = deviations[0] ** 2 + mean
    freedom = 1 - 1 / np.maximum(sizes, 1)[zone]
    signal = max(0.0, float((gap**2 - chance * freedom).sum()))
    relative = signal / max(1e-300, float((mean**2 * freedom).sum()))
    own = relative * mean**2
    kept = own / np.maximum(own + chance, 1e-300)
    within = mean + kept * gap
    found = np.zeros(len(cells))
    for each in range(len(zones)):
        inside = zone == each
        if total[each] > 0 and inside.any():
            found[inside] = total[each] * shares(np.maximum(within[inside], 0) + 1e-12)
    return shares(found)
