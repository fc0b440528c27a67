"""Declaring a column of the file, or a new one, to be derived from others; and in how many records
of the table it differs from its derivation, which is internal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from understudy.core.arrays import BoolArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.buckets import EachValue
from understudy.table.checks import MOST_DECIMALS, count_decimals
from understudy.table.column import Column
from understudy.table.continuous import Continuous, usual_width
from understudy.table.derivations.code_maps import LookUp
from understudy.table.derivations.derivation import Derivation, Values
from understudy.table.derivations.derived_column import DerivationMismatch, DerivedColumn
from understudy.table.derivations.registry import parse_formula
from understudy.table.domain import Verdict, range_of
from understudy.table.fit import Fitter, check_present
from understudy.table.number_spellings import spelling_of
from understudy.table.raw import RawTable
from understudy.table.rules.conflicts import list_idle_rules
from understudy.table.rules.rule import Rule
from understudy.table.rules.tree import list_columns
from understudy.table.schema import Schema


def derive_column(
    schema: Schema, name: str, derivation: Derivation, order: Sequence[str]
) -> Schema:
    """Return the schema with a column derived from others. If it was in the model it leaves it, and
    its title, codes for missing, labels and the spelling of its numbers stay, and rules on it are
    written on the columns that it is derived from, as far as they can be; if it is none of the
    file, it comes after all of these.

    Args:
        schema: as it is.
        name: of the column.
        derivation: how it is computed.
        order: every name in the file.

    Raises:
        Refusal: it is no function of these columns, or fewer than two would be in the model.
    """
    before = {each.name: each for each in schema.derived}
    others = [each for each in schema.derived if each.name != name]
    place = (
        order.index(name)
        if name in order
        else len(order) + len([each for each in others if each.name not in order])
    )
    settings = {"name": name, "formula": derivation, "place": place}
    moved = move_rules(schema, name, derivation)
    if name in schema.names:
        settings |= _keep_settings(schema.column(name))
    elif name in before:
        kept = ("title", "missing_codes", "spelling", "labels")
        settings |= {each: getattr(before[name], each) for each in kept}
    changed = schema.with_derived([*others, DerivedColumn.read(settings)])
    if not moved.rewritten:
        return changed
    rules = (moved.rewritten.get(rule.text, rule) for rule in schema.rules)
    by_text = {rule.text: rule for rule in rules if name not in rule.names}
    return changed.with_rules(tuple(by_text.values()))


@dataclass(frozen=True)
class MovedRules:
    """What becomes of the rules on a column that is derived.

    Attributes:
        rewritten: by the text of a rule, the same on the columns that it is derived from.
        idle: those that the derivation alone keeps.
        lost: those that cannot be written on other columns.
    """

    rewritten: Mapping[str, Rule]
    idle: tuple[Rule, ...]
    lost: tuple[Rule, ...]


def move_rules(schema: Schema, name: str, derivation: Derivation) -> MovedRules:
    """Return what becomes of the rules on a column if it is derived.

    Args:
        schema: as it is, before it is derived.
        name: of the column.
        derivation: how it will be computed.
    """
    rewritten: dict[str, Rule] = {}
    idle, lost = [], []
    for rule in schema.rules:
        if name not in rule.names:
            continue
        moved = _rewrite_rule(schema, rule, name, derivation)
        if moved is None:
            lost.append(rule)
        elif list_idle_rules(schema, (moved,)):
            idle.append(rule)
        else:
            rewritten[rule.text] = moved
    return MovedRules(rewritten, tuple(idle), tuple(lost))


def _rewrite_rule(schema: Schema, rule: Rule, name: str, derivation: Derivation) -> Rule | None:
    """Return a rule with the formula of a column in its place; None if that is no rule on columns
    of the model, or one that binds too much."""
    if derivation.expression is None or not {*schema.names}.issuperset(derivation.inputs):
        return None
    text = rule.text
    parts = [part for part in list_columns(rule.tree) if part.name == name]
    for part in sorted(parts, key=lambda each: each.start, reverse=True):
        text = f"{text[: part.start]}({derivation.expression}){text[part.end :]}"
    try:
        moved = Rule.read({**rule.as_dict(), "text": text})
        if moved.instead is not None and moved.instead.column == name:
            return None
        moved.relation(schema)
    except Refusal:
        return None
    return moved


def _keep_settings(column: Column) -> dict[str, object]:
    """Return what stays of a column as it becomes a derived one."""
    domain = column.domain
    settings: dict[str, object] = {"title": column.title}
    if column.missing:
        settings["missing_codes"] = column.missing_codes
    if domain.ranged is not None:
        settings["spelling"] = spelling_of(domain.ranged)
    else:
        settings["labels"] = tuple(zip(domain.texts, domain.given_labels, strict=False))
    return settings


def drop_derivations(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema without some derived columns.

    Raises:
        Refusal: another is derived from one of them.
    """
    return schema.with_derived([each for each in schema.derived if each.name not in names])


