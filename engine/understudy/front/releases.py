"""Runs and what comes of them: releases, made by a process of their own and debited first; their
evaluations, which are internal; and their packets for a review board, made and checked.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.core.display import Shown, ShowsItself
from understudy.core.home import home
from understudy.core.numerals import percent
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.findings_in_words import (
    INTERNAL,
    better_in_words,
    is_of_tables,
    table_heads,
    value_in_words,
)
from understudy.evaluation.registry import about
from understudy.front.decisions import check_planned
from understudy.front.tables import ConfidentialTable, name_arguments, table_read_by
from understudy.inference.questions import (
    LEVEL,
    IntervalAnswer,
    IntervalQuestion,
    Kind,
    ReleasedCounts,
)
from understudy.inference.wording import HEADS, answer_rows, describe_intervals
from understudy.ledger.book import Dataset, PeopleStatement
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.statement import TABLE, stated_outputs
from understudy.privacy.budget import Budget
from understudy.projects.catalogue import find_run
from understudy.projects.payment import find_payer, find_project, project_of_run
from understudy.projects.project import Project
from understudy.report.cover import Cover
from understudy.report.packet import find_shelf, make_packet, save_zip
from understudy.report.packet_counts import read_packet_counts
from understudy.report.shelf import Packet
from understudy.report.verdict import PacketVerdict, verify_apart
from understudy.runs import evidence
from understudy.runs.control import check_room, count_bytes, start, wait
from understudy.runs.evidence import encode_as_run, read_plan_and_schema
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import REPEATS, ask, make_evaluation
from understudy.runs.resources import Resources
from understudy.runs.resumption import resume as resume_run
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress, RunFailed, Watched, describe_failure
from understudy.table.encoding import encode
from understudy.table.raw import RawTable
from understudy.table.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

_OUTSIDE = "outside={column: “missing” or “clip”} of plan says what becomes of them"


@dataclass(frozen=True, repr=False)
class FinishedRun(ShowsItself):
    """A run that has released something. It shows what is public: files and the guarantee.

    Attributes:
        folder: where it is kept, with internal figures beside the release.
    """

    folder: RunFolder

    @property
    def name(self) -> str:
        """The run's name, as the ledger lists it."""
        return self.folder.identity

    @property
    def files(self) -> tuple[Path, ...]:
        """The released files."""
        return tuple(sorted(self.folder.release.iterdir()))

    @property
    def table(self) -> Path:
        """The synthetic table, in CSV.

        Raises:
            Refusal: the run releases none.
        """
        if not self.folder.table.exists():
            raise Refusal(
                "This run releases no synthetic table.", "Look at its files.", field="run"
            )
        return self.folder.table

    @cached_property
    def statement(self) -> dict[str, Any]:
        """What is promised, as guarantee.json has it."""
        found: dict[str, Any] = json.loads(self.folder.guarantee.read_text(encoding="utf-8"))
        return found

    def to_pandas(self) -> pd.DataFrame:
        """Return the synthetic table as a data frame, each column of the type of its domain.

        Raises:
            Refusal: the run releases none, or its file was changed since.
        """
        import pandas as pd

        from understudy.report.outputs import read_released_table

        planned = evidence.read_planned_run(self.folder)
        schema = planned.output(self.table.stem).schema
        assert schema is not None
        stated = stated_outputs(self.statement)[TABLE]["sha256"]
        stained = self.folder.about().stained
        sink = io.BytesIO()
        read_released_table(self.table, schema, stated, stained=stained).write_parquet(sink)
        return pd.read_parquet(io.BytesIO(sink.getvalue()))

    def describe_itself(self) -> Shown:
        """Return what it shows of itself."""
        total = self.statement["guarantee"]
        bounded = total["epsilon"] is not None
        budget = Budget(total["epsilon"], total["delta"]) if bounded else Budget.unbounded()
        outputs = stated_outputs(self.statement)
        facts = [
            (name, f"{each['rows']:,} records" if "rows" in each else "figures")
            for name, each in outputs.items()
        ]
        return Shown(
            f"Run “{self.name}”, finished",
            [*facts, ("Guarantee", budget.in_signs()), ("Folder", str(self.folder.release))],
            remarks=[total["statement"]],
        )


