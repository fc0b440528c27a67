"""Runs back to back from one process, as a dashboard left open starts them: what it holds at the
beginning and at the end."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.size import Size
from understudy.ledger.book import PeopleStatement
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.runs.control import list_runs, start, wait
from understudy.runs.resources import Resources
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.records import Records

_MINUTES: Mapping[Size, float] = {"full": 60.0, "quick": 3.0, "tiny": 0.0}
_RECORDS: Mapping[Size, int] = {"full": 20_000, "quick": 20_000, "tiny": 2_000}
_WARMING_UP: Mapping[Size, int] = {"full": 3, "quick": 3, "tiny": 1}
"""Runs before anything is compared: what is loaded once is no growth."""
_FEWEST = 2


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Start one run after another until the time is over, in CSV and in Parquet,
    and look at this process after each."""
    schema = census.schema()
    records = Records(schema, census.simulate(_RECORDS[size], 7))
    plan = Plan.of(
        schema,
        omega=Omega(low=9, high=11),
        test=PlausibleDeniability(k=60, gamma=4.0, epsilon0=1.0),
        attempts=20_000,
        seeds_at_least=100,
        public_records=700,
    )
    held: list[dict[str, int]] = []
    with tempfile.TemporaryDirectory(prefix="understudy-soak-") as place:
        home = Path(place)
        with _temporary_files_in(home / "tmp"):
            ledger = Ledger(home / "ledger.sqlite")
            end = time.monotonic() + 60 * _MINUTES[size]
            while len(held) < _WARMING_UP[size] + _FEWEST or time.monotonic() < end:
                resources = Resources(form="parquet" if len(held) % 2 else "csv")
                job = Job(records, plan, figures=not len(held) % 4, resources=resources)
                paid = ledger.identify(records, "census", said=PeopleStatement(new=True))
                folder = start(job, home / "runs", dataset=paid, ledger=ledger)
                state = wait(folder).state
                if state != "finished":
                    raise RuntimeError(f"run {len(held) + 1} ended as {state}")
                held.append(_held(home))
            left = [run.path.name for run in list_runs(home / "runs") if run.unfinished.exists()]
    later = held[_WARMING_UP[size] :]
    return {
        "minutes": _MINUTES[size],
        "runs": len(held),
        "left_out": _WARMING_UP[size],
        "unfinished_folders": len(left),
        "held": {
            name: {
                "first": later[0][name],
                "last": later[-1][name],
                "most": max(each[name] for each in later),
                "a_run": _slope([each[name] for each in later]),
            }
            for name in later[0]
        },
    }


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Have those of this process and of its runs where no other program's are."""
    folder.mkdir()
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before[0]
        if before[1] is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before[1]


def _held(home: Path) -> dict[str, int]:
    """What this process holds, and what lies about that belongs to no run."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return {
        "memory_bytes": 1024 * int(resident.split()[1]),
        "open_files": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "threads": threading.active_count(),
        "hidden_folders": sum(each.name.startswith(".") for each in (home / "runs").iterdir()),
        "files_beside_the_runs": sum(1 for _ in home.iterdir()),
        "temporary_files": sum(1 for _ in (home / "tmp").iterdir()),
    }


def _slope(values: list[int]) -> float:
    """By how much something grows with each run, by least squares."""
    return float(np.polyfit(np.arange(len(values)), values, 1)[0])


_NAMES = {
    "memory_bytes": "memory, MB",
    "open_files": "open files",
    "threads": "threads",
    "hidden_folders": "folders of runs half prepared",
    "files_beside_the_runs": "files beside runs and ledger",
    "temporary_files": "temporary files",
}


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"{figures['runs']:,} runs back to back in {figures['minutes']:g} minutes, the first "
        f"{figures['left_out']} left out; {figures['unfinished_folders']} left something to go on "
        "from.",
        "",
        "| held by the process that starts them | first | last | most | growth a run |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, said in _NAMES.items():
        unit = 1e6 if name == "memory_bytes" else 1
        row = figures["held"][name]
        first, last, most = (f"{row[key] / unit:,.4g}" for key in ("first", "last", "most"))
        lines.append(f"| {said} | {first} | {last} | {most} | {row['a_run'] / unit:+.4f} |")
    return "\n".join(lines)
