"""What a table is fit for and what it is not, side by side, before it is made and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from understudy.evaluation.fitness import FURTHER_OFF, Fitness, Use
from understudy_dashboard import words

EVERY: Final = "All of them by name"


def fit_and_unfit(told: Fitness) -> None:
    """Both lists beside each other, with a reason each."""
    draw_uses(told.fit, told.unfit)
    st.caption(
        f"Measured beside as many other real records, which are off by chance, too. {FURTHER_OFF}"
        if told.found
        else "Expected from public numbers alone, of columns that are tied as usual. Inspect "
        "measures it afterwards."
    )


def draw_uses(fit: Sequence[Use], unfit: Sequence[Use]) -> None:
    """Draw both lists beside each other, without how they were come to."""
    left, right = st.columns(2)
    with left:
        _listed("Fit for", ":material/check_circle:", fit)
    with right:
        _listed("Not fit for", ":material/block:", unfit)


def _listed(title: str, icon: str, uses: Sequence[Use]) -> None:
    st.markdown(f"**{icon} {title}**")
    st.markdown(
        "\n".join(f"- **{words.plain(each.what)}**: {words.plain(each.why)}" for each in uses)
    )
    named = [each for each in uses if each.every]
    if named:
        with st.expander(EVERY):
            for each in named:
                why = words.plain(f"{each.why[:1].upper()}{each.why[1:]}:")
                lines = "\n".join(f"- {words.plain(line)}" for line in each.every)
                st.markdown(f"{why}\n{lines}")
