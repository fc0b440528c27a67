"""Plans for people of the simulated census. Runs that are done in this process, and inquiries into
them that other processes can do.
"""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tests.support import category_schema, holding
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence
from understudy.mechanisms.seedbased.inspection import begun_of
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.runs.folder import ABOUT, RunAbout, RunFolder
from understudy.runs.inquiry import TellProgress
from understudy.runs.work import Job, work
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.split import Shares, Split

CENSUS_SCHEMA = census.schema()


def census_plan(**settings: object) -> Plan:
    """A plan that 5,000 of them are enough for, with some settings changed."""
    chosen = {
        "test": PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0),
        "omega": Omega(low=8, high=11),
        "attempts": 2_000,
        "public_records": 3_940,
    }
    return Plan.of(CENSUS_SCHEMA, **{**chosen, **settings})


SCHEMA = category_schema(3, 4, 2, halves=frozenset({1}))


def table(count: int = 600, seed: int = 5) -> Records:
    """Records of which the second column depends on the first."""
    rng = np.random.default_rng(seed)
    first, third = rng.integers(0, 3, count), rng.integers(0, 2, count)
    second = np.where(rng.random(count) < 0.7, first, rng.integers(0, 4, count))
    return Records(SCHEMA, np.column_stack([first, second, third]).astype(np.uint16))


def seedless(**settings: Any) -> Plan:
    """A plan that any table will do for."""
    usual: dict[str, Any] = {
        "omega": Omega(low=3, high=3),
        "attempts": 200,
        "seeds_at_least": 30,
        "public_records": 400,
        "delta": 1e-6,
        "shares": Shares(seeds=0.25, structure=0.25, parameters=0.25, held_out=0.25),
    }
    return Plan.of(SCHEMA, **{**usual, **settings})


def finished(job: Job, place: Path) -> RunFolder:
    """The folder of a run that was done."""
    place.mkdir(mode=0o700, parents=True)
    run = RunFolder(place)
    run.write_text("plan.json", job.plan.to_json())
    run.write_text("schema.json", job.records.schema.to_json())
    about = RunAbout("2026-01-01T00:00:00+00:00", job.purpose, stained=job.seed is not None)
    run.write_text(ABOUT, json.dumps(asdict(about)))
    work(job, holding(job, run), os.getpid())
    return run


def split_of(evidence: Evidence) -> Split:
    """The parts of the table of a run."""
    return Split.of(evidence.records, begun_of(evidence).parts)


@dataclass(frozen=True)
class Counting:
    """Counts the records of each part, in two steps."""

    name: ClassVar[str] = "counting"

    note: str = ""

    def work(self, evidence: Evidence, folder: Path, told: TellProgress) -> None:
        told(0, "counting", 2)
        split = split_of(evidence)
        counts = [len(each) for each in (split.seeds, split.held_out)]
        told(1, "writing")
        said = {"note": self.note, "counts": counts, "released": len(evidence.released or ())}
        (folder / "counts.json").write_text(json.dumps(said), encoding="utf-8")


@dataclass(frozen=True)
class Endless:
    """Never comes to an end, and looks whether it is to be cancelled again and again, or never."""

    name: ClassVar[str] = "counting"

    looks: bool = True

    def work(self, evidence: Evidence, folder: Path, told: TellProgress) -> None:
        (folder / "half").write_text("half", encoding="utf-8")
        told(1, "waiting", 3)
        while self.looks:
            told(1, "waiting")
            time.sleep(0.02)
        signal.pause()


@dataclass(frozen=True)
class Failing:
    """Fails in one way or another, after it wrote something."""

    name: ClassVar[str] = "counting"

    how: str

    def work(self, evidence: Evidence, folder: Path, told: TellProgress) -> None:
        (folder / "half").write_text("half", encoding="utf-8")
        told(0, "failing", 1)
        errors = {
            "refusal": Refusal("It cannot be counted.", "Count something else."),
            "memory": MemoryError(),
            "disk": OSError(28, "No space left on device"),
            "fault": RuntimeError("cell value 4711"),
        }
        raise errors[self.how]
