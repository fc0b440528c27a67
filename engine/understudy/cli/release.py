"""Following a run to its end, and putting what it released into the folder where it is wanted."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.cli.output import refuse_taken
from understudy.cli.runs import Display, watch
from understudy.cli.verb import CommandCancelled, Interruption
from understudy.core.files import is_full, refuse_disk_error, refuse_full_disk
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.runs.folder import RunFolder
    from understudy.runs.handover import Handover, Handovers
    from understudy.runs.work_folder import Progress

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
        raise refuse_disk_error(error, folder) from None
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


def follow_run(begin: Callable[[], RunFolder], handover: Handover, display: Display) -> RunFolder:
    """Begin a run, follow it, and hand its release over.

    Args:
        begin: starts or resumes it, or finds it under way or finished.
        handover: where it is, and where its release is wanted.
        display: shows how far it is.

    Raises:
        Cancelled: the user stopped it; nothing is released.
        Refusal: it was interrupted; nothing is released. It says how to go on.
        RunFailed: it failed; nothing is released.
    """
    from understudy.runs.control import home_ledger
    from understudy.runs.handover import Handovers
    from understudy.runs.work_folder import describe_failure

    waiting = Handovers(home_ledger())
    with waiting.hold(handover), Interruption() as interruption:
        run = _begin(begin, handover, waiting)
        ended = watch(run, display.progress, interruption)
        if run.release.is_dir():
            _hand_over(handover, waiting)
            if ended.message:
                display.note(ended.message)
            return run
        if run.can_go_on:
            raise _refuse_interrupted(handover, ended)
        handover.finish()
        waiting.forget(run.identity)
    if interruption.times:
        raise CommandCancelled("Cancelled. Nothing was released.")
    raise describe_failure(ended)


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """Keep other commands from paying for a release to a folder while this one does.

    Raises:
        Refusal: another command is at it.
    """
    from understudy.runs.control import home_ledger
    from understudy.runs.handover import Handovers

    with Handovers(home_ledger()).lock_folder(out):
        yield


def refuse_waiting(out: Path) -> None:
    """Check that no run is paid for of which the release is still to come to a folder.

    Raises:
        Refusal: there is one: another would be a second spend.
    """
    from understudy.runs.control import home_ledger
    from understudy.runs.debit import reconcile
    from understudy.runs.handover import Handovers

    ledger = home_ledger()
    reconcile(ledger)
    for each in Handovers(ledger).waiting():
        if each.wanted == out.resolve():
            raise Refusal(
                f"A run is paid for whose release is still to come to {out}: "
                f"“{each.run.identity}”.",
                f"To go on with it, which spends nothing further, run {resume_command(each)} "
                "For another run, which is a new spend, choose another folder for --out.",
                field="out",
            )


def resume_command(handover: Handover) -> str:
    """Return the command that goes on with a run, or hands its release over."""
    options = shlex.join(["--resume", str(handover.run.path), "--out", str(handover.wanted)])
    table = "" if handover.run.release.exists() else "TABLE "
    return f"`understudy synthesize {table}{options}`."


def _begin(begin: Callable[[], RunFolder], handover: Handover, waiting: Handovers) -> RunFolder:
    """Begin a run; the note of one that came to nothing is taken away.

    Raises:
        Refusal: as `begin`.
    """
    try:
        return begin()
    except Refusal as refusal:
        if not (handover.run.path.exists() or handover.run.hidden.path.exists()):
            handover.finish()
            waiting.forget(handover.run.identity)
        elif handover.run.can_go_on or handover.run.hidden.can_go_on:
            raise Refusal(
                refusal.problem,
                f"{refusal.remedy} To go on, which spends nothing further, run "
                f"{resume_command(handover)}",
                field=refusal.field,
            ) from None
        raise


def _hand_over(handover: Handover, waiting: Handovers) -> None:
    """Put a release where it is wanted, and take away what was there for that only.

    Raises:
        Refusal: it cannot be put there; it says where the release is, so that nobody pays twice.
    """
    from understudy.runs.control import home_ledger
    from understudy.runs.debit import reconcile

    try:
        # The end of a run whose process was killed as it published is put down while it is there.
        reconcile(home_ledger())
        if not any(handover.there):
            check_place(handover.wanted, handover.names)
        handover.hand_over()
    except (OSError, Refusal) as error:
        why = f"The release was made, but could not be put into {handover.wanted}."
        if is_full(error):
            why = f"The release was made. {refuse_full_disk(handover.wanted).problem}"
        again = shlex.join(["--resume", handover.run.identity, "--out"])
        raise Refusal(
            why,
            f"It is in {handover.run.release}. To hand it over, which spends nothing further, run "
            f"`understudy synthesize {again} FOLDER`.",
        ) from None
    handover.finish()
    waiting.forget(handover.run.identity)


def _refuse_interrupted(handover: Handover, ended: Progress) -> Refusal:
    """Return that a run stopped that can go on: why, and how."""
    problem, _, remedy = ended.message.partition(". ")
    return Refusal(
        f"{problem.rstrip('.')}.",
        f"{remedy} To go on, which spends nothing further, run {resume_command(handover)}".lstrip(),
    )
