"""The schema file: a Frictionless Table Schema in JSON, a field a column.

What a Table Schema has no word for stands under "understudy": the step of a grid, the precision and
the unit of a continuous column, the buckets, how the file is read, whose the records are, what is
left out, derived or recoded, the rules, the known totals, the declaration. A schema from elsewhere
is read as far as it says what each column may contain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NoReturn

from understudy.core.files import is_full, read_small_file, refuse_full_disk, replace_text
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, has_halves, shorten_text
from understudy.table.buckets import Buckets, ByCuts, EachValue
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.derivations.derived_column import DERIVED_FIELD, DerivedColumn
from understudy.table.domain import Domain
from understudy.table.field_entry import (
    FieldEntry,
    plain_number,
    read_list,
    read_text,
)
from understudy.table.kinds import claims_field, domain_of_field, extra_names
from understudy.table.known_totals import KnownTotals
from understudy.table.missing_codes import compose_missing, parse_missing
from understudy.table.omissions import Omission
from understudy.table.recodings.recoded_column import RECODED_FIELD, Follows
from understudy.table.rules.rule import Rule

# A column as a field of a Table Schema, and the other way round.

EXTRA: Final = "understudy"
"""Under which stands what a Table Schema has no word for."""
_SETTINGS: Final = frozenset({"buckets", "levels", "origin", "source", "role", "population"})
_LONGEST_QUOTED = 200


def field_of(column: Column) -> dict[str, Any]:
    """Return one column as a field of a Table Schema."""
    field: dict[str, Any] = {"name": column.name}
    if column.title:
        field["title"] = column.title
    entry = column.domain.to_field()
    field |= {"type": entry.type, **entry.settings}
    field["constraints"] = {"required": not column.missing, **entry.constraints}
    field["missingValues"] = compose_missing(column.missing_codes)
    extra = dict(entry.extra)
    if not isinstance(column.buckets, EachValue):
        extra["buckets"] = _buckets_of(column, column.buckets)
    if column.levels:
        extra["levels"] = [_buckets_of(column, each) for each in column.levels]
    if column.origin:
        extra["origin"] = column.origin
    if column.source:
        extra["source"] = column.source
    if column.role:
        extra["role"] = column.role
    if column.population is not None:
        extra["population"] = plain_number(column.population)
    if extra:
        field[EXTRA] = extra
    return field


def _buckets_of(column: Column, buckets: Buckets) -> Any:
    """Return the buckets of a column, or a level above them, as JSON; cuts as its kind writes
    numbers."""
    ranged = column.domain.ranged
    if isinstance(buckets, ByCuts) and ranged is not None:
        return {"kind": buckets.kind, "cuts": [ranged.to_json(cut) for cut in buckets.cuts]}
    return _bare(buckets.model_dump(mode="python"))


def _read_buckets(domain: Domain, buckets: Any) -> Any:
    """Return the buckets that a file holds, their cuts as numbers.

    Raises:
        Refusal: a cut is no number of the kind of the column.
    """
    cuts = buckets.get("cuts") if isinstance(buckets, dict) else None
    if domain.ranged is None or not isinstance(cuts, list):
        return buckets
    return {**buckets, "cuts": [domain.ranged.from_json(cut, "cut point") for cut in cuts]}


def _bare(value: Any) -> Any:
    """Return settings as JSON knows them, without those that are None."""
    if isinstance(value, Decimal):
        return plain_number(value)
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if inner is not None}
    return [_bare(inner) for inner in value] if isinstance(value, tuple | list) else value


def column_of(place: int, found: Any, tokens: Any) -> Column:
    """Return one field of a Table Schema as a column."""
    name = found.get("name") if isinstance(found, dict) else None
    if not isinstance(name, str):
        raise Refusal(
            f"Field {place} of the schema has no name.", "Give every field a name.", field="schema"
        )
    try:
        extra = named_settings(found.get(EXTRA, {}), "Its own settings", _SETTINGS | extra_names())
        constraints = named_settings(found.get("constraints", {}), "Its constraints")
        domain = domain_of_field(FieldEntry.of(found, constraints, extra))
        settings: dict[str, Any] = {
            "name": name,
            "title": read_text(found.get("title", ""), "Its title"),
            "domain": domain,
            "missing": constraints.get("required", False) is not True,
            "missing_codes": parse_missing(found.get("missingValues", tokens)),
        }
        plain = ("levels", "origin", "source", "role", "population")
        settings |= {name: extra[name] for name in plain if name in extra}
        if "buckets" in extra:
            settings["buckets"] = _read_buckets(domain, extra["buckets"])
        if isinstance(extra.get("levels"), list):
            settings["levels"] = [_read_buckets(domain, each) for each in extra["levels"]]
        return Column(**settings)
    except Refusal as refusal:
        problem, named = refusal.problem, escape_invisible(shorten_text(name, _LONGEST_QUOTED))
        if not problem.startswith(f"Column “{named}”"):
            problem = f"Column “{named}” of the schema: {problem}"
        raise Refusal(problem, refusal.remedy, field=name) from None


def named_settings(
    found: Any, what: str, known: Collection[str] | None = None
) -> Mapping[str, Any]:
    """Return a set of named settings, with no name outside `known` where that is given."""
    if not isinstance(found, dict):
        raise Refusal(f"{what} are not a set of names and values.", "Write it in braces.")
    unknown = found.keys() - set(known or found)
    if unknown:
        raise Refusal(
            f"“{min(unknown)}” is not a setting that exists.",
            "Use " + ", ".join(sorted(known or ())) + ".",
        )
    return found


def loosely(place: int, found: Any, tokens: Any) -> Column | Mapping[str, Any]:
    """Return a column, or what little a field says of one."""
    named = isinstance(found, dict) and isinstance(found.get("name"), str)
    constraints = found.get("constraints", {}) if named else None
    if not isinstance(constraints, dict) or claims_field(_bare_entry(found, constraints)):
        return column_of(place, found, tokens)
    about: dict[str, Any] = {
        "name": found["name"],
        "title": read_text(found.get("title", ""), "Its title"),
    }
    if "missingValues" in found:
        about["missing"] = parse_missing(found["missingValues"])
    if isinstance(constraints.get("required"), bool):
        about["required"] = constraints["required"]
    return about


def _bare_entry(found: Mapping[str, Any], constraints: Mapping[str, Any]) -> FieldEntry:
    """Return what a field says in the words of the standard alone."""
    kind = found.get("type", "string")
    return FieldEntry(kind if isinstance(kind, str) else "string", constraints, {}, found)


MOST_BYTES = 32 << 20
_RULES = ("rules", "rules_set_aside")
_OF_TABLE = {
    "declared_public", DERIVED_FIELD, "left_out", "people", "reading", RECODED_FIELD, *_RULES,
    "totals",
}  # fmt: skip
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Parsed:
    """What a schema file says.

    Attributes:
        columns: of the table.
        reading: how the table is read; None where it does not say.
        declared, people: what it holds as a declaration and of whose the records are, unchecked;
            None where it holds nothing.
        omissions: the columns that are left out.
        derived: those that are computed from others.
        rules: what everyone knows of the values of one record.
        set_aside: rules that are declared and not kept.
        recoded: the columns that are modelled by their distance from another.
        totals: how many rows are in each cell of a column or of a pair.
    """

    columns: tuple[Column, ...]
    reading: Reading | None
    declared: Any
    people: Any
    omissions: tuple[Omission, ...] = ()
    derived: tuple[DerivedColumn, ...] = ()
    rules: tuple[Rule, ...] = ()
    set_aside: tuple[Rule, ...] = ()
    recoded: tuple[Follows, ...] = ()
    totals: tuple[KnownTotals, ...] = ()


def compose_schema(
    columns: Sequence[Column],
    reading: Reading | None,
    declared: Mapping[str, Any] | None,
    people: Mapping[str, Any] | None = None,
    omissions: Sequence[Omission] = (),
    *,
    derived: Sequence[DerivedColumn] = (),
    rules: Sequence[Rule] = (),
    set_aside: Sequence[Rule] = (),
    recoded: Sequence[Follows] = (),
    totals: Sequence[KnownTotals] = (),
) -> str:
    """Return the text of a schema file."""
    document: dict[str, Any] = {"fields": [field_of(column) for column in columns]}
    extra: dict[str, Any] = {}
    if reading is not None:
        extra["reading"] = reading.as_dict()
    if people is not None:
        extra["people"] = people
    if omissions:
        extra["left_out"] = [each.model_dump(mode="json") for each in omissions]
    if derived:
        extra[DERIVED_FIELD] = [each.as_dict() for each in derived]
    if recoded:
        extra[RECODED_FIELD] = [_recoded_of(each) for each in recoded]
    extra |= {
        name: [rule.as_dict() for rule in some]
        for name, some in zip(_RULES, (rules, set_aside), strict=True)
        if some
    }
    if totals:
        extra["totals"] = [each.as_dict() for each in totals]
    if declared is not None:
        extra["declared_public"] = declared
    if extra:
        document[EXTRA] = extra
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def parse_schema(text: str) -> Parsed:
    """Return what a schema file says.

    Raises:
        Refusal: it is not a Table Schema, a column does not say what it may contain, or the reading
            cannot be used.
    """
    document, fields = _document(
        text,
        Refusal(
            "The schema file has no list of fields.",
            "Use a Table Schema, as saved from the Data page.",
            field="schema",
        ),
    )
    extra = named_settings(document.get(EXTRA, {}), "Its own settings", _OF_TABLE)
    tokens = document.get("missingValues", [""])
    columns = tuple(column_of(place, found, tokens) for place, found in enumerate(fields, 1))
    reading = Reading.read(extra["reading"]) if "reading" in extra else None
    omissions = tuple(
        Omission.read(each)
        for each in read_list(extra.get("left_out", []), "What the schema leaves out")
    )
    derived = tuple(
        DerivedColumn.of_dict(each)
        for each in read_list(extra.get(DERIVED_FIELD, []), "The derived columns of the schema")
    )
    rules, aside = (
        tuple(
            Rule.read({"text": each} if isinstance(each, str) else each)
            for each in read_list(extra.get(name, []), "What the schema lists as rules")
        )
        for name in _RULES
    )
    recoded = tuple(
        _read_recoded(each, tokens)
        for each in read_list(extra.get(RECODED_FIELD, []), "What the schema lists as recoded")
    )
    totals = tuple(
        KnownTotals.of_dict(each)
        for each in read_list(extra.get("totals", []), "What the schema lists as known totals")
    )
    declared, people = extra.get("declared_public"), extra.get("people")
    return Parsed(
        columns,
        reading,
        declared,
        people,
        omissions,
        derived,
        rules,
        set_aside=aside,
        recoded=recoded,
        totals=totals,
    )


def _recoded_of(follows: Follows) -> dict[str, Any]:
    """Return a column that is modelled by its distance from another, as a schema file holds it."""
    assert follows.distance is not None
    return {
        "column": follows.column,
        "after": follows.after,
        "modelled": field_of(follows.distance),
    }


def _read_recoded(found: Any, tokens: Any) -> Follows:
    """Return a column that a schema file says is modelled by its distance from another.

    Raises:
        Refusal: it does not say which, or the column of distances is unusable.
    """
    settings = named_settings(found, "What is recoded", {"column", "after", "modelled"})
    if not all(isinstance(settings.get(each), str) for each in ("column", "after")):
        raise Refusal(
            "A column that is recoded does not say which it is, or which it follows.",
            "Name both, as “column” and “after”.",
            field=RECODED_FIELD,
        )
    return Follows(
        settings["column"],
        settings["after"],
        column_of(1, settings["modelled"], tokens) if "modelled" in settings else None,
    )


def loosely_parsed(text: str) -> tuple[Column | Mapping[str, Any], ...]:
    """Return the fields of a Table Schema that may leave open what a column contains.

    Returns:
        Each field as a column; or, where it does not say enough for one, its name and, where it
        has them, its title, its missing values and whether it is required.

    Raises:
        Refusal: it is not a Table Schema, or a field cannot be used.
    """
    document, fields = _document(
        text,
        Refusal(
            "The codebook has no list of fields.",
            "Use a Table Schema in JSON, or a CSV file with the columns name, label and values.",
            field="codebook",
        ),
    )
    tokens = document.get("missingValues", [""])
    return tuple(loosely(place, found, tokens) for place, found in enumerate(fields, 1))


def _document(text: str, otherwise: Refusal) -> tuple[dict[str, Any], list[Any]]:
    """Return a Table Schema and its fields.

    Raises:
        Refusal: it is no JSON, or the given one: it has no fields.
    """
    document = _json(text)
    fields = document.get("fields") if isinstance(document, dict) else None
    if not isinstance(fields, list):
        raise otherwise
    return document, fields


def save(text: str, path: Path) -> None:
    """Write a schema file whole or not at all. Only its owner may read it: what was suggested from
    records is not public before it is declared.

    Raises:
        Refusal: the place cannot be written to.
    """
    try:
        replace_text(path, text)
    except OSError as error:
        if is_full(error):
            full = refuse_full_disk(path)
            raise Refusal(full.problem, full.remedy, field="out") from None
        raise Refusal(
            f"The schema cannot be written to {path}: {error.strerror or 'it failed'}.",
            "Choose a folder that exists, has room and may be written to.",
            field="out",
        ) from None


def load(path: Path) -> str:
    """Return the text of a schema file.

    Raises:
        Refusal: there is none, it is too large, or it is not UTF-8.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            _too_large()
        return read_small_file(path, MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise Refusal(
            f"The schema file {path} cannot be read: {error.strerror or 'it failed'}.",
            "Check the path, and that the file may be read.",
            field="schema",
        ) from None
    except UnicodeDecodeError:
        raise Refusal(
            f"The schema file {path} is not text in UTF-8.",
            "Choose a schema file in JSON.",
            field="schema",
        ) from None


def _json(text: str) -> Any:
    if len(text) > MOST_BYTES:
        _too_large()
    try:
        found = json.loads(
            text.removeprefix("\ufeff"), parse_float=Decimal, parse_constant=_constant
        )
    except (ValueError, RecursionError, InvalidOperation) as error:
        raise _no_json(error) from None
    if _HALF.search(text) is not None and _has_halves(found):
        raise Refusal(
            "The schema file holds half a character: an escape from \\ud800 to \\udfff without its "
            "other half.",
            "Take it out, or save the schema again.",
            field="schema",
        )
    return found


def _no_json(error: Exception) -> Refusal:
    where = ", or holds a number that none can be, or is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        where = f" (line {error.lineno}, character {error.colno})"
    return Refusal(
        f"The schema file is not valid JSON{where}.",
        "Correct it there, or save the schema again.",
        field="schema",
    )


def _has_halves(found: Any) -> bool:
    """Return whether some text of a JSON document cannot be written to a file."""
    if isinstance(found, dict):
        return any(map(_has_halves, (*found, *found.values())))
    if isinstance(found, list):
        return any(map(_has_halves, found))
    return isinstance(found, str) and has_halves(found)


def _constant(_name: str) -> NoReturn:
    raise ValueError("not a finite number")


def _too_large() -> NoReturn:
    raise Refusal(
        f"The schema file is over {MOST_BYTES >> 20} MiB.",
        "Choose a schema file, not the table.",
        field="schema",
    )
