"""A run that measures held-out records: killed anywhere, it comes to the same figures. Whole runs
with a third-party model: released, judged, interrupted and gone on with. A disk that is full at
any step costs nothing, or is no end: it is named, and the run goes on.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import installed, planned
from tests.engine.runs.asked import SCHEMA, finished, seedless, table
from tests.engine.runs.interrupting import PLANS as INTERRUPTING_PLANS
from tests.engine.runs.interrupting import (
    SEEDBASED,
    InLedger,
    Killed,
    copied,
    drawn,
    folder_of,
    gone_on,
    killed,
    killed_and_gone_on,
)
from tests.engine.runs.interrupting import begun as started_and_killed
from tests.support import declared, started
from understudy.acceptance.measurement import ReleasedTally
from understudy.acceptance.outcome import as_figures, noisy_numbers
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, ShareOf
from understudy.core import files
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS
from understudy.ledger import store
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased import acceptance, executors
from understudy.mechanisms.seedbased.acceptance import acceptance_figures, begin_tally
from understudy.mechanisms.seedbased.attempts import AttemptSpan, Chunks
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.inspection import begun_of
from understudy.mechanisms.seedbased.mechanism import MECHANISM, deal_records
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.state import SeedbasedState
from understudy.models.noisy_tables import unlike
from understudy.models.omega import Omega
from understudy.models.third_party.as_learner import ThirdPartyLaw
from understudy.models.third_party.claim import Claim
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import KeptTape
from understudy.runs import checkpoint, control, work_folder
from understudy.runs.debit import reconcile
from understudy.runs.evidence import load_evidence, load_run_state
from understudy.runs.folder import RunFolder, TableForm
from understudy.runs.inquiry import EvaluationOf
from understudy.runs.resources import Resources
from understudy.runs.resumption import resume
from understudy.runs.table_file import GrowingFile, read_first_records
from understudy.runs.work import Job, work
from understudy.table.records import Records
from understudy.table.split import HELD_OUT, Shares

pytestmark = pytest.mark.usefixtures("small_batches")

ASKED = AcceptanceTest(
    epsilon=0.5,
    statistics=(
        ShareOf(column="c0", values=("v0",), limit=0.2),
        DistanceOf(columns=("c0", "c1"), limit=0.5),
    ),
)
PLANS = {
    "seedless": seedless(acceptance=ASKED),
    "tables": seedless(
        omega=Omega(low=1, high=3), acceptance=ASKED, noisy_tables=True, **SEEDBASED
    ),
    "hidden ω": seedless(omega=Omega(low=1, high=3), acceptance=ASKED, **SEEDBASED),
    "releases": seedless(
        omega=Omega(low=2, high=2),
        protocol="releases",
        pass_floor=0.2,
        acceptance=ASKED,
        **{**SEEDBASED, "attempts": 61},
    ),
}


@pytest.mark.parametrize(("plan", "after"), [("tables", 4), ("releases", 1)])
def test_a_run_that_was_killed_measures_the_same(plan: str, after: int, tmp_path: Path) -> None:
    job = Job(table(), PLANS[plan], seed=3, figures=False)
    run = killed_and_gone_on(job, after, tmp_path)
    said = json.loads((run.release / "acceptance.json").read_text(encoding="utf-8"))
    assert len(said["statistics"]) == 2
    assert (run.release / "noisy-tables.json").exists() is (plan == "tables")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_attempts_that_were_made_are_kept_and_counted(
    form: TableForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gone on with in chunks of another size, as on other workers."""
    made: list[int] = []

    def wider(_: object) -> None:
        monkeypatch.setattr(executors, "BATCHES", 2)
        make = Chunks.make

        def noted(chunks: Chunks, span: AttemptSpan) -> CodeArray:
            made.append(span.first)
            return make(chunks, span)

        monkeypatch.setattr(Chunks, "make", noted)

    only = Resources(form=form, cores=1)
    job = Job(table(), PLANS["hidden ω"], seed=3, figures=False, resources=only)
    run = killed_and_gone_on(job, 1, tmp_path, wider)
    assert min(made) == 32
    figures = json.loads((run.release / "acceptance.json").read_text(encoding="utf-8"))
    records = read_first_records(run.table, SCHEMA, 10**6)
    tally = begin_tally(PLANS["hidden ω"], SCHEMA, [records.codes])
    assert tally is not None
    assert as_figures(ASKED, SCHEMA, noisy_numbers(figures), tally).items() <= figures.items()


LEARNED, QUESTIONS = 3, 7
"""The model of the next test asks about three columns; then two pairs of numbers are noised."""


