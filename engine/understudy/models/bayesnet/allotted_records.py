"""Whole records of a network, as many of each cell of known totals as there have to be.

Every row of a release has its cell beforehand, by its number alone, so that any part of a release
can be drawn by itself and all parts together have the totals exactly. Records are drawn from the
network as it is, and the first of each cell are taken: within a cell they follow the network. Where
it hardly draws a cell, its columns are bound to the cell, and records drawn so are chosen by what
the network gives them (sampling and resampling; Rubin 1987).

All of it follows from the network and the totals: no confidential record is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, IntArray
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.privacy.randomness import RandomSource
from understudy.table.joint_totals import JointTotals
from understudy.table.rules.relation import TooWide

_SHOWN: Final = 1 << 16
"""Records that tell how often the network draws each two cells of two tables of totals."""
_ROUNDS: Final = 32
"""How many times records are drawn from the network as it is, at most."""
_WORTH_A_ROUND: Final = 16
"""Records that a round finds of cells that lack some, without which there is no further one."""
_CHOICE: Final = 16
"""Of how many records that are bound to a cell one is chosen. The fewer, the more too rare are
records that the network gives far more weight than the bound one does."""
_GOLDEN: Final = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class AllottedRecords:
    """The rows of a release by cell, and the network that they are drawn from.

    Attributes:
        network: the model.
        totals: what is known.
        cells: the cells that some row is in, ascending: of the first table of totals, times the
            cells of the second, and of the second.
        ends: (cells,) how many rows are in them, added up.
    """

    network: BayesianNetwork
    totals: JointTotals
    cells: IntArray
    ends: IntArray

    @classmethod
    def of(
        cls, network: BayesianNetwork, totals: JointTotals, rows: int, source: RandomSource
    ) -> AllottedRecords:
        """Return so many rows, allotted to the cells that two tables have together as the network
        has them."""
        shares = np.ones(totals.allowed.shape)
        if len(totals.bound) > 1:
            # Of a record more, spread evenly: what the network never draws may have to be.
            shares = np.outer(totals.rows, totals.others) / totals.whole**2
            cells = _number_cells(totals, network.records(_SHOWN, source))
            shares += np.bincount(cells, minlength=shares.size).reshape(shares.shape)
        counts = totals.allot(shares, rows).ravel()
        some = np.flatnonzero(counts)
        return cls(network, totals, some, np.cumsum(counts[some]))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.ends[-1])

    def list_cells(self, first: int, count: int) -> IntArray:
        """Return the place in `cells` of rows first … first + count − 1, of those there are.

        Cells are dealt in steps that no divisor of the number of rows has in common with it, so
        that each row has a turn, and all cells are in every part of the release.
        """
        rows = np.arange(first, min(first + count, self.rows), dtype=np.int64)
        step = max(1, round(_GOLDEN * self.rows))
        while gcd(step, self.rows) > 1:
            step += 1
        return np.searchsorted(self.ends, rows * step % self.rows, side="right").astype(np.int64)

    def draw(self, first: int, count: int, source: RandomSource) -> CodeArray:
        """Return (m, rows) codes of rows first … first + count − 1, of those there are.

        Raises:
            Refusal: rules leave none of the records that a cell needs, or bind too many values
                together once its columns are bound to it.
        """
        wanted = self.list_cells(first, count)
        found = np.zeros((len(self.network.order), len(wanted)), dtype=np.uint16)
        slots = np.argsort(wanted, kind="stable")
        need = np.bincount(wanted, minlength=len(self.cells))
        starts, filled = np.cumsum(need) - need, np.zeros(len(need), dtype=np.int64)
        for _ in range(_ROUNDS):
            drawn = self.network.records(len(wanted), source)
            places, taken = self._take_first(drawn, need - filled)
            cells = places[taken]
            ranks = _rank_within(cells)
            found[:, slots[starts[cells] + filled[cells] + ranks]] = drawn[:, taken]
            filled += np.bincount(cells, minlength=len(need))
            if len(taken) < _WORTH_A_ROUND or (filled == need).all():
                break
        for cell in np.flatnonzero(filled < need).tolist():
            left = slots[starts[cell] + filled[cell] : starts[cell] + need[cell]]
            found[:, left] = self._draw_within(int(self.cells[cell]), len(left), source)
        return found

    def _take_first(self, drawn: CodeArray, need: IntArray) -> tuple[IntArray, IntArray]:
        """Return the place in `cells` of each record, and the first records that each cell needs,
        by cell."""
        numbers = _number_cells(self.totals, drawn)
        places = np.minimum(np.searchsorted(self.cells, numbers), len(self.cells) - 1)
        (inside,) = np.nonzero(self.cells[places] == numbers)
        by_cell = inside[np.argsort(places[inside], kind="stable")]
        cells = places[by_cell]
        return places, by_cell[_rank_within(cells) < need[cells]]

    def _draw_within(self, cell: int, count: int, source: RandomSource) -> CodeArray:
        """Return (m, count) records of a cell."""
        bound = _bind(self.network, self.totals, cell)
        columns = list(bound.records(_CHOICE * count, source))
        logs = np.zeros(len(columns[0]))
        for attribute in self.network.order:
            logs += self.network.log_likelihood(attribute, columns)
            logs -= bound.log_likelihood(attribute, columns)
        if self.network.tilts is not None:
            with np.errstate(divide="ignore"):
                logs += np.log(self.network.tilts.acceptance(columns))
        # The greatest of these are drawn without replacement, by their weights (Gumbel).
        keys = logs - np.log(-np.log(source.uniforms(len(logs))))
        chosen = np.argsort(-keys, kind="stable")[:count]
        return np.stack([column[chosen] for column in columns])


def _number_cells(totals: JointTotals, drawn: CodeArray) -> IntArray:
    """Return (n,) the cell of each of (m, n) records among those of both tables."""
    columns, (first, *second) = totals.columns, totals.bound
    found = first.number_cells(columns, list(drawn))
    for other in second:
        found = found * len(other.counts) + other.number_cells(columns, list(drawn))
    return found


def _rank_within(cells: IntArray) -> IntArray:
    """Return how many equal entries stand before each, of entries in ascending order."""
    return np.arange(len(cells)) - np.searchsorted(cells, cells)


def _bind(network: BayesianNetwork, totals: JointTotals, cell: int) -> BayesianNetwork:
    """Return the network whose records are all in a cell.

    Raises:
        Refusal: it cannot be bound to the cell.
    """
    first, other = divmod(cell, totals.allowed.shape[1])
    try:
        bound = network.within(totals.list_codes(first, other))
        _ = bound.ruled_tables
    except (TooWide, ValueError):
        name = totals.bound[0].name_cell(totals.columns, first)
        raise Refusal(
            f"The rules leave the model no way to draw the records with {name} that known totals "
            "ask for.",
            "Take out a rule about these columns, or the totals.",
            field="totals",
        ) from None
    return bound
