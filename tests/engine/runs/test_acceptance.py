"""A run that measures held-out records: killed anywhere, it comes to the same figures."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from engine.acceptance.asked import AcceptanceTest, DistanceOf, ShareOf
from engine.core.refusal import Refusal
from engine.mechanisms.registry import planned_run
from engine.mechanisms.seedbased.accepting import begun, figures
from engine.mechanisms.seedbased.mechanism import MECHANISM, dealt
from engine.mechanisms.seedbased.plan import ModelPlan, Plan
from engine.mechanisms.seedbased.promise import promise
from engine.models.omega import Omega
from engine.privacy.randomness import Secret
from engine.runs.work import Job, work
from engine.table.split import HELD_OUT, Shares
from tests.engine.runs.asked import SCHEMA, seedless, table
from tests.engine.runs.interrupting import SEEDBASED, folder_of, killed_and_gone_on

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


@pytest.mark.parametrize(("plan", "after"), [("hidden ω", 2), ("tables", 4), ("releases", 1)])
def test_a_run_that_was_killed_measures_the_same(plan: str, after: int, tmp_path: Path) -> None:
    job = Job(table(), PLANS[plan], seed=3, figures=False)
    run = killed_and_gone_on(job, after, tmp_path)
    said = json.loads((run.release / "acceptance.json").read_text(encoding="utf-8"))
    assert len(said["statistics"]) == 2
    assert (run.release / "noisy-tables.json").exists() is (plan == "tables")


@pytest.mark.parametrize("model", [ModelPlan(kind="network", epsilon=1.0), ModelPlan(epsilon=None)])
def test_tables_that_have_no_noise_or_are_not_told_are_not_released(model: ModelPlan) -> None:
    with pytest.raises(Refusal, match=r"no noise|not learned from noisy"):
        seedless(noisy_tables=True, model=model)


def test_noise_is_drawn_once_and_kept_until_it_is_added(tmp_path: Path) -> None:
    made, records = planned_run(PLANS["seedless"], SCHEMA), table()
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
    made, records = planned_run(plan, SCHEMA), table()
    state = MECHANISM.begin(made, records, Secret.fixed(1), None)
    counting = begun(plan, SCHEMA)
    assert counting is not None
    counting.add(records.codes)
    said = figures(counting, dealt(records, state.parts).held_out, state)
    held = records.codes[state.parts == HELD_OUT]
    assert state.acceptance_noise is not None
    with_it, without = np.array(said["statistics"][0]["noisy"]) - state.acceptance_noise[0]
    assert (with_it, without) == ((held[:, 0] == 0).sum(), (held[:, 0] != 0).sum())
    assert said["statistics"][1]["noisy"][1] - state.acceptance_noise[1, 1] == len(held)


def test_the_total_is_the_largest_of_the_parts() -> None:
    plan = PLANS["seedless"]
    assert promise(plan, SCHEMA).total.epsilon == plan.model.epsilon
    dear = plan.changed(SCHEMA, acceptance=ASKED.model_copy(update={"epsilon": 3.0}))
    assert promise(dear, SCHEMA).total.epsilon == 3.0
    found = planned_run(dear, SCHEMA).guarantee
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
