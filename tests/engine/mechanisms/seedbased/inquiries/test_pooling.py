"""Pools at other ε of the model: learned from the parts of the run, beside its own pools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.sweep import grid, sweep
from understudy.mechanisms.seedbased.inquiries import pooling
from understudy.mechanisms.seedbased.inquiries.pooling import Pooling, all_pools
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.runs.control import start, wait
from understudy.runs.evidence import evidence_of
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import ask
from understudy.runs.work import Job, work
from understudy.table.records import Records

SCHEMA = category_schema(4, 3, 5)
TWO, SEEDLESS = Omega(low=2, high=2), Omega(low=3, high=3)
PLAN = Plan.of(SCHEMA, model=ModelPlan(epsilon=2.0), omega=TWO, attempts=50, delta=1e-4)


def told(done: int, at: str, of: int | None = None) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def records() -> Records:
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, size, 5_000) for size in (4, 3, 5)])
    codes[:, 1] = codes[:, 0] // 2
    return Records(SCHEMA, codes.astype(np.uint16))


@pytest.fixture(scope="module")
def run(records: Records, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A rehearsal that has ended."""
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    folder.write_text("plan.json", PLAN.to_json())
    folder.write_text("schema.json", SCHEMA.to_json())
    ended = work(Job(records, PLAN, purpose="rehearsal"), folder, os.getpid())
    assert ended.state == "finished"
    return folder


def test_every_run_keeps_pools_of_its_own(run: RunFolder) -> None:
    pools = all_pools(run)
    assert pools.epsilons == (2.0,)
    assert [str(omega) for omega in pools.omegas] == ["2", "3", "1"]
    point = sweep([PLAN], SCHEMA, pools).points[0]
    assert point.pass_rate > 0
    assert 0 < point.distance < pools.references.marginals + 0.1


def test_a_model_is_learned_for_every_epsilon(
    run: RunFolder, records: Records, tmp_path: Path
) -> None:
    evidence = evidence_of(run, records)
    steps: list[tuple[int, str, int | None]] = []

    def listening(done: int, at: str, of: int | None = None) -> None:
        steps.append((done, at, of))

    Pooling((0.01, 2.0, None), (TWO, SEEDLESS)).work(evidence, tmp_path, listening)
    assert [(done, of) for done, _, of in steps] == [(0, 3), (1, 3), (2, 3)]
    assert "0.01" in steps[0][1]
    found = pooling.load_pools(tmp_path / "pools.npz")
    assert [(each.epsilon, each.sample.omega) for each in found] == [
        (epsilon, omega) for epsilon in (0.01, 2.0, None) for omega in (TWO, SEEDLESS)
    ]
    blurred, exact = (
        all_pools(run).held_out.typical(each.codes, np.ones((len(each.codes), 1)))[0]
        for each in (found[1], found[5])
    )
    assert exact < blurred


def test_the_runs_own_model_is_not_learned_again(
    run: RunFolder, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[float | None] = []
    learn: Any = pooling.learn

    def counted(plan: Plan, *others: Any) -> Any:
        learned.append(plan.model.epsilon)
        assert (plan.test, plan.shares, plan.delta) == (PLAN.test, PLAN.shares, PLAN.delta)
        return learn(plan, *others)

    monkeypatch.setattr(pooling, "learn", counted)
    evidence = evidence_of(run, records)
    Pooling((2.0, 0.5), (SEEDLESS,)).work(evidence, tmp_path, told)
    assert learned == [0.5]


@pytest.mark.usefixtures("in_this_process")
def test_what_is_asked_for_is_added_to_the_run(records: Records, tmp_path: Path) -> None:
    run = start(Job(records, PLAN, purpose="rehearsal"), tmp_path)
    assert wait(run).state == "finished"
    own = all_pools(run)
    asked = ask(Pooling((0.5, 1.0), own.omegas), records, run)
    assert wait(asked).state == "finished"
    found = all_pools(run)
    assert found.epsilons == (2.0, 0.5, 1.0)
    plans = grid(PLAN, SCHEMA, {"model_epsilon": found.epsilons, "omega": found.omegas}).plans
    points = sweep(plans, SCHEMA, found).points
    assert len(points) == 9
    assert np.isfinite([point.distance for point in points]).all()
    figures = Figures.load(run.internal)
    assert figures is not None
    assert figures.pools is not None
    assert figures.pools.epsilons == (2.0,)


def test_too_many_at_once_are_refused() -> None:
    with pytest.raises(Refusal, match="at most 100") as refused:
        Pooling(tuple(range(1, 52)), (TWO, SEEDLESS))
    assert refused.value.field == "model_epsilon"


def test_a_run_without_candidates_says_so(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="kept no candidates"):
        all_pools(RunFolder(tmp_path))
    Figures(((), ()), (0, 1), (), ()).save(tmp_path / "internal")
    with pytest.raises(Refusal, match="older"):
        all_pools(RunFolder(tmp_path))


def test_damaged_figures_are_told_in_words(records: Records, tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    run.internal.mkdir()
    (run.internal / "figures.json").write_text("{", encoding="utf-8")
    with pytest.raises(Refusal, match=r"internal files .* are damaged"):
        all_pools(run)


def test_nobody_else_may_read_what_a_run_keeps(run: RunFolder) -> None:
    kept = [path for path in run.internal.iterdir() if path.is_file()]
    assert {"evidence.npz", "figures.json", "figures.npz"} <= {path.name for path in kept}
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
