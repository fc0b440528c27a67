"""`understudy reproduce`: a published evaluation run again, its numbers beside the published."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json, TypedSettings, every_field
from understudy.cli.output import echo, keep_finite, print_aligned, print_json
from understudy.cli.runs import Display
from understudy.cli.table import encode_table, name_columns, read
from understudy.cli.verb import one_of_type, whole_option
from understudy.core.files import refuse_disk_error
from understudy.core.refusal import Refusal
from understudy.studies.reproduction import (
    Document,
    Read,
    Reproduction,
    ReproductionRequest,
    reproductions,
)

if TYPE_CHECKING:
    from understudy.studies.document import Section
    from understudy.table.fit import Policy
    from understudy.table.records import Records
    from understudy.table.schema import Schema

_FIGURES = "reproduction-figures"
_ALL = tuple(reproductions().values())
_TABLES = tuple(each.fields for each in _ALL)


@dataclass(frozen=True, kw_only=True)
class ReproduceRequest:
    """What was typed, less what belongs to single reproductions."""

    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            parser=one_of_type(*reproductions()),
            help="Which one; all are listed without.",
        ),
    ] = None
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A tenth of the records: minutes, not half an hour."),
    ] = False
    seed: Annotated[
        int | None,
        whole_option(
            "seed",
            "NUMBER",
            "Start of all random numbers: the same seed gives the same people and the same "
            "results (default 2013).",
        ),
    ] = None
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="The folder for the figures, new or empty (default: reproduction-figures here, "
            "with a number where that is taken). Refused where there are none to draw.",
        ),
    ] = None
    errata: Annotated[
        bool,
        typer.Option(
            "--errata",
            help="Print what is wrong in the publications instead, each figure computed; of one "
            "evaluation's alone after its name.",
        ),
    ] = False
    definitions: Annotated[
        bool,
        typer.Option(
            "--definitions",
            help="Print how every number is defined instead, as published and here.",
        ),
    ] = False
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False
    as_json: Json = False

    def check(self) -> None:
        """Check that one form of output is asked for, and one thing.

        Raises:
            Refusal: there are two.
        """
        if self.errata and self.definitions:
            raise Refusal(
                "--errata and --definitions cannot be given together.",
                "Leave one or the other out.",
            )
        if self.markdown and self.as_json:
            raise Refusal(
                "--markdown and --json cannot be given together.", "Leave one or the other out."
            )

    def check_not_run(self, settings: TypedSettings, *, listed: bool) -> None:
        """Check that nothing is asked for that only a run has.

        Args:
            settings: of single reproductions.
            listed: whether all that is asked for is which there are.

        Raises:
            Refusal: something is.
        """
        given = {
            "--quick": self.quick,
            "--seed": self.seed is not None,
            "--figures": self.figures is not None,
            "--markdown": self.markdown and listed,
        }
        named = [*settings.options, *(option for option, asked in given.items() if asked)]
        if not named:
            return
        if listed:
            raise Refusal(
                f"{', '.join(named)} cannot be given without a name.",
                "Name the evaluation. Run `understudy reproduce` to see which there are.",
            )
        raise Refusal(
            f"{', '.join(named)} cannot be given where nothing is run.", "Leave the rest out."
        )

    def command(self, settings: TypedSettings) -> str:
        """Return what to type to have this again."""
        typed = ["understudy", "reproduce", *([self.name] if self.name else [])]
        for each in every_field(settings.tables):
            given = settings.given.get(each.parameter)
            several = each.option is not None and each.option.several
            for value in (given or ()) if several else (given,):
                typed += [] if value is None else [each.option_name, str(value)]
        typed += [] if self.seed is None else ["--seed", str(self.seed)]
        return shlex.join([*typed, *(["--quick"] if self.quick else [])])


def reproduce(typed: ReproduceRequest, settings: Annotated[TypedSettings, *_TABLES]) -> None:
    """Run a published evaluation again and print each table beside the published one.

    \b
    Which there are:
      understudy reproduce
    On simulated people, beside the published numbers:
      understudy reproduce census --quick
    What is wrong in the publications, and how numbers are defined:
      understudy reproduce --errata
      understudy reproduce --definitions
    On a table of your own, to be kept as confidential as the table:
      understudy reproduce --table FILE --schema schema.json --target COLUMN
    """
    typed.check()
    if typed.errata or typed.definitions:
        typed.check_not_run(settings, listed=False)
        of = _ALL if typed.name is None else (reproductions()[typed.name],)
        document = _errata(of) if typed.errata else _definitions(of)
        _print(document, markdown=typed.markdown, as_json=typed.as_json, page=True)
        return
    if typed.name is None and not settings.given:
        typed.check_not_run(settings, listed=True)
        _list(as_json=typed.as_json)
        return
    chosen = _choose(typed.name, settings)
    display = Display.on_stderr(typed.quiet)
    asked = ReproductionRequest(
        quick=typed.quick,
        seed=typed.seed,
        settings=settings.of(chosen.fields),
        command=typed.command(settings),
        date=datetime.date.today().isoformat(),
        read=_reader(display),
    )
    if typed.figures is not None and not chosen.draws:
        raise Refusal(f"{chosen.name} draws no figures.", "Leave the option out.", field="figures")
    chosen.check(asked)
    try:
        if chosen.draws:
            with _folder(typed.figures) as folder:
                found = _draw_figures(chosen.run(asked, display.stage), folder)
        else:
            found = chosen.run(asked, display.stage)
    finally:
        display.close()
    _print(found, markdown=typed.markdown, as_json=typed.as_json)


def _errata(of: Sequence[Reproduction]) -> Document:
    from understudy.studies.overviews import errata_document

    return errata_document([one for each in of for one in each.errata()])


def _definitions(of: Sequence[Reproduction]) -> Document:
    from understudy.studies.overviews import definitions_document

    return definitions_document({each.title: found for each in of if (found := each.definitions())})


def _list(*, as_json: bool) -> None:
    if as_json:
        print_json({"reproductions": [{"name": each.name, "title": each.title} for each in _ALL]})
        return
    print_aligned([("Name", "What is run again"), *((each.name, each.title) for each in _ALL)])


def _choose(name: str | None, settings: TypedSettings) -> Reproduction:
    """Return the reproduction of a name, or the only one that all the options given belong to.

    Raises:
        Refusal: there is none, or options that were given are another's.
    """
    given = settings.options
    if name is not None:
        found = reproductions()[name]
        strange = [each for each in given if each not in _options(found)]
        if strange:
            raise Refusal(
                f"{', '.join(strange)} cannot be given together with {name}.",
                "Leave out one or the other.",
            )
        return found
    able = [each for each in _ALL if _options(each).issuperset(given)]
    if len(able) != 1:
        raise Refusal(
            f"{', '.join(given)} do not say which evaluation is meant.",
            "Name it. Run `understudy reproduce` to see which there are.",
        )
    return able[0]


def _options(of: Reproduction) -> set[str]:
    return {each.option_name for each in of.fields.options}


def _reader(display: Display) -> Read:
    """Return how a reproduction reads a table of one's own."""

    def read_records(path: Path, schema: Schema, policies: Mapping[str, Policy]) -> Records:
        raw = read(path, schema)
        for note in raw.notes:
            display.note(note)
        with name_columns(raw.names):
            return encode_table(raw, schema, policies)

    return read_records


