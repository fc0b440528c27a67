"""What a run does, in order. It knows nothing of processes: see worker.py for those."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.evaluation.comparison import Compared, compare
from engine.mechanisms.seedbased.attempts import Decision
from engine.mechanisms.seedbased.evaluation.figures import Figures, draw_pools, omegas_to_show
from engine.mechanisms.seedbased.evaluation.pool import Pools
from engine.mechanisms.seedbased.evaluation.tables import Making, comparable
from engine.mechanisms.seedbased.learning import learn, learn_baseline
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import promise
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.sequential import Sequential
from engine.models.streamed import StreamedSplit
from engine.privacy.randomness import RandomSource, Secret
from engine.privacy.tape import Tape
from engine.runs import evidence, unfinished
from engine.runs.folder import RecordsOf, RunFolder
from engine.runs.goal import FellShort
from engine.runs.released import first_records
from engine.runs.releasing import Releasing, stop_if_asked
from engine.runs.resources import Means
from engine.runs.unfinished import Begun, forget
from engine.runs.watched import Cancelled, Progress
from engine.table.records import Records
from engine.table.sources.streamed import StreamedTable
from engine.table.split import Split, assign

_LOOK_AT = 20_000
_COMPARED = 10_000
_PROPOSED = 20_000

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
        means: what it may use.

    Raises:
        ValueError: a release of a table that only stands in, or figures of one that is not in
            memory.
    """

    records: Records | StreamedTable
    plan: Plan
    seed: int | None = None
    purpose: Purpose = "release"
    figures: bool = True
    records_of: RecordsOf = "confidential"
    named: str = ""
    resumed: bool = False
    means: Means = field(default_factory=Means)

    def __post_init__(self) -> None:
        if self.purpose == "release" and self.records_of != "confidential":
            raise ValueError("a table that stands in for the confidential one is only rehearsed on")
        if self.figures and isinstance(self.records, StreamedTable):
            raise ValueError("figures need the table in memory")


def work(job: Job, folder: RunFolder, process: int) -> Progress:
    """Do the run, or what is left of it, reporting to its folder, and publish the release by
    rename.

    Raises:
        Cancelled: the run was cancelled; nothing is released.
        FellShort: under “releases”, too few candidates pass; nothing is released.
        Refusal: the run cannot go on, or its table cannot be read. Nothing is released, and
            where it can be resumed, what it goes on from stays.
        OSError: a file could not be written; nothing is released, and the run can be resumed.
    """
    plan, schema = job.plan, job.records.schema
    progress = folder.report(
        Progress("splitting", plan.attempts, started=time.time(), process=process)
    )
    run = _begun(job, folder, progress)
    parts = _dealt(job, run.parts)
    released = None
    if job.purpose == "release":
        try:
            releasing = Releasing(
                plan, parts.seeds, run, folder, job.means.form, job.means.executor()
            )
            progress = releasing.publish(progress)
        except (Cancelled, FellShort):
            forget(folder)
            raise
    if job.figures and isinstance(parts, Split) and isinstance(job.records, Records):
        if job.purpose == "release":
            released = first_records(folder.table, schema, _LOOK_AT)
        progress = folder.report(replace(progress, state="evaluating"))
        source = run.secret.source("figures")
        baseline = learn_baseline(plan, parts, source)
        evidence.keep(folder, job.records, run.parts, run.network, baseline)
        _figures(job, run.network, baseline, parts, released, source).save(folder.internal)
    return folder.report(replace(progress, state="finished"))


def _begun(job: Job, folder: RunFolder, progress: Progress) -> Begun:
    """The run up to its first attempt: as it was kept, or learned now. A release keeps it before
    that attempt, and nothing that was drawn shows before that."""
    if job.purpose == "rehearsal":
        secret = Secret.fresh() if job.seed is None else Secret.fixed(job.seed)
        return _learned(job, folder, progress, secret, None)
    held = unfinished.held(folder)
    if job.resumed:
        held.fingerprint.check(job.records)
    run = unfinished.begun(folder, held, job.records.schema)
    if run is not None:
        return run
    if job.plan.model.outside is not None:
        unfinished.learns_alone(folder)
    with unfinished.tape(folder, held.secret) as tape:
        run = _learned(job, folder, progress, held.secret, tape)
    unfinished.keep(folder, held, run)
    return run


def _learned(
    job: Job, folder: RunFolder, progress: Progress, secret: Secret, tape: Tape | None
) -> Begun:
    """Deal the records into parts and learn the model."""
    parts = assign(len(job.records), job.plan.shares, secret.source("split"))
    folder.report(replace(progress, state="learning"))
    dealt, source = _dealt(job, parts), secret.source("model")
    learned = learn(job.plan, job.records.schema, dealt, source, tape)
    stop_if_asked(folder)
    return Begun(secret, parts, learned.network)


def _dealt(job: Job, parts: npt.NDArray[np.uint8]) -> Split | StreamedSplit:
    """The records in their parts."""
    if isinstance(job.records, StreamedTable):
        return StreamedSplit(job.records, parts)
    return Split.of(job.records, parts)


def _figures(
    job: Job,
    network: Sequential,
    baseline: Sequential,
    parts: Split,
    released: Records | None,
    source: RandomSource,
) -> Figures:
    plan = job.plan
    omegas = omegas_to_show(plan.omega, len(job.records.schema.columns))
    compared: tuple[Compared, ...] = ()
    if released is not None:
        decision = Decision(plan.test, promise(plan, job.records.schema).pass_cap)
        making = Making(parts, network, baseline, decision, plan.omega, omegas)
        compared = compare(comparable(making, released, _COMPARED, source), parts.held_out)
    drawn = draw_pools(network, parts.seeds, plan.model.epsilon, omegas, source)
    return Figures(
        parents=network.parents,
        order=network.order,
        compared=compared,
        samples=tuple(each.sample for each in drawn),
        pools=Pools.around(drawn, parts, baseline, source),
        effective=(
            network.effective(_PROPOSED, source) if isinstance(network, BayesianNetwork) else None
        ),
    )
