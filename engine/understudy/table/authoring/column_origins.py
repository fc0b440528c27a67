"""Where it is publicly known from what columns may contain: said in groups of like columns, a line
each, and not declared before it is said of every column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from understudy.core.numerals import count, join_first
from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import with_origin
from understudy.table.column import EVERY_ORIGIN, KNOWN, READ_OFF, Column, Origin, origin_read
from understudy.table.schema import Schema

UNSAID: Final = "origins_unsaid"
"""The field of a refusal to declare a schema while sources of columns are not said."""
_ALIKE: Final = 3
"""So many columns with one list are a group of their own."""
_MOST_LISTS: Final = 6
"""So many lists have a group of their own at most; further lists are together."""
_NAMED: Final = 8


@dataclass(frozen=True)
class OriginGroup:
    """Columns of like kind, of which the same is said on where they are known from.

    Attributes:
        kind: what they have in common, in words.
        names: of the columns.
        origin: the kind of source; "" where nobody has said.
        source: the custodian's line; "" without one.
    """

    kind: str
    names: tuple[str, ...]
    origin: Origin = ""
    source: str = ""

    @property
    def title(self) -> str:
        """How many columns of what kind they are."""
        return f"{count(len(self.names), 'column')} {self.kind}"

    @property
    def first_names(self) -> str:
        """The names of the first columns, and how many more there are."""
        return join_first(self.names, _NAMED)


def list_unsaid(schema: Schema) -> tuple[str, ...]:
    """Return the columns of which nobody has said where they are known from."""
    return tuple(column.name for column in schema.columns if not column.origin)


def group_origins(schema: Schema) -> tuple[OriginGroup, ...]:
    """Return the columns whose source the custodian has to say or has said, in groups of like kind,
    in the order of their first columns.

    Columns with labels of the file, and with bounds that everybody knows, are not among them.
    """
    kinds = _key_kinds(schema.columns)
    groups: dict[tuple[tuple[str, tuple[str, ...]], Origin, str], list[str]] = {}
    for column in schema.columns:
        if column.origin not in READ_OFF - {"table"}:
            key = kinds[column.name], column.origin, column.source
            groups.setdefault(key, []).append(column.name)
    return tuple(
        OriginGroup(kind, tuple(names), origin, source)
        for ((kind, _), origin, source), names in groups.items()
    )


def list_origins(columns: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    """Return the names of columns by where they are known from, as a reader reads it; those of
    which nobody has said are not among them."""
    groups: dict[str, list[str]] = {}
    for column in sorted(columns, key=lambda each: (*EVERY_ORIGIN, "").index(each.origin)):
        if column.origin:
            groups.setdefault(column.known_from, []).append(column.name)
    return {known: tuple(names) for known, names in groups.items()}


def _key_kinds(columns: Sequence[Column]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return of each column what it has in common with others of its group, and the list of values
    if the group has one.

    Lists that several columns share are a group each; other lists, and ranges of one kind, are
    together.
    """
    lists = {each.name: tuple(each.domain.texts) for each in columns if each.domain.ranged is None}
    numbers = Counter(lists.values()).most_common(_MOST_LISTS)
    shared = {texts for texts, number in numbers if number >= _ALIKE}
    keys: dict[str, tuple[str, tuple[str, ...]]] = {}
    for each in columns:
        texts = lists.get(each.name)
        if texts in shared and texts is not None:
            # How many values there are, and none of them: they may still be those of records.
            keys[each.name] = f"with the same list of {count(len(texts), 'value')}", texts
        else:
            keys[each.name] = f"of {each.domain.words.plural}", ()
    return keys


def set_origin(schema: Schema, origin: Origin, names: Collection[str], source: str = "") -> Schema:
    """Return the schema with where some of its columns are known from; a declaration is kept, as
    what may occur is what it was.

    Raises:
        Refusal: the source holds what cannot be shown, or the two are said by halves.
    """
    return schema.with_columns(
        [
            with_origin(each, origin, source) if each.name in names else each
            for each in schema.columns
        ]
    )


