"""Tables that stand in for the confidential one when settings are chosen: nothing of it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

import numpy as np
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.runs.evidence import comparable_table
from understudy.runs.folder import About, RecordsOf, RunFolder
from understudy.runs.released import read_released
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.encoding import as_written, encode_public
from understudy.table.records import Records
from understudy.table.sources.reading import ENDINGS, read_table
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.methods.seedbased.rehearsing import start_rehearsal
from understudy_dashboard.parts.opening_file import upload_limit
from understudy_dashboard.session import Session, find_run
from understudy_dashboard.spending import about_of, moment, of_purpose, plan_of

FEWEST = 500
"""A table of fewer records says little about what settings do."""

_SEED = census.SHIPPED_SEED + 1
"""Other people than those of the sample that is shipped."""


def stand_ins(session: Session, plan: Plan) -> None:
    """The ways to rehearse on another table."""
    assert session.schema is not None
    if session.schema.fingerprint == census.schema().fingerprint:
        _simulated(session, plan)
    _public(session, plan)
    _released(session, plan)
    st.caption(
        "Plausible seeds are counted among the records of that table, so choose one with about "
        "as many records as yours."
    )


def _simulated(session: Session, plan: Plan) -> None:
    st.markdown("**Simulated people** with the same columns. None of them exists.")
    if st.button(
        f"Rehearse on {census.SHIPPED_ROWS:,} simulated people",
        icon=":material/groups:",
        key="explore-simulated",
    ):
        _rehearse(session, plan, lambda: _simulate(session), "simulated", "")


def _public(session: Session, plan: Plan) -> None:
    if is_demonstration():
        return
    st.markdown("**A public table** with the same columns, read by the same schema.")
    turn = session.stood_in
    given = st.file_uploader(
        "A public CSV, Parquet, Excel, Stata, SPSS or SAS file",
        type=list(ENDINGS),
        key=f"explore-upload-{turn}",
        max_upload_size=upload_limit(),
    )
    public = st.checkbox(
        "Everything in this file is public already, whoever reads it.", key=f"explore-public-{turn}"
    )
    ready = given is not None and public
    if (
        st.button(
            "Rehearse on the public table",
            icon=":material/public:",
            key="explore-take-public",
            disabled=not ready,
        )
        and given is not None
    ):
        content, name = given.getvalue(), given.name
        _rehearse(session, plan, lambda: _read(session, content, name), "public", name)


def _released(session: Session, plan: Plan) -> None:
    st.markdown("**The synthetic table of an earlier run**: it is released and paid for.")
    found = {run.identity: run for run in released(session)}
    if not found:
        st.caption("No private run of these columns has finished yet.")
        return
    name = st.selectbox(
        "Synthetic table of",
        list(found),
        format_func=lambda each: _title(found[each]),
        key="explore-released",
    )
    if st.button(
        "Rehearse on the synthetic table", icon=":material/table:", key="explore-synthetic"
    ):
        run = found[name]
        _rehearse(session, plan, lambda: _synthetic(session, run), "synthetic", run.identity)


def released(session: Session) -> tuple[RunFolder, ...]:
    """Return the finished runs of the open schema whose tables keep a promise, newest first."""
    assert session.schema is not None
    wanted = session.schema.fingerprint
    return tuple(
        run
        for run in of_purpose(session, "release")
        if run.guarantee.exists()
        and _private(run)
        and getattr(plan_of(run), "domain", "") == wanted
    )


def _private(run: RunFolder) -> bool:
    """Return whether the release promises something: it is no demonstration, and has an ε."""
    about = about_of(run)
    try:
        said = json.loads(run.guarantee.read_text(encoding="utf-8"))
        return about is not None and not about.stained and said["guarantee"]["epsilon"] is not None
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _title(run: RunFolder) -> str:
    about = about_of(run)
    return run.identity if about is None else moment(datetime.fromisoformat(about.at))


def _rehearse(
    session: Session,
    plan: Plan,
    make: Callable[[], Records],
    records_of: RecordsOf,
    named: str,
) -> None:
    """Start a rehearsal on a table that stands in, and look at its scores from now on."""
    with showing_refusals():
        with st.spinner("Starting the rehearsal…"):
            records = make()
            if len(records) < FEWEST:
                raise Refusal(
                    f"This table has {words.count(len(records), 'record')}, which is too few to "
                    "learn from.",
                    f"Choose one of {FEWEST:,} records or more.",
                    field="table",
                )
            job = Job(records, plan, purpose="rehearsal", records_of=records_of, named=named)
            session.scores = start_rehearsal(session, job)
        session.stood_in += 1
        session.stand_ins[session.scores] = records
        st.rerun()


def records_again(session: Session, run: RunFolder, about: About) -> Records:
    """Return the records that these scores are of.

    Raises:
        Refusal: they are no longer at hand.
    """
    kept = session.stand_ins.get(run.identity)
    if kept is not None:
        return kept
    if about.records_of == "simulated":
        return _simulate(session)
    if about.records_of == "synthetic" and (source := find_run(session, about.named)) is not None:
        return _synthetic(session, source)
    raise Refusal(
        f"{about.named or 'The table'} is no longer open.",
        "Rehearse on it again, then ask for more scores.",
        field="table",
    )


def _simulate(session: Session) -> Records:
    assert session.schema is not None
    return Records(session.schema, census.simulate(census.SHIPPED_ROWS, _SEED))


def _read(session: Session, content: bytes, name: str) -> Records:
    assert session.schema is not None
    raw = read_table(content, name=name, limit_bytes=upload_limit() << 20, trusted=False)
    if raw.reading.kind == "csv":
        raw = as_written(raw, staying=session.schema)  # it may be a table that was released here
    return encode_public(raw, session.schema, session.policies)


def _synthetic(session: Session, run: RunFolder) -> Records:
    """Return the released table, as its statement has it.

    Raises:
        Refusal: it is not the one that the statement is about, or there is none.
    """
    assert session.schema is not None
    if run.artefacts() is None:
        raise Refusal(
            "The released table of this run is not the one that its statement is about.",
            "Put back the released file, or choose another run.",
            field="table",
        )
    raw = read_released(comparable_table(run))
    if not raw.rows:
        return Records(session.schema, np.zeros((0, len(session.schema)), np.uint16))
    return encode_public(raw, session.schema)
