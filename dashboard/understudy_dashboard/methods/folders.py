"""Where what pages draw of a method is found: by its kind, and nothing else names it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import Final

import understudy_dashboard.methods as here

GROUP: Final = "understudy.pages"
"""Packages that are installed beside this one name the package of their pages under it."""


@cache
def module_of(kind: str, name: str) -> ModuleType | None:
    """Return a module of a method's folder; None where it has none of that name.

    Args:
        kind: of the method.
        name: of the module, such as "page".
    """
    installed = next(iter(entry_points(group=GROUP, name=kind)), None)
    own = f"{here.__name__}.{kind.replace('-', '_')}"
    folder = own if installed is None else installed.value
    try:
        there = find_spec(f"{folder}.{name}") is not None
    except ModuleNotFoundError:
        return None
    return import_module(f"{folder}.{name}") if there else None
