"""What an acceptance test measured, on the Release page. All of it may be published."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from understudy.acceptance.outcome import NAME
from understudy.acceptance.statistics import asked_of
from understudy.mechanisms.statement import TABLE
from understudy.report.accepted import Accepted, accepted_in_words
from understudy.runs.folder import RunFolder
from understudy.runs.released import first_records
from understudy_dashboard.spending import decided_of


def measured(run: RunFolder) -> None:
    """The figures with their intervals; nothing where the plan had no test.

    Raises:
        Refusal: the files of the run can no longer be read.
    """
    decided = decided_of(run)
    if asked_of(decided.plan) is None:
        return
    with run.intact():
        figures = json.loads((run.release / f"{NAME}.json").read_text(encoding="utf-8"))
        schema = decided.output(TABLE).schema
        assert schema is not None
        records = first_records(run.table_of(TABLE), schema, _rows(run))
        found = accepted_in_words(decided, figures, records)
    if found is not None:
        _drawn(found)


def _rows(run: RunFolder) -> int:
    said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    return int(said["table"]["rows"])


def _drawn(found: Accepted) -> None:
    st.subheader("How near it comes, measured with noise", anchor=False)
    st.markdown(
        "Measured on the records that were held out, of which nothing else was made, and paid for "
        f"within the total. Each range holds their true value in {found.confidence} of such tests. "
        f"{found.headline}".strip()
    )
    frame = pd.DataFrame(
        [(each.what, each.held, each.released, each.limit, each.verdict) for each in found.rows],
        columns=["What", "Held-out records", "Release", "May be off by", "Limit"],
    )
    st.dataframe(frame, hide_index=True, alt="What the acceptance test measured")
    st.caption("The packet holds these figures, and whoever checks it works them out again.")
