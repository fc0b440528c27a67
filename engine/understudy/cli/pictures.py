"""`understudy pictures`: from small grey pictures to a table and its schema, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json
from understudy.cli.output import echo, print_json, refuse_disk_faults, refuse_taken
from understudy.cli.runs import Run, find_named_run
from understudy.cli.verb import Verb, whole_option
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.pictures.grey import GreySet
    from understudy.table.pictures.picture_schema import Pictures


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
    from understudy.runs.between import WHAT, is_publishable, make_between
    from understudy.table.pictures.grey import GreySet
    from understudy.table.pictures.picture_schema import pictures_of

    what = next((each for each in WHAT if each == show), None)
    if what is None:
        raise Refusal(f"“{show}” is not known.", f"Choose {', '.join(WHAT)}.", field="show")
    if out.suffix.lower() != ".png":
        raise Refusal("A sheet is a PNG.", "Name a file that ends in .png.", field="out")
    refuse_taken(out, field="out")
    asked = find_named_run(run)
    found = make_between(asked, what, RandomSource.secure())
    public = is_publishable(asked)
    drawn = GreySet.of(found.pictures, pictures_of(found.pictures.schema))
    with refuse_disk_faults(out), atomic_file(out) as sink:
        sink.write(sheet(drawn, found.across, internal=not public))
    if as_json:
        print_json({"file": str(out), "internal": not public, "rows": list(found.rows)})
        return
    echo(f"Wrote {out}." if public else f"Wrote {out}. Internal: nothing is promised of it.")
    for row, name in enumerate(found.rows, 1):
        echo(f"Row {row}: {name}")


app = typer.Typer(rich_markup_mode=None)

SchemaFile = Annotated[
    Path, typer.Option("--schema", metavar="FILE", help="The schema of the table, in JSON.")
]


People = Annotated[
    int | None,
    whole_option(
        "people",
        "N",
        "How many people the pictures publicly show: with it, pictures of which nothing could "
        "be released at ε = 1 for each person are refused before one is read.",
    ),
]
Reduced = Annotated[
    int,
    whole_option(
        "reduced", "N", "So many pixels of a file, each way, become one by their mean (default 1)."
    ),
]
Levels = Annotated[int, whole_option("levels", "N", "The level of white; black is 0 (default 16).")]
White = Annotated[int, whole_option("white", "N", "What white is in an NPZ file (default 255).")]
Each = Annotated[
    int,
    whole_option(
        "pictures-per-person", "N", "How many pictures of one person there are at most (default 1)."
    ),
]


@app.callback()
def pictures() -> None:
    """Turn small grey pictures into a table, and a made table into pictures."""


@app.command(cls=Verb)
def read(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="PICTURES",
            help="A folder or a ZIP archive of grey pictures (PNG, BMP, PGM, JPEG, GIF), or an NPZ "
            "file with an array “pictures” of (n, height, width).",
        ),
    ],
    schema: SchemaFile,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The table, as CSV.")],
    height: Annotated[int, whole_option("height", "N", "Rows of pixels in the table.")],
    width: Annotated[int, whole_option("width", "N", "Pixels of a row.")],
    reduced: Reduced = 1,
    levels: Levels = 16,
    white: White = 255,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            metavar="A,B,…",
            help="The labels that everybody may know. A picture's own is the name of its folder, "
            "or stands in the array “labels”.",
        ),
    ] = None,
    people: People = None,
    each: Each = 1,
    as_json: Json = False,
) -> None:
    """Turn small grey pictures into a table, a picture a record and a pixel a column.

    Size, levels and labels have to be public: they are declared, and not looked up in the pictures.
    """
    from understudy.table.pictures.picture_schema import Pictures
    from understudy.table.sources.isolated_pictures import isolated_pictures

    refuse_taken(out, field="out")
    refuse_taken(schema, field="schema")
    own = () if labels is None else tuple(each.strip() for each in labels.split(","))
    about = Pictures(
        height=height, width=width, reduced=reduced, levels=levels, white=white, labels=own
    )
    if people is not None:
        _check_possible(about, people, each)
    found = isolated_pictures(file, about)
    with refuse_disk_faults(out):
        found.save(out)
    about.make_schema().save(schema)
    if as_json:
        internal = {"pictures": len(found.grey)}
        print_json({"table": str(out), "schema": str(schema), "internal": internal})
        return
    echo(f"Wrote {out} and its schema, {schema}.")
    echo(f"Internal: {len(found.grey):,} pictures were read.")


def _check_possible(about: Pictures, people: int, each: int) -> None:
    """Check that something could be released of pictures of so many people."""
    from understudy.mechanisms.expected_utility import Known, check_possible
    from understudy.mechanisms.registry import mechanisms

    for number, option in ((people, "people"), (each, "pictures_per_person")):
        if number < 1:
            raise Refusal(f"The number is {number:,}.", "Enter 1 or more.", field=option)
    check_possible(mechanisms().values(), about.make_schema(), Known(people * each, each))


@app.command(cls=Verb)
def draw(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A table of pictures, as CSV.")],
    schema: SchemaFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="FILE",
            help="The file to write: a sheet (.png), or all pictures as an array (.npz).",
        ),
    ],
    across: Annotated[
        int, whole_option("across", "N", "How many pictures a row holds (default 10).")
    ] = 10,
    released: Annotated[
        bool,
        typer.Option(
            "--released",
            help="Confirms that the table was released; otherwise what is drawn is marked as "
            "internal.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Draw the pictures of a table: a real one's for your own eyes, or a made one's."""
    from understudy.core.files import atomic_file

    refuse_taken(out, field="out")
    if out.suffix.lower() not in (".png", ".npz") or across < 1:
        raise Refusal(
            "Nothing can be drawn so.",
            "Name a file that ends in .png or .npz, and at least 1 picture across.",
            field="across" if across < 1 else "out",
        )
    found = _pictures(table, schema)
    with refuse_disk_faults(out), atomic_file(out) as sink:
        sink.write(_draw_sheet(found, out, across, internal=not released))
    if as_json:
        print_json({"file": str(out), "internal": not released})
        return
    echo(f"Wrote {out}." if released else f"Wrote {out}. Internal: it may show real pictures.")


app.command(cls=Verb)(between)


def _pictures(table: Path, schema: Path) -> GreySet:
    from understudy.cli.table import encode_table
    from understudy.cli.table import read as read_table
    from understudy.table.pictures.grey import GreySet
    from understudy.table.pictures.picture_schema import pictures_of
    from understudy.table.schema import Schema

    declared = Schema.load(schema)
    about = pictures_of(declared)
    raw = read_table(table, declared)
    return GreySet.of(encode_table(raw, declared, {}, settled_here=False), about)


def _draw_sheet(found: GreySet, out: Path, across: int, *, internal: bool) -> bytes:
    import io

    import numpy as np

    from understudy.charts.picture_sheet import sheet
    from understudy.core.files import INTERNAL

    if out.suffix.lower() == ".png":
        return sheet(found, across, internal=internal)
    packed = io.BytesIO()
    arrays = {"pictures": found.grey}
    if found.about.labels:
        arrays["labels"] = np.array(found.about.labels)[found.labels]
    if internal:
        arrays["internal"] = np.array(INTERNAL)
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    return packed.getvalue()
