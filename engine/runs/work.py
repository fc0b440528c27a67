"""What a run does, in order. It knows nothing of processes: see worker.py for those."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.evaluation.comparison import Compared, compare
from engine.evaluation.figures import Figures, draw_pools, omegas_to_show
from engine.evaluation.pool import Pools
from engine.evaluation.tables import Making, comparable
from engine.models.sequential import Sequential
from engine.models.streamed import StreamedSplit
from engine.privacy.randomness import RandomSource, Secret
from engine.refusal import Refusal
from engine.runs import evidence, unfinished
from engine.runs.folder import RecordsOf, RunFolder
from engine.runs.means import Means
from engine.runs.released import first_records
from engine.runs.releasing import Releasing, stop_if_asked
from engine.runs.unfinished import Begun, begun, forget
from engine.runs.watched import Cancelled, Progress
from engine.synthesis.attempts import Decision
from engine.synthesis.learning import learn, learn_baseline
from engine.synthesis.plan import Plan
from engine.synthesis.promise import promise
from engine.table.records import Records
from engine.table.split import Split, assign
from engine.table.streamed import StreamedTable

_LOOK_AT = 20_000
_COMPARED = 10_000

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
        resumed: whether the run goes on from what it left; it then has its own secret, and `seed`
            is not looked at.
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
        Refusal: under “releases”, too few candidates pass; or the run cannot be resumed. Nothing
            is released.
        OSError: a file could not be written; nothing is released, and the run can be resumed.
    """
    plan, schema = job.plan, job.records.schema
    progress = folder.report(
        Progress("splitting", plan.attempts, started=time.time(), process=process)
    )
    run = begun(folder, job.records) if job.resumed else _begin(job, folder, progress)
    parts = _dealt(job, run.parts)
    released = None
    if job.purpose == "release":
        try:
            releasing = Releasing(
                plan, parts.seeds, run, folder, job.means.form, job.means.executor()
            )
            progress = releasing.publish(progress)
        except (Cancelled, Refusal):
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


def _begin(job: Job, folder: RunFolder, progress: Progress) -> Begun:
    """Deal the records into parts and learn the model. A release keeps both before its first
    attempt, and nothing that was drawn shows before that."""
    secret = Secret.fresh() if job.seed is None else Secret.fixed(job.seed)
    parts = assign(len(job.records), job.plan.shares, secret.source("split"))
    folder.report(replace(progress, state="learning"))
    learned = learn(job.plan, job.records.schema, _dealt(job, parts), secret.source("model"))
    stop_if_asked(folder)
    run = Begun(secret, parts, learned.network)
    if job.purpose == "release":
        unfinished.keep(folder, job.records, run, figures=job.figures)
    return run


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
    )
