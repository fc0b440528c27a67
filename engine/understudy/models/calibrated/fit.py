"""Weighted records that stand for a model, fitted to noisy tables.

**The fit.** Each table pulls at the weights until the weighted counts agree with the measured ones,
as far as the noise of that table lets it. The weights go towards the least of

    τ·KL(weighted counts ‖ drawn counts) + Σ_t ‖measured_t − weighted_t‖² / (2·σ_t²)

a Gaussian likelihood of all measurements, held together by the model that the records were drawn
from. A table that strayed little from expectation, beyond its noise, has a larger τ of its own; a
one-way table, of which no other table tells more, has a far smaller one. The dual has one unknown a
cell, log weights that add up over the tables, and is climbed a table at a time: raking, damped by
each table's own noise.

If the tables ask for what few drawn records show, the weights would end on those few, and the
chance that drew them would be taken for the truth. So τ begins high, where only demands that many
records can carry are met, and falls from sweep to sweep while enough records carry the weights; a
sweep that leaves too few is taken back. However certain a table is, chance decides how many drawn
records are in one of its cells: no cell is trusted more than `FEW` of them tell.

**The best of several models.** Squared errors of tables, in units of their noise, are a likelihood;
a model that was fitted to the very same tables has some of their noise in it, and is charged for
that.

**Tilts of columns, refitted.** Weights that were fitted to some records also fit the chance in
them, and a weight that is capped is another weight: both move one-way tables, which were measured
best. Columns that are further off than chance explains are refitted on fresh records, weighted as
the released ones will be accepted.

The records here are drawn from models of noisy tables; no confidential record is read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.count_tables import (
    JointTable,
    Numbers,
    cell_map,
    cells_worthwhile,
    joint_tables,
    marginal_tables,
)
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import Marginal, Rows, add_weights, cells

TRUST_IN_MODEL = 0.01
"""The least τ of any table: what the drawn records weigh, as a share of as many real ones."""
SETTLED = 0.02
"""What τ is multiplied by for a settled table."""
FIRST_TRUST = 10.0
"""τ in the first sweep."""
FEW = 30
"""τσ² is no less than what so many drawn records weigh: a cell of fewer is hardly followed. What it
is weighted by has to hold of other records that the same network draws."""
SWEEPS = 8
"""How many times each table has its turn."""
_FALLS, _RISES = 5.0, 2.5
"""What τ is divided by after a sweep that enough records carry, and multiplied by after another."""
_STEPS = 12
_LONGEST_STEP = 1.0
_ENOUGH = 1e-10


@dataclass(eq=False)
class Particles:
    """Drawn records and their weights, which sum to the number of records they stand for.

    Attributes:
        rows: the records.
        weights: (n,) theirs.
        tilts: of each table calibrated to, (cells,) the logarithm of what it multiplied the
            weight of the records in a cell by.
        trust: τ of the last sweep that was kept.
        limited: whether a sweep was taken back, as too few records carried the weights.
    """

    rows: Rows
    weights: FloatArray
    tilts: list[tuple[Marginal, FloatArray]] = field(default_factory=list)
    trust: float = math.inf
    limited: bool = False

    @classmethod
    def of(cls, rows: Rows, records: float) -> Particles:
        """Return records of equal weights, which stand for this many."""
        return cls(rows, np.full(len(rows), records / len(rows)))

    def with_equal_weights(self) -> Particles:
        """Return the same records with equal weights."""
        return Particles.of(self.rows, float(self.weights.sum()))

    def with_weights(self, weights: FloatArray, trust: float) -> Particles:
        """Return the same records with weights in proportion to these, found by such a τ."""
        share = self.weights.sum() / weights.sum()
        return Particles(self.rows, weights * share, trust=trust)

    def counts(self, marginal: Marginal) -> FloatArray:
        """Return (cells,) the weighted counts."""
        return self.rows.weigh_cells(marginal, self.weights)

    @property
    def effective(self) -> float:
        """How many equally weighted records would be as good, as a share of them."""
        squares = float((self.weights**2).sum())
        return float(self.weights.sum()) ** 2 / squares / len(self.weights)

    def calibrate(
        self,
        tables: Sequence[MeasuredMarginal],
        sweeps: int = SWEEPS,
        *,
        least: float = 0.0,
        trust: float = FIRST_TRUST,
    ) -> None:
        """Calibrate the weights, from what they are, to all of the tables.

        Tables of one cover take their turns in its cells, where everything that they pull at is
        added up, and what came of it is handed to the records once.

        Args:
            tables: what was measured.
            sweeps: how many times each has its turn.
            least: the `effective` share that the weights keep, below 1.
            trust: τ of the first sweep.
        """
        self.tilts = [(each.marginal, np.zeros(len(each.counts))) for each in tables]
        turns = _plan_turns(self.rows, tables)
        whole, apart, lowest = self.weights.sum(), math.inf, TRUST_IN_MODEL
        for _ in range(sweeps):
            before, found = (self.weights.copy(), self._copy_tilts()), self._sweep(turns, trust)
            if found > apart and self.trust < math.inf:
                lowest = max(lowest, min(_FALLS * self.trust, trust))
            apart = found
            if self.effective >= least:
                self.trust, trust = trust, trust / _FALLS
            else:
                (self.weights, self.tilts), trust = before, _RISES * trust
                self.limited = True
            trust = max(trust, lowest)
        self.weights *= whole / self.weights.sum()

    def _copy_tilts(self) -> list[tuple[Marginal, FloatArray]]:
        return [(marginal, tilt.copy()) for marginal, tilt in self.tilts]

    def _sweep(self, turns: Sequence[_Turn], trust: float) -> float:
        """Return one turn of every table; how far off the tables were when their turn came, see
        `_apart`."""
        apart = 0.0
        factors, whole = np.empty_like(self.weights), float(self.weights.sum())
        for turn in turns:
            grown, found = turn.take(self.weights, self.tilts, trust, self.trust, whole)
            apart += found
            # All numbers are in range, and “clip” spares a look at each.
            np.take(grown, turn.numbers, out=factors, mode="clip")
            self.weights *= factors
        return apart


@dataclass(frozen=True, eq=False)
class _Turn:
    """The tables that are read off one cover.

    Attributes:
        numbers: (n,) the cell of the cover that each record is in.
        size: how many cells it has.
        tables: the place of each table, itself, and the cell of its own that each cell of the
            cover is part of.
    """

    numbers: Numbers
    size: int
    tables: tuple[tuple[int, MeasuredMarginal, Numbers], ...]

    @classmethod
    def of(cls, rows: Rows, cover: JointTable, tables: Sequence[MeasuredMarginal]) -> _Turn:
        schema = rows.schema
        folds = (cell_map(schema, cover.views, tables[place].marginal) for place in cover.places)
        each = zip(cover.places, (tables[place] for place in cover.places), folds, strict=True)
        return cls(rows.cell_numbers(cover.views), cells(schema, cover.views), tuple(each))

    def take(
        self,
        weights: FloatArray,
        tilts: list[tuple[Marginal, FloatArray]],
        trust: float,
        trusted: float,
        whole: float,
    ) -> tuple[FloatArray, float]:
        """Return (size,) the factors of the weights in each cell after every table's turn, which
        is added to the tilts; and how far off the tables were, fitted by the trust before."""
        now = add_weights(self.numbers, weights, self.size)
        grown, apart = np.ones(self.size), 0.0
        least = FEW * whole / len(weights)
        for place, table, cell in self.tables:
            tilt = tilts[place][1]
            counts = add_weights(cell, now, len(tilt))
            apart += compute_misfit(counts, table, trusted)
            damping = np.maximum(_trust_in(table, trust) * table.variance, least)
            added, logs = _newton_step(counts, table, tilt, damping, whole)
            tilt += added
            factors = np.take(np.exp(logs), cell, mode="clip")
            now *= factors
            grown *= factors
        return grown, apart


def compute_misfit(now: FloatArray, table: MeasuredMarginal, trust: float) -> float:
    """Return how badly counts fit a table: squares of what they are off by, in units of its noise,
    and a charge for the noise that they followed.

    The expected error of a fit is what it is off by, less the noise there is, and twice how far
    each cell follows its own measurement (Efron 2004), here now/(now + τσ²); nothing where no
    fit was made (τ infinite), nor of a table that was drawn towards its shape, as most of its noise
    is gone. The first is the same for all fits, and left out.
    """
    squares = float(((table.counts - now) ** 2 / table.variance).sum())
    if table.settled or table.left is not None or trust == math.inf:
        return squares
    damping = _trust_in(table, trust) * table.variance
    return squares + 2 * float((now / (now + damping)).sum())


def _plan_turns(rows: Rows, tables: Sequence[MeasuredMarginal]) -> list[_Turn]:
    """Return the turns of a sweep, those of settled tables last, which so are followed most
    closely."""
    turns = []
    for settled in (False, True):
        places = [place for place, each in enumerate(tables) if each.settled == settled]
        asked = [tables[place].marginal for place in places]
        for cover in joint_tables(rows.schema, asked, cells_worthwhile(len(rows))):
            among_all = tuple(places[place] for place in cover.places)
            turns.append(_Turn.of(rows, replace(cover, places=among_all), tables))
    return turns


def _trust_in(table: MeasuredMarginal, trust: float) -> float:
    """Return τ of a table, if it is `trust` of all."""
    return SETTLED * trust if table.settled else max(trust, table.trust)


def _newton_step(
    now: FloatArray,
    table: MeasuredMarginal,
    tilt: FloatArray,
    damping: FloatArray | float,
    whole: float,
) -> tuple[FloatArray, FloatArray]:
    """Return what to add to the tilts of one table, and the logarithm of what its turn multiplies
    the weights in each cell by, which is less by what keeps their sum.

    Cell by cell the root d of now·e^(d − ν) + damping·(tilt + d) = measured, ν such that the cells
    sum to the whole, by Newton's method for all together. With ν left out, noise that would take
    cells below 0 would add records to the others, in all sweeps but the last of very many. A cell
    that no drawn record is in is left as likely as it was: d = ν.
    """
    shown = now > 0
    damping = np.broadcast_to(damping, now.shape)[shown]
    grown, own = now[shown], damping * tilt[shown] - table.counts[shown]
    step, kept = np.zeros(len(grown)), 0.0
    for _ in range(_STEPS):
        weights = grown * np.exp(step)
        slope = weights + damping
        apart = weights + damping * step + own
        share = weights / slope
        held = float(weights.sum()) - whole - float((share * apart).sum())
        kept = held / float((damping * share).sum())
        change = (apart + damping * kept) / slope
        np.minimum(np.maximum(change, -_LONGEST_STEP, out=change), _LONGEST_STEP, out=change)
        step -= change
        if change.min() > -_ENOUGH and change.max() < _ENOUGH:
            break
    factors, added = np.zeros(len(now)), np.full(len(now), kept)
    factors[shown], added[shown] = step, step + kept
    return added, factors


def total_misfit(model: Particles, tables: Sequence[MeasuredMarginal]) -> float:
    """Return how badly weighted records fit: the lower, the better."""
    schema, rows = model.rows.schema, model.rows
    marginals = [each.marginal for each in tables]
    found = marginal_tables(schema, marginals, len(rows), lambda views: map(model.counts, views))
    return math.fsum(compute_misfit(now, tables[place], model.trust) for place, now in found)


def select_best_fit(candidates: Sequence[Particles], tables: Sequence[MeasuredMarginal]) -> int:
    """Return the place of the candidate that fits best; the first of equals."""
    return int(np.argmin([total_misfit(each, tables) for each in candidates]))


TURNS = 2
"""How many times the cap is found anew, and columns are settled under it."""
_SWEEPS = 2
_BEYOND = 2.0
"""How many times the variance of chance a column's squares must come to, to be settled."""


