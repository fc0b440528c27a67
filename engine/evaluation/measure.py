"""What a measure is: one number about a table or a model, with its meaning and its interval.

Every measure says what it means, which way is better and how far it can go, and answers for
several subjects at once, so that no number stands without what other real records and the
private marginals score. All of it is internal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from engine.evaluation.study import Study

LEVEL = 0.95
"""How often an interval holds what it is about."""

Direction = Literal["lower", "higher", "as real"]
Unit = Literal["share", "number"]
Group = Literal[
    "distances", "models", "prediction", "linear", "distinguishing", "propensity", "disclosure"
]


@dataclass(frozen=True)
class Interval:
    """Where a value lies, at `LEVEL`."""

    low: float
    high: float


@dataclass(frozen=True)
class About:
    """What a measure says of itself.

    Attributes:
        key: names it in files, such as "total-variation-pairs".
        name: names it to a reader.
        sentence: what its value means, to somebody who is no statistician.
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


@dataclass(frozen=True)
class Part:
    """One entry of a breakdown.

    Attributes:
        of: what it is about: the names of columns, or of one classifier.
        value: as of the measure.
        interval: as of the measure.
    """

    of: tuple[str, ...]
    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Measured:
    """What a measure found of one subject. Internal.

    Attributes:
        value: the number.
        interval: where it lies; None where that is not known.
        parts: the breakdown, if there is one.
    """

    value: float
    interval: Interval | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What a measure found of all its subjects. Internal.

    Attributes:
        key: of the measure.
        by_subject: what it found, by the name of the table, of the model or of the method.
        trouble: why nothing was found, in words; "" where something was.
    """

    key: str
    by_subject: Mapping[str, Measured] = field(default_factory=dict)
    trouble: str = ""


class Measure(Protocol):
    """One measure. Its module imports what is slow to import only when it measures."""

    @property
    def about(self) -> About:
        """What it says of itself."""

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Measure every subject of the study that this measure is about, in their order.

        Raises:
            Refusal: it cannot be measured here, such as for a target of one value only.
        """
