"""The real server in a process of its own, with a home folder of its own."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from engine.runs.control import runs
from engine.runs.folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
_PORTS = range(20_000, 32_000)  # below those that outgoing connections are given
_STARTING_TAKES, _ENDING_TAKES, _POLL = 90.0, 10.0, 0.1


@dataclass(frozen=True)
class Server:
    """A server that answers.

    Attributes:
        address: where, without a slash at the end.
        home: the folder it keeps runs in.
    """

    address: str
    home: Path

    def forget_runs(self) -> None:
        """Stop every run under way, and delete all runs and the ledger."""
        for run in runs(self.home):
            _end(run)
            rmtree(run.path, ignore_errors=True)
        for kept in self.home.glob("ledger.*"):
            if kept.is_dir():
                rmtree(kept, ignore_errors=True)
            else:
                kept.unlink()


@contextmanager
def serving(folder: Path, *, demo: bool = False) -> Iterator[Server]:
    """Start the server, wait until it answers, and end it with every run it started.

    Args:
        folder: an empty folder for its home and its log.
        demo: whether it opens the sample census by itself.

    Raises:
        RuntimeError: it ended, or did not answer in time; with what it wrote.
    """
    port, log = _free_port(), folder / "server.log"
    server = Server(f"http://{HOST}:{port}", folder / "home")
    command = [sys.executable, "-m", "dashboard", "--no-browser", "--port", str(port)]
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*command, *(["--demo"] if demo else [])],
            cwd=ROOT,
            env=_environment(server.home),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await(process, server.address, log)
        yield server
    finally:
        server.forget_runs()
        _stop(process)


def _environment(home: Path) -> dict[str, str]:
    """This process's, without settings that would change what is served."""
    ours = ("UNDERSTUDY_", "STREAMLIT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "UNDERSTUDY_HOME": str(home)}


def _free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise RuntimeError("No free port was found for the server.")


def _await(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Ask until the server answers; its end ends the waiting too."""
    deadline = time.monotonic() + _STARTING_TAKES
    while time.monotonic() < deadline:
        if _answers(f"{address}/_stcore/health"):
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
            break
    said = log.read_text(encoding="utf-8", errors="replace")
    raise RuntimeError(f"The server did not answer. It wrote:\n{said}")


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


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING_TAKES)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
