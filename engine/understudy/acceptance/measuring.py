"""The noise of an acceptance test, and what it costs.

Each statistic gets an equal part ε of the budget. The two numbers of a share or a mean, which one
record moves by K together, get noise of scale K/ε each: K is the L1 sensitivity of both. Those of a
distance are moved by U and by 1, and get half of the part each: noise of scale 2U/ε and 2/ε.

The noise is drawn before there is a release to compare with, and kept, so that a run that was
killed adds the very same. It does not depend on what it is added to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.acceptance.asked import AcceptanceTest, DistanceOf
from understudy.acceptance.counting import FINENESS, pair_of, steps
from understudy.core.arrays import IntArray
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.schema import Schema

_UP: Final = math.inf


def cost(test: AcceptanceTest) -> Budget:
    """Return what one held-out record pays for the whole test."""
    return Budget(test.epsilon)


def scales(test: AcceptanceTest, schema: Schema) -> tuple[tuple[float, float], ...]:
    """Return the scale of the noise on the two numbers of each statistic, rounded upwards."""
    found = []
    for each in test.statistics:
        if isinstance(each, DistanceOf):
            found.append((_upwards(2 * FINENESS, test), _upwards(2, test)))
        else:
            found.append((_upwards(steps(each, schema), test),) * 2)
    return tuple(found)


def _upwards(moved: int, test: AcceptanceTest) -> float:
    """moved/ε for the ε of one statistic; never less, whatever a double rounds."""
    return math.nextafter(math.nextafter(moved * len(test.statistics) / test.epsilon, _UP), _UP)


def drawn(test: AcceptanceTest, schema: Schema, noise: Noise) -> IntArray:
    """(statistics, 2) the noise, on nothing yet. Internal until it is added."""
    nothing = np.zeros(1, dtype=np.int64)
    return np.array(
        [
            [int(noise.integers(nothing, scale)[0]) for scale in each]
            for each in scales(test, schema)
        ],
        dtype=np.int64,
    )


def measured(
    test: AcceptanceTest,
    schema: Schema,
    held: Sequence[IntArray],
    released: Sequence[IntArray],
    noise: IntArray,
) -> IntArray:
    """(statistics, 2) the noisy numbers, which may be published.

    Args:
        test: what is asked.
        schema: the columns.
        held: the table of counts of each statistic, of the held-out records.
        released: the same of the released ones.
        noise: as `drawn`.
    """
    exact = [
        pair_of(each, schema, ours, theirs)
        for each, ours, theirs in zip(test.statistics, held, released, strict=True)
    ]
    return np.array(exact, dtype=np.int64) + noise
