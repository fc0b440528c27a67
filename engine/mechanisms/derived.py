"""A table of fields from nothing but the declaration of a plan, for methods that bring none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from engine.core.validation import Frozen
from engine.mechanisms.fields import (
    Choice,
    Field,
    Flag,
    Group,
    Kind,
    Number,
    Place,
    Table,
    Whole,
    Words,
)
from engine.mechanisms.kinds import AsJson, OfColumns, Word
from engine.mechanisms.plan import MechanismPlan, NamesColumn
from engine.mechanisms.policies import POLICIES

DERIVED: Final = {"domain": "the fingerprint of the schema that the plan is made for"}
"""What of any plan nobody decides."""

GROUP: Final = Group("The settings", "Settings")


@cache
def derived(plan: type[MechanismPlan]) -> Table:
    """A field for each setting: its name as the label, its description as the help, its type as the
    kind. A plan within a plan gives a field for each of its own; what has no kind is written as in
    a plan file."""
    return Table(tuple(_fields(plan, "")), DERIVED)


def opening(plan: type[MechanismPlan], names: tuple[str, ...]) -> dict[str, Any]:
    """The settings that have no usual value and name columns: the first, each time.

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
    for name, each in plan.model_fields.items():
        path = f"{before}{name}"
        if path in DERIVED:
            continue
        inner = each.annotation
        if isinstance(inner, type) and issubclass(inner, Frozen):
            yield from _fields(inner, f"{path}.")
        elif path == POLICIES.name:
            yield replace(POLICIES, group=GROUP, option=None)
        else:
            yield _field(path, each, _kind(each))


def _field(path: str, each: FieldInfo, kind: Kind) -> Field:
    said = each.description or ""
    empty = _without_none(each.annotation)[1]
    return Field(
        name=path,
        words=Words(label=_labelled(path), meaning=said, help=said),
        kind=kind,
        group=GROUP,
        places=(Place(path, path),),
        told=not empty,
        may_be_empty=empty,
    )


def _labelled(path: str) -> str:
    """What a setting is called: “test.min_size” as “Test, min size”."""
    words = ", ".join(part.replace("_", " ") for part in path.split("."))
    return words[:1].upper() + words[1:]


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
    if get_origin(inner) is tuple and isinstance(_kind_of(get_args(inner)[0], []), OfColumns):
        return OfColumns(several=True)
    return _PLAIN.get(inner, AsJson())


_PLAIN: Final[dict[Any, Kind]] = {bool: Flag(), int: Whole(), float: Number(), str: Word()}


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """A type without None among its choices, and whether that was among them."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    left = tuple(each for each in get_args(annotation) if each is not NoneType)
    empty = len(left) < len(get_args(annotation))
    return (left[0] if len(left) == 1 else annotation), empty
