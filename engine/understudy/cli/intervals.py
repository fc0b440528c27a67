"""`understudy intervals`: confidence intervals from the noisy tables of a packet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json
from understudy.cli.output import echo, print_aligned, print_json, print_wrapped
from understudy.cli.verb import number_type

if TYPE_CHECKING:
    from understudy.inference.questions import IntervalAnswer, IntervalQuestion
    from understudy.report.packet_counts import PacketCounts


@dataclass(frozen=True, kw_only=True)
class IntervalsRequest:
    """What was typed."""

    packet: Annotated[
        Path, typer.Argument(metavar="PACKET", help="The folder of a packet, or its zip file.")
    ]
    count: Annotated[
        str,
        typer.Option("--count", metavar="COLUMN=VALUE", help="How many records have a value."),
    ] = ""
    share: Annotated[
        str,
        typer.Option(
            "--share",
            metavar="COLUMN[=VALUE]",
            help="What share of the records has a value; of every value, if none is named.",
        ),
    ] = ""
    mean: Annotated[
        str, typer.Option("--mean", metavar="COLUMN", help="The mean of a column of numbers.")
    ] = ""
    slope: Annotated[
        str,
        typer.Option(
            "--slope",
            metavar="COLUMN",
            help="The slope of the line of a column of numbers on another, named with --on.",
        ),
    ] = ""
    on: Annotated[
        str, typer.Option("--on", metavar="COLUMN", help="The column that the line rises with.")
    ] = ""
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="COLUMN[=A,B]",
            help="A share or mean in each group of a column; of two named groups, with their "
            "difference.",
        ),
    ] = ""
    level: Annotated[
        float,
        typer.Option(
            "--level",
            metavar="NUMBER",
            parser=number_type,
            help="With what probability each interval holds what it is about (default 0.95).",
        ),
    ] = 0.95
    as_json: Json = False


def intervals(request: IntervalsRequest) -> None:
    """Print intervals from the noisy tables of a packet, for the table and for its population.

    Needs the packet only, and nothing confidential; nothing is spent. Without a question, of each
    column, with which relations were counted.
    """
    from understudy.report.packet_counts import read_packet_counts

    released = read_packet_counts(request.packet, request.level)
    question = _read_question(request)
    answers = released.counts.answer(question) if question else released.column_answers
    if request.as_json:
        print_json(
            {
                "level": request.level,
                "demonstration": released.stained,
                "intervals": [each.as_dict() for each in answers],
                "never_counted_together": [list(pair) for pair in released.relations.never],
            }
        )
        return
    _print_answers(released, answers)
    if not question:
        for sentence in released.relations.sentences:
            echo()
            print_wrapped(sentence)


def _read_question(request: IntervalsRequest) -> IntervalQuestion | None:
    """Return what was typed as one question; None if nothing was.

    Raises:
        Refusal: several things were asked for at once, or groups of nothing.
    """
    from understudy.inference.questions import IntervalQuestion

    count, _, counted = request.count.partition("=")
    share, _, shared = request.share.partition("=")
    by, _, groups = request.by.partition("=")
    return IntervalQuestion.of(
        {"count": count, "share": share, "mean": request.mean, "slope": request.slope},
        counted or shared,
        by,
        groups.split(",") if groups else (),
        request.on,
    )


def _print_answers(released: PacketCounts, answers: tuple[IntervalAnswer, ...]) -> None:
    from understudy.inference.wording import HEADS, answer_rows, describe_intervals

    print_aligned([HEADS, *answer_rows(answers)])
    for sentence in describe_intervals(released.counts, answers, stained=released.stained):
        echo()
        print_wrapped(sentence)
