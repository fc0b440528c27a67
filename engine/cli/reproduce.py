"""`understudy reproduce`: the published evaluation run again, its numbers beside the published."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.options import option
from engine.cli.output import (
    disk_refusal,
    echo,
    finite,
    print_json,
)
from engine.cli.settings import Json
from engine.cli.table import columns_of, encoded, read
from engine.cli.verb import one_of, whole
from engine.cli.watching import Display
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.fields.table import FIELDS

if TYPE_CHECKING:
    from engine.reproduction.report import Circumstances
    from engine.reproduction.results import Reproduction
    from engine.reproduction.setting import Setting
    from engine.table.fitting import Policy
    from engine.table.records import Records
    from engine.table.schema import Schema
    from engine.table.split import Split

What = Literal["census"]

_FIGURES = "reproduction-figures"
_CENSUS_TARGET = "WAGP"
_SEED = 2013
_TABLE = "On a table of your own"
_CENSUS = "On the simulated census"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was typed."""

    what: Annotated[
        What | None,
        typer.Argument(
            metavar="[census]",
            parser=one_of("census"),
            show_default=False,
            help="census: a simulated table like the published one, its columns and its size.",
        ),
    ] = None
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A tenth of the records: minutes, not half an hour."),
    ] = False
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            metavar="N",
            show_default=False,
            parser=whole,
            rich_help_panel=_CENSUS,
            help="How many people to simulate (default 1500000; with --quick 150000).",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            show_default=False,
            parser=whole,
            rich_help_panel=_CENSUS,
            help="Start of all random numbers: the same seed gives the same people and the same "
            "results (default 2013).",
        ),
    ] = None
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="FILE",
            rich_help_panel=_TABLE,
            help="A confidential table: CSV, Parquet, Excel, Stata, SPSS or SAS. All that is "
            "printed of it is internal.",
        ),
    ] = None
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", rich_help_panel=_TABLE, help="Its schema."),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="COLUMN",
            rich_help_panel=_TABLE,
            help="The column that classifiers predict.",
        ),
    ] = None
    outside: Annotated[list[str] | None, option(FIELDS["policies"])] = None
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            show_default=False,
            help="The folder for the figures, new or empty (default: reproduction-figures here, "
            "with a number where that is taken).",
        ),
    ] = None
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False
    as_json: Json = False

    @property
    def census(self) -> bool:
        """Whether the simulated census was asked for."""
        return self.what is not None

    def check(self) -> None:
        """Check that it is clear which table is meant, and that the options go with it.

        Raises:
            Refusal: it is not, or they do not.
        """
        own = {"--table": self.table, "--schema": self.schema, "--target": self.target}
        given = [name for name, value in own.items() if value is not None]
        missing = [name for name in own if name not in given]
        if self.census and (given or self.outside):
            raise Refusal(
                f"{', '.join(given) or '--outside'} cannot be given together with census.",
                "Leave out one or the other.",
            )
        if not self.census and not given:
            raise Refusal(
                "It is not said what to run the evaluation on.",
                "Write `understudy reproduce census`, or name your own table with --table, "
                "--schema and --target.",
            )
        if not self.census and missing:
            raise Refusal(
                f"{' and '.join(missing)} must be given too.",
                "A table of your own needs --table, --schema and --target.",
            )
        if not self.census and (self.rows is not None or self.seed is not None):
            raise Refusal("--rows and --seed are of the simulated census only.", "Leave them out.")
        if self.markdown and self.as_json:
            raise Refusal(
                "--markdown and --json cannot be given together.", "Leave one or the other out."
            )

    @property
    def command(self) -> str:
        """What to type to have this again."""
        typed = ["understudy", "reproduce", *([self.what] if self.what else [])]
        valued = {
            "--table": self.table,
            "--schema": self.schema,
            "--target": self.target,
            "--rows": self.rows,
            "--seed": self.seed,
        }
        for name, value in valued.items():
            typed += [name, str(value)] if value is not None else []
        for each in self.outside or ():
            typed += ["--outside", each]
        return shlex.join([*typed, *(["--quick"] if self.quick else [])])


def reproduce(asked: Asked) -> None:
    """Run the published evaluation again and print each table beside the published one.

    \b
    On simulated people, beside the published numbers:
      understudy reproduce census --quick
    On a table of your own, to be kept as confidential as the table:
      understudy reproduce --table FILE --schema schema.json --target COLUMN
    """
    asked.check()
    display = Display.on_stderr(asked.quiet)
    try:
        with _folder(asked.figures) as folder:
            job = _census(asked, display) if asked.census else _own(asked, display)
            found, told = job.done(display)
            told = replace(told, figures=_drawn(found, folder, job.internal))
    finally:
        display.close()
    _print(found, told, asked.markdown, asked.as_json)


