"""`understudy synthesize`: a confidential table in, a synthetic table and its statement out."""

from __future__ import annotations

import json
import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.means import (
    Cores,
    Form,
    FormOption,
    Memory,
    Minutes,
    Scheduler,
    Shared,
    Streamed,
    check_kept,
    means_of,
)
from engine.cli.output import (
    echo,
    guarantee,
    print_aligned,
    print_json,
    print_wrapped,
)
from engine.cli.place import GUARANTEE, check, check_room, passing, reserved, room, table_in
from engine.cli.plan_file import read_plan, write_plan
from engine.cli.project import entered, payer, project_named
from engine.cli.releasing import followed, refuse_waiting
from engine.cli.resumption import check_alone, resumed
from engine.cli.settings import (
    ATTEMPTS,
    DELTA,
    EPSILON0,
    ESTIMATE,
    GAMMA,
    MODEL_EPSILON,
    MODEL_KIND,
    OMEGA,
    OUTSIDE,
    PASS_FLOOR,
    PROTOCOL,
    READING,
    RECORDS,
    RECORDS_PER_PERSON,
    SAMPLING,
    SEEDS_AT_LEAST,
    SHARES,
    TARGET_EPSILON,
    TEST,
    Estimate,
    Json,
    K,
    Protocol,
    Reading,
    Settings,
    T,
    Test,
)
from engine.cli.table import (
    Database,
    Query,
    Table,
    TableSource,
    columns_of,
    encoded,
    streamed_from,
)
from engine.cli.verb import Noise, whole
from engine.cli.watching import Display
from engine.core.refusal import Refusal

if TYPE_CHECKING:
    from engine.ledger.book import Dataset
    from engine.mechanisms.mechanism import Decided
    from engine.mechanisms.plan import MechanismPlan
    from engine.runs.folder import RunFolder
    from engine.runs.resources import Means
    from engine.runs.work import Job
    from engine.table.raw import RawTable
    from engine.table.records import Records
    from engine.table.schema import Schema
    from engine.table.sources.streamed import StreamedTable


