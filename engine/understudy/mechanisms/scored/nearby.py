"""Candidates of a model that moves records on a grid, decided by the records near each.

Plausible deniability counts the records whose likelihood of a candidate is in the same bucket as
that of its seed. The least likelihood of the bucket says how far such a record can lie from the
candidate on any axis, which is far less than noise reaches. The other test weighs every record that
noise could have moved there. Where the records to look at are a good part of all, a scan of all
places is quicker, as it stops early. Whichever way, outcomes are those of looking at every record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import CodeArray
from understudy.mechanisms.scored.scanning import BATCH, Proposals, SeedRecords, reaches
from understudy.models.cells import Boxes, Cells, Located
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
)

_SCANNED = 1 / 8
"""Where so large a share of all places would be looked at, they are scanned."""

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]
Truth = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Nearby:
    """A model that says where records lie, and their places. Internal.

    Attributes:
        model: what moves records.
        cells: the places of the seeds.
    """

    model: Located
    cells: Cells

    @classmethod
    def of(cls, model: Located, seeds: SeedRecords) -> Nearby:
        """Return the places of these seeds."""
        located = model.located(seeds.rows)
        return cls(model, Cells.sorted_of(located, seeds.sizes, model.reach))

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> Real:
        """Return the model's, of places in place of records."""
        return self.model.log_likelihood_at(seeds, candidates)

    def reaches(self, test: PrivacyTest, proposals: Proposals, least: Whole) -> Truth:
        """(B,) as `reaches` of `scanning`, where each proposal's own is a row of the seeds."""
        there = Proposals(proposals.codes, self.cells.of[proposals.own])
        reached = np.zeros(len(there), dtype=bool)
        for start in range(0, len(there), BATCH):
            here = slice(start, start + BATCH)
            reached[here] = self._batch(test, there.take(here), least[here])
        return reached

    def _batch(self, test: PrivacyTest, proposals: Proposals, least: Whole) -> Truth:
        own = self.model.log_likelihood_of(self.cells.places[proposals.own], proposals.codes)
        radii = np.full(len(own), self.model.reach, dtype=np.int64)
        if isinstance(test, PlausibleDeniability):
            low, high = test.alike(own)
            radii = np.minimum(radii, self.model.radius(low))
        boxes = self.cells.boxes(proposals.codes, radii)
        many = boxes.rows > _SCANNED * len(self.cells.sizes)
        reached = np.zeros(len(own), dtype=bool)
        reached[many] = self._scanned(test, proposals.take(np.flatnonzero(many)), least[many])
        few = np.flatnonzero(~many)
        boxes = boxes.only(few)
        if isinstance(test, PlausibleDeniability):
            scores = self._counted(boxes, low[few], high[few])
        else:
            scores = self._ranked(test, boxes, proposals.take(few))
        reached[few] = scores >= least[few]
        return reached

    def _scanned(self, test: PrivacyTest, proposals: Proposals, least: Whole) -> Truth:
        """By all places."""
        every = SeedRecords(self.cells.places, self.cells.sizes)
        return reaches(test, self, every, proposals, least)

    def _counted(self, boxes: Boxes, low: Real, high: Real) -> Whole:
        """(B,) how many records have a likelihood from `low` to `high`."""
        found = np.zeros(len(low), dtype=np.int64)
        for of, rows in self.cells.pairs(boxes):
            likelihood = self.model.log_likelihood_of(self.cells.places[rows], boxes.candidates[of])
            alike = (likelihood >= low[of]) & (likelihood <= high[of])
            counts = np.bincount(of[alike], self.cells.sizes[rows[alike]], len(low))
            found += counts.astype(np.int64)
        return found

    def _ranked(self, test: PrivacyTest, boxes: Boxes, proposals: Proposals) -> Whole:
        """(B,) the test's score by the records in each box, which are all that can make the
        candidate."""
        found = np.zeros(len(proposals), dtype=np.int64)
        for of, rows in self.cells.pairs(boxes):
            which, first, many = np.unique(of, return_index=True, return_counts=True)
            likelihood = self.model.log_likelihood_of(self.cells.places[rows], boxes.candidates[of])
            shape = len(which), int(many.max())
            at = np.repeat(np.arange(len(which)), many), np.arange(len(of)) - first.repeat(many)
            sizes, logs = np.zeros(shape, dtype=np.int64), np.full(shape, -np.inf)
            sizes[at], logs[at] = self.cells.sizes[rows], likelihood
            own = at[1][rows == proposals.own[of]]
            found[which] = test.scores(LikelihoodClasses(sizes, logs, own))
        return found