def refit_tilts(
    tilts: Tilts, fresh: Particles, accepted: Particles, tables: Sequence[MeasuredMarginal]
) -> Tilts:
    """Return the tilts, with those of columns that they set apart.

    Args:
        tilts: as they were found on other records.
        fresh: records of the network, of equal weights.
        accepted: the same, weighted as they are accepted.
        tables: what was measured.
    """
    for _ in range(TURNS):
        columns = [each for each in tables if each.settled and _is_off(accepted, each)]
        # Where no sweep was kept, nothing was followed.
        if not columns or accepted.trust == math.inf:
            break
        trust = accepted.trust
        accepted.calibrate(columns, sweeps=_SWEEPS, trust=trust)
        further = (Tilt(*each) for each in accepted.tilts)
        tilts = Tilts.of(fresh.rows, (*tilts.each, *further))
        accepted = fresh.with_weights(tilts.acceptance(fresh.rows.columns), trust)
    return tilts


def _is_off(model: Particles, column: MeasuredMarginal) -> bool:
    """Return whether chance in these records does not explain how far off a column is: it moves a
    cell of so many by their square root, in records of the weight they have."""
    now = model.counts(column.marginal)
    chance = float((model.weights**2).sum() / model.weights.sum()) * float(now.sum())
    return float(((now - column.counts) ** 2).sum()) > _BEYOND * chance
