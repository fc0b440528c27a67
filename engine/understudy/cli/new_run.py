"""A new run of `understudy synthesize`: what is asked for, its plan, its table, who pays for it."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.place import name_passing, reserved_folder
from understudy.cli.plan_file import read_plan
from understudy.cli.plan_options import plan_of
from understudy.cli.releasing import follow_run
from understudy.cli.resources import Form, ResourceOptions
from understudy.cli.settings import Json, Settings
from understudy.cli.table import Table, TableSource, columns_of, encode_table, streamed_from
from understudy.cli.verb import whole_type
from understudy.cli.watching import Display
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.ledger.book import Dataset
    from understudy.mechanisms.mechanism import PlannedRun
    from understudy.mechanisms.plan import MechanismPlan
    from understudy.runs.folder import RunFolder
    from understudy.runs.resources import Resources
    from understudy.runs.work import Job
    from understudy.table.raw import RawTable
    from understudy.table.records import Records
    from understudy.table.schema import Schema
    from understudy.table.sources.streamed import StreamedTable


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What was typed besides the settings of the plan."""

    table: Table = None
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="The schema, declared public."),
    ] = None
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="The folder for the table and guarantee.json."),
    ]
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="A plan file, instead of the settings below."),
    ] = None
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the plan to a file as well."),
    ] = None
    demo_seed: Annotated[
        int | None,
        typer.Option(
            "--demo-seed",
            metavar="NUMBER",
            parser=whole_type,
            help="Fix the random numbers, for demonstrations: the statement, and every record in "
            "a column of its own, says that the result is not private.",
        ),
    ] = None
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="The dataset in the ledger that the run is paid from (default: the one this "
            "table was seen in before, or else the one named like the file).",
        ),
    ] = None
    new_people: Annotated[
        bool,
        typer.Option(
            "--new-people",
            help="Say that nobody in this table is in one that was used before. A table that the "
            "ledger does not know needs it, or a --dataset that the ledger has.",
        ),
    ] = False
    because: Annotated[
        str | None,
        typer.Option(
            "--because",
            metavar="REASON",
            help="With --new-people, or with --dataset: why these are not the people of another "
            "dataset whose table looks alike. It is in the ledger.",
        ),
    ] = None
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Keep the run with its internal figures in the home folder as well, for "
            "`understudy evaluate` and the pages.",
        ),
    ] = False
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="NAME",
            help="Make the run in a project of the pages, and keep it there with its internal "
            "figures; the project is made if there is none of that name.",
        ),
    ] = None
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Let an interrupted run go on, given its folder or its name, with its own "
            "schema and plan; the table is needed again. Or hand over one that has finished, "
            "without the table. Nothing further is spent.",
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False
    as_json: Json = False

    @property
    def kept(self) -> bool:
        """Whether the run is kept with its figures."""
        return self.keep or self.project is not None

    def new(self, typed: ResourceOptions) -> list[str]:
        """Return the options given that only a new run has."""
        given = {
            "--schema": self.schema is not None,
            "--plan": self.plan is not None,
            "--save-plan": self.save_plan is not None,
            "--demo-seed": self.demo_seed is not None,
            "--dataset": self.dataset is not None,
            "--project": self.project is not None,
            "--keep": self.keep,
            "--format": typed.form is not Form.csv,
            "--new-people": self.new_people,
            "--because": self.because is not None,
        }
        return [name for name, there in given.items() if there]


