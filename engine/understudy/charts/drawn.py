"""A chart specification that is built once and reused with new data.

Building the specification takes far longer than computing its numbers, and a chart that follows a
slider changes only in these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A layout with its numbers, to be used in the place of an Altair chart.

    Attributes:
        layout: a chart without its numbers, as Vega-Lite's JSON. Its layers refer to them by name.
        datasets: the numbers, by name, in rows.
    """

    layout: str
    datasets: Mapping[str, Rows]

    @classmethod
    def of(cls, figure: alt.LayerChart) -> Drawn:
        """Return a finished figure, described once however often it is drawn."""
        said = figure.to_dict(validate=False)
        datasets = said.pop("datasets", {})
        return cls(json.dumps(said), datasets)

    @property
    def description(self) -> str:
        """What it shows, for who cannot see it."""
        return str(json.loads(self.layout)["description"])

    def to_dict(self, *, validate: bool = False) -> dict[str, Any]:
        """Return the chart as Vega-Lite's description, whose parts are the caller's own.

        Args:
            validate: of no use here: the layout was checked, or not, when it was made.
        """
        return {**json.loads(self.layout), "datasets": dict(self.datasets)}
