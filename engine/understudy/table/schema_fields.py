"""A column as a field of a Table Schema, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Any, Final, Literal

from understudy.core.refusal import Refusal
from understudy.core.visible import escaped, shortened
from understudy.table.buckets import EachValue
from understudy.table.column import Column
from understudy.table.domain import MOST_STEPS, Categories, Continuous, Domain, Grid, check_decimal
from understudy.table.number_texts import round_number_from, without_trailing_zeros

EXTRA: Final = "understudy"
"""Under which stands what a Table Schema has no word for."""
_SETTINGS = {"step", "precision", "unit", "buckets", "levels", "origin"}
_LONGEST_QUOTED = 200
_FEW_STEPS = Decimal(200)
_NUMERIC_TYPES: dict[str, Literal["integers", "numbers"]] = {
    "integer": "integers",
    "year": "integers",
    "number": "numbers",
}


def field_of(column: Column) -> dict[str, Any]:
    """Return one column as a field of a Table Schema."""
    field: dict[str, Any] = {"name": column.name}
    if column.title:
        field["title"] = column.title
    extra: dict[str, Any] = {}
    constraints: dict[str, Any] = {"required": not column.missing}
    domain = column.domain
    if isinstance(domain, Categories):
        field["type"] = "string"
        constraints["enum"] = list(domain.values)
        if domain.labels:
            pairs = zip(domain.values, domain.labels, strict=True)
            field["categories"] = [{"value": value, "label": label} for value, label in pairs]
    else:
        field["type"] = "integer" if domain.kind == "integers" else "number"
        constraints |= {"minimum": _plain(domain.minimum), "maximum": _plain(domain.maximum)}
        extra["step"] = _plain(domain.step)
    if isinstance(domain, Continuous):
        extra["precision"] = _plain(domain.precision)
        extra |= {"unit": domain.unit} if domain.unit else {}
    field["constraints"] = constraints
    field["missingValues"] = list(column.missing_values)
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
        return _plain(value)
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if inner is not None}
    return [_bare(inner) for inner in value] if isinstance(value, tuple | list) else value


def _plain(number: Decimal) -> int | float | str:
    """Return a JSON number where that is exact, otherwise the decimal as text."""
    if number == number.to_integral_value():
        return int(number)
    return (
        float(number)
        if Decimal(repr(float(number))) == number
        else f"{without_trailing_zeros(number):f}"
    )


def column_of(place: int, found: Any, tokens: Any) -> Column:
    """Return one field of a Table Schema as a column."""
    name = found.get("name") if isinstance(found, dict) else None
    if not isinstance(name, str):
        raise Refusal(
            f"Field {place} of the schema has no name.", "Give every field a name.", field="schema"
        )
    try:
        extra = named_settings(found.get(EXTRA, {}), "Its own settings", _SETTINGS)
        constraints = named_settings(found.get("constraints", {}), "Its constraints")
        settings: dict[str, Any] = {
            "name": name,
            "title": _text(found.get("title", ""), "Its title"),
            "domain": _domain(found, constraints, extra),
            "missing": constraints.get("required", False) is not True,
            "missing_values": _tokens(found.get("missingValues", tokens)),
        }
        settings |= {name: extra[name] for name in ("buckets", "levels", "origin") if name in extra}
        return Column(**settings)
    except Refusal as refusal:
        problem, named = refusal.problem, escaped(shortened(name, _LONGEST_QUOTED))
        if not problem.startswith(f"Column “{named}”"):
            problem = f"Column “{named}” of the schema: {problem}"
        raise Refusal(problem, refusal.remedy, field=name) from None


def _domain(
    found: Mapping[str, Any], constraints: Mapping[str, Any], extra: Mapping[str, Any]
) -> Domain:
    kind = _text(found.get("type", "string"), "Its type")
    if {"precision", "unit"} & extra.keys():
        return _continuous(kind, constraints, extra)
    if "enum" in constraints or "categories" in found:
        return _categories(found, constraints)
    if kind == "boolean":
        return Categories(values=("false", "true"))
    if kind in _NUMERIC_TYPES and {"minimum", "maximum"} <= constraints.keys():
        low, high = (_number(constraints[name], name) for name in ("minimum", "maximum"))
        whole = kind != "number"
        step = _number(extra["step"], "step") if "step" in extra else usual_step(low, high, whole)
        return Grid(kind=_NUMERIC_TYPES[kind], minimum=low, maximum=high, step=step)
    raise Refusal(
        "It does not say what the column may contain.",
        "List its values under constraints.enum, or make it an integer or a number with "
        "constraints.minimum and constraints.maximum.",
    )


def _continuous(kind: str, constraints: Mapping[str, Any], extra: Mapping[str, Any]) -> Continuous:
    ranged = kind == "number" and {"minimum", "maximum"} <= constraints.keys()
    if not ranged or "enum" in constraints or "precision" not in extra:
        raise Refusal(
            "A precision and a unit are those of a continuous column, and it is none.",
            "Make it a number with constraints.minimum, constraints.maximum and a precision, or "
            "take the two out.",
        )
    low, high = (_number(constraints[name], name) for name in ("minimum", "maximum"))
    precision = _number(extra["precision"], "precision")
    step = _number(extra["step"], "step") if "step" in extra else usual_width(low, high, precision)
    unit = _text(extra.get("unit", ""), "Its unit")
    return Continuous(minimum=low, maximum=high, precision=precision, step=step, unit=unit)


def usual_width(minimum: Decimal, maximum: Decimal, precision: Decimal) -> Decimal:
    """Return the width of the cells of a continuous range that names none: about as many as there
    are steps in a range of numbers, each of whole precisions."""
    usual = usual_step(minimum, maximum, whole=False)
    whole = (usual / precision).to_integral_value(ROUND_CEILING) if precision > 0 else Decimal(1)
    return without_trailing_zeros(max(whole, Decimal(1)) * precision)


def usual_step(minimum: Decimal, maximum: Decimal, whole: bool) -> Decimal:
    """Return the step of a range that names none: 1 for integers that fit, else a few round
    steps."""
    span = max(maximum - minimum, Decimal(0))
    if not span or (whole and span < MOST_STEPS):
        return Decimal(1)
    return round_number_from(span / _FEW_STEPS)


def _categories(found: Mapping[str, Any], constraints: Mapping[str, Any]) -> Categories:
    listed = [_category(entry) for entry in _list(found.get("categories", []), "Its categories")]
    values = [value for value, _ in listed]
    if "enum" in constraints:
        values = [_text(value, "A value") for value in _list(constraints["enum"], "Its values")]
    by_value = dict(listed)
    labels = [by_value.get(value, value) for value in values]
    return Categories(values=tuple(values), labels=tuple(labels) if labels != values else ())


def _category(entry: Any) -> tuple[str, str]:
    """Value and label of an entry of the list of categories."""
    if isinstance(entry, dict):
        value = _text(entry.get("value"), "A category")
        return value, _text(entry.get("label", value), "A label")
    return _text(entry, "A category"), _text(entry, "A category")


def _tokens(found: Any) -> tuple[str, ...]:
    texts = [
        _text(entry.get("value") if isinstance(entry, dict) else entry, "A missing value")
        for entry in _list(found, "Its missing values")
    ]
    return tuple(texts)


def _number(found: Any, what: str) -> Decimal:
    try:
        if isinstance(found, bool):
            raise TypeError
        number = Decimal(found)
    except (TypeError, ValueError, InvalidOperation):
        raise Refusal(f"Its {what} is not a number.", "Enter a plain number.") from None
    check_decimal(number, what)
    return number


def _text(found: Any, what: str) -> str:
    """Return a text, or the text of a number or truth value, as other tools write them."""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, int | Decimal):
        return str(found)
    if not isinstance(found, str):
        raise Refusal(f"{what} is not a text.", "Write it in quotation marks.")
    return found


def _list(found: Any, what: str) -> list[Any]:
    if not isinstance(found, list):
        raise Refusal(f"{what} are not a list.", "Write a list in square brackets.")
    return found


def named_settings(found: Any, what: str, known: set[str] | None = None) -> Mapping[str, Any]:
    """Return a set of named settings, with no name outside `known` where that is given."""
    if not isinstance(found, dict):
        raise Refusal(f"{what} are not a set of names and values.", "Write it in braces.")
    unknown = found.keys() - (known or found.keys())
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
    if not isinstance(constraints, dict) or _says_enough(found, constraints):
        return column_of(place, found, tokens)
    about: dict[str, Any] = {
        "name": found["name"],
        "title": _text(found.get("title", ""), "Its title"),
    }
    if "missingValues" in found:
        about["missing"] = _tokens(found["missingValues"])
    if isinstance(constraints.get("required"), bool):
        about["required"] = constraints["required"]
    return about


def _says_enough(found: Mapping[str, Any], constraints: Mapping[str, Any]) -> bool:
    """Return whether a field says what its column may contain."""
    listed = "enum" in constraints or "categories" in found or found.get("type") == "boolean"
    ranged = found.get("type") in _NUMERIC_TYPES and {"minimum", "maximum"} <= constraints.keys()
    return listed or ranged
