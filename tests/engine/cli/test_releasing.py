"""Two commands with one folder for their releases: one pays, the other is refused before."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.engine.cli.test_kills import World
from understudy.cli import main
from understudy.runs.control import home_ledger
from understudy.runs.debit import reconcile
from understudy.runs.handover import Handover, Handovers


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
        held = Handovers.held

        def stopping(self: Handovers, handover: Handover) -> AbstractContextManager[None]:
            os.write(arrives, b"!")
            os.read(waits, 1)
            return held(self, handover)

        with pytest.MonkeyPatch.context() as hooks:
            hooks.setattr(Handovers, "held", stopping)
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
