"""A packet made by a process of its own, so that a page stays usable for a table of millions.

<place>/.shelf/making-<run>/  progress.json, and “packet” with the packet's name once it is there
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from understudy.core.files import keep_secret, make_private
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.shelf import SHELF
from understudy.report.verify import check_packet
from understudy.runs.control import home_ledger
from understudy.runs.folder import RunFolder
from understudy.runs.process import WorkKind, describe_disk_trouble, describe_failed, launch
from understudy.runs.work_folder import Progress, Watched

_KIND: Final = WorkKind("packet", "make the packet again", "Close other programs, then try again.")
_MADE: Final = "packet"


@dataclass(frozen=True)
class PacketMaking(Watched):
    """A packet in the making. While it is made, `Progress.message` says what is being done."""

    @property
    def made(self) -> str | None:
        """The name of the packet; None before it is there."""
        try:
            return self.read_text(_MADE)
        except OSError:
            return None

    def forget(self) -> None:
        """Take the folder away, once what it says was seen."""
        shutil.rmtree(self.path, ignore_errors=True)

    def report_vanished(self, progress: Progress) -> Progress:
        """Return how the making ended whose process is gone."""
        message = "The process that made the packet is gone. Nothing is lost: make it again."
        return replace(progress, state="failed", message=message)

    def unreadable(self) -> Refusal:
        """Return the refusal of a packet that is not being made."""
        return Refusal("No packet is being made of this run.", "Make one.")


def begin_packet(
    run: RunFolder, place: Path, cover: Cover, *, ledger: Ledger | None = None, pdf: bool = True
) -> PacketMaking:
    """Start a process that makes the packet of a run and checks it, and return at once.

    Where one is being made of this run already, that is returned. See `make_packet`.

    Raises:
        Refusal: no process or file could be made.
    """
    making = PacketMaking(place / SHELF / f"making-{run.identity}")
    try:
        with suppress(Refusal):
            if not making.progress().ended:
                return making
        making.forget()
        make_private(making.path.parent)
        making.path.mkdir(mode=0o700)
        making.report(Progress("starting", 2, started=time.time()))
        places = [run.path, place, (ledger or home_ledger()).path, making.path]
        launch("understudy.report.packet_process", places, (cover, pdf), making)
    except OSError as error:
        making.forget()
        raise Refusal(
            "The packet cannot be made.", describe_disk_trouble(error, _KIND, place)
        ) from None
    return making


def find_making(run: RunFolder, place: Path) -> PacketMaking | None:
    """Return the packet of a run that is being made, or of which the end was not seen yet."""
    making = PacketMaking(place / SHELF / f"making-{run.identity}")
    return making if (making.path / "progress.json").exists() else None


def main() -> int:
    """Read the title page, make the packet and check it, and leave how that ended."""
    keep_secret()
    run, place, ledger, folder = map(Path, sys.argv[1:])
    cover, pdf = pickle.load(sys.stdin.buffer)
    return make_and_check(
        RunFolder(run), place, cover, Ledger(ledger), PacketMaking(folder), pdf=pdf
    )


def make_and_check(
    run: RunFolder, place: Path, cover: Cover, ledger: Ledger, making: PacketMaking, *, pdf: bool
) -> int:
    """Make a packet and check it, and leave how that ended in a folder.

    Returns:
        The exit status.
    """
    progress = replace(making.read_progress(), state="evaluating", process=os.getpid())
    try:
        making.report(replace(progress, message="Writing its files"))
        packet = make_packet(run, place, cover, ledger=ledger, pdf=pdf)
        making.report(replace(progress, done=1, message="Checking it as the board can"))
        check_packet(packet)
        making.write_text(_MADE, packet.identity)
        making.report(replace(progress, state="finished", done=2))
    except Exception as error:
        with suppress(OSError):
            making.report(describe_failed(progress, error, _KIND, place))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
