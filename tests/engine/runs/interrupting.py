"""Runs that are interrupted, at a step of one's choice, in this process."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.asked import seedless, table
from tests.support import holding, started
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.outputs import Chunk
from understudy.mechanisms.registry import mechanism_of
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.tape import KeptTape
from understudy.runs import control
from understudy.runs import release as releasing
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import ReleasedCsv, ReleasedParquet, read_first_records
from understudy.runs.work import Job, work

TEST = privacy_test("relative-sensitivity", 20, 1.0)
SEEDBASED: dict[str, Any] = {"test": TEST, "attempts": 90, "delta": 1e-3, "seeds_at_least": 60}
PLANS = {
    "hidden ω": seedless(omega=Omega(low=1, high=3), **SEEDBASED),
    "announced ω": seedless(omega=Omega(low=1, high=3, reading="announced"), **SEEDBASED),
    "releases": seedless(
        omega=Omega(low=2, high=2),
        protocol="releases",
        pass_floor=0.2,
        **{**SEEDBASED, "attempts": 61},
    ),
}
BATCHES = 3
"""How many of 32 attempts the runs of the first two plans make."""

JOB = Job(table(), PLANS["hidden ω"])


_GROWING = ("add", "settle", "finish")


class Killed(BaseException):
    """Stands for the end of a process: nothing that tidies up after an error catches it."""


@contextmanager
def killed(at: int) -> Iterator[list[str]]:
    """The run inside is killed at the so manieth step of its attempts, before or after it.

    Yields:
        The steps that were gone through.
    """
    steps: list[str] = []

    def step(name: str) -> None:
        steps.append(name)
        if len(steps) == at + 1:
            raise Killed

    def around(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*arguments: Any, **named: Any) -> Any:
            step(f"before {name}")
            result = call(*arguments, **named)
            step(f"after {name}")
            return result

        return stepped

    with pytest.MonkeyPatch.context() as hooks:
        for owner, name in (
            *((kind, name) for kind in (ReleasedCsv, ReleasedParquet) for name in _GROWING),
            (releasing, "save_position"),
            (releasing, "replace_text"),
            (releasing, "sync_folder"),
            (releasing, "erase"),
        ):
            hooks.setattr(owner, name, around(name.strip("_"), getattr(owner, name)))
        yield steps


def folder_of(job: Job, place: Path) -> RunFolder:
    """The folder of a run that is debited and not begun."""
    place.mkdir(mode=0o700, parents=True)
    run = RunFolder(place)
    run.write_text("plan.json", job.plan.to_json())
    run.write_text("schema.json", job.records.schema.to_json())
    return holding(job, run)


def begun(job: Job, place: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run that was killed just before its first attempt."""
    run = folder_of(job, place)
    with monkeypatch.context() as stopped:
        stopped.setattr(releasing.Releasing, "publish", dies)
        with pytest.raises(Killed):
            work(job, run, os.getpid())
    return run


def dies(*_: object, **__: object) -> None:
    """The process ends here."""
    raise Killed


def killed_and_gone_on(
    job: Job, after: int, place: Path, meanwhile: Callable[[RunFolder], object] = str
) -> RunFolder:
    """A run that was killed after so many parts of its outputs and then gone on with, of whichever
    method, with something done to its folder in between. It released the very bytes of one that
    nothing happened to."""
    method = type(mechanism_of(job.plan))
    whole, begun = (holding(job, RunFolder(place / name)) for name in ("whole", "begun"))
    with pytest.MonkeyPatch.context() as always:
        always.setattr(releasing, "_CHECKPOINT_EVERY", 0.0)
        always.setattr(releasing, "_CHECKPOINTS_TAKE", 1e9)
        work(job, whole, os.getpid())
        with pytest.MonkeyPatch.context() as dying:
            dying.setattr(method, "release", _dying(method.release, after))
            with pytest.raises(Killed):
                work(job, begun, os.getpid())
        assert not begun.release.exists()
        meanwhile(begun)
        work(replace(job, resumed=True), begun, os.getpid())
    assert _released(begun) == _released(whole)
    return begun


def _dying(release: Callable[..., Iterator[Chunk]], after: int) -> Callable[..., Iterator[Chunk]]:
    def released(*arguments: Any) -> Iterator[Chunk]:
        yield from islice(release(*arguments), after)
        raise Killed

    return released


def _released(run: RunFolder) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in run.release.iterdir()}


def drawn(job: Job, run: RunFolder, stop_after: int | None = None) -> tuple[int, int]:
    """How often something is drawn, and answered from the tape, while a run learns, which is
    killed after so many draws."""
    fresh = replayed = 0
    put, replay = KeptTape._put, KeptTape._replay

    def counted(*arguments: Any) -> None:
        nonlocal fresh
        put(*arguments)
        fresh += 1
        if fresh == stop_after:
            raise Killed

    def answered(*arguments: Any) -> Any:
        nonlocal replayed
        found = replay(*arguments)
        replayed += found is not None
        return found

    with pytest.MonkeyPatch.context() as hooks, suppress(Killed):
        hooks.setattr(KeptTape, "_put", counted)
        hooks.setattr(KeptTape, "_replay", answered)
        work(job, run, os.getpid())
    return fresh, replayed


def copied(run: RunFolder, place: Path) -> RunFolder:
    return RunFolder(Path(shutil.copytree(run.path, place)))


def gone_on(job: Job, run: RunFolder) -> bytes:
    """The table that an interrupted run comes to."""
    assert work(replace(job, resumed=True), run, os.getpid()).state == "finished"
    assert not run.partial.exists()
    said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert run.artefacts() is not None
    assert said["table"]["rows"] == len(read_first_records(run.table, job.records.schema, 10**6))
    return run.table.read_bytes()


def cut(path: Path, to: int) -> None:
    path.write_bytes(path.read_bytes()[:to])


@dataclass(frozen=True)
class InLedger:
    """A run in a ledger, done in this process."""

    place: Path
    ledger: Ledger

    @property
    def run(self) -> RunFolder:
        (found,) = control.list_runs(self.place)
        return found

    @property
    def kinds(self) -> list[str]:
        return [json.loads(line)["kind"] for line in self.ledger.export().splitlines()]


def interrupted(debited: InLedger, at: int = 12, job: Job = JOB) -> RunFolder:
    """A run that was killed in the middle, as whoever looks next finds it."""
    with killed(at), pytest.raises(Killed):
        started(job, debited.place, ledger=debited.ledger)
    gone(debited.run)
    return debited.run


def gone(run: RunFolder) -> None:
    """Let a run look as if its process were another."""
    said = json.loads(run.read_text("progress.json"))
    run.write_text("progress.json", json.dumps({**said, "born": "another"}))
