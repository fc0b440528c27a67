"""The pages of the pMSE mechanism: the road to take, the candidates and their partitions, and why
the practised version is not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Final

import pandas as pd
import streamlit as st

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.pmse.gini import sensitivity
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.studies.pmse.common_practice import PUBLISHED_BOUND, exclusive_or, threshold
from understudy_dashboard.methods.page import FOR_YOUR_TABLE, MethodPage
from understudy_dashboard.session import Session
from understudy_dashboard.slides import SlideDrawing, draw_table, make_drawing

_KEPT, _MADE, _QUIET = "var(--kept)", "var(--made)", "var(--quiet)"
_SLOPES: Final = (-60, -36, -12, 12, 36, 60)
_CHOSEN: Final = 1
_REAL: Final = ((40, 96), (62, 104), (88, 78), (112, 88), (140, 64), (168, 74), (196, 46))
_OTHERS: Final = ((34, 120), (74, 76), (98, 110), (126, 56), (152, 92), (182, 60), (206, 66))


def _draw_making() -> tuple[SlideDrawing, ...]:
    """Draw candidates, what tells their records from the real ones, and the table."""
    return (
        _draw_candidates(
            "**Candidates.** Many models are drawn from public numbers alone: for each "
            "column, a regression on those before it."
        ),
        _draw_difference(
            "**Scores.** Of each candidate, records are made and put beside the real ones. "
            "The harder they are to tell apart, the better its score."
        ),
        draw_table(
            "**One is chosen** at random, the more likely the better it scores, and the table is "
            "drawn from it."
        ),
    )


def _draw_candidates(text: str) -> SlideDrawing:
    lines = [
        f'<path d="M20 {75 - slope} L220 {75 + slope}" stroke="{_QUIET}" stroke-width="2"/>'
        for slope in _SLOPES
    ]
    chosen = _SLOPES[_CHOSEN]
    lines.append(
        f'<path d="M20 {75 - chosen} L220 {75 + chosen}" stroke="{_MADE}" stroke-width="5"/>'
    )
    return make_drawing(lines, "Many straight lines, one of them thick.", text)


def _draw_difference(text: str) -> SlideDrawing:
    parts = [f'<path d="M{at} 14 V136" stroke="{_QUIET}" stroke-width="1.5"/>' for at in (80, 160)]
    parts += [f'<path d="M14 {at} H226" stroke="{_QUIET}" stroke-width="1.5"/>' for at in (55, 95)]
    parts += [f'<circle cx="{x}" cy="{y}" r="6" fill="{_KEPT}"/>' for x, y in _REAL]
    parts += [
        f'<rect x="{x - 5}" y="{y - 5}" width="10" height="10" fill="{_MADE}"/>' for x, y in _OTHERS
    ]
    return make_drawing(parts, "Dots and squares among each other in a grid.", text)


ROAD: Final = (
    "The calibrated model of seedbased synthesis measures noisy counts of "
    "columns and pairs. Take it for more than a few columns, for categories, and for shapes that "
    "no simple formula describes. This method *chooses* one simple model, a regression for each "
    "column on those before it, out of many public candidates. Take it for two or three measured "
    "numbers that such a model describes, where the fine grid that they need is too much for "
    "counts, or where the model's parameters are wanted beside its records. It spends no δ. Make "
    "both in two projects on a simulated table like yours before you spend on the real one."
)
PRACTISED: Final = (
    "As it was published, the mechanism scores candidates by trees that are grown greedily on the "
    "confidential records, and draws them by a Markov chain. Both break its promise. A greedy tree "
    "can change entirely because of one record; and a chain that has not run for ever draws from "
    "a law that nobody knows. Nothing of it is offered here for confidential tables: trees are "
    "searched for the best one of a class that no record has a say in, and choices are exact."
)
PUBLISHED: Final = "Why the published version is not offered"
_SHOW: Final = "Show two pairs of tables that one record tells apart"


class PmsePage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "A table of two or three measured numbers that straight lines describe, with the numbers "
        "of these lines as a result of their own."
    )

    def details(
        self, session: Session, decided: PlannedRun[PmsePlan]
    ) -> Mapping[str, Callable[[], object]]:
        """Return the folds: which method suits the table, and why one practised is not offered."""
        return {
            FOR_YOUR_TABLE: partial(st.markdown, ROAD),
            PUBLISHED: partial(_draw_sensitivity, decided.plan),
        }

    def making(self, decided: PlannedRun[PmsePlan]) -> tuple[SlideDrawing, ...]:
        """Return what `MethodPage` asks for."""
        return _draw_making()

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return the number of records."""
        assert isinstance(plan, PmsePlan)
        return f"{plan.rows * plan.draws:,} records"


def _draw_sensitivity(plan: PmsePlan) -> None:
    """Draw how far one record moves a score, and why the practised version is not offered."""
    if plan.public_records is not None:
        n = plan.public_records
        moved = float(sensitivity(n, plan.ratio * n))
        st.markdown(
            f"One record moves the score of a candidate by at most {moved:.3g}, out of 0.25 or "
            "less. That is proved, and holds for any table."
        )
    st.markdown(PRACTISED)
    if st.toggle(_SHOW, key="pmse-pairs"):
        with st.spinner("Growing trees on simulated tables …"):
            pairs = _tabulate_sensitivities()
        st.table(pairs, border="horizontal")
        st.caption(
            f"Simulated tables of {1 / PUBLISHED_BOUND:,.0f} records; by the published "
            f"bound, one record moves a score by {PUBLISHED_BOUND:g} at most."
        )


@cache
def _tabulate_sensitivities() -> pd.DataFrame:
    """Return both pairs; of simulated tables, so that sessions may share them."""
    pairs = {
        "A greedy tree of depth two": exclusive_or(),
        "One split, where it gains one per cent": threshold(),
    }
    rows = []
    for name, pair in pairs.items():
        one, two = pair.scores()
        rows.append(
            {
                "Score": name,
                "Of a table": f"{one:.3g}",
                "With one record changed": f"{two:.3g}",
                "Times the bound": f"{abs(two - one) / PUBLISHED_BOUND:,.1f}",
            }
        )
    return pd.DataFrame(rows).set_index("Score")


PAGE: Final = PmsePage()
