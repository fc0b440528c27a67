"""Release: what is promised, the packet for the board, and the table alone.

Nothing on it is internal but the annex at its foot, which is marked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.frame import link, show
from dashboard.parts.packet_annex import packet_annex
from dashboard.parts.packet_card import packet_card
from dashboard.parts.packet_form import being_made, packet_form, shelf
from dashboard.parts.panel import TITLE, Scope, panel
from dashboard.parts.run_list import chosen_run
from dashboard.session import Session
from engine.mechanisms.statement import TABLE, alone, stated_outputs
from engine.privacy.budget import Budget
from engine.report.shelf import packets
from engine.runs.folder import RunFolder

_FIRST_ROWS = 12
_MEDIA = {".csv": "text/csv", ".json": "application/json"}


def _body(session: Session) -> None:
    run = chosen_run(session, "release")
    if run is None:
        st.info("There is nothing to release yet.")
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    if not run.guarantee.exists():
        st.info("This run has released nothing: it has not finished, or was stopped.")
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    with run.intact():
        said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    _stain(said)
    _statement(said, run.identity)
    _packet(session, run, said)
    _first_rows(run, said)
    _downloads(run, said)
    st.subheader("Not for release", anchor=False)
    packet_annex(run)


def _stain(said: dict[str, Any]) -> None:
    if "stain" in said:
        with st.container(key="stain"):
            st.markdown(f":material/warning: **{words.plain(said['stain'])}**")


def _packet(session: Session, run: RunFolder, said: dict[str, Any]) -> None:
    st.subheader("The packet for the review board", anchor=False)
    with st.container():
        if being_made(session, run):
            return
    found = [each for each in packets(shelf(session)) if each.shelved.run == run.identity]
    protocol = said["guarantee"]["protocol"]
    if not found:
        packet_form(session, run, protocol)
        return
    packet_card(session, run.identity, found)
    with st.expander("Make another packet of this run"):
        packet_form(session, run, protocol)


def _downloads(run: RunFolder, said: dict[str, Any]) -> None:
    one = alone(said)
    st.subheader("The table alone" if one else "The outputs alone", anchor=False)
    mark = "demonstration-" if "stain" in said else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, each in stated_outputs(said).items():
            _download(run, name, each, mark)
        st.download_button(
            "Download its guarantee",
            data=_bytes_of(run.guarantee),
            file_name=f"{mark}guarantee.json",
            mime="application/json",
            on_click="ignore",
            icon=":material/verified_user:",
            key="download-guarantee",
        )
    st.caption(
        "Keep the two together: the guarantee names its table by a fingerprint. Downloading "
        "again costs nothing; running again does."
        if one
        else "Keep them together: the guarantee names each output by a fingerprint. Downloading "
        "again costs nothing; running again does."
    )
    outputs = stated_outputs(said).values()
    for note in {each["formulas"]: None for each in outputs if "formulas" in each}:
        st.caption(words.plain(note))


def _download(run: RunFolder, name: str, said: Mapping[str, Any], mark: str) -> None:
    """What hands out one output."""
    table = "rows" in said
    called = "the table" if name == TABLE else f"“{name}”"
    size = f" ({words.count(said['rows'], 'record')})" if table else ""
    path = run.table_of(name) if table else run.release / f"{name}.json"
    st.download_button(
        f"Download {called}{size}",
        data=_bytes_of(path),
        file_name=f"{mark}{path.name}",
        mime=_MEDIA[path.suffix],
        on_click="ignore",
        icon=":material/table:" if table else ":material/numbers:",
        key=f"download-{'table' if name == TABLE else name}",
    )


def _bytes_of(path: Path) -> Any:
    """Reads a file when it is asked for, and not before."""
    return path.read_bytes


def _statement(said: dict[str, Any], key: str) -> None:
    guarantee = said["guarantee"]
    st.subheader("What is promised", anchor=False)
    if guarantee["epsilon"] is not None and "stain" not in said:
        total = Budget(guarantee["epsilon"], guarantee["delta"])
        figures = st.columns([1, 1, 3])
        figures[0].metric("ε", words.epsilon(total.epsilon), help=words.HELP["epsilon"])
        figures[1].metric("δ", words.delta(total.delta), help=words.HELP["delta"])
    st.markdown(words.plain(guarantee["statement"]))
    if "stain" in said:
        return
    st.markdown(f"**What it covers.** {words.plain(guarantee['covers'])}")
    st.markdown(f"**Compared are** {words.plain(guarantee['compares'])}.")
    _declared(said.get("declared_public"))
    with st.expander(TITLE):
        panel(Scope.stated(guarantee), key)


def _declared(declared: dict[str, Any] | None) -> None:
    if declared is None:
        return
    note = f" “{words.plain(declared['note'])}”" if declared.get("note") else ""
    st.markdown(f"**Declared public** on {words.plain(str(declared['at'])[:10])}.{note}")


def _first_rows(run: RunFolder, said: dict[str, Any]) -> None:
    st.subheader("The first records", anchor=False)
    tables = {name: each for name, each in stated_outputs(said).items() if "rows" in each}
    if not tables:
        st.info("This run released figures and no table.")
        return
    if said["table"] is not None and said["table"]["rows"] == 0:
        st.warning(
            "No candidate passed, so the table is empty. A smaller k, a larger ω or more "
            "attempts let more pass; each further run is a further spend."
        )
        link("privacy", "Change the plan on the Privacy page", ":material/arrow_back:")
        return
    name = next(iter(tables))
    if len(tables) > 1:
        name = st.selectbox("Table", list(tables), key=f"first-records-of-{run.identity}")
    path = run.table_of(name)
    first = pd.read_csv(path, nrows=_FIRST_ROWS, dtype=str, keep_default_na=False)
    st.dataframe(first, hide_index=True, height="content")
    st.caption(
        "These records are synthetic. One may happen to look like a real one; the statement "
        "above says how much that can show."
    )


show(
    "Release",
    "What is promised about the synthetic table, and the packet that a review board can check.",
    _body,
)
