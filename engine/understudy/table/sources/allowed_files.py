"""Restricting which files of this machine may be opened to some folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from understudy.core.refusal import Refusal

FOLDERS = "UNDERSTUDY_FOLDERS"
"""The setting that names the folders, separated as on the system's path."""


def allowed_folders() -> tuple[Path, ...] | None:
    """Return the folders that the setting names; None where there is no such setting."""
    named = os.environ.get(FOLDERS)
    if named is None:
        return None
    return tuple(Path(each).expanduser() for each in named.split(os.pathsep) if each.strip())


def allowed_path(path: Path, folders: Sequence[Path] | None, *, field: str = "table") -> Path:
    """Return where a path leads in the end, links followed, if that may be opened.

    What lies elsewhere is answered the same whether it exists or not.

    Args:
        path: as typed; “~” is the home folder.
        folders: what may be opened lies below one of these; None for anywhere.
        field: the field of the refusal.

    Raises:
        Refusal: it leads out of the folders, or cannot be followed.
    """
    if folders is None:
        return path.expanduser()
    try:
        found = path.expanduser().resolve()
        roots = [folder.resolve() for folder in folders]
    except (OSError, RuntimeError, ValueError):
        raise _outside(field) from None
    if not any(found.is_relative_to(root) for root in roots):
        raise _outside(field)
    return found


def _outside(field: str) -> Refusal:
    return Refusal(
        "The path leads to a place that this server does not open files from.",
        "Choose a file below the folders that whoever runs the server has named, or upload it.",
        field=field,
    )
