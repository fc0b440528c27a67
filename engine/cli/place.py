"""The folder a release goes to, made sure of before the run and filled only at its end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.output import disk_refusal, refuse_taken
from engine.refusal import Refusal
from engine.runs.forms import TABLE

if TYPE_CHECKING:
    from engine.synthesis.plan import Plan
    from engine.table.schema import Schema

GUARANTEE = "guarantee.json"

_PROBE = bytes(1 << 16)
_ELSEWHERE = "Choose another folder for --out."


@dataclass(frozen=True)
class Place:
    """An output folder that can be written to.

    Attributes:
        folder: where the release goes.
        private: a folder beside it that nobody else may read, on the same file system.
    """

    folder: Path
    private: Path

    @property
    def guarantee(self) -> Path:
        """The statement of its guarantee."""
        return self.folder / GUARANTEE

    def keep_back(self, folder: Path) -> Path:
        """Move a folder out of the private one, which is removed at the end, and say where to.

        Raises:
            Refusal: it cannot be moved.
        """
        beside = self.private.parent
        try:
            left = Path(tempfile.mkdtemp(prefix=f".{self.folder.name}.", dir=beside))
            return folder.rename(left / folder.name)
        except OSError as error:
            raise disk_refusal(error, beside) from None

    def publish(self, table: Path, guarantee: Path) -> None:
        """Move the two files of a release into the folder, the statement first.

        Raises:
            Refusal: they cannot be moved; they are then kept beside the folder, as making
                them has been paid for.
        """
        try:
            check(self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            guarantee.rename(self.guarantee)
            try:
                table.rename(self.folder / table.name)
            except OSError:
                self.guarantee.rename(guarantee)
                raise
        except (OSError, Refusal):
            kept = Path(tempfile.mkdtemp(prefix=f"{self.folder.name}-", dir=self.private.parent))
            guarantee.rename(kept / GUARANTEE)
            table.rename(kept / table.name)
            raise Refusal(
                f"The release was made, but could not be put into {self.folder}.",
                f"It is in {kept}.",
            ) from None


def check(folder: Path) -> None:
    """Check that a release would not overwrite anything.

    Raises:
        Refusal: the place is taken.
    """
    if folder.exists() and not folder.is_dir():
        raise Refusal(f"{folder} is not a folder.", _ELSEWHERE, field="out")
    for name in (*TABLE.values(), GUARANTEE):
        refuse_taken(folder / name, _ELSEWHERE)


def table_in(folder: Path) -> Path:
    """The table of a release that was put into a folder."""
    return next(folder / name for name in TABLE.values() if (folder / name).exists())


@contextmanager
def reserved(folder: Path, needed: int) -> Iterator[Place]:
    """Make sure of an output folder; its private neighbour is removed at the end.

    Args:
        folder: where the release shall go; made if it is not there, and removed again if
            nothing was put into it.
        needed: how many bytes the release may come to.

    Raises:
        Refusal: the folder is taken, cannot be written to, or has too little room.
    """
    check(folder)
    folder = folder.absolute()
    made = _missing(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _private(folder) as private:
            for place in (folder, private):
                _probe(place)
            check_room(folder, needed, "choose another folder for --out")
            yield Place(folder, private)
    except OSError as error:
        raise disk_refusal(error, folder) from None
    finally:
        for each in made:
            with suppress(OSError):
                each.rmdir()


def _missing(folder: Path) -> list[Path]:
    """The folders that have to be made, innermost first."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


@contextmanager
def _private(folder: Path) -> Iterator[Path]:
    """A folder beside another. Not in it: what is left after a crash must not be handed on."""
    beside = folder.resolve().parent
    if beside.stat().st_dev != folder.stat().st_dev or not os.access(beside, os.W_OK | os.X_OK):
        raise Refusal(
            f"Nothing can be prepared beside {folder}.",
            f"Name a new folder inside it, such as {folder / 'release'}.",
            field="out",
        )
    private = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=beside))
    try:
        yield private
    finally:
        shutil.rmtree(private, ignore_errors=True)


def _probe(place: Path) -> None:
    """Write something, and take it away again."""
    with tempfile.TemporaryFile(dir=place) as file:
        file.write(_PROBE)
        file.flush()
        os.fsync(file.fileno())


def room(plan: Plan, schema: Schema) -> int:
    """The most bytes that the table of a plan can come to."""
    row = sum(max(len(text.encode()) for text in column.texts) + 3 for column in schema.columns)
    return row * plan.attempts


def check_room(place: Path, needed: int, elsewhere: str) -> None:
    """Check that a disk has room for a release, before anything is spent.

    Args:
        place: a folder on it, which need not be there yet.
        needed: how many bytes the release may come to.
        elsewhere: what takes it to another disk.

    Raises:
        Refusal: it has not.
    """
    there = next(each for each in (place, *place.parents) if each.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise Refusal(
            f"The release may come to {_size(needed)}, and the disk of {place} has "
            f"{_size(free)} left.",
            f"Free some space, make fewer attempts, or {elsewhere}.",
            field="out",
        )


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 10**8 else f"{count / 1e6:,.1f} MB"
