"""The verbs of `understudy`, put together."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from understudy import __version__
from understudy.cli import ledger, pictures, sample
from understudy.cli.audit import audit
from understudy.cli.dashboard import dashboard
from understudy.cli.evaluate import evaluate
from understudy.cli.export import export
from understudy.cli.intervals import intervals
from understudy.cli.method import MethodVerb, method
from understudy.cli.options import with_options
from understudy.cli.packet import packet, verify
from understudy.cli.reproduce import reproduce
from understudy.cli.rules import rules
from understudy.cli.schema import schema
from understudy.cli.synthesize import synthesize
from understudy.cli.traces import traces
from understudy.cli.verb import Verb
from understudy.mechanisms import companions

_app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"understudy {__version__}")
        raise typer.Exit


@_app.callback()
def understudy(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A synthetic table that stands in for a confidential one, with a proven guarantee.

    \b
    Suggest a schema, check it and declare it public; then make the table:
      understudy schema TABLE --out schema.json
      understudy schema TABLE --out schema.json --declare-public --note SOURCE
      understudy synthesize TABLE --schema schema.json --out DIR
    """


_app.add_typer(sample.app, name="sample")
_app.add_typer(ledger.app, name="ledger")
_app.add_typer(pictures.app, name="pictures")
_FIRST = (schema, rules)
_OTHERS = (
    traces, method, synthesize, evaluate, audit, reproduce, packet, verify, intervals, export,
    dashboard,
)  # fmt: skip


@cache
def command() -> Any:
    """Return the whole command line, as one command; put together once, which takes a twelfth of a
    second. Verbs that are about one method alone are brought by it: the tuple `VERBS` of a module
    `cli` in its folder."""
    brought = (verb for verbs in companions.own("cli", "VERBS") for verb in verbs)
    for verb in (*_FIRST, *brought, *_OTHERS):
        kind = MethodVerb if verb is method else Verb
        _app.command(cls=kind)(with_options(verb))
    return typer.main.get_command(_app)
