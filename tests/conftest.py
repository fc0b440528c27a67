"""The home folder of every test, and what is left to `--thorough`."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import forks, spread
from understudy.ledger import store
from understudy.ledger.ledger import Ledger
from understudy.runs import inquirer, process, worker
from understudy.runs.folder import RunFolder
from understudy.runs.worker import DebitedFolder

_HOMES = count()
_SYNCHRONOUS = store._SYNCHRONOUS
_AHEAD = pytest.StashKey[spread.Ahead]()
THOROUGH = "thorough"
BROWSER = "tests/browser/"
"""Its tests are done by one worker, which goes through one browser and one server, while the others
do the rest; where there are many more of them, by several."""
settings.register_profile("usual", max_examples=16, deadline=None)
settings.register_profile(THOROUGH, max_examples=200, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="also run what is marked thorough, and look at more examples of every property",
    )
    parser.addoption(
        "--workers",
        default="1",
        help="how many processes share the tests; “auto” for two to every core",
    )


def pytest_collection(session: pytest.Session) -> None:
    """The browser's tests, which take longest, are begun while the others are being loaded."""
    config = session.config
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and _workers(config) > 1 and not config.option.thorough:
        config.stash[_AHEAD] = spread.ahead(session, BROWSER)


def _workers(config: pytest.Config) -> int:
    return 1 if config.option.collectonly else spread.count(config.option.workers)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Tests of a file share what is dear to set up, and those of the browser one server."""
    workers = _workers(session.config)
    if workers == 1 or session.testsfailed:
        return None

    def scope(file: str) -> str:
        if file.startswith(BROWSER) and not session.config.option.thorough:
            return BROWSER
        return file

    first = session.config.stash.get(_AHEAD, None)
    if first is not None:
        del session.config.stash[_AHEAD]
    spread.run(session, workers, scope, first)
    return True


def pytest_unconfigure(config: pytest.Config) -> None:
    """Who went ahead of tests that could not be loaded does no more."""
    first = config.stash.get(_AHEAD, None)
    if first is not None:
        spread.dismiss(first.process, first.line)


def pytest_collection_finish() -> None:
    """What is loaded by now stays, and is not looked through for garbage again and again."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile(THOROUGH if config.option.thorough else "usual")
    gc.disable()  # nothing that is loaded is garbage


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nothing is left out but what bears the mark. What one worker does alone comes first."""
    items.sort(key=lambda item: not item.nodeid.startswith(BROWSER))
    if config.option.thorough:
        return
    left = [item for item in items if item.get_closest_marker(THOROUGH)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker(THOROUGH)]


@pytest.fixture(autouse=True)
def home_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test may leave runs or a ledger in the home folder of whoever runs it. The folder is not
    there until something is put into it: most tests put nothing."""
    place = tmp_path_factory.getbasetemp() / f"home-of-{next(_HOMES)}"
    monkeypatch.setenv("UNDERSTUDY_HOME", str(place))


@pytest.fixture(scope="session", autouse=True)
def unsynced() -> Iterator[None]:
    """Nothing waits for the disk: what a killed process wrote is with the system, and no test takes
    the power away."""
    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(store, "_SYNCHRONOUS", "OFF")
        hooks.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger waits for the disk, as it does outside of tests."""
    monkeypatch.setattr(store, "_SYNCHRONOUS", _SYNCHRONOUS)


@pytest.fixture(scope="session", autouse=True)
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Processes of runs, inquiries and packets are forked from one that loaded what they need, for
    all workers; so are servers (`tests/browser/serving.py`)."""
    common = spread.shared(tmp_path_factory.getbasetemp())
    with pytest.MonkeyPatch.context() as hooks:
        if hasattr(os, "pidfd_open"):
            hooks.setenv(forks.AT, str(common))
            hooks.setattr(process, "subprocess", forks)
        yield
    forks.FORKS.close()


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an interpreter of its own, as outside of tests, that finds what tests ask of it."""
    monkeypatch.setattr(process, "subprocess", subprocess)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))


@pytest.fixture
def installed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Install the method of the noisy histogram, for this process and those that it starts."""
    from tests.installed_mechanism.installing import noisy_histogram

    with noisy_histogram(tmp_path_factory, monkeypatch):
        yield


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and inquiries are done where they are asked for. A process of their own takes more than
    a second to begin, and a test that looks into what they do cannot see into it."""

    def run(_: str, places: list[Path], job: Any, *__: Any) -> None:
        place, *ledger = places
        worker.do_job(job, DebitedFolder(place, Ledger(ledger[0])) if ledger else RunFolder(place))

    def inquire(_: str, places: list[Path], job: Any, folder: Any) -> None:
        inquirer.do_inquiry(*job, RunFolder(places[0]), folder)

    monkeypatch.setattr("understudy.runs.control.launch", run)
    monkeypatch.setattr("understudy.runs.inquiry.launch", inquire)


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forests of five trees, and as few stumps: what is measured is the same, and less well."""
    from sklearn import ensemble

    forest, adaboost = ensemble.RandomForestClassifier, ensemble.AdaBoostClassifier
    monkeypatch.setattr(
        ensemble, "RandomForestClassifier", lambda trees, **more: forest(5, **{**more, "n_jobs": 1})
    )
    monkeypatch.setattr(
        ensemble, "AdaBoostClassifier", lambda **more: adaboost(n_estimators=5, **more)
    )
