"""Handing a release over: moving it, exactly once and whole, into the folder that was asked for.

For every run of a command, a note beside the ledger says where the run is and where its release is
to go. The note is there from before the debit until the release is in place. So after any kill, a
release that was paid for is found again, and one that was moved in part is moved in full by the
next process that looks. The folder that it is to go to is locked meanwhile, and from before it is
looked at, so that no two commands pay for one place.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from understudy.core.files import hash_file, sync_folder
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.ledger.store import LockedNotes
from understudy.runs.checkpoint import discard
from understudy.runs.folder import RunFolder

_PATIENCE = 5.0
_SWEPT_WITHIN = 0.5
"""Seconds within which a sweeper is done with a note that it looks at."""


@dataclass(frozen=True)
class Handover:
    """A run, and the folder that its release is to go to.

    Attributes:
        run: its folder.
        wanted: the folder that its release is to go to.
        passing: the folder around the run's, which is there for this run only; None for a run
            that is kept where it is.
    """

    run: RunFolder
    wanted: Path
    passing: Path | None

    @property
    def there(self) -> tuple[bool, ...]:
        """For each released file, whether it is in the folder that was asked for, byte for byte."""
        return tuple(_same(each, self.wanted / each.name) for each in self._files)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the released files, without their suffixes."""
        return tuple(each.stem for each in self._files)

    @property
    def _files(self) -> tuple[Path, ...]:
        """The released files, the statement first."""
        first, release = self.run.guarantee, self.run.release
        others = sorted(release.iterdir()) if release.exists() else []
        return first, *(each for each in others if each != first)

    @property
    def _staged(self) -> Path:
        return self.wanted.parent / f".{self.wanted.name}.{self.run.identity}.part"

    def hand_over(self) -> None:
        """Put the release where it is wanted: at once where that folder is not there yet. Into one
        that is there, the statement goes first, and what a kill keeps from following it, follows
        when somebody looks next. What is there already, to the last byte, stays.

        Raises:
            OSError: it cannot be put there; what was put there by this call is taken away again.
        """
        shutil.rmtree(self._staged, ignore_errors=True)
        self._staged.mkdir(parents=True)
        try:
            for each in self._files:
                self._stage(each)
            sync_folder(self._staged)
            if not self._put_whole():
                self._put_each()
        finally:
            shutil.rmtree(self._staged, ignore_errors=True)

    def finish(self) -> None:
        """Delete what was needed for the handing over only."""
        shutil.rmtree(self._staged, ignore_errors=True)
        if self.passing is not None:
            discard(self.run)
            discard(self.run.hidden)
            with suppress(OSError):
                self.passing.rmdir()

    def _stage(self, file: Path) -> None:
        """Have a file of the release beside its place: the same one, where the run goes."""
        staged = self._staged / file.name
        if self.passing is not None:
            with suppress(OSError):
                os.link(file, staged)
                return
        shutil.copyfile(file, staged)
        with staged.open("rb") as copy:
            os.fsync(copy.fileno())

    def _put_whole(self) -> bool:
        """Give the staged folder its name at once, if nothing has it yet; and whether that is so.

        Raises:
            OSError: it cannot be given.
        """
        if self.wanted.exists():
            return False
        try:
            self._staged.rename(self.wanted)
        except OSError:
            if self.wanted.exists():
                return False
            raise
        sync_folder(self.wanted.parent)
        return True

    def _put_each(self) -> None:
        put: list[Path] = []
        try:
            for file, is_there in zip(self._files, self.there, strict=True):
                if not is_there:
                    _put(self._staged / file.name, self.wanted / file.name)
                    put.append(self.wanted / file.name)
            sync_folder(self.wanted)
        except OSError:
            for each in put:
                each.unlink(missing_ok=True)
            raise


