"""What a run does, in order. It knows nothing of processes: see worker.py for those."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Literal

from understudy.core.progress import on_stage
from understudy.mechanisms.mechanism import (
    Evidence,
    FellShort,
    Mechanism,
    PlannedRun,
    State,
    in_memory,
)
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_run
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import Tape
from understudy.runs import checkpoint, evidence
from understudy.runs.checkpoint import erase
from understudy.runs.folder import RecordsOf, RunFolder
from understudy.runs.release import Releasing, stop_if_asked
from understudy.runs.resources import Resources
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.table.records import Records
from understudy.table.sources.streamed_table import StreamedTable

_LOOK_AT = 20_000

Purpose = Literal["release", "rehearsal"]


@dataclass(frozen=True)
class Job:
    """Everything the worker is handed. Held in memory and sent through a pipe, never to disk.

    Attributes:
        records: the confidential table, or where it is read piece by piece.
        plan: what to do.
        seed: a fixed seed, which stains the release; None for a private one.
        purpose: a release, or a rehearsal that learns and scores but releases nothing.
        figures: whether figures are made for the custodian at the end.
        records_of: what the records are; another than the confidential table only to rehearse.
        named: which table stands in for it, as its file or run is called.
        resumed: whether the records were brought again by somebody, so that they have to be
            recognised. A release has its own secret in its folder, and `seed` is not looked at.
        resources: what it may use.
        made: the plan with what follows from it, where that is worked out already.

    Raises:
        ValueError: a release of a table that only stands in, or figures of one that is not in
            memory.
    """

    records: Records | StreamedTable
    plan: MechanismPlan
    seed: int | None = None
    purpose: Purpose = "release"
    figures: bool = True
    records_of: RecordsOf = "confidential"
    named: str = ""
    resumed: bool = False
    resources: Resources = field(default_factory=Resources)
    made: PlannedRun | None = None

    def __post_init__(self) -> None:
        if self.purpose == "release" and self.records_of != "confidential":
            raise ValueError("a table that stands in for the confidential one is only rehearsed on")
        if self.figures and isinstance(self.records, StreamedTable):
            raise ValueError("figures need the table in memory")

    def planned_run(self) -> PlannedRun:
        """Return the plan with what follows from it.

        Raises:
            Refusal: the plan does not fit the table's schema, or cannot keep its promise.
        """
        return self.made or plan_run(self.plan, self.records.schema)


def check_in_memory(
    mechanism: Mechanism, plan: MechanismPlan, records: Records | StreamedTable
) -> None:
    """Check that a plan can be run on records that are read piece by piece, where these are.

    Raises:
        Refusal: it looks at all of them at once.
    """
    why = mechanism.requires_memory_reason(plan)
    if why is not None:
        in_memory(records, why)


def work(job: Job, folder: RunFolder, process: int) -> Progress:
    """Do the run, or what is left of it, reporting to its folder, and publish the release by
    rename.

    Raises:
        Cancelled: the run was cancelled; nothing is released.
        FellShort: there is less than the plan says; nothing is released.
        Refusal: the run cannot go on, or its table cannot be read. Nothing is released, and
            where it can be resumed, what it goes on from stays.
        OSError: a file could not be written; nothing is released, and the run can be resumed.
    """
    made = job.planned_run()
    steps = made.mechanism.steps(job.plan)
    progress = folder.report(Progress("splitting", steps, started=time.time(), process=process))
    secret, state = _begin(job, made, folder, progress)
    if job.purpose == "release":
        workers = job.resources.workers
        try:
            releasing = Releasing(
                made, job.records, state, secret, folder, job.resources.form, workers
            )
            progress = releasing.publish(progress)
        except (WorkCancelled, FellShort):
            erase(folder)
            raise
    if job.figures and isinstance(job.records, Records):
        progress = folder.report(replace(progress, state="evaluating"))
        _look(job, made, job.records, secret, state, folder)
    return folder.report(replace(progress, state="finished"))


def _begin(
    job: Job, made: PlannedRun, folder: RunFolder, progress: Progress
) -> tuple[Secret, State]:
    """Return the run up to its first output: as it was kept, or learned now. A release keeps it
    before that output, and nothing that was drawn shows before that."""
    if job.purpose == "rehearsal":
        secret = Secret.fresh() if job.seed is None else Secret.fixed(job.seed)
        return secret, _learn(job, made, folder, progress, secret, None)
    held = checkpoint.load_start(folder, job.plan)
    if job.resumed:
        held.fingerprint.check(job.records)
    state = checkpoint.load_learned(folder, made)
    if state is not None:
        return held.secret, state
    if made.mechanism.uses_external_randomness(job.plan):
        checkpoint.note_external_randomness(folder)
    with checkpoint.open_tape(folder, held.secret) as tape:
        state = _learn(job, made, folder, progress, held.secret, tape)
    checkpoint.save_learned(folder, held, state)
    return held.secret, state


def _learn(
    job: Job,
    made: PlannedRun,
    folder: RunFolder,
    progress: Progress,
    secret: Secret,
    tape: Tape | None,
) -> State:
    """Draw and learn all that comes before the first output."""
    progress = folder.report(replace(progress, state="learning"))
    with on_stage(lambda step: _at(folder, progress, step)):
        state = made.mechanism.begin(made, job.records, secret, tape)
    stop_if_asked(folder)
    return state


def _at(folder: RunFolder, progress: Progress, step: str) -> None:
    """Report the step of learning that is begun; stop there where somebody asked for it."""
    stop_if_asked(folder)
    folder.report(replace(progress, message=step))


def _look(
    job: Job, made: PlannedRun, records: Records, secret: Secret, state: State, folder: RunFolder
) -> None:
    """Have the run leave what the custodian may look at."""
    tables = {}
    if job.purpose == "release" and folder.release.exists():
        tables = evidence.read_first_tables(folder, made, _LOOK_AT)
    source = secret.source("figures")
    looked_at = Evidence(made, records, state, tables)
    found = made.mechanism.quick_report(made, records, state, looked_at.released, source)
    if found is not None:
        evidence.keep_evidence(folder, records, found.select_kept(state.arrays()))
        found.figures.save(folder.internal)
