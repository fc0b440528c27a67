"""`understudy verify`: whether a packet is what it says."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from understudy.cli.output import (
    echo,
    print_aligned,
    print_json,
    print_wrapped,
)
from understudy.cli.settings import Json
from understudy.report.verdict import Verdict

_STATUS: Final = {"passed": 0, "failed": 1, "another version": 3}


def verify(
    packet: Annotated[
        Path, typer.Argument(metavar="PACKET", help="The folder of a packet, or its zip file.")
    ],
    as_json: Json = False,
) -> None:
    """Check a packet: its hashes, its forms, its table, and that its total follows from its plan.

    Needs nothing confidential. The exit status is 0 where everything passed, 1 where something did
    not, and 3 where nothing failed but the packet names another version of Understudy, whose words
    this one cannot check.
    """
    from understudy.report.verdict import verify_apart as checked

    verdict = checked(packet)
    if as_json:
        print_json(_as_dict(verdict))
    else:
        _print_verdict(verdict)
    raise typer.Exit(_STATUS[verdict.outcome])


def _as_dict(verdict: Verdict) -> dict[str, object]:
    return {
        "outcome": verdict.outcome,
        "demonstration": verdict.stained,
        "checks": [asdict(each) for each in verdict.checks],
    }


def _print_verdict(verdict: Verdict) -> None:
    print_wrapped(verdict.summary)
    echo()
    print_aligned(verdict.lines())
