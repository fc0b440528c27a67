"""ω, the number of resampled attributes: one value, or a range read in one of two ways."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.privacy.randomness import RandomSource

Reading = Literal["hidden", "announced"]


class Omega(Frozen, what="ω"):
    """The number of attributes, last in dependency order, that are resampled in each attempt.

    Attributes:
        low, high: the range, ends included; equal for a fixed ω.
        reading: "hidden" draws ω by a fair coin the reader never sees, so the test weighs the
            mixture; "announced" takes the values in turn, so that each attempt's ω is known
            beforehand and the test is that of a fixed ω.
    """

    low: int = Field(ge=0)
    high: int = Field(ge=0)
    reading: Reading = "hidden"

    @model_validator(mode="after")
    def _check_order(self) -> Omega:
        if self.low > self.high:
            raise Refusal(
                f"The range of ω runs backwards, from {self.low} to {self.high}.",
                "Put the smaller number first, such as 5-11.",
                field="omega",
            )
        return self

    @property
    def is_fixed(self) -> bool:
        """Whether there is only one value."""
        return self.low == self.high

    @property
    def per_attempt(self) -> bool:
        """Whether each attempt's ω is known, so that all plausible seeds are equally likely."""
        return self.is_fixed or self.reading == "announced"

    @property
    def values(self) -> tuple[int, ...]:
        """Every value of the range."""
        return tuple(range(self.low, self.high + 1))

    def fits(self, attributes: int) -> None:
        """Check that ω does not exceed the number of attributes.

        Raises:
            Refusal: ω exceeds m.
        """
        if self.high > attributes:
            raise Refusal(
                f"ω reaches {self.high}, but the table has {attributes} columns.",
                f"Choose ω between 0 and {attributes}.",
                field="omega",
            )

    def seed_attempts(self, attempts: int, attributes: int) -> int:
        """Return the number of attempts with ω < m, which use a seed and so are composed."""
        if not self.per_attempt:
            return attempts
        if self.high < attributes:
            return attempts
        return attempts - len(range(len(self.values) - 1, attempts, len(self.values)))

    def sequence(self, first: int, count: int, source: RandomSource) -> IntArray:
        """Return ω of attempts first … first + count − 1."""
        if self.per_attempt:
            return self.low + (first + np.arange(count)) % len(self.values)
        return self.low + source.below(len(self.values), count)

    def __str__(self) -> str:
        return str(self.low) if self.is_fixed else f"{self.low}-{self.high}"

    @classmethod
    def parse(cls, text: str, reading: Reading = "hidden") -> Omega:
        """Read "9" or "5-11".

        Raises:
            Refusal: the text is neither, or the range runs backwards.
        """
        ends = text.replace("–", "-").split("-")
        try:
            low, high = int(ends[0]), int(ends[-1])
            if len(ends) > 2 or low < 0 or low > high:
                raise ValueError
        except ValueError:
            raise Refusal(
                f"ω cannot be read from “{text}”.",
                "Write one number such as 9, or a range such as 5-11.",
                field="omega",
            ) from None
        return cls(low=low, high=high, reading=reading)
