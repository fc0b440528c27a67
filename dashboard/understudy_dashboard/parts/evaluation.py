"""The full evaluation of a run: the panel that asks for it, its progress, and its results.
Internal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from understudy.charts.forest import read_whole, value_text
from understudy.charts.scales import distinct
from understudy.core.numerals import describe_duration
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    BEST,
    RELEASED,
    UNIFORM,
    WITHOUT_NOISE,
    About,
    Finding,
    Group,
    SubjectResult,
    reference,
)
from understudy.evaluation.registry import abouts
from understudy.evaluation.relative_score import excess
from understudy.runs.evidence import encode_as_run, has_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import (
    EvaluationOf,
    InquiryFolder,
    ask,
    find_inquiry,
    predicts_column,
    suggest_target,
)
from understudy.runs.work_folder import Progress
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, show_refusal, showing_refusals
from understudy_dashboard.ledger_status import load_planned_run
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.session import Session

_EVERY = 1.0
_FROM = 0.02


Shown = Callable[[Path], None]
"""Draws what is in the folder of a result, of which a part may be there already."""


def _do_nothing(folder: Path) -> None:
    """Do nothing, for inquiries that show nothing before their end."""


def watch_inquiry(folder: InquiryFolder, so_far: Shown = _do_nothing) -> None:
    """Follow an inquiry until it ends, then draw the whole page afresh.

    One that has ended already is not followed: how it failed is told, and a finished one says
    nothing here, as its result speaks for it.

    Args:
        folder: of the inquiry.
        so_far: draws what is known while it goes on.
    """
    progress = folder.progress()
    if not progress.ended:
        _follow_inquiry(folder, so_far)
    elif progress.state == "failed":
        st.error(words.escape(progress.message), icon=":material/error:")
        _draw_earlier_result(folder)
    elif progress.state == "cancelled":
        st.info("Cancelled. Nothing was released or spent.", icon=":material/cancel:")
        _draw_earlier_result(folder)


@st.fragment(run_every=_EVERY)
def _follow_inquiry(folder: InquiryFolder, so_far: Shown) -> None:
    with showing_refusals():
        progress = folder.progress()
        if progress.ended:
            st.rerun()
        st.progress(evaluation_fraction(progress), text=describe_progress(progress))
        st.caption(
            f"{describe_duration(max(0.0, time.time() - progress.started))} so far. It goes on "
            "while you look at other pages. Nothing is released or spent."
        )
        _draw_cancel(folder)
        partial = folder.so_far
        if partial is not None:
            so_far(partial)


def evaluation_fraction(progress: Progress) -> float:
    """Return how far the bar stands, in [0, 1]: every step counts the same."""
    if not progress.attempts:
        return _FROM
    return max(_FROM, min(1.0, progress.done / progress.attempts))


def describe_progress(progress: Progress) -> str:
    """Return what the inquiry is at, for above the bar."""
    if not progress.message:
        return "Starting"
    step = min(progress.done + 1, progress.attempts)
    return f"{words.escape(progress.message)}, step {step} of {progress.attempts}"


def _draw_cancel(folder: InquiryFolder) -> None:
    if folder.cancelling:
        st.caption("Stopping…")
    else:
        st.button(
            "Cancel",
            icon=":material/stop:",
            key=f"cancel-{folder.path.parent.parent.name}-{folder.path.name}",
            on_click=folder.cancel,
        )


def _draw_earlier_result(folder: InquiryFolder) -> None:
    """Say that what was found before is not lost, where there is some."""
    if folder.result.exists():
        st.caption("What was found the time before is still there.")


_ROW, _MOST = 36, 380
"""Pixels: of a row, and of all of them."""


def draw_metrics_so_far(partial: Path) -> None:
    """Draw each figure that is known, the latest first."""
    evaluation = Evaluation.load(partial)
    if evaluation is None:
        return
    rows = list_rows(evaluation)
    st.markdown(f"**Known so far: {words.count(len(rows), 'measure')}**")
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(_ROW * (len(rows) + 1), _MOST),
        alt="What was found so far, the latest first",
    )


def list_rows(evaluation: Evaluation) -> list[dict[str, str]]:
    """Return a row for each measure that was taken, the latest first: the released table beside
    other real records or people, and how much further off it is; or why it could not be
    measured."""
    known = abouts()
    return [_row_of(known[each.key], each) for each in reversed(evaluation.findings)]


def _row_of(about: About, finding: Finding) -> dict[str, str]:
    by, real = finding.by_subject, reference(finding.by_subject, BEST)
    first = by.get(RELEASED) or next(iter(by.values()), None)
    further = excess(about, finding).get(RELEASED)
    return {
        "Measure": about.name,
        "Released": finding.trouble or read_whole(about, first),
        "Other real ones": "" if real is None else read_whole(about, SubjectResult(real.value)),
        "Further off": "" if further is None else value_text(about, max(0.0, further)),
    }


_TAKES = "It takes a minute or two, and this page stays usable meanwhile."


@dataclass(frozen=True)
class FoundEvaluation:
    """What was measured of a run, as a page shows it.

    Attributes:
        evaluation: what was found, ranges in the names of its tables written as they are printed.
        abouts: what each measure says of itself, by its key.
        titles: what a reader calls each column, by its name, in the schema's order.
        tables: what the tables are, for somebody who has not met them.
    """

    evaluation: Evaluation
    abouts: Mapping[str, About]
    titles: Mapping[str, str]
    tables: str

    def of(self, group: Group) -> tuple[tuple[About, Finding], ...]:
        """Return the findings of a group, in their order."""
        known = (each.key for each in self.evaluation.findings if each.key in self.abouts)
        return self.select_findings(*(key for key in known if self.abouts[key].group == group))

    def select_findings(self, *keys: str) -> tuple[tuple[About, Finding], ...]:
        """Return the findings of these keys, as far as they were asked for."""
        return tuple(
            (self.abouts[key], finding)
            for key in keys
            if key in self.abouts and (finding := self.evaluation.finding(key)) is not None
        )

    @property
    def headlines(self) -> tuple[tuple[About, Finding], ...]:
        """The findings of headline measures, in the order of all measures."""
        return self.select_findings(*(key for key, about in self.abouts.items() if about.headline))

    def name_entry(self, of: tuple[str, ...]) -> str:
        """Return what an entry of a breakdown is about."""
        return " × ".join(self.titles.get(each, each) for each in of)

    @property
    def target(self) -> str:
        """What the column is called that was predicted."""
        return self.titles.get(self.evaluation.target, self.evaluation.target)

    @property
    def of_days(self) -> bool:
        """Whether people's days were measured, and not records."""
        return any(each.name == UNIFORM for each in self.evaluation.tables)

    @property
    def records(self) -> int:
        """How many records, or people, of each table were looked at."""
        return min((each.records for each in self.evaluation.tables), default=0)


