"""`understudy method`: which methods there are, what they expect of a table, and a plan of any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from understudy.cli.options import Json
from understudy.cli.output import (
    describe_budget,
    echo,
    print_aligned,
    print_json,
    print_wrapped,
    read_text_file,
)
from understudy.cli.verb import Verb, number_type, whole_type
from understudy.core.files import refuse_disk_error
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.mechanisms.expected_utility import Foreseen, Known, Suit
    from understudy.mechanisms.fields import FieldGroup, FieldTable
    from understudy.mechanisms.mechanism import Mechanism, PlannedRun
    from understudy.mechanisms.plan import MechanismPlan
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


def read_plan(path: Path) -> MechanismPlan:
    """Return the plan in a file.

    Raises:
        Refusal: there is none.
    """
    from understudy.mechanisms.registry import plan_from_json

    return plan_from_json(read_text_file(path, "the plan"))


def write_plan(plan: MechanismPlan, path: Path) -> None:
    """Write a plan to a file, unless it holds something else.

    Raises:
        Refusal: it does, or cannot be written; of the field “save_plan”.
    """
    text = plan.to_json()
    if path.exists() and read_text_file(path, "the plan") != text:
        raise Refusal(
            f"{path} holds something else already, and is not overwritten.",
            "Choose another name, or remove it first.",
            field="save_plan",
        )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise refuse_disk_error(error, path) from None


def method(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="METHOD", help="Its name; all are listed without."),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema", metavar="FILE", help="The schema that a plan, or the list, is for."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the plan, its value as in JSON or a word, its name with dots where "
            "it stands within another. May be repeated. `understudy method METHOD --help` lists "
            "those of a method.",
        ),
    ] = None,
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the plan to a file."),
    ] = None,
    records: Records = None,
    records_per_person: Each = None,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-9,
    as_json: Json = False,
) -> None:
    """List the methods, or make a plan of one and say what it promises. Nothing is spent."""
    from understudy.mechanisms.fields import read_settings
    from understudy.mechanisms.registry import mechanisms, opening_plan, plan_run
    from understudy.table.schema import Schema

    if kind is None:
        columns = Schema.load(schema) if schema is not None else None
        known = read_known(columns, records, records_per_person, epsilon, delta)
        _list(list(mechanisms().values()), columns, known, as_json=as_json)
        return
    if schema is None:
        raise Refusal("Missing option '--schema'.", "Say what the columns may contain.")
    declared = Schema.load(schema)
    plan = opening_plan(kind, declared, read_settings(settings or []))
    made = plan_run(plan, declared)
    if save_plan is not None:
        write_plan(plan, save_plan)
    _tell(made, as_json=as_json)


class MethodVerb(Verb):
    """The verb `method`, whose help lists the settings of the method that is named beside it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep what was typed, as help is asked for before it is read."""
        ctx.meta[_TYPED] = tuple(args)
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, and the settings of a method group by group."""
        super().format_options(ctx, formatter)
        typed = [each for each in ctx.meta.get(_TYPED, ()) if not each.startswith("-")]
        if not typed:
            return
        from understudy.mechanisms.registry import mechanisms

        named = next((mechanisms()[each] for each in typed if each in mechanisms()), None)
        if named is None:
            return
        for group in named.fields.groups:
            with formatter.section(f"{group.title} (by --set)"):
                formatter.write_dl(list(_settings(named.fields, group)))


_TYPED: Final = "understudy.typed"


def _settings(fields: FieldTable, group: FieldGroup) -> Iterator[tuple[str, str]]:
    """Yield the settings of a group by their names in a plan file, each with what it is."""
    for each in fields.within(group):
        for place in each.places:
            # Settings of different models may stand under one name.
            under = "." in each.name and each.name != place.path
            owner = f"{each.name.partition('.')[0]}: " if under else ""
            usual = place.default
            if usual == each.none:
                usual = usual[:1].lower() + usual[1:]
            usual = f"; usually {usual}" if usual else ""
            said = f"{owner}{place.label or each.words.listed}. {each.words.meaning}"
            yield place.path, f"{said} ({place.taken}{usual})"


def _list(
    found: list[Mechanism], schema: Schema | None, known: Known | None, *, as_json: bool
) -> None:
    """All methods; those that a schema can be used with first, as strongly as they suit it, and
    what they expect of themselves where it is known of how many records."""
    from understudy.mechanisms.expected_utility import foreseen, suits_by_kind

    suits = suits_by_kind(found, schema) if schema is not None else {}
    expected = {} if schema is None or known is None else foreseen(found, schema, known)
    found = sorted(found, key=lambda each: -suits[each.kind].strength if each.kind in suits else 0)
    if as_json:
        print_json(
            {
                "methods": [
                    {
                        "name": each.kind,
                        "title": each.title,
                        "purpose": each.purpose,
                        "takes": each.accepted_columns,
                        **_suit(suits.get(each.kind)),
                        **expected_as_data(expected.get(each.kind)),
                    }
                    for each in found
                ]
            }
        )
        return
    for place, each in enumerate(found):
        if place:
            echo()
        print_wrapped(f"{each.kind}: {each.title}")
        print_wrapped(f"{each.purpose} {each.accepted_columns}".strip(), indent="  ")
        suit = suits.get(each.kind)
        if suit is not None:
            print_wrapped(
                f"For this schema ({suit.strength.name.lower()}): {suit.sentence}", indent="  "
            )
        if each.kind in expected:
            print_expected(expected[each.kind])


def _suit(suit: Suit | None) -> dict[str, str]:
    """Return what a method says of a schema, as it stands in a file; nothing where it says
    nothing."""
    if suit is None:
        return {}
    return {"suits": suit.strength.name.lower(), "because": suit.sentence}


def _tell(made: PlannedRun, *, as_json: bool) -> None:
    """What the plan promises."""
    found = made.guarantee
    total = found.total
    epsilon, delta = (total.epsilon, total.delta) if total.bounded else (None, None)
    if as_json:
        print_json(
            {
                "plan": made.plan.as_dict(),
                "guarantee": {
                    "neighbours": str(found.neighbours),
                    "epsilon": epsilon,
                    "delta": delta,
                    "records_at_least": found.records_at_least,
                    "people_at_least": found.people_at_least,
                },
            }
        )
        return
    print_aligned(
        [
            ("Guarantee", describe_budget(epsilon, delta)),
            ("Between", found.compared),
            *(
                [
                    (
                        "Records, publicly known",
                        f"{found.records_at_least:,} or more {found.records_among}".rstrip(),
                    )
                ]
                if found.records_at_least
                else []
            ),
            *(
                [("People, publicly known", f"{found.people_at_least:,} or more")]
                if found.people_at_least
                else []
            ),
        ]
    )
    echo()
    print_wrapped(found.statement)
