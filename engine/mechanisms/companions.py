"""What a method brings for others beside itself: modules of its folder, found by their names.

A room that is above the methods names the module that it looks for; a method that has more to show
there than any other has one.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from engine.mechanisms.mechanism import Mechanism


def companion(mechanism: Mechanism, name: str) -> ModuleType | None:
    """A module of the package that a method is in; None where it has none of that name.

    Args:
        mechanism: the method.
        name: of the module, within the package, such as "report.papers".
    """
    package = type(mechanism).__module__.rpartition(".")[0]
    return _found(f"{package}.{name}") if package else None


@cache
def _found(name: str) -> ModuleType | None:
    try:
        there = find_spec(name) is not None
    except ModuleNotFoundError:
        return None
    return import_module(name) if there else None
