"""`understudy sample`: simulated tables to try things on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.options import Json
from understudy.cli.output import (
    echo,
    print_json,
    refuse_disk_faults,
    refuse_taken,
)
from understudy.cli.verb import Verb, whole_option

app = typer.Typer(rich_markup_mode=None)

Out = Annotated[
    Path,
    typer.Option("--out", metavar="FILE", help="The CSV file to write."),
]


@app.callback()
def sample() -> None:
    """Write a simulated table to try things on."""


@app.command(cls=Verb)
def census(
    out: Out,
    rows: Annotated[
        int,
        whole_option("rows", "N", "How many people (default 60000)."),
    ] = 60_000,
    seed: Annotated[
        int,
        whole_option(
            "seed",
            "NUMBER",
            "Start of the random numbers: the same seed gives the same people (default 2013).",
        ),
    ] = 2013,
    as_json: Json = False,
) -> None:
    """Write a simulated census of 11 columns. Nobody in it exists."""
    from understudy.samples.census import RULED_SCHEMA, SCHEMA, write

    refuse_taken(out)
    with refuse_disk_faults(out):
        write(rows, out, seed)
    if as_json:
        print_json(
            {
                "table": str(out),
                "rows": rows,
                "seed": seed,
                "schema": str(RULED_SCHEMA),
                "schema_without_rules": str(SCHEMA),
            }
        )
        return
    echo(f"Wrote {rows:,} simulated people to {out}. Nobody in it exists.")
    echo(f"Its schema, with rules and a derived column, is {RULED_SCHEMA}.")
    echo(f"The same columns without them: {SCHEMA}.")


@app.command(cls=Verb)
def discharges(
    out: Out,
    rows: Annotated[
        int,
        whole_option("rows", "N", "How many stays in hospital (default 100000)."),
    ] = 100_000,
    seed: Annotated[
        int,
        whole_option(
            "seed",
            "NUMBER",
            "Start of the random numbers: the same seed gives the same stays (default 2013).",
        ),
    ] = 2013,
    marked: Annotated[
        bool,
        typer.Option(
            "--marked",
            help="Add a column ALCOHOL, the mark of stays that have to do with alcohol.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write simulated hospital discharges of 42 flags. Nobody in it exists."""
    from understudy.samples.discharges import MARKED_SCHEMA, SCHEMA, write

    refuse_taken(out)
    with refuse_disk_faults(out):
        write(rows, out, seed, marked=marked)
    schema = str(MARKED_SCHEMA if marked else SCHEMA)
    if as_json:
        print_json({"table": str(out), "rows": rows, "seed": seed, "schema": schema})
        return
    echo(f"Wrote {rows:,} simulated stays in hospital to {out}. Nobody in it exists.")
    echo(f"Its schema is {schema}.")


