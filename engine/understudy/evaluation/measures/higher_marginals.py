"""Total variation of three and of four columns at once, where pairs do not see everything."""

from __future__ import annotations

from understudy.evaluation.divergence import Divergence
from understudy.evaluation.measure import About
from understudy.evaluation.measures.total_variation import total_variation

SETS = 60
"""How many sets of columns are looked at."""


def _of(order: int, words: str) -> Divergence:
    return Divergence(
        About(
            key=f"total-variation-of-{words}",
            name=f"Total variation of {words} columns at once",
            sentence=(
                f"Choose any combinations of values of {words} columns: the share of the table's "
                "records with one of them differs from the share of held-out records by at most "
                f"this much. The median over the sets of {words} columns, or over {SETS} of them "
                "chosen at random. Much of it is chance: real records show how much."
            ),
            low=0,
            high=1,
            better="lower",
            group="distances",
            parts=f"{words} columns",
            source="Dissertation (2.2), for larger sets of columns",
        ),
        total_variation,
        order=order,
        most=SETS,
    )


TRIPLES = _of(3, "three")
QUADRUPLES = _of(4, "four")
