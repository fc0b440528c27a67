"""Tests shared out among processes that are forked once every test is loaded.

To load all tests takes a quarter of a minute of a processor, so it is done once, and not by each
worker. Whoever is forked has them, takes the files of tests that nobody has yet, and says of each
test how it went. Begun by `pytest --workers`; without it all is done in one process.
"""

from __future__ import annotations

import builtins
import os
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.runner import SetupState

WORKER: Final = "worker-"
"""How the folders begin that belong to one worker."""
_END: Final = "the end of a worker"
Scope = tuple[int, ...]
"""Tests, by their numbers, that one worker does in a row."""


def shared(folder: Path) -> Path:
    """The folder for temporary files that all workers share.

    Args:
        folder: that of this process.
    """
    return folder.parent if folder.name.startswith(WORKER) else folder


def count(wanted: str) -> int:
    """How many workers there are to be.

    Args:
        wanted: a number, or `auto` for two to every core: whoever waits for a browser, a process
            or a cluster leaves a core to another. One where processes cannot be forked
            with all that was loaded.
    """
    if wanted != "auto":
        return max(1, int(wanted))
    if not sys.platform.startswith("linux"):
        return 1
    return 2 * len(os.sched_getaffinity(0))


def run(session: pytest.Session, workers: int, scope: Callable[[str], str]) -> None:
    """Have all tests of a session done.

    Args:
        session: with its tests collected.
        workers: how many processes.
        scope: for the name of a test, that of all which have to be done by the same worker.

    Raises:
        pytest.Session.Failed: as many failed as were to be borne.
        pytest.Session.Interrupted: it was asked to stop.
    """
    crew = _Crew(session, _scopes(session.items, scope))
    try:
        for _ in range(workers):
            crew.hire()
        crew.follow()
    finally:
        crew.dismiss()


def _scopes(items: Sequence[pytest.Item], scope: Callable[[str], str]) -> deque[Scope]:
    """The tests by scope, each where its first test stands."""
    found: dict[str, list[int]] = {}
    for name, numbers in groupby(
        range(len(items)), lambda number: scope(items[number].nodeid.split("::")[0])
    ):
        found.setdefault(name, []).extend(numbers)
    return deque(tuple(each) for each in found.values())


@dataclass
class _Hired:
    """A worker, as whoever shares out the tests sees it.

    Attributes:
        process: its id.
        left: what it has been given and said nothing of yet.
        why: what it said of its end before its time.
    """

    process: int
    left: deque[int] = field(default_factory=deque)
    why: str = ""


@dataclass
class _Told:
    """What a worker says of one test.

    Attributes:
        number: which test; None of the end of all.
        reports: its phases: of one that passed and printed nothing its name, when it began and
            ended, and how long it took; of any other all there is.
        warnings: what was warned of meanwhile.
        why: what ends the worker before its time.
    """

    number: int | None
    reports: list[tuple[str, float, float, float] | dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    why: str = ""


def _heard(line: Connection) -> _Told | None:
    """What is said on a line; None where nobody is there any more."""
    try:
        told: _Told = line.recv()
    except (EOFError, ConnectionResetError):
        return None
    return told


class _Crew:
    """Whoever is at work, and what is left to do."""

    def __init__(self, session: pytest.Session, scopes: deque[Scope]) -> None:
        self._session = session
        self._scopes = scopes
        self._hired: dict[Connection, _Hired] = {}
        self._number = 0
        _folders(session.config).getbasetemp()  # before there are several who would make it

    def hire(self) -> None:
        """Fork one more, and give it something to do."""
        if not self._scopes:
            return
        ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if not process:
            for line in (ours, *self._hired):
                line.close()
            _work(self._session, theirs, self._number)
        theirs.close()
        self._number += 1
        self._hired[ours] = _Hired(process)
        self._give(ours)

    def _give(self, line: Connection) -> None:
        """Give a worker the next scope, or nothing more."""
        scope = self._scopes.popleft() if self._scopes else ()
        self._hired[line].left.extend(scope)
        line.send(scope)

    def follow(self) -> None:
        """Hear of every test, and give more to whoever is done."""
        while self._hired:
            for line in wait(list(self._hired)):
                assert isinstance(line, Connection)
                told = _heard(line)
                if told is None:
                    self._lose(line)
                else:
                    self._hear(line, told)

    def _hear(self, line: Connection, told: _Told) -> None:
        worker = self._hired[line]
        worker.why = told.why
        for warning in told.warnings:
            _warn_again(self._session.config, warning)
        if told.number is None:
            for report in told.reports:
                assert isinstance(report, dict)
                self._log(report)
            return
        worker.left.remove(told.number)
        item = self._session.items[told.number]
        for report in told.reports:
            self._log(_passed(item, *report) if isinstance(report, tuple) else report)
        self._session.config.hook.pytest_runtest_logfinish(
            nodeid=item.nodeid, location=item.location
        )
        if not worker.left:
            self._give(line)

    def _log(self, report: pytest.TestReport | dict[str, Any]) -> None:
        hook = self._session.config.hook
        if isinstance(report, dict):
            report = hook.pytest_report_from_serializable(config=self._session.config, data=report)
        hook.pytest_runtest_logreport(report=report)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _lose(self, line: Connection) -> None:
        """A worker is gone: if it was at a test, that one failed, and another does what is left."""
        worker = self._hired.pop(line)
        line.close()
        ended = os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1])
        why = f"Its process ended with {ended}.\n{worker.why}".rstrip()
        if worker.left:
            item = self._session.items[worker.left.popleft()]
            if worker.left:
                self._scopes.appendleft(tuple(worker.left))
            self._log(_failed(item.nodeid, item.location, why))
            self.hire()
        elif ended:
            self._log(_failed(_END, ("", None, ""), why))

    def dismiss(self) -> None:
        """End whoever is still there."""
        for line, worker in self._hired.items():
            line.close()
            with suppress(ProcessLookupError):
                os.kill(worker.process, signal.SIGTERM)
            os.waitpid(worker.process, 0)
        self._hired.clear()


