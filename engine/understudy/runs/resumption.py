"""Resuming a run whose process is gone, or giving it up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from understudy.core.refusal import Refusal
from understudy.ledger.events import Resumed
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.plan import MechanismPlan
from understudy.runs.checkpoint import Held, erase, load_learned, load_start
from understudy.runs.control import home_ledger, launch_worker, refuse_disk_errors
from understudy.runs.evidence import read_planned_run
from understudy.runs.folder import RunFolder
from understudy.runs.resources import Resources
from understudy.runs.work import Job, check_in_memory
from understudy.runs.work_folder import Progress
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

_LETTING_GO_TAKES = 5.0
"""Seconds until the lock of a process that was killed is lifted."""

STAYS_SPENT = (
    "The run’s ε stays spent, and with that table it goes on for nothing further; with another, it "
    "would be a new run and a new spend."
)
"""What is said where the table of a run that could go on is refused."""


def can_resume(run: RunFolder) -> bool:
    """Return whether a run was interrupted and can go on."""
    with suppress(Refusal):
        return run.can_go_on and run.progress().ended
    return False


def resume(
    run: RunFolder,
    records: Records | StreamedTable,
    *,
    ledger: Ledger | None = None,
    resources: Resources | None = None,
) -> RunFolder:
    """Let a run go on whose process is gone, in another process, and return at once.

    It is the same run of the same attempts: nothing is debited, and its release is the one that
    it would have come to without the interruption. Of two who ask at once, one is refused.

    Args:
        run: the run.
        records: the table it was made from, coded as it was then; see `evidence.encode_as_run`.
        ledger: where it was debited; in that of the home folder if left out.
        resources: what it may use from here on; the kind of its file stays what it was.

    Raises:
        Refusal: it cannot go on, has a process still, was not debited here or not for this plan,
            or this is not its table: the run is then as it was. Or no process could be started.
    """
    ledger = ledger or home_ledger()
    made = read_planned_run(run)
    plan, schema = made.plan, made.schema
    with _reclaim_lock(ledger, run) as lock:
        if not (run.can_go_on and _idle(run)):
            raise _not_resumable(run)
        if _fits(records, schema):
            records = _rebucket(records, schema)
        kept = load_start(run, plan)
        _check_table(kept, records)
        _check_paid(ledger, run, plan, stained=kept.secret.seeded)
        load_learned(run, made)
        resources = replace(resources or Resources(), form=run.about().form)
        mechanism = made.mechanism
        check_in_memory(mechanism, plan, records)
        mechanism.check_workers(resources.workers)
        job = Job(records, plan, figures=kept.figures, resumed=True, resources=resources, made=made)
        if not ledger.note(run.identity, Resumed()):
            raise _not_resumable(run)
        done, steps = run.read_progress().done, mechanism.steps(plan)
        run.full.unlink(missing_ok=True)
        with refuse_disk_errors(run.path):
            run.report(Progress("starting", steps, done=done, started=time.time()))
        launch_worker(job, run, lambda: None, ledger, lock)
    return run


def give_up(run: RunFolder, *, ledger: Ledger | None = None) -> None:
    """End a run for good that could be resumed. What it cost stays spent.

    Raises:
        Refusal: it cannot be resumed, or has a process still.
    """
    with _reclaim_lock(ledger or home_ledger(), run):
        if not (run.can_go_on and _idle(run)):
            raise _not_resumable(run)
        with refuse_disk_errors(run.path):
            run.cancel()
            erase(run)
            run.report(replace(run.read_progress(), state="cancelled", message=""))
    (ledger or home_ledger()).underway.forget(run.identity)


def _idle(run: RunFolder) -> bool:
    """Return whether a run whose lock is free has no process: one that never had any has no more to
    say, and is not waited for."""
    with suppress(Refusal):
        return not run.read_progress().process or run.progress().ended
    return False


def _check_table(kept: Held, records: Records | StreamedTable) -> None:
    """Check that these are the records of the run.

    Raises:
        Refusal: they are not, or cannot be read to their end.
    """
    try:
        kept.fingerprint.check(records)
    except Refusal as refusal:
        remedy = f"{refusal.remedy} {STAYS_SPENT}"
        raise Refusal(refusal.problem, remedy, field=refusal.field) from None


def _rebucket(records: Records | StreamedTable, schema: Schema) -> Records | StreamedTable:
    """Return the same records, with the buckets of another schema."""
    if isinstance(records, StreamedTable):
        return replace(records, schema=schema)
    return records.under(schema)


def _fits(records: Records | StreamedTable, schema: Schema) -> bool:
    """Return whether records have the columns of a schema; buckets do not matter."""
    return [(each.name, each.texts) for each in records.schema.columns] == [
        (each.name, each.texts) for each in schema.columns
    ]


def _check_paid(ledger: Ledger, run: RunFolder, plan: MechanismPlan, *, stained: bool) -> None:
    """Check that a run would go on with what it was debited for.

    Raises:
        Refusal: its plan is another by now, or it has a fixed seed only by now, or no longer.
    """
    found = ledger.book().runs.get(run.identity)
    if found is None or (found.debit.plan, found.debit.stained) == (plan.publish(), stained):
        return  # one that the ledger does not know is refused when that is noted there
    raise Refusal(
        f"The plan of the run “{run.identity}” is no longer the one that it was debited for.",
        "Put back the run's files as they were, or start a new run, which is a new spend.",
        field="resume",
    )


@contextmanager
def _reclaim_lock(ledger: Ledger, run: RunFolder) -> Iterator[int]:
    """Hold the lock of a run whose process is gone.

    Raises:
        Refusal: it is not gone, or somebody else sees to the run.
    """
    with ExitStack() as stack:
        with refuse_disk_errors(ledger.path.parent, field="ledger"):
            try:
                lock = stack.enter_context(
                    ledger.underway.claim(run.identity, run.path, _LETTING_GO_TAKES)
                )
            except BlockingIOError:
                raise Refusal(
                    f"The run “{run.identity}” is under way.", "Watch it on the Generate page."
                ) from None
        yield lock


def _not_resumable(run: RunFolder) -> Refusal:
    """Return why a run cannot go on."""
    if run.release.exists():
        return Refusal(
            f"The run “{run.identity}” cannot be resumed: it has finished, and its table is there.",
            "Release it, or hand it over with `understudy synthesize --resume`, which spends "
            "nothing further.",
            field="resume",
        )
    if run.cancelling:
        said = "it was cancelled, and what it could have gone on from is erased"
    elif run.can_go_on:
        said = "it has a process still"
    elif run.alone.exists():
        said = (
            "it was interrupted while a third-party model learned, which draws random numbers "
            "of its own"
        )
    else:
        said = "it left nothing to go on from"
    return Refusal(
        f"The run “{run.identity}” cannot be resumed: {said}.",
        "Its ε stays spent. Start a new run, which is a new spend.",
        field="resume",
    )
