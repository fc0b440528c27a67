"""What the server needs to draw a page, and to follow a setting that moves, on the sample census.

Measured in one process through Streamlit's own test runner, its own work left out: with nothing
open, with the sample open, and with a project of twenty runs, one of them finished.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest

from benchmarks.size import Size
from tests.support import few_people
from understudy.core.home import home
from understudy.projects.catalogue import list_every_run
from understudy.projects.state import Answers, Sizes
from understudy.runs.control import home_ledger, wait
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.parts.plan_decision import BY_HAND, KEY
from understudy_dashboard.server import load_pages
from understudy_dashboard.session import Session

_APP: Final = Path(__file__).parents[1] / "dashboard" / "understudy_dashboard" / "app.py"
PAGES: Final = (
    "start", "data", "buckets", "privacy", "generate", "inspect", "release", "ledger", "present",
    "glossary",
)  # fmt: skip
_RUNS: Final = 20
_PAGES: Final[Mapping[Size, tuple[str, ...]]] = {
    "full": PAGES,
    "quick": PAGES,
    "tiny": ("data", "inspect"),
}
_TIMES: Final[Mapping[Size, int]] = {"full": 10, "quick": 3, "tiny": 1}
Taken = tuple[float, float]
"""Seconds by the clock, and seconds of the processor: on a busy machine the two differ."""
SWITCH, MOVE = 300, 150
"""Milliseconds that a page switch and a moving setting may take."""


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Time every page and every kind of setting; milliseconds, median, 95th percentile, slowest."""
    pages, times = _PAGES[size], _TIMES[size]
    with _loaded(), _at_home() as place, few_people(place) if size == "tiny" else nullcontext():
        figures = _switches("empty", _opened(), pages, times)
        os.environ["UNDERSTUDY_SAMPLE"] = "1"
        page = _opened()
        figures += _switches("sample open", page, pages, times)
        figures += _settings(page, 3 * times)
        figures += _by_form(3 * times)
        _history(page)
        figures += _switches(f"{_RUNS} runs", page, pages, times)
        figures += _slides(page)
    return {"milliseconds": figures}


@contextmanager
def _loaded() -> Iterator[None]:
    """Modules set aside as the server does it, until the block ends."""
    load_pages()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _at_home() -> Iterator[Path]:
    """A home folder of its own, and the environment as it was afterwards."""
    before = dict(os.environ)
    os.environ.pop("UNDERSTUDY_DEMO", None)
    os.environ.pop("UNDERSTUDY_SAMPLE", None)
    with tempfile.TemporaryDirectory() as place:
        os.environ["UNDERSTUDY_HOME"] = place
        try:
            yield Path(place)
        finally:
            os.environ.clear()
            os.environ.update(before)


def _opened() -> AppTest:
    return AppTest.from_file(str(_APP), default_timeout=120).run()


def _switches(state: str, page: AppTest, pages: Sequence[str], times: int) -> list[dict[str, Any]]:
    """Every page in turn, so that each time another was there before."""
    taken: dict[str, list[Taken]] = {name: [] for name in pages}
    for turn in range(times + 1):
        for name in pages:
            with _timed() as seconds:
                page.switch_page(f"views/{name}.py").run()
            if page.exception:
                raise RuntimeError(f"The page {name} failed.")
            # The first time, modules are loaded that then stay.
            if turn:
                taken[name].append(_sum(seconds))
    return [_row(f"to {name}", state, taken[name], SWITCH) for name in pages]


def _settings(page: AppTest, moves: int) -> list[dict[str, Any]]:
    """A question to the planner, and settings by hand, before and after a rehearsal."""
    page.switch_page("views/privacy.py").run()
    asked = _moves(page, "wish-epsilon", [1 + place / 100 for place in range(moves)])
    page.session_state[KEY] = BY_HAND
    page.run()
    page.button(key="preset-published").click().run()
    alone = _moves(page, "k-box", [60 + place for place in range(moves)])
    page.button(key="rehearse").click().run()
    wait(list_every_run(home())[0])
    page.run()
    return [
        _row("the planner's ε", "sample open", asked, MOVE),
        _row("k by hand", "sample open", alone, MOVE),
        _row("k by hand", "rehearsed", _moves(page, "k-box", _upwards(100, moves)), MOVE),
        _row("N by hand", "rehearsed", _moves(page, "attempts-box", _upwards(5000, moves)), MOVE),
    ]


def _by_form(moves: int) -> list[dict[str, Any]]:
    """Sliders of the methods whose settings are in a form, over a table of ages, hours and a
    category."""
    rows = []
    for kind, key, values in _SLIDERS:
        session = _session(kind)
        page = AppTest.from_file(str(_APP), default_timeout=120)
        page.session_state["session"] = session
        page.run()
        page.switch_page("views/privacy.py").run()
        page.session_state[KEY] = BY_HAND
        page.run()
        rows.append(_row(key, kind, _moves(page, key, values(moves)), MOVE))
    return rows


def _session(kind: str) -> Session:
    """A table open whose columns every method takes, its number of records public."""
    random = np.random.default_rng(5)
    age = random.normal(41, 12, _FEW).round().clip(17, 90).astype(int)
    hours = (20 + 0.4 * age + random.normal(0, 8, _FEW)).round().clip(1, 99).astype(int)
    lines = [f"{a},{h},{'xyz'[k]}" for a, h, k in zip(age, hours, age % 3, strict=True)]
    raw = read_table("\n".join(["age,hours,kind", *lines]).encode(), name="people.csv")
    session = Session()
    session.open(LoadedTable("people.csv", raw), _PEOPLE)
    answer_all(session, raw)
    session.settings.method = kind
    held = session.settings.of_method().held
    for name, value in _COUNTED[kind].items():
        setattr(held, name, value)
    return session


