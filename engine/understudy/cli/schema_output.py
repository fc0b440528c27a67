"""What `understudy schema` prints: the columns of a schema, where it is known from what they may
contain, and what to look at before it is declared public; the same as figures for JSON."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.cli.output import echo, print_aligned, print_wrapped
from understudy.cli.table import TableSource, list_row_rules, reading_options
from understudy.core.numerals import join_first

if TYPE_CHECKING:
    from understudy.table.authoring.attention import Attention
    from understudy.table.column import Column
    from understudy.table.raw import RawTable
    from understudy.table.rules.validate_file import ImportedRules
    from understudy.table.schema import Schema

Notes = dict[str, list[str]]
"""By column, sentences on what to look at."""
_MOST_NAMED = 30
_LONGEST_SHOWN = 120
"""Of formulas; a longer one is a list that is kept in a file."""
_KEEP = "--keep with the name of a column uses it all the same."


def list_figures(
    schema: Schema, notes: Notes, raw: RawTable, imported: ImportedRules | None
) -> dict[str, Any]:
    """Return a schema as figures for JSON, with what to look at in each column (internal)."""
    from understudy.table.column import level_sizes

    attention = _find_attention(schema, raw)
    declared = schema.declaration.model_dump(mode="json") if schema.declaration else None
    return {
        "read": {**raw.reading.as_dict(), "notes": [*raw.notes]},
        "fingerprint": schema.fingerprint,
        "declared_public": declared if schema.declared else None,
        "left_out": {
            name: sentences
            for name, sentences in notes.items()
            if name not in (*schema.names, *schema.computed_names)
        },
        **_list_derived(schema, raw),
        **_list_recoded(schema),
        "rules": [rule.as_dict() for rule in schema.rules],
        "rules_set_aside": [rule.as_dict() for rule in schema.set_aside],
        "totals": [each.as_dict() for each in schema.totals],
        "columns": [
            {
                "name": column.name,
                "kind": column.domain.kind,
                "values": column.cardinality,
                "missing": column.missing,
                **_list_missing_codes(column),
                "buckets": column.bucket_count,
                **({"levels": level_sizes(column)} if column.levels else {}),
                "origin": column.origin,
                "known_from": column.known_from,
                "attention": attention.get(column.name, ()),
                "notes": notes.get(column.name, []),
            }
            for column in schema.columns
        ],
        **_list_unused_rules(imported),
    }


def _list_unused_rules(imported: ImportedRules | None) -> dict[str, Any]:
    """Return what is not used of a file of rules, if one is given."""
    if imported is None:
        return {}
    return {"rules_not_used": [*(each.sentence for each in imported.refused), *imported.notes]}


def _list_derived(schema: Schema, raw: RawTable) -> dict[str, Any]:
    """Return the derived columns, if there are any, with the records that differ (internal)."""
    from understudy.table.authoring.derivation_edits import count_mismatches

    if not schema.derived:
        return {}
    differing = {each.column: each.records for each in count_mismatches(raw, schema)}
    return {
        "derived": [
            {
                "name": each.name,
                "formula": each.formula.formula,
                "in_words": each.formula.words,
                "records_that_differ": differing.get(each.name),
            }
            for each in schema.derived
        ]
    }


def _list_missing_codes(column: Column) -> dict[str, Any]:
    """Return the codes for missing of a column that has several, or meanings."""
    if column.has_plain_missing or not column.missing:
        return {}
    codes = column.missing_codes
    return {"missing_codes": [{"texts": [*each.values], "meaning": each.label} for each in codes]}


def _find_attention(schema: Schema, raw: RawTable) -> dict[str, tuple[Attention, ...]]:
    """Return by column what to look at, the most pressing first. Internal."""
    from understudy.table.authoring.attention import needs_attention
    from understudy.table.authoring.settled_columns import derived_columns, settling_columns

    of_file = schema.of_file
    names = [name for name in of_file.names if name in raw.names]
    return needs_attention(raw, of_file, derived_columns(settling_columns(raw, names), names))


def print_schema(schema: Schema, notes: Notes, raw: RawTable) -> None:
    """Print a schema: its columns with notes on them, where it is known from what they may contain,
    and what to look at before it is declared."""
    from understudy.table.column import summarise_column

    for sentence in raw.notes:
        print_wrapped(sentence)
    print_aligned(
        [
            ("Column", "Kind", "May contain", "Buckets"),
            *(summarise_column(each) for each in schema.columns),
        ]
    )
    columns: dict[str, list[str]] = {}
    for name, sentences in notes.items():
        for sentence in sentences:
            columns.setdefault(sentence, []).append(name)
    for sentence, names in columns.items():
        echo()
        print_wrapped(f"{join_first(names, _MOST_NAMED)}:")
        print_wrapped(sentence, indent="  ")
    _print_origins(schema)
    _print_derived(schema, raw)
    _print_recoded(schema)
    _print_derivable(schema, raw)
    _print_left_out(schema)
    _print_attention(schema, raw)
    echo()


def _print_origins(schema: Schema) -> None:
    """Print where it is known from what columns may contain, and of which nobody has said so."""
    from understudy.table.authoring.column_origins import list_origins, list_unsaid

    left = list_unsaid(schema)
    echo()
    echo("Where it is known from what columns may contain")
    for known, names in list_origins(schema.columns).items():
        print_wrapped(f"{known}: {join_first(names, _MOST_NAMED)}", indent="  ")
    if left:
        print_wrapped(
            f"not said, {len(left):,} of {len(schema):,}: {join_first(left, _MOST_NAMED)}",
            indent="  ",
        )


def _print_derived(schema: Schema, raw: RawTable) -> None:
    """Print how columns are derived, and in how many records of the table they differ from that."""
    from understudy.table.authoring.derivation_edits import count_mismatches, describe_mismatches

    if not schema.derived:
        return
    echo()
    echo("Derived from other columns (published with the schema)")
    for each in schema.derived:
        print_wrapped(f"{each.name} = {each.formula.formula}", indent="  ")
    for sentence in describe_mismatches(count_mismatches(raw, schema)):
        print_wrapped(sentence, indent="  ")


def _list_recoded(schema: Schema) -> dict[str, Any]:
    """Return the columns that are modelled by their distance from another, if there are any."""
    if not schema.recodings:
        return {}
    return {
        "recoded": [
            {"name": each.name, "after": each.after, "distance": each.distance}
            for each in schema.recodings
        ]
    }


def _print_recoded(schema: Schema) -> None:
    """Print which columns are modelled by their distance from another; and while nothing is
    declared, which could be by the rules."""
    from understudy.table.authoring.recoding_edits import list_orders

    if schema.recodings:
        echo()
        echo("Modelled by how far they are after another (published with the schema)")
        for recoding in schema.recodings:
            print_wrapped(f"{recoding.name} = {recoding.words}", indent="  ")
    orders = () if schema.declared else list_orders(schema)
    if orders:
        echo()
        print_wrapped("Rules put columns in order. How far they are apart is kept by:")
        for each in orders:
            most = "" if each.most is None else f"+{each.most:f}"
            echo("    --follows " + shlex.quote(f"{each.column}={each.after}{most}"))


def _print_derivable(schema: Schema, raw: RawTable) -> None:
    """Print the columns that seem to be derived from others, while nothing is declared."""
    from understudy.table.authoring.derivation_suggestions import (
        describe_suggestion,
        suggest_derivations,
    )

    suggestions = () if schema.declared else suggest_derivations(raw, schema.of_file)
    if not suggestions:
        return
    echo()
    print_wrapped(
        "Seem to follow from others. A column that is derived costs nothing and never contradicts "
        "them; derive it if that is publicly known, not because it was found here:"
    )
    for each in suggestions:
        print_wrapped(describe_suggestion(each), indent="  ")
        formula = each.derivation.formula
        if len(formula) <= _LONGEST_SHOWN:
            echo("    --derive " + shlex.quote(f"{each.column}={formula}"))


def _print_left_out(schema: Schema) -> None:
    """Print what the schema leaves out, as it is published with it."""
    from understudy.table.omissions import list_reasons

    if not schema.omissions:
        return
    echo()
    echo("Left out of what is released (published with the schema)")
    for why, names in list_reasons(schema.omissions).items():
        print_wrapped(f"{why}: {join_first(names, _MOST_NAMED)}", indent="  ")
    if not schema.declared:
        print_wrapped(_KEEP, indent="  ")


def _print_attention(schema: Schema, raw: RawTable) -> None:
    """Print what to look at before it is declared, the most pressing first."""
    from understudy.table.authoring.attention import ATTENTION

    if schema.declared:
        return
    attention = _find_attention(schema, raw)
    echo()
    echo("To look at first (internal)")
    for kind, words in ATTENTION.items():
        names = [name for name, kinds in attention.items() if kinds and kinds[0] == kind]
        if names:
            print_wrapped(f"{words}: {join_first(names, _MOST_NAMED)}", indent="  ")
    if raw.reading.kind == "csv":
        echo()
        print_wrapped(f"The file is read as text: {reading_options(raw.reading)}.")
    if raw.reading.leave_out:
        echo()
        print_wrapped(list_row_rules(raw.reading))
    people = _describe_people(schema, raw)
    if people:
        echo()
        print_wrapped(people)


def _describe_people(schema: Schema, raw: RawTable) -> str:
    """Return what is kept of whom, or a question where a column looks as if it named people; ""
    where there is neither. Internal."""
    from understudy.table.authoring.record_owner import likely_people
    from understudy.table.people import tally

    if schema.people is not None:
        rows = tally(raw, schema.people)
        return (
            f"{rows.records:,} rows of {rows.people:,} people (internal). The first "
            f"{schema.people.records_at_most:,} of each are kept, in the order of "
            f"“{schema.people.order}”: {rows.dropped:,} rows of {rows.shortened:,} people are not "
            "used (internal)."
        )
    likely = None if schema.declared else likely_people(raw)
    if likely is None:
        return ""
    return (
        f"Values of column “{likely.person}” stand in several rows each (internal). If it says "
        "whose a row is, suggest the schema anew with --person, --order and --most-per-person: the "
        "guarantee is then for a person with all of their rows. If nobody has several, say "
        "--single-rows as you declare it."
    )


def print_next_step(schema: Schema, source: TableSource, out: Path) -> None:
    """Print the command that declares a suggested schema, with a place for each source."""
    from understudy.table.authoring.column_origins import write_options

    groups = write_options(schema)
    print_wrapped(
        f"This is a suggestion made from the table, in {out}. Correct there whatever is not public "
        "knowledge. Once you have checked it, run this with where it is known from as the note"
        f"{', and with the source of each group in place of SOURCE' if groups else ''}:"
    )
    options = ["--out", str(out), "--declare-public", "--note", "…"]
    for group in groups:
        options += ["--origin", group]
    echo("  " + shlex.join(["understudy", "schema", *source.again(), *options]))
