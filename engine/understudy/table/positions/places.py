"""A public list of places, for tables that name places and not where they lie."""

from __future__ import annotations

from typing import Final

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen

MOST_PLACES: Final = 20_000
"""How many places a list has at most: it is kept, and published, with how a table is read."""


class Places(Frozen, what="the list of places"):
    """Where the places lie that positions may name.

    Attributes:
        codes: what each is called in the table, without blanks around it.
        latitude, longitude: where each lies, in degrees.

    Raises:
        Refusal: there is none, or too many; the lists are not as long as each other; a code is
            blank or stands twice; or a place lies off the earth.
    """

    codes: tuple[str, ...] = Field(min_length=1, max_length=MOST_PLACES)
    latitude: tuple[float, ...]
    longitude: tuple[float, ...]

    @model_validator(mode="after")
    def _usable(self) -> Places:
        if not len(self.codes) == len(self.latitude) == len(self.longitude):
            raise Refusal(
                "The list of places does not have one latitude and longitude for each code.",
                "Give each place all three.",
                field="places",
            )
        blank = sum(not code.strip() for code in self.codes)
        again = len(self.codes) - len({code.strip() for code in self.codes})
        for count, what in ((blank, "have no code"), (again, "have the code of another")):
            if count:
                raise Refusal(
                    f"In the list of places, {count:,} {what}.",
                    "Give each place a code of its own.",
                    field="places",
                )
        off = int((~on_earth(*self.degrees)).sum())
        if off:
            raise Refusal(
                f"In the list of places, {off:,} lie off the earth.",
                "Correct their latitude, from -90 to 90 degrees, and longitude, from -180 to 180.",
                field="places",
            )
        return self

    @property
    def degrees(self) -> tuple[FloatArray, FloatArray]:
        """(places,) their latitudes, and their longitudes."""
        return np.array(self.latitude), np.array(self.longitude)


def on_earth(latitude: FloatArray, longitude: FloatArray) -> BoolArray:
    """Return (n,) which positions are ones; what is no number is none."""
    found: BoolArray = (np.abs(latitude) <= 90) & (np.abs(longitude) <= 180)
    return found
