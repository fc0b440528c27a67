"""Whole runs with a third-party model: released, judged, interrupted and gone on with."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import installed, planned
from tests.engine.runs.asked import finished, seedless, table
from tests.engine.runs.interrupting import SEEDBASED, Killed, begun, folder_of, gone_on, killed
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.looking import begun_of
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.models.third_party.as_learner import ThirdPartyLaw
from understudy.runs.evidence import evidence_of
from understudy.runs.inquiry import EvaluationOf
from understudy.runs.work import Job, work

pytestmark = pytest.mark.usefixtures("small_batches")


def hidden() -> Plan:
    """ω hidden: every attempt draws from the model and is scored by it."""
    return seedless(model=planned(), omega=Omega(low=1, high=3), **SEEDBASED)


def test_a_run_with_it_is_interrupted_and_comes_to_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path / "package", "toy", toy.Chained):
        job = Job(table(), hidden(), seed=4, figures=False)
        whole = folder_of(job, tmp_path / "whole")
        work(job, whole, os.getpid())
        run = begun(job, tmp_path / "begun", monkeypatch)
        with killed(9), pytest.raises(Killed):
            work(replace(job, resumed=True), run, os.getpid())
        assert gone_on(job, run) == whole.table.read_bytes()
    assert whole.table.read_bytes().count(b"\n") > 1


def test_without_the_package_it_is_not_gone_on_with_and_can_be_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path / "package", "toy", toy.Chained):
        job = Job(table(), hidden(), figures=False)
        run = begun(job, tmp_path / "begun", monkeypatch)
    with pytest.raises(Refusal, match="No third-party model is installed as “toy”"):
        work(replace(job, resumed=True), run, os.getpid())
    assert run.unfinished.exists()
    with installed(tmp_path / "again", "toy", toy.Chained):
        gone_on(job, run)


@pytest.mark.parametrize("learner", [toy.Chained, toy.Networked])
def test_its_release_says_whose_word_it_is_and_its_model_is_judged(
    learner: type, tmp_path: Path
) -> None:
    with installed(tmp_path / "package", "toy", learner):
        run = finished(Job(table(), seedless(model=planned())), tmp_path / "run")
        evidence = evidence_of(run, table())
        assert isinstance(begun_of(evidence).network, ThirdPartyLaw) == (learner is toy.Chained)
        (tmp_path / "result").mkdir()
        asked = EvaluationOf(target="c1", repeats=2, most=100, only=("model-accuracy",))
        asked.work(evidence, tmp_path / "result", lambda *_: None)
    figures = Figures.load(run.internal)
    assert figures is not None
    assert figures.order == begun_of(evidence).network.order
    assert figures.parents == begun_of(evidence).network.parents
    evaluation = Evaluation.load(tmp_path / "result")
    assert evaluation is not None
    (finding,) = evaluation.findings
    assert set(finding.by_subject) >= {"without noise", "ε = 1", "ε = 0.1", MARGINALS}
    said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert said["plan"]["model"]["outside"]["name"] == "toy"
    assert "word of “toy”" in said["guarantee"]["statement"]


def test_a_run_whose_model_is_refused_releases_nothing(tmp_path: Path) -> None:
    with installed(tmp_path / "package", "toy", toy.Greedy):
        job = Job(table(), seedless(model=planned()))
        run = folder_of(job, tmp_path / "run")
        with pytest.raises(Refusal, match="declares ε = 2 where the plan allows 1"):
            work(job, run, os.getpid())
    assert not run.release.exists()
    assert not run.can_go_on
