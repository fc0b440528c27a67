"""`understudy acceptance`: an acceptance test added to a plan, before anything is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.method import read_plan, write_plan
from understudy.cli.options import Json
from understudy.cli.output import describe_budget, echo, print_aligned, print_json, print_wrapped
from understudy.core.numerals import percent, significant
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.acceptance.statistics import AcceptanceTest
    from understudy.mechanisms.seedbased.plan import Plan
    from understudy.table.schema import Schema


def _several(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What was typed."""

    plan: Annotated[
        Path, typer.Option("--plan", metavar="FILE", help="The plan that the test is added to.")
    ]
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", help="The schema of the table.")
    ]
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            metavar="NUMBER",
            help="ε of the whole test, for one held-out record. The total is the larger of this "
            "and what the plan costs without it.",
        ),
    ] = None
    share: Annotated[
        list[str] | None,
        _several(
            "--share",
            "COLUMN=VALUE",
            "The share of records with this value, or one of several: VALUE|VALUE. A limit may "
            "follow a tilde: COLUMN=VALUE~0.02.",
        ),
    ] = None
    mean: Annotated[
        list[str] | None,
        _several("--mean", "COLUMN", "The mean of a number; a limit may follow a tilde."),
    ] = None
    distance: Annotated[
        list[str] | None,
        _several(
            "--distance",
            "COLUMN,COLUMN",
            "How far two columns together are off, through their buckets; a limit may follow a "
            "tilde.",
        ),
    ] = None
    noisy_tables: Annotated[
        bool,
        typer.Option(
            "--noisy-tables",
            help="Release the noisy tables that the model is learned from, too. That costs "
            "nothing further.",
        ),
    ] = False
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="CHANCE",
            help="With what probability each interval holds what it is about (default 0.95).",
        ),
    ] = 0.95
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the plan with the test to a file."),
    ] = None
    as_json: Json = False


def acceptance(asked: _Asked) -> None:
    """Add an acceptance test to a plan: statistics that are measured with noise on records held
    out, and released with the table. Reads no data.
    """
    from understudy.acceptance.statistics import AcceptanceTest
    from understudy.mechanisms.seedbased.plan import Plan
    from understudy.table.schema import Schema

    found, columns = read_plan(asked.plan), Schema.load(asked.schema)
    if not isinstance(found, Plan):
        raise Refusal(
            "The plan is of a method that holds no records out to measure.",
            "Make a plan of seedbased synthesis, as with `understudy propose`.",
            field="plan",
        )
    statistics = [
        *_shares(asked.share or ()),
        *_means(asked.mean or ()),
        *_distances(asked.distance or ()),
    ]
    test = None
    if statistics or not asked.noisy_tables:
        test = AcceptanceTest.read(
            {"epsilon": asked.epsilon, "confidence": asked.confidence, "statistics": statistics}
        )
    changed = found.change(columns, acceptance=test, noisy_tables=asked.noisy_tables)
    if asked.save_plan is not None:
        write_plan(changed, asked.save_plan)
    _tell(changed, columns, test, as_json=asked.as_json)


def _shares(typed: Sequence[str]) -> Iterator[dict[str, Any]]:
    for each in typed:
        said, limit = _split_limit(each)
        column, equals, values = said.partition("=")
        if not equals:
            raise Refusal(
                "A share needs a column and a value.", "Type COLUMN=VALUE.", field="share"
            )
        yield {"kind": "share", "column": column, "values": values.split("|"), "limit": limit}


def _means(typed: Sequence[str]) -> Iterator[dict[str, Any]]:
    for each in typed:
        column, limit = _split_limit(each)
        yield {"kind": "mean", "column": column, "limit": limit}


def _distances(typed: Sequence[str]) -> Iterator[dict[str, Any]]:
    for each in typed:
        said, limit = _split_limit(each)
        columns = said.split(",")
        if len(columns) != 2:
            raise Refusal("A distance is of two columns.", "Type COLUMN,COLUMN.", field="distance")
        yield {"kind": "distance", "columns": columns, "limit": limit}


def _split_limit(text: str) -> tuple[str, float | None]:
    """Return what was typed, without the limit behind it."""
    said, tilde, limit = text.rpartition("~")
    if not tilde:
        return text, None
    try:
        return said, float(limit)
    except ValueError:
        raise Refusal(
            "The limit behind the tilde is no number.", "Type one such as ~0.02.", field="limit"
        ) from None


def _tell(plan: Plan, schema: Schema, test: AcceptanceTest | None, *, as_json: bool) -> None:
    from understudy.acceptance.intervals import widths
    from understudy.acceptance.statistics import MeanOf, statistic_words
    from understudy.mechanisms.seedbased.promise import promise

    total = promise(plan, schema).total
    without = promise(plan.change(schema, acceptance=None), schema).total
    held = None
    if plan.public_records is not None:
        held = max(1, round(plan.public_records * plan.shares.held_out))
    found = None if held is None or test is None else widths(test, schema, held)
    if as_json:
        print_json(
            {
                "total": {"epsilon": total.epsilon, "delta": total.delta},
                "without": {"epsilon": without.epsilon, "delta": without.delta},
                "held_out": held,
                "widths": found,
                "plan": plan.as_dict(),
            }
        )
        return
    print_aligned(
        [
            ("Total", describe_budget(total.epsilon, total.delta)),
            ("Without the test", describe_budget(without.epsilon, without.delta)),
        ]
    )
    if plan.noisy_tables:
        echo()
        print_wrapped("The noisy tables that the model is learned from are released, at no cost.")
    if test is None:
        return
    echo()
    titles = {each.name: each.title or each.name for each in schema.columns}
    rows = []
    for place, statistic in enumerate(test.statistics):
        told = significant if isinstance(statistic, MeanOf) else percent
        about = "" if found is None else f"within about {told(found[place])}"
        limit = "" if statistic.limit is None else f", limit {told(statistic.limit)}"
        rows.append((statistic_words(statistic, titles), f"{about}{limit}".removeprefix(", ")))
    print_aligned(rows)
    echo()
    print_wrapped(
        "Records that are held out are measured, and nothing else is made from them, so that the "
        "total is a mean of the two and not their sum. "
        + (
            f"About {held:,} are, by the number of records that is public."
            if held is not None
            else "Say how many records are publicly known (`propose --records`) to see how wide "
            "the intervals will be."
        )
    )
