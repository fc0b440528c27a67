"""Tests shared out among processes that are forked once every test is loaded.

To load all tests takes a quarter of a minute of a processor, so it is done once, and not by each
worker. Whoever is forked has them, takes the files of tests that nobody has yet, and says of each
test how it went. One worker may go ahead: it loads some tests by itself, and does them while the
others are still being loaded. Begun by `pytest --workers`; without it all is done in one process.
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
from itertools import groupby, zip_longest
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.runner import SetupState

WORKER: Final = "worker-"
"""How the folders begin that belong to one worker."""
_END: Final = "the end of a worker"
Scope = tuple[str, ...]
"""Tests, by their names, that one worker does in a row."""


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


@dataclass(frozen=True)
class Ahead:
    """A worker that began before all tests were loaded.

    Attributes:
        tests: the folder of those that it does.
        process: its id.
        line: where it says how they went.
    """

    tests: str
    process: int
    line: Connection


def ahead(session: pytest.Session, tests: str) -> Ahead:
    """Fork a worker that loads the tests of a folder, and does them.

    Args:
        session: before its tests are collected; it is to collect those of the folder too.
        tests: the folder, as names of tests begin.
    """
    _folders(session.config).getbasetemp()  # before there are several who would make it
    ours, theirs = Pipe()
    process = _fork()
    if not process:
        ours.close()
        _work_ahead(session, theirs, tests)
    theirs.close()
    return Ahead(tests, process, ours)


def run(
    session: pytest.Session, workers: int, scope: Callable[[str], str], first: Ahead | None = None
) -> None:
    """Have all tests of a session done.

    Args:
        session: with its tests collected.
        workers: how many processes.
        scope: for the name of a test, that of all which have to be done by the same worker.
        first: who went ahead.

    Raises:
        pytest.Session.Failed: as many failed as were to be borne.
        pytest.Session.Interrupted: it was asked to stop.
    """
    left = [
        item.nodeid
        for item in session.items
        if first is None or not item.nodeid.startswith(first.tests)
    ]
    crew = _Crew(session, _scopes(left, scope))
    try:
        if first is not None:
            crew.welcome(first)
        while len(crew) < workers and crew.hire():
            pass
        crew.follow()
    finally:
        crew.dismiss()


def _scopes(names: Sequence[str], scope: Callable[[str], str]) -> deque[Scope]:
    """The tests by scope, each where its first test stands."""
    found: dict[str, list[str]] = {}
    for name, tests in groupby(names, lambda each: scope(each.split("::")[0])):
        found.setdefault(name, []).extend(tests)
    return deque(tuple(each) for each in found.values())


@dataclass
class _Hired:
    """A worker, as whoever shares out the tests sees it.

    Attributes:
        process: its id.
        left: what it has been given and said nothing of yet.
        ahead: whether it went ahead, and ends with what it has.
        why: what it said of its end before its time.
    """

    process: int
    left: deque[str] = field(default_factory=deque)
    ahead: bool = False
    why: str = ""


@dataclass
class _Told:
    """What a worker says of one test.

    Attributes:
        name: of which test; none of the end of all.
        reports: its phases: of one that passed and printed nothing its name, when it began and
            ended, and how long it took; of any other all there is.
        warnings: what was warned of meanwhile.
        why: what ends the worker before its time.
    """

    name: str
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
        self._items = {item.nodeid: item for item in session.items}
        self._scopes = scopes
        self._hired: dict[Connection, _Hired] = {}
        self._number = 0
        _folders(session.config).getbasetemp()  # before there are several who would make it

    def __len__(self) -> int:
        """How many are at work."""
        return len(self._hired)

    def welcome(self, first: Ahead) -> None:
        """Take in who went ahead and is at work."""
        tests = (name for name in self._items if name.startswith(first.tests))
        self._hired[first.line] = _Hired(first.process, deque(tests), ahead=True)

    def hire(self) -> bool:
        """Fork one more, and give it something to do; whether there was anything."""
        if not self._scopes:
            return False
        ours, theirs = Pipe()
        process = _fork()
        if not process:
            for line in (ours, *self._hired):
                line.close()
            _work(self._session, theirs, self._number)
        theirs.close()
        self._number += 1
        self._hired[ours] = _Hired(process)
        self._give(ours)
        return True

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
        if not told.name:
            for report in told.reports:
                assert isinstance(report, dict)
                self._log(report)
            return
        worker.left.remove(told.name)
        item = self._items[told.name]
        for report in told.reports:
            self._log(_passed(item, *report) if isinstance(report, tuple) else report)
        self._session.config.hook.pytest_runtest_logfinish(
            nodeid=item.nodeid, location=item.location
        )
        if not worker.left and not worker.ahead:
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
        """A worker is gone: if it was at a test, that one failed. Another does what is left."""
        worker = self._hired.pop(line)
        line.close()
        ended = os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1])
        why = f"Its process ended with {ended}.\n{worker.why}".rstrip()
        if worker.left:
            item = self._items[worker.left.popleft()]
            if worker.left:
                self._scopes.appendleft(tuple(worker.left))
            self._log(_failed(item.nodeid, item.location, why))
        elif ended:
            self._log(_failed(_END, ("", None, ""), why))
        self.hire()

    def dismiss(self) -> None:
        """End whoever is still there."""
        for line, worker in self._hired.items():
            dismiss(worker.process, line)
        self._hired.clear()


def dismiss(process: int, line: Connection) -> None:
    """End a worker, and wait until it is gone."""
    line.close()
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
    os.waitpid(process, 0)


def _fork() -> int:
    """Fork this process, what it has printed printed once."""
    sys.stdout.flush()
    sys.stderr.flush()
    return os.fork()


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
        self.told = _Told("")

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

    def work() -> None:
        listening = _settle(session.config, number)
        items = {item.nodeid: item for item in session.items}
        for scope in iter(line.recv, ()):
            _do([items[name] for name in scope], session, line, listening)
        _leave(session, line, listening)

    _to_the_end(work, line)


def _work_ahead(session: pytest.Session, line: Connection, tests: str) -> None:
    """Be the worker that goes ahead, to the end of the process."""

    def work() -> None:
        listening = _settle(session.config, "ahead")
        session.perform_collect([tests])
        _do(session.items, session, line, listening)
        _leave(session, line, listening)

    _to_the_end(work, line)


def _to_the_end(work: Callable[[], None], line: Connection) -> None:
    """Do the work of a process, tell why it could not be done, and end."""
    ended = 1
    try:
        work()
        ended = 0
    except (EOFError, ConnectionResetError, BrokenPipeError, KeyboardInterrupt):
        pass  # nobody is there any more to be told
    except BaseException:
        line.send(_Told("", why=traceback.format_exc()))
    finally:
        os._exit(ended)


def _settle(config: pytest.Config, number: int | str) -> _Listening:
    """Have a folder, and what is printed, for oneself; hear of tests, and leave it to others to
    tell of them."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.stop_global_capturing()
        capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    folders = _folders(config)
    own = folders.getbasetemp() / f"{WORKER}{number}"
    own.mkdir()
    folders._basetemp = own
    listening = _Listening(config)
    config.pluginmanager.register(listening)
    return listening


def _folders(config: pytest.Config) -> pytest.TempPathFactory:
    made: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return made


def _do(
    items: Sequence[pytest.Item], session: pytest.Session, line: Connection, listening: _Listening
) -> None:
    """Do tests in a row, and tell of each."""
    for item, following in zip_longest(items, items[1:]):
        listening.told = _Told(item.nodeid)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following or _Session(session))
        line.send(listening.told)


def _leave(session: pytest.Session, line: Connection, listening: _Listening) -> None:
    """Take down what belongs to the session; what fails at that is told as an error of no test."""
    listening.told = _Told("")
    state: SetupState = session._setupstate  # type: ignore[attr-defined]
    try:
        state.teardown_exact(None)
    except Exception as error:
        listening.pytest_runtest_logreport(_failed(_END, ("", None, ""), repr(error)))
    if listening.told.reports or listening.told.warnings:
        line.send(listening.told)
