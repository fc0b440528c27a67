"""What there is to keep of a table, and how much of it is lost, before it is made and after.

Of a column it is the size of each share, of a pair what the two have to do with each other. Before,
noise is held against two columns that are tied as usual, from public numbers alone; after, the
released table against one whose columns are independent, which makes it internal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.evaluation.excess import VISIBLE, Excess, Places
from understudy.models.prediction import USUAL, Predicted

MOST_LOST: Final = 0.5
"""The most of what two columns have to do with each other that may be lost."""
MOST_OFF: Final = 0.1
"""The most that the shares of a column may be off, as a part of their size, on average."""


@dataclass(frozen=True, eq=False)
class Stakes:
    """What is lost of what there is to keep.

    Attributes:
        off: (m,) by what part of their size the shares of each column are off, on average.
        lost: (m, m) the part of what each pair has to do with each other that is lost, symmetric;
            NaN where there is nothing that can be seen, and on the diagonal.
        counted: (m, m) which pairs are counted together; None where it is found.
        possible: (m, m) which would be if they were tied strongly enough; None likewise.
        invented: (m, m) where relations are found that real records do not show.
        unrelated: the columns whose relations are lost, all of them.
        smallest: the share of the records of which a count is lost in noise and chance.
        excess: what was found; None where it is foreseen from public numbers.
    """

    off: FloatArray
    lost: FloatArray
    counted: BoolArray | None
    possible: BoolArray | None
    invented: BoolArray
    unrelated: Places
    smallest: float
    excess: Excess | None = None

    @property
    def is_measured(self) -> bool:
        """Return whether the losses were measured, and so are internal."""
        return self.excess is not None

    @property
    def kept_columns(self) -> BoolArray:
        """Return (m,) of which columns enough is kept."""
        return np.asarray(self.off <= MOST_OFF)

    @property
    def kept_pairs(self) -> BoolArray:
        """Return (m, m) of which pairs more is kept than is lost, or nothing is to be kept."""
        alone = np.zeros(len(self.off), dtype=bool)
        alone[list(self.unrelated)] = True
        kept = ~(self.lost >= MOST_LOST) & ~self.invented
        return np.asarray(kept & ~alone[:, None] & ~alone[None, :])


def stakes_foreseen(ahead: Predicted) -> Stakes:
    """Foresee what noise takes of two columns that are tied as usual; all of a pair that is not
    counted.

    Half the sum over the values of how far each share is off is the distance of a column, so that
    shares, which sum to 1, are off by twice that part of their size.
    """
    counted = np.isfinite(ahead.pairs)
    lost = np.where(counted, np.minimum(1.0, np.nan_to_num(ahead.pairs) / USUAL), 1.0)
    np.fill_diagonal(lost, np.nan)
    return Stakes(
        off=2 * ahead.single,
        lost=lost,
        counted=counted,
        possible=ahead.possible,
        invented=np.zeros(lost.shape, dtype=bool),
        unrelated=ahead.unrelated,
        smallest=ahead.column_at_most,
    )


def stakes_found(excess: Excess) -> Stakes:
    """Measure what is lost in a released table.

    A relation is seen where independent columns are further off than other real records by more
    than chance moves one pair; where the released table is, and independent columns are not, it
    shows one that is not there.
    """
    visible = max(VISIBLE, excess.chance)
    strength = np.full(excess.apart.shape, np.nan) if excess.strength is None else excess.strength
    seen = strength > visible
    lost = np.full(strength.shape, np.nan)
    lost[seen] = np.clip(excess.apart[seen] / strength[seen], 0.0, 1.0)
    np.fill_diagonal(lost, np.nan)
    invented = ~seen & (excess.apart > visible)
    np.fill_diagonal(invented, val=False)
    return Stakes(
        off=2 * np.maximum(0.0, excess.columns),
        lost=lost,
        counted=None,
        possible=None,
        invented=invented,
        unrelated=excess.unrelated,
        smallest=max(excess.typical_pair, excess.typical_column, 0.0),
        excess=excess,
    )