@contextmanager
def _folder(asked: Path | None) -> Iterator[Path]:
    """Provide the folder for figures; gone again if nothing came to be written.

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
        raise refuse_disk_error(error, folder) from None
    try:
        yield folder
    finally:
        if not there:
            with suppress(OSError):
                folder.rmdir()


def _free() -> Path:
    """Return the first name for the folder of figures that is not taken."""
    names = (f"{_FIGURES}-{number}" if number > 1 else _FIGURES for number in count(1))
    return next(Path(name) for name in names if not Path(name).exists())


def _draw_figures(found: Document, folder: Path) -> Document:
    """Draw the figures, and say at the end of the first section where they are."""
    from understudy.studies.document import write

    if not found.pictures:
        return found
    try:
        write(found.pictures, folder, internal=found.internal)
    except OSError as error:
        raise refuse_disk_error(error, folder) from None
    said = f"The figures, and the numbers of each as CSV, are in {folder}."
    head, *rest = found.sections
    return replace(found, sections=(replace(head, after=(*head.after, said)), *rest))


def _print(found: Document, *, markdown: bool, as_json: bool, page: bool = False) -> None:
    """Print a document.

    Args:
        found: it.
        markdown, as_json: the form.
        page: whether, as Markdown, it is a page of its own with a title.
    """
    from understudy.studies.document import as_markdown, as_page, as_text

    if as_json:
        print_json(keep_finite(found.data))
        return
    write: Callable[[Sequence[Section]], str] = as_text
    if markdown:
        write = as_page if page else as_markdown
    echo(write(found.sections), nl=False)