class Handovers:
    """The releases of a ledger's runs that were not handed over yet.

    Args:
        ledger: where the runs are debited.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._notes = LockedNotes(ledger.path.with_suffix(".handover"))
        self._folders = LockedNotes(ledger.path.with_suffix(".wanted"))

    @contextmanager
    def lock_folder(self, wanted: Path) -> Iterator[None]:
        """Keep other commands from making a release for a folder, or handing one over to it.

        Raises:
            Refusal: another command is at it, or it cannot be locked.
        """
        place = os.fsencode(wanted.resolve())
        name = hashlib.sha256(place).hexdigest()
        with ExitStack() as stack:
            try:
                stack.enter_context(self._folders.claim(name, place, _SWEPT_WITHIN))
            except BlockingIOError:
                raise Refusal(
                    f"Another command is making a release for {wanted}, or handing one over.",
                    "Wait until it has ended. For another run, which is a new spend, choose "
                    "another folder for --out. This command spent nothing.",
                    field="out",
                ) from None
            try:
                yield
            finally:
                self._folders.forget(name)

    @contextmanager
    def hold(self, handover: Handover) -> Iterator[None]:
        """Note where a run is and where it is wanted, and keep others from handing it over.

        Raises:
            Refusal: somebody else is at it, or it cannot be noted.
        """
        name = handover.run.identity
        passing = handover.passing
        said = {
            "run": str(handover.run.path.absolute()),
            "wanted": str(handover.wanted.absolute()),
            "passing": None if passing is None else str(passing.absolute()),
        }
        text = json.dumps(said).encode()
        try:
            with self._notes.claim(name, text, _PATIENCE):
                yield
        except BlockingIOError:
            raise Refusal(
                f"Another command is at the run “{name}”.",
                "Wait until it has ended, then ask again.",
                field="resume",
            ) from None

    def forget(self, run: str) -> None:
        """Delete the note of a run whose release is in place, or that released nothing."""
        self._notes.forget(run)

    def of(self, run: str) -> Handover | None:
        """Return where a run is that was not handed over yet; None if there is no such run."""
        return _read(self._notes.read(run))

    def waiting(self) -> tuple[Handover, ...]:
        """Return every run that was not handed over yet."""
        return tuple(found for name in self._notes.names() if (found := self.of(name)))

    def tidy(self) -> None:
        """Finish what a command that was killed had begun: put the second half of a release beside
        the first, and take away what was handed over, or has nothing left to hand over.

        What was paid for and is not where it is wanted is left alone, and so is a run that has a
        process, or that somebody is handing over.
        """
        for name in self._notes.names():
            # What cannot be done now, on a full disk for one, is left to the next who looks.
            with suppress(OSError, Refusal), self._notes.unheld(name) as found:
                if found is not None and self._is_settled(name, _read(found.text)):
                    self.forget(name)
        for name in self._folders.names():
            with suppress(OSError), self._folders.unheld(name) as found:
                if found is not None:
                    self._folders.forget(name)

    def _is_settled(self, name: str, handover: Handover | None) -> bool:
        """Return whether nothing is left to be done about a note."""
        if handover is None:
            return True
        with self._ledger.underway.orphan(name) as orphan:
            if orphan is None:
                return False
            paid = self._ledger.book().runs.get(name)
            if paid is not None and not (paid.ended and _idle(handover.run)):
                return False
            return _settle(handover, paid=paid is not None)


def _settle(handover: Handover, *, paid: bool) -> bool:
    """Finish with a run that has no process, if that can be; and whether it is finished with. A
    run that is kept is where it is looked for, wherever else its release was wanted."""
    run = handover.run
    if run.release.exists():
        there = handover.there
        if any(there) and not all(there):
            handover.hand_over()
        elif not all(there) and handover.passing is not None:
            return False
    elif (paid and (run.can_go_on or run.hidden.can_go_on)) or not _reachable(handover):
        return False
    handover.finish()
    return True


def _idle(run: RunFolder) -> bool:
    """Return whether nothing is done for a run any more; true where its folder is gone."""
    try:
        return run.progress().ended
    except Refusal:
        return True


def _reachable(handover: Handover) -> bool:
    """Return whether the place is there that the run is in: a disk may not be mounted."""
    return (handover.passing or handover.run.path).parent.exists()


def _read(text: bytes) -> Handover | None:
    try:
        said = json.loads(text)
        passing = said["passing"]
        return Handover(
            RunFolder(Path(said["run"])),
            Path(said["wanted"]),
            None if passing is None else Path(passing),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _put(staged: Path, place: Path) -> None:
    """Give a file its place, which nothing may be in.

    Raises:
        OSError: something is, or it cannot be put there.
    """
    try:
        os.link(staged, place)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no second name of a file.
        if place.exists():
            raise
        staged.rename(place)


def _same(file: Path, other: Path) -> bool:
    try:
        if file.stat().st_size != other.stat().st_size:
            return False
        if file.samefile(other):
            return True
        return hash_file(file) == hash_file(other)
    except OSError:
        return False
