"""What a measure is: one number about a table or a model, with its meaning and its range.

Every measure says what it means, which way is better and what values it can take. It measures
several subjects at once, so that no number stands without what other real records and the private
marginals score. All of it is internal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeVar

from understudy.evaluation.finding import Measured
from understudy.evaluation.study import StudyOf

Looked_contra = TypeVar("Looked_contra", bound=StudyOf[Any, Any], contravariant=True)

Direction = Literal["lower", "higher", "as real"]
Unit = Literal["share", "number"]
Group = Literal[
    "places",
    "moves",
    "lives",
    "peers",
    "distances",
    "models",
    "prediction",
    "linear",
    "distinguishing",
    "propensity",
    "disclosure",
]

OF_DAYS: Final[frozenset[Group]] = frozenset({"places", "moves", "lives", "peers"})
"""The groups that are of people's days alone."""


@dataclass(frozen=True)
class About:
    """The description of a measure.

    Attributes:
        key: names it in files, such as "total-variation-pairs".
        name: names it to a reader.
        sentence: what its value means, for readers who are no statisticians.
        low, high: the ends of its range; `high` may be infinite.
        better: which way is better; “as real” where it is neither, but what other real records
            score.
        group: which measures it is shown with.
        parts: what the entries of its breakdown are, such as "pair of columns"; "" for none.
        source: where it was published.
        ideal: the best value where that is neither end of the range; None for that end.
        unit: a share, of records or of right answers and read in per cent, or a plain number.
    """

    key: str
    name: str
    sentence: str
    low: float
    high: float
    better: Direction
    group: Group
    parts: str = ""
    source: str = ""
    ideal: float | None = None
    unit: Unit = "share"


class Measure(Protocol[Looked_contra]):
    """One measure, of tables of records or of people's days. Its module imports what is slow to
    import only when it measures."""

    @property
    def about(self) -> About:
        """Its description."""

    def measure(self, study: Looked_contra) -> Mapping[str, Measured]:
        """Measure every subject of the study that this measure is about, in their order.

        Raises:
            Refusal: it cannot be measured here, such as for a target of one value only.
        """
