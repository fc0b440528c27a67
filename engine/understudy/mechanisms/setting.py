"""One declaration a setting: on the plan, where it stands with its type, its range and its default;
and the table of fields that follows from the declarations of a plan.

All that shows a setting is made from what is said here: the help of `understudy method METHOD`, the
form on the page, the line of a report, the comparison of plans and the JSON Schema of statements.

A setting of which nothing is said, as in the plan of another package, is called by its name, and
described as under “Attributes” of its plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import pydantic
from pydantic.fields import FieldInfo

from understudy.core.validation import Frozen
from understudy.mechanisms.fields import (
    POLICIES,
    Field,
    FieldGroup,
    FieldTable,
    Place,
    Values,
    Words,
    always,
    holds,
)
from understudy.mechanisms.kinds import (
    AsJson,
    Choice,
    Flag,
    GroupsOfColumns,
    Kind,
    Number,
    OfColumns,
    OnOthers,
    PerColumn,
    Whole,
    Word,
    plainly,
)
from understudy.mechanisms.plan import MechanismPlan, NamesColumn

COST: Final = FieldGroup("What it may cost", "The promise")
MADE: Final = FieldGroup("What is made", "The release")
MODEL: Final = FieldGroup("The model", "The model")
OTHERS: Final = FieldGroup("The settings", "Settings")


@dataclass(frozen=True)
class DeclaredSetting:
    """How a setting is shown, apart from what its type, range and default tell.

    Attributes:
        words: what is said of it.
        group: where it stands.
        after: the setting that it follows in a form, where that is not the one declared before it.
        kind: its values, where a form shows them otherwise than their type alone would have it.
        stands, applies, only_where_used, unit, none, told, may_be_empty, paid: as of
            `understudy.mechanisms.fields.Field`; None of these follows from the type.
    """

    words: Words
    group: FieldGroup = OTHERS
    after: str = ""
    kind: Kind | None = None
    unit: str = "number"
    stands: Literal["open", "folded", "elsewhere"] = "open"
    applies: Callable[[Values], bool] = always
    only_where_used: bool = False
    none: str = "none"
    told: bool | None = None
    may_be_empty: bool | None = None
    paid: bool = False

    def __call__(self, schema: dict[str, Any]) -> None:
        """Leave the JSON Schema of the setting as it is: the declaration is kept where the
        validation library keeps what is said of a schema."""


_HELD_TO: Final = frozenset({"ge", "gt", "le", "lt", "min_length", "allow_inf_nan"})


def declare_setting(
    default: Any,
    label: str,
    description: str,
    *,
    sign: str = "",
    help: str = "",
    **said: Any,
) -> Any:
    """Return the declaration of a setting, to be assigned in the body of a plan.

    Args:
        default: its value where nobody chooses one; `...` where somebody has to.
        label: what it is called.
        description: what it does, in a sentence or a few, for forms, reports and the JSON Schema.
        sign: the letter that stands for it in formulas.
        help: what a form says of it instead of the description.
        said: between which values it lies (`ge`, `gt`, `le`, `lt`, `min_length`, `allow_inf_nan`),
            and what else `DeclaredSetting` has.
    """
    words = Words(label=label, meaning=description, help=help or description, sign=sign)
    limits = {name: each for name, each in said.items() if name in _HELD_TO}
    shown = {name: each for name, each in said.items() if name not in _HELD_TO}
    return pydantic.Field(
        default,
        description=description,
        json_schema_extra=DeclaredSetting(words, **shown),
        **limits,
    )


DERIVED: Final = {"domain": "the fingerprint of the schema that the plan is made for"}
"""What of any plan nobody decides."""


@cache
def derive_fields(plan: type[MechanismPlan]) -> FieldTable:
    """Return a field for each setting, in the order of a form: by the groups of the plan, and as
    they are declared.

    A plan within a plan gives a field for each of its own; one of several gives a choice of them,
    and the fields of each; what has no kind is written as in a plan file.
    """
    declared = list(_list_fields(plan, "", None))
    order = {group: place for place, group in enumerate(plan.form_groups)}
    found = sorted(
        (each for each, _ in declared), key=lambda each: order.get(each.group, len(order))
    )
    for each, after in declared:
        before = next((one for one in found if one.name == after), None)
        if before is not None:
            found.remove(each)
            found.insert(found.index(before) + 1, each)
    return FieldTable(tuple(found), DERIVED)


def complete_table(table: FieldTable, plan: type[MechanismPlan]) -> FieldTable:
    """Return a table with what it leaves to the declaration of the plan: what may be written for
    each setting and what it usually is, and every setting that the table does not have, at the end
    of its group.

    Args:
        table: the fields that a method describes by itself.
        plan: of the method.
    """
    derived = derive_fields(plan)
    places = {place.path: place for each in derived for place in each.places}
    fields = [
        replace(each, places=tuple(_complete(each, at, places.get(at.path)) for at in each.places))
        for each in table
    ]
    for each in derived:
        if all(table.at(at.path) is None for at in each.places):
            same = [place for place, other in enumerate(fields) if other.group == each.group]
            fields.insert(same[-1] + 1 if same else len(fields), each)
    return FieldTable(tuple(fields), table.derived)


def _complete(each: Field, place: Place, declared: Place | None) -> Place:
    """Return a place of a field with what the declaration says of it; what that writes in JSON, as
    the kind of the field has it."""
    alone = len(each.places) == 1
    noun = _name_values(each.kind, each.unit) if alone else ""
    if declared is None:
        return replace(place, taken=noun)
    plain = declared.taken in (AsJson().noun, Word().noun)
    return replace(
        place,
        taken=noun if plain and alone else declared.taken.replace(each.kind.noun, noun, alone),
        default=each.none if declared.default == _NONE else declared.default,
    )


_NONE: Final = "none"


def choose_columns(plan: type[MechanismPlan], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that have no usual value and name columns: the first, each time.

    Args:
        plan: of the method.
        names: the columns of the table.
    """
    needed = ((name, each) for name, each in plan.model_fields.items() if each.is_required())
    found = {}
    for name, each in needed:
        kind = _find_kind(each)
        if isinstance(kind, OfColumns):
            found[name] = list(names[:1]) if kind.several else names[0]
    return found