def synthesize(
    *,
    table: Table = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="The schema, declared public."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="The folder for the table and guarantee.json."),
    ],
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="A plan file, instead of the settings below."),
    ] = None,
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the plan to a file as well."),
    ] = None,
    demo_seed: Annotated[
        int | None,
        typer.Option(
            "--demo-seed",
            metavar="NUMBER",
            parser=whole,
            help="Fix the random numbers, for demonstrations: the statement, and every record in "
            "a column of its own, says that the result is not private.",
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="The dataset in the ledger that the run is paid from (default: the one this "
            "table was seen in before, or else the one named like the file).",
        ),
    ] = None,
    new_people: Annotated[
        bool,
        typer.Option(
            "--new-people",
            help="Say that nobody in this table is in one that was used before. A table that the "
            "ledger does not know needs it, or a --dataset that the ledger has.",
        ),
    ] = False,
    because: Annotated[
        str | None,
        typer.Option(
            "--because",
            metavar="REASON",
            help="With --new-people, or with --dataset: why these are not the people of another "
            "dataset whose table looks alike. It stands in the ledger.",
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Keep the run with its internal figures in the home folder as well, for "
            "`understudy evaluate` and the pages.",
        ),
    ] = False,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="NAME",
            help="Make the run in a project of the pages, and keep it there with its internal "
            "figures; the project is made if there is none of that name.",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Let an interrupted run go on, given its folder or its name, with its own "
            "schema and plan; the table is needed again. Or hand over one that has finished, "
            "without the table. Nothing further is spent.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Json = False,
    test: Annotated[Test | None, TEST] = None,
    k: Annotated[int | None, K] = None,
    gamma: Annotated[float | None, GAMMA] = None,
    epsilon0: Annotated[Noise | None, EPSILON0] = None,
    t: Annotated[int | None, T] = None,
    target_epsilon: Annotated[float | None, TARGET_EPSILON] = None,
    protocol: Annotated[Protocol | None, PROTOCOL] = None,
    attempts: Annotated[int | None, ATTEMPTS] = None,
    omega: Annotated[str | None, OMEGA] = None,
    reading: Annotated[Reading | None, READING] = None,
    pass_floor: Annotated[float | None, PASS_FLOOR] = None,
    delta: Annotated[float | None, DELTA] = None,
    records_per_person: Annotated[int | None, RECORDS_PER_PERSON] = None,
    records: Annotated[int | None, RECORDS] = None,
    seeds_at_least: Annotated[int | None, SEEDS_AT_LEAST] = None,
    sampling: Annotated[float | None, SAMPLING] = None,
    model: Annotated[str | None, MODEL_KIND] = None,
    model_epsilon: Annotated[Noise | None, MODEL_EPSILON] = None,
    estimate: Annotated[Estimate | None, ESTIMATE] = None,
    shares: Annotated[str | None, SHARES] = None,
    outside: Annotated[list[str] | None, OUTSIDE] = None,
    database: Database = None,
    query: Query = None,
    form: FormOption = Form.csv,
    streamed: Streamed = False,
    cores: Cores = None,
    memory: Memory = None,
    minutes: Minutes = None,
    scheduler: Scheduler = None,
    shared: Shared = None,
) -> None:
    """Make a synthetic table. Each run spends privacy budget, also with the same plan."""
    from engine.ledger.book import Said
    from engine.runs.control import home
    from engine.runs.work import Job
    from engine.table.raw import RawTable

    settings = Settings(
        test=test,
        k=k,
        gamma=gamma,
        epsilon0=epsilon0,
        t=t,
        target_epsilon=target_epsilon,
        protocol=protocol,
        pass_floor=pass_floor,
        records_per_person=records_per_person,
        attempts=attempts,
        omega=omega,
        reading=reading,
        delta=delta,
        seeds_at_least=seeds_at_least,
        records=records,
        sampling=sampling,
        model=model,
        model_epsilon=model_epsilon,
        estimate=estimate,
        shares=shares,
        outside=outside,
    )
    source = TableSource(table, database, query)
    if resume is None:
        source.check()
    means = means_of(form, cores, memory, minutes, scheduler, shared)
    if resume is not None:
        own = {
            "--schema": schema,
            "--plan": plan,
            "--save-plan": save_plan,
            "--demo-seed": demo_seed,
            "--dataset": dataset,
            "--project": project,
            "--keep": keep or None,
            "--format": None if form is Form.csv else form,
            "--new-people": new_people or None,
            "--because": because,
        }
        check_alone(
            [*(name for name, given in own.items() if given is not None), *settings.options]
        )
        _go_on(resume, source, out, means, streamed=streamed, quiet=quiet, as_json=as_json)
        return
    if keep or project is not None:
        check_kept(form, streamed=streamed)
    if schema is None:
        raise Refusal(
            "Missing option '--schema'.",
            "Say what the columns may contain, or name a run to go on with by --resume.",
        )
    declared = _declared(schema, source)
    made = _decided(plan, settings, declared, stained=demo_seed is not None)
    shown = declared if demo_seed is None else _marked(declared)
    check(out)
    refuse_waiting(out)
    if save_plan is not None:
        write_plan(made.plan, save_plan)
    within = None if project is None else project_named(project)
    display = Display.on_stderr(quiet)
    try:
        display.stage("reading the table")
        raw: RawTable | StreamedTable
        coded: Records | StreamedTable
        if streamed:
            raw = coded = streamed_from(
                source, declared, made.plan.policies, settled_here=plan is None
            )
        else:
            raw = source.read(declared)
            for note in raw.notes:
                display.note(note)
            with columns_of(raw.names):
                coded = encoded(raw, declared, made.plan.policies, settled_here=plan is None)
        said_of = Said(new=new_people, reason=because or "")
        paid = payer(within, raw, source.name, dataset, said_of)
        kept = keep or project is not None
        with reserved(out, room(made.plan, shown)) as place, ExitStack() as stack:
            kept_at = home()
            if kept:
                check_room(home().absolute(), room(made.plan, shown), "do without --keep")
            if project is not None and isinstance(raw, RawTable):
                project_at = entered(within, project, raw, source.called, declared, paid)
                kept_at = stack.enter_context(project_at).runs
            job = Job(coded, made.plan, demo_seed, figures=kept, means=means, made=made)
            run = _run(job, paid, place, kept_at, display)
            said = json.loads((out / GUARANTEE).read_text(encoding="utf-8"))
    finally:
        display.close()
    _tell(said, out, run.identity if kept else None, as_json=as_json)


