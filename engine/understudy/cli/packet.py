"""`understudy packet` and `understudy verify`: files for a review board, and their check."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from understudy.cli.options import Json
from understudy.cli.output import describe_budget, echo, print_aligned, print_json, print_wrapped
from understudy.cli.runs import Run, find_named_run
from understudy.report.verdict import PacketVerdict

if TYPE_CHECKING:
    from understudy.report.shelf import Packet


@dataclass(frozen=True, kw_only=True)
class PacketRequest:
    """What was typed."""

    run: Run = None
    title: Annotated[
        str,
        typer.Option("--title", metavar="TEXT", help="What stands on the title page. Public."),
    ]
    by: Annotated[
        str,
        typer.Option("--by", metavar="TEXT", help="Who answers for it, with their role. Public."),
    ] = ""
    dated: Annotated[
        str,
        typer.Option(
            "--dated",
            metavar="TEXT",
            help="The date on the title page. Public; left out unless given.",
        ),
    ] = ""
    dataset: Annotated[
        str,
        typer.Option(
            "--dataset", metavar="TEXT", help="What the data are called in public. Public."
        ),
    ] = ""
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Anything else for the reader. Public.")
    ] = ""
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder that the packet gets a folder and a zip file in (default: where the "
            "run's project keeps its packets; only the folder then).",
        ),
    ] = None
    no_pdf: Annotated[bool, typer.Option("--no-pdf", help="Print no PDF of the report.")] = False
    as_json: Json = False


def packet(asked: PacketRequest) -> None:
    """Make the packet of a run: table, statement, dictionary, ledger extract and report.

    Nothing internal is in it, and nothing is spent.
    """
    from understudy.report.browser import MISSING, find_chromium
    from understudy.report.cover import Cover
    from understudy.report.packet import find_shelf, make_packet, save_zip

    cover = Cover(
        title=asked.title,
        by=asked.by,
        dated=asked.dated,
        dataset=asked.dataset,
        note=asked.note,
    )
    chosen = find_named_run(asked.run)
    made = make_packet(chosen, asked.out or find_shelf(chosen), cover, pdf=not asked.no_pdf)
    archive = None if asked.out is None else save_zip(made)
    remarks = [] if asked.no_pdf or find_chromium() else [MISSING]
    if asked.as_json:
        print_json(
            {
                "packet": str(made.path),
                "zip": None if archive is None else str(archive),
                "files": dict(made.files),
                "demonstration": made.stained,
                "remarks": remarks,
            }
        )
        return
    _print_packet(made, archive, remarks)


def _print_packet(made: Packet, archive: Path | None, remarks: list[str]) -> None:
    total = made.total
    rows = [
        ("Packet", str(made.path)),
        *([] if archive is None else [("Zip", str(archive))]),
        ("Guarantee", describe_budget(total.epsilon, total.delta)),
    ]
    print_aligned(rows)
    echo()
    print_aligned([(name, f"{size:,} bytes") for name, size in made.files], indent="  ")
    for remark in remarks:
        echo(f"\n{remark}")
    again = shlex.join(["understudy", "verify", str(archive or made.path)])
    echo(f"\nCheck it with: {again}")


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
    from understudy.report.verdict import verify_apart

    verdict = verify_apart(packet)
    if as_json:
        print_json(_as_dict(verdict))
    else:
        _print_verdict(verdict)
    raise typer.Exit(_STATUS[verdict.outcome])


def _as_dict(verdict: PacketVerdict) -> dict[str, object]:
    return {
        "outcome": verdict.outcome,
        "demonstration": verdict.stained,
        "checks": [asdict(each) for each in verdict.checks],
    }


def _print_verdict(verdict: PacketVerdict) -> None:
    print_wrapped(verdict.summary)
    echo()
    print_aligned(verdict.lines())
