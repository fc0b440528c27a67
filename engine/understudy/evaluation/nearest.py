"""Hamming distances between records, and nearest records. Confidential.

Every measure of disclosure compares seeds with as many held-out records. Those had no part in the
table, so what is equally true of them is no leak.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import AnyArray, ByteArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.intervals import BLOCKS, deal
from understudy.evaluation.measure import FEWEST, Study, Table, sample_of
from understudy.table.records import Records

MOST = 10_000
"""Of each table, of the seeds and of the held-out records at most so many are looked at."""

_MOST_PAIRS = 3_000_000_000
"""And so few that there are at most so many pairs of values to compare."""

_ENTRIES = 1 << 19
"""Pairs handled at once: two bytes for each then stay in a core's own cache."""


@dataclass(frozen=True, eq=False)
class Peers:
    """Equal numbers of records that candidates were made from and of records nobody used.

    Attributes:
        seeds, control: (P, columns) codes in schema order, in random order.
    """

    seeds: CodeArray
    control: CodeArray


@dataclass(frozen=True, eq=False)
class Nearness:
    """Distances of a table's records to seeds and to the control. Confidential.

    Attributes:
        to_seeds, to_control: (A, B) distance of each of the table's records to the nearest of
            each block of them.
        block: (A,) the table's own records, dealt into as many blocks.
    """

    to_seeds: ByteArray
    to_control: ByteArray
    block: IntArray


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The neighbourhood of real records in a table. Confidential.

    Attributes:
        nearest: (P,) in how many columns the nearest of the table's records differs.
        density: (P,) Σ e^{−distance} over the table's records.
    """

    nearest: ByteArray
    density: FloatArray


def peers(study: Study) -> Peers:
    """Return the seeds and the control of a study, the same for every measure.

    Raises:
        Refusal: there are too few of either.
    """
    return study.once("peers", lambda: _peers(study))


def compared_codes(study: Study, table: Table) -> CodeArray:
    """As many of a table's records as are looked at."""
    size = sample_size(len(study.held_out.schema))
    return sample_of(table.records, size, study.random(f"nearest {table.name}")).codes


def sample_size(columns: int) -> int:
    """Return how many records of so many columns are looked at, of a table or of real ones."""
    return min(MOST, math.isqrt(_MOST_PAIRS // columns))


def nearness(study: Study, table: Table) -> Nearness:
    """Return how near a table stands to seeds and control, computed once."""

    def make() -> Nearness:
        among, codes = peers(study), compared_codes(study, table)
        block = deal(len(codes), study.random(f"blocks {table.name}"))
        return Nearness(
            nearest_by_block(codes, among.seeds), nearest_by_block(codes, among.control), block
        )

    return study.once(f"nearness {table.name}", make)


def count_differences(
    these: CodeArray, those: CodeArray, without: int | None = None
) -> Iterator[tuple[slice, ByteArray]]:
    """In how many columns each of these differs from each of those, some rows at a time.

    Args:
        these, those: (A, columns) and (B, columns) codes.
        without: a column that does not count.

    Yields:
        Which of these, and (rows, B) their distances. The array is used again.
    """
    columns = [each for each in range(these.shape[1]) if each != without]
    left, right = _narrow(these[:, columns], those[:, columns])
    rows = max(1, _ENTRIES // max(1, len(those)))
    room = np.empty((min(rows, len(these)), len(those)), dtype=np.uint8)
    differ = np.empty(room.shape, dtype=bool)
    for start in range(0, len(these), rows):
        here = slice(start, min(start + rows, len(these)))
        count = here.stop - here.start
        found = room[:count]
        found[:] = 0
        for column in range(len(columns)):
            np.not_equal(left[column, here, None], right[column], out=differ[:count])
            np.add(found, differ[:count].view(np.uint8), out=found)
        yield here, found


def nearest_by_block(these: CodeArray, those: CodeArray, blocks: int = BLOCKS) -> ByteArray:
    """Return (A, blocks) distance of each of these to the nearest in each block of those.

    Those are in random order, at least as many as blocks; a block is a run of them.
    """
    starts = np.arange(blocks) * len(those) // blocks
    parts = [
        np.minimum.reduceat(found, starts, axis=1) for _, found in count_differences(these, those)
    ]
    return np.concatenate(parts)


def surroundings(these: CodeArray, those: CodeArray) -> Surroundings:
    """Return what of those stands around each of these."""
    weight = np.exp(-np.arange(these.shape[1] + 1, dtype=np.float64))
    nearest, density = [], []
    for _, found in count_differences(these, those):
        nearest.append(found.min(axis=1))
        density.append(weight[found].sum(axis=1))
    return Surroundings(np.concatenate(nearest), np.concatenate(density))


def _peers(study: Study) -> Peers:
    count = min(len(study.seeds), len(study.held_out), sample_size(len(study.held_out.schema)))
    if count < FEWEST:
        raise Refusal(
            f"Fewer than {FEWEST} records were used, or held out: too few to compare.",
            "Plan larger shares for the records used and for those held out.",
            field="shares",
        )
    random = study.random("peers")

    def choose_peers(records: Records) -> CodeArray:
        return records.codes[random.permutation(len(records))[:count]]

    return Peers(choose_peers(study.seeds), choose_peers(study.held_out))


def _narrow(these: CodeArray, those: CodeArray) -> tuple[AnyArray, AnyArray]:
    """Return both column by column, in a byte each where all codes fit."""
    largest = max((int(each.max()) for each in (these, those) if each.size), default=0)
    kind = np.uint8 if largest <= np.iinfo(np.uint8).max else np.uint16
    return np.ascontiguousarray(these.T, dtype=kind), np.ascontiguousarray(those.T, dtype=kind)
