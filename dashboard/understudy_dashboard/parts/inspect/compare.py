"""Up to four runs side by side: their settings, totals and measures. Internal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.charts.beside import beside, beside_table
from understudy.core.refusal import Refusal
from understudy.evaluation.run_comparison import (
    MOST,
    ComparedRun,
    Difference,
    MeasureOfRuns,
    all_evaluated,
    check_comparable,
    measured_difference,
    measures_of_runs,
    predicted_columns,
)
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.runs.folder import RunFolder
from understudy.table.differences import differences
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import link, refuse
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.methods.words import title_of, words_of
from understudy_dashboard.parts.evaluation import evaluation_of
from understudy_dashboard.parts.inspect.further_off import further_off_table
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.parts.run_list import unlike_titles
from understudy_dashboard.parts.setting_words import SettingWords
from understudy_dashboard.session import Session
from understudy_dashboard.spending import about_of, book, decided_of, looked_at, of_purpose

_CHOOSE: Final = (
    "Choose up to three other runs to compare with this one: where their settings differ, what "
    "each spent, and what each kept."
)
_SAME: Final = 1.05
"""Totals of which one is at most so many times the other count as equal."""


@dataclass(frozen=True, eq=False)
class _Run:
    """A run that is compared, with what it was to do and promises."""

    run: RunFolder
    side: ComparedRun
    decided: PlannedRun


def compare_tab(session: Session, run: RunFolder) -> None:
    """The choice of runs, and they beside the one that is looked at."""
    others = {
        each.identity: each
        for each in of_purpose(session, "release")
        if each.identity != run.identity
    }
    if not others:
        st.info(_alone(run))
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    chosen = st.multiselect(
        "Other runs",
        list(others),
        format_func=unlike_titles(session, tuple(others.values())).__getitem__,
        max_selections=MOST - 1,
        key=f"beside-{run.identity}",
        placeholder="Choose one, two or three",
        help="Runs of this project, newest first. They have to be of the same table, with the "
        "same columns.",
    )
    if not chosen:
        st.info(_CHOOSE)
        return
    try:
        sides = _runs(session, [run, *(others[name] for name in chosen)])
        check_comparable([each.side for each in sides])
    except Refusal as refusal:
        refuse(refusal)
        return
    _beside(sides)


def _alone(run: RunFolder) -> str:
    """Return what to do where there is no other run."""
    other, beforehand = words_of(decided_of(run).plan.kind).another
    return (
        "Comparing needs a second run of this project. Start one with other settings, say "
        f"{other}, and what each kept is shown here side by side. Each run is a new spend"
        f"{beforehand}."
    )


def _runs(session: Session, folders: Sequence[RunFolder]) -> list[_Run]:
    """Return each run, told apart by a letter and its moment.

    Raises:
        Refusal: one of them can no longer be read.
    """
    names = [f"{letter} · {_when(each)}" for letter, each in zip("ABCD", folders, strict=False)]
    return [_read(session, each, name) for each, name in zip(folders, names, strict=True)]


def _when(run: RunFolder) -> str:
    about = about_of(run)
    if about is None:
        return run.identity
    return f"{datetime.fromisoformat(about.at).astimezone():%-d %b %Y, %H:%M:%S}"


def _read(session: Session, run: RunFolder, name: str) -> _Run:
    made, looked = decided_of(run), looked_at(session, run)
    compared = () if looked is None else looked.compared
    side = ComparedRun(name, _dataset(session, run), made.compared, compared, evaluation_of(run))
    return _Run(run, side, made)


def _dataset(session: Session, run: RunFolder) -> str:
    """Return what tells the run's table from others: its dataset in the ledger, or, for a run that
    was not debited, what stood in for the confidential table."""
    debited = book(session).runs.get(run.identity)
    if debited is not None:
        return debited.dataset
    about = about_of(run)
    return "" if about is None else f"{about.records_of} {about.named}"


def _beside(sides: Sequence[_Run]) -> None:
    st.markdown("**What was spent, and what came of it**")
    st.table(totals_table(sides))
    st.markdown("**Where the settings differ**")
    settings = settings_table({each.side.name: each.decided.plan for each in sides})
    columns = columns_table({each.side.name: each.side.schema for each in sides})
    if settings.empty and columns.empty:
        st.caption("Nowhere: these runs differ by chance alone.")
    elif settings.empty:
        st.caption("In no setting of the method; but the columns are described in other ways.")
    if not settings.empty:
        st.table(settings.set_index("Setting"))
    if not columns.empty:
        st.markdown("**Where the columns are described in other ways**")
        st.table(columns.set_index("Column"))
    compared = [each.side for each in sides]
    off = further_off_table({each.side.name: each.side for each in sides})
    if not off.empty:
        st.markdown("**How much further off than other real records**")
        st.table(off)
        st.caption(
            "Two samples of real records differ by chance as well; the table shows only the excess."
        )
    st.markdown("**What was kept**")
    for sentence in caveats(compared):
        st.caption(sentence)
    found = measures_of_runs(compared)
    if not found:
        st.info("Too few records were released, or held out, to measure what was kept.")
        return
    names = [each.name for each in compared]
    for sentence in differences_of_methods(sides, found):
        st.markdown(sentence)
    picture(
        beside(found, names),
        beside_table(found, names),
        key="beside",
        alt="Where the table of each run stands between its references, by measure",
    )
    apart = [each.about.name for each in found if not all(name in each.placed for name in names)]
    if apart:
        st.caption(
            f"Not in the chart: {', '.join(apart)}. In some run the references cannot be told "
            "apart by it, or are missing; the numbers are below."
        )
    _values(found, names)


def _values(found: Sequence[MeasureOfRuns], names: Sequence[str]) -> None:
    st.markdown("**The numbers**")
    st.caption(
        "The value of each released table, in brackets where it lies in 95 of 100 such cases; "
        "after it, what other real records and the marginals of the same run score."
    )
    st.table(beside_table(found, names).set_index("Measure"))


def differences_of_methods(
    sides: Sequence[_Run], found: Sequence[MeasureOfRuns]
) -> tuple[str, ...]:
    """Return what sets the first run and each of another method apart, measured, at what they
    spent."""
    first = sides[0]
    others = [each for each in sides[1:] if each.decided.plan.kind != first.decided.plan.kind]
    said = (
        _difference(first, each, measured_difference(found, first.side.name, each.side.name))
        for each in others
    )
    return tuple(each for each in said if each)


def _difference(first: _Run, other: _Run, found: Difference) -> str:
    totals = [each.decided.guarantee.total for each in (first, other)]
    if not found.measured or not all(each.bounded for each in totals):
        return ""
    low, high = sorted(each.epsilon for each in totals)
    spent = (
        f"At about the same ε, {words.epsilon(high)},"
        if high <= _SAME * low
        else f"At ε = {words.epsilon(totals[0].epsilon)} and {words.epsilon(totals[1].epsilon)}, "
        "which is no equal footing,"
    )
    parts = [
        f"{_named(each)} came nearer in {', '.join(map(words.plain, names))}"
        for each, names in ((first, found.first), (other, found.second))
        if names
    ]
    rest = (
        f"in {'the others' if parts else 'every measure'} chance may explain the difference"
        if found.alike
        else ""
    )
    return f"**Measured.** {spent} {'; '.join([*parts, *([rest] if rest else [])])}."


def _named(run: _Run) -> str:
    return f"{words.plain(run.side.name)} ({words.plain(title_of(run.decided.plan.kind))})"


def caveats(sides: Sequence[ComparedRun]) -> tuple[str, ...]:
    """Return what has to be known to read the comparison."""
    said = []
    if not all_evaluated(sides):
        lacking = [each.name for each in sides if each.evaluation is None]
        said.append(
            f"Not everything was measured of {_listed(lacking)}, so this is what every run "
            "measures as it ends. Choose that run above and press “Measure everything” to compare "
            "more."
        )
    if all_evaluated(sides) and len(predicted_columns(sides)) > 1:
        said.append(
            "Different columns were predicted, so prediction is left out. Measure again with one "
            "column to compare it."
        )
    said.append(
        "Every run deals its records anew and may release another number of them, on which "
        "distances depend; so each is compared with references of its own, of as many records. "
        "Where whiskers overlap, the runs may differ by chance alone."
    )
    return tuple(said)


def settings_table(plans: Mapping[str, MechanismPlan]) -> pd.DataFrame:
    """Return a row for each setting that differs, a column for each run; several that a field shows
    together, in one."""
    rows: dict[str, dict[str, str]] = {}
    found = SettingWords([*plans.values()])
    for each in found.differing():
        label, said = found.together(each)
        rows[label] = dict(zip(plans, said, strict=True))
    return pd.DataFrame(
        [{"Setting": label, **values} for label, values in rows.items()],
        columns=["Setting", *plans],
    )


def columns_table(schemas: Mapping[str, Schema]) -> pd.DataFrame:
    """Return a row for each thing about a column in which the schemas differ, a column for each
    run."""
    rows = [{"Column": each.what, **each.said} for each in differences(schemas)]
    return pd.DataFrame(rows, columns=["Column", *schemas])


def totals_table(sides: Sequence[_Run]) -> pd.DataFrame:
    """Return what each run promises and spent, and how many candidates passed."""
    columns = {each.side.name: _totals(each) for each in sides}
    frame = pd.DataFrame(columns).fillna("")
    alike = len({each.decided.plan.kind for each in sides}) == 1
    return frame.drop(index="Method") if alike else frame


def _totals(each: _Run) -> Mapping[str, Any]:
    plan, total = each.decided.plan, each.decided.guarantee.total
    return {
        "Method": title_of(plan.kind),
        "Total ε": words.epsilon(total.epsilon) if total.bounded else "nothing promised",
        "Total δ": words.delta(total.delta) if total.bounded else "",
        "Planned": words_of(plan.kind).planned(plan),
        **page_of(plan.kind).totals(each.run, each.decided),
    }


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{words.plain(each)}”" for each in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
