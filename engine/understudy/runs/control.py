"""Starting a run, the room it needs on the disk, and listing the runs of a folder."""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from understudy.core import clock
from understudy.core.files import is_full, make_private, refuse_full_disk, sync_folder
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.ledger.book import Dataset
from understudy.ledger.events import Failed
from understudy.ledger.ledger import Debit, Ledger
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import Output
from understudy.mechanisms.registry import mechanism_of
from understudy.privacy.randomness import Secret
from understudy.runs.checkpoint import Fingerprint, Held, discard, save_start
from understudy.runs.debit import make_debit
from understudy.runs.folder import ABOUT, RunAbout, RunFolder
from understudy.runs.process import RESUMABLE, RUN, describe_disk_trouble, launch
from understudy.runs.work import Job, Purpose, check_in_memory
from understudy.runs.work_folder import Progress, Watched
from understudy.table.authoring.declaration import check_declared
from understudy.table.records import Records
from understudy.table.seed_mark import marked_schema
from understudy.table.sources.streamed_table import StreamedTable

_HIDDEN = "."
WAITS = "waits"
"""The field of a refusal after which a run that is paid for waits to be resumed."""


def home_ledger() -> Ledger:
    """Return the ledger of the home folder, which every run is debited in, wherever its files
    go."""
    return Ledger(home() / "ledger.sqlite")


