"""`understudy fakes`: traces as published, without a guarantee, of simulated or public ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.options import Json
from understudy.cli.output import (
    echo,
    print_json,
    print_wrapped,
    refuse_disk_faults,
    refuse_taken,
)
from understudy.cli.verb import number_type, whole_type
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.mechanisms.traces.plan import TracesPlan
    from understudy.studies.traces.fakes.synthesizer import Faked, WantedFakes
    from understudy.table.schema import Schema

_MAP = "The map"
_PUBLISHED = "As published"


def _option(name: str, panel: str, parser: Any, what: str) -> Any:
    return typer.Option(
        f"--{name}", metavar="NUMBER", rich_help_panel=panel, parser=parser, help=what
    )


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What was typed."""

    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="Traces that are simulated or public.")
    ]
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", help="The schema of the table.")
    ]
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The fakes, as CSV.")]
    simulated_or_public: Annotated[
        bool,
        typer.Option(
            "--simulated-or-public",
            help="Confirm that the traces are simulated, or public already: fakes show places "
            "because real people were there.",
        ),
    ] = False
    each: Annotated[
        int, _option("each", "Options", whole_type, "How many fakes of each seed (default 1).")
    ] = 1
    apart: Annotated[
        bool,
        typer.Option(
            "--apart",
            help="Learn from half of the people and take the others as seeds; as published, all "
            "are both.",
        ),
    ] = False
    rows: Annotated[
        int, _option("rows", _MAP, whole_type, "Cells from south to north (default 20).")
    ] = 20
    columns: Annotated[
        int, _option("columns", _MAP, whole_type, "Cells from west to east (default 20).")
    ] = 20
    north_km: Annotated[
        float,
        _option("north-km", _MAP, number_type, "Kilometres of a cell northwards (default 1)."),
    ] = 1.0
    east_km: Annotated[
        float, _option("east-km", _MAP, number_type, "Kilometres of a cell eastwards (default 1).")
    ] = 1.0
    classes: Annotated[
        int, _option("classes", _PUBLISHED, whole_type, "How many semantic classes (default 20).")
    ] = 20
    leave_out: Annotated[
        float,
        _option(
            "leave-out", _PUBLISHED, number_type, "p_c: a location leaves its class (default .25)."
        ),
    ] = 0.25
    hide: Annotated[
        float,
        _option(
            "hide", _PUBLISHED, number_type, "p_l: the true location leaves a slot (default 1)."
        ),
    ] = 1.0
    carry: Annotated[
        float,
        _option(
            "carry", _PUBLISHED, number_type, "p_m: locations are carried a slot (default .75)."
        ),
    ] = 0.75
    spread: Annotated[
        float,
        _option(
            "spread", _PUBLISHED, number_type, "p_v: the most that chance multiplies (default 4)."
        ),
    ] = 4.0
    as_json: Json = False


def fakes(asked: _Asked) -> None:
    """Make fake traces as published, WITHOUT A GUARANTEE, of simulated or public traces only.

    Fakes show places because real people were there. For confidential traces use the method
    “traces”.
    """
    from understudy.cli.table import encode_table, name_columns, read
    from understudy.models.mobility.trace_records import days_of
    from understudy.privacy.randomness import RandomSource
    from understudy.studies.traces.fakes.synthesizer import make_fakes, write
    from understudy.table.schema import Schema

    _check_confirmed(asked)
    refuse_taken(asked.out, field="out")
    schema = Schema.load(asked.schema)
    plan, wanted = _plan(asked, schema), _read_request(asked)
    plan.check(schema)
    raw = read(asked.table, schema)
    with name_columns(raw.names):
        days = days_of(encode_table(raw, schema, {}, settled_here=False), plan.told_by)
    found = make_fakes(days, plan.where, wanted, RandomSource.secure())
    with refuse_disk_faults(asked.out):
        write(found, schema.column(plan.place).texts, asked.out)
    _tell(asked, found)


def _check_confirmed(asked: _Asked) -> None:
    if not asked.simulated_or_public:
        raise Refusal(
            "Fakes as published have no guarantee: they show places because real people were "
            "there.",
            "Confirm with --simulated-or-public that nobody's whereabouts are confidential, or "
            "make traces with a guarantee: understudy method traces.",
        )


def _plan(asked: _Asked, schema: Schema) -> TracesPlan:
    from understudy.mechanisms.traces.plan import TracesPlan

    return TracesPlan(
        domain=schema.fingerprint,
        rows=asked.rows,
        columns=asked.columns,
        north_km=asked.north_km,
        east_km=asked.east_km,
    )


def _read_request(asked: _Asked) -> WantedFakes:
    from understudy.studies.traces.fakes.synthesizer import FakeSettings, WantedFakes

    how = FakeSettings(
        leave_out=asked.leave_out, hide=asked.hide, carry=asked.carry, spread=asked.spread
    )
    return WantedFakes(each=asked.each, classes=asked.classes, apart=asked.apart, how=how)


def _tell(asked: _Asked, found: Faked) -> None:
    from understudy.mechanisms.traces.charts.fakes import NO_GUARANTEE

    if asked.as_json:
        print_json(
            {
                "warning": NO_GUARANTEE,
                "guarantee": None,
                "table": str(asked.out),
                "fakes": len(found.traces),
                "learned_from": found.learned_from,
                "seeds": found.seeds,
                "apart": asked.apart,
            }
        )
        return
    echo(NO_GUARANTEE)
    print_wrapped(
        f"Wrote {len(found.traces):,} fakes of {found.seeds:,} people to {asked.out}; every row "
        "says so."
    )


VERBS = (fakes,)
