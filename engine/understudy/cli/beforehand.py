"""What is typed of a table that is publicly known, and what methods then expect of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.output import print_wrapped
from understudy.cli.verb import number_type, whole_type

if TYPE_CHECKING:
    from understudy.mechanisms.expected_utility import Foreseen, Known
    from understudy.table.schema import Schema

Records = Annotated[
    int | None,
    typer.Option(
        "--records", metavar="N", parser=whole_type,
        help="How many records the table is publicly known to have: says what can be expected, "
        "before anything is spent.",
    ),
]  # fmt: skip
Each = Annotated[
    int | None,
    typer.Option(
        "--records-per-person", metavar="N", parser=whole_type,
        help="How many of them one person has at most (1, or as the schema says).",
    ),
]  # fmt: skip
Epsilon = Annotated[
    float,
    typer.Option(
        "--epsilon", metavar="X", parser=number_type, help="What may be spent on one person (1)."
    ),
]
Delta = Annotated[
    float, typer.Option("--delta", metavar="X", parser=number_type, help="The δ beside it (1e-9).")
]


def read_known(
    schema: Schema | None, records: int | None, each: int | None, epsilon: float, delta: float
) -> Known | None:
    """Return what is known; None where nobody said how many records there are."""
    from understudy.mechanisms.expected_utility import Known

    if records is None:
        return None
    people = None if schema is None else schema.people
    usual = 1 if people is None else people.records_at_most
    return Known(records, usual if each is None else each, epsilon, delta)


def expected_as_data(found: Foreseen | None) -> dict[str, Any]:
    """Return what a method expects, as it stands in a file; nothing where it says nothing."""
    if found is None:
        return {}
    return {
        "foreseen": {
            "makes": found.makes,
            "column": found.column,
            "pair": found.pair,
            "pairs": found.pairs,
            "said": found.said or f"{found.nothing}. {found.remedy}",
            "nothing": bool(found.nothing),
        }
    }


def print_expected(found: Foreseen) -> None:
    """What a method expects, in sentences."""
    from understudy.mechanisms.expected_utility import in_words

    print_wrapped(f"Beforehand: {in_words(found)}", indent="  ")