def list_runs(place: Path) -> tuple[RunFolder, ...]:
    """Return every run of a home folder, newest first.

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


def make_run_name(purpose: Purpose) -> str:
    """Return a name for a new run. Names sort by when they were given."""
    return f"{clock.now():%Y%m%dT%H%M%S%f}-{purpose}-{secrets.token_hex(4)}"


def start(
    job: Job,
    place: Path,
    *,
    dataset: Dataset | None = None,
    ledger: Ledger | None = None,
    name: str | None = None,
) -> RunFolder:
    """Debit the run, then start a process that does it, and return at once.

    All that the run needs to go on is on the disk before the debit, so that no kill after it loses
    what was paid for. A rehearsal releases nothing and is not debited.

    Args:
        job: what to do, on which records.
        place: the folder that the run gets a folder of its own in.
        dataset: what the records are of, as `Ledger.identify` found it; found from the records
            alone if left out.
        ledger: where the run is debited; in that of the home folder if left out.
        name: of the run, as `make_run_name` gave it; a new one if left out.

    Raises:
        Refusal: the plan cannot keep its promise, looks at all records at once where they are read
            piece by piece, counts on more records than the table has or than the custodian
            confirmed to be public knowledge, the budget of the dataset would be exceeded, or the
            place or the ledger cannot be written: nothing is spent then. Or no process could be
            started after the debit.
    """
    made = job.planned_run()
    job = replace(job, made=made)
    check_start(job, made)
    folder = RunFolder(place / (name or make_run_name(job.purpose)))
    ledger = ledger or home_ledger()
    if job.purpose == "rehearsal":
        with _claim_lock(ledger, folder), _prepare_files(job, folder, None, ledger) as publish:
            launch_worker(job, folder, publish)
        ledger.underway.forget(folder.identity)
        return folder
    dataset = dataset or ledger.identify(job.records)
    secret = Secret.fresh() if job.seed is None else Secret.fixed(job.seed)
    held = Held(secret, Fingerprint.of(job.records), job.figures)
    what = make_debit(made, stained=job.seed is not None, purpose=job.purpose)
    with _claim_lock(ledger, folder) as lock:
        with _prepare_files(job, folder, held, ledger) as publish:
            ledger.debit(Debit(folder.identity, dataset, what))
        launch_worker(job, folder, publish, ledger, lock)
    return folder


def check_start(job: Job, made: PlannedRun) -> None:
    """Check that a job can be done and promises only what may be promised, as its start does.

    A table that bears out what is publicly known is never refused, so a refusal tells nothing
    about it. Nothing is promised about a table that only stands in.

    Args:
        job: what is to be done.
        made: its plan, with what it promises.

    Raises:
        Refusal: it cannot, or would; of the field that it is about. A release needs a schema that
            was declared public as it stands.
    """
    if job.purpose == "release":
        check_declared(made.schema)
    mechanism = made.mechanism
    check_in_memory(mechanism, job.plan, job.records)
    if job.purpose == "release" or job.records_of == "confidential":
        mechanism.check_records(made, _count_records(made, job.records))
    if job.purpose == "release" and job.seed is None:
        mechanism.check_public(made)
    if job.purpose == "release":
        mechanism.check_workers(job.resources.workers)


def _count_records(made: PlannedRun, records: Records | StreamedTable) -> int:
    """Return how many records there are; how many people, where the guarantee counts those."""
    if made.guarantee.whole_people and isinstance(records, Records) and records.whose is not None:
        return len(np.unique(records.whose))
    return made.mechanism.count_eligible(made, records)


def _steps(job: Job) -> int:
    return mechanism_of(job.plan).steps(job.plan)


@contextmanager
def _prepare_files(
    job: Job, folder: RunFolder, held: Held | None, ledger: Ledger
) -> Iterator[Callable[[], object]]:
    """Write the files of a run into a hidden folder, which is gone if the run is refused. Whatever
    else happens, it is left to whoever looks next, who knows whether the run was debited.

    Yields:
        What makes it the run's folder. As it needs no room on the disk, it comes after the debit.
    """
    hidden = folder.hidden
    try:
        with refuse_disk_errors(folder.path.parent):
            # Nobody else on this machine may look at the internal figures.
            make_private(folder.path.parent)
            hidden.path.mkdir(mode=0o700)
            hidden.write_text("plan.json", job.plan.to_json())
            hidden.write_text("schema.json", job.records.schema.to_json())
            hidden.write_text(ABOUT, json.dumps(asdict(_about(job))))
            hidden.report(Progress("starting", _steps(job), started=time.time()))
            if held is not None:
                save_start(hidden, held, job.plan)
                for each in (folder.path.parent, folder.path.parent.parent):
                    sync_folder(each)
        yield lambda: hidden.path.rename(folder.path)
    except Refusal:
        # A ledger on a disk that fails may refuse a debit and have it.
        if not _may_be_paid(ledger, folder):
            discard(hidden)
        raise


def _may_be_paid(ledger: Ledger, folder: RunFolder) -> bool:
    with suppress(Refusal):
        return folder.identity in ledger.book().runs
    return True


def _about(job: Job) -> RunAbout:
    return RunAbout(
        at=clock.now().isoformat(),
        purpose=job.purpose,
        stained=job.seed is not None,
        records_of=job.records_of,
        named=job.named,
        form=job.resources.form,
    )


@contextmanager
def _claim_lock(ledger: Ledger, folder: RunFolder) -> Iterator[int]:
    """Hold the lock that tells that a run is under way; see `Underway.claim`."""
    with ExitStack() as stack:
        with refuse_disk_errors(ledger.path.parent, field="ledger"):
            lock = stack.enter_context(ledger.underway.claim(folder.identity, folder.path))
        try:
            yield lock
        except Refusal:
            # Of a run that was debited, it says where the run is until its end is known.
            if not folder.hidden.path.exists() and not folder.path.exists():
                ledger.underway.forget(folder.identity)
            raise


@contextmanager
def refuse_disk_errors(place: Path, field: str = "out") -> Iterator[None]:
    """Turn an error of the disk about a folder into a `Refusal`."""
    try:
        yield
    except OSError as error:
        raise _unusable(place, error, field) from None


def _unusable(place: Path, error: OSError, field: str) -> Refusal:
    return Refusal(
        f"The folder for runs, {place}, cannot be used.",
        describe_disk_trouble(error, RUN, place),
        field=field,
    )


def launch_worker(
    job: Job,
    folder: RunFolder,
    publish: Callable[[], object],
    ledger: Ledger | None = None,
    lock: int | None = None,
) -> None:
    """Put a run's folder in its place and start its process.

    Args:
        job: what it does.
        folder: its folder.
        publish: what makes that its folder.
        ledger: where it was debited; None where it was not.
        lock: the file descriptor that tells that it is under way, for its process to inherit.

    Raises:
        Refusal: the system would not have it; a debit stays spent.
    """
    try:
        publish()
        _launch(job, folder, ledger, lock)
    except OSError as error:
        raise _not_started(folder, ledger, error) from None


def _launch(
    job: Job, folder: RunFolder, ledger: Ledger | None = None, lock: int | None = None
) -> None:
    """Start the process of a run, hand it the lock, and send it the job."""
    places = [folder.path, *([] if ledger is None else [ledger.path])]
    launch("understudy.runs.worker", places, job, folder, [] if lock is None else [lock])


def _not_started(folder: RunFolder, ledger: Ledger | None, error: OSError) -> Refusal:
    """Return that there is no process for a run, put down where it is looked for."""
    paid = "" if ledger is None else "Its budget counts as spent. "
    goes_on = folder.can_go_on or folder.hidden.can_go_on
    again = RESUMABLE.again if goes_on else RUN.again
    why = Refusal(
        "No process could be started for the run.", f"Close other programs, then {again}."
    )
    if is_full(error):
        why = refuse_full_disk(folder.path, again)
    field = WAITS if goes_on and ledger is not None else None
    refusal = Refusal(why.problem, f"{paid}{why.remedy}", field=field)
    with suppress(OSError, Refusal):
        folder.report(replace(folder.progress(), state="failed", message=str(refusal)))
    if ledger is not None:
        with suppress(Refusal):
            ledger.note(folder.identity, Failed())
    return refusal


def wait(
    folder: Watched,
    every: float = 0.1,
    on_progress: Callable[[Progress], None] | None = None,
) -> Progress:
    """Wait until a run, or an inquiry into one, has ended, and return how.

    Args:
        folder: of the work.
        every: seconds between two looks.
        on_progress: called at each look with how far it is.
    """
    while not (progress := folder.progress()).ended:
        if on_progress is not None:
            on_progress(progress)
        time.sleep(every)
    return progress


_FIGURES = 1 << 20


def count_bytes(decided: PlannedRun, *, stained: bool) -> int:
    """Return the most bytes that the outputs of a plan can come to.

    Args:
        decided: the plan.
        stained: whether every record says that the release is a demonstration.

    Raises:
        Refusal: it is one, and a table has no room to say so.
    """

    def of(output: Output) -> int:
        if output.schema is None:
            return _FIGURES
        shown = marked_schema(output.schema) if stained else output.schema
        return output.rows_at_most * sum(column.most_bytes + 3 for column in shown.full.columns)

    return sum(map(of, decided.outputs))


def check_room(place: Path, needed: int, elsewhere: str) -> None:
    """Check that a disk has room for a release, before anything is spent.

    Args:
        place: a folder on it, which need not be there yet.
        needed: how many bytes the release may come to.
        elsewhere: what takes it to another disk.

    Raises:
        Refusal: it has not.
    """
    there = next(each for each in (place, *place.parents) if each.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise Refusal(
            f"The release may come to {_size(needed)}, and the disk of {place} has "
            f"{_size(free)} left.",
            f"Free some space, make fewer attempts, or {elsewhere}.",
            field="out",
        )


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 10**8 else f"{count / 1e6:,.1f} MB"
