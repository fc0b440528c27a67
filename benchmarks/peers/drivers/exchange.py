"""What a driver reads and leaves behind. Imported in peers' environments: numpy and nothing else.

A job is a folder. The driver finds `job.json` in it, and leaves `codes.npz` and `run.json` there.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MILLION = 1_000_000
PATIENCE = 30
"""A method that needs more seconds for the records asked for is not asked for a million."""

Codes = Any
"""(records, attributes) integer codes, each below the cardinality of its attribute."""


@dataclass(frozen=True)
class Seconds:
    """How long something took.

    Attributes:
        wall: by the clock on the wall, with whatever else the machine did meanwhile.
        core: of processor time, of this process and of those it started and waited for.
    """

    wall: float
    core: float


class Stopwatch:
    """Times one stretch after another."""

    def __init__(self) -> None:
        self._wall, self._core = time.perf_counter(), _core_seconds()

    def lap(self) -> Seconds:
        """The time since the last lap or, for the first, since the watch was made."""
        wall, core = time.perf_counter(), _core_seconds()
        taken = Seconds(wall - self._wall, core - self._core)
        self._wall, self._core = wall, core
        return taken


@dataclass(frozen=True)
class Job:
    """One run of one method on one table.

    Attributes:
        folder: where it is described and where its result goes.
        method: the name of the method, to the driver.
        settings: of the method.
        epsilon, delta: what may be spent in all.
        seed: of whatever randomness of the method can be seeded.
        count: how many records to make.
        million: whether to time a million records after that.
        table: the file of the codes to learn from.
        names: the attributes, in the order of the codes.
        cardinalities: the public number of values of each.
    """

    folder: Path
    method: str
    settings: dict[str, Any]
    epsilon: float
    delta: float
    seed: int
    count: int
    million: bool
    table: Path
    names: tuple[str, ...]
    cardinalities: tuple[int, ...]

    @classmethod
    def read(cls, folder: Path) -> Job:
        """The job that is described in this folder."""
        about = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        about["table"] = Path(about["table"])
        about["names"] = tuple(about["names"])
        about["cardinalities"] = tuple(about["cardinalities"])
        return cls(folder=folder, **about)

    def write(self) -> None:
        """Describe the job in its folder."""
        about = {**vars(self), "table": str(self.table)}
        del about["folder"]
        (self.folder / "job.json").write_text(json.dumps(about, indent=1), encoding="utf-8")

    def codes(self) -> Codes:
        """(records, attributes) what to learn from."""
        with np.load(self.table) as arrays:
            return arrays["codes"]

    def leave(
        self, codes: Codes, fit: Seconds, sample: Seconds, peak: int, million: dict[str, Any] | None
    ) -> None:
        """Write the result.

        Args:
            codes: (count or fewer, attributes) what was made.
            fit: the time of learning.
            sample: the time of making `count` records.
            peak: the most memory used up to there, in bytes.
            million: as of `million_of`; None where that was not asked for.
        """
        codes = np.asarray(codes)
        if codes.shape[1:] != (len(self.names),) or not 0 < len(codes) <= self.count:
            raise ValueError(f"{codes.shape} codes where {self.count} records were asked for")
        low, high = codes.min(axis=0), codes.max(axis=0)
        if (low < 0).any() or (high >= np.array(self.cardinalities)).any():
            raise ValueError("a code lies outside its domain")
        np.savez_compressed(self.folder / "codes.npz", codes=codes.astype(np.uint16))
        found = {
            "fit": vars(fit),
            "sample": vars(sample),
            "records": len(codes),
            "peak_bytes": peak,
            "million": million,
            "python": sys.version.split()[0],
        }
        (self.folder / "run.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def a_million(sample: Callable[[int], object]) -> dict[str, Any]:
    """Time a million records of a fitted model; see `million_of`."""
    watch = Stopwatch()
    sample(MILLION)
    return million_of(watch.lap())


def million_of(taken: Seconds) -> dict[str, Any]:
    """What a job leaves of a million records that took so long.

    Returns:
        The seconds, and the most memory used since the process began, in bytes.
    """
    return {**vars(taken), "peak_bytes": peak_bytes()}


def peak_bytes() -> int:
    """The most memory that this process, or one it waited for, has had at once."""
    return max(held_bytes(), 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def held_bytes() -> int:
    """The most memory that this process has had; getrusage would count what started it, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return 1024 * int(found.split()[1])


def run_fitted(job: Job, fit: Callable[[Job, Codes], Callable[[int], Codes]]) -> None:
    """Do a job with a method that is fitted once and then sampled.

    Args:
        job: what to do.
        fit: from the job and its codes to what makes so many records.
    """
    codes = job.codes()
    watch = Stopwatch()
    sample = fit(job, codes)
    fitted = watch.lap()
    made = sample(job.count)
    sampled = watch.lap()
    peak = peak_bytes()
    ask = job.million and sampled.core < PATIENCE
    job.leave(made, fitted, sampled, peak, a_million(sample) if ask else None)


def _core_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