@app.command(cls=Verb)
def city(
    out: Out,
    people: Annotated[
        int,
        whole_option("people", "N", "How many people, each with 14 days (default 1000)."),
    ] = 1000,
    seed: Annotated[
        int,
        whole_option(
            "seed",
            "NUMBER",
            "Start of the random numbers: the same seed gives the same people (default 2018).",
        ),
    ] = 2018,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Write positions in degrees and time instead, for `understudy traces`.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write where the people of a simulated city are for two weeks. Nobody in it exists."""
    from understudy.samples.city import SCHEMA, write, write_positions

    refuse_taken(out)
    with refuse_disk_faults(out):
        (write_positions if positions else write)(people, out, seed)
    schema = None if positions else str(SCHEMA)
    if as_json:
        print_json({"table": str(out), "people": people, "seed": seed, "schema": schema})
        return
    echo(f"Wrote 14 days of {people:,} simulated people to {out}. Nobody in it exists.")
    if schema is not None:
        echo(f"Its schema is {schema}.")


SeedOfArchive = Annotated[
    int,
    whole_option(
        "seed",
        "NUMBER",
        "Start of the random numbers: the same seed gives the same table (default 2021).",
    ),
]


@app.command(cls=Verb)
def hospital(
    out: Out,
    rows: Annotated[int, whole_option("rows", "N", "How many stays (default 4000).")] = 4_000,
    seed: SeedOfArchive = 2021,
    as_json: Json = False,
) -> None:
    """Write stays in a hospital as archives have them: names, dates with times, codes for missing.
    Nobody in it exists."""
    from understudy.samples.archives import HOSPITAL_CODES, HOSPITAL_SCHEMA, write_hospital

    refuse_taken(out)
    with refuse_disk_faults(out):
        write_hospital(rows, out, seed)
    whose = "patient_no says whose a stay is, and admitted_at which comes first"
    _tell(out, {"rows": rows, "seed": seed}, f"{rows:,} simulated stays in a hospital", whose,
          HOSPITAL_CODES, as_json, HOSPITAL_SCHEMA)  # fmt: skip


@app.command(cls=Verb)
def panel(
    out: Out,
    people: Annotated[
        int,
        whole_option("people", "N", "How many people, each with up to 3 waves (default 2000)."),
    ] = 2_000,
    seed: SeedOfArchive = 2021,
    as_json: Json = False,
) -> None:
    """Write a panel survey as archives have them: waves, incomes, a survey weight, codes for
    missing. Nobody in it exists."""
    from understudy.samples.archives import PANEL_CODES, write_panel

    refuse_taken(out)
    with refuse_disk_faults(out):
        write_panel(people, out, seed)
    whose = "person says whose a row is, and wave which comes first"
    _tell(out, {"people": people, "seed": seed}, f"a panel of {people:,} simulated people", whose,
          PANEL_CODES, as_json)  # fmt: skip


@app.command(cls=Verb)
def questionnaire(
    out: Out,
    rows: Annotated[int, whole_option("rows", "N", "How many people (default 1000).")] = 1_000,
    seed: SeedOfArchive = 2021,
    as_json: Json = False,
) -> None:
    """Write the answers to a questionnaire of 2,500 columns. Nobody in it exists."""
    from understudy.samples.archives import QUESTIONNAIRE_CODES, write_questionnaire

    refuse_taken(out)
    with refuse_disk_faults(out):
        write_questionnaire(rows, out, seed)
    whose = "each row is a person"
    _tell(out, {"rows": rows, "seed": seed}, f"2,500 answers of {rows:,} simulated people", whose,
          QUESTIONNAIRE_CODES, as_json)  # fmt: skip


def _tell(
    out: Path,
    figures: Mapping[str, int],
    what: str,
    whose: str,
    codes: Mapping[str, str],
    as_json: bool,
    schema: Path | None = None,
) -> None:
    """Say what was written, and what everybody may know of its columns."""
    if as_json:
        shown = None if schema is None else str(schema)
        print_json({"table": str(out), **figures, "schema": shown, "missing_codes": dict(codes)})
        return
    echo(f"Wrote {what} to {out}. Nobody in it exists.")
    listed = ", ".join(f"{code} {meaning}" for code, meaning in codes.items())
    if schema is None:
        echo(f"It has no schema: {whose}.")
    else:
        echo(f"The column {whose}.")
        echo(f"Its schema, with dates, rules and derived columns, is {schema}.")
    echo(f"Its codes for missing: {listed}.")


@app.command(cls=Verb)
def pictures(
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="The NPZ file to write."),
    ],
    count: Annotated[
        int,
        whole_option("count", "N", "How many pictures (default 3000)."),
    ] = 3000,
    seed: Annotated[
        int,
        whole_option(
            "seed",
            "NUMBER",
            "Start of the random numbers: the same seed gives the same pictures (default 2018).",
        ),
    ] = 2018,
    digits: Annotated[
        bool,
        typer.Option("--digits", help="Write the 1,797 published digits of scikit-learn instead."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write small grey pictures of shapes, for `understudy pictures read`."""
    from understudy.samples import pictures as made

    refuse_taken(out)
    grey, labels = made.digits() if digits else made.simulate(count, seed)
    with refuse_disk_faults(out):
        made.write(grey, labels, out)
    names = ",".join(sorted({str(each) for each in labels}) if digits else made.SHAPES)
    how = f"--height {made.SIDE} --width {made.SIDE} --white {made.LEVELS} --labels {names}"
    if as_json:
        print_json({"pictures": str(out), "count": len(grey), "read": how})
        return
    whose = "published digits" if digits else "simulated pictures"
    echo(f"Wrote {len(grey):,} {whose} to {out}.")
    echo(f"Read them with {how}")
