"""An evaluation made by hand, as one of the tiny table could have come out."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from itertools import combinations

from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    CANDIDATES,
    MARGINALS,
    REALS,
    RELEASED,
    About,
    Finding,
    Interval,
    Measured,
    Part,
    Role,
)
from understudy.evaluation.registry import measures
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import EvaluationOf, InquiryFolder
from understudy.runs.watched import Progress, State

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


def measured_of(about: About, kept: float) -> Measured:
    value = _value(about, kept)
    parts = tuple(
        Part(of, value + 0.001 * place, Interval(value - 0.01, value + 0.01))
        for place, of in enumerate(_parts(about))
    )
    return Measured(value, Interval(value - 0.01, value + 0.01), parts)


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
