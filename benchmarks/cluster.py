"""Attempts on a Dask cluster of real processes: what a worker more brings, and how far it goes."""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.census import SeedbasedStudySizes, parts
from benchmarks.cluster_processes import processes
from benchmarks.size import Size
from understudy.core.arrays import CodeArray
from understudy.mechanisms.seedbased.attempts import BATCH, Chunks, Decision, Executor, Synthesizer
from understudy.mechanisms.seedbased.executors import MOST_BATCHES, Cluster, Cores
from understudy.mechanisms.seedbased.model_fit import learn
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs.table_file import ReleasedParquet, WithinCells
from understudy.table.schema import Schema

_ATTEMPTS: Mapping[Size, int] = {"full": 40_000_000, "quick": 4_000_000, "tiny": 40_000}
_CORES = (1, 10, 100, 1_000, 10_000)
_TASKS = 200
_TIMES = 4


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Make the same attempts by one core here, and by one and two workers."""
    split = parts(SeedbasedStudySizes() if size == "full" else SeedbasedStudySizes().tenth())
    source = RandomSource.secure()
    plan = Plan.of(split.seeds.schema, model={"kind": "network"})
    network = learn(plan, split.seeds.schema, split, source).network
    made = Synthesizer(KeptAttributes(network, Omega(low=5, high=11)), split.seeds)
    test = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)
    chunks = Chunks(made, Decision(test, 0.01), Secret.fresh(), _ATTEMPTS[size])
    here = _rate(Cores(1), chunks)
    by_workers, handing = {}, []
    for workers in (1, 2):
        with processes(workers) as started:
            _rate(Cluster(started.address), Chunks(made, chunks.decision, chunks.secret, BATCH))
            by_workers[workers] = _rate(Cluster(started.address), chunks)
            handing.append(_handing_out(started.address))
    passed = chunks.make(chunks.spans(0, MOST_BATCHES)[0])
    return {
        "attempts": chunks.attempts,
        "cores": len(os.sched_getaffinity(0)),
        "one_core_per_second": here,
        "workers_per_second": {str(workers): rate for workers, rate in by_workers.items()},
        "seconds_a_task": min(handing),
        "written_per_second": len(passed) / _writing(split.seeds.schema, passed),
        "pass_rate": len(passed) / min(chunks.attempts, MOST_BATCHES * BATCH),
    }


def _rate(executor: Executor, chunks: Chunks) -> float:
    """Attempts a second."""
    start = time.perf_counter()
    for _ in executor.release(chunks, 0):
        pass
    return chunks.attempts / (time.perf_counter() - start)


def _handing_out(address: str) -> float:
    """Seconds that a task costs the scheduler and the client that does nothing."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.gather(client.map(_nothing, range(_TASKS), pure=False))
        start = time.perf_counter()
        client.gather(client.map(_nothing, range(_TASKS, 3 * _TASKS), pure=False))
        return (time.perf_counter() - start) / (2 * _TASKS)


def _nothing(number: int) -> int:
    return number


def _writing(schema: Schema, passed: CodeArray) -> float:
    """Seconds that the one process that writes the table, as Parquet, takes for what passed in a
    chunk; the fastest of some."""
    file = io.BytesIO()
    np.save(file, passed.astype(np.uint8))
    seconds = []
    with tempfile.TemporaryDirectory() as place:
        for _ in range(_TIMES):
            start = time.perf_counter()
            codes = np.load(io.BytesIO(file.getvalue())).astype(np.uint16)
            with (Path(place) / "codes").open("w+b") as growing:
                cells = WithinCells(schema, Secret.fresh())
                table = ReleasedParquet(cells, Path(place) / "table", growing, marked=False)
                table.add(codes)
                table.finish()
            seconds.append(time.perf_counter() - start)
    return min(seconds)


def expected(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """What so many cores would come to: as many times one worker's rate, or what the scheduler
    can hand out, or what the process that writes the table can take, whichever is least."""
    limits = {
        "handing out": MOST_BATCHES * BATCH / figures["seconds_a_task"],
        "writing": figures["written_per_second"] / figures["pass_rate"],
    }
    rows = []
    for cores in _CORES:
        each = {"the cores": cores * figures["workers_per_second"]["1"], **limits}
        bottleneck = min(each, key=lambda name: each[name])
        rows.append({"cores": cores, "rate": each[bottleneck], "bottleneck": bottleneck})
    return rows


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    here = figures["one_core_per_second"]
    lines = [
        f"{figures['attempts']:,} attempts, ω ∈ [5, 11] hidden, on the simulated census; "
        f"{figures['cores']} cores, which scheduler and client share with the workers.",
        "",
        "| | attempts / s | beside one core here | efficiency |",
        "|---|---:|---:|---:|",
        f"| one core, no cluster | {here:,.0f} | 1.00 | 100 % |",
    ]
    for workers, rate in figures["workers_per_second"].items():
        times = rate / here
        lines.append(
            f"| cluster, workers: {workers} | {rate:,.0f} | {times:.2f} "
            f"| {100 * times / int(workers):.0f} % |"
        )
    lines += [
        "",
        f"A task costs {1e3 * figures['seconds_a_task']:.1f} ms beside its attempts, "
        f"{MOST_BATCHES * BATCH:,} at most; one process writes "
        f"{figures['written_per_second']:,.0f} records a second. From these, on paper:",
        "",
        "| cores | attempts / s | bound by |",
        "|---:|---:|---|",
        *(
            f"| {row['cores']:,} | {row['rate']:,.0f} | {row['bottleneck']} |"
            for row in expected(figures)
        ),
    ]
    return "\n".join(lines)