def read_line(text: str) -> tuple[Origin, str]:
    """Return the kind of source and the custodian's line that a typed line says; both "" where it
    says nothing."""
    line = " ".join(text.split())
    kind = origin_read(line)
    if kind in KNOWN:
        return kind, ""
    return ("custodian", line) if any(map(str.isalpha, line)) else ("", "")


def with_origins(schema: Schema, texts: Sequence[str]) -> Schema:
    """Return the schema with sources as they are typed.

    “law=a,b” is a kind of source for some columns, “the questionnaire of 2024=q1_*” one in words of
    one's own, “table=a,b” confirms by name what was read off the table, and “codebook” is for all
    of which nothing is said otherwise.

    Raises:
        Refusal: one is no source, or no column, or is to be confirmed by name and is not named; of
            the field “origin”.
    """
    rest: Origin = ""
    for text in texts:
        source, _, columns = text.partition("=")
        patterns = [pattern.strip() for pattern in columns.split(",") if pattern.strip()]
        known = next((each for each in KNOWN if each == source.strip()), None)
        if not patterns:
            if known is None:
                raise _refuse_bare(source)
            rest = known
        elif source.strip() == "table":
            schema = confirm_by_name(schema, patterns)
        else:
            origin, line = (known, "") if known else read_line(source)
            if origin not in (*KNOWN, "custodian"):
                raise _refuse_bare(source)
            schema = set_origin(schema, origin, _choose(schema, patterns), line)
    return set_origin(schema, rest, list_unsaid(schema)) if rest else schema


def confirm_by_name(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema with columns, each named, whose values were read off the table and are
    confirmed all the same.

    Raises:
        Refusal: one is no column, such as a pattern of names; of the field “origin”.
    """
    for name in names:
        if name not in schema.names:
            raise _refuse_unknown(schema, name)
    return set_origin(schema, "table", names)


def _choose(schema: Schema, patterns: Sequence[str]) -> set[str]:
    """Return the columns that some name or pattern of names fits.

    Raises:
        Refusal: one fits none.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        exact = [pattern] if pattern in schema.names else []
        fitting = exact or [name for name in schema.names if fnmatchcase(name, pattern)]
        if not fitting:
            raise _refuse_unknown(schema, pattern)
        chosen.update(fitting)
    return chosen


def _refuse_unknown(schema: Schema, name: str) -> Refusal:
    return Refusal(
        f"The schema has no column “{name}”.",
        f"Choose one of {', '.join(schema.names)}.",
        field="origin",
    )


def _refuse_bare(source: str) -> Refusal:
    return Refusal(
        f"“{source}” is no source that columns are known from.",
        f"Choose one of {', '.join(KNOWN)}, or write a line of your own and its columns, such as "
        "“the questionnaire of 2024=q1_*”; “table=” and names are what was read off the table.",
        field="origin",
    )


def check_origins(schema: Schema) -> None:
    """Check that of every column it is said where it is known from what it may contain.

    Raises:
        Refusal: of some it is not; of the field `UNSAID`. It names these in groups.
    """
    left = len(list_unsaid(schema))
    if not left:
        return
    groups = "; ".join(f"{each.title} ({each.first_names})" for each in _list_open(schema))
    raise Refusal(
        f"Of {left:,} of {count(len(schema), 'column')} nobody has said where it is publicly known "
        f"from what they may contain: {groups}.",
        "Say so of each group in a line, such as the questionnaire, the codebook or the law that "
        "has it. What is known from nowhere else was read off the table: name each such column.",
        field=UNSAID,
    )


def _list_open(schema: Schema) -> Iterator[OriginGroup]:
    """Yield the groups of which nobody has said where they are known from."""
    yield from (each for each in group_origins(schema) if not each.origin)


def write_options(schema: Schema) -> list[str]:
    """Return of each group that is still open what is typed to say where it is known from."""
    return [f"SOURCE={','.join(each.names)}" for each in _list_open(schema)]
