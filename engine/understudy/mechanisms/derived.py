"""A table of fields from nothing but the declaration of a plan, for methods that bring none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from understudy.core.validation import Frozen
from understudy.mechanisms.fields import POLICIES, Field, Group, Place, Table, Values, Words
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
)
from understudy.mechanisms.plan import MechanismPlan, NamesColumn

DERIVED: Final = {"domain": "the fingerprint of the schema that the plan is made for"}
"""What of any plan nobody decides."""

GROUP: Final = Group("The settings", "Settings")


@cache
def derived_fields(plan: type[MechanismPlan]) -> Table:
    """Return a field for each setting: its name as the label, its description as the help (or what
    stands under “Attributes” where the plan is described), its type as the kind. A plan within a
    plan gives a field for each of its own; one of several gives a choice of them, and the fields of
    each; what has no kind is written as in a plan file."""
    return Table(tuple(_fields(plan, "")), DERIVED)


def default_columns(plan: type[MechanismPlan], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that have no usual value and name columns: the first, each time.

    Args:
        plan: of the method.
        names: the columns of the table.
    """
    needed = ((name, each) for name, each in plan.model_fields.items() if each.is_required())
    found = {}
    for name, each in needed:
        kind = _kind(each)
        if isinstance(kind, OfColumns):
            found[name] = list(names[:1]) if kind.several else names[0]
    return found


def _fields(plan: type[Frozen], before: str) -> Iterator[Field]:
    said = _attributes(plan)
    for name, each in plan.model_fields.items():
        path = f"{before}{name}"
        if path in DERIVED:
            continue
        inner, within = each.annotation, _plans(each.annotation)
        if isinstance(inner, type) and issubclass(inner, Frozen):
            yield from _fields(inner, f"{path}.")
        elif isinstance(each.discriminator, str) and within:
            yield from _either(within, each.discriminator, path, said.get(name, ""))
        elif path == POLICIES.name:
            yield replace(POLICIES, group=GROUP, option=None)
        else:
            yield _field(path, each, _kind(each), said.get(name, ""))


def _either(plans: tuple[type[Frozen], ...], told_by: str, path: str, said: str) -> Iterator[Field]:
    """Yield which of several plans it is, and their settings, each while a plan that has it is
    chosen."""
    chosen = f"{path}.{told_by}"
    names = {each: get_args(each.model_fields[told_by].annotation)[0] for each in plans}
    yield Field(
        name=chosen,
        words=Words(label=_labelled(path), meaning=said, help=said),
        kind=Choice({name: str(name).replace("-", " ") for name in names.values()}),
        group=GROUP,
        places=(Place(chosen, chosen),),
        told=True,
    )
    having: dict[str, tuple[Field, set[Any]]] = {}
    for plan, name in names.items():
        for field in _fields(plan, f"{path}."):
            if field.name != chosen:
                having.setdefault(field.name, (field, set()))[1].add(name)
    for field, among in having.values():
        yield replace(field, applies=_chosen(chosen, frozenset(among)), only_where_used=True)


def _chosen(name: str, among: frozenset[Any]) -> Callable[[Values], bool]:
    return lambda values: values.get(name) in among


def _plans(annotation: Any) -> tuple[type[Frozen], ...]:
    """Return the plans that a type chooses among; none where it is no such choice."""
    found = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()
    plans = all(isinstance(each, type) and issubclass(each, Frozen) for each in found)
    return found if plans else ()


def _field(path: str, each: FieldInfo, kind: Kind, said: str) -> Field:
    said = each.description or said
    empty = _without_none(each.annotation)[1]
    return Field(
        name=path,
        words=Words(label=_labelled(path), meaning=said, help=said),
        kind=kind,
        group=GROUP,
        places=(Place(path, path),),
        usual=None if each.is_required() or empty else each.get_default(call_default_factory=True),
        told=not empty,
        may_be_empty=empty,
    )


def _attributes(plan: type[Frozen]) -> dict[str, str]:
    """Return what the description of a plan says of its settings under “Attributes”."""
    _, _, listed = (getdoc(plan) or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    for names, said in _ATTRIBUTE.findall(listed.split("\n\n")[0]):
        text = " ".join(said.split())
        found |= {name.strip(): text[:1].upper() + text[1:] for name in names.split(",")}
    return found


_ATTRIBUTE: Final = re.compile(r"^ {4}(\w+(?:, \w+)*): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def _labelled(path: str) -> str:
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


def _kind(each: FieldInfo) -> Kind:
    inner, _ = _without_none(each.annotation)
    return _kind_of(inner, each.metadata)


def _kind_of(inner: Any, marks: list[Any]) -> Kind:
    if get_origin(inner) is Annotated:
        inner, *more = get_args(inner)
        marks = [*marks, *more]
    if any(isinstance(mark, NamesColumn) for mark in marks):
        return OfColumns()
    if get_origin(inner) is Literal:
        return Choice({each: str(each).replace("-", " ") for each in get_args(inner)})
    if get_origin(inner) is tuple:
        return _several(_kind_of(get_args(inner)[0], []))
    if get_origin(inner) in (dict, Mapping):
        by, each = (_kind_of(one, []) for one in get_args(inner))
        return _by_column(each) if by == OfColumns() else AsJson()
    return _PLAIN.get(inner, AsJson())


def _several(each: Kind) -> Kind:
    """Return the kind of any number of values of a kind."""
    if not isinstance(each, OfColumns):
        return AsJson()
    return GroupsOfColumns() if each.several else OfColumns(several=True)


def _by_column(each: Kind) -> Kind:
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
