"""Pictures of what a plan comes to before anything is spent, from public numbers alone.

A method that has such pictures has a module `charts.public` in its folder with a function
`pictures`, which takes what was decided and looks at nothing else: the plan, the schema and the
guarantee. The Privacy page shows them, packets hold them, and they may be published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from understudy.charts.export import ExportedChart
from understudy.mechanisms.companions import companion
from understudy.mechanisms.mechanism import PlannedRun


@dataclass(frozen=True)
class PictureShape:
    """How a report draws a picture from its table, by the names of columns.

    A report cannot hold the figure itself: it is made again when it is checked, and compared text
    by text, and how a figure is laid out depends on fonts and versions.

    Attributes:
        kind: lines over numbers, the axis up logarithmic, or two bars for each row.
        across: the column across, or that of the labels of bars.
        of: those of the lines, or the two of the bars.
        up: what the axis up shows.
        powers: whether the axis across is logarithmic too.
        marked: a number across to mark; None for none.
    """

    kind: Literal["lines", "pairs"]
    across: str
    of: tuple[str, ...]
    up: str = ""
    powers: bool = False
    marked: float | None = None


@dataclass(frozen=True, eq=False)
class PublicPicture:
    """A picture from public numbers.

    Attributes:
        name: of it among those of a plan, such as "growth"; names its files too.
        title: what it shows, in a few words.
        said: what it means, in a sentence or two, without marks of Markdown.
        draw: makes the figure, an Altair chart; left undone where nobody asks for it, as in a
            report.
        table: the same in rows and columns.
        alt: what it shows, for who cannot see it.
        shape: how a report draws it; None for its table there.
        warning: what has to be said above it wherever it is shown, in red, as it is about something
            other than the outputs of the plan; "" for nothing. No report of a run holds such a one.
        fold: what the page calls the fold in which it stands, with those beside it that name the
            same; "" for none.
        foresees: whether it tells how near the outputs will come, rather than what they cost; a
            report has these on a page of their own.
        in_short: what it means where there is room for little, as on a slide; "" for `said`.
    """

    name: str
    title: str
    said: str
    draw: Callable[[], Any]
    table: pd.DataFrame
    alt: str
    shape: PictureShape | None = None
    warning: str = ""
    fold: str = ""
    foresees: bool = False
    in_short: str = ""

    @cached_property
    def figure(self) -> Any:
        """The Altair chart, drawn when it is first asked for."""
        return self.draw()

    def export(self, origin: str = "") -> ExportedChart:
        """Return the picture as files that may be published.

        Args:
            origin: what it is of; "" for nothing.
        """
        heading = f"{self.warning} {self.title}".strip()
        return ExportedChart(self.figure, self.table, heading, origin, internal=False)


def public_pictures(decided: PlannedRun) -> tuple[PublicPicture, ...]:
    """Return the pictures that the method of a plan has; none where it has none.

    Raises:
        Refusal: as the method's.
    """
    found = companion(decided.mechanism, "charts.public")
    pictures: tuple[PublicPicture, ...] = () if found is None else tuple(found.pictures(decided))
    return pictures