def drop_lost_derivations(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema without columns that are derived, directly or not, from one that is none of
    a table's."""
    known = {*schema.of_file.names} & {*names}
    kept = []
    for derived in schema.derived:
        if known.issuperset(derived.formula.inputs):
            known.add(derived.name)
            kept.append(derived)
    return schema if len(kept) == len(schema.derived) else schema.with_derived(kept)


def with_derivations(schema: Schema, texts: Sequence[str], order: Sequence[str]) -> Schema:
    """Return the schema with columns derived as they are typed: “total=drugs + bed”.

    Args:
        schema: as it is.
        texts: a column and its formula each.
        order: every name in the file.

    Raises:
        Refusal: one names no column and formula, or no derivation; of the field “derive”.
    """
    for text in texts:
        name, _, formula = (part.strip() for part in text.partition("="))
        try:
            if not formula:
                raise Refusal(
                    f"“{text}” names no column and its formula.",
                    "Write the column, then = and its formula, such as total=drugs + bed.",
                )
            schema = derive_column(schema, name, parse_formula(formula), order)
        except Refusal as refusal:
            raise Refusal(refusal.problem, refusal.remedy, field="derive") from None
    return schema


def list_pairs(raw: RawTable) -> tuple[tuple[str, str], ...]:
    """Return the codes and texts of a look-up: the first two columns of a public table.

    Raises:
        Refusal: a code has two texts; it is named by its row.
    """
    columns = []
    for name in raw.names[:2]:
        texts, places = raw.distinct(name)
        columns.append([texts[place].strip() for place in places.tolist()])
    found: dict[str, str] = {}
    for row, (code, text) in enumerate(zip(*columns, strict=True), 2):
        if found.setdefault(code, text) != text:
            raise Refusal(
                f"Row {row:,} of the look-up file has another text for a code that stands above.",
                "Keep one row for each code.",
                field="look_up",
            )
    return tuple(found.items())


def with_look_ups(
    schema: Schema, texts: Sequence[str], order: Sequence[str], read: Callable[[str], RawTable]
) -> Schema:
    """Return the schema with columns looked up in files as they are typed:
    “region=district=regions.csv”.

    Args:
        schema: as it is.
        texts: a column, the column of codes, and the file each.
        order: every name in the file.
        read: returns the table of a file; raises `Refusal` if it cannot be read.

    Raises:
        Refusal: one names no column, codes and file, or the file lacks a code; of the field
            “look_up”.
    """
    for text in texts:
        name, _, rest = (part.strip() for part in text.partition("="))
        codes, _, path = (part.strip() for part in rest.partition("="))
        try:
            if not path:
                raise Refusal(
                    f"“{text}” names no column, its codes and a file.",
                    "Write the column, the column of codes and the file, with = between, such as "
                    "region=district=regions.csv.",
                )
            look_up = LookUp(column=codes, pairs=list_pairs(read(path)))
            schema = derive_column(schema, name, look_up, order)
        except Refusal as refusal:
            raise Refusal(refusal.problem, refusal.remedy, field="look_up") from None
    return schema


@dataclass(frozen=True, eq=False)
class ReadValues:
    """The values of a column of a table. Confidential.

    Attributes:
        values: of each record; of one that holds nothing its column may contain, any.
        readable: (records,) whether a record holds something that the column may contain.
    """

    values: Values
    readable: BoolArray


def read_values(raw: RawTable, column: Column, rows: IntArray | None = None) -> ReadValues:
    """Return the values of a column of a table, whatever becomes of those outside its domain.

    Args:
        raw: the table.
        column: one that it has.
        rows: of which records; of all, if left out.
    """
    texts, places = raw.distinct(column.name)
    fit = Fitter(column, typed=raw.reading.kind != "csv").fit(texts)
    fits = fit.reason <= Verdict.ROUNDED
    codes, numbers = np.where(fits, fit.code, 0), fit.number
    if numbers is not None and column.domain.ranged is not None:
        lowest = column.domain.ranged.lattice.numbers(np.zeros(1, np.int64))[0]
        numbers = np.where(fits, numbers, lowest)
    values = Values.of_codes(column, codes, numbers)
    at = places if rows is None else places[rows]
    return ReadValues(Values(column, values.places[at], values.missing[at]), fits[at])


def find_disagreement(
    derived: DerivedColumn, inputs: Mapping[str, ReadValues], actual: ReadValues
) -> tuple[BoolArray, BoolArray]:
    """Return (records,) which hold something else than is derived, and which can be told: those
    whose inputs are readable.

    Args:
        derived: the derived column.
        inputs: the values of the columns that it is computed from, by name.
        actual: what records hold in it, read as a column of `DerivedColumn.build_column`.
    """
    expected = derive_values(derived, inputs, actual.values.column)
    same = (expected.values.missing == actual.values.missing) & (
        expected.values.is_missing | (expected.values.places == actual.values.places)
    )
    return expected.readable & ~(same & actual.readable), expected.readable


def sharpen_column(raw: RawTable, column: Column) -> Column:
    """Return a column of numbers with every number that the table holds within its bounds, however
    coarsely they are kept: what is derived is compared before anything is rounded. Internal.

    Args:
        raw: a table that has it.
        column: of any kind; others than numbers stay.
    """
    ranged = column.domain.ranged
    if ranged is None or not ranged.numeric:
        return column
    domain = ranged if raw.reading.kind == "csv" else range_of(ranged.typed)
    read = [domain.value_of(text) for text in raw.distinct(column.name)[0]]
    numbers = [
        each for each in read if each is not None and ranged.minimum <= each <= ranged.maximum
    ]
    if len(set(numbers)) < 2:
        return column
    precision = Decimal(1).scaleb(-min(MOST_DECIMALS, max(map(count_decimals, numbers))))
    ends = {"minimum": min(numbers), "maximum": max(numbers), "precision": precision}
    width = usual_width(ends["minimum"], ends["maximum"], precision)
    spelling = spelling_of(ranged)
    try:
        return column.changed(
            domain=Continuous.read({**ends, "step": width, "spelling": spelling}),
            buckets=EachValue(),
            levels=(),
        )
    except Refusal:
        return column


def count_mismatches(raw: RawTable, schema: Schema) -> tuple[DerivationMismatch, ...]:
    """Count, for each derived column that a table has, the records that hold something else than is
    derived from their other values, before any of these is rounded. The derivation wins: what they
    hold is not used. Internal.

    Raises:
        Refusal: the table lacks a column of the schema.
    """
    schema = schema.of_file
    check_present(raw.names, schema.names)
    columns = {each.name: each for each in schema.columns}
    inputs: dict[str, ReadValues] = {}
    differences = []
    for derived in schema.derived:
        if not columns.keys() >= set(derived.formula.inputs):
            continue
        for name in derived.formula.inputs:
            if name not in inputs:
                columns[name] = sharpen_column(raw, columns[name])
                inputs[name] = read_values(raw, columns[name])
        try:
            column = columns[derived.name] = derived.build_column(columns)
        except Refusal:
            # Inputs before rounding may come to what a code for missing stands for.
            continue
        if derived.name in raw.names:
            differ, told = find_disagreement(derived, inputs, read_values(raw, column))
            differences.append(DerivationMismatch(derived.name, int(differ.sum()), int(told.sum())))
        inputs[derived.name] = derive_values(derived, inputs, column)
    return tuple(differences)


def derive_values(
    derived: DerivedColumn, inputs: Mapping[str, ReadValues], column: Column
) -> ReadValues:
    """Return what a derivation makes of each record, and of which records that can be told."""
    given = [inputs[name] for name in derived.formula.inputs]
    codes, numbers = derived.compute([each.values for each in given], column)
    readable = np.asarray(np.logical_and.reduce([each.readable for each in given]))
    return ReadValues(Values.of_codes(column, codes, numbers), readable)


def describe_mismatches(differences: Sequence[DerivationMismatch]) -> tuple[str, ...]:
    """Return a sentence for each derived column that differs in some records. Internal."""
    return tuple(
        f"In {each.records:,} of {each.looked_at:,} records column “{each.column}” differs from "
        "what it is derived from (internal). The derivation wins."
        for each in differences
        if each.records
    )
