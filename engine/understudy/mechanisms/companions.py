"""Companions of a method: modules of its folder, found by their names; its options.

A room that is above the methods names the module that it looks for; a method that has more to show
there than any other has one. Nothing here depends on numerical libraries, so the command line can
ask before it knows what is wanted.

A method whose plans can be typed has a module `options` in its folder with an object `OPTIONS`.
Nothing here depends on numerical libraries: the command line asks before it knows what is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import understudy.mechanisms as here
from understudy.mechanisms.fields import FieldTable, Values

if TYPE_CHECKING:
    from understudy.mechanisms.mechanism import Mechanism
    from understudy.mechanisms.plan import MechanismPlan
    from understudy.table.schema import Schema

UNTAGGED: Final = "seedbased"
"""The method of a plan that does not say of which it is: the first there was."""


def companion(mechanism: Mechanism, name: str) -> ModuleType | None:
    """Return a module of the package that a method is in; None where it has none of that name.

    Args:
        mechanism: the method.
        name: of the module, within the package, such as "report.papers".
    """
    package = type(mechanism).__module__.rpartition(".")[0]
    return _import_if_there(f"{package}.{name}") if package else None


def call_companion(mechanism: Mechanism, module: str, function: str, *arguments: Any) -> Any:
    """Call a function of a module that a method brings; return None if it does not bring it.

    Args:
        mechanism: the method.
        module: within its package, such as “expected_utility”.
        function: of the module, such as “suits”.
        arguments: of the function.
    """
    found = getattr(companion(mechanism, module), function, None)
    return None if found is None else found(*arguments)


@cache
def _import_if_there(name: str) -> ModuleType | None:
    try:
        there = find_spec(name) is not None
    except ModuleNotFoundError:
        return None
    return import_module(name) if there else None


def of(kind: str, module: str, name: str) -> Any:
    """Return the object of a name in a module of one method of this program; both have to be there.

    Args:
        kind: of the method.
        module: within its folder, such as “options”.
        name: of the object in it, such as “OPTIONS”.
    """
    return getattr(import_module(f"{here.__name__}.{kind}.{module}"), name)


def own(module: str, name: str) -> Iterator[Any]:
    """Yield the object of a name in the module of a name, of each method of this program that has
    it.

    Args:
        module: within the method's folder, such as “reproduction”; a file or a package.
        name: of the object in it, such as “REPRODUCTIONS”.
    """
    for each in iter_modules(here.__path__):
        place = f"{here.__name__}.{each.name}.{module}"
        if each.ispkg and find_spec(place) is not None:
            yield getattr(import_module(place), name)


def load_from_folders(package: ModuleType, name: str) -> Iterator[Any]:
    """Yield the object of a name of every folder in a package.

    Args:
        package: a room with a folder for each method, such as `understudy.studies`.
        name: of the object in the folder's `__init__`, such as “REPRODUCTIONS”.
    """
    for each in iter_modules(package.__path__):
        if each.ispkg:
            yield getattr(import_module(f"{package.__name__}.{each.name}"), name)


def load_installed(group: str) -> Iterator[tuple[str, Any]]:
    """Yield names and objects that installed packages name under an entry point."""
    for point in entry_points(group=group):
        yield point.name, point.load()


@dataclass(frozen=True)
class PlanOptions:
    """The options of a method, and the plan that they make.

    Attributes:
        fields: its settings; those with an option can be typed.
        plan_of: makes a plan for a schema from the values that were typed, by the names of their
            fields; raises `Refusal` where one cannot be read, is out of range, or does not fit
            the schema.
        questions: what its planner asks, from which it proposes all settings.
        propose_plan: makes the plan that the planner proposes for a schema, from values by the
            names of the questions, with the settings of `kept` beside them; raises `Refusal` as
            `plan_of`, and if no plan keeps to what may be spent.
        kept: the settings that the planner takes over as they are.
    """

    fields: FieldTable
    plan_of: Callable[[Values, Schema], MechanismPlan]
    questions: FieldTable
    propose_plan: Callable[[Values, Schema], MechanismPlan]
    kept: tuple[str, ...] = ()
