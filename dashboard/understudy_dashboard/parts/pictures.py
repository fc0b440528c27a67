"""A chart that can always be read as a table, and carried away as a file that says what it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import pandas as pd
import streamlit as st
from altair import Undefined

from understudy.charts.export import ExportedChart, on_page
from understudy.core import clock
from understudy.runs.folder import RunFolder
from understudy_dashboard.ledger_status import format_moment, read_about

_FILES: Final = {
    "html": ("Page", "text/html", "It opens in any browser, without a network, and can be turned."),
    "svg": ("SVG", "image/svg+xml", "A drawing that can be made larger without losing anything."),
    "png": ("PNG", "image/png", "A picture for slides and letters."),
    "csv": ("CSV", "text/csv", "The numbers behind it, a line for each."),
}

# What Plotly would save by itself would not say what it is.
_PLOTLY: Final = {"displaylogo": False, "modeBarButtonsToRemove": ["toImage"]}

_Made = Mapping[str, Callable[[], bytes]]

_origin: ContextVar[str] = ContextVar("origin", default="")


@contextmanager
def label_pictures(run: RunFolder) -> Iterator[None]:
    """Name a run and its moment in the files of all pictures that are drawn meanwhile."""
    about = read_about(run)
    when = f" · {format_moment(datetime.fromisoformat(about.at))}" if about else ""
    token = _origin.set(f"run {run.identity}{when}")
    try:
        yield
    finally:
        _origin.reset(token)


@dataclass(frozen=True, eq=False)
class KeptPicture:
    """A chart whose description is made once, however often it is drawn.

    Attributes:
        figure: an Altair chart.
        table: the same in rows and columns.
    """

    figure: Any
    table: pd.DataFrame
    _specs: dict[bool, dict[str, Any]] = field(default_factory=dict, repr=False)

    def spec(self, *, dark: bool) -> dict[str, Any]:
        """Return what draws it on a page of a theme."""
        if dark not in self._specs:
            self._specs[dark] = on_page(self.figure, dark=dark)
        return self._specs[dark]


def draw_picture(
    figure: Any,
    table: pd.DataFrame,
    *,
    key: str,
    alt: str,
    confidential: bool = True,
    on_select: Callable[[], None] | None = None,
) -> None:
    """Draw a chart, or its figures as a table where that is asked for; under it, its files.

    Args:
        figure: an Altair chart.
        table: the same in rows and columns.
        key: names the chart on its page, and its files.
        alt: what it shows, for who cannot see it; the heading of its files too.
        confidential: whether it is computed from confidential records without noise. Its files
            then say so, in their names and inside.
        on_select: what a click on the chart does that has a selection; what was selected then
            stands in the session's state, under “chart-” and the key.
    """
    draw_kept_picture(
        KeptPicture(figure, table), key=key, alt=alt, confidential=confidential, on_select=on_select
    )


def draw_kept_picture(
    shown: KeptPicture,
    *,
    key: str,
    alt: str,
    confidential: bool = True,
    on_select: Callable[[], None] | None = None,
) -> None:
    """Draw a chart that may have been drawn before; arguments as for `draw_picture`."""
    figure = shown.figure
    carried = _export_chart(figure, shown.table, alt, confidential=confidential)
    made = {"svg": carried.svg, "png": carried.png, "csv": carried.csv}
    with _draw_with_table(carried, made, key) as drawn:
        if drawn:
            described = figure.description not in (None, Undefined)
            st.vega_lite_chart(
                spec=shown.spec(dark=st.context.theme.type == "dark"),
                key=f"chart-{key}",
                alt=None if described else alt,
                on_select=on_select or "ignore",
            )


def draw_turnable(
    figure: Any, table: pd.DataFrame, *, key: str, alt: str, confidential: bool = True
) -> None:
    """Draw a Plotly figure that is turned about with the mouse; arguments as for `draw_picture`."""
    carried = _export_chart(figure, table, alt, confidential=confidential)
    made = {"html": carried.page, "csv": carried.csv}
    with _draw_with_table(carried, made, key) as drawn:
        if drawn:
            st.plotly_chart(figure, key=f"chart-{key}", config=_PLOTLY)


@contextmanager
def _draw_with_table(carried: ExportedChart, made: _Made, key: str) -> Iterator[bool]:
    """Provide a place for a chart, with a switch to its table and the ways to its files under it;
    yields whether the chart is to be drawn."""
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        as_table = st.toggle("As a table", key=f"table-{key}")
        _draw_save(carried, made, key)
    with place:
        yield not as_table
        if as_table:
            st.dataframe(carried.table, hide_index=True, alt=carried.heading)


def _export_chart(
    figure: Any, table: pd.DataFrame, alt: str, *, confidential: bool
) -> ExportedChart:
    origin = _origin.get() or f"{clock.now().astimezone():%-d %B %Y}"
    return ExportedChart(figure, table, alt, origin, internal=confidential)


def _draw_save(carried: ExportedChart, made: _Made, key: str) -> None:
    """Draw a button for each kind of file. Nothing is drawn before one is pressed."""
    with st.popover("Save", icon=":material/download:"):
        if carried.internal:
            st.caption("For your eyes. Each file says that it is internal, inside and in its name.")
        for kind in made:
            label, mime, why = _FILES[kind]
            st.download_button(
                label,
                data=made[kind],
                file_name=carried.name(_name_file(key), kind),
                mime=mime,
                key=f"{kind}-{key}",
                help=why,
                on_click="ignore",
                icon=":material/download:",
                width="stretch",
            )


def _name_file(key: str) -> str:
    """Return the key as part of a file's name."""
    return re.sub(r"[^\w.]+", "-", key).strip("-")
