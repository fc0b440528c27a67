"""What the projected model asks of the records, and what that costs.

Two questions under one budget: second moments of the numbers, and counts of what rides along. The
rest is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.models.latent import directions
from understudy.models.latent.decoding import Decoder
from understudy.models.latent.grid import DEVIATION, Grid, normal_law
from understudy.models.latent.projected import Projected
from understudy.models.latent.riding import Riding
from understudy.models.latent.second_moments import Moments, entries, measure
from understudy.models.latent.standardised import Standardised
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.records import Records
from understudy.table.schema import Schema

MOMENTS: Final = 0.7
"""The share of the budget that second moments get, where something rides along."""


@dataclass(frozen=True)
class Shape:
    """What is decided of the model beforehand.

    Attributes:
        axes: how many directions there are, at most; never more than columns of numbers.
        learned: whether they are learned, or the public cosines over the columns.
        disturbed: the deviation of the noise on a coordinate, as a share of the coordinate's own.
        redrawn: the chance that what rides along is drawn afresh.
    """

    axes: int
    learned: bool
    disturbed: float
    redrawn: float


@dataclass(frozen=True)
class ProjectedLearner:
    """Learns the model of one schema under one budget.

    Attributes:
        schema: the columns, of which one has numbers at least.
        budget: the (ε, δ) to stay within.
        allowance: what is spent, in its currency.
    """

    schema: Schema
    budget: Budget
    allowance: Allowance

    @classmethod
    def within(cls, schema: Schema, budget: Budget) -> ProjectedLearner:
        """Return the learner that spends at most `budget`."""
        numbers = Standardised.of(schema)
        queries = entries(len(numbers)) + len(Riding.of(schema, numbers))
        return cls(schema, budget, Allowance.of(budget, queries))

    @property
    def cost(self) -> Budget:
        """What the records pay."""
        return Budget(self.budget.epsilon) if self.allowance.currency == "epsilon" else self.budget

    def learn(self, records: Records, shape: Shape, noise: Noise) -> Projected:
        """Ask the questions and make the model.

        Args:
            records: all the records it may look at.
            shape: what was decided beforehand.
            noise: where the noise comes from.
        """
        numbers = Standardised.of(self.schema)
        riding = Riding.of(self.schema, numbers)
        share = MOMENTS if len(riding) else 1.0
        noisy = measure(numbers.numbers(records.codes), self.allowance.part(share), noise)
        along = riding.measure(records.codes, self.allowance.part(1 - share), noise)
        moments = Moments.of(noisy, riding.present(along))
        grid = grid_of(moments, shape)
        return Projected(
            self.schema, grid, Decoder.of(moments, grid), riding.model(along, shape.redrawn)
        )


def grid_of(moments: Moments, shape: Shape) -> Grid:
    """Return the grid for numbers of these moments: its noise is so much of what each coordinate
    varies by."""
    columns = len(moments.mean)
    found = (
        directions.learned(moments.covariance, shape.axes)
        if shape.learned
        else directions.public(columns, shape.axes)
    )
    along: FloatArray = found.astype(np.float64)
    # No variance is below 0 but by rounding.
    varies = np.sqrt(np.maximum(np.einsum("ck,cd,dk->k", along, moments.covariance, along), 0.0))
    width = np.maximum(1, np.rint(varies * shape.disturbed / DEVIATION)).astype(np.int64)
    centre = np.rint(moments.mean @ along).astype(np.int64)
    return Grid(found, centre, width, normal_law())
