"""A project on disk.

project.json    what it is called, whose it is, which tables it is about
state.json      everything decided so far; see state.py
plans/          plans kept under a name; see plans.py
runs/           its runs and rehearsals; see engine/understudy/runs/folder.py
packets/        what was made for a review board
ledger.json     what the ledger says of its runs, to read; see extract.py
table/          a copy of the confidential table, only where somebody asked; see table_copy.py

Only its owner may read its folder. Of the table itself it holds the decisions about it, and a keyed
fingerprint to recognise it by.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from understudy.core.files import make_private, replace_text
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen

VERSION = 1
LONGEST_NAME = 80

_ABOUT, _LOCK = "project.json", ".lock"


class ProjectAbout(Frozen, what="the description of the project"):
    """What a project is, for a list of projects.

    Attributes:
        name: what people call it.
        created: when, in UTC, as ISO 8601.
        owner: the key of the person whose it is; "" on a machine of one's own.
        sample: whether it is about a simulated sample; `called` says which.
        archived: whether it was put away.
        dataset: the id in the ledger of what it is about; None before its first run.
        called: the name that the dataset has, or will have, in the ledger; "" before a table.
        source: what the table was called when it was last opened, such as its file's name.
        connection: of a database, how it was reached last; never with a password in it.
        query: what was asked of that database.
        tables: keyed fingerprints of the tables that belong to it; see
        understudy/ledger/likeness.py.
    """

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    created: str
    owner: str = ""
    sample: bool = False
    archived: bool = False
    dataset: str | None = None
    called: str = ""
    source: str = ""
    connection: str = ""
    query: str = ""
    tables: tuple[str, ...] = ()

    @field_validator("name")
    @classmethod
    def _one_line(cls, name: str) -> str:
        return check_name(name)


@dataclass(frozen=True)
class Project:
    """The files and folders of one project."""

    path: Path

    @property
    def identity(self) -> str:
        """The name of its folder, which stays when the project is renamed."""
        return self.path.name

    @property
    def runs(self) -> Path:
        """Where the project's runs and rehearsals are."""
        return self.path / "runs"

    @property
    def packets(self) -> Path:
        """Where the project's packets are."""
        return self.path / "packets"

    @property
    def exists(self) -> bool:
        """Whether there is such a project."""
        return (self.path / _ABOUT).is_file()

    def about(self) -> ProjectAbout:
        """Return what the project is.

        Raises:
            Refusal: there is none, it cannot be read, or another version of the program wrote it.
        """
        return ProjectAbout.read(read_versioned(self.path / _ABOUT, self.path.name))

    def describe(self, about: ProjectAbout) -> None:
        """Write the description of the project.

        Raises:
            Refusal: the folder cannot be written.
        """
        write_versioned(self.path / _ABOUT, about.model_dump(mode="json"))

    def change(self, **settings: Any) -> ProjectAbout:
        """Change some of what the project is, whatever another page changes at the same time.

        Raises:
            Refusal: a setting cannot be used, or the folder cannot be read or written.
        """
        with self.lock():
            return self._write_changes(self.about(), settings)

    def recognise(self, fingerprint: str, source: str) -> ProjectAbout:
        """Record that a table belongs to it.

        Raises:
            Refusal: as `change`.
        """
        with self.lock():
            before = self.about()
            tables = tuple(dict.fromkeys((*before.tables, fingerprint)))
            return self._write_changes(before, {"tables": tables, "source": source})

    def _write_changes(self, before: ProjectAbout, settings: dict[str, Any]) -> ProjectAbout:
        """Put down what is other than before, while the project is held."""
        after = ProjectAbout(**(dict(before) | settings))
        if after != before:
            self.describe(after)
        return after

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the project against other processes that read and then write it.

        Raises:
            Refusal: there is no such project, or its folder cannot be written.
        """
        try:
            if self.path.is_dir():
                make_private(self.path)
            handle = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            raise refuse_unwritable(self.path) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def used(self) -> float:
        """Return when it was last opened or changed, in seconds since the epoch; 0 if there is
        none."""
        moments = [_time_of_touch(self.path / name) for name in (_ABOUT, "state.json", "runs")]
        return max(moments)

    def touch(self) -> None:
        """Count as used now."""
        try:
            os.utime(self.path / _ABOUT)
        except OSError:
            raise refuse_unwritable(self.path) from None


def check_name(name: str) -> str:
    """Return the name of a project, fit for a line.

    Raises:
        Refusal: there is nothing in it, or too much.
    """
    plain = " ".join("".join(each if each.isprintable() else " " for each in name).split())
    if not plain:
        raise Refusal(
            "The project has no name.", "Give it one, such as that of its table.", field="name"
        )
    if len(plain) > LONGEST_NAME:
        raise Refusal(
            f"The name of the project is longer than {LONGEST_NAME} characters.",
            "Give it a shorter one.",
            field="name",
        )
    return plain


def read_versioned(path: Path, project: str) -> dict[str, Any]:
    """Return the settings of a file of a project.

    Raises:
        Refusal: it cannot be read, is damaged, or is of another version.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        version = found.pop("version")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refusal(
            f"{path.name} of the project “{project}” cannot be read.",
            "Put the file back from a backup, or make a new project. What was spent stands in "
            "the ledger and is not lost.",
            field="project",
        ) from None
    if version != VERSION:
        raise Refusal(
            f"The project “{project}” was written by another version of the program.",
            "Open it with the newest version that it was used with.",
            field="project",
        )
    return dict(found)


def write_versioned(path: Path, settings: dict[str, Any]) -> None:
    """Write a file of a project whole: a reader sees the old one or the new one.

    Raises:
        Refusal: it cannot be written.
    """
    text = json.dumps({"version": VERSION, **settings}, ensure_ascii=False, indent=1)
    try:
        replace_text(path, text + "\n")
    except OSError:
        raise refuse_unwritable(path.parent) from None


def refuse_unwritable(folder: Path) -> Refusal:
    """Return the refusal of a folder that cannot be written."""
    return Refusal(
        f"The folder of the project, {folder}, cannot be written.",
        "Check that it is there and yours, and that the disk is not full. The last change is not "
        "kept.",
        field="project",
    )


def _time_of_touch(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
