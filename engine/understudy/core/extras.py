"""Packages that Understudy works without, and the command that installs those of one extra."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires
from typing import Final

DISTRIBUTION: Final = "understudy-tables"
"""The name that an installer knows this program by. Indexes have another `understudy`, which
is not ours: no sentence tells anybody to install that."""


def suggest_install(extra: str) -> str:
    """Return the command that installs the packages of an extra.

    They are named themselves, so that the command is right however Understudy was installed.

    Args:
        extra: an extra of pyproject.toml, such as “cluster”.
    """
    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        declared = []
    parts = (each.partition(";") for each in declared)
    packages = [
        f"'{package.strip()}'" for package, _, marker in parts if f'extra == "{extra}"' in marker
    ]
    # Without what an installer writes down, there is only the checkout that it runs from.
    return f"pip install {' '.join(packages)}" if packages else f"pip install '.[{extra}]'"