@dataclass(frozen=True)
class _Job:
    """A table in parts, what to try on it, and what to say of it."""

    records: Records
    parts: Split
    target: str
    setting: Setting
    seed: int | None
    told: Circumstances

    @property
    def internal(self) -> bool:
        """Whether the table is confidential."""
        return self.seed is None

    def done(self, display: Display) -> tuple[Reproduction, Circumstances]:
        """What was found, and of what."""
        from engine.privacy.randomness import RandomSource
        from engine.reproduction.running import reproduce

        source = RandomSource.secure() if self.seed is None else RandomSource.fixed(self.seed)
        found = reproduce(
            self.records, self.parts, self.target, self.setting, source, display.stage
        )
        return found, self.told


def _census(asked: Asked, display: Display) -> _Job:
    from engine.reproduction.report import Circumstances
    from engine.reproduction.setting import ROWS, Sizes
    from engine.table.records import Records
    from sample_data import census

    seed = _SEED if asked.seed is None else asked.seed
    rows = (ROWS // 10 if asked.quick else ROWS) if asked.rows is None else asked.rows
    sizes = Sizes.of(rows)
    display.stage("simulating people")
    schema = census.schema()
    records = Records(schema, census.simulate(rows, seed))
    setting = _setting(schema, asked.quick)
    told = Circumstances(
        f"{rows:,} simulated people, seed {seed}",
        asked.command,
        _today(),
        census=True,
        cut=setting.cut(rows),
    )
    return _Job(records, sizes.cut(records), _CENSUS_TARGET, setting, seed, told)


def _own(asked: Asked, display: Display) -> _Job:
    from engine.evaluation.prediction import MOST_VALUES, check_target
    from engine.privacy.randomness import RandomSource
    from engine.reproduction.report import Circumstances
    from engine.reproduction.setting import Sizes, enough
    from engine.table.schema import Schema
    from engine.table.split import split

    assert asked.table is not None
    assert asked.schema is not None
    assert asked.target is not None
    schema = Schema.load(asked.schema)
    check_target(schema, asked.target, MOST_VALUES)
    policies = _policies(asked, schema)
    display.stage("reading the table")
    raw = read(asked.table, schema)
    for note in raw.notes:
        display.note(note)
    with columns_of(raw.names):
        records = encoded(raw, schema, policies)
    enough(len(records), "table")
    parts = split(records, Sizes().shares, RandomSource.secure())
    setting = _setting(schema, asked.quick)
    told = Circumstances(
        str(asked.table), asked.command, _today(), census=False, cut=setting.cut(None)
    )
    return _Job(records, parts, asked.target, setting, None, told)


def _policies(asked: Asked, schema: Schema) -> Mapping[str, Policy]:
    """What becomes of values outside the schema.

    Raises:
        Refusal: it cannot be read, or is of no column; its field is that of the option.
    """
    from engine.mechanisms.seedbased.plan import Plan
    from engine.mechanisms.seedbased.typed import policies_of

    try:
        return Plan.of(schema, policies=policies_of(asked.outside or (), schema)).policies
    except Refusal as refusal:
        raise Refusal(refusal.problem, refusal.remedy, field="outside") from None


def _setting(schema: Schema, quick: bool) -> Setting:
    from engine.reproduction.setting import Setting

    full = Setting.of(len(schema))
    return full.quick() if quick else full


def _today() -> str:
    return datetime.date.today().isoformat()


@contextmanager
def _folder(asked: Path | None) -> Iterator[Path]:
    """The folder for figures; gone again if nothing came to be written.

    Raises:
        Refusal: it cannot be made, or something is in it already.
    """
    folder = asked or _free()
    there = folder.is_dir()
    try:
        if folder.exists() and (not there or any(folder.iterdir())):
            raise Refusal(
                f"{folder} exists already, and is not overwritten.",
                "Choose another name, or remove it first.",
                field="figures",
            )
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_refusal(error, folder) from None
    try:
        yield folder
    finally:
        if not there:
            with suppress(OSError):
                folder.rmdir()


def _free() -> Path:
    """The first name for the folder of figures that is not taken."""
    names = (f"{_FIGURES}-{number}" if number > 1 else _FIGURES for number in count(1))
    return next(Path(name) for name in names if not Path(name).exists())


def _drawn(found: Reproduction, folder: Path, internal: bool) -> str:
    """Draw the figures, and say where they are."""
    from engine.reproduction.figures import figures_of
    from engine.reproduction.pictures import write

    try:
        write(figures_of(found, internal=internal), folder, internal=internal)
    except OSError as error:
        raise disk_refusal(error, folder) from None
    return f"The figures, and the numbers of each as CSV, are in {folder}."


def _print(found: Reproduction, told: Circumstances, markdown: bool, as_json: bool) -> None:
    from engine.reproduction.as_data import as_dict
    from engine.reproduction.document import as_markdown, as_text
    from engine.reproduction.report import sections

    if as_json:
        print_json(finite(as_dict(found, told)))
        return
    write = as_markdown if markdown else as_text
    echo(write(sections(found, told)), nl=False)
