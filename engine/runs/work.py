"""What a run does, in order. It knows nothing of processes: see worker.py for those."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.evaluation.comparison import Compared, compare
from engine.evaluation.figures import Figures, draw_pools, omegas_to_show
from engine.evaluation.pool import Pools
from engine.evaluation.tables import Making, comparable
from engine.models.bayesnet.network import BayesianNetwork
from engine.privacy.randomness import RandomSource
from engine.runs.evidence import keep
from engine.runs.folder import RecordsOf, RunFolder
from engine.runs.goal import Goal
from engine.runs.released import ReleasedTable
from engine.runs.watched import Cancelled, Progress
from engine.synthesis.attempts import BATCH, Decision, Synthesizer, release
from engine.synthesis.learning import Learned, learn, learn_baseline, synthesizer
from engine.synthesis.plan import Plan
from engine.synthesis.promise import promise
from engine.synthesis.statement import statement
from engine.table.records import Records
from engine.table.split import Split, assign

_REPORT_EVERY = 0.2
_LOOK_AT = 20_000
_COMPARED = 10_000

Purpose = Literal["release", "rehearsal"]


@dataclass(frozen=True)
class Job:
    """Everything the worker is handed. Held in memory and sent through a pipe, never to disk.

    Attributes:
        records: the confidential table.
        plan: what to do.
        seed: a fixed seed, which stains the release; None for a private one.
        purpose: a release, or a rehearsal that learns and scores but releases nothing.
        figures: whether figures are made for the custodian at the end.
        records_of: what the records are; another than the confidential table only to rehearse.
        named: which table stands in for it, as its file or run is called.

    Raises:
        ValueError: a release of a table that only stands in.
    """

    records: Records
    plan: Plan
    seed: int | None = None
    purpose: Purpose = "release"
    figures: bool = True
    records_of: RecordsOf = "confidential"
    named: str = ""

    def __post_init__(self) -> None:
        if self.purpose == "release" and self.records_of != "confidential":
            raise ValueError("a table that stands in for the confidential one is only rehearsed on")


def work(job: Job, folder: RunFolder, process: int) -> Progress:
    """Do the run, reporting to its folder, and publish the release by rename.

    Raises:
        Cancelled: the run was cancelled; nothing is released.
        Refusal: under “releases”, too few candidates pass; nothing is released.
        OSError: a file could not be written; nothing is released.
    """
    started = time.time()
    progress = Progress("splitting", job.plan.attempts, started=started, process=process)
    folder.report(progress)
    source = RandomSource.secure() if job.seed is None else RandomSource.fixed(job.seed)
    dealt = assign(len(job.records), job.plan.shares, source)
    parts = Split.of(job.records, dealt)
    progress = folder.report(replace(progress, state="learning"))
    learned = learn(job.plan, job.records.schema, parts, source)
    _stop_if_asked(folder)
    released = None
    if job.purpose == "release":
        released, progress = _release(job, folder, learned, parts, progress, source)
    if job.figures:
        progress = folder.report(replace(progress, state="evaluating"))
        baseline = learn_baseline(job.plan, parts, source)
        keep(folder, job.records, dealt, learned.network, baseline)
        _figures(job, learned.network, baseline, parts, released, source).save(folder.internal)
    return folder.report(replace(progress, state="finished"))


def _stop_if_asked(folder: RunFolder) -> None:
    if folder.cancelling:
        raise Cancelled


def _release(
    job: Job,
    folder: RunFolder,
    learned: Learned,
    parts: Split,
    progress: Progress,
    source: RandomSource,
) -> tuple[Records, Progress]:
    """Make every attempt, write what passes, and publish table and statement together.

    Returns the first released records, for the evaluation, and the progress.
    """
    partial = folder.path / "release.partial"
    partial.mkdir()
    try:
        with (partial / "synthetic.csv").open("wb") as file:
            table = ReleasedTable(job.records.schema, file.write, marked=source.stained)
            made = synthesizer(job.plan, learned.network, parts.seeds)
            progress, shown = _attempts(job, folder, made, progress, source, table)
        said = statement(
            job.plan,
            job.records.schema,
            released=table.rows,
            sha256=table.sha256,
            stained=source.stained,
        )
        (partial / "guarantee.json").write_text(
            json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        partial.rename(folder.release)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return Records(job.records.schema, shown), progress


def _attempts(
    job: Job,
    folder: RunFolder,
    made: Synthesizer,
    progress: Progress,
    source: RandomSource,
    table: ReleasedTable,
) -> tuple[Progress, npt.NDArray[np.uint16]]:
    """Make attempts until the plan's goal is reached. Progress counts what the plan counts."""
    promised = promise(job.plan, job.records.schema)
    decision = Decision(job.plan.test, promised.pass_cap)
    goal = Goal.of(job.plan, promised)
    begun = told = time.monotonic()
    progress = folder.report(replace(progress, state="attempting"))
    shown: list[npt.NDArray[np.uint16]] = []
    tried = 0
    while not goal.reached(tried, table.rows):
        _stop_if_asked(folder)
        count = min(BATCH, goal.attempts - tried)
        codes = goal.cut(release(made, decision, tried, count, source), table.rows)
        if table.rows < _LOOK_AT:
            shown.append(codes)
        table.add(codes)
        tried += count
        now = time.monotonic()
        done = tried if goal.records is None else table.rows
        progress = replace(progress, done=done, passed=table.rows, pace=done / (now - begun))
        if now - told > _REPORT_EVERY:
            progress, told = folder.report(progress), now
    goal.check(table.rows)
    return progress, np.concatenate(shown)


def _figures(
    job: Job,
    network: BayesianNetwork,
    baseline: BayesianNetwork,
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
        parents=network.structure.parents,
        order=network.order,
        compared=compared,
        samples=tuple(each.sample for each in drawn),
        pools=Pools.around(drawn, parts, baseline, source),
    )
