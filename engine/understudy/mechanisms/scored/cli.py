"""`understudy attempts`: how many attempts a plan of scored candidates can make, by its k."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.method import read_plan, write_plan
from understudy.cli.options import Json
from understudy.cli.output import print_aligned, print_json
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.mechanisms.scored.spending import Affordable


def attempts(
    plan: Annotated[
        Path, typer.Option("--plan", metavar="FILE", help="The plan, of scored candidates.")
    ],
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", help="The schema it was made for.")
    ],
    k: Annotated[
        list[int] | None,
        typer.Option(
            "--k",
            metavar="NUMBER",
            help="How many plausible seeds a candidate needs; may be repeated (default 50 to "
            "50,000).",
        ),
    ] = None,
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the plan at one k to a file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how many attempts cost no more than the proposer, by k. Nothing is spent."""
    from understudy.mechanisms.registry import plan_run
    from understudy.mechanisms.scored.plan import ScoredPlan
    from understudy.mechanisms.scored.spending import LADDER, ladder
    from understudy.table.schema import Schema

    given = read_plan(plan)
    if not isinstance(given, ScoredPlan):
        raise Refusal(
            "The plan is of another method.",
            "Make one of scored candidates: understudy method scored --save-plan FILE.",
            field="plan",
        )
    declared = Schema.load(schema)
    given.check(declared)
    if save_plan is not None and len(k or ()) != 1:
        raise Refusal("A plan is saved at one k.", "Give --k once.", field="save-plan")
    found = ladder(given, tuple(k) if k else LADDER)
    if save_plan is not None:
        write_plan(found[0].plan, save_plan)
    totals = [plan_run(each.plan, declared).guarantee.total.epsilon for each in found]
    _tell(found, totals, as_json=as_json)


def _tell(found: tuple[Affordable, ...], totals: list[float], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {"k": each.k, "epsilon0": each.epsilon0, "attempts": each.attempts, "epsilon": total}
            for each, total in zip(found, totals, strict=True)
        ]
        print_json({"seeds_at_least": found[0].plan.seeds_at_least, "attempts": rows})
        return
    print_aligned(
        [
            (
                f"k = {each.k:,}",
                f"{each.attempts:,} attempt{'s' * (each.attempts != 1)}, ε0 = {each.epsilon0:g}, "
                f"ε = {total:.4g}",
            )
            for each, total in zip(found, totals, strict=True)
        ]
    )


VERBS = (attempts,)
