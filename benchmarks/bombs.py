"""Files that mean harm, opened in a process like the dashboard's between runs, while another
session opens ordinary files: what the process holds, and how long the other waits."""

from __future__ import annotations

import io
import re
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import streamlit  # noqa: F401 (what the dashboard holds without a table)

from benchmarks.size import Size
from understudy.core.refusal import Refusal
from understudy.ledger.book import PeopleStatement
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased.plan import Plan
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.sources.reading import read_table

_MINUTES: Mapping[Size, float] = {"full": 10.0, "quick": 2.0, "tiny": 0.0}
_ROWS: Mapping[Size, int] = {"full": 2_000_000, "quick": 2_000_000, "tiny": 100_000}
_RECORDS: Mapping[Size, int] = {"full": 20_000, "quick": 20_000, "tiny": 2_000}


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Open every bomb, then do a run, again and again until the time is over."""
    # What making them takes is not to be counted here.
    with ProcessPoolExecutor(1, get_context("spawn")) as aside:
        bombs = aside.submit(_bombs, _ROWS[size]).result()
    schema = census.schema()
    records = Records(schema, census.simulate(_RECORDS[size], 7))
    test = PlausibleDeniability(k=60, gamma=4.0, epsilon0=1.0)
    plan = Plan.of(schema, test=test, attempts=10_000, public_records=700, seeds_at_least=100)
    outcomes: dict[str, str] = {}
    turns, most = 0, 0
    before = _resident()
    with tempfile.TemporaryDirectory(prefix="understudy-bombs-") as place, _other() as waits:
        home = Path(place)
        ledger = Ledger(home / "ledger.sqlite")
        end = time.monotonic() + 60 * _MINUTES[size]
        while not turns or time.monotonic() < end:
            for name, content in bombs.items():
                outcomes[name] = _opened(name, content)
                most = max(most, _resident())
            paid = ledger.identify(records, "census", said=PeopleStatement(new=True))
            folder = start(Job(records, plan), home / "runs", dataset=paid, ledger=ledger)
            state = wait(folder).state
            if state != "finished":
                raise RuntimeError(f"run {turns + 1} ended as {state}")
            most = max(most, _resident())
            turns += 1
    return {
        "minutes": _MINUTES[size],
        "turns": turns,
        "memory_before": before,
        "memory_most": most,
        "memory_after": _resident(),
        "other_session": {
            "files": len(waits),
            "median_seconds": float(np.median(waits)),
            "longest_seconds": max(waits),
        },
        "bombs": {
            name: {"bytes": len(content), "outcome": outcomes[name]}
            for name, content in bombs.items()
        },
    }


def _opened(name: str, content: bytes) -> str:
    began = time.monotonic()
    try:
        outcome = f"read, {read_table(content, name=name).rows} records"
    except Refusal:
        outcome = "refused"
    return f"{outcome} in {time.monotonic() - began:.2g} s"


@contextmanager
def _other() -> Iterator[list[float]]:
    """Another session, which opens one small file after another: how long it waits for each."""
    sheet = _workbook("")
    text = b"a,b\n" + b"1,2\n" * 1000
    waits: list[float] = []
    over = threading.Event()

    def open_files() -> None:
        while not over.wait(0.2):
            for name, content in (("small.xlsx", sheet), ("small.csv", text)):
                began = time.monotonic()
                read_table(content, name=name)
                waits.append(time.monotonic() - began)

    read_table(sheet, name="small.xlsx")
    session = threading.Thread(target=open_files)
    session.start()
    try:
        yield waits
    finally:
        over.set()
        session.join()


def _workbook(more: str, first: str = "") -> bytes:
    """A workbook of a few cells and more rows, or with other rows before."""
    book, plain = openpyxl.Workbook(), io.BytesIO()
    for row in (["a", "b"], [1, 2]):
        book.worksheets[0].append(row)
    book.save(plain)
    made = io.BytesIO()
    packed = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(made, "w", packed) as new:
        for name in old.namelist():
            part = old.read(name).decode()
            if name.endswith("sheet1.xml"):
                part = part.replace("</sheetData>", f"{more}</sheetData>")
                part = re.sub("<sheetData>.*</row>", f"<sheetData>{first}", part) if first else part
            new.writestr(name, part)
    return made.getvalue()


def _bombs(rows: int) -> dict[str, bytes]:
    """Small files that are large tables, or say so."""
    names = "".join(f'<c t="str"><v>c{each}</v></c>' for each in range(5000))
    sparse = f"<row>{names}</row>" + "<row><c><v>1</v></c></row>" * (rows // 50)
    corner = '<row r="1048576"><c r="XFD1048576"><v>9</v></c></row>'
    far = '<row r="1048576"><c r="A1048576"><v>9</v></c><c r="B1048576"><v>9</v></c></row>'
    zeros = np.zeros(4 * rows, np.int8)
    parquet = io.BytesIO()
    pq.write_table(pa.table(dict.fromkeys("abcdef", zeros)), parquet)
    long = io.BytesIO()
    text = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["x" * 1_000_000])
    pq.write_table(pa.table({"a": text, "b": zeros[:rows]}), long, store_schema=False)
    frame = pd.DataFrame({f"c{each}": np.zeros(rows) for each in range(10)})
    return {
        "corner.xlsx": _workbook(corner),
        "far.xlsx": _workbook(far),
        "sparse.xlsx": _workbook("", sparse),
        "blanks.xlsx": _workbook(" " * 30 * rows),
        "zeros.parquet": parquet.getvalue(),
        "long.parquet": long.getvalue(),
        "zeros.zsav": _written(lambda path: pyreadstat.write_sav(frame, path, compress=True)),
        "counts.dta": _counted(_written(lambda path: pyreadstat.write_dta(frame[:9], path))),
    }


def _written(write: Callable[[str], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(str(path))
        return path.read_bytes()


def _counted(data: bytes) -> bytes:
    """A Stata file that says it has two thousand million records."""
    place = data.index(b"<N>") + 3
    width = data.index(b"</N>") - place
    return data[:place] + (2**31 - 1).to_bytes(width, "little") + data[place + width :]


def _resident() -> int:
    """What this process holds, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return 1024 * int(found.split()[1])


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    memory = (figures[f"memory_{when}"] / 1e6 for when in ("before", "most", "after"))
    other = figures["other_session"]
    lines = [
        f"{figures['turns']:,} turns in {figures['minutes']:g} minutes, each every file and a run. "
        "Memory of the process before, at most, after: "
        + ", ".join(f"{each:,.0f} MB" for each in memory)
        + f". Another session opened {other['files']:,} small files meanwhile: "
        f"{other['median_seconds']:.2g} s in the middle, {other['longest_seconds']:.2g} s at most.",
        "",
        "| file | bytes | what came of it |",
        "|---|---:|---|",
    ]
    for name, row in figures["bombs"].items():
        lines.append(f"| {name} | {row['bytes']:,} | {row['outcome']} |")
    return "\n".join(lines)
