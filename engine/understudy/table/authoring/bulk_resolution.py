"""Settling in bulk where it is known from what columns may contain."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import give_meanings, with_population, with_role
from understudy.table.authoring.suggestion import respell
from understudy.table.cells import parse_number
from understudy.table.column import ROLES, Column, Role
from understudy.table.missing_codes import MissingCode, list_missing_texts
from understudy.table.raw import RawTable
from understudy.table.schema import Schema


def with_spellings(schema: Schema, raw: RawTable, texts: Sequence[str]) -> Schema:
    """Return the schema with ways of writing as they are typed, “DD/MM/YYYY=born,seen” for these
    columns, and their bounds suggested anew from a table.

    Raises:
        Refusal: one names no column, or no way to write the values of one; of the field “written”.
    """
    for text in texts:
        way, _, columns = text.partition("=")
        names = [name.strip() for name in columns.split(",") if name.strip()]
        unknown = next((name for name in names if name not in schema.names), None)
        if not names or unknown is not None:
            raise Refusal(
                f"“{text}” names no way of writing and its columns."
                if unknown is None
                else f"The schema has no column “{unknown}”.",
                "Write the way, then = and columns with commas, such as DD/MM/YYYY=born,seen.",
                field="written",
            )
        for name in names:
            try:
                schema = schema.replace(respell(schema.column(name), raw, way.strip()))
            except Refusal as refusal:
                raise Refusal(
                    f"Column “{name}”: {refusal.problem}", refusal.remedy, field="written"
                ) from None
    return schema


def with_meanings(schema: Schema, texts: Sequence[str]) -> Schema:
    """Return the schema with meanings of codes for missing as they are typed: “-8=not asked” for
    all columns that have this code, “9=no answer=q1_*,age” for these columns, where a listed value
    becomes a code for missing.

    Raises:
        Refusal: one names no code and meaning, no column, or no column that has the code; of the
            field “missing_means”.
    """
    for text in texts:
        code, _, told = text.partition("=")
        meaning, _, columns = (part.strip() for part in told.partition("="))
        if not meaning:
            raise Refusal(
                f"“{text}” names no code and its meaning.",
                "Write the code, then = and its meaning, such as “-8=not asked”; another = and "
                "columns with commas where it is a code in these alone.",
                field="missing_means",
            )
        named = [MissingCode(values=(code.strip(),), label=meaning)]
        patterns = [pattern.strip() for pattern in columns.split(",") if pattern.strip()]
        taken = [
            column
            for column in schema.columns
            if (any(fnmatchcase(column.name, each) for each in patterns) or not patterns)
            and _has_code(column, code.strip(), listed=bool(patterns))
        ]
        if not taken:
            raise Refusal(
                f"No column{' of these' if patterns else ''} has the code “{code.strip()}” for "
                "missing.",
                "Name the columns whose value it is after another =, such as “9=no answer=q1_*”.",
                field="missing_means",
            )
        replaced = {column.name: give_meanings(column, named) for column in taken}
        schema = schema.with_columns(
            [replaced.get(column.name, column) for column in schema.columns]
        )
    return schema


def _has_code(column: Column, text: str, *, listed: bool) -> bool:
    """Return whether a text stands for missing in a column; or for one of its listed values, where
    that counts."""
    if column.missing and text in list_missing_texts(column.missing_codes):
        return True
    return listed and not column.domain.ordered and column.domain.holds(text)


def with_roles(schema: Schema, texts: Sequence[str]) -> Schema:
    """Return the schema with roles as they are typed: “weight=w1,w2” for these columns.

    Raises:
        Refusal: one is no role, or no column; of the field “role”.
    """
    for text in texts:
        typed, _, columns = text.partition("=")
        role: Role | None = next((each for each in ROLES if each and each == typed), None)
        names = [name.strip() for name in columns.split(",") if name.strip()]
        if role is None or not names:
            raise Refusal(
                f"“{text}” names no role and its columns.",
                f"Write one of {', '.join(filter(None, ROLES))}, then = and columns with commas.",
                field="role",
            )
        unknown = next((name for name in names if name not in schema.names), None)
        if unknown is not None:
            raise Refusal(
                f"The schema has no column “{unknown}”.",
                f"Choose one of {', '.join(schema.names)}.",
                field="role",
            )
        for name in names:
            schema = schema.replace(with_role(schema.column(name), role))
    return schema


def with_populations(schema: Schema, texts: Sequence[str]) -> Schema:
    """Return the schema with what survey weights publicly add up to as it is typed:
    “w1=8900000”.

    Raises:
        Refusal: one names no survey weight, or no number above 0; of the field
            “population”.
    """
    for text in texts:
        name, _, typed = (part.strip() for part in text.rpartition("="))
        number = parse_number(typed)
        if name not in schema.weights or number is None:
            weights = ", ".join(schema.weights) or "no column yet: name it with --role weight=…"
            raise Refusal(
                f"“{text}” names no survey weight and what all of the population add up to.",
                f"Write the weight, then = and the number. Survey weights are {weights}.",
                field="population",
            )
        schema = schema.replace(with_population(schema.column(name), number))
    return schema
