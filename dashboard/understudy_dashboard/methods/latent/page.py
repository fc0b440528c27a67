"""The pages of latent models, and the hidden numbers of a run on Inspect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import streamlit as st

from understudy.charts.pair_shares import FEWEST, density_map, most_of, plane_density
from understudy.mechanisms.latent.charts.public import (
    carried_bars,
    carried_in_words,
    carried_table,
)
from understudy.mechanisms.latent.inspection import (
    HiddenNumbers,
    hidden_numbers,
    reconstruct_records,
)
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.models.latent.small_space import Reconstruction
from understudy.runs.work_folder import Progress
from understudy_dashboard.methods.page import (
    FOR_YOUR_TABLE,
    MethodPage,
    RunInspection,
    Tabs,
    draw_pace,
)
from understudy_dashboard.parts.evaluation import list_titles
from understudy_dashboard.parts.inspect.evidence import SHOWN, draw_beside_kept, load_from_evidence
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session

_REAL, _MADE = "Real records", "Made records"
_CARRIES: Final = (
    "The model knows a column through a few hidden numbers and keeps what of it they carry. The "
    "rest is drawn for each column by itself: a column that little is carried of keeps its share "
    "of ones, and its relations to other columns are lost. 100 is all of it."
)
_BESIDE: Final = (
    "Each record has a place by its first two hidden numbers, as its columns tell them. Left are "
    "real records, right as many made ones; what is not alike was not kept. A square with fewer "
    f"than {FEWEST} records is blank. Both are for your eyes."
)


def draw_kept_shares(looked: RunInspection[LatentPlan]) -> None:
    """Draw what of each column the hidden numbers carry."""
    found = _find_numbers(looked)
    if found is None:
        return
    titles = list(list_titles(looked.decided.compared).values())
    st.markdown(carried_in_words(titles, found.carried))
    st.caption(_CARRIES)
    draw_picture(
        carried_bars(titles, found.carried),
        carried_table(titles, found.carried),
        key="carried",
        alt="How much of each column the hidden numbers carry, of 100",
    )


def draw_map(looked: RunInspection[LatentPlan]) -> None:
    """Draw real and made records by their first two hidden numbers, side by side."""
    found = _find_numbers(looked)
    if found is None:
        return
    if not found.whole:
        st.info("Fewer than two hidden numbers carry anything here, so there is no map of records.")
        return
    st.caption(_BESIDE)
    sides = {_REAL: plane_density(found.real), _MADE: plane_density(found.made)}
    most = max(map(most_of, sides.values()))
    for place, (name, squares) in zip(st.columns(2), sides.items(), strict=True):
        with place:
            st.markdown(f"**{name}**")
            draw_picture(
                density_map(squares, most),
                squares,
                key=f"hidden-{name}",
                alt=f"{name} by their first two hidden numbers, in squares",
            )


def _draw_reconstruction(looked: RunInspection[LatentPlan]) -> None:
    """Draw a few real records beside what their hidden numbers keep of them."""
    found: Reconstruction | None = load_from_evidence(
        looked, "kept of records", lambda evidence: reconstruct_records(evidence, SHOWN)
    )
    if found is not None:
        draw_beside_kept(looked, found)


def _find_numbers(looked: RunInspection[LatentPlan]) -> HiddenNumbers | None:
    """Return the hidden numbers of the run; None, after saying why, where its table is not open."""
    found: HiddenNumbers | None = load_from_evidence(looked, "hidden numbers", hidden_numbers)
    return found


ROAD: Final = (
    "Behind the columns a few *hidden numbers* are imagined, such as how ill somebody is. How each "
    "column follows them is learned from noisy sums over all records, and new records are drawn "
    "from it. Take it for a hundred columns of two values or more, of which most records have few. "
    "Up to some fifty columns, or for categories, the calibrated model of seedbased synthesis "
    "measures counts instead and is closer.\n\n"
    "**Factors** are to begin with: chances never leave 0 to 1, and what noise may explain is left "
    "out. **Principal directions** are simpler, and are shown to compare. **A small network** "
    "learns by many noisy steps; below hundreds of thousands of records it keeps less than factors."
)


class LatentPage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "A whole table of very many yes-or-no columns, of which most records are yes in few, such "
        "as diagnoses; also of measured numbers."
    )

    def details(
        self, session: Session, decided: PlannedRun[LatentPlan]
    ) -> Mapping[str, Callable[[], object]]:
        """Return the fold on which road to take."""
        return {FOR_YOUR_TABLE: partial(st.markdown, ROAD)}

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return the number of rows."""
        assert isinstance(plan, LatentPlan)
        return f"{plan.rows:,} rows"

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """Draw how many rows a second."""
        draw_pace("Rows", progress)

    def tabs(self, looked: RunInspection[LatentPlan], usual: Tabs) -> Tabs:
        """Return the usual ones, and what the hidden numbers carry, where there are such."""
        if looked.decided.plan.model == "variational":
            return usual
        own: Tabs = {
            "Hidden numbers": {
                "What they carry": lambda: draw_kept_shares(looked),
                "Records and what is kept": lambda: _draw_reconstruction(looked),
                "A map of records": lambda: draw_map(looked),
            }
        }
        before = {name: parts for name, parts in usual.items() if name != "Compare"}
        after = {name: parts for name, parts in usual.items() if name == "Compare"}
        return {**before, **own, **after}


PAGE: Final = LatentPage()