def synthesize(
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame,
    schema: Schema,
    plan: PlannedRun | MechanismPlan,
    *,
    new_people: bool = False,
    dataset: str | None = None,
    because: str = "",
    project: str | None = None,
    demo_seed: int | None = None,
    cores: int | None = None,
    memory: float | None = None,
    minutes: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> FinishedRun:
    """Make a synthetic table and wait for it. Each call spends privacy budget.

    The run is debited in the ledger first and then done by a process of its own. To interrupt it
    (Ctrl-C, or the stop button of a notebook) cancels it.

    Args:
        table: what `read` returned, a path, or a data frame. Confidential.
        schema: what the columns may contain, declared public.
        plan: what `plan` returned, or a plan.
        new_people: that nobody in the table is in one that was used before. A table that the ledger
            does not know needs it, or a `dataset` that the ledger has.
        dataset: the dataset of the ledger that pays; found or named like the file if left out.
        because: why these are not the people of a dataset whose table looks alike.
        project: the project that the run is made in, made if there is none of that name.
        demo_seed: fixes the random numbers, for demonstrations: the result is not private, and its
            files say so.
        cores, memory, minutes: the most that the run may use; memory in gigabytes.
        on_progress: called now and then with how far the run is.

    Raises:
        Refusal: the schema was not declared, the plan counts on what nobody confirmed, the table
            does not fit, it is not said whose records it holds, or the budget would be exceeded.
            Nothing is spent.
        RunFailed: it was begun, and failed or was cancelled (its `state`). Nothing is released.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="code book", origins=["codebook"])
        >>> plan = us.plan(schema, epsilon=1.0, rows=500)
        >>> len(us.synthesize("people.csv", schema, plan, new_people=True).to_pandas())
        500
    """
    with name_arguments():
        planned = plan if isinstance(plan, PlannedRun) else plan_run(plan, schema)
        check_planned(planned, schema, stained=demo_seed is not None)
        within = None if project is None else find_project(project)
        read = table_read_by(table, schema)
        job = _prepare(read.raw, planned, demo_seed, _resources(cores, memory, minutes))
        said = PeopleStatement(new=new_people, reason=because)
        paid = find_payer(within, read.raw, read.name, dataset, said)
        with _place(within, project, read, schema, paid) as place:
            run = start(job, place, dataset=paid)
            follow(run, on_progress)
            return _find_finished(run)


@contextmanager
def _place(
    within: Project | None, name: str | None, read: ConfidentialTable, schema: Schema, paid: Dataset
) -> Iterator[Path]:
    """Yield the folder that a run is made in: that of a project, or the home folder.

    Raises:
        Refusal: a new project cannot be made.
    """
    if name is None:
        yield home()
        return
    with project_of_run(within, name, read.raw, read.called, schema, paid) as project:
        yield project.runs


def _resources(cores: int | None, memory: float | None, minutes: float | None) -> Resources:
    return Resources(cores=cores, memory=Resources.bytes_of(memory), minutes=minutes)


def _prepare(
    raw: RawTable, planned: PlannedRun, demo_seed: int | None, resources: Resources
) -> Job:
    """Return what is to be done, on the table in codes.

    Raises:
        Refusal: the table does not fit the schema, or the disk has too little room.
    """
    needed = count_bytes(planned, stained=demo_seed is not None)
    check_room(home().absolute(), needed, "choose another $UNDERSTUDY_HOME")
    with name_arguments(dict.fromkeys(planned.schema.names, _OUTSIDE)):
        records = encode(raw, planned.schema, planned.plan.policies)
    return Job(records, planned.plan, demo_seed, resources=resources, made=planned)


def resume(
    run: str,
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame,
    *,
    on_progress: Callable[[Progress], None] | None = None,
) -> FinishedRun:
    """Let an interrupted run go on, and wait for it; one that has finished is returned as it is.

    Nothing further is spent.

    Args:
        run: its name, as the ledger lists it, or its folder.
        table: the table that it was begun with.
        on_progress: as of `synthesize`.

    Raises:
        Refusal: there is no such run, it cannot go on, or this is not its table.
        RunFailed: as of `synthesize`.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="code book", origins=["codebook"])
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize("people.csv", schema, planned, new_people=True)
        >>> us.resume(run.name, "people.csv").name == run.name
        True
    """
    folder = run_folder(run)
    if not folder.release.exists():
        raw = table_read_by(table, evidence.read_plan_and_schema(folder)[1]).raw
        resume_run(folder, evidence.encode_as_run(folder, raw))
        follow(folder, on_progress)
    return _find_finished(folder)


def run_folder(run: FinishedRun | str | os.PathLike[str]) -> RunFolder:
    """Return the folder of a run.

    Args:
        run: it, its name or its folder.

    Raises:
        Refusal: there is none.
    """
    if isinstance(run, FinishedRun):
        return run.folder
    found = find_run(os.fspath(run))
    if found is None:
        raise Refusal(
            f"There is no run “{os.fspath(run)}”.",
            "Give what synthesize returned, or the run's name or folder.",
            field="run",
        )
    return found


def follow(folder: Watched, on_progress: Callable[[Progress], None] | None) -> None:
    """Wait for the end of a run or an inquiry; an interruption cancels it.

    Raises:
        RunFailed: it failed or was cancelled.
    """
    try:
        ended = wait(folder, on_progress=on_progress)
    except KeyboardInterrupt:
        folder.cancel()
        ended = wait(folder)
    if ended.state == "finished":
        return
    failed = describe_failure(ended)
    if isinstance(folder, RunFolder) and folder.can_go_on:
        again = f"{failed.remedy} In Python: resume({folder.identity!r}, table)."
        raise RunFailed(failed.state, failed.problem, again, unforeseen=failed.unforeseen)
    raise failed


def _find_finished(folder: RunFolder) -> FinishedRun:
    """Return a run that has ended.

    Raises:
        RunFailed: it released nothing.
    """
    if not folder.release.exists():
        raise describe_failure(folder.progress())
    return FinishedRun(folder)


@dataclass(frozen=True, repr=False)
class Findings(ShowsItself):
    """What was measured of a run. Internal: computed from confidential records without noise.

    Attributes:
        run: the run's name.
        evaluation: all findings, with their intervals and parts.
    """

    run: str
    evaluation: Evaluation

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per measure and table: its value and its interval. Internal."""
        import pandas as pd

        rows = [
            {
                "measure": finding.key,
                "group": about(finding.key).group,
                "of": name,
                "value": measured.value,
                "low": None if measured.interval is None else measured.interval.low,
                "high": None if measured.interval is None else measured.interval.high,
            }
            for finding in self.evaluation.findings
            for name, measured in finding.by_subject.items()
        ]
        return pd.DataFrame(rows, columns=["measure", "group", "of", "value", "low", "high"])

    def describe_itself(self) -> Shown:
        """Return what it shows of itself."""
        heads = table_heads(self.evaluation)
        findings = [each for each in self.evaluation.findings if is_of_tables(each)]
        rows = [
            [
                about(each.key).name,
                better_in_words(about(each.key)),
                *(value_in_words(each.by_subject.get(name), with_interval=False) for name in heads),
            ]
            for each in findings
        ]
        return Shown(
            f"Evaluation of the run “{self.run}”",
            head=("", "better", *heads.values()),
            rows=rows,
            remarks=[INTERNAL, *self.evaluation.remarks],
        )


def evaluate(
    run: FinishedRun | str | os.PathLike[str],
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame,
    *,
    target: str | None = None,
    repeats: int = REPEATS,
    on_progress: Callable[[Progress], None] | None = None,
) -> Findings:
    """Measure what a run kept and lost, and wait for it. Nothing is released and nothing spent.

    Everything measured is computed from confidential records without noise: it is internal.

    Args:
        run: what `synthesize` returned, or a run's name or folder.
        table: the confidential table that it was made from.
        target: the column that classifiers predict; the last with 2 to 20 values if left out.
        repeats: how often what is random is repeated for the intervals.
        on_progress: called now and then with how far it is.

    Raises:
        Refusal: there is no such run, this is not its table, or the column cannot be predicted.
        RunFailed: the evaluation failed or was cancelled; `state` says which.

    Example:
        >>> import understudy as us
        >>> table = us.read("people.csv")
        >>> us.suggest_schema(table).save("schema.json")
        >>> schema = us.declare("schema.json", table, note="code book", origins=["codebook"])
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize(table, schema, planned, new_people=True)
        >>> findings = us.evaluate(run, table, repeats=1)
        >>> list(findings.to_pandas().columns)
        ['measure', 'group', 'of', 'value', 'low', 'high']
    """
    folder = run_folder(run)
    asked = make_evaluation(folder, target, repeats)
    raw = table_read_by(table, read_plan_and_schema(folder)[1]).raw
    inquiry = ask(asked, encode_as_run(folder, raw), folder)
    follow(inquiry, on_progress)
    evaluation = Evaluation.load(inquiry.result)
    assert evaluation is not None
    return Findings(folder.identity, evaluation)


def packet(
    run: FinishedRun | str | os.PathLike[str],
    *,
    title: str,
    by: str = "",
    dated: str = "",
    dataset: str = "",
    note: str = "",
    out: str | os.PathLike[str] | None = None,
    pdf: bool = True,
) -> Packet:
    """Make the packet of a run: table, statement, dictionary, ledger extract and report.

    Nothing internal is in it, and nothing is spent.

    Args:
        run: what `synthesize` returned, or a run's name or folder.
        title: what stands on the title page. Public, as is all of the rest.
        by: who answers for it, with their role.
        dated: the date on the title page.
        dataset: what the data are called in public.
        note: anything else for the reader.
        out: the folder that the packet gets a folder and a zip file in; only a folder where the
            run's project keeps its packets if left out.
        pdf: whether the report is printed to PDF too, if a browser is there that can.

    Raises:
        Refusal: the run has released nothing or was changed since, a text cannot be used, or the
            place cannot be written.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="code book", origins=["codebook"])
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize("people.csv", schema, planned, new_people=True)
        >>> made = us.packet(run, title="Census of simulated people", out="packets", pdf=False)
        >>> made.cover.title
        'Census of simulated people'
    """
    cover = Cover(title=title, by=by, dated=dated, dataset=dataset, note=note)
    folder = run_folder(run)
    made = make_packet(folder, find_shelf(folder) if out is None else Path(out), cover, pdf=pdf)
    if out is not None:
        save_zip(made)
    return made


def verify(packet: Packet | str | os.PathLike[str]) -> PacketVerdict:
    """Check a packet: its hashes, its forms, its table, and that its total follows from its plan.

    Needs nothing confidential. A packet that is not what it says is no error: look at `passed` of
    what is returned.

    Args:
        packet: what `packet` returned, or the path of its folder or zip file.

    Raises:
        Refusal: there is no packet, or it cannot be read.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="code book", origins=["codebook"])
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize("people.csv", schema, planned, new_people=True)
        >>> us.verify(us.packet(run, title="Census of simulated people", pdf=False)).passed
        True
    """
    return verify_apart(packet.path if isinstance(packet, Packet) else Path(packet))


@dataclass(frozen=True, repr=False)
class Intervals(ShowsItself):
    """Confidence intervals from the noisy tables of a packet, which may be published.

    Attributes:
        answers: what was asked for, each with its intervals.
        counts: what they are made of.
        stained: whether the packet is a demonstration.
    """

    answers: tuple[IntervalAnswer, ...]
    counts: ReleasedCounts
    stained: bool = False

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per answer: the estimate, and the ends of each interval."""
        import pandas as pd

        kinds = ("table", "population", "table_any", "population_any")
        return pd.DataFrame(
            [
                {"what": each.what, "estimate": each.estimate}
                | {
                    f"{kind}_{end}": getattr(getattr(each, kind), end, None)
                    for kind in kinds
                    for end in ("low", "high")
                }
                for each in self.answers
            ]
        )

    def describe_itself(self) -> Shown:
        """Return what it shows of itself."""
        return Shown(
            f"Intervals of {percent(self.counts.level)}",
            head=HEADS,
            rows=answer_rows(self.answers),
            remarks=describe_intervals(self.counts, self.answers, stained=self.stained),
        )


