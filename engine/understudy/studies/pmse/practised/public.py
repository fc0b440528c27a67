"""A table that nobody's privacy depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal


@dataclass(frozen=True, eq=False)
class PublicTable:
    """Numbers that may be looked at without an account.

    Attributes:
        values: (n, columns) the table.
        because: why it is public: “simulated”, or where it was published.

    Raises:
        Refusal: no reason is given, a value is missing, or a column holds one value only.
    """

    values: FloatArray = field(repr=False)
    because: str

    def __post_init__(self) -> None:
        if not self.because.strip():
            raise Refusal(
                "The practised version of the pMSE mechanism gives no ε, so that it is only run on "
                "tables that are public.",
                "Say why this one is, such as “simulated”; for a confidential table, take the safe "
                "mechanism, `understudy method pmse`.",
                field="because",
            )
        if np.isnan(self.values).any():
            raise Refusal(
                "A value is missing, and a regression has no number for what is missing.",
                "Leave out the records where one is.",
                field="values",
            )
        if len(self.values) == 0 or (self.values.min(axis=0) == self.values.max(axis=0)).any():
            raise Refusal(
                "A column holds one value only, so that nothing can be regressed on it.",
                "Leave it out.",
                field="values",
            )
