"""Starting a run, resuming one, and listing the runs of a folder."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from engine.ledger.book import Dataset
from engine.ledger.events import Failed, Resumed
from engine.ledger.ledger import Debit, Ledger
from engine.ledger.store import make_private
from engine.refusal import Refusal
from engine.runs.debit import debited
from engine.runs.evidence import decided
from engine.runs.folder import ABOUT, About, RunFolder
from engine.runs.process import RESUMABLE, RUN, disk_trouble, launch
from engine.runs.unfinished import begun, forget, wants_figures
from engine.runs.watched import Progress, Watched
from engine.runs.work import Job
from engine.synthesis.promise import Promise, promise
from engine.table.records import Records
from engine.table.schema import Schema

_HIDDEN = "."
_LETTING_GO_TAKES = 5.0
"""Seconds until the lock of a process that was killed is lifted."""


def home() -> Path:
    """Where runs are kept: $UNDERSTUDY_HOME, or .understudy in the user's home."""
    chosen = os.environ.get("UNDERSTUDY_HOME")
    return Path(chosen) if chosen else Path.home() / ".understudy"


def home_ledger() -> Ledger:
    """The ledger of the home folder, which every run is debited in, wherever its files go."""
    return Ledger(home() / "ledger.sqlite")


def runs(place: Path) -> tuple[RunFolder, ...]:
    """Every run of a home folder, newest first.

    Raises:
        Refusal: the folder cannot be read.
    """
    if not place.is_dir():
        return ()
    try:
        found = [
            RunFolder(path)
            for path in place.iterdir()
            if (path / ABOUT).exists() and not path.name.startswith(_HIDDEN)
        ]
    except OSError:
        raise Refusal(
            f"The folder for runs, {place}, cannot be read.",
            "Give yourself the right to read it, or name another in $UNDERSTUDY_HOME.",
            field="out",
        ) from None
    return tuple(sorted(found, key=lambda folder: folder.identity, reverse=True))


def start(
    job: Job, place: Path, *, dataset: Dataset | None = None, ledger: Ledger | None = None
) -> RunFolder:
    """Debit the run, then start a process that does it, and return at once.

    A rehearsal releases nothing and is not debited.

    Args:
        job: what to do, on which records.
        place: the folder that the run gets a folder of its own in.
        dataset: what the records are of, as `Ledger.identify` found it; found from the records
            alone if left out.
        ledger: where the run is debited; in that of the home folder if left out.

    Raises:
        Refusal: the plan cannot keep its promise or counts on more records than the table has,
            the budget of the dataset would be exceeded, or the place or the ledger cannot be
            written: nothing is spent then. Or no process could be started after the debit.
    """
    made = promise(job.plan, job.records.schema)
    _check_records(job, made)
    now = datetime.now(UTC)
    folder = RunFolder(place / f"{now:%Y%m%dT%H%M%S}-{job.purpose}-{secrets.token_hex(4)}")
    with _prepared(job, folder, now) as publish:
        if job.purpose == "rehearsal":
            _begin(job, folder, publish)
            return folder
        ledger = ledger or home_ledger()
        dataset = dataset or ledger.identify(job.records)
        with _claimed(ledger, folder) as lock:
            what = debited(job.plan, made, stained=job.seed is not None, purpose=job.purpose)
            ledger.debit(Debit(folder.identity, dataset, what))
            _begin(job, folder, publish, ledger, lock)
    return folder


def resumable(run: RunFolder) -> bool:
    """Whether a run was interrupted after its first checkpoint, so that it can go on."""
    with suppress(Refusal):
        return run.can_go_on and run.progress().ended
    return False


def resume(run: RunFolder, records: Records, *, ledger: Ledger | None = None) -> RunFolder:
    """Let a run go on whose process is gone, in another process, and return at once.

    It is the same run of the same attempts: nothing is debited, and its release is the one that
    it would have come to without the interruption. Of two who ask at once, one is refused.

    Args:
        run: the run.
        records: the table it was made from, coded as it was then; see `evidence.recorded`.
        ledger: where it was debited; in that of the home folder if left out.

    Raises:
        Refusal: it cannot go on, has a process still, was not debited here, or this is not its
            table: the run is then as it was. Or no process could be started.
    """
    ledger = ledger or home_ledger()
    plan, schema = decided(run)
    with _reclaimed(ledger, run) as lock:
        if not resumable(run):
            raise _not_resumable(run)
        records = Records(schema, records.codes) if _fits(records, schema) else records
        begun(run, records)
        job = Job(records, plan, figures=wants_figures(run), resumed=True)
        if not ledger.note(run.identity, Resumed()):
            raise _not_resumable(run)
        done = run.reported().done
        with _spoken(run.path):
            run.report(Progress("starting", plan.attempts, done=done, started=time.time()))
        _begin(job, run, lambda: None, ledger, lock)
    return run


def give_up(run: RunFolder, *, ledger: Ledger | None = None) -> None:
    """End a run for good that could be resumed. What it cost stays spent.

    Raises:
        Refusal: it cannot be resumed, or has a process still.
    """
    with _reclaimed(ledger or home_ledger(), run):
        if not resumable(run):
            raise _not_resumable(run)
        with _spoken(run.path):
            run.cancel()
            forget(run)
            run.report(replace(run.reported(), state="cancelled", message=""))
    (ledger or home_ledger()).underway.forget(run.identity)


def _fits(records: Records, schema: Schema) -> bool:
    """Whether records have the columns of a schema; buckets do not matter."""
    return [(each.name, each.texts) for each in records.schema.columns] == [
        (each.name, each.texts) for each in schema.columns
    ]


