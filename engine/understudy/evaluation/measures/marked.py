"""Total variation of what a custodian marked: columns, pairs and triples that must survive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from understudy.core.refusal import Refusal
from understudy.evaluation.divergence import Columns, Divergence
from understudy.evaluation.measure import About
from understudy.evaluation.measures.total_variation import total_variation
from understudy.evaluation.study import Study


@dataclass(frozen=True)
class Marked(Divergence):
    """Total variation of marked columns.

    Attributes:
        groups: the names of the columns that are marked together, or of one by itself.
    """

    groups: tuple[tuple[str, ...], ...] = ()

    def sets(self, study: Study) -> tuple[Columns, ...]:
        """As `Divergence`: what is marked.

        Raises:
            Refusal: nothing is, or a column is not there.
        """
        names = study.held_out.schema.names
        if not self.groups or not all(name in names for group in self.groups for name in group):
            raise Refusal("Nothing is marked to survive.", "Mark columns or pairs in the plan.")
        return tuple(tuple(names.index(name) for name in group) for group in self.groups)


MEASURE: Final = Marked(
    About(
        key="total-variation-marked",
        name="Total variation of what must survive",
        sentence=(
            "Of the columns, pairs and triples that were marked to survive: choose any "
            "combinations of values; the share of the table's records with one of them differs "
            "from the share of held-out records by at most this much. The mean over what is marked."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="marked columns",
        source="Dissertation (2.2)",
    ),
    total_variation,
    order=1,
    typical="mean",
)
"""Of nothing yet; `replace` its groups."""