def make_run(
    asked: RunRequest,
    source: TableSource,
    schema: Schema,
    decided: PlannedRun,
    resources: Resources,
    display: Display,
    *,
    streamed: bool,
) -> RunFolder:
    """Read the table, and make the run that is paid for.

    Raises:
        Cancelled, Refusal, RunFailed: as `_run`, or the table cannot be read or does not fit.
    """
    from understudy.cli.option_words import PEOPLE_OPTIONS, naming_options
    from understudy.core.home import home
    from understudy.ledger.book import PeopleStatement
    from understudy.projects.payment import find_payer, find_project, project_of_run
    from understudy.runs.control import bytes_needed, check_room
    from understudy.runs.work import Job
    from understudy.table.raw import RawTable

    plan = decided.plan
    within = None if asked.project is None else find_project(asked.project)
    display.stage("reading the table")
    raw, coded = _read(source, schema, plan, display, streamed=streamed, own=asked.plan is None)
    said_of = PeopleStatement(new=asked.new_people, reason=asked.because or "")
    with naming_options(PEOPLE_OPTIONS):
        paid = find_payer(within, raw, source.name, asked.dataset, said_of)
    needed = bytes_needed(decided, stained=asked.demo_seed is not None)
    with reserved_folder(asked.out, decided.names, needed) as place, ExitStack() as stack:
        kept_at = home()
        if asked.kept:
            check_room(home().absolute(), needed, "do without --keep")
        if asked.project is not None and isinstance(raw, RawTable):
            place_of = project_of_run(within, asked.project, raw, source.called, schema, paid)
            kept_at = stack.enter_context(place_of).runs
        job = Job(
            coded, plan, asked.demo_seed, figures=asked.kept, resources=resources, made=decided
        )
        with naming_options(PEOPLE_OPTIONS):
            return _run(job, paid, place, kept_at, display)


def _read(
    source: TableSource,
    schema: Schema,
    plan: MechanismPlan,
    display: Display,
    *,
    streamed: bool,
    own: bool,
) -> tuple[RawTable | StreamedTable, Records | StreamedTable]:
    """Return the table as it is and in codes.

    Args:
        own: whether the settings were typed, so that one more could settle stray values.
    """
    if streamed:
        table = streamed_from(source, schema, plan.policies, settled_here=own)
        return table, table
    raw = source.read(schema)
    for note in raw.notes:
        display.note(note)
    with columns_of(raw.names):
        return raw, encode_table(raw, schema, plan.policies, settled_here=own)


def declared_schema(path: Path, source: TableSource) -> Schema:
    """Return the schema, which must have been declared public.

    Raises:
        Refusal: it was not; it says what declares it.
    """
    from understudy.table.authoring.declaration import check_declared
    from understudy.table.schema import Schema

    schema = Schema.load(path)
    try:
        check_declared(schema)
    except Refusal as refusal:
        raise Refusal(
            refusal.problem,
            f"Run `understudy schema {shlex.join(source.again())} --out {path} --declare-public "
            "--note …` once you have checked it, with where it is known from as the note.",
            field=refusal.field,
        ) from None
    return schema


def settle_plan(
    path: Path | None, settings: Settings, schema: Schema, *, stained: bool
) -> PlannedRun:
    """Return the plan, from a file or from settings, shown to keep a promise, and to count on
    nothing that nobody confirmed."""
    from understudy.mechanisms.registry import plan_run

    plan: MechanismPlan
    if path is None:
        plan = plan_of(settings, schema)
    elif settings.options:
        raise Refusal(
            f"{', '.join(settings.options)} cannot be given together with --plan.",
            "Change the setting in the plan file, or leave --plan out.",
        )
    else:
        plan = read_plan(path)
    made = plan_run(plan, schema)
    if not stained:
        try:
            made.mechanism.check_public(made)
        except Refusal as refusal:
            raise Refusal(refusal.problem, refusal.remedy, field="public_records") from None
    return made


def _run(job: Job, payer: Dataset, place: Path, kept_at: Path, display: Display) -> RunFolder:
    """Make the release and move it into its place; a run with figures stays where runs are kept,
    and leaves a copy there.

    Raises:
        Cancelled: the user stopped it; nothing is released.
        Refusal: it was not begun, or interrupted; nothing is released.
        RunFailed: it failed; nothing is released.
    """
    from understudy.runs.control import run_name, start
    from understudy.runs.folder import RunFolder
    from understudy.runs.handover import Handover

    name = run_name("release")
    aside = None if job.figures else name_passing(place, name)
    at = aside or kept_at
    handover = Handover(RunFolder(at / name), place, aside)
    return follow_run(lambda: start(job, at, dataset=payer, name=name), handover, display)