@contextmanager
def _reclaimed(ledger: Ledger, run: RunFolder) -> Iterator[int]:
    """Hold the lock of a run whose process is gone.

    Raises:
        Refusal: it is not gone, or somebody else sees to the run.
    """
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(
                ledger.underway.claimed(run.identity, run.path, _LETTING_GO_TAKES)
            )
        except BlockingIOError:
            raise Refusal(
                f"The run “{run.identity}” is under way.", "Watch it on the Generate page."
            ) from None
        except OSError as error:
            raise _unusable(ledger.path.parent, error, "ledger") from None
        yield lock


def _not_resumable(run: RunFolder) -> Refusal:
    """Why a run cannot go on."""
    if run.release.exists():
        said = "it has finished, and its table is there"
    elif run.cancelling:
        said = "it was cancelled, and what it could have gone on from is erased"
    else:
        said = "it was interrupted before its model was learned and kept"
    return Refusal(
        f"The run “{run.identity}” cannot be resumed: {said}.",
        "Start a new run, which is a new spend.",
        field="resume",
    )


@contextmanager
def _prepared(job: Job, folder: RunFolder, now: datetime) -> Iterator[Callable[[], object]]:
    """Write the files of a run into a hidden folder, which is gone if the run is refused.

    Yields:
        What makes it the run's folder. As it needs no room on the disk, it comes after the debit.
    """
    hidden = RunFolder(folder.path.with_name(f"{_HIDDEN}{folder.identity}"))
    try:
        with _spoken(folder.path.parent):
            # Nobody else on this machine may look at the internal figures.
            make_private(folder.path.parent)
            hidden.path.mkdir(mode=0o700)
            hidden.write_text("plan.json", job.plan.to_json())
            hidden.write_text("schema.json", job.records.schema.to_json())
            stained = job.seed is not None
            about = About(now.isoformat(), job.purpose, stained, job.records_of, job.named)
            hidden.write_text(ABOUT, json.dumps(asdict(about)))
            hidden.report(Progress("starting", job.plan.attempts, started=time.time()))
        yield lambda: hidden.path.rename(folder.path)
    finally:
        shutil.rmtree(hidden.path, ignore_errors=True)


@contextmanager
def _claimed(ledger: Ledger, folder: RunFolder) -> Iterator[int]:
    """Hold the lock that tells that a run is under way; see `Underway.claimed`."""
    with ExitStack() as stack:
        with _spoken(ledger.path.parent, field="ledger"):
            lock = stack.enter_context(ledger.underway.claimed(folder.identity, folder.path))
        try:
            yield lock
        except Refusal:
            ledger.underway.forget(folder.identity)
            raise


@contextmanager
def _spoken(place: Path, field: str = "out") -> Iterator[None]:
    """What the disk says about a folder, in words."""
    try:
        yield
    except OSError as error:
        raise _unusable(place, error, field) from None


def _unusable(place: Path, error: OSError, field: str) -> Refusal:
    return Refusal(
        f"The folder for runs, {place}, cannot be used.", disk_trouble(error, RUN), field=field
    )


def _check_records(job: Job, made: Promise) -> None:
    """Refuse a table that is smaller than the plan says is publicly known.

    A table that bears out what is publicly known is never refused, so a refusal tells nothing
    about it.
    """
    if made.records_at_least is None or len(job.records) >= made.records_at_least:
        return
    if job.purpose == "rehearsal" and job.records_of != "confidential":
        return  # nothing is promised about a table that only stands in
    raise Refusal(
        f"The plan counts on at least {job.plan.seeds_at_least:,} seed records, for which the "
        f"table must have {made.records_at_least:,} records, and it has fewer.",
        "Count on fewer seed records, as many as are publicly known to be there, or give the "
        "seeds a larger share.",
        field="seeds_at_least",
    )


def _begin(
    job: Job,
    folder: RunFolder,
    publish: Callable[[], object],
    ledger: Ledger | None = None,
    lock: int | None = None,
) -> None:
    """Put a run's folder in its place and start its process.

    Raises:
        Refusal: the system would not have it; a debit stays spent.
    """
    try:
        publish()
        _launch(job, folder, ledger, lock)
    except OSError:
        raise _not_started(folder, ledger) from None


def _launch(
    job: Job, folder: RunFolder, ledger: Ledger | None = None, lock: int | None = None
) -> None:
    """Start the process of a run, hand it the lock, and send it the job."""
    places = [folder.path, *([] if ledger is None else [ledger.path])]
    launch("engine.runs.worker", places, job, folder, [] if lock is None else [lock])


def _not_started(folder: RunFolder, ledger: Ledger | None) -> Refusal:
    """That there is no process for a run, put down where it is looked for."""
    paid = "" if ledger is None else "Its budget counts as spent. "
    again = RESUMABLE.again if folder.can_go_on else RUN.again
    refusal = Refusal(
        "No process could be started for the run.", f"{paid}Close other programs, then {again}."
    )
    with suppress(OSError, Refusal):
        folder.report(replace(folder.progress(), state="failed", message=str(refusal)))
    if ledger is not None:
        with suppress(Refusal):
            ledger.note(folder.identity, Failed())
    return refusal


def wait(folder: Watched, every: float = 0.1) -> Progress:
    """Block until a run, or an inquiry into one, has ended."""
    while not (progress := folder.progress()).ended:
        time.sleep(every)
    return progress
