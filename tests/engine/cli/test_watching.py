"""Two commands with one folder for their releases: one pays, the other is refused before."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.cli.test_kills import World
from understudy.cli import main
from understudy.cli.runs import Display, progress_line, watch
from understudy.cli.verb import Interruption
from understudy.runs.control import home_ledger
from understudy.runs.debit import reconcile
from understudy.runs.handover import Handover, Handovers
from understudy.runs.work_folder import Progress

HALF = Progress("attempting", attempts=200_000, done=90_000, passed=31, pace=312_000.4)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Folder:
    """A run that reports what it is told to."""

    def __init__(self, *reports: Progress) -> None:
        self._reports: Iterator[Progress] = iter(reports)
        self.cancelled = 0

    def progress(self) -> Progress:
        return next(self._reports)

    def cancel(self) -> None:
        self.cancelled += 1


def test_a_line_says_stage_share_rate_and_time_left() -> None:
    assert (
        progress_line(replace(HALF, pace=1000.0))
        == "making candidates  45 %  1,000 a second  1 min 50 s left"
    )
    assert progress_line(replace(HALF, pace=0.0)) == "making candidates  45 %"
    learning = replace(HALF, state="learning")
    assert progress_line(learning) == "learning the model"
    assert progress_line(replace(learning, message="Counting")) == "learning the model: counting"


def test_a_line_on_an_inquiry_says_what_it_is_at() -> None:
    now = Progress("evaluating", attempts=34, done=16, message="Accuracy of prediction")
    assert progress_line(now) == "Accuracy of prediction  16 of 34"


def test_each_step_of_an_inquiry_has_a_line() -> None:
    stream = io.StringIO()
    display = Display(stream)
    for done, name in ((0, "one"), (0, "one"), (0, "two"), (1, "two"), (1, "three")):
        display.progress(Progress("evaluating", attempts=100, done=done, message=name))
    assert stream.getvalue().splitlines() == ["one  0 of 100", "two  0 of 100", "three  1 of 100"]


def test_how_many_passed_is_not_shown() -> None:
    assert "31" not in progress_line(HALF).replace("312,000", "")


def test_lines_elsewhere_come_now_and_then() -> None:
    stream = io.StringIO()
    display = Display(stream)
    for done in range(0, 200_001, 100):
        display.progress(replace(HALF, done=done))
    display.progress(replace(HALF, state="evaluating", done=200_000))
    display.progress(replace(HALF, state="finished"))
    display.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 22
    assert lines[-1] == "comparing with held-out records"
    assert "\r" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_a_terminal_has_one_line_kept_up_to_date() -> None:
    stream = Terminal()
    display = Display(stream)
    display.progress(HALF)
    display.progress(replace(HALF, done=100_000))
    display.note("The file is not UTF-8.")
    display.close()
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().count("\r\x1b[K") == 4
    assert stream.getvalue().endswith("\r\x1b[K")


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display.on_stderr(quiet=True)
    display.stage("reading")
    display.note("noted")
    display.progress(HALF)
    display.close()
    assert capsys.readouterr().err == ""


def test_signals_are_noted_and_handed_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as interruption:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(os.getpid(), number)
        assert interruption.times == 3
    assert signal.getsignal(signal.SIGINT) is before


def _watched(folder: Any, interruption: Interruption) -> tuple[Progress, list[Progress]]:
    shown: list[Progress] = []
    return watch(folder, shown.append, interruption), shown


def test_follows_a_run_to_its_end() -> None:
    finished = replace(HALF, state="finished")
    folder = Folder(HALF, finished)
    assert _watched(folder, Interruption()) == (finished, [HALF])
    assert folder.cancelled == 0


def test_an_interruption_cancels_the_run() -> None:
    interruption = Interruption()
    interruption.times = 1
    folder = Folder(HALF, replace(HALF, state="cancelled"))
    assert _watched(folder, interruption)[0].state == "cancelled"
    assert folder.cancelled == 1


def test_a_second_interruption_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *arguments: ended.append(arguments))
    interruption = Interruption()
    interruption.times = 2
    gone = replace(HALF, state="failed")
    _watched(Folder(replace(HALF, process=12345), gone, gone), interruption)
    assert ended == [(12345, signal.SIGTERM)]


def test_a_process_found_gone_may_have_finished() -> None:
    finished = replace(HALF, state="finished")
    folder = Folder(HALF, replace(HALF, state="failed"), finished)
    assert _watched(folder, Interruption())[0] is finished


def _command(world: World, meanwhile: Callable[[int], object]) -> int:
    """Give the command in a process of its own, which stands still once it found its folder free.

    Args:
        world: what it is about.
        meanwhile: what is done while it stands still, given the id of its process.

    Returns:
        How it ended.
    """
    arrived, arrives = os.pipe()
    waits, going = os.pipe()
    process = os.fork()
    if not process:
        os.close(arrived)
        os.close(going)
        null = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(null, number)
        held = Handovers.hold

        def stopping(self: Handovers, handover: Handover) -> AbstractContextManager[None]:
            os.write(arrives, b"!")
            os.read(waits, 1)
            return held(self, handover)

        with pytest.MonkeyPatch.context() as hooks:
            hooks.setattr(Handovers, "hold", stopping)
            status = 99
            try:
                status = main(world.command)
            finally:
                os._exit(status)
    os.close(arrives)
    os.close(waits)
    try:
        assert os.read(arrived, 1) == b"!"
        meanwhile(process)
    finally:
        os.close(going)
        os.close(arrived)
        ended = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return ended


def _refusal(capfd: pytest.CaptureFixture[str], command: list[str]) -> str:
    capfd.readouterr()
    assert main(command) == 2
    return " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("by_link", [False, True])
def test_the_second_of_two_at_once_is_refused_before_it_pays(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], *, by_link: bool
) -> None:
    world = World.made(tmp_path, there=by_link)
    second = list(world.command)
    if by_link:
        link = tmp_path / "link"
        link.symlink_to(world.out)
        second[second.index(str(world.out))] = str(link)
    said: list[str] = []
    assert _command(world, lambda _: said.append(_refusal(capfd, second))) == 0
    assert "Another command is making a release" in said[0]
    assert "This command spent nothing." in said[0]
    assert [run.state for run in home_ledger().book().runs.values()] == ["released"]
    assert (world.out / "guarantee.json").exists()
    assert _locked_folders() == []
    # One that comes after it is refused for what is there.
    assert "exists already" in _refusal(capfd, second)
    assert len(home_ledger().book().runs) == 1


def test_a_command_that_was_killed_keeps_no_folder_to_itself(tmp_path: Path) -> None:
    world = World.made(tmp_path, there=False)
    assert _command(world, lambda process: os.kill(process, signal.SIGKILL)) == -signal.SIGKILL
    assert len(_locked_folders()) == 1
    reconcile(home_ledger())
    assert _locked_folders() == []
    assert _command(world, lambda process: os.kill(process, signal.SIGKILL)) == -signal.SIGKILL
    assert main(world.command) == 0
    assert len(home_ledger().book().runs) == 1


def _locked_folders() -> list[Path]:
    return list(home_ledger().path.with_suffix(".wanted").iterdir())
