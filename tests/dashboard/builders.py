"""What is done on the Data page: files are given, fields are found by the ends of their keys. An
evaluation made by hand, as one of the tiny table could have come out. Runs as a worker would have
left them, and what a plan needs to be started. Making the packet of the run that the Release page
shows. The custodian's word for the people in a table of a test.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict
from itertools import combinations
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.home import home
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    CANDIDATES,
    MARGINALS,
    REALS,
    RELEASED,
    About,
    BreakdownEntry,
    Finding,
    Interval,
    Role,
    SubjectResult,
)
from understudy.evaluation.registry import measures
from understudy.ledger.ledger import Debit
from understudy.projects.state import Answers, Sizes
from understudy.report.shelf import Packet, list_packets
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.debit import make_debit
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import EvaluationOf, InquiryFolder
from understudy.runs.work_folder import Progress, State
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session


def uploader(page: AppTest, label: str) -> Any:
    """The place for files whose label has these words."""
    return next(each for each in page.file_uploader if label in each.label)


def upload(page: AppTest, name: str, content: bytes, label: str = "CSV") -> AppTest:
    """The page, given a file."""
    uploader(page, label).upload(name, content)
    return page.run()


def open_answered(page: AppTest, name: str, content: bytes) -> AppTest:
    """The Data page, given a table of which everything that is asked first is answered."""
    upload(page, name, content)
    answer_all(session_of(page))
    return page.run()


def session_of(page: AppTest) -> Session:
    """What the page knows."""
    session: Session = page.session_state["session"]
    return session


def keyed(page: AppTest, kind: str, ending: str) -> Any:
    """The field of a kind whose key ends like this."""
    return next(each for each in getattr(page, kind) if str(each.key).endswith(ending))


def say_sources(page: AppTest, line: str = "the form of 2024") -> AppTest:
    """Write on the Data page where each group of columns is known from of which nobody has said
    so."""
    while True:
        lines = [each for each in page.text_input if str(each.key).startswith("line-")]
        empty = [each for each in lines if not each.value]
        if not empty:
            return page
        empty[0].input(line).run()


COLUMNS = ("age", "job", "pay")
CLASSIFIERS = ("random forest", "classification tree", "AdaBoost")
TROUBLE = "There are fewer than 50 held-out records."
TROUBLED = "missing-pairs"

_EVERY = [each.about for each in measures()]

_TABLES: dict[str, tuple[Role, float]] = {
    REALS: ("reals", 1.0),
    MARGINALS: ("marginals", 0.0),
    RELEASED: ("released", 0.6),
    CANDIDATES: ("candidates", 0.7),
    "ω = 2-3": ("synthetic", 0.5),
    "ω = 3": ("synthetic", 0.4),
}
"""The tables, and how much of what there is to keep each has kept."""


def evaluation() -> Evaluation:
    """Every measure; the released table keeps 0.6 of whatever there is to keep."""
    tables = tuple(MeasuredTable(name, role, 180) for name, (role, _) in _TABLES.items())
    return Evaluation(tables, 190, "pay", tuple(_finding(each) for each in _EVERY))


def put(
    run: RunFolder, found: Evaluation | None, state: State = "finished", said: str = ""
) -> None:
    """Leave an evaluation of a run as its process would have, ended in this way."""
    folder = InquiryFolder(run.internal / EvaluationOf.name)
    folder.path.mkdir(parents=True, exist_ok=True)
    now = Progress(state, 30, done=7, started=time.time(), updated=time.time(), message=said)
    folder.write_text("progress.json", json.dumps(asdict(now)))
    if found is not None:
        with folder.new_result() as result:
            found.save(result)


def _finding(about: About) -> Finding:
    if about.key == TROUBLED:
        return Finding(about.key, trouble=TROUBLE)
    subjects = {name: kept for name, (_, kept) in _TABLES.items()}
    if about.group == "models":
        subjects = {"without noise": 0.9, "ε = 1": 0.6}
        subjects |= {MARGINALS: 0.0} if about.key == "model-accuracy" else {}
    if about.group == "linear":
        subjects = {"objective perturbation": 0.3} | subjects
    if about.key == "losses":
        subjects = {"model loss": 0.7, "filtering loss": 0.9, "utility loss": 0.6}
    return Finding(about.key, {name: measured_of(about, kept) for name, kept in subjects.items()})


def measured_of(about: About, kept: float) -> SubjectResult:
    value = _value(about, kept)
    parts = tuple(
        BreakdownEntry(of, value + 0.001 * place, Interval(value - 0.01, value + 0.01))
        for place, of in enumerate(_parts(about))
    )
    return SubjectResult(value, Interval(value - 0.01, value + 0.01), parts)


def _value(about: About, kept: float) -> float:
    if about.ideal is not None:
        return about.ideal + 0.1 * (1 - kept)
    return 0.5 + 0.3 * kept if about.better == "higher" else 0.05 + 0.1 * (1 - kept)


def _parts(about: About) -> list[tuple[str, ...]]:
    if about.parts == "classifier":
        return [(each,) for each in CLASSIFIERS]
    if about.parts == "column":
        return [(each,) for each in COLUMNS]
    if about.parts == "pair of columns":
        return list(combinations(COLUMNS, 2))
    return [COLUMNS] if about.parts == "three columns" else []


def agree(page: AppTest) -> AppTest:
    """The page, its sentence confirmed."""
    next(each for each in page.checkbox if "I have read" in each.label).check()
    return page.run()


def left_behind(session: Session, progress: Progress, *, stained: bool = False) -> RunFolder:
    """A run folder as a worker would have left it, without the work."""
    place = session.runs_at
    folder = RunFolder(place / f"2026010{len(list_runs(place))}T000000-release-aa")
    folder.path.mkdir(parents=True)
    plan = session.settings.plan()
    folder.write_text("plan.json", plan.to_json())
    assert session.settings.schema is not None
    folder.write_text("schema.json", session.settings.schema.to_json())
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": "release", "stained": stained}
    folder.write_text("run.json", json.dumps(about))
    folder.report(progress)
    what = make_debit(session.settings.planned_run(), stained=stained)
    found = dataset_of(session)
    assert found is not None
    home_ledger().debit(Debit(folder.identity, found, what))
    return folder


def small(session: Session) -> Session:
    """A plan that costs little, ε = 0.4, without seeds."""
    plan_choice(session).draft.omega_low = plan_choice(session).draft.omega_high = 3
    plan_choice(session).draft.model_epsilon = epsilon_of_six_tenths(0.4)
    plan_choice(session).draft.delta = 1e-6
    return session


def epsilon_of_six_tenths(total: float) -> float:
    """The ε of a model, learned from six records in ten, that costs so much in all."""
    return math.log1p(math.expm1(total) / 0.6)


def packet_made(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> Packet:
    """The packet, without a browser to print it."""
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    page.text_input(key="packet-title").set_value("Counts of a survey").run()
    page.text_input(key="packet-by").set_value("A. Custodian, data office").run()
    page.button(key="packet-make").click().run()
    assert not page.exception
    assert not page.error
    (packet,) = list_packets(home() / "packets")
    return packet


def say_new(session: Session) -> None:
    """Say that the people in the open table are new, and others than any that look alike."""
    assert session.data.table is not None
    session.new_people = home_ledger().likeness(session.data.table.raw).fingerprint
    session.apart_because = "Nobody in a table of a test exists."


def answer_all(session: Session, records: int = 400) -> None:
    """Answer everything that a promise about the open table depends on: each row stands for a
    person of its own, so many records are publicly known, and the people in it are new."""
    assert session.settings.schema is not None
    if session.settings.schema.people is None:
        session.answers = Answers(positions=False, several=False)
    session.settings.sizes = Sizes(records=records)
    say_new(session)
