"""What may be inferred from a release: intervals from its noisy tables, and relations that were
never counted."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from understudy.inference.relations import CountedPairs
from understudy.inference.wording import HEADS, answer_rows, describe_intervals
from understudy.models import noisy_tables
from understudy.report.files import INTERVALS, RELATIONS
from understudy.report.packet_counts import PacketCounts, find_counts
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link
from understudy_dashboard.ledger_status import load_planned_run
from understudy_dashboard.session import Session

_NAIVE = (
    "Do not take standard errors from the synthetic table as if its rows were real: they are too "
    "small. These intervals come from the noisy tables, which are released, and from nothing else."
)
_UNTOLD = (
    "This run did not release its noisy tables, so neither intervals nor which relations were "
    "counted can be told. Releasing them costs nothing: before the next run, tick “Release the "
    "noisy tables” under “Figures of accuracy that may be published”."
)


def draw_inferences(session: Session, run: RunFolder) -> None:
    """Draw which relations were never counted, and intervals of each column; how to get them where
    a run could have released its noisy tables and did not.

    Raises:
        Refusal: the files of the run can no longer be read.
    """
    plan = load_planned_run(run).plan
    if not hasattr(plan, "noisy_tables"):
        return
    counted: PacketCounts | None = session.cache.keep(
        "noisy tables", run.identity, lambda: _read_counts(run)
    )
    st.subheader("What may be inferred", anchor=False)
    if counted is None:
        st.caption(_UNTOLD)
        draw_link("privacy", "Tick it on the Privacy page", ":material/arrow_back:")
        return
    for sentence in counted.relations.sentences:
        st.markdown(words.escape(sentence))
    if counted.relations.never:
        with st.expander("Relations that were never counted"):
            _draw_relations(counted.relations)
    documents: dict[str, str] = session.cache.keep(
        "inference files", run.identity, counted.make_documents
    )
    with st.expander("Where each column lies, in 95 of 100 such releases"):
        st.markdown(_NAIVE)
        answers = counted.column_answers
        frame = pd.DataFrame(answer_rows(answers), columns=["What", *HEADS[1:]])
        st.dataframe(frame, hide_index=True, alt="Intervals of each column")
        for sentence in describe_intervals(counted.counts, answers, stained=counted.stained):
            st.caption(words.escape(sentence))
        with st.container(horizontal=True):
            for name, label in ((INTERVALS, "the intervals"), (RELATIONS, "the relations")):
                st.download_button(
                    f"Download {label}",
                    data=documents[name].encode(),
                    file_name=name,
                    mime="text/csv",
                    on_click="ignore",
                    icon=":material/functions:",
                    key=f"download-{name}",
                )


def _read_counts(run: RunFolder) -> PacketCounts | None:
    path = run.release / f"{noisy_tables.NAME}.json"
    if not path.exists():
        return None
    with run.intact():
        figures = json.loads(path.read_text(encoding="utf-8"))
        schema, stained = load_planned_run(run).schema, run.about().stained
        return find_counts({noisy_tables.NAME: figures}, schema, stained=stained)


def _draw_relations(relations: CountedPairs) -> None:
    """Draw of each column with which others it was counted, and with which it never was."""
    rows = []
    for name, partners in relations.partners.items():
        others = [each for each in relations.names if each != name and each not in partners]
        rows.append((name, ", ".join(others) or "–", ", ".join(partners) or "–"))
    frame = pd.DataFrame(rows, columns=["Column", "Never counted with", "Counted with"])
    st.dataframe(frame, hide_index=True, alt="Relations that were never counted")
