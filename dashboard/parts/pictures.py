"""A chart that can always be read as a table, and carried away as a file that says what it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd
import streamlit as st
from altair import Undefined

from dashboard.spending import about_of, moment
from engine.charts.dress import on_page
from engine.charts.export import Carried
from engine.runs.folder import RunFolder

_FILES: Final = {
    "svg": ("SVG", "image/svg+xml", "A drawing that can be made larger without losing anything."),
    "png": ("PNG", "image/png", "A picture for slides and letters."),
    "csv": ("CSV", "text/csv", "The numbers behind it, a line for each."),
}

_origin: ContextVar[str] = ContextVar("origin", default="")


@contextmanager
def pictures_of(run: RunFolder) -> Iterator[None]:
    """While pictures of a run are drawn: files made of them then name it and its moment."""
    about = about_of(run)
    when = f" · {moment(datetime.fromisoformat(about.at))}" if about else ""
    token = _origin.set(f"run {run.identity}{when}")
    try:
        yield
    finally:
        _origin.reset(token)


def picture(
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
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        as_table = st.toggle("As a table", key=f"table-{key}")
        _files(figure, table, key, alt, confidential=confidential)
    with place:
        if as_table:
            st.dataframe(table, hide_index=True, alt=alt)
        else:
            described = figure.description not in (None, Undefined)
            st.vega_lite_chart(
                spec=on_page(figure, dark=st.context.theme.type == "dark"),
                key=f"chart-{key}",
                alt=None if described else alt,
                on_select=on_select or "ignore",
            )


def _files(figure: Any, table: pd.DataFrame, key: str, alt: str, *, confidential: bool) -> None:
    """A button for each kind of file. Nothing is drawn before one is pressed."""
    origin = _origin.get() or f"{datetime.now(UTC).astimezone():%-d %B %Y}"
    carried = Carried(figure, table, alt, origin, internal=confidential)
    made = {"svg": carried.svg, "png": carried.png, "csv": carried.csv}
    with st.popover("Save", icon=":material/download:"):
        if confidential:
            st.caption("For your eyes. Each file says that it is internal, inside and in its name.")
        for kind, (label, mime, why) in _FILES.items():
            st.download_button(
                label,
                data=made[kind],
                file_name=carried.name(_named(key), kind),
                mime=mime,
                key=f"{kind}-{key}",
                help=why,
                on_click="ignore",
                icon=":material/download:",
                width="stretch",
            )


def _named(key: str) -> str:
    """The key as part of a file's name."""
    return re.sub(r"[^\w.]+", "-", key).strip("-")
