"""Starting a run and listing the runs of a home folder."""

from __future__ import annotations

import json
import os
import pickle
import secrets
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from engine.refusal import Refusal
from engine.runs.folder import Progress, RunFolder
from engine.runs.work import Job
from engine.runs.worker import disk_trouble
from engine.synthesis.promise import Promise, promise


def home() -> Path:
    """Where runs are kept: $UNDERSTUDY_HOME, or .understudy in the user's home."""
    chosen = os.environ.get("UNDERSTUDY_HOME")
    return Path(chosen) if chosen else Path.home() / ".understudy"


def runs(place: Path) -> tuple[RunFolder, ...]:
    """Every run of a home folder, newest first.

    Raises:
        Refusal: the folder cannot be read.
    """
    if not place.is_dir():
        return ()
    try:
        found = [RunFolder(path) for path in place.iterdir() if (path / "spend.json").exists()]
    except OSError:
        raise Refusal(
            f"The folder for runs, {place}, cannot be read.",
            "Give yourself the right to read it, or name another in $UNDERSTUDY_HOME.",
            field="out",
        ) from None
    return tuple(sorted(found, key=lambda folder: folder.identity, reverse=True))


def start(job: Job, place: Path) -> RunFolder:
    """Debit the run, then start a process that does it, and return at once.

    Args:
        job: what to do, on which records.
        place: the home folder; the run gets a folder of its own in it.

    Raises:
        Refusal: the plan cannot keep its promise, counts on more records than the table has,
            or the place cannot be written. Nothing is spent then.
    """
    made = promise(job.plan, job.records.schema)
    _check_records(job, made)
    now = datetime.now(UTC)
    folder = RunFolder(place / f"{now:%Y%m%dT%H%M%S}-{job.purpose}-{secrets.token_hex(3)}")
    try:
        place.mkdir(parents=True, exist_ok=True)
        # Nobody else on this machine may look at the internal figures.
        folder.path.mkdir(mode=0o700)
        folder.write_text("plan.json", job.plan.to_json())
        folder.write_text("schema.json", job.records.schema.to_json())
        spends = job.purpose == "release"
        spend = {
            "at": now.isoformat(),
            "purpose": job.purpose,
            "stained": job.seed is not None,
            "epsilon": made.total.epsilon if made.total.bounded and spends else None,
            "delta": made.total.delta if made.total.bounded and spends else None,
            "bounded": made.total.bounded,
        }
        folder.report(Progress("starting", job.plan.attempts, started=time.time()))
        folder.write_text("spend.json", json.dumps(spend, indent=2))
    except OSError as error:
        raise Refusal(
            f"The folder for runs, {place}, cannot be used.", disk_trouble(error), field="out"
        ) from None
    _launch(job, folder)
    return folder


def _check_records(job: Job, made: Promise) -> None:
    """Refuse a table that is smaller than the plan says is publicly known.

    A table that bears out what is publicly known is never refused, so a refusal tells nothing
    about it.
    """
    if made.records_at_least is None or len(job.records) >= made.records_at_least:
        return
    raise Refusal(
        f"The plan counts on at least {job.plan.seeds_at_least:,} seed records, for which the "
        f"table must have {made.records_at_least:,} records, and it has fewer.",
        "Count on fewer seed records, as many as are publicly known to be there, or give the "
        "seeds a larger share.",
        field="seeds_at_least",
    )


def _launch(job: Job, folder: RunFolder) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "engine.runs.worker", str(folder.path.resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    folder.report(replace(folder.progress(), process=process.pid))
    assert process.stdin is not None
    with process.stdin:
        try:
            pickle.dump(job, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        except BrokenPipeError:
            return
    threading.Thread(target=process.wait, name=f"reap {folder.identity}", daemon=True).start()


def wait(folder: RunFolder, every: float = 0.1) -> Progress:
    """Block until the run has ended."""
    while not (progress := folder.progress()).ended:
        time.sleep(every)
    return progress
