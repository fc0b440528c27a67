"""The real server in a process of its own, with a home folder of its own."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from types import MappingProxyType
from typing import BinaryIO, Protocol

from tests import forks
from understudy.projects.catalogue import list_every_run
from understudy.runs.folder import RunFolder
from understudy_dashboard.demo import FOLDER

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
_PORTS = range(20_000, 32_000)  # below those that outgoing connections are given
_STARTING_TAKES, _ENDING_TAKES, _POLL = 90.0, 10.0, 0.1


@dataclass(frozen=True)
class Server:
    """A server that answers.

    Attributes:
        address: where the page is, without a slash at the end.
        home: the folder it keeps runs in.
        log: the file of all that it says.
        process: its process.
    """

    address: str
    home: Path
    log: Path
    process: int

    @property
    def link(self) -> str | None:
        """What opens the page in one more browser; None where people sign in."""
        return _newest_link(self.log)

    def forget_runs(self) -> None:
        """Stop every run under way, and delete all runs, projects and the ledger."""
        for run in list_every_run(self.home):
            _end(run)
            rmtree(run.path, ignore_errors=True)
        rmtree(self.home / "projects", ignore_errors=True)
        for kept in self.home.glob("ledger.*"):
            if kept.is_dir():
                rmtree(kept, ignore_errors=True)
            else:
                kept.unlink()


class Process(Protocol):
    """The process of a server: forked, or started afresh."""

    @property
    def pid(self) -> int:
        """Its id."""

    def terminate(self) -> None:
        """Ask it to end."""

    def wait(self, timeout: float | None = None) -> object:
        """Wait until it is gone."""


@contextmanager
def serving(
    folder: Path,
    *,
    demo: bool = False,
    sample: bool = False,
    keep: bool = False,
    afresh: bool = False,
    module: str = "understudy_dashboard",
    options: Callable[[str], Sequence[str]] = lambda address: (),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Server]:
    """Start the server, wait until it answers, and end it with every run it started.

    Args:
        folder: an empty folder for its home and its log.
        demo: whether it is a demonstration, with its own home folder inside that folder.
        sample: whether it opens the sample census by itself.
        keep: whether its projects and runs stay, for a server that is started there again.
        afresh: whether it is started by the command, and not forked from what loaded the same.
        module: what is started, which serves the dashboard in the end.
        options: what it is started with besides, given the address that it will have.
        environment: variables that it gets besides.

    Raises:
        RuntimeError: it ended, or did not answer in time; with what it wrote.
    """
    port, log = free_port(), folder / "server.log"
    home = folder / "home"
    address = f"http://{HOST}:{port}"
    words = ["--no-browser", "--port", str(port), *["--demo"] * demo, *["--sample"] * sample]
    asked = forks.Asked(
        module,
        (*words, *options(address)),
        {**_environment(home), **environment},
        ("tests.browser.loaded",),
    )
    with log.open("wb") as written:
        process = (_started if afresh or forks.AT not in os.environ else _forked)(asked, written)
    home = home / FOLDER if demo else home
    try:
        server = Server(_await(process, address, log), home, log, process.pid)
        try:
            yield server
        finally:
            if not keep:
                server.forget_runs()
    finally:
        _stop(process)


def _started(asked: forks.Asked, written: BinaryIO) -> Process:
    return subprocess.Popen(
        [sys.executable, "-m", asked.module, *asked.arguments],
        cwd=ROOT,
        env=asked.environment,
        stdin=subprocess.DEVNULL,
        stdout=written,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _forked(asked: forks.Asked, written: BinaryIO) -> Process:
    with Path(os.devnull).open("rb") as nowhere:
        return forks.Forked(asked, [nowhere.fileno(), written.fileno()])


def _environment(home: Path) -> dict[str, str]:
    """This process's, without settings that would change what is served."""
    ours = ("UNDERSTUDY_", "STREAMLIT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "UNDERSTUDY_HOME": str(home)}


def free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise RuntimeError("No free port was found for the server.")


def _await(process: Process, address: str, log: Path) -> str:
    """Ask until the server answers, and say where; its end ends the waiting too."""
    deadline = time.monotonic() + _STARTING_TAKES
    while time.monotonic() < deadline:
        link = _newest_link(log)
        page = address if link is None else link.partition("/?")[0]
        if _answers(f"{page}/_stcore/health"):
            return page
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
            break
    said = log.read_text(encoding="utf-8", errors="replace")
    raise RuntimeError(f"The server did not answer. It wrote:\n{said}")


def _newest_link(log: Path) -> str | None:
    found = re.findall(r"http\S+/\?key=\S+", log.read_text(encoding="utf-8", errors="replace"))
    return found[-1] if found else None


def _answers(url: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _end(run: RunFolder) -> None:
    """Kill the process of a run that has not ended; it leads a group of its own."""
    progress = run.progress()
    if not progress.ended and progress.process:
        with suppress(ProcessLookupError):
            os.killpg(progress.process, signal.SIGKILL)


def _stop(process: Process) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING_TAKES)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
