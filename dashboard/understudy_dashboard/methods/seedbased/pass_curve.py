"""How many candidates pass at each k: foreseen from public numbers, and as rehearsed."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from understudy.charts.passing import pass_rate_curves, pass_rate_curves_table
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.passing import TELLING, surely_passing
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.runs.folder import RecordsOf, RunFolder
from understudy_dashboard import words
from understudy_dashboard.internal import internal
from understudy_dashboard.methods.seedbased.explore_scores import WHAT, scored
from understudy_dashboard.methods.seedbased.passing import planned_sample
from understudy_dashboard.parts.controls import stops_of
from understudy_dashboard.parts.pictures import Picture, draw
from understudy_dashboard.session import Session
from understudy_dashboard.spending import about_of

AT_LEAST: Final = "At least, foreseen"
MEANS: Final = (
    "What is foreseen holds however the records are spread over the column that is copied, which "
    "is the coarsest, as a rule. A rehearsal makes candidates and counts them; nothing is released."
)
_HEIGHT: Final = 290
_CONFIDENTIAL: Final = "confidential"


@dataclass(frozen=True)
class _Rehearsed:
    """Scores of candidates, and whose they are.

    Attributes:
        sample: the scores.
        whose: as `explore_scores.WHAT` has it.
        confidential: whether that is the confidential table.
    """

    sample: ScoreSample
    whose: str
    confidential: bool


def pass_curve(session: Session, plan: Plan, made: Promise, *, key: str) -> bool:
    """Draw what is known of it.

    Args:
        session: the page's state.
        plan: the plan in use, with seeds.
        made: what it promises.
        key: names the picture on the page.

    Returns:
        Whether there are scores of a rehearsal.
    """
    found = _rehearsed(session, plan)
    hidden = found is not None and found.confidential
    with internal(key, words.TUNING) if hidden else nullcontext():
        _drawn(session, plan, made, found, key)
    return found is not None


def _drawn(session: Session, plan: Plan, made: Promise, found: _Rehearsed | None, key: str) -> None:
    schema = session.schema
    assert schema is not None
    ks = np.unique([*stops_of(FIELDS["k"]), plan.test.k]).astype(np.int64)
    here = int(np.searchsorted(ks, plan.test.k))
    curves = {}
    surely = surely_passing(plan, schema, made, ks)
    said = []
    if surely is not None:
        curves[AT_LEAST] = surely
        said.append(
            f"At least **{words.percent(surely[here])}** pass, foreseen."
            if surely[here] >= TELLING
            else "At this k nothing is sure of how many pass; a rehearsal tells."
        )
    if found is not None:
        name = f"Rehearsed on {found.whose}"
        curves[name] = found.sample.curve(plan.test, ks, made.pass_cap)
        said.append(f"About **{words.percent(curves[name][here])}** pass, as rehearsed.")
    if not curves:
        st.info(
            "Nothing is sure beforehand of so many copied columns, or of so large a k. A "
            "rehearsal tells how many candidates pass.",
            icon=":material/help:",
        )
        return
    hidden = found is not None and found.confidential
    told = tuple((name, values.tobytes()) for name, values in curves.items())
    # It may stand on the page twice.
    drawn: Picture = session.keep(
        "pass curve drawn",
        (told, plan.test.k, hidden),
        lambda: Picture(
            pass_rate_curves(ks, curves, plan.test.k, internal=hidden, height=_HEIGHT),
            pass_rate_curves_table(ks, curves),
        ),
    )
    draw(
        drawn,
        key=key,
        alt="The share of candidates that pass, for each k",
        confidential=hidden,
    )
    st.caption(" ".join(said))


def _rehearsed(session: Session, plan: Plan) -> _Rehearsed | None:
    """Scores of the plan's own ω: of a table that stands in before those of the confidential one,
    and then those last chosen, or the newest."""
    told = [(_whose(run), run) for run in scored(session)]
    for whose, run in sorted(
        told, key=lambda each: (each[0] == _CONFIDENTIAL, each[1].identity != session.scores)
    ):
        sample = session.keep(
            f"pass curve {run.identity}", str(plan.omega), partial(_sample, run, plan)
        )
        if sample is not None:
            return _Rehearsed(sample, WHAT[whose], whose == _CONFIDENTIAL)
    return None


def _whose(run: RunFolder) -> RecordsOf:
    about = about_of(run)
    return _CONFIDENTIAL if about is None else about.records_of


def _sample(run: RunFolder, plan: Plan) -> ScoreSample | None:
    with run.intact():
        figures = Figures.load(run.internal)
    return None if figures is None else planned_sample(figures, plan)
