"""A process with all checks loaded, which forks for each thing that is to be tried."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from tests.mutation.applying import ROOT, Functions

CHECKS: Final = (
    "tests/engine/acceptance",
    "tests/engine/assurance",
    "tests/engine/mechanisms",
    "tests/engine/models",
    "tests/engine/privacy",
    "tests/engine/table/test_split.py",
)
"""Where the tests are that may notice a mutant."""
REAL_RUNS: Final = "tests/engine/assurance/test_real_runs.py"
_ABOUT_OTHERS: Final = (
    "baselines",
    "charts",
    "cli",
    "evaluation",
    "executors",
    "fields",
    "inference",
    "inquiries",
    "practised",
    "published",
    "report",
    "reproduction",
)
"""Folders whose tests are about what is not mutated."""
_GIBI: Final = 1 << 30
_MEMORY: Final = 4 * _GIBI
_ENGINE: Final = f"{ROOT}/engine/"


Say = Callable[[Any], None]
Job = Callable[[Any, Path, Say], None]
"""Is given a thing, a folder for files, and what to say something with."""


class Loaded:
    """All tests of a session, and the functions that they may reach."""

    def __init__(self, session: pytest.Session, left_out: Iterable[str] = _ABOUT_OTHERS) -> None:
        self.items: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            if name := _check(item, left_out):
                self.items[name].append(item)
        self.functions = Functions()
        self._config = session.config
        gc.collect()
        gc.freeze()

    def alone(self, folder: Path) -> None:
        """Make a forked process one whose tests disturb nobody: nothing is printed, files are put
        into a folder of its own, and memory is limited."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for each in (0, 1, 2):
            os.dup2(nowhere, each)
        self._config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = used * os.sysconf("SC_PAGE_SIZE") + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def passes(self, name: str) -> bool:
        """Run a check; whether all tests of it passed or were left out."""
        items = self.items[name]
        for item, following in zip_longest(items, items[1:]):
            reports = runtestprotocol(item, log=False, nextitem=following)
            if any(each.failed for each in reports):
                return False
        return True


def _check(item: pytest.Item, left_out: Iterable[str]) -> str:
    """The name of the check that a test is; nothing where it is about what is not mutated. What is
    claimed of a method's real runs is one check, as its tests share most of their work."""
    file, _, name = item.nodeid.partition("::")
    if set(left_out) & set(file.split("/")):
        return ""
    asked = _claim_of(item) if file == REAL_RUNS else None
    if asked is None:
        return item.nodeid
    return f"{file}::{name.split('[')[0]}[{asked.name.split(',')[0]}]" * (asked.kind == "claim")


def _claim_of(item: pytest.Item) -> Any:
    """Return the check of real runs that a test is given; None for any other test."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return given.get("check")


def load(
    job: Callable[[Loaded], None],
    places: Iterable[str] = CHECKS,
    left_out: Iterable[str] = _ABOUT_OTHERS,
) -> int:
    """Load tests, except those in folders of these names, and do a job with them."""

    class Job:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            job(Loaded(session, left_out))
            return True

    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    return int(pytest.main([*options, *places], plugins=[Job()]))


@dataclass
class Child:
    """A process that tries something.

    Attributes:
        what: what it tries.
        process: its id.
        folder: where its tests put files.
        until: when it is ended.
        heard: what it has said.
    """

    what: Any
    process: int
    folder: Path
    until: float
    heard: list[Any]


def in_forks(
    tried: Iterator[Any], job: Job, workers: int, wall: float
) -> Iterator[tuple[Any, list[Any], int]]:
    """Do a job for each of many things in a fork of its own, some at a time.

    Args:
        tried: the things.
        job: what is done in the fork.
        workers: how many at a time.
        wall: seconds after which one is ended.

    Yields:
        The thing, what was said, and how the process ended: 0, or minus the signal.
    """
    children: dict[Connection, Child] = {}
    try:
        while True:
            while len(children) < workers and (what := next(tried, None)) is not None:
                line, child = _fork(what, job, wall)
                children[line] = child
            if not children:
                return
            for line in wait(list(children), 1.0):
                assert isinstance(line, Connection)
                try:
                    children[line].heard.append(line.recv())
                except (EOFError, ConnectionResetError, pickle.UnpicklingError):
                    child = children.pop(line)
                    yield child.what, child.heard, _end(child, line)
            for child in children.values():
                if time.monotonic() > child.until:
                    os.killpg(child.process, signal.SIGKILL)
    finally:
        for line, child in children.items():
            os.killpg(child.process, signal.SIGKILL)
            _end(child, line)


def _fork(what: Any, job: Job, wall: float) -> tuple[Connection, Child]:
    ours, theirs = Pipe()
    folder = Path(tempfile.mkdtemp(prefix="mutant-"))
    process = os.fork()
    if not process:
        ended = 1
        try:
            ours.close()
            os.setpgid(0, 0)
            job(what, folder, theirs.send)
            ended = 0
        except BaseException as error:
            theirs.send(("broken", repr(error)))
        finally:
            os._exit(ended)
    os.setpgid(process, process)
    theirs.close()
    return ours, Child(what, process, folder, time.monotonic() + wall, [])


def _end(child: Child, line: Connection) -> int:
    line.close()
    status = os.waitpid(child.process, 0)[1]
    with suppress(ProcessLookupError):
        os.killpg(child.process, signal.SIGKILL)  # what it left behind
    shutil.rmtree(child.folder, ignore_errors=True)
    return os.waitstatus_to_exitcode(status)


def limit(seconds: float) -> None:
    """End this process after so many seconds of a processor."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def reached(run: Callable[[], bool]) -> tuple[bool, float, frozenset[tuple[str, str]]]:
    """Do something; what it returned, the seconds of a processor, and the functions reached."""
    found: set[tuple[str, str]] = set()
    seen: set[int] = set()

    def trace(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if id(code) not in seen:
            seen.add(id(code))
            kept.append(code)
            if code.co_filename.startswith(_ENGINE):
                found.add((code.co_filename[len(str(ROOT)) + 1 :], code.co_qualname))

    kept: list[Any] = []
    threading.settrace(trace)
    sys.settrace(trace)
    begun = time.process_time()
    try:
        passed = run()
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    return passed, time.process_time() - begun, frozenset(found)