def answer_all(session: Session, raw: RawTable) -> None:
    """Answer what a promise about an open table depends on: a person a row, all of them new, their
    number public."""
    session.answers = Answers(positions=False, several=False)
    session.settings.set_sizes(Sizes(records=raw.rows))
    session.new_people = home_ledger().likeness(raw).fingerprint
    session.apart_because = "Nobody in it exists."


_FEW: Final = 3_000
_PEOPLE: Final = Schema(
    columns=(
        Column(name="age", domain=Grid(minimum=Decimal(17), maximum=Decimal(90))),
        Column(name="hours", domain=Grid(minimum=Decimal(1), maximum=Decimal(99))),
        Column(name="kind", domain=Categories(values=("x", "y", "z"))),
    )
).declare_public()
_COUNTED: Final[Mapping[str, Mapping[str, Any]]] = {
    "imputation": {
        "records": _FEW, "columns": [], "deviations": {"age": 12.0}, "given": {"hours": ["kind"]},
    },
    "pmse": {"public_records": _FEW},
    "scored": {},
}  # fmt: skip
_SLIDERS: Final[tuple[tuple[str, str, Callable[[int], Sequence[float]]], ...]] = (
    ("imputation", "strength-box", lambda moves: [1 + each / 10 for each in range(moves)]),
    ("imputation", "rows-box", lambda moves: _upwards(500, moves)),
    ("pmse", "epsilon-box", lambda moves: [1 + each / 10 for each in range(moves)]),
    ("pmse", "candidates-box", lambda moves: _upwards(4_000, moves)),
    ("scored", "redrawn.redrawn-box", lambda moves: [0.5 + each / 100 for each in range(moves)]),
)
"""A method, a box of its form, and what is typed into it."""


def _upwards(first: int, count: int) -> list[int]:
    return list(range(first, first + count))


def _history(page: AppTest) -> None:
    """One finished run, and so many copies of it that the history is long."""
    page.session_state[KEY] = None
    page.run()
    page.switch_page("views/generate.py").run()
    page.checkbox(key=next(str(each.key) for each in page.checkbox if "read" in each.label)).check()
    page.run()
    page.button(key="generate").click().run()
    run = next(each for each in list_every_run(home()) if each.about().purpose == "release")
    wait(run)
    for place in range(1, _RUNS):
        shutil.copytree(run.path, run.path.with_name(f"{run.path.name}-{place:02}"))
    page.run()


def _slides(page: AppTest) -> list[dict[str, Any]]:
    """Each slide of a presentation, once forwards and once back."""
    page.switch_page("views/present.py").run()
    page.button(key="present").click().run()
    seconds: list[Taken] = []
    for label in ("Next",) * 8 + ("Back",) * 8:
        button = next(each for each in page.button if each.label == label)
        with _timed() as taken:
            button.click().run()
        seconds.append(_sum(taken))
    return [_row("a slide", f"{_RUNS} runs", seconds, SWITCH)]


@contextmanager
def _timed() -> Iterator[list[Taken]]:
    """The time of every run of the page's script meanwhile, AppTest's own work left out."""
    seconds: list[Taken] = []
    run = ScriptRunner._run_script

    def timed(self: ScriptRunner, *arguments: Any, **named: Any) -> None:
        start, worked = time.perf_counter(), time.thread_time()
        run(self, *arguments, **named)
        seconds.append((time.perf_counter() - start, time.thread_time() - worked))

    with patch.object(ScriptRunner, "_run_script", timed):
        yield seconds


def _moves(page: AppTest, key: str, values: Sequence[float]) -> list[Taken]:
    """Seconds that the page takes after each change of a number."""
    taken = []
    for value in values:
        with _timed() as seconds:
            page.number_input(key=key).set_value(value).run()
        taken.append(_sum(seconds))
    return taken


def _sum(runs: Sequence[Taken]) -> Taken:
    return sum(wall for wall, _ in runs), sum(work for _, work in runs)


def _row(what: str, state: str, seconds: Sequence[Taken], most: int) -> dict[str, Any]:
    found, work = 1000 * np.array(seconds).T
    return {
        "what": what,
        "state": state,
        "median": float(np.median(found)),
        "p95": float(np.percentile(found, 95)),
        "slowest": float(found.max()),
        "processor": float(np.median(work)),
        "most": most,
    }


def table(figures: dict[str, Any]) -> str:
    """The figures in columns; what takes longer than it may is marked."""
    heads = "".join(f"{head:>10}" for head in ("median", "95 %", "slowest", "processor"))
    lines = [f"{'milliseconds of server time':28}{'state':>14}{heads}"]
    for row in figures["milliseconds"]:
        over = f"  over {row['most']}" if row["p95"] > row["most"] else ""
        lines.append(
            f"{row['what']:28}{row['state']:>14}{row['median']:10.0f}{row['p95']:10.0f}"
            f"{row['slowest']:10.0f}{row['processor']:10.0f}{over}"
        )
    return "\n".join(lines)
