"""The results of a measure: for each subject a value, its interval and its breakdown. Internal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LEVEL = 0.95
"""The confidence level of every interval."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval at `LEVEL`."""

    low: float
    high: float


@dataclass(frozen=True)
class Part:
    """One entry of a breakdown.

    Attributes:
        of: the names of columns, or of one classifier.
        value: as of the measure.
        interval: as of the measure.
    """

    of: tuple[str, ...]
    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Measured:
    """The result for one subject. Internal.

    Attributes:
        value: the number.
        interval: its confidence interval; None where that is not known.
        parts: the breakdown, if there is one.
    """

    value: float
    interval: Interval | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Finding:
    """The results of one measure for all its subjects. Internal.

    Attributes:
        key: of the measure.
        by_subject: the result by the name of the table, the model or the method.
        trouble: why nothing was found, in words; "" where something was.
        chance: by how much chance moves the difference of two results either way, in 95 of 100
            cases; None where their intervals say it.
    """

    key: str
    by_subject: Mapping[str, Measured] = field(default_factory=dict)
    trouble: str = ""
    chance: float | None = None
