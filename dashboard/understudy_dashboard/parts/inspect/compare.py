"""Up to four runs side by side: their settings, totals and measures. Internal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.charts.relative_score import beside_table, chart_beside
from understudy.core.refusal import Refusal
from understudy.evaluation import excess
from understudy.evaluation.comparison import latest
from understudy.evaluation.excess import Excess
from understudy.evaluation.fitness import points
from understudy.evaluation.run_comparison import (
    MOST,
    ComparedRun,
    MeasureOfRuns,
    RunDifference,
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
from understudy_dashboard.frame import draw_link, show_refusal
from understudy_dashboard.ledger_status import (
    load_measurements,
    load_planned_run,
    open_book,
    read_about,
    runs_of_purpose,
)
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.methods.words import method_title, plan_words
from understudy_dashboard.parts.evaluation import load_evaluation
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.parts.run_list import SettingWords, list_run_titles
from understudy_dashboard.session import Session


def compared_excess(sides: Mapping[str, ComparedRun]) -> pd.DataFrame:
    """Return a row for a typical and for the worst column and pair, with a column for each measured
    run: how much further off than other real records."""
    full = all_evaluated([*sides.values()])
    columns = {}
    for name, side in sides.items():
        evaluation = side.evaluation if full else None
        found = excess.excess_of_release(latest(side.compared, evaluation, side.schema.names))
        if found is not None:
            columns[name] = _list_excess(found, side.schema)
    return pd.DataFrame(columns)


def _list_excess(found: Excess, schema: Schema) -> dict[str, str]:
    """Return the column of one run."""
    said = {
        "Typical column": points(found.typical_column),
        "Typical pair": points(found.typical_pair),
    }
    worst = {"Worst column": found.worst_columns()[:1], "Worst pair": found.worst_pairs()[:1]}
    for name, ranked in worst.items():
        for places, value in ranked:
            titles = [schema.columns[each].title or schema.columns[each].name for each in places]
            said[name] = f"{points(value)}: {words.escape(' × '.join(titles))}"
    return said


_CHOOSE: Final = (
    "Choose up to three other runs to compare with this one: where their settings differ, what "
    "each spent, and what each kept."
)
_SAME: Final = 1.05
"""Totals of which one is at most so many times the other count as equal."""


@dataclass(frozen=True, eq=False)
class _ComparedRun:
    """A run that is compared, with what it was to do and promises."""

    run: RunFolder
    side: ComparedRun
    decided: PlannedRun


def draw_compare(session: Session, run: RunFolder) -> None:
    """Draw the choice of runs, and they beside the one that is looked at."""
    others = {
        each.identity: each
        for each in runs_of_purpose(session, "release")
        if each.identity != run.identity
    }
    if not others:
        st.info(_describe_alone(run))
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    chosen = st.multiselect(
        "Other runs",
        list(others),
        format_func=list_run_titles(session, tuple(others.values())).__getitem__,
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
        sides = _read_runs(session, [run, *(others[name] for name in chosen)])
        check_comparable([each.side for each in sides])
    except Refusal as refusal:
        show_refusal(refusal)
        return
    _draw_beside(sides)


def _describe_alone(run: RunFolder) -> str:
    """Return what to do where there is no other run."""
    other, beforehand = plan_words(load_planned_run(run).plan.kind).another
    return (
        "Comparing needs a second run of this project. Start one with other settings, say "
        f"{other}, and what each kept is shown here side by side. Each run is a new spend"
        f"{beforehand}."
    )


def _read_runs(session: Session, folders: Sequence[RunFolder]) -> list[_ComparedRun]:
    """Return each run, told apart by a letter and its moment.

    Raises:
        Refusal: one of them can no longer be read.
    """
    names = [
        f"{letter} · {_describe_when(each)}" for letter, each in zip("ABCD", folders, strict=False)
    ]
    return [_read_run(session, each, name) for each, name in zip(folders, names, strict=True)]


def _describe_when(run: RunFolder) -> str:
    about = read_about(run)
    if about is None:
        return run.identity
    return f"{datetime.fromisoformat(about.at).astimezone():%-d %b %Y, %H:%M:%S}"


def _read_run(session: Session, run: RunFolder, name: str) -> _ComparedRun:
    made, looked = load_planned_run(run), load_measurements(session, run)
    compared = () if looked is None else looked.compared
    side = ComparedRun(
        name, _dataset_of(session, run), made.measured_schema, compared, load_evaluation(run)
    )
    return _ComparedRun(run, side, made)


def _dataset_of(session: Session, run: RunFolder) -> str:
    """Return what tells the run's table from others: its dataset in the ledger, or, for a run that
    was not debited, what stood in for the confidential table."""
    debited = open_book(session).runs.get(run.identity)
    if debited is not None:
        return debited.dataset
    about = read_about(run)
    return "" if about is None else f"{about.records_of} {about.named}"


def _draw_beside(sides: Sequence[_ComparedRun]) -> None:
    st.markdown("**What was spent, and what came of it**")
    st.table(totals_table(sides))
    st.markdown("**Where the settings differ**")
    settings = settings_table({each.side.name: each.decided.plan for each in sides})
    columns = _columns_table({each.side.name: each.side.schema for each in sides})
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
    off = compared_excess({each.side.name: each.side for each in sides})
    if not off.empty:
        st.markdown("**How much further off than other real records**")
        st.table(off)
        st.caption(
            "Two samples of real records differ by chance as well; the table shows only the excess."
        )
    st.markdown("**What was kept**")
    for sentence in list_caveats(compared):
        st.caption(sentence)
    found = measures_of_runs(compared)
    if not found:
        st.info("Too few records were released, or held out, to measure what was kept.")
        return
    names = [each.name for each in compared]
    for sentence in list_differences(sides, found):
        st.markdown(sentence)
    draw_picture(
        chart_beside(found, names),
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
    _draw_values(found, names)


def _draw_values(found: Sequence[MeasureOfRuns], names: Sequence[str]) -> None:
    st.markdown("**The numbers**")
    st.caption(
        "Value for each release, with its 95 % interval in brackets; "
        "after it, what other real records and the marginals of the same run score."
    )
    st.table(beside_table(found, names).set_index("Measure"))


def list_differences(
    sides: Sequence[_ComparedRun], found: Sequence[MeasureOfRuns]
) -> tuple[str, ...]:
    """Return what sets the first run and each of another method apart, measured, at what they
    spent."""
    first = sides[0]
    others = [each for each in sides[1:] if each.decided.plan.kind != first.decided.plan.kind]
    said = (
        _describe_difference(
            first, each, measured_difference(found, first.side.name, each.side.name)
        )
        for each in others
    )
    return tuple(each for each in said if each)


def _describe_difference(first: _ComparedRun, other: _ComparedRun, found: RunDifference) -> str:
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
        f"{_name_run(each)} came nearer in {', '.join(map(words.escape, names))}"
        for each, names in ((first, found.first), (other, found.second))
        if names
    ]
    rest = (
        f"in {'the others' if parts else 'every measure'} chance may explain the difference"
        if found.alike
        else ""
    )
    return f"**Measured.** {spent} {'; '.join([*parts, *([rest] if rest else [])])}."


def _name_run(run: _ComparedRun) -> str:
    return f"{words.escape(run.side.name)} ({words.escape(method_title(run.decided.plan.kind))})"


def list_caveats(sides: Sequence[ComparedRun]) -> tuple[str, ...]:
    """Return what has to be known to read the comparison."""
    said = []
    if not all_evaluated(sides):
        lacking = [each.name for each in sides if each.evaluation is None]
        said.append(
            f"Not everything was measured of {_join_names(lacking)}, so this is what every run "
            "measures as it ends. Choose that run above and press “Measure everything” to compare "
            "more."
        )
    if all_evaluated(sides) and len(predicted_columns(sides)) > 1:
        said.append(
            "Different columns were predicted, so prediction is left out. Measure again with one "
            "column to compare it."
        )
    said.append(
        "Every run splits the records afresh and may release a different number, which affects "
        "distances; so each is compared with references of its own, of as many records. "
        "Where whiskers overlap, the runs may differ by chance alone."
    )
    return tuple(said)


def settings_table(plans: Mapping[str, MechanismPlan]) -> pd.DataFrame:
    """Return a row for each setting that differs, a column for each run; several that a field shows
    together, in one."""
    rows: dict[str, dict[str, str]] = {}
    found = SettingWords([*plans.values()])
    for each in found.list_differing():
        label, said = found.print_together(each)
        rows[label] = dict(zip(plans, said, strict=True))
    return pd.DataFrame(
        [{"Setting": label, **values} for label, values in rows.items()],
        columns=["Setting", *plans],
    )


def _columns_table(schemas: Mapping[str, Schema]) -> pd.DataFrame:
    """Return a row for each thing about a column in which the schemas differ, a column for each
    run."""
    rows = [{"Column": each.what, **each.said} for each in differences(schemas)]
    return pd.DataFrame(rows, columns=["Column", *schemas])


def totals_table(sides: Sequence[_ComparedRun]) -> pd.DataFrame:
    """Return what each run promises and spent, and how many candidates passed."""
    columns = {each.side.name: _list_totals(each) for each in sides}
    frame = pd.DataFrame(columns).fillna("")
    alike = len({each.decided.plan.kind for each in sides}) == 1
    return frame.drop(index="Method") if alike else frame


def _list_totals(each: _ComparedRun) -> Mapping[str, Any]:
    plan, total = each.decided.plan, each.decided.guarantee.total
    return {
        "Method": method_title(plan.kind),
        "Total ε": words.epsilon(total.epsilon) if total.bounded else "nothing promised",
        "Total δ": words.delta(total.delta) if total.bounded else "",
        "Planned": plan_words(plan.kind).describe_plan(plan),
        **page_of(plan.kind).totals(each.run, each.decided),
    }


def _join_names(names: Sequence[str]) -> str:
    quoted = [f"“{words.escape(each)}”" for each in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