def test_noise_is_drawn_once_wherever_the_run_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(
        table(),
        PLANS["seedless"].change(SCHEMA, model=ModelPlan(kind="marginals")),
        figures=False,
    )
    added: list[npt.NDArray[np.int64]] = []
    figured = acceptance.acceptance_figures

    def noted(released: ReleasedTally, held_out: Records, state: SeedbasedState) -> dict[str, Any]:
        assert state.acceptance_noise is not None
        added.append(state.acceptance_noise)
        return figured(released, held_out, state)

    monkeypatch.setattr(acceptance, "acceptance_figures", noted)
    for at in (5, QUESTIONS):
        run = folder_of(job, tmp_path / f"{at}")
        assert drawn(job, run, stop_after=at) == (at, 0)
        kept = copied(run, tmp_path / f"{at} again")
        again = replace(job, resumed=True)
        assert [drawn(again, each) for each in (run, kept)] == [(QUESTIONS - at, at)] * 2
        one, two = (each.ravel()[: max(0, at - LEARNED)] for each in added[-2:])
        np.testing.assert_array_equal(one, two)


def test_a_run_that_lost_what_it_drew_does_not_draw_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["seedless"], figures=False)
    run = started_and_killed(job, tmp_path / "run", monkeypatch)
    run.learned.unlink()
    with pytest.raises(Refusal, match="damaged"):
        work(replace(job, resumed=True), run, os.getpid())


def test_the_noise_is_not_kept_once_the_run_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["seedless"])
    run = started_and_killed(job, tmp_path / "run", monkeypatch)
    with np.load(run.learned) as file:
        assert "acceptance noise" in file.files
    os.link(run.learned, tmp_path / "another name")
    work(replace(job, resumed=True), run, os.getpid())
    assert not any((tmp_path / "another name").read_bytes())
    for path in run.path.rglob("*.npz"):
        with np.load(path) as file:
            assert "acceptance noise" not in file.files
    assert run.table.exists()
    assert (run.internal / "evidence.npz").exists()
    assert load_run_state(run)[1].acceptance_noise is None


OUTSIDE = Claim(name="toy", source="The authors of the toy", covers="One record.")


@pytest.mark.parametrize(
    "model", [ModelPlan(kind="outside", epsilon=1.0, outside=OUTSIDE), ModelPlan(epsilon=None)]
)
def test_tables_that_have_no_noise_or_are_not_told_are_not_released(model: ModelPlan) -> None:
    with pytest.raises(Refusal, match=r"no noise|not learned from noisy"):
        seedless(noisy_tables=True, model=model)


@pytest.mark.parametrize("kind", ["network", "marginals"])
def test_tables_of_every_model_of_our_own_are_released(kind: ModelKind, tmp_path: Path) -> None:
    plan = seedless(noisy_tables=True, model=ModelPlan(kind=kind, epsilon=1.0))
    run = folder_of(Job(table(), plan, figures=False), tmp_path / "run")
    work(Job(table(), plan, figures=False), run, os.getpid())
    said = json.loads((run.release / "noisy-tables.json").read_text(encoding="utf-8"))
    assert unlike(said, SCHEMA) is None
    assert [each["columns"][-1] for each in said["tables"]] == list(SCHEMA.names)
    assert promise(plan, SCHEMA).total == promise(seedless(model=plan.model), SCHEMA).total


def test_noise_is_drawn_once_and_kept_until_it_is_added(tmp_path: Path) -> None:
    made, records = plan_run(PLANS["seedless"], SCHEMA), table()
    state = MECHANISM.begin(made, records, Secret.fresh(), None)
    again = MECHANISM.restore(made, state.arrays())
    assert state.acceptance_noise is not None
    assert again.acceptance_noise is not None
    np.testing.assert_array_equal(again.acceptance_noise, state.acceptance_noise)
    other = MECHANISM.begin(made, records, Secret.fresh(), None)
    assert other.acceptance_noise is not None
    assert (other.acceptance_noise != state.acceptance_noise).any()


def test_only_held_out_records_are_measured(tmp_path: Path) -> None:
    plan = PLANS["seedless"]
    made, records = plan_run(plan, SCHEMA), table()
    state = MECHANISM.begin(made, records, Secret.fixed(1), None)
    counting = begin_tally(plan, SCHEMA)
    assert counting is not None
    counting.add(records.codes)
    said = acceptance_figures(counting, deal_records(records, state.parts).held_out, state)
    held = records.codes[state.parts == HELD_OUT]
    assert state.acceptance_noise is not None
    with_it, without = np.array(said["statistics"][0]["noisy"]) - state.acceptance_noise[0]
    assert (with_it, without) == ((held[:, 0] == 0).sum(), (held[:, 0] != 0).sum())
    assert said["statistics"][1]["noisy"][1] - state.acceptance_noise[1, 1] == len(held)


def test_the_total_is_a_mean_of_the_parts() -> None:
    plan = PLANS["seedless"]
    shares, model = plan.shares, plan.model.epsilon
    assert model is not None
    learned = (shares.structure + shares.parameters) * math.expm1(model)
    for epsilon in (0.5, 3.0):
        dear = plan.change(SCHEMA, acceptance=ASKED.model_copy(update={"epsilon": epsilon}))
        total = math.log1p(learned + shares.held_out * math.expm1(epsilon))
        assert promise(dear, SCHEMA).total.epsilon == pytest.approx(total, rel=1e-12)
    found = plan_run(dear, SCHEMA).guarantee
    assert {"acceptance test"} <= {each.of for each in found.parts}
    assert any("acceptance test" in each for each in found.scope.reader_sees)


