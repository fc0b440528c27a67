"""A column as a field of a Table Schema, and the other way round."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, shorten
from understudy.table.buckets import EachValue
from understudy.table.column import Column
from understudy.table.field_entry import FieldEntry, plain_number, read_list, read_text
from understudy.table.kinds import claims_field, domain_of_field, extra_names

EXTRA: Final = "understudy"
"""Under which stands what a Table Schema has no word for."""
_SETTINGS: Final = frozenset({"buckets", "levels", "origin"})
_LONGEST_QUOTED = 200


def field_of(column: Column) -> dict[str, Any]:
    """Return one column as a field of a Table Schema."""
    field: dict[str, Any] = {"name": column.name}
    if column.title:
        field["title"] = column.title
    entry = column.domain.to_field()
    field |= {"type": entry.type, **entry.settings}
    field["constraints"] = {"required": not column.missing, **entry.constraints}
    field["missingValues"] = list(column.missing_values)
    extra = dict(entry.extra)
    if not isinstance(column.buckets, EachValue):
        extra["buckets"] = _bare(column.buckets.model_dump(mode="python"))
    if column.levels:
        extra["levels"] = [_bare(each.model_dump(mode="python")) for each in column.levels]
    if column.origin:
        extra["origin"] = column.origin
    if extra:
        field[EXTRA] = extra
    return field


def _bare(value: Any) -> Any:
    """Settings as JSON knows them; what says nothing is left out."""
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
        settings: dict[str, Any] = {
            "name": name,
            "title": read_text(found.get("title", ""), "Its title"),
            "domain": domain_of_field(FieldEntry.of(found, constraints, extra)),
            "missing": constraints.get("required", False) is not True,
            "missing_values": _tokens(found.get("missingValues", tokens)),
        }
        settings |= {name: extra[name] for name in ("buckets", "levels", "origin") if name in extra}
        return Column(**settings)
    except Refusal as refusal:
        problem, named = refusal.problem, escape_invisible(shorten(name, _LONGEST_QUOTED))
        if not problem.startswith(f"Column “{named}”"):
            problem = f"Column “{named}” of the schema: {problem}"
        raise Refusal(problem, refusal.remedy, field=name) from None


def _tokens(found: Any) -> tuple[str, ...]:
    texts = [
        read_text(entry.get("value") if isinstance(entry, dict) else entry, "A missing value")
        for entry in read_list(found, "Its missing values")
    ]
    return tuple(texts)


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
        about["missing"] = _tokens(found["missingValues"])
    if isinstance(constraints.get("required"), bool):
        about["required"] = constraints["required"]
    return about


def _bare_entry(found: Mapping[str, Any], constraints: Mapping[str, Any]) -> FieldEntry:
    """Return what a field says in the words of the standard alone."""
    kind = found.get("type", "string")
    return FieldEntry(kind if isinstance(kind, str) else "string", constraints, {}, found)
