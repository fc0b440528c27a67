"""The prefixes of seeds that are read piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.models.prefix_index import Prefixes
from understudy.models.streamed_rows import MergeBuffer, StreamedRows

_AT_ONCE = 1 << 21
"""Records whose prefixes are sorted at once."""


def prefixes(seeds: StreamedRows, order: Sequence[int], longest: int) -> Prefixes:
    """Return the different prefixes among some seeds, in one reading, in memory by their number.

    Args:
        seeds: the seeds.
        order: the dependency order.
        longest: how many attributes a prefix has.

    Raises:
        Refusal: as of `StreamedTable.pieces`.
    """
    kept = list(order[:longest])
    sizes = seeds.schema.cardinalities[kept]
    if not kept:
        some = min(1, len(seeds))
        return Prefixes(np.zeros((some, 0), np.uint16), np.full(some, len(seeds), np.int64))
    pile: MergeBuffer[Prefixes] = MergeBuffer(
        lambda one, other: one.merge(other, sizes), lambda each: len(each.codes)
    )
    waiting: list[CodeArray] = []
    for rows in seeds.rows(kept):
        waiting.append(np.column_stack([rows.columns[place] for place in kept]))
        if sum(map(len, waiting)) >= _AT_ONCE:
            pile.add(Prefixes.of(np.concatenate(waiting), sizes))
            waiting = []
    if waiting:
        pile.add(Prefixes.of(np.concatenate(waiting), sizes))
    return pile.merge_all()
