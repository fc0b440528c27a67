"""`understudy rules`: what rules of a schema ask, and how many records of a table break each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.options import Json
from understudy.cli.output import echo, print_aligned, print_json, print_wrapped
from understudy.cli.table import Connection, Table, TableSource, name_columns
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.raw import RawTable
    from understudy.table.rules.rule import Rule
    from understudy.table.rules.rule_check import RuleCheck, TableCheck
    from understudy.table.rules.validate_file import ImportedRules
    from understudy.table.schema import Schema

_IDLE = "Whatever its columns may contain keeps it: it forbids nothing."


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
    set_aside: Annotated[
        bool,
        typer.Option(
            "--set-aside",
            help="Set the rules aside in the schema file: they stay declared, and released rows "
            "may break them, which statement and packet say.",
        ),
    ] = False
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the rules again that were set aside.")
    ] = False
    examples: Annotated[
        bool,
        typer.Option(
            "--examples",
            help="Show the first records that break each rule, in the columns it names. "
            "Confidential.",
        ),
    ] = False
    as_json: Json = False


def rules(asked: RulesRequest, connection: Connection) -> None:
    """List the rules of a schema, and count the records of a table that break each. Internal."""
    from understudy.table.rules.validate_file import load_rules
    from understudy.table.schema import Schema

    made, imported = Schema.load(asked.schema), None
    if asked.add is not None:
        imported = load_rules(asked.add, made.file_columns)
        made = made.with_rules(imported.added_to(made.rules))
    if asked.set_aside and asked.keep:
        raise Refusal(
            "Rules cannot be both set aside and kept.",
            "Give --set-aside or --keep, not both.",
            field="set_aside",
        )
    if asked.set_aside:
        made = made.set_rules_aside()
    elif asked.keep:
        made = made.keep_rules()
    # Rules that leave nothing are refused here, before anything is written or counted.
    _ = made.relations
    source = TableSource.of(asked.table, connection)
    raw = source.read(made) if asked.table is not None or source.query is not None else None
    if asked.as_json:
        print_json(_figures(made, raw, imported, with_examples=asked.examples))
    else:
        print_rules(raw, made, imported, with_examples=asked.examples)
    added = imported is not None and bool(imported.rules)
    if added or asked.set_aside or asked.keep:
        made.save(asked.schema)
    if added and not asked.as_json:
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
    rows = [(rule.text, ORIGINS[rule.origin]) for rule in made.rules]
    if check is None:
        print_aligned([("Rule", "Known from"), *rows])
    else:
        broken = [f"{each.broken:,}" for each in check.rules]
        counted = ((*row, each) for row, each in zip(rows, broken, strict=True))
        print_aligned([("Rule", "Known from", "Break it (internal)"), *counted])
    for rule in made.set_aside:
        echo()
        print_wrapped(f"Set aside, so that released rows may break it: {rule.text}")
    _print_remarks(made, check)
    if check is not None:
        if with_examples:
            _print_examples(made, check)
        echo()
        print_wrapped(f"Internal: {check.sentence}")
    for sentence in _list_unused(imported):
        echo()
        print_wrapped(f"Not used: {sentence}")
    echo()


def _print_remarks(made: Schema, check: TableCheck | None) -> None:
    """Print what to look at, rule by rule."""
    for place, rule in enumerate(made.rules):
        remarks = [_IDLE] if _is_idle(made, rule) else []
        if check is not None and check.rules[place].doubt:
            remarks.append(f"{check.rules[place].doubt} (internal)")
        for remark in remarks:
            echo()
            print_wrapped(f"“{rule.title}”: {remark}")


def _is_idle(made: Schema, rule: Rule) -> bool:
    from understudy.table.rules.conflicts import list_idle_rules

    return bool(list_idle_rules(made.of_file, (rule,)))


def _print_examples(made: Schema, check: TableCheck) -> None:
    for rule, each in zip(made.rules, check.rules, strict=True):
        examples = _list_examples(rule, check, each)
        if examples:
            echo()
            echo(f"Records that break “{rule.title}” (confidential)")
            print_aligned([rule.names, *examples], indent="  ")


def _list_examples(rule: Rule, check: TableCheck, found: RuleCheck) -> list[tuple[str, ...]]:
    """Return the texts of the first records that break a rule, in its columns. Confidential."""
    from understudy.table.encoding import decode

    if not len(found.examples):
        return []
    texts = decode(check.records.take(found.examples)).select(list(rule.names))
    return list(zip(*texts.to_pydict().values(), strict=True))


def _check(raw: RawTable | None, made: Schema) -> TableCheck | None:
    from understudy.table.rules.rule_check import check_kept_rules

    if raw is None:
        return None
    with name_columns(raw.names):
        return check_kept_rules(raw, made)


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
    listed = [{**rule.as_dict(), "idle": _is_idle(made, rule)} for rule in made.rules]
    figures: dict[str, Any] = {"rules": listed, "not_used": _list_unused(imported)}
    if made.set_aside:
        figures["set_aside"] = [rule.as_dict() for rule in made.set_aside]
    if check is None:
        return figures
    for rule, told, each in zip(made.rules, listed, check.rules, strict=True):
        told |= {"broken": each.broken, "doubt": each.doubt}
        if with_examples:
            texts = _list_examples(rule, check, each)
            told["examples"] = [dict(zip(rule.names, one, strict=True)) for one in texts]
    counts = {"records": len(check.records), "not_looked_at": check.aside}
    return {**figures, **counts, "left_out": check.left_out}
