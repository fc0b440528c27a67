"""What there is to see of a plan: how rows cost, what a prior distorts, and the average case."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from understudy.mechanisms.imputation.charts.public import by_others, costliest
from understudy.mechanisms.imputation.charts.seen import averages, distorted, errata, rows_curve
from understudy.mechanisms.imputation.parts import Histogram
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy_dashboard.parts.pictures import picture

ROWS: Final = (1, 10, 30, 100, 300, 1000, 3000, 10_000)


def more_rows(decided: PlannedRun[ImputationPlan]) -> None:
    """The curve of rows from one draw, rising to that of the parameter."""
    st.subheader("One draw, and more and more rows", anchor=False)
    most = costliest(decided)
    plan = decided.plan
    assert isinstance(plan, ImputationPlan)
    if by_others(most.part):
        st.markdown(
            f"**{most.name}** depends on other columns, so its rows cost as much as the parameter "
            "that they are drawn from, whether they are few or many."
        )
        return
    usual = min(ROWS, key=lambda each: abs(each - plan.rows))
    rows = st.select_slider("Rows", ROWS, usual, format_func="{:,}".format, key="seen-rows")
    found = rows_curve(most.part, plan.delta, rows)
    st.markdown(
        f"Of **{most.name}** alone: with {rows:,} rows from one draw ε is "
        f"{found.one:.3g} at this δ. It rises with the rows, but never above the "
        f"{found.parameter:.3g} of the parameter that they are drawn from"
        + ("." if found.own is None else f"; rows with draws of their own cost {found.own:.3g}.")
    )
    picture(found.figure, found.table, key="rows-curve", confidential=False,
            alt="δ against ε for rows from one draw, from draws of their own, and the parameter",
    )  # fmt: skip


def distortion(decided: PlannedRun[ImputationPlan]) -> None:
    """What the prior does to shares."""
    most = costliest(decided)
    plan = decided.plan
    assert isinstance(plan, ImputationPlan)
    if not isinstance(most.part, Histogram) or not plan.copies:
        return
    st.subheader("What the prior distorts", anchor=False)
    st.markdown(
        f"Of **{most.name}**: the rows show a share drawn towards {1 / most.part.count:.3g}. The "
        "intervals released beside the rows know that, and are as wide as the last column says."
    )
    st.dataframe(distorted(plan, most.part), hide_index=True)


def average_case(decided: PlannedRun[ImputationPlan]) -> None:
    """When other records hide one, if they are random to a reader."""
    plan = decided.plan
    assert isinstance(plan, ImputationPlan)
    st.subheader("What if nobody knew the other records?", anchor=False)
    st.markdown(
        "The promise holds whatever a reader knows of all other records. To one who knows only "
        "that each has a value with the same chance, a plain count already hides a single "
        "record, without made-up ones, as long as the value is common. Rare values break it, and "
        "nobody promises that readers know so little: this is no guarantee of the release."
    )
    share = st.select_slider(
        "Of a thousand, so many have the value", (0.1, 1, 3, 10, 30, 100, 300, 500), 100,
        key="seen-share",
    )  # fmt: skip
    found = averages(plan.records, share / 1000)
    st.markdown(f"At ε = ½, δ of a plain count is then **{found.here:.2g}**.")
    picture(found.figure, found.table, key="average-case", confidential=False,
            alt="δ of a plain count among random others by how common a value is")  # fmt: skip


def source() -> None:
    """What the source prints wrongly."""
    st.subheader("Bounds of the source, and what is wrong with them", anchor=False)
    st.markdown(
        "Zheng (2015) proves bounds for these releases. The figures here are exact instead. "
        "These of its statements promise too much, or ask for too much:"
    )
    st.dataframe(pd.DataFrame(errata()), hide_index=True)