def list_titles(schema: Schema) -> dict[str, str]:
    """Return what a reader calls each column, by its name; no two alike."""
    shown = distinct(column.title or column.name for column in schema.columns)
    return dict(zip(schema.names, shown, strict=True))


def find_evaluation(session: Session, run: RunFolder, schema: Schema) -> FoundEvaluation | None:
    """Return what was measured of a run, read once for as long as it stands; None where nothing
    was."""
    folder = find_inquiry(run, EvaluationOf)
    if folder is None:
        return None
    result = folder.result
    found: FoundEvaluation | None = session.cache.keep(
        "evaluation", str(result), lambda: _read_evaluation(run, schema)
    )
    return found


def load_evaluation(run: RunFolder) -> Evaluation | None:
    """Return what was measured of a run, as it stands in its files; None where nothing was.

    Raises:
        Refusal: it can no longer be read.
    """
    folder = find_inquiry(run, EvaluationOf)
    with run.intact():
        return None if folder is None else Evaluation.load(folder.result)


def _read_evaluation(run: RunFolder, schema: Schema) -> FoundEvaluation | None:
    evaluation = load_evaluation(run)
    if evaluation is None:
        return None
    tables = tuple(replace(each, name=words.print_range(each.name)) for each in evaluation.tables)
    known = abouts()

    def print_finding(finding: Finding) -> Finding:
        models = finding.key in known and known[finding.key].group == "models"
        called = _name_model if models else words.print_range
        return replace(finding, by_subject={called(n): m for n, m in finding.by_subject.items()})

    findings = tuple(print_finding(each) for each in evaluation.findings)
    decided = load_planned_run(run)
    told = plan_words(decided.plan.kind).tables(decided)
    measured = replace(evaluation, tables=tables, findings=findings)
    return FoundEvaluation(measured, known, list_titles(schema), told)


def _name_model(name: str) -> str:
    """Return the name of a model where it stands among other things than models."""
    if name == WITHOUT_NOISE:
        return f"model {name}"
    return f"model with {name}" if name.startswith("ε = ") else name


