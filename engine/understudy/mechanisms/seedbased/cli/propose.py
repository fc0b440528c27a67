"""`understudy propose`: from what may be spent to a whole plan, and how near it will come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.method import write_plan
from understudy.cli.options import Json, TypedSettings
from understudy.cli.output import (
    describe_budget,
    echo,
    keep_finite,
    print_aligned,
    print_json,
    print_wrapped,
)
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.fields.planner_fields import PURPOSES, WANTED

if TYPE_CHECKING:
    from understudy.mechanisms.seedbased.proposal import Proposal, Wanted
    from understudy.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What was typed besides what is wanted."""

    schema: Annotated[
        Path,
        typer.Option("--schema", metavar="FILE", help="The schema of the table."),
    ]
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the proposed plan to a file."),
    ] = None
    as_json: Json = False


_MOST_LEFT = 10


def propose(asked: _Asked, settings: Annotated[TypedSettings, WANTED]) -> None:
    """Propose a plan, and predict how near its records will come, before anything is spent.

    Reads no data.
    """
    from understudy.mechanisms.seedbased.plan_from_options import wanted_of
    from understudy.table.schema import Schema

    given = settings.of(WANTED)
    purpose = given.pop("purpose", "table")
    schema = Schema.load(asked.schema)
    wanted = wanted_of(given, schema)
    found = {name: _propose_for(name, schema, wanted) for name in PURPOSES}
    proposed = found[purpose]
    if isinstance(proposed, Refusal):
        raise proposed
    if asked.save_plan is not None:
        write_plan(proposed.plan, asked.save_plan)
    if asked.as_json:
        print_json(
            {"purpose": purpose} | {name: _as_dict(each, schema) for name, each in found.items()}
        )
        return
    for name, each in found.items():
        echo(PURPOSES[name] + (" (proposed)" if name == purpose else ""))
        _print(each, schema)
        echo()
    _print_predicted(proposed, schema)


def _propose_for(purpose: str, schema: Schema, wanted: Wanted) -> Proposal | Refusal:
    """Return the plan for one purpose, or why there is none."""
    from understudy.mechanisms.seedbased.proposal import alike, whole_table

    try:
        return whole_table(schema, wanted) if purpose == "table" else alike(schema, wanted)
    except Refusal as refusal:
        return refusal


def _as_dict(found: Proposal | Refusal, schema: Schema) -> dict[str, Any]:
    from understudy.mechanisms.seedbased.marks import foreseen_of_marks
    from understudy.mechanisms.seedbased.proposal import why

    if isinstance(found, Refusal):
        return {"refused": found.problem, "remedy": found.remedy}
    foreseen = found.predicted
    total = found.made.total
    told: dict[str, Any] = {
        "plan": found.plan.as_dict(),
        "total": {"epsilon": total.epsilon, "delta": total.delta},
        "why": list(why(found, schema)),
        "seconds": found.seconds,
        "unrelated": [],
        "marked": [],
        "hardly_related": [],
        "predicted": None,
    }
    if foreseen is not None:
        told["unrelated"] = [schema.names[place] for place in foreseen.unrelated]
        told["hardly_related"] = [schema.names[place] for place in foreseen.hardly_related]
        told["marked"] = [
            {"columns": list(each.names), "distance": each.apart, "possible": each.possible}
            for each in foreseen_of_marks(foreseen, found.plan.marks, schema)
        ]
        columns = dict(zip(schema.names, foreseen.each_column.tolist(), strict=True))
        told["predicted"] = {
            "typical_column_at_most": foreseen.column_at_most,
            "typical_pair_at_most": foreseen.pair_at_most,
            "pairs_counted": foreseen.counted,
            "columns": columns,
            "pairs": [
                {"columns": [schema.names[one], schema.names[other]], "distance": apart}
                for (one, other), apart in foreseen.by_pair()
            ],
        }
    return dict(keep_finite(told))


def _print(found: Proposal | Refusal, schema: Schema) -> None:
    from understudy.core.numerals import describe_roughly
    from understudy.mechanisms.seedbased.foresight import unrelated_columns
    from understudy.mechanisms.seedbased.marks import sentences
    from understudy.mechanisms.seedbased.proposal import why

    if isinstance(found, Refusal):
        print_wrapped(f"{found.problem} {found.remedy}", "  ")
        return
    plan, total = found.plan, found.made.total
    lines = [("Total", describe_budget(total.epsilon, total.delta)), ("Model", plan.model.kind)]
    if found.answer is not None:
        lines.append(("Test", f"k = {plan.test.k:,}, {plan.attempts:,} attempts"))
    else:
        lines.append(("Records", f"{plan.attempts:,}"))
    if found.seconds is not None:
        lines.append(("Time", f"about {describe_roughly(found.seconds)}"))
    print_aligned(lines, "  ")
    for sentence in why(found, schema):
        print_wrapped(sentence, "  ")
    if found.predicted is not None:
        lost = unrelated_columns(found.predicted, plan, schema)
        if lost:
            print_wrapped(lost, "  ")
        marked = list(sentences(found.predicted, plan, schema))
        if marked:
            echo("  What must survive")
        for sentence in marked:
            print_wrapped(sentence, "    ")


def _print_predicted(found: Proposal, schema: Schema) -> None:
    """Return each column and pair, the farthest first."""
    from understudy.mechanisms.seedbased.foresight import left_out, round_per_cent

    foreseen = found.predicted
    if foreseen is None:
        return
    echo("Expected distance by noise and chance, of each")
    columns = sorted(
        zip(schema.names, foreseen.each_column.tolist(), strict=True), key=lambda each: -each[1]
    )
    print_aligned([(name, round_per_cent(apart)) for name, apart in columns], "  ")
    counted = [each for each in foreseen.by_pair() if math.isfinite(each[1])]
    print_aligned(
        [
            (f"{schema.names[one]} × {schema.names[other]}", round_per_cent(apart))
            for (one, other), apart in sorted(counted, key=lambda each: -each[1])
        ],
        "  ",
    )
    left = len(foreseen.each_pair) - foreseen.counted
    if left:
        print_wrapped(f"{left:,} further pairs are left to the rest of the model.", "  ")
    for each in left_out(foreseen)[:_MOST_LEFT]:
        print_wrapped(f"Not counted together: {each.describe(schema)}.", "  ")
