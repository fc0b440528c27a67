"""What the server needs for an edit where a table has 200 columns."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest

from benchmarks.page import answer_all
from benchmarks.size import Size
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.session import Session

COLUMNS, ROWS = 200, 5_000
_SIZES: Mapping[Size, tuple[int, int, int]] = {
    "full": (COLUMNS, ROWS, 10),
    "quick": (COLUMNS, 1_000, 3),
    "tiny": (40, 200, 1),
}
"""Columns, records, and how often each thing is done."""
_APP = Path(__file__).parents[1] / "dashboard" / "understudy_dashboard" / "app.py"


def wide_csv(columns: int = COLUMNS, rows: int = ROWS) -> bytes:
    """Answers from 1 to 5, ages, towns and incomes of people who do not exist, in turn."""
    rng = np.random.default_rng(3)
    towns = np.array(["Arlon", "Bruges", "Genk", "Ghent", "Huy", "Leuven", "Mons", "Namur"])
    kinds = (
        ("answer", lambda: rng.integers(1, 6, rows).astype(str)),
        ("age", lambda: rng.integers(18, 95, rows).astype(str)),
        ("town", lambda: towns[rng.integers(0, len(towns), rows)]),
        ("income", lambda: (100 * rng.integers(0, 900, rows)).astype(str)),
    )
    names = [f"{kinds[place % 4][0]}_{place:03}" for place in range(columns)]
    texts = [kinds[place % 4][1]() for place in range(columns)]
    return "\n".join([",".join(names), *map(",".join, zip(*texts, strict=True))]).encode()


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Milliseconds of server time: the first drawing, edits of one column, of many, undoing."""
    columns, rows, times = _SIZES[size]
    with (
        tempfile.TemporaryDirectory() as place,
        patch.dict(os.environ, {"UNDERSTUDY_HOME": place}),
    ):
        session = Session()
        raw = read_table(wide_csv(columns, rows), name="wide.csv")
        session.open(LoadedTable("wide.csv", raw))
        answer_all(session, raw)
        page = AppTest.from_file(str(_APP), default_timeout=60)
        page.session_state["session"] = session
        page.run()
        return {"columns": columns, **_walk(page, session, times)}


def _walk(page: AppTest, session: Session, times: int) -> dict[str, Any]:
    assert session.settings.schema is not None
    first = _timed(lambda: page.switch_page("views/data.py").run())
    ages = [name for name in session.settings.schema.names if name.startswith("age")][:times]
    edits, turns = [], []
    for name in ages:
        session.column = name
        turns.append(_timed(page.run))
        field = next(each for each in page.text_input if each.key.endswith(f"{name}-minimum"))
        edits.append(_timed(field.input("1").run))
    undone = [_timed(page.button(key="undo").click().run) for _ in ages]
    session.editing.picked = session.settings.schema.names
    page.run()
    page.selectbox(key="bulk-what").select("Missing values").run()
    many = _timed(page.button(key="bulk-apply").click().run)
    session.editing.picked = ()
    session.column = ages[0]
    page.switch_page("views/buckets.py").run()
    parts = next(each for each in page.button if each.key.startswith("parts-"))
    buckets = _timed(parts.click().run)
    return {
        "first_milliseconds": first,
        "turn_milliseconds": float(np.median(turns)),
        "edit_milliseconds": float(np.median(edits)),
        "slowest_edit_milliseconds": max(edits),
        "undo_milliseconds": float(np.median(undone)),
        "edit_of_all_milliseconds": many,
        "buckets_milliseconds": buckets,
    }


def _timed(act: Any) -> float:
    """Milliseconds of the script runs that something leads to, AppTest's own work left out."""
    spent, run = [0.0], ScriptRunner._run_script

    def timed(self: ScriptRunner, *arguments: Any, **named: Any) -> None:
        start = time.perf_counter()
        run(self, *arguments, **named)
        spent[0] += time.perf_counter() - start

    with patch.object(ScriptRunner, "_run_script", timed):
        act()
    return 1000 * spent[0]


def table(figures: dict[str, Any]) -> str:
    """The figures as a sentence."""
    return (
        f"A table of {figures['columns']} columns: opening the Data page "
        f"{figures['first_milliseconds']:.0f} "
        f"ms, another column {figures['turn_milliseconds']:.0f} ms, an edit "
        f"{figures['edit_milliseconds']:.0f} ms (slowest "
        f"{figures['slowest_edit_milliseconds']:.0f} ms), undoing it "
        f"{figures['undo_milliseconds']:.0f} ms, an edit of all columns at once "
        f"{figures['edit_of_all_milliseconds']:.0f} ms, other buckets "
        f"{figures['buckets_milliseconds']:.0f} ms of server time."
    )
