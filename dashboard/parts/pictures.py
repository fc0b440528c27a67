"""A chart that can always be read as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair
import pandas as pd
import streamlit as st
from altair import Undefined


def picture(
    figure: Any,
    table: pd.DataFrame,
    *,
    key: str,
    alt: str,
    on_select: Callable[[], None] | None = None,
) -> None:
    """Draw a chart, or its figures as a table where that is asked for.

    Args:
        figure: an Altair chart or a Plotly figure.
        table: the same in rows and columns.
        key: names the chart on its page.
        alt: what it shows, for who cannot see it.
        on_select: what a click on an Altair chart does that has a selection; what was selected
            then stands in the session's state, under “chart-” and the key.
    """
    place = st.container()
    as_table = st.toggle("As a table", key=f"table-{key}")
    with place:
        if as_table:
            st.dataframe(table, hide_index=True, alt=alt)
        elif isinstance(figure, _ALTAIR):
            described = figure.description not in (None, Undefined)
            # Checking a chart against its schema takes longer than drawing it; tests do that.
            spec = figure.to_dict(validate=False)
            # A figure of confidential records is for looking at, not for carrying away.
            spec["usermeta"] = {"embedOptions": {"actions": False}}
            st.vega_lite_chart(
                spec=spec,
                key=f"chart-{key}",
                alt=None if described else alt,
                on_select=on_select or "ignore",
            )
        else:
            st.plotly_chart(figure, key=f"chart-{key}", alt=alt, config={"displaylogo": False})


_ALTAIR = (altair.Chart, altair.LayerChart, altair.HConcatChart, altair.VConcatChart)
