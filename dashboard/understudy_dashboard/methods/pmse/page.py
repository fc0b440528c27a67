"""What the Privacy page says of the pMSE mechanism: which road to take, the candidates and their
partitions, and why the practised version is not offered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Final

import pandas as pd
import streamlit as st

from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.pmse.gini import sensitivity
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.studies.pmse.practised.failing import PUBLISHED_BOUND, exclusive_or, threshold
from understudy_dashboard.drawings import Drawing
from understudy_dashboard.methods.page import FOR_YOUR_TABLE, MethodPage
from understudy_dashboard.methods.pmse.drawn import making
from understudy_dashboard.session import Session

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

    def details(self, session: Session, decided: PlannedRun) -> Mapping[str, Callable[[], object]]:
        """Return the folds: which method suits the table, and why one practised is not offered."""
        return {
            FOR_YOUR_TABLE: partial(st.markdown, ROAD),
            PUBLISHED: partial(_draw_sensitivity, decided.plan_as(PmsePlan)),
        }

    def making(self, decided: PlannedRun) -> tuple[Drawing, ...]:
        """See `drawn`."""
        return making()

    def counted(self, plan: MechanismPlan) -> str:
        """Records."""
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
            pairs = _pairs()
        st.table(pairs, border="horizontal")
        st.caption(
            f"Simulated tables of {1 / PUBLISHED_BOUND:,.0f} records; by the published "
            f"bound, one record moves a score by {PUBLISHED_BOUND:g} at most."
        )


@cache
def _pairs() -> pd.DataFrame:
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