def _passed(
    item: pytest.Item, when: Any, start: float, stop: float, duration: float
) -> pytest.TestReport:
    return pytest.TestReport(
        item.nodeid,
        item.location,
        dict.fromkeys(item.keywords, 1),
        "passed",
        None,
        when,
        (),
        duration,
        start,
        stop,
    )


def _failed(name: str, location: Any, why: str) -> pytest.TestReport:
    return pytest.TestReport(name, location, {}, "failed", why, "call")


def _warn_again(config: pytest.Config, told: dict[str, Any]) -> None:
    category = getattr(builtins, told.pop("category"), UserWarning)
    message = warnings.WarningMessage(
        told.pop("text"), category, told.pop("file"), told.pop("line")
    )
    config.hook.pytest_warning_recorded.call_historic(kwargs={"warning_message": message, **told})


class _Listening:
    """What a worker has heard of the test that it is at."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.told = _Told(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how a phase went."""
        plain = report.passed and not report.sections and not report.user_properties
        self.told.reports.append(
            (str(report.when), report.start, report.stop, report.duration)
            if plain
            else self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        )

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        """Keep what was warned of."""
        self.told.warnings.append(
            {
                "text": str(warning_message.message),
                "category": warning_message.category.__name__,
                "file": warning_message.filename,
                "line": warning_message.lineno,
                "when": when,
                "nodeid": nodeid,
                "location": location,
            }
        )


class _Session:
    """What stands for the next test at the end of a scope: of what is set up, only what belongs to
    the session is wanted after it."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session

    def listchain(self) -> list[Any]:
        """The session alone."""
        return [self._session]


def _work(session: pytest.Session, line: Connection, number: int) -> None:
    """Be a worker, to the end of the process."""
    ended = 1
    try:
        _settle(session.config, number)
        listening = _Listening(session.config)
        session.config.pluginmanager.register(listening)
        for scope in iter(line.recv, ()):
            for at, which in enumerate(scope):
                listening.told = _Told(which)
                _do(session, which, scope[at + 1] if at + 1 < len(scope) else None)
                line.send(listening.told)
        _leave(session, listening)
        if listening.told.reports or listening.told.warnings:
            line.send(listening.told)
        ended = 0
    except (EOFError, ConnectionResetError, BrokenPipeError, KeyboardInterrupt):
        pass  # nobody is there any more to be told
    except BaseException:
        line.send(_Told(None, why=traceback.format_exc()))
    finally:
        os._exit(ended)


def _settle(config: pytest.Config, number: int) -> None:
    """Have a folder, and what is printed, for oneself; leave it to others to tell of tests."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.stop_global_capturing()
        capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    folders = _folders(config)
    own = folders.getbasetemp() / f"{WORKER}{number}"
    own.mkdir()
    folders._basetemp = own


def _folders(config: pytest.Config) -> pytest.TempPathFactory:
    made: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return made


def _do(session: pytest.Session, which: int, following: int | None) -> None:
    item = session.items[which]
    item.config.hook.pytest_runtest_protocol(
        item=item,
        nextitem=_Session(session) if following is None else session.items[following],
    )


def _leave(session: pytest.Session, listening: _Listening) -> None:
    """Take down what belongs to the session; what fails at that is told as an error of no test."""
    listening.told = _Told(None)
    state: SetupState = session._setupstate  # type: ignore[attr-defined]
    try:
        state.teardown_exact(None)
    except Exception as error:
        listening.pytest_runtest_logreport(_failed(_END, ("", None, ""), repr(error)))
