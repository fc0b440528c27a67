"""Exporting a chart and its numbers: SVG, PNG and CSV without a browser; HTML for 3-D figures.

What is internal says so inside each file: in the picture above everything, and in a column of the
numbers, which stays with every row that is copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Final

import pandas as pd

from understudy.charts.dress import on_paper
from understudy.core.refusal import Refusal
from understudy.table.formula_safety import escape_formula

INTERNAL: Final = "INTERNAL – computed from confidential records without noise"
_MARKED: Final = "INTERNAL"
_SCALE: Final = 2.0


@dataclass(frozen=True, eq=False)
class ExportedChart:
    """A chart to be exported.

    Attributes:
        figure: an Altair chart; or a Plotly figure, which is exported as a page only.
        table: its numbers.
        heading: what it shows.
        origin: the run it is of and when that was, or whatever else it comes from; "" for
            nothing.
        internal: whether it was computed from confidential records without noise.
    """

    figure: Any
    table: pd.DataFrame
    heading: str
    origin: str = ""
    internal: bool = True

    @property
    def mark(self) -> str:
        """What stands in every file of internal figures; "" for others."""
        return " · ".join(filter(None, (INTERNAL, self.origin))) if self.internal else ""

    def name(self, of: str, kind: str) -> str:
        """Return the name of a file, such as “INTERNAL-standings.svg”."""
        return f"INTERNAL-{of}.{kind}" if self.internal else f"{of}.{kind}"

    def svg(self) -> bytes:
        """Return the picture, as scalable as its letters."""
        return svg(on_paper(self.figure, self.heading, self.mark)).encode()

    def png(self) -> bytes:
        """Return the picture in pixels, two for each of the SVG.

        Raises:
            Refusal: this computer has no font for the mark.
        """
        return png(on_paper(self.figure, self.heading, self.mark))

    def page(self) -> bytes:
        """Return a page in which a Plotly figure is turned about; it holds all that it needs."""
        titled = self.figure.__class__(self.figure)
        said = {"text": escape(self.heading), "subtitle": {"text": escape(self.mark)}}
        titled.update_layout(title=said)
        return str(titled.to_html(include_plotlyjs=True, config={"displaylogo": False})).encode()

    def csv(self) -> bytes:
        """Return the numbers, in UTF-8, no cell of which a spreadsheet takes for a formula; see
        `with_mark`."""
        shown = with_mark(self.table, self.mark) if self.internal else self.table
        return table_csv(shown).encode()


def with_mark(table: pd.DataFrame, mark: str) -> pd.DataFrame:
    """Return the table with a last column that holds the mark in every row."""
    named = _MARKED
    while named in table.columns:
        named += "_"
    return table.assign(**{named: mark})


def table_csv(table: pd.DataFrame) -> str:
    """Return a small table as CSV, its texts as `escape_formula` writes them; numbers stay
    numbers."""
    cells = table.map(lambda cell: escape_formula(cell) if isinstance(cell, str) else cell)
    names = [escape_formula(str(name)) for name in table.columns]
    text: str = cells.set_axis(names, axis="columns").to_csv(index=False, lineterminator="\n")
    return text


def svg(spec: dict[str, Any]) -> str:
    """Return a Vega-Lite description as SVG."""
    import vl_convert  # slow to import, and needed only when something is carried away

    return str(vl_convert.vegalite_to_svg(spec))


def png(spec: dict[str, Any]) -> bytes:
    """Return a Vega-Lite description as PNG.

    Raises:
        Refusal: this computer has no font, so that the picture would not say what it is.
    """
    import vl_convert

    if not _letters():
        raise Refusal(
            "There is no font on this computer to write letters in a picture with.",
            "Save the figure as SVG, or install a font such as DejaVu Sans.",
        )
    return bytes(vl_convert.vegalite_to_png(spec, scale=_SCALE))


@cache
def _letters() -> bool:
    """Return whether text is drawn at all: whether a word changes a picture of a fixed size."""
    import vl_convert

    word, none = (
        bytes(
            vl_convert.vegalite_to_png(
                {
                    "data": {"values": [{"said": said}]},
                    "width": 80,
                    "height": 30,
                    "autosize": "none",
                    "mark": "text",
                    "encoding": {"text": {"field": "said", "type": "nominal"}},
                }
            )
        )
        for said in ("INTERNAL", "")
    )
    return word != none
