"""The folder a release goes to, made sure of before the run and there only at its end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy.cli.output import refuse_taken
from understudy.core.files import disk_refusal
from understudy.core.refusal import Refusal

GUARANTEE = "guarantee.json"

_PROBE = bytes(1 << 16)
_ENDINGS = (".csv", ".parquet", ".json")
_ELSEWHERE = "Choose another folder for --out."


def check_place(folder: Path, names: Iterable[str]) -> None:
    """Check that a release would not overwrite anything.

    Args:
        folder: where it is wanted.
        names: of its outputs.

    Raises:
        Refusal: the place is taken.
    """
    if folder.exists() and not folder.is_dir():
        raise Refusal(f"{folder} is not a folder.", _ELSEWHERE, field="out")
    files = (f"{name}{ending}" for name in names for ending in _ENDINGS)
    for name in (*files, GUARANTEE):
        refuse_taken(folder / name, _ELSEWHERE)


def output_in(folder: Path, name: str) -> Path:
    """Return the file of an output of a release that was put into a folder."""
    files = (folder / f"{name}{ending}" for ending in _ENDINGS)
    return next(each for each in files if each.exists())


@contextmanager
def reserved_folder(folder: Path, names: Iterable[str], needed: int) -> Iterator[Path]:
    """Make sure of an output folder.

    Args:
        folder: where the release shall go. If it is not there, what it will stand in is made, and
            removed again if nothing was put into it; it appears with the release in it.
        names: of the outputs of the release.
        needed: how many bytes it may come to.

    Yields:
        The same, past every link.

    Raises:
        Refusal: the folder is taken, cannot be written to, or has too little room.
    """
    from understudy.runs.control import check_room

    check_place(folder, names)
    folder = folder.absolute()
    made = _missing(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        place = folder.resolve()
        _check_beside(folder, place)
        for each in (place, place.parent):
            if each.exists():
                _probe(each)
        check_room(folder, needed, "choose another folder for --out")
        yield place
    except OSError as error:
        raise disk_refusal(error, folder) from None
    finally:
        for each in made:
            with suppress(OSError):
                each.rmdir()


def _missing(folder: Path) -> list[Path]:
    """Return the folders that have to be made, innermost first."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


def name_passing(folder: Path, run: str) -> Path:
    """Return the folder beside an output folder that a run is made in which is kept nowhere else.
    Not in it: what is left after a crash must not be handed on.

    Args:
        folder: as `reserved_folder` yields it.
        run: the name of the run.
    """
    return folder.with_name(f".{folder.name}.{run}")


def _check_beside(folder: Path, place: Path) -> None:
    """Check that a run can be made beside a folder.

    Args:
        folder: as it was named.
        place: the same, past every link.

    Raises:
        Refusal: it cannot.
    """
    beside = place.parent
    apart = place.exists() and beside.stat().st_dev != place.stat().st_dev
    # Beside the root of all folders there is nothing.
    if apart or place == beside or not os.access(beside, os.W_OK | os.X_OK):
        raise Refusal(
            f"Nothing can be prepared beside {folder}.",
            f"Name a new folder inside it, such as {folder / 'release'}.",
            field="out",
        )


def _probe(place: Path) -> None:
    """Write something, and take it away again."""
    with tempfile.TemporaryFile(dir=place) as file:
        file.write(_PROBE)
        file.flush()
        os.fsync(file.fileno())