def test_a_plan_without_a_test_is_written_as_before_and_one_with_it_is_read_back() -> None:
    assert "acceptance" not in seedless().as_dict()
    plan = PLANS["releases"]
    assert Plan.from_json(plan.to_json()) == plan


def test_a_test_needs_records_that_are_held_out() -> None:
    with pytest.raises(Refusal, match="holds no record out"):
        seedless(acceptance=ASKED, shares=Shares(structure=0.4, held_out=0.0))


def test_a_rehearsal_measures_nothing(tmp_path: Path) -> None:
    job = Job(table(), PLANS["seedless"], purpose="rehearsal", figures=False)
    run = folder_of(job, tmp_path / "run")
    work(job, run, os.getpid())
    assert not run.release.exists()


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
        run = started_and_killed(job, tmp_path / "begun", monkeypatch)
        with killed(9), pytest.raises(Killed):
            work(replace(job, resumed=True), run, os.getpid())
        assert gone_on(job, run) == whole.table.read_bytes()
    assert whole.table.read_bytes().count(b"\n") > 1


def test_without_the_package_it_is_not_gone_on_with_and_can_be_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path / "package", "toy", toy.Chained):
        job = Job(table(), hidden(), figures=False)
        run = started_and_killed(job, tmp_path / "begun", monkeypatch)
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
        evidence = load_evidence(run, table())
        assert isinstance(begun_of(evidence).network, ThirdPartyLaw) == (learner is toy.Chained)
        (tmp_path / "result").mkdir()
        asked = EvaluationOf(target="c1", repeats=2, most=100, only=("model-accuracy",))
        asked.work(evidence, tmp_path / "result", lambda *_: None)
    figures = RunFigures.load(run.internal)
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


PLAN = INTERRUPTING_PLANS["hidden ω"].change(SCHEMA, model=ModelPlan(kind="marginals"))
JOB = Job(table(), PLAN, figures=False)
WRITES: tuple[tuple[Any, str], ...] = (
    (files.tempfile, "mkstemp"),
    (work_folder, "replace_text"),
    (checkpoint, "_write_secret"),
    (KeptTape, "_put"),
    (GrowingFile, "write"),
    (GrowingFile, "settle"),
)


@contextmanager
def full_from(at: int) -> Iterator[list[str]]:
    """From the so manieth write on, the disk is full."""
    done: list[str] = []

    def filling(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def write(*arguments: Any, **named: Any) -> Any:
            if len(done) >= at:
                raise OSError(errno.ENOSPC, "No space left on device")
            done.append(name)
            return real(*arguments, **named)

        return write

    with pytest.MonkeyPatch.context() as hooks:
        for owner, name in WRITES:
            hooks.setattr(owner, name, filling(name, getattr(owner, name)))
        yield done


@pytest.mark.parametrize(
    "every",
    [
        4,
        pytest.param(1, marks=pytest.mark.thorough("test_a_disk_that_is_full_from_any_write_on")),
    ],
)
def test_a_disk_that_is_full_from_any_write_on(debited: InLedger, every: int) -> None:
    with full_from(10**9) as done:
        started(JOB, debited.place, ledger=debited.ledger)
    assert {"_put", "write", "settle", "_write_secret"} <= set(done)
    spent = debited.ledger.book().balances[0].runs
    free = 0
    for at in range(0, len(done), every):
        said = ""
        before = set(debited.ledger.book().runs)
        with full_from(at):
            try:
                started(JOB, debited.place, ledger=debited.ledger)
            except Refusal as refusal:
                said = str(refusal)
        new = set(reconcile(debited.ledger).runs) - before
        if not new:
            free += 1
            assert "is full" in said
            assert "Free some space" in said
            continue
        spent += 1
        (name,) = new
        run = RunFolder(debited.place / name)
        _gone(run)
        if not run.release.exists():
            assert f"The disk that holds {run.path} is full." in (said or run.progress().message)
            resume(run, JOB.records, ledger=debited.ledger)
        found = reconcile(debited.ledger).runs[name]
        assert found.state == "released"
        assert found.artefacts == run.artefacts()
        assert not run.unfinished.exists()
    assert 0 < free < len(done) // every // 2
    assert debited.ledger.book().balances[0].runs == spent
    assert not [path for path in debited.place.iterdir() if path.name.startswith(".")]


def _gone(run: RunFolder) -> None:
    """Its process is no more, also where the disk was too full to put down which that was."""
    said = json.loads(run.read_text("progress.json"))
    run.write_text("progress.json", json.dumps({**said, "process": os.getpid(), "born": "other"}))


def test_a_full_disk_under_the_ledger_is_named_and_nothing_is_spent(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store.Writing, "append", full)
    with pytest.raises(Refusal) as refused:
        control.start(declared(JOB), debited.place, ledger=debited.ledger)
    assert refused.value.problem == f"The disk that holds {debited.ledger.path} is full."
    assert refused.value.field == "ledger"
    assert list(debited.place.iterdir()) == []
