"""What a measure found of each subject: a value, its interval and its breakdown. Internal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LEVEL = 0.95
"""The confidence level of every interval."""


@dataclass(frozen=True)
class Interval:
    """Where a value lies, at `LEVEL`."""

    low: float
    high: float


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
