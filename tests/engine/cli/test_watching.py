from __future__ import annotations

import io
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from understudy.cli.runs import Display, progress_line, watch
from understudy.cli.verb import Interruption
from understudy.runs.watched import Progress

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
