"""Reading a table of each kind: how long it takes and how much memory, a process for each."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peers.drivers.exchange import held_bytes
from benchmarks.size import Size
from tests import postgres
from tests.engine.table.formats import FILES, write, write_table

ROWS = 1_000_000
_ROWS: Mapping[Size, int] = {"full": ROWS, "quick": ROWS // 10, "tiny": ROWS // 1_000}
_COLUMNS = 12
_SLOW_TO_WRITE = ("xlsx", "por", "sas7bdat")
_FEW = ("csv",)
"""The kinds of files that do where it is only to be seen that it runs."""
_ROOT = Path(__file__).resolve().parents[1]


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Read the same simulated records from every kind of file and both databases."""
    rows, tiny = _ROWS[size], size == "tiny"
    frame = _frame(rows)
    read: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as place, ExitStack() as servers:
        for kind in _FEW if tiny else FILES:
            # These are for smaller tables, and take minutes to write.
            part = frame.head(rows // 10) if kind in _SLOW_TO_WRITE else frame
            path = write(kind, part, Path(place) / f"table.{kind}")
            read[kind] = {"rows": len(part), "megabytes": path.stat().st_size / 1e6}
            read[kind] |= _read_apart("file", str(path))
            path.unlink()
        path = write("sqlite", frame, Path(place) / "table.db")
        read["sqlite"] = {"rows": rows, "megabytes": path.stat().st_size / 1e6}
        read["sqlite"] |= _read_apart("database", f"sqlite:///{path}")
        if postgres.NEED.find() is not None and not tiny:
            server = servers.enter_context(postgres.serving())
            write_table(server.url(), frame)
            read["postgresql"] = {"rows": rows, **_read_apart("database", server.url())}
    return {"columns": _COLUMNS, "kinds": read}


def _frame(rows: int) -> pd.DataFrame:
    """Codes, measurements and words of nobody."""
    rng = np.random.default_rng(1)
    words = np.array(["alpha", "beta", "gamma", "delta"])
    return pd.DataFrame(
        {f"c{i}": rng.integers(0, 50, rows) for i in range(6)}
        | {f"x{i}": rng.integers(0, 5000, rows) / 10 for i in range(3)}
        | {f"s{i}": words[rng.integers(0, 4, rows)] for i in range(3)}
    )


def _read_apart(how: str, where: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.sources", how, where],
        check=True,
        cwd=_ROOT,
        stdout=subprocess.PIPE,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _read(how: str, where: str) -> dict[str, float]:
    """Read one table in this process; the most memory it and what it started took."""
    from understudy.table.sources.databases.database import read_query
    from understudy.table.sources.reading import read_table

    start = time.perf_counter()
    table = read_table(Path(where)) if how == "file" else read_query(where, "people")
    seconds = time.perf_counter() - start
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "seconds": seconds,
        "held_megabytes": table.arrow.nbytes / 1e6,
        "peak_megabytes": held_bytes() / 1e6,
        "other_process_megabytes": child / 1e3,
    }


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"{figures['columns']} columns: six of codes, three of measurements, three of words.",
        "",
        "| | rows | file | read in | the table | peak of the process | of the one beside it |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, found in figures["kinds"].items():
        size = f"{found['megabytes']:,.0f} MB" if "megabytes" in found else "–"
        other = found["other_process_megabytes"]
        lines.append(
            f"| {kind} | {found['rows']:,.0f} | {size} | {found['seconds']:.1f} s "
            f"| {found['held_megabytes']:,.0f} MB | {found['peak_megabytes']:,.0f} MB "
            f"| {f'{other:,.0f} MB' if other else '–'} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps(_read(sys.argv[1], sys.argv[2])))
