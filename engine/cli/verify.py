"""`understudy verify`: whether a packet is what it says."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from engine.cli.output import print_aligned, print_json, print_wrapped
from engine.cli.settings import Json

if TYPE_CHECKING:
    from engine.report.verdict import Verdict

_FAILED: Final = 1
_MARKS: Final = {"passed": "ok", "failed": "FAILED", "skipped": "not checked"}


def verify(
    packet: Annotated[
        Path, typer.Argument(metavar="PACKET", help="The folder of a packet, or its zip file.")
    ],
    as_json: Json = False,
) -> None:
    """Check a packet: its hashes, its forms, its table, and that its total follows from its plan.

    Needs nothing confidential. The exit status is 0 where everything passed, and 1 where not.
    """
    from engine.report.verify import verify as checked

    verdict = checked(packet)
    if as_json:
        print_json(_as_dict(verdict))
    else:
        _print(verdict)
    if not verdict.passed:
        raise typer.Exit(_FAILED)


def _as_dict(verdict: Verdict) -> dict[str, object]:
    return {
        "passed": verdict.passed,
        "demonstration": verdict.stained,
        "caveat": verdict.caveat,
        "checks": [asdict(each) for each in verdict.checks],
    }


def _print(verdict: Verdict) -> None:
    print_aligned([(_MARKS[each.state], each.title, each.said) for each in verdict.checks])
    typer.echo()
    if not verdict.passed:
        print_wrapped("This packet is not what it says. Do not rely on it.")
    elif verdict.stained:
        print_wrapped(
            "The packet is whole, and a demonstration: its table is not private, and nothing is "
            "promised about it."
        )
    else:
        print_wrapped(
            "The packet is whole, and its total follows from its settings. Whether what the "
            "promise rests on is true, only people can tell: it is listed in the report."
        )
    if verdict.passed and verdict.caveat:
        print_wrapped(verdict.caveat)
