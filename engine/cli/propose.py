"""`understudy propose`: from what may be spent to a whole plan, and how near it will come."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.output import (
    echo,
    finite,
    guarantee,
    print_aligned,
    print_json,
    print_wrapped,
)
from engine.cli.plan_file import write_plan
from engine.cli.settings import DELTA, RECORDS_PER_PERSON, SEEDS_AT_LEAST, Json
from engine.cli.verb import number, one_of, whole
from engine.core.refusal import Refusal

if TYPE_CHECKING:
    from engine.mechanisms.seedbased.proposal import Proposal, Wanted
    from engine.table.schema import Schema

_TITLES = {"table": "A whole table", "alike": "Records like given ones"}


def propose(
    schema: Annotated[
        Path,
        typer.Option("--schema", metavar="FILE", help="The schema of the table."),
    ],
    epsilon: Annotated[
        float,
        typer.Option(
            "--epsilon",
            metavar="NUMBER",
            parser=number,
            show_default=False,
            help="The total ε that may be spent (default 1).",
        ),
    ] = 1.0,
    delta: Annotated[float, DELTA] = 1e-9,
    records: Annotated[
        int | None,
        typer.Option(
            "--records",
            metavar="RECORDS",
            parser=whole,
            show_default=False,
            help="How many records the table is publicly known to have at least. Without it, "
            "nearness cannot be predicted.",
        ),
    ] = None,
    rows: Annotated[
        int,
        typer.Option(
            "--rows",
            metavar="N",
            parser=whole,
            show_default=False,
            help="How many records a whole table is to have (default 10,000).",
        ),
    ] = 10_000,
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts",
            metavar="N",
            parser=whole,
            show_default=False,
            help="How many candidates like given records are made (default 1,000).",
        ),
    ] = 1_000,
    kept: Annotated[
        int,
        typer.Option(
            "--kept",
            metavar="COLUMNS",
            parser=whole,
            show_default=False,
            help="How many columns each of these copies from its seed (default 1).",
        ),
    ] = 1,
    seeds_at_least: Annotated[int | None, SEEDS_AT_LEAST] = None,
    records_per_person: Annotated[int, RECORDS_PER_PERSON] = 1,
    purpose: Annotated[
        str,
        typer.Option(
            "--purpose",
            metavar="table or alike",
            parser=one_of(*_TITLES),
            show_default=False,
            help="What the synthetic table is for: a whole table, or records like given ones. "
            "Says which plan --save-plan saves (default table).",
        ),
    ] = "table",
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the proposed plan to a file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Propose a plan, and predict how near its records will come, before anything is spent.

    Reads no data.
    """
    from engine.mechanisms.seedbased.proposal import Wanted
    from engine.table.schema import Schema

    declared = Schema.load(schema)
    wanted = Wanted(
        epsilon=epsilon,
        delta=delta,
        rows=rows,
        attempts=attempts,
        kept=kept,
        records=records,
        seeds_at_least=seeds_at_least,
        records_per_person=records_per_person,
    )
    found = {name: _made(name, declared, wanted) for name in _TITLES}
    proposed = found[purpose]
    if isinstance(proposed, Refusal):
        raise proposed
    if save_plan is not None:
        write_plan(proposed.plan, save_plan)
    if as_json:
        print_json(
            {"purpose": purpose} | {name: _as_dict(each, declared) for name, each in found.items()}
        )
        return
    for name, each in found.items():
        echo(_TITLES[name] + (" (proposed)" if name == purpose else ""))
        _print(each, declared)
        echo()
    _print_predicted(proposed, declared)


def _made(purpose: str, schema: Schema, wanted: Wanted) -> Proposal | Refusal:
    """The plan for one purpose, or why there is none."""
    from engine.mechanisms.seedbased.proposal import alike, whole_table

    try:
        return whole_table(schema, wanted) if purpose == "table" else alike(schema, wanted)
    except Refusal as refusal:
        return refusal


def _as_dict(found: Proposal | Refusal, schema: Schema) -> dict[str, Any]:
    from engine.mechanisms.seedbased.proposal import why

    if isinstance(found, Refusal):
        return {"refused": found.problem, "remedy": found.remedy}
    foreseen = found.predicted
    total = found.made.total
    told: dict[str, Any] = {
        "plan": found.plan.model_dump(mode="json"),
        "total": {"epsilon": total.epsilon, "delta": total.delta},
        "why": list(why(found, schema)),
        "seconds": found.seconds,
        "predicted": None,
    }
    if foreseen is not None:
        columns = dict(zip(schema.names, foreseen.each_column.tolist(), strict=True))
        told["predicted"] = {
            "typical_column": foreseen.typical_column,
            "typical_pair": foreseen.typical_pair,
            "pairs_counted": foreseen.counted,
            "columns": columns,
            "pairs": [
                {"columns": [schema.names[one], schema.names[other]], "distance": apart}
                for (one, other), apart in foreseen.by_pair()
            ],
        }
    return dict(finite(told))


def _print(found: Proposal | Refusal, schema: Schema) -> None:
    from engine.mechanisms.seedbased.proposal import why
    from engine.runs.duration import roughly

    if isinstance(found, Refusal):
        print_wrapped(f"{found.problem} {found.remedy}", "  ")
        return
    plan, total = found.plan, found.made.total
    lines = [("Total", guarantee(total.epsilon, total.delta)), ("Model", plan.model.kind)]
    if found.answer is not None:
        lines.append(("Test", f"k = {plan.test.k:,}, {plan.attempts:,} attempts"))
    else:
        lines.append(("Records", f"{plan.attempts:,}"))
    if found.seconds is not None:
        lines.append(("Time", f"about {roughly(found.seconds)}"))
    print_aligned(lines, "  ")
    for sentence in why(found, schema):
        print_wrapped(sentence, "  ")


def _print_predicted(found: Proposal, schema: Schema) -> None:
    """Each column and pair, the farthest first."""
    from engine.mechanisms.seedbased.proposal import about

    foreseen = found.predicted
    if foreseen is None:
        return
    echo("Predicted distance by noise and chance")
    columns = sorted(
        zip(schema.names, foreseen.each_column.tolist(), strict=True), key=lambda each: -each[1]
    )
    print_aligned([(name, about(apart)) for name, apart in columns], "  ")
    counted = [each for each in foreseen.by_pair() if math.isfinite(each[1])]
    print_aligned(
        [
            (f"{schema.names[one]} × {schema.names[other]}", about(apart))
            for (one, other), apart in sorted(counted, key=lambda each: -each[1])
        ],
        "  ",
    )
    left = len(foreseen.each_pair) - foreseen.counted
    if left:
        print_wrapped(f"{left:,} further pairs are left to the rest of the model.", "  ")