def _list_fields(
    plan: type[Frozen], before: str, usual: Frozen | None
) -> Iterator[tuple[Field, str]]:
    """Yield the field of each setting, and the name of the one that it follows in a form, or "".

    Args:
        plan: that has the settings.
        before: what their dotted names begin with.
        usual: the plan whose values are the defaults; None for those that are declared.
    """
    said = _describe_attributes(plan)
    for name, each in plan.model_fields.items():
        path = f"{before}{name}"
        if path in DERIVED:
            continue
        inner, within = each.annotation, _find_plans(each.annotation)
        default = _read_default(each) if usual is None else getattr(usual, name, ...)
        if isinstance(inner, type) and issubclass(inner, Frozen):
            yield from _list_fields(
                inner, f"{path}.", default if isinstance(default, inner) else None
            )
        elif isinstance(each.discriminator, str) and within:
            shown = _read_declaration(path, each, said.get(name, ""))
            for found in _list_alternatives(within, each.discriminator, path, default, shown):
                yield found, shown.after
        elif path == POLICIES.name:
            yield replace(POLICIES, group=OTHERS, option=None, places=_POLICIES), ""
        else:
            shown = _read_declaration(path, each, said.get(name, ""))
            yield _make_field(path, each, shown, default), shown.after


_POLICIES: Final = (
    Place(
        POLICIES.name,
        POLICIES.name,
        taken='refuse, missing or clip by column, such as {"A": "missing"}',
        default="refuse",
    ),
)


def _read_default(each: FieldInfo) -> Any:
    """Return what a setting is where nobody chooses; `...` where somebody has to."""
    return ... if each.is_required() else each.get_default(call_default_factory=True)


def _read_declaration(path: str, each: FieldInfo, said: str) -> DeclaredSetting:
    """Return how a setting is shown; where nothing is declared, by its name and what is said under
    “Attributes”."""
    declared = each.json_schema_extra
    if isinstance(declared, DeclaredSetting):
        return declared
    said = each.description or said
    return DeclaredSetting(Words(label=_make_label(path), meaning=said, help=said))


