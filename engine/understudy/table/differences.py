"""In what schemas of the same columns differ, in words: buckets, titles, how a file is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from understudy.table.column import Column
from understudy.table.schema import Schema

_SHOWN: Final = 4
"""The most buckets that are named."""


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in all schemas.

    Attributes:
        what: what it is called.
        said: how each schema has it, by the name of the schema.
    """

    what: str
    said: Mapping[str, str]


def differences(schemas: Mapping[str, Schema]) -> tuple[Difference, ...]:
    """Return where schemas of columns with the same names differ, column by column, then of the
    whole.

    Args:
        schemas: by a name of each; of the same columns.
    """
    found = []
    for name in next(iter(schemas.values())).names:
        columns = {key: schema.column(name) for key, schema in schemas.items()}
        for what, known, worded in _OF_A_COLUMN:
            values = [known(each) for each in columns.values()]
            if any(each != values[0] for each in values):
                said = {key: worded(each) for key, each in columns.items()}
                found.append(Difference(f"{name}: {what}", said))
    return (*found, *_of_the_whole(schemas))


def _of_the_whole(schemas: Mapping[str, Schema]) -> list[Difference]:
    found = []
    people = {key: _whose(schema) for key, schema in schemas.items()}
    if len({schema.people for schema in schemas.values()}) > 1:
        found.append(Difference("Whose a record is", people))
    first = next(iter(schemas.values()))
    if any(schema.reading != first.reading for schema in schemas.values()):
        said = {
            key: "as the first" if schema.reading == first.reading else "in another way"
            for key, schema in schemas.items()
        }
        found.append(Difference("How the file is read", said))
    if any(_formulas(schema) != _formulas(first) for schema in schemas.values()):
        said = {key: _formulas(schema) or "none" for key, schema in schemas.items()}
        found.append(Difference("Derived columns", said))
    return found


def _formulas(schema: Schema) -> str:
    return "; ".join(f"{each.name} = {each.formula.words}" for each in schema.derived)


def _whose(schema: Schema) -> str:
    if schema.people is None:
        return "each record stands for itself"
    return f"“{schema.people.person}” says it, {schema.people.records_at_most} kept of each at most"


def _buckets(column: Column) -> str:
    labels = column.bucket_labels
    if len(labels) <= _SHOWN:
        return f"{len(labels)}: {', '.join(labels)}"
    return f"{len(labels)}: {', '.join(labels[: _SHOWN - 1])}, …"


def _levels(column: Column) -> str:
    sizes = (len(column.level_labels(level)) for level in _further(column))
    return ", then ".join(f"{size} groups" for size in sizes) or "none"


def _further(column: Column) -> range:
    return range(2, column.coarsest + 1)


def _maps(column: Column) -> list[list[int]]:
    return [column.level_map(level).tolist() for level in _further(column)]


def _missing(column: Column) -> str:
    if column.has_plain_missing:
        return ", ".join(f"“{each}”" for each in column.missing_values) or "none"
    codes = column.missing_codes
    return "; ".join(
        f"{', '.join(f'“{text}”' for text in code.values)} = {code.label_among(codes)}"
        for code in codes
    )


_OF_A_COLUMN: Final[tuple[tuple[str, Callable[[Column], object], Callable[[Column], str]], ...]] = (
    ("buckets", lambda column: tuple(column.bucket_map), _buckets),
    ("levels above the buckets", _maps, _levels),
    ("texts that mean missing", lambda column: column.missing_codes, _missing),
    ("title", lambda column: column.title, lambda column: column.title or "none"),
)
