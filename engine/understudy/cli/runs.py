"""Runs on the command line: which is meant by what was typed, and how it is watched."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from understudy.cli.verb import Interruption
from understudy.core.numerals import describe_duration
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible

if TYPE_CHECKING:
    from understudy.runs.folder import RunFolder
    from understudy.runs.work_folder import Progress, Watched

_LOOK_EVERY = 0.1
_LINE_EVERY = 5

_STAGES = {
    "starting": "starting",
    "splitting": "splitting the table",
    "learning": "learning the model",
    "attempting": "making candidates",
    "evaluating": "comparing with held-out records",
}


class Display:
    """Progress in words: one line kept up to date on a terminal, a line now and then elsewhere.

    Args:
        stream: where to; None shows nothing.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._live = stream is not None and stream.isatty()
        self._last: tuple[str, int, str] | None = None

    @classmethod
    def on_stderr(cls, quiet: bool) -> Display:
        """Return the display of a verb."""
        return cls(None if quiet else sys.stderr)

    def stage(self, words: str) -> None:
        """Show a stage of which nothing more is known."""
        self._write(words)

    def note(self, sentence: str) -> None:
        """Show something that is to stay."""
        self.close()
        if self._stream is not None:
            print(escape_invisible(sentence), file=self._stream, flush=True)

    def progress(self, progress: Progress) -> None:
        """Show how far a run or an inquiry is."""
        if progress.state not in _STAGES:
            return
        share = 100 * progress.done // progress.attempts // _LINE_EVERY
        step = (progress.state, share, progress.message)
        if self._live or step != self._last:
            self._last = step
            self._write(progress_line(progress))

    def close(self) -> None:
        """Wipe the line that was kept up to date."""
        if self._live and self._stream is not None:
            print("\r\x1b[K", end="", file=self._stream, flush=True)

    def _write(self, words: str) -> None:
        if self._stream is None:
            return
        words = escape_invisible(words)
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{words[:width]}", end="", file=self._stream, flush=True)
        else:
            print(words, file=self._stream, flush=True)


def progress_line(progress: Progress) -> str:
    """Return one line on how far a run is: the stage, the share done, the rate and the time left;
    or on how far an inquiry is: what it is at, and how many steps are done."""
    words = _STAGES[progress.state]
    if progress.state == "learning":
        step = progress.message
        return f"{words}: {step[:1].lower()}{step[1:]}" if step else words
    if progress.message:
        return f"{progress.message}  {progress.done} of {progress.attempts}"
    if progress.state != "attempting":
        return words
    words += f"  {100 * progress.done // progress.attempts} %"
    if progress.pace > 0:
        words += f"  {progress.pace:,.0f} a second"
    left = progress.seconds_left
    return words if left is None else f"{words}  {describe_duration(left)} left"


def watch(
    folder: Watched, show: Callable[[Progress], None], interruption: Interruption
) -> Progress:
    """Follow a run, or an inquiry into one, until it has ended, and return how.

    The first interruption asks it to stop at the next chunk, the second ends its process.
    """
    while not (progress := folder.progress()).ended:
        show(progress)
        if interruption.times:
            folder.cancel()
        if interruption.times > 1 and progress.process:
            with suppress(ProcessLookupError):
                os.kill(progress.process, signal.SIGTERM)
        time.sleep(_LOOK_EVERY)
    # A process found gone may have put down its end after the first look.
    return folder.progress() if progress.state == "failed" else progress


Run = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="The folder of a run, or the name of one in the home folder (default: the newest "
        "release there).",
    ),
]
"""What a verb about a run is given, or not; see `find_named_run`."""

_MOST_NAMED = 5
_MAKE_ONE = (
    "Make one from the pages of `understudy dashboard`, or with `understudy synthesize --keep`."
)


def find_named_run(name: str | None) -> RunFolder:
    """Return the run of a folder or of a name; without one, the newest release that has finished.

    Raises:
        Refusal: there is none.
    """
    from understudy.core.home import home
    from understudy.projects.catalogue import find_run, list_every_run

    if name is not None:
        found = find_run(name)
        if found is None:
            raise Refusal(f"There is no run “{name}”.", _choice())
        return found
    for each in list_every_run():
        # One that cannot be read is not meant.
        with suppress(Refusal):
            if each.about().purpose == "release" and each.progress().state == "finished":
                return each
    raise Refusal(f"No release has finished in {home()}.", _MAKE_ONE)


def _choice() -> str:
    """Return which runs there are to choose from."""
    from understudy.core.home import home
    from understudy.projects.catalogue import list_every_run

    names = [each.identity for each in list_every_run()][:_MOST_NAMED]
    if not names:
        return f"There are none in {home()}. {_MAKE_ONE}"
    return f"Name the folder of a run, or one of those in {home()}, such as {', '.join(names)}."
