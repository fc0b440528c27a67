"""A new run of `understudy synthesize`: what is asked for, its plan, its table, who pays for it."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from understudy.cli.method import read_plan
from understudy.cli.options import Json, TypedSettings
from understudy.cli.release import follow_run, name_passing, reserved_folder
from understudy.cli.runs import Display
from understudy.cli.table import Table, TableSource, encode_table, name_columns, streamed_from
from understudy.cli.verb import whole_type
from understudy.core.refusal import Refusal, name_answers
from understudy.mechanisms import companions
from understudy.mechanisms.companions import PlanOptions

if TYPE_CHECKING:
    from understudy.cli.options import TypedSettings
    from understudy.ledger.book import Dataset
    from understudy.mechanisms.mechanism import PlannedRun
    from understudy.mechanisms.plan import MechanismPlan
    from understudy.runs.folder import RunFolder
    from understudy.runs.resources import Resources
    from understudy.runs.work import Job
    from understudy.table.raw import RawTable
    from understudy.table.records import Records
    from understudy.table.schema import Schema
    from understudy.table.sources.streamed_table import StreamedTable

OPTIONS: Final[PlanOptions] = companions.of(companions.UNTAGGED, "options", "OPTIONS")
FIELDS: Final = OPTIONS.fields


def make_typed_plan(settings: TypedSettings, schema: Schema) -> MechanismPlan:
    """Return the plan that typed settings make for a schema.

    Raises:
        Refusal: a setting cannot be read, is out of range, or does not fit the schema.
    """
    return OPTIONS.plan_of(settings.of(FIELDS), schema)


_WITH = "With what the run is made"


class _Form(StrEnum):
    """A kind of file."""

    csv = "csv"
    parquet = "parquet"


FormOption = Annotated[
    _Form,
    typer.Option(
        "--format",
        rich_help_panel=_WITH,
        help="The kind of file of the table: synthetic.csv, or synthetic.parquet with the types "
        "of the columns (default csv).",
    ),
]
Streamed = Annotated[
    bool,
    typer.Option(
        "--streamed",
        rich_help_panel=_WITH,
        help="Read a Parquet file piece by piece, as often as it takes, for a table that does not "
        "fit in memory.",
    ),
]
Cores = Annotated[
    int | None,
    typer.Option(
        "--cores",
        metavar="NUMBER",
        rich_help_panel=_WITH,
        help="How many cores make attempts (default: all).",
    ),
]
Memory = Annotated[
    float | None,
    typer.Option(
        "--memory",
        metavar="GB",
        rich_help_panel=_WITH,
        help="The most memory that the run's process may hold, in gigabytes. A run that needs more "
        "stops, and says so.",
    ),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        "--minutes",
        metavar="NUMBER",
        rich_help_panel=_WITH,
        help="The longest that the run may take. It then stops, and can be gone on with by "
        "--resume once it has learned its model.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        rich_help_panel=_WITH,
        help="Have the attempts made by the workers of a Dask cluster, such as "
        "tcp://127.0.0.1:8786 after `make cluster`. They see confidential records: use tls:// "
        "where others could listen.",
    ),
]
Shared = Annotated[
    str | None,
    typer.Option(
        "--shared",
        metavar="FOLDER",
        rich_help_panel=_WITH,
        help="A folder or an object store that the workers of the cluster write to (default: what "
        "passed comes over the connection).",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ResourceOptions:
    """With what a run is made, and into which kind of file, as it was typed."""

    form: FormOption = _Form.csv
    streamed: Streamed = False
    cores: Cores = None
    memory: Memory = None
    minutes: Minutes = None
    scheduler: Scheduler = None
    shared: Shared = None

    def resources(self) -> Resources:
        """Return what was typed, as the engine takes it.

        Raises:
            Refusal: a limit is too low, or a shared folder is named without a cluster.
        """
        from understudy.runs.resources import Resources

        if self.shared is not None and self.scheduler is None:
            raise Refusal(
                "--shared: only the workers of a cluster write to a shared folder.",
                "Leave it out, or name the cluster with --scheduler.",
            )
        held = Resources.bytes_of(self.memory)
        return Resources(
            self.form.value, self.cores, held, self.minutes, self.scheduler, self.shared
        )

    def check_kept(self) -> None:
        """Check that a run can be kept with its figures.

        Raises:
            Refusal: it cannot.
        """
        if self.form is _Form.parquet:
            raise Refusal(
                "--format: a run that is kept is released as CSV, beside which its packet has "
                "Parquet.",
                "Leave out --format, or else --keep and --project.",
            )
        if self.streamed:
            raise Refusal(
                "--streamed: the figures of a run that is kept need the table in memory.",
                "Leave out --streamed, or else --keep and --project.",
            )


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
    set_rules_aside: Annotated[
        bool,
        typer.Option(
            "--set-rules-aside",
            help="Do not keep the rules of the schema in this release, for a method that cannot: "
            "they stay declared, and statement and packet say that rows may break them.",
        ),
    ] = False
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
    def keeps_figures(self) -> bool:
        """Whether the run is kept with its figures."""
        return self.keep or self.project is not None

    def new(self, typed: ResourceOptions) -> list[str]:
        """Return the options given that only a new run has."""
        given = {
            "--schema": self.schema is not None,
            "--plan": self.plan is not None,
            "--save-plan": self.save_plan is not None,
            "--set-rules-aside": self.set_rules_aside,
            "--demo-seed": self.demo_seed is not None,
            "--dataset": self.dataset is not None,
            "--project": self.project is not None,
            "--keep": self.keep,
            "--format": typed.form is not _Form.csv,
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
    from understudy.core.home import home
    from understudy.ledger.book import PeopleStatement
    from understudy.projects.payment import find_payer, find_project, project_of_run
    from understudy.runs.control import check_room, count_bytes
    from understudy.runs.work import Job
    from understudy.table.raw import RawTable

    plan = decided.plan
    within = None if asked.project is None else find_project(asked.project)
    display.stage("reading the table")
    raw, coded = _read(source, schema, plan, display, streamed=streamed, own=asked.plan is None)
    said_of = PeopleStatement(new=asked.new_people, reason=asked.because or "")
    with _name_people_options():
        paid = find_payer(within, raw, source.name, asked.dataset, said_of)
    needed = count_bytes(decided, stained=asked.demo_seed is not None)
    with reserved_folder(asked.out, decided.names, needed) as place, ExitStack() as stack:
        kept_at = home()
        if asked.keeps_figures:
            check_room(home().absolute(), needed, "do without --keep")
        if asked.project is not None and isinstance(raw, RawTable):
            place_of = project_of_run(within, asked.project, raw, source.called, schema, paid)
            kept_at = stack.enter_context(place_of).runs
        job = Job(
            coded,
            plan,
            asked.demo_seed,
            figures=asked.keeps_figures,
            resources=resources,
            made=decided,
        )
        with _name_people_options():
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
    with name_columns(raw.names):
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
            "--note … --origin …` once you have checked it, with where it is known from.",
            field=refusal.field,
        ) from None
    return schema


def settle_plan(
    path: Path | None, settings: TypedSettings, schema: Schema, *, stained: bool
) -> PlannedRun:
    """Return the plan, from a file or from settings, shown to keep a promise, and to count on
    nothing that nobody confirmed."""
    from understudy.mechanisms.registry import plan_run

    if path is not None and settings.options:
        raise Refusal(
            f"{', '.join(settings.options)} cannot be given together with --plan.",
            "Change the setting in the plan file, or leave --plan out.",
        )
    with name_answers({"rules": "--set-rules-aside"}, "On the command line"):
        plan: MechanismPlan = make_typed_plan(settings, schema) if path is None else read_plan(path)
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
    from understudy.runs.control import make_run_name, start
    from understudy.runs.folder import RunFolder
    from understudy.runs.handover import Handover

    name = make_run_name("release")
    aside = None if job.figures else name_passing(place, name)
    at = aside or kept_at
    handover = Handover(RunFolder(at / name), place, aside)
    return follow_run(lambda: start(job, at, dataset=payer, name=name), handover, display)


def _name_people_options() -> AbstractContextManager[None]:
    """Add to a refusal the options that say whose records a table holds."""
    from understudy.ledger.people import SIMILAR_PEOPLE, UNKNOWN_PEOPLE

    options = {
        UNKNOWN_PEOPLE: "--new-people, or --dataset NAME; `understudy ledger` lists the datasets",
        SIMILAR_PEOPLE: "--dataset NAME, or --new-people --because REASON",
    }
    return name_answers(options, "On the command line")
