"""One run: a process of its own, and a folder that is there whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.drivers.exchange import Job
from benchmarks.peers.methods import Method
from benchmarks.peers.tables import Bench
from understudy.core.refusal import Refusal

DELTA = 1e-9
FIRST_SEED = 1
"""A million records are timed once for a method, a table and an ε: with this seed."""

_ONE_CORE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Run:
    """One method on one table.

    Attributes:
        method: by its key.
        table: by its name.
        epsilon: what may be spent in all, with `DELTA`.
        seed: of whatever the method can be seeded with.
    """

    method: str
    table: str
    epsilon: float
    seed: int

    def folder(self, results: Path) -> Path:
        """Where its result is, once it is there."""
        return results / self.table / f"epsilon-{self.epsilon:g}" / self.method / f"{self.seed}"

    def __str__(self) -> str:
        return f"{self.method} on {self.table}, ε = {self.epsilon:g}, seed {self.seed}"


def done(run: Run, results: Path) -> bool:
    """Whether its result is there."""
    return (run.folder(results) / "run.json").exists()


def failed(run: Run, results: Path) -> bool:
    """Whether it was tried and failed."""
    return _failure(run, results).exists()


def underway(run: Run, results: Path) -> bool:
    """Whether another process is at it."""
    folder = run.folder(results)
    return any(
        Path("/proc", found.name.rpartition("-")[2]).exists()
        for found in folder.parent.glob(f"{folder.name}.part-*")
    )


def exchanged(bench: Bench, results: Path) -> Path:
    """The file with the codes that methods learn from, written where it is not there yet.

    Raises:
        Refusal: the results there are of other records.
    """
    folder = results / bench.name
    table, about = folder / "learned.npz", folder / "table.json"
    if about.exists():
        found = json.loads(about.read_text(encoding="utf-8"))["fingerprint"]
        if found != bench.fingerprint:
            raise Refusal(
                f"The results in {folder} are of other records, or of another schema.",
                "Choose another folder for the results, or remove that one.",
                field="results",
            )
        return table
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(table, codes=bench.learned.codes)
    sizes = dict(zip(bench.schema.names, bench.schema.cardinalities.tolist(), strict=True))
    described = {"fingerprint": bench.fingerprint, "domain": sizes, "notes": bench.notes}
    about.write_text(json.dumps(described, indent=1), encoding="utf-8")
    return table


def carry_out(run: Run, method: Method, bench: Bench, results: Path) -> bool:
    """Run it, and say whether there is a result now. What it printed is kept beside it."""
    table = exchanged(bench, results)
    folder = run.folder(results)
    unfinished = folder.with_name(f"{folder.name}.part-{os.getpid()}")
    unfinished.mkdir(parents=True)
    job = Job(
        folder=unfinished.resolve(),
        method=method.named or method.key,
        settings=dict(method.settings),
        epsilon=run.epsilon,
        delta=DELTA,
        seed=run.seed,
        count=bench.made,
        million=run.seed == FIRST_SEED,
        table=table.resolve(),
        names=bench.schema.names,
        cardinalities=tuple(bench.schema.cardinalities.tolist()),
    )
    job.write()
    (unfinished / "schema.json").write_text(bench.schema.to_json(), encoding="utf-8")
    with (unfinished / "log.txt").open("wb") as log:
        code = subprocess.run(
            [*method.command, str(job.folder)],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **_ONE_CORE},
            check=False,
        ).returncode
    if code or not (unfinished / "run.json").exists():
        shutil.rmtree(_failure(run, results), ignore_errors=True)
        unfinished.rename(_failure(run, results))
        return False
    if done(run, results):
        shutil.rmtree(unfinished)
    else:
        unfinished.rename(folder)
    return True


def result(run: Run, results: Path) -> dict[str, Any]:
    """What the driver said of it."""
    found: dict[str, Any] = json.loads(
        (run.folder(results) / "run.json").read_text(encoding="utf-8")
    )
    return found


def made(run: Run, results: Path) -> Any:
    """(records, attributes) the codes it made."""
    with np.load(run.folder(results) / "codes.npz") as arrays:
        return arrays["codes"]


def _failure(run: Run, results: Path) -> Path:
    folder = run.folder(results)
    return folder.with_name(f"{folder.name}.failed")
