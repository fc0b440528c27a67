"""What there is to know of a kind of model before anything is computed: words and yes or no."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TOGETHER: Final = (
    "This model is learned from the two middle parts together, so it does not matter how they are "
    "divided between them."
)


@dataclass(frozen=True)
class ModelAbout:
    """A kind of model.

    Attributes:
        title: what it is called, to a reader.
        name: what it is called before the word “model” within a sentence.
        at_once: whether it is learned from the records of structure and parameters together.
        structured: whether it needs records for the structure alone.
        posterior: whether its probabilities can be drawn from a posterior, and not only be its
            mean.
        relates: whether it learns any relation between columns.
        proposed: whether plans may be proposed with it, as all that noise does to it is foreseen.
        draws_alone: whether learning draws random numbers that are on no tape.
        marked: whether what is marked as important counts for more in what it learns.
        tells_tables: whether the noisy tables that it is learned from can be told.
        claimed: whether another package brings it, and plans repeat what that claims.
        dealt: from which of the parts of a table it is learned, in a sentence.
        pictured: what has to be said beside a picture of its network; "" where nothing has.
    """

    title: str
    name: str
    at_once: bool = True
    structured: bool = False
    posterior: bool = False
    relates: bool = True
    proposed: bool = False
    draws_alone: bool = False
    marked: bool = False
    tells_tables: bool = False
    claimed: bool = False
    dealt: str = TOGETHER
    pictured: str = ""