def _list_alternatives(
    plans: tuple[type[Frozen], ...], told_by: str, path: str, default: Any, shown: DeclaredSetting
) -> Iterator[Field]:
    """Yield which of several plans it is, and their settings, each while a plan that has it is
    chosen."""
    chosen = f"{path}.{told_by}"
    names = {each: get_args(each.model_fields[told_by].annotation)[0] for each in plans}
    kind = shown.kind or Choice({name: str(name).replace("-", " ") for name in names.values()})
    usual = getattr(default, told_by, "")
    yield Field(
        name=chosen,
        words=shown.words,
        kind=kind,
        group=shown.group,
        places=_make_places(chosen, kind.noun, usual),
        stands=shown.stands,
        told=True,
    )
    having: dict[str, tuple[Field, set[Any]]] = {}
    for plan, name in names.items():
        for field, _ in _list_fields(
            plan, f"{path}.", default if isinstance(default, plan) else None
        ):
            if field.name != chosen:
                having.setdefault(field.name, (field, set()))[1].add(name)
    for field, among in having.values():
        yield replace(
            field, group=shown.group, applies=holds(chosen, *sorted(among)), only_where_used=True
        )


def _find_plans(annotation: Any) -> tuple[type[Frozen], ...]:
    """Return the plans that a type chooses among; none where it is no such choice."""
    found = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()
    plans = all(isinstance(each, type) and issubclass(each, Frozen) for each in found)
    return found if plans else ()


def _make_field(path: str, each: FieldInfo, shown: DeclaredSetting, default: Any) -> Field:
    empty = _without_none(each.annotation)[1]
    found = Field(
        name=path,
        words=shown.words,
        kind=shown.kind or _find_kind(each),
        group=shown.group,
        places=(Place(path, path),),
        unit=shown.unit,
        stands=shown.stands,
        applies=shown.applies,
        none=shown.none,
        usual=None if default is ... or empty else default,
        told=not empty if shown.told is None else shown.told,
        only_where_used=shown.only_where_used,
        may_be_empty=empty if shown.may_be_empty is None else shown.may_be_empty,
        paid=shown.paid,
    )
    named = _find_kind(each)
    if isinstance(named, Choice) and isinstance(found.kind, Choice):
        assert found.kind.words.keys() == named.words.keys(), (
            f"{path} has other words than its type"
        )
    taken = " ".join(filter(None, (_name_values(found.kind, found.unit), describe_limits(each))))
    usual = "" if default is ... else _write_default(found, default)
    return replace(found, places=_make_places(path, taken, usual))


