"""A release from the command line, from the start of the interpreter to the table on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.size import Size
from understudy.samples import census
from understudy.table.records import Records, as_arrow

_RECORDS: Mapping[Size, int] = {"full": 1_295_000, "quick": 129_500, "tiny": 5_000}
_SHARES = ("--shares", ".5676,.2162,.2162,0")
"""735,000 seeds, and 280,000 records each for the structure and for the parameters, of all."""
_MILLION: Mapping[Size, int] = {"full": 1_010_000, "quick": 101_000, "tiny": 2_000}
_SOURCE: Mapping[Size, int] = {"full": 1_500_000, "quick": 150_000, "tiny": 5_000}
"""Records that ever more attempts are made from."""
_LONG: Mapping[Size, tuple[int, ...]] = {
    "full": (1_000_000, 10_000_000, 100_000_000),
    "quick": (100_000, 1_000_000),
    "tiny": (2_000,),
}
_FIRST = ("network", "parquet")
"""The model of the published evaluation, and the form that large tables are best in."""
_WRAPPED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Time `understudy synthesize` of a census in Parquet, by model and form, then for ever more
    attempts."""
    with tempfile.TemporaryDirectory(prefix="understudy-release-") as place:
        at = Path(place)
        table, source = (_written(at, count[size]) for count in (_RECORDS, _SOURCE))
        return {
            "records": _RECORDS[size],
            "source": _SOURCE[size],
            "cores": len(os.sched_getaffinity(0)),
            "million": [
                released(table, _MILLION[size], *each, *_SHARES)
                for each in (_FIRST, ("network", "csv"), ("calibrated", "parquet"))
                if size != "tiny" or each == _FIRST
            ],
            "long": [released(source, count, *_FIRST, *_SHARES) for count in _LONG[size]],
        }


def _written(at: Path, count: int) -> Path:
    """A simulated census in Parquet."""
    path = at / f"census-{count}.parquet"
    schema = census.schema()
    pq.write_table(as_arrow(Records(schema, census.simulate(count, 2013))), path)
    return path


def released(source: Path, attempts: int, model: str, form: str, *more: str) -> dict[str, Any]:
    """One release of a census by `understudy synthesize`, in processes of its own.

    Args:
        source: the table.
        attempts: how many.
        model: its kind.
        form: of the table that is released.
        more: further options.
    """
    with tempfile.TemporaryDirectory(prefix="understudy-released-") as place:
        at = Path(place)
        (at / "schema.json").write_text(census.schema().to_json(), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "understudy.cli", "synthesize", str(source)),
            *("--schema", str(at / "schema.json"), "--out", str(at / "out"), "--format", form),
            *("--model", model, "--omega", "9", "--k", "50"),
            *(
                "--records",
                "700",
                "--seeds-at-least",
                "100",
                "--attempts",
                str(attempts),
                "--quiet",
            ),
            *more,
            "--new-people",
        ]
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _WRAPPED, *command],
            env={**os.environ, "UNDERSTUDY_HOME": str(at / "home")},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        seconds = time.perf_counter() - start
        (table,) = (at / "out").glob("synthetic.*")
        rows = _rows(table)
        return {
            "model": model,
            "form": form,
            "attempts": attempts,
            "released": rows,
            "seconds": seconds,
            "released_per_second": rows / seconds,
            "peak_bytes": int(done.stdout),
            "table_bytes": table.stat().st_size,
        }


def _rows(table: Path) -> int:
    if table.suffix == ".parquet":
        return int(pq.ParquetFile(table).metadata.num_rows)
    with table.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b"")) - 1


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    head = [
        "| model | file | attempts | released | seconds | released / s | peak memory | file size |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    return "\n".join(
        [
            f"`understudy synthesize` of {figures['records']:,} census records in Parquet, ω = 9, "
            f"{figures['cores']} cores, the start of the interpreter included.",
            "",
            *head,
            *(_row(each) for each in figures["million"]),
            "",
            f"Ever more attempts, of a table of {figures['source']:,} records:",
            "",
            *head,
            *(_row(each) for each in figures["long"]),
        ]
    )


def _row(each: dict[str, Any]) -> str:
    return (
        f"| {each['model']} | {each['form']} | {each['attempts']:,} | {each['released']:,} "
        f"| {each['seconds']:.1f} | {each['released_per_second']:,.0f} "
        f"| {each['peak_bytes'] / 1e9:.2f} GB | {each['table_bytes'] / 1e6:,.0f} MB |"
    )
