"""`understudy pictures between`: pictures between the pictures that a run released."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.output import echo, print_json, refuse_disk_faults, refuse_taken
from understudy.cli.settings import Json
from understudy.cli.which_run import Run, find_named_run
from understudy.core.refusal import Refusal


def between(
    run: Run = None,
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The sheet to write, as .png.")
    ],
    show: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="WHAT",
            help="walks, each from one released picture to another (the usual); decodings, several "
            "of the point of each; or labels, what each changes of a picture.",
        ),
    ] = "walks",
    as_json: Json = False,
) -> None:
    """Draw pictures between those that a run released, by its model alone: nothing is spent.

    They may be published as the released pictures may.
    """
    from understudy.charts.picture_sheet import sheet
    from understudy.core.files import atomic_file
    from understudy.privacy.randomness import RandomSource
    from understudy.runs.between import WHAT, publishable
    from understudy.runs.between import between as made_between
    from understudy.table.pictures.declared import pictures_of
    from understudy.table.pictures.grey import GreySet

    what = next((each for each in WHAT if each == show), None)
    if what is None:
        raise Refusal(f"“{show}” is not known.", f"Choose {', '.join(WHAT)}.", field="show")
    if out.suffix.lower() != ".png":
        raise Refusal("A sheet is a PNG.", "Name a file that ends in .png.", field="out")
    refuse_taken(out, field="out")
    asked = find_named_run(run)
    found = made_between(asked, what, RandomSource.secure())
    public = publishable(asked)
    drawn = GreySet.of(found.pictures, pictures_of(found.pictures.schema))
    with refuse_disk_faults(out), atomic_file(out) as sink:
        sink.write(sheet(drawn, found.across, internal=not public))
    if as_json:
        print_json({"file": str(out), "internal": not public, "rows": list(found.rows)})
        return
    echo(f"Wrote {out}." if public else f"Wrote {out}. Internal: nothing is promised of it.")
    for row, name in enumerate(found.rows, 1):
        echo(f"Row {row}: {name}")
