"""The full evaluation of a run: what was found, and the panel that asks for it. Internal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from understudy.charts.lettering import distinct
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import UNIFORM, WITHOUT_NOISE, About, Finding, Group
from understudy.evaluation.registry import abouts
from understudy.runs.evaluating import EvaluationOf, predicts, suggested_target
from understudy.runs.evidence import encode_as_run, has_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import ask, inquiry_of
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import link, refuse
from understudy_dashboard.methods.words import words_of
from understudy_dashboard.parts.inquiring import watch_inquiry
from understudy_dashboard.parts.known_so_far import known_so_far
from understudy_dashboard.session import Session
from understudy_dashboard.spending import decided_of

_TAKES = "It takes a minute or two, and this page stays usable meanwhile."


@dataclass(frozen=True)
class Found:
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
        return self.named(*(key for key in known if self.abouts[key].group == group))

    def named(self, *keys: str) -> tuple[tuple[About, Finding], ...]:
        """Return the findings of these keys, as far as they were asked for."""
        return tuple(
            (self.abouts[key], finding)
            for key in keys
            if key in self.abouts and (finding := self.evaluation.finding(key)) is not None
        )

    def titled(self, of: tuple[str, ...]) -> str:
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


def titles_of(schema: Schema) -> dict[str, str]:
    """Return what a reader calls each column, by its name; no two alike."""
    shown = distinct(column.title or column.name for column in schema.columns)
    return dict(zip(schema.names, shown, strict=True))


def found_of(session: Session, run: RunFolder, schema: Schema) -> Found | None:
    """Return what was measured of a run, read once for as long as it stands; None where nothing
    was."""
    folder = inquiry_of(run, EvaluationOf)
    if folder is None:
        return None
    result = folder.result
    found: Found | None = session.keep("evaluation", str(result), lambda: _found(run, schema))
    return found


def evaluation_of(run: RunFolder) -> Evaluation | None:
    """Return what was measured of a run, as it stands in its files; None where nothing was.

    Raises:
        Refusal: it can no longer be read.
    """
    folder = inquiry_of(run, EvaluationOf)
    with run.intact():
        return None if folder is None else Evaluation.load(folder.result)


def _found(run: RunFolder, schema: Schema) -> Found | None:
    evaluation = evaluation_of(run)
    if evaluation is None:
        return None
    tables = tuple(replace(each, name=words.ranged(each.name)) for each in evaluation.tables)
    known = abouts()

    def printed(finding: Finding) -> Finding:
        models = finding.key in known and known[finding.key].group == "models"
        called = _modelled if models else words.ranged
        return replace(finding, by_subject={called(n): m for n, m in finding.by_subject.items()})

    findings = tuple(printed(each) for each in evaluation.findings)
    decided = decided_of(run)
    told = words_of(decided.plan.kind).tables(decided)
    measured = replace(evaluation, tables=tables, findings=findings)
    return Found(measured, known, titles_of(schema), told)


def _modelled(name: str) -> str:
    """Return the name of a model where it stands among other things than models."""
    if name == WITHOUT_NOISE:
        return f"model {name}"
    return f"model with {name}" if name.startswith("ε = ") else name


def measuring(session: Session, run: RunFolder, schema: Schema, found: Found | None) -> None:
    """How far the full evaluation is, or what it was made with and the way to have it again."""
    if _watched(run) or found is None:
        return
    said, again = st.columns([5, 2], vertical_alignment="center")
    predicted = f" Column predicted: {words.plain(found.target)}." if found.target else ""
    said.caption(
        f"{_counted(found, found.records)} of each table, beside {_beside(found)}.{predicted}",
        help=found.tables,
    )
    for caveat in found.evaluation.caveats:
        said.caption(words.plain(caveat))
    with again.popover("Measure again", width="stretch"):
        otherwise = "With another column to predict, or after" if predicted else "After"
        st.markdown(f"{otherwise} a change of the program. {_TAKES}")
        _form(session, run, schema, found.evaluation.target, "Measure everything again")


def _beside(found: Found) -> str:
    """Return the real records that tables are compared with."""
    measured = found.evaluation
    if measured.apart:
        held = _counted(found, measured.held_out, "held-out ")
        return f"{held}: real ones that had no part in the table"
    return f"{_counted(found, measured.held_out, 'real ')} that stand for held-out ones"


def _counted(found: Found, number: int, kind: str = "") -> str:
    """So many records, or people, of a kind."""
    one, several = ("person", "people") if found.of_days else ("record", "records")
    return words.count(number, f"{kind}{one}", f"{kind}{several}")


def asking(session: Session, run: RunFolder, schema: Schema, shown: str) -> None:
    """In the place of what is not measured yet: what will stand there, and the button for it.

    Args:
        session, run, schema: of the page.
        shown: what will stand there, in a sentence.
    """
    folder = inquiry_of(run, EvaluationOf)
    with st.container(border=True):
        if folder is not None and not folder.progress().ended:
            st.markdown(
                "**Being measured.** Each figure stands at the top of this page as soon as it is "
                f"known. {shown}"
            )
            return
        st.markdown(f"**Not measured yet.** {shown} {_TAKES}")
        _form(session, run, schema, suggested_target(schema), "Measure everything")


def _watched(run: RunFolder) -> bool:
    """Return whether it is being measured; that, or how it ended, is then shown."""
    folder = inquiry_of(run, EvaluationOf)
    if folder is None:
        return False
    watch_inquiry(folder, known_so_far)
    return not folder.progress().ended


def _form(session: Session, run: RunFolder, schema: Schema, target: str, label: str) -> None:
    if not has_evidence(run):
        st.info(
            "This run kept nothing by which its table could be measured. Start a new "
            "run to have everything measured."
        )
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    if session.table is None:
        st.info("This needs the confidential table that the run was made from.")
        link("data", "Open the table on the Data page", ":material/arrow_back:")
        return
    chosen, button = "", st.container()
    if predicts(decided_of(run)):
        choice, button = st.columns([2, 1], vertical_alignment="bottom")
        chosen = _target(choice, run, schema, target)
    if button.button(label, type="primary", icon=":material/straighten:", key="measure"):
        _ask(session, run, chosen)


def _target(place: DeltaGenerator, run: RunFolder, schema: Schema, target: str) -> str:
    """Return the choice of the column to predict."""
    titles = titles_of(schema)
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


def _ask(session: Session, run: RunFolder, target: str) -> None:
    assert session.table is not None
    try:
        with st.spinner("Starting to measure…"):
            ask(EvaluationOf(target), encode_as_run(run, session.table.raw), run)
    except Refusal as refusal:
        refuse(refusal)
        return
    st.rerun()