def _go_on(
    run: str,
    source: TableSource,
    out: Path,
    means: Means,
    *,
    streamed: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Resume a run."""
    display = Display.on_stderr(quiet)
    try:
        found, kept = resumed(run, source, out, means, display, streamed=streamed)
    finally:
        display.close()
    said = json.loads((out / GUARANTEE).read_text(encoding="utf-8"))
    _tell(said, out, found.identity if kept else None, as_json=as_json)


def _tell(said: dict[str, Any], out: Path, run: str | None, *, as_json: bool) -> None:
    """What was released, and where."""
    if as_json:
        files = {"table": str(table_in(out)), "guarantee": str(out / GUARANTEE)}
        print_json({"files": files, **({} if run is None else {"run": run}), **said})
    else:
        _print(said, out, run)


def _declared(path: Path, source: TableSource) -> Schema:
    """The schema, which must have been declared public."""
    from engine.table.schema import Schema

    schema = Schema.load(path)
    if not schema.declared:
        changed = ", or was changed since" if schema.declaration is not None else ""
        raise Refusal(
            f"The schema in {path} has not been declared public{changed}.",
            f"Run `understudy schema {shlex.join(source.again())} --out {path} --declare-public "
            "--note …` once you have checked it, with where it is known from as the note.",
        )
    return schema


def _marked(schema: Schema) -> Schema:
    """The schema of a table that says it was made with a fixed random seed."""
    from engine.table.seed_mark import marked_schema

    return marked_schema(schema)


def _decided(path: Path | None, settings: Settings, schema: Schema, *, stained: bool) -> Decided:
    """The plan, from a file or from settings, shown to keep a promise, and to count on nothing
    that nobody confirmed."""
    from engine.mechanisms.registry import decided, mechanism_of

    plan: MechanismPlan
    if path is None:
        plan = settings.plan(schema)
    elif settings.options:
        raise Refusal(
            f"{', '.join(settings.options)} cannot be given together with --plan.",
            "Change the setting in the plan file, or leave --plan out.",
        )
    else:
        plan = read_plan(path)
    made = decided(plan, schema)
    if not stained:
        try:
            mechanism_of(plan).check_public(made)
        except Refusal as refusal:
            raise Refusal(refusal.problem, refusal.remedy, field="records") from None
    return made


def _run(job: Job, payer: Dataset, place: Path, kept_at: Path, display: Display) -> RunFolder:
    """Make the release and move it into its place; a run with figures stays where runs are kept,
    and leaves a copy there.

    Raises:
        Cancelled: the user stopped it; nothing is released.
        Refusal: it failed; nothing is released.
        Fault: it met a fault of the program; nothing is released.
    """
    from engine.runs.control import named, start
    from engine.runs.folder import RunFolder
    from engine.runs.handover import Handover

    name = named("release")
    aside = None if job.figures else passing(place, name)
    at = aside or kept_at
    handover = Handover(RunFolder(at / name), place, aside)
    return followed(lambda: start(job, at, dataset=payer, name=name), handover, display)


def _print(said: dict[str, Any], out: Path, run: str | None) -> None:
    total = said["guarantee"]
    stated = guarantee(total["epsilon"], total["delta"])
    print_aligned(
        [
            ("Table", f"{table_in(out)}, {said['table']['rows']:,} records"),
            ("Statement", str(out / GUARANTEE)),
            ("Guarantee", stated if total["epsilon"] is not None else "none"),
            *([] if run is None else [("Run", f"{run}, kept for `understudy evaluate`")]),
        ]
    )
    echo()
    print_wrapped(total["statement"])
    if total["population"] is not None:
        echo()
        print_wrapped(total["population"]["statement"])
    if "formulas" in said["table"]:
        echo()
        print_wrapped(said["table"]["formulas"])
    if said["table"]["rows"] == 0:
        print_wrapped(
            "No candidate passed the test, and the attempts count as spent. Choose a smaller k or "
            "a larger ω for another run."
        )