def _write_default(each: Field, value: Any) -> str:
    """Return a default as it is written, or what it means that there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return json.dumps(value) if isinstance(value, bool) else each.show(value)
    return value if isinstance(value, str) else plainly(value)


def _name_values(kind: Kind, unit: str) -> str:
    """Return what is written for a setting, such as “a whole number of rows”."""
    counted = isinstance(kind, Whole | Number) and unit.endswith("s")
    return f"{kind.noun} of {unit}" if counted else kind.noun


def _make_places(path: str, taken: str, default: str) -> tuple[Place, ...]:
    return (Place(path, path, taken=taken, default=default),)


def describe_limits(each: FieldInfo) -> str:
    """Return between which numbers a setting lies, in a phrase such as “from 1 to 9”; "" where its
    type does not say so."""
    ends: dict[str, str] = {}
    for mark in _list_marks(each.annotation, each.metadata):
        for name in ("ge", "gt", "le", "lt"):
            if hasattr(mark, name) and abs(getattr(mark, name)) < _ENDLESS:
                ends[name] = plainly(_drop_point(getattr(mark, name)))
    match ends:
        case {"ge": low, "le": high}:
            return f"from {low} to {high}"
        case {"ge": low, "lt": high}:
            return f"from {low} to less than {high}"
        case {"gt": low, "le": high}:
            return f"above {low}, up to {high}"
        case {"gt": low, "lt": high}:
            return f"above {low} and below {high}"
        case {"ge": low}:
            return f"of {low} or more"
    return ""


_ENDLESS: Final = 10**15


def _drop_point(value: float) -> float:
    """Return a whole number as such."""
    return int(value) if value == int(value) else value


def _list_marks(annotation: Any, marks: list[Any]) -> Iterator[Any]:
    """Yield what a type is marked with, in whichever of its alternatives."""
    yield from marks
    if get_origin(annotation) in (Union, UnionType, Annotated):
        first, *others = get_args(annotation)
        yield from _list_marks(first, [])
        for each in others:
            yield from (
                _list_marks(each, [])
                if get_origin(annotation) is not Annotated
                else _unpack_mark(each)
            )


def _unpack_mark(mark: Any) -> Iterator[Any]:
    """Yield a mark, or those that a declaration within a type holds."""
    yield from mark.metadata if isinstance(mark, FieldInfo) else [mark]


def _describe_attributes(plan: type[Frozen]) -> dict[str, str]:
    """Return what the description of a plan says of its settings, as sentences."""
    found = read_attributes(getdoc(plan) or "")
    return {name: text[:1].upper() + text[1:] for name, text in found.items()}


def read_attributes(docstring: str) -> dict[str, str]:
    """Return what stands under “Attributes” of a docstring, by name."""
    _, _, listed = docstring.partition("Attributes:\n")
    found: dict[str, str] = {}
    for names, said in _ATTRIBUTE.findall(listed.split("\n\n")[0]):
        found |= dict.fromkeys(names.split(", "), " ".join(said.split()))
    return found


_ATTRIBUTE: Final = re.compile(r"^ {4}(\w+(?:, \w+)*): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def _make_label(path: str) -> str:
    """Return what a setting is called: “test.min_size” as “Test, min size”, “epsilon0” as “ε0”."""
    words = in_letters(", ".join(path.split(".")))
    if words[:1] in _GREEK.values():
        return words
    return words[:1].upper() + words[1:]


def in_letters(name: str) -> str:
    """Return a name in words, Greek letters as such: “epsilon0” as “ε0”, “min_size” as “min
    size”."""
    words = name.replace("_", " ")
    for called, letter in _GREEK.items():
        words = re.sub(rf"\b{called}(?=\d*\b)", letter, words)
    return words


_GREEK: Final = {
    "alpha": "α", "epsilon": "ε", "delta": "δ", "gamma": "γ", "omega": "ω", "rho": "ρ",
    "sigma": "σ", "mu": "μ",
}  # fmt: skip


def _find_kind(each: FieldInfo) -> Kind:
    inner, _ = _without_none(each.annotation)
    return _match_kind(inner, each.metadata)


def _match_kind(inner: Any, marks: list[Any]) -> Kind:
    if get_origin(inner) is Annotated:
        inner, *more = get_args(inner)
        marks = [*marks, *more]
    if any(isinstance(mark, NamesColumn) for mark in marks):
        return OfColumns()
    if get_origin(inner) is Literal:
        return Choice({each: str(each).replace("-", " ") for each in get_args(inner)})
    if get_origin(inner) is tuple:
        return _make_several(_match_kind(get_args(inner)[0], []))
    if get_origin(inner) in (dict, Mapping):
        by, each = (_match_kind(one, []) for one in get_args(inner))
        return _match_by_column(each) if by == OfColumns() else AsJson()
    return _PLAIN.get(inner, AsJson())


def _make_several(each: Kind) -> Kind:
    """Return the kind of any number of values of a kind."""
    if not isinstance(each, OfColumns):
        return AsJson()
    return GroupsOfColumns() if each.several else OfColumns(several=True)


def _match_by_column(each: Kind) -> Kind:
    """Return the kind of values of a kind by the names of columns."""
    if each == OfColumns(several=True):
        return OnOthers()
    return PerColumn() if each == Number() else AsJson()


_PLAIN: Final[dict[Any, Kind]] = {bool: Flag(), int: Whole(), float: Number(), str: Word()}


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """Return a type without None among its choices, and whether that was among them."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    left = tuple(each for each in get_args(annotation) if each is not NoneType)
    empty = len(left) < len(get_args(annotation))
    return (left[0] if len(left) == 1 else annotation), empty
