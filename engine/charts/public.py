"""Pictures of what a plan comes to before anything is spent, from public numbers alone.

A method that has such pictures has a module `charts.public` in its folder with a function
`pictures`, which takes what was decided and looks at nothing else: the plan, the schema and the
guarantee. The Privacy page shows them, and they may be published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from engine.charts.export import ExportedChart
from engine.mechanisms.companions import companion
from engine.mechanisms.mechanism import Decided
from engine.mechanisms.registry import mechanism_of


@dataclass(frozen=True, eq=False)
class PublicPicture:
    """A picture from public numbers.

    Attributes:
        name: of it among those of a plan, such as "growth"; names its files too.
        title: what it shows, in a few words.
        said: what it means, in a sentence or two.
        figure: an Altair chart.
        table: the same in rows and columns.
        alt: what it shows, for who cannot see it.
    """

    name: str
    title: str
    said: str
    figure: Any
    table: pd.DataFrame
    alt: str

    def exported(self, origin: str = "") -> ExportedChart:
        """It as files that may be published.

        Args:
            origin: what it is of; "" for nothing.
        """
        return ExportedChart(self.figure, self.table, self.title, origin, internal=False)


def public_pictures(decided: Decided) -> tuple[PublicPicture, ...]:
    """The pictures that the method of a plan has; none where it has none.

    Raises:
        Refusal: as the method's.
    """
    found = companion(mechanism_of(decided.plan), "charts.public")
    pictures: tuple[PublicPicture, ...] = () if found is None else tuple(found.pictures(decided))
    return pictures
