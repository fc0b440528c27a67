"""A run that measures held-out records: killed anywhere, it comes to the same figures."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.engine.runs.asked import SCHEMA, seedless, table
from tests.engine.runs.interrupting import SEEDBASED, copied, drawn, folder_of, killed_and_gone_on
from tests.engine.runs.interrupting import begun as started_and_killed
from understudy.acceptance.measurement import Tally
from understudy.acceptance.outcome import as_figures, noisy_numbers
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, ShareOf
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased import accepting, executors
from understudy.mechanisms.seedbased.accepting import begin_tally, figures
from understudy.mechanisms.seedbased.attempts import Chunks, Span
from understudy.mechanisms.seedbased.mechanism import MECHANISM, deal_records
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.state import SeedbasedState
from understudy.models.noisy_tables import unlike
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.randomness import Secret
from understudy.runs.evidence import state_of
from understudy.runs.folder import TableForm
from understudy.runs.released import first_records
from understudy.runs.resources import Resources
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

        def noted(chunks: Chunks, span: Span) -> CodeArray:
            made.append(span.first)
            return make(chunks, span)

        monkeypatch.setattr(Chunks, "make", noted)

    only = Resources(form=form, cores=1)
    job = Job(table(), PLANS["hidden ω"], seed=3, figures=False, resources=only)
    run = killed_and_gone_on(job, 1, tmp_path, wider)
    assert min(made) == 32
    figures = json.loads((run.release / "acceptance.json").read_text(encoding="utf-8"))
    records = first_records(run.table, SCHEMA, 10**6)
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
    figured = accepting.figures

    def noted(released: Tally, held_out: Records, state: SeedbasedState) -> dict[str, Any]:
        assert state.acceptance_noise is not None
        added.append(state.acceptance_noise)
        return figured(released, held_out, state)

    monkeypatch.setattr(accepting, "figures", noted)
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
    assert state_of(run)[1].acceptance_noise is None


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
    said = figures(counting, deal_records(records, state.parts).held_out, state)
    held = records.codes[state.parts == HELD_OUT]
    assert state.acceptance_noise is not None
    with_it, without = np.array(said["statistics"][0]["noisy"]) - state.acceptance_noise[0]
    assert (with_it, without) == ((held[:, 0] == 0).sum(), (held[:, 0] != 0).sum())
    assert said["statistics"][1]["noisy"][1] - state.acceptance_noise[1, 1] == len(held)


def test_the_total_is_the_largest_of_the_parts() -> None:
    plan = PLANS["seedless"]
    assert promise(plan, SCHEMA).total.epsilon == plan.model.epsilon
    dear = plan.change(SCHEMA, acceptance=ASKED.model_copy(update={"epsilon": 3.0}))
    assert promise(dear, SCHEMA).total.epsilon == 3.0
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