def intervals(
    packet: Packet | str | os.PathLike[str],
    *,
    count: str = "",
    share: str = "",
    mean: str = "",
    slope: str = "",
    on: str = "",
    value: str = "",
    by: str = "",
    groups: Sequence[str] = (),
    level: float = LEVEL,
) -> Intervals:
    """Return confidence intervals from the noisy tables of a packet, and from nothing else.

    Each interval accounts for the noise by its exact law. There is one for the confidential table,
    and one for the population that it is a random sample of.

    Args:
        packet: what `packet` returned, or the path of its folder or zip file. Its run released its
            noisy tables: its plan has `noisy_tables`.
        count, share: the column whose `value` is counted; a share of every value if none is named.
        mean: a column of numbers.
        slope, on: the number that a line is of, and the one that it rises with.
        value: a value, by its text or label, or a group of values by its label.
        by: the column whose groups are told apart.
        groups: which of them; of two, the difference is answered too.
        level: with what probability each interval holds what it is about.

    Raises:
        Refusal: the packet holds no noisy tables, or what is asked for was never counted together.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="code book", origins=["codebook"])
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> telling = planned.plan.change(schema, noisy_tables=True)
        >>> run = us.synthesize("people.csv", schema, telling, new_people=True)
        >>> made = us.packet(run, title="Census of simulated people", pdf=False)
        >>> us.intervals(made, mean="AGEP").answers[0].what
        'mean of AGEP'
    """
    path = packet.path if isinstance(packet, Packet) else Path(packet)
    released = read_packet_counts(path, level)
    columns: dict[Kind, str] = {"count": count, "share": share, "mean": mean, "slope": slope}
    question = IntervalQuestion.of(columns, value, by, groups, on)
    answers = released.counts.answer(question) if question else released.column_answers
    return Intervals(answers, released.counts, released.stained)
