"""What a run released: the first records of each table, all figures, the acceptance test, and
files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.acceptance import outcome as acceptance
from understudy.acceptance.outcome import NAME
from understudy.acceptance.statistics import asked_of
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.statement import TABLE, ReleasedFile, alone, released_of, stated_outputs
from understudy.models import noisy_tables
from understudy.report.acceptance import Accepted, describe_accepted
from understudy.runs.folder import RunFolder
from understudy.runs.statistics_export import export_bytes, read_table_of
from understudy.runs.statistics_layout import TITLES, StatisticsForm, plan_layout
from understudy.runs.table_file import read_first_records
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link
from understudy_dashboard.ledger_status import load_planned_run
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.sheets import draw_between, draw_released


def draw_acceptance_figures(run: RunFolder) -> None:
    """Draw the figures with their intervals; nothing where the plan had no test.

    Raises:
        Refusal: the files of the run can no longer be read.
    """
    decided = load_planned_run(run)
    if asked_of(decided.plan) is None:
        return
    with run.intact():
        figures = json.loads((run.release / f"{NAME}.json").read_text(encoding="utf-8"))
        schema = decided.output(TABLE).schema
        assert schema is not None
        records = read_first_records(run.table_of(TABLE), schema, _count_rows(run))
        found = describe_accepted(decided, figures, records)
    if found is not None:
        _draw_chart(found)


def _count_rows(run: RunFolder) -> int:
    said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    return int(said["table"]["rows"])


def _draw_chart(found: Accepted) -> None:
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


_FIRST_ROWS: Final = 12
_MOST_FIGURES: Final = 500


def draw_first_look(run: RunFolder, said: Mapping[str, Any]) -> None:
    """Draw what every output looks like.

    Raises:
        Refusal: the files of the run can no longer be read.
    """
    decided, released = load_planned_run(run), released_of(said)
    tables = [each for each in released if each.rows is not None]
    if tables:
        st.subheader("The first records", anchor=False)
    if len(tables) > 1:
        by_name = {each.output: each for each in tables}
        chosen = st.selectbox("Table", list(by_name), key=f"first-records-of-{run.identity}")
        tables = [by_name[chosen]]
        st.caption(_describe_output(decided, tables[0]))
    for each in tables:
        _draw_table(run, decided, each)
        schema = decided.output(each.output).schema
        if each.rows and schema is not None:
            stained = "stain" in said
            draw_released(run, each.output, schema, stained=stained)
            draw_between(run, each.output, schema, stained=stained)
    if any(each.rows for each in tables):
        st.caption(
            "These records are synthetic. One may happen to look like a real one; the statement "
            "above says how much that can show."
        )
    for each in released:
        if each.rows is None and each.output not in (acceptance.NAME, noisy_tables.NAME):
            st.subheader(_describe_output(decided, each).rstrip("."), anchor=False)
            _draw_figures(run, each)


def draw_downloads(run: RunFolder, said: Mapping[str, Any]) -> None:
    """Draw each output as a file, and the guarantee that goes with them."""
    one = alone(said)
    st.subheader("The table alone" if one else "The outputs alone", anchor=False)
    mark = "demonstration-" if "stain" in said else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        for each in released_of(said):
            _draw_file(run, each, mark)
        st.download_button(
            "Download its guarantee" if one else "Download the guarantee",
            data=_make_reader(run.guarantee),
            file_name=f"{mark}guarantee.json",
            mime="application/json",
            on_click="ignore",
            icon=":material/verified_user:",
            key="download-guarantee",
        )
        _draw_statistics_files(run, said, mark)
    st.caption(
        "Keep the two together: the guarantee names its table by a fingerprint. Downloading "
        "again costs nothing; running again does."
        if one
        else "Keep them together: the guarantee names each output by a fingerprint. Downloading "
        "again costs nothing; running again does."
    )
    outputs = stated_outputs(said).values()
    for note in {each["formulas"]: None for each in outputs if "formulas" in each}:
        st.caption(words.escape(note))


def _describe_output(decided: PlannedRun, each: ReleasedFile) -> str:
    return words.escape(decided.output(each.output).about)


def _draw_table(run: RunFolder, decided: PlannedRun, each: ReleasedFile) -> None:
    if each.rows == 0:
        st.warning(page_of(decided.plan.kind).empty)
        draw_link("privacy", "Change the plan on the Privacy page", ":material/arrow_back:")
        return
    first = pd.read_csv(
        run.table_of(each.output), nrows=_FIRST_ROWS, dtype=str, keep_default_na=False
    )
    st.dataframe(first, hide_index=True, height="content")


def _draw_figures(run: RunFolder, each: ReleasedFile) -> None:
    """Draw figures by their names, those within others after them."""
    content = json.loads(_find_file(run, each).read_text(encoding="utf-8"))
    found = list(_flatten(content))
    frame = pd.DataFrame(found[:_MOST_FIGURES], columns=["Figure", "Value"])
    st.dataframe(frame, hide_index=True, alt=f"The figures of {each.output}")
    if len(found) > _MOST_FIGURES:
        st.caption(f"and {len(found) - _MOST_FIGURES:,} more in the file.")


def _flatten(content: Any, before: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(content, Mapping) and content:
        for name, each in content.items():
            yield from _flatten(each, f"{before} · {name}" if before else str(name))
    elif isinstance(content, list) and content and isinstance(content[0], Mapping | list):
        for place, each in enumerate(content, 1):
            yield from _flatten(each, f"{before} · {place}" if before else str(place))
    elif isinstance(content, list):
        yield before, ", ".join(map(_spell_value, content)) or "none"
    else:
        yield before, _spell_value(content)


def _spell_value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _draw_file(run: RunFolder, each: ReleasedFile, mark: str) -> None:
    path, first = _find_file(run, each), each.output == TABLE
    rows = "" if each.rows is None else f" ({words.count(each.rows, 'record')})"
    named = "the table" if first else words.escape(each.output)
    st.download_button(
        f"Download {named}{rows}",
        data=_make_reader(path),
        file_name=f"{mark}{path.name}",
        mime="application/json" if each.rows is None else "text/csv",
        on_click="ignore",
        icon=":material/functions:" if each.rows is None else ":material/table:",
        key="download-table" if first else f"download-{each.output}",
    )


def _draw_statistics_files(run: RunFolder, said: Mapping[str, Any], mark: str) -> None:
    """Draw a table as files of statistics programs, and what is otherwise in them."""
    tables = [each.output for each in released_of(said) if each.rows is not None]
    if not tables:
        return
    with st.popover("SPSS or Stata", icon=":material/table_convert:"):
        name = tables[0]
        if len(tables) > 1:
            name = st.selectbox("Which table", tables, key=f"statistics-table-of-{run.identity}")
        st.caption("With titles, labels, the meanings of missing values, and dates as dates.")
        schema = load_planned_run(run).output(name).schema
        assert schema is not None
        for form, program in TITLES.items():
            _draw_statistics_file(run, name, form, program, mark)
            for change in plan_layout(schema, form).changes:
                st.caption(words.escape(change))


def _draw_statistics_file(
    run: RunFolder, name: str, form: StatisticsForm, program: str, mark: str
) -> None:
    def read() -> bytes:
        records = read_table_of(run, name)
        return export_bytes(records, plan_layout(records.schema, form))

    st.download_button(
        f"Download for {program} (.{form})",
        data=read,
        file_name=f"{mark}{name}.{form}",
        mime="application/octet-stream",
        on_click="ignore",
        icon=":material/table:",
        key=f"download-{form}",
    )


def _find_file(run: RunFolder, each: ReleasedFile) -> Path:
    if each.rows is not None:
        return run.table_of(each.output)
    return run.release / f"{each.output}.json"


def _make_reader(path: Path) -> Callable[[], bytes]:
    """Return what reads a file when it is asked for, and not before."""
    return path.read_bytes