def draw_measuring(
    session: Session, run: RunFolder, schema: Schema, found: FoundEvaluation | None
) -> None:
    """Draw how far the full evaluation is, or what it was made with and the way to have it
    again."""
    if _watch_evaluation(run) or found is None:
        return
    said, again = st.columns([5, 2], vertical_alignment="center")
    predicted = f" Column predicted: {words.escape(found.target)}." if found.target else ""
    said.caption(
        f"{_count_records(found, found.records)} of each table, beside "
        f"{_describe_reference(found)}.{predicted}",
        help=found.tables,
    )
    for caveat in found.evaluation.caveats:
        said.caption(words.escape(caveat))
    with again.popover("Measure again", width="stretch"):
        otherwise = "With another column to predict, or after" if predicted else "After"
        st.markdown(f"{otherwise} a change of the program. {_TAKES}")
        _draw_form(session, run, schema, found.evaluation.target, "Measure everything again")


def _describe_reference(found: FoundEvaluation) -> str:
    """Return the real records that tables are compared with."""
    measured = found.evaluation
    if measured.apart:
        held = _count_records(found, measured.held_out, "held-out ")
        return f"{held}: real ones that had no part in the table"
    return f"{_count_records(found, measured.held_out, 'real ')} that stand for held-out ones"


def _count_records(found: FoundEvaluation, number: int, kind: str = "") -> str:
    """Return how many records, or people, of a kind there are."""
    one, several = ("person", "people") if found.of_days else ("record", "records")
    return words.count(number, f"{kind}{one}", f"{kind}{several}")


def ask_evaluation(session: Session, run: RunFolder, schema: Schema, shown: str) -> None:
    """Draw in the place of what is not measured yet: what will stand there, and the button for it.

    Args:
        session, run, schema: of the page.
        shown: what will stand there, in a sentence.
    """
    folder = find_inquiry(run, EvaluationOf)
    with st.container(border=True):
        if folder is not None and not folder.progress().ended:
            st.markdown(
                "**Being measured.** Each figure stands at the top of this page as soon as it is "
                f"known. {shown}"
            )
            return
        st.markdown(f"**Not measured yet.** {shown} {_TAKES}")
        # A derived column follows from the others: predicting it tells nothing.
        target = suggest_target(load_planned_run(run).compared)
        _draw_form(session, run, schema, target, "Measure everything")


def _watch_evaluation(run: RunFolder) -> bool:
    """Return whether it is being measured; that, or how it ended, is then shown."""
    folder = find_inquiry(run, EvaluationOf)
    if folder is None:
        return False
    watch_inquiry(folder, draw_metrics_so_far)
    return not folder.progress().ended


def _draw_form(session: Session, run: RunFolder, schema: Schema, target: str, label: str) -> None:
    if not has_evidence(run):
        st.info(
            "This run kept nothing by which its table could be measured. Start a new "
            "run to have everything measured."
        )
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    if session.data.table is None:
        st.info("This needs the confidential table that the run was made from.")
        draw_link("data", "Open the table on the Data page", ":material/arrow_back:")
        return
    chosen, button = "", st.container()
    if predicts_column(load_planned_run(run)):
        choice, button = st.columns([2, 1], vertical_alignment="bottom")
        chosen = _ask_target(choice, run, schema, target)
    if button.button(label, type="primary", icon=":material/straighten:", key="measure"):
        _start_evaluation(session, run, chosen)


def _ask_target(place: DeltaGenerator, run: RunFolder, schema: Schema, target: str) -> str:
    """Return the choice of the column to predict."""
    titles = list_titles(schema)
    names = list(titles)
    chosen: str = place.selectbox(
        "Column to predict",
        names,
        index=names.index(target) if target in names else 0,
        format_func=titles.__getitem__,
        key=f"target-{run.identity}",
        help="Classifiers learn to predict this column from all others: from the released "
        "table, and from real records to compare with. Take what your readers will want to "
        "explain or predict, such as income or a diagnosis.",
    )
    return chosen


def _start_evaluation(session: Session, run: RunFolder, target: str) -> None:
    assert session.data.table is not None
    try:
        with st.spinner("Starting to measure…"):
            ask(EvaluationOf(target), encode_as_run(run, session.data.table.raw), run)
    except Refusal as refusal:
        show_refusal(refusal)
        return
    st.rerun()
