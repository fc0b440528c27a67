"""`understudy rules`: what rules of a schema ask, and how many records of a table break each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.options import Json
from understudy.cli.output import echo, print_aligned, print_json, print_wrapped
from understudy.cli.table import Connection, Table, TableSource, name_columns

if TYPE_CHECKING:
    from understudy.table.authoring.rule_check import RuleCheck, RulesCheck
    from understudy.table.raw import RawTable
    from understudy.table.rules.validate_file import ImportedRules
    from understudy.table.schema import Schema

_EXAMPLES = 3


@dataclass(frozen=True, kw_only=True)
class RulesRequest:
    """What was typed."""

    table: Table = None
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", help="The schema whose rules are checked.")
    ]
    add: Annotated[
        Path | None,
        typer.Option(
            "--add",
            metavar="FILE",
            help="Add rules to the schema file: one a line, or a file of R’s validate. A schema "
            "that was declared public has to be declared again.",
        ),
    ] = None
    examples: Annotated[
        bool,
        typer.Option(
            "--examples",
            help=f"Show the first {_EXAMPLES} records that break each rule, in the columns it "
            "names. Confidential.",
        ),
    ] = False
    as_json: Json = False


def rules(asked: RulesRequest, connection: Connection) -> None:
    """List the rules of a schema, and count the records of a table that break each. Internal."""
    from understudy.table.rules.validate_file import load_rules
    from understudy.table.schema import Schema

    made, imported = Schema.load(asked.schema), None
    if asked.add is not None:
        imported = load_rules(asked.add, made.columns)
        made = made.with_rules(imported.added_to(made.rules))
    # Rules that leave nothing are refused here, before anything is written or counted.
    _ = made.relations
    source = TableSource.of(asked.table, connection)
    raw = source.read(made) if asked.table is not None or source.query is not None else None
    if asked.as_json:
        print_json(_figures(made, raw, imported, with_examples=asked.examples))
    else:
        print_rules(raw, made, imported, with_examples=asked.examples)
    if imported is not None and imported.rules:
        made.save(asked.schema)
        if not asked.as_json:
            echo(f"Added to {asked.schema}.")


def print_rules(
    raw: RawTable | None,
    made: Schema,
    imported: ImportedRules | None = None,
    *,
    with_examples: bool = False,
) -> None:
    """Print the rules of a schema, how many records of a table break each, and what is not used of
    a file of rules."""
    from understudy.table.column import ORIGINS

    echo()
    check = _check(raw, made)
    if check is None:
        rows = [("Rule", "Known from"), *((r.text, ORIGINS[r.origin]) for r in made.rules)]
        print_aligned(rows)
    else:
        counted = ((c.rule.text, ORIGINS[c.rule.origin], f"{c.broken:,}") for c in check.rules)
        print_aligned([("Rule", "Known from", "Break it (internal)"), *counted])
        _print_check(check, with_examples=with_examples)
    for sentence in _list_unused(imported):
        echo()
        print_wrapped(f"Not used: {sentence}")
    echo()


def _print_check(check: RulesCheck, *, with_examples: bool) -> None:
    for each in check.rules:
        if each.sentence:
            echo()
            print_wrapped(f"“{each.rule.title}”: {each.sentence}")
        if with_examples and each.examples:
            echo()
            echo(f"Records that break “{each.rule.title}” (confidential)")
            print_aligned([each.rule.names, *each.examples], indent="  ")
    echo()
    print_wrapped(check.sentence)


def _check(raw: RawTable | None, made: Schema) -> RulesCheck | None:
    from understudy.table.authoring.rule_check import check_rules

    if raw is None:
        return None
    with name_columns(raw.names):
        return check_rules(raw, made, examples=_EXAMPLES)


def _list_unused(imported: ImportedRules | None) -> list[str]:
    """Return a sentence for each part of a file of rules that is not used."""
    if imported is None:
        return []
    return [*(each.sentence for each in imported.refused), *imported.notes]


def _figures(
    made: Schema,
    raw: RawTable | None,
    imported: ImportedRules | None,
    *,
    with_examples: bool,
) -> dict[str, Any]:
    check = _check(raw, made)
    listed: list[dict[str, Any]] = [rule.as_dict() for rule in made.rules]
    if check is None:
        return {"rules": listed, "not_used": _list_unused(imported)}
    for figures, each in zip(listed, check.rules, strict=True):
        figures |= _describe(each, with_examples=with_examples)
    return {
        "rules": listed,
        "records": check.records,
        "not_looked_at": check.aside,
        "left_out": check.left_out,
        "not_used": _list_unused(imported),
    }


def _describe(check: RuleCheck, *, with_examples: bool) -> dict[str, Any]:
    examples = [dict(zip(check.rule.names, texts, strict=True)) for texts in check.examples]
    return {
        "broken": check.broken,
        "note": check.sentence,
        **({"examples": examples} if with_examples else {}),
    }
