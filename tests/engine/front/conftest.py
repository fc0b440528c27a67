from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from understudy.evaluation.measure import FEWEST
from understudy.front import releases
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import EvaluationOf, make_evaluation
from understudy.samples.census import write

ROWS = 900


def small_evaluation(run: RunFolder, target: str | None, repeats: int = 1) -> EvaluationOf:
    """The evaluation of a run, of few records and once."""
    return replace(make_evaluation(run, target, min(repeats, 1)), most=FEWEST)


@pytest.fixture(scope="session")
def census_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small simulated census."""
    path = tmp_path_factory.mktemp("census") / "people.csv"
    write(ROWS, path, 7)
    return path


@pytest.fixture
def at_work(
    census_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    in_this_process: None,
    few_trees: None,
) -> Path:
    """The folder that one works in, with people.csv in it; runs are made in this process, and few
    records are looked at once by an evaluation."""

    monkeypatch.setattr(releases, "make_evaluation", small_evaluation)
    (tmp_path / "people.csv").symlink_to(census_file)
    monkeypatch.chdir(tmp_path)
    return tmp_path
