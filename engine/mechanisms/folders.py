"""What the methods bring: one object in a module of a given name, from each folder of this package
that has one, and what installed packages name under an entry point.

Nothing here depends on numerical libraries, so the command line can ask before it knows what is
wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import engine.mechanisms as here


def own(module: str, name: str) -> Iterator[Any]:
    """The object of a name in the module of a name, of each method of this program that has it.

    Args:
        module: within the method's folder, such as “reproduction”; a file or a package.
        name: of the object in it, such as “REPRODUCTIONS”.
    """
    for each in iter_modules(here.__path__):
        place = f"{here.__name__}.{each.name}.{module}"
        if each.ispkg and find_spec(place) is not None:
            yield getattr(import_module(place), name)


def installed(group: str) -> Iterator[tuple[str, Any]]:
    """Names and objects that installed packages name under an entry point."""
    for point in entry_points(group=group):
        yield point.name, point.load()
