"""A tiny confidential table, and the page with it open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from tests.components_found import components_found as components_found
from tests.dashboard.builders import answer_all
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased.plan import Plan
from understudy.report import packet_process
from understudy.report.packet_process import PacketMaking
from understudy.runs.control import list_runs, start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.samples.city import write
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.parts import plan_decision as folded
from understudy_dashboard.session import Session

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "dashboard" / "understudy_dashboard" / "app.py"

_JOBS, _PAY = ("cook", "clerk", "smith", "nurse"), ("low", "mid", "high")

Opened = Callable[..., AppTest]


@cache
def tiny_csv(rows: int = 900) -> bytes:
    """Age, job and pay of people who do not exist; pay depends on the job."""
    rng = np.random.default_rng(7)
    ages, jobs = rng.integers(18, 90, rows), rng.integers(0, 4, rows)
    pay = (jobs + rng.integers(0, 2, rows)) % 3
    lines = ["age,job,pay"]
    lines += [
        f"{age},{_JOBS[job]},{_PAY[paid]}" for age, job, paid in zip(ages, jobs, pay, strict=True)
    ]
    return "\n".join(lines).encode()


@cache
def _read(csv: bytes) -> RawTable:
    return read_table(csv, name="tiny.csv")


def tiny_schema(*, declared: bool = True) -> Schema:
    """What the tiny table may contain."""
    schema = Schema(
        columns=(
            Column(
                name="age",
                title="Age",
                domain=Grid(minimum=Decimal(18), maximum=Decimal(89)),
                buckets=ByWidth(width=Decimal(12)),
            ),
            Column(name="job", domain=Categories(values=("clerk", "cook", "nurse", "smith"))),
            Column(name="pay", domain=Categories(values=("low", "mid", "high"))),
        )
    )
    return schema.declare_public() if declared else schema


def tiny_session(csv: bytes | None = None, schema: Schema | None = None) -> Session:
    """A session with the tiny table open and settings that suit its size."""
    session = Session()
    session.open(
        LoadedTable("tiny.csv", _read(tiny_csv() if csv is None else csv)),
        tiny_schema() if schema is None else schema,
    )
    assert session.settings.schema is not None
    plan_choice(session).use(
        Draft.of_plan(Plan.of(session.settings.schema)).copy(
            seeds_at_least=60,
            public_records=400,
            k=20,
            attempts=200,
            delta=1e-4,
        )
    )
    answer_all(session)
    return session


@pytest.fixture(scope="session", autouse=True)
def drawn_at_once() -> Iterator[None]:
    """What is not of a page costs as little as can be: a page is compiled when it is first drawn,
    as on a server, and not at every drawing; what it says is not hashed for a browser, which would
    keep it; what stands in for a server is made once; and to wait for a page takes nothing."""
    scripts, server = ScriptCache(), MagicMock(spec=Runtime)
    whole = SessionState.filtered_state

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            raise RuntimeError(f"The page was not drawn within {timeout} seconds.")

    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(app_test, "ScriptCache", lambda: scripts)
        hooks.setattr(app_test, "MagicMock", lambda **_: server)
        hooks.setattr(local_script_runner, "ScriptCache", lambda: scripts)
        hooks.setattr(local_script_runner, "require_widgets_deltas", wait)
        hooks.setattr(script_run_context, "populate_hash_if_needed", lambda _: None)
        hooks.setattr(SessionState, "filtered_state", property(lambda of: _LookedUp(of, whole)))
        yield


class _LookedUp(Mapping[str, Any]):
    """The state of a page. Each widget looks up one value of it, for which Streamlit makes a copy
    of all of them."""

    def __init__(self, state: SessionState, whole: property) -> None:
        self._state, self._whole = state, whole

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole.__get__(self._state))

    def __len__(self) -> int:
        return len(self._whole.__get__(self._state))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own for every test."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("UNDERSTUDY_DEMO", raising=False)
    monkeypatch.delenv("UNDERSTUDY_SAMPLE", raising=False)
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def done_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pages start is done in this process, but where they have to be seen to follow it."""
    if request.node.get_closest_marker("process") is not None:
        return
    request.getfixturevalue("in_this_process")

    def make(_: str, places: Sequence[Path], job: Any, folder: PacketMaking) -> None:
        run, place, ledger, _folder = places
        cover, pdf = job
        packet_process.make_and_check(RunFolder(run), place, cover, Ledger(ledger), folder, pdf=pdf)

    monkeypatch.setattr(packet_process, "launch", make)


@pytest.fixture
def session() -> Session:
    """The tiny table, open."""
    return tiny_session()


@pytest.fixture
def csv() -> bytes:
    """The tiny table as a file."""
    return tiny_csv()


@pytest.fixture
def schema() -> Schema:
    """The tiny table's declared schema."""
    return tiny_schema()


@pytest.fixture(scope="session")
def city(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return days of 60 people of the simulated city as CSV."""
    place = tmp_path_factory.mktemp("city") / "city.csv"
    write(60, place)
    return place.read_bytes()


@pytest.fixture
def sessions() -> Callable[..., Session]:
    """Sessions with other tables or schemas."""
    return tiny_session


@pytest.fixture
def opened() -> Opened:
    """Draws a page of the dashboard, with a session behind it, and what else is to stand in the
    session's state beforehand; of the Privacy page, with some of its details, or every parameter,
    where that is asked for."""

    def open_(
        page: str,
        session: Session | None = None,
        *,
        by_hand: bool = False,
        detail: str = "",
        state: Mapping[str, Any] = MappingProxyType({}),
    ) -> AppTest:
        test = AppTest.from_file(str(APP), default_timeout=30)
        for name, value in state.items():
            test.session_state[name] = value
        if session is not None:
            test.session_state["session"] = session
        if by_hand or detail:
            test.session_state[folded.KEY] = detail or folded.BY_HAND
        return test.switch_page(f"views/{page}.py").run()

    return open_


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder that the first test of a module fills with one release."""
    return tmp_path_factory.mktemp("shared-home")


@pytest.fixture
def run(finished: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """One finished release of the tiny table, for all tests of a module."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(finished))
    found = list_runs(finished)
    if found:
        return found[0]
    session = tiny_session()
    job = Job(session.records(), session.settings.plan())
    made = start(job, finished, dataset=dataset_of(session))
    assert wait(made).state == "finished"
    return made


@pytest.fixture
def said() -> Callable[[AppTest], str]:
    """Everything a page says, in one text without Markdown's escapes and explanations of words."""

    def text(test: AppTest) -> str:
        kinds = ("title", "subheader", "markdown", "caption", "info", "success", "warning", "error")
        parts = [element.value for kind in kinds for element in getattr(test, kind)]
        parts += [f"{metric.label}: {metric.value}" for metric in test.metric]
        told = "\n".join(str(part) for part in parts)
        assert r"\*\*" not in told, "what is to be bold is shown with its stars"
        plain = told.replace("\\", "")
        return re.sub(r"\[([^\]]*)\]\(#term-[^)]*\)", r"\1", plain)

    return text
