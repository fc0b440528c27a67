"""The evaluation of a run: whole and in its own process, and in words where it cannot be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.runs.asked import SCHEMA, finished, seedless, split_of, table
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import CANDIDATES, MARGINALS, REALS, RELEASED
from understudy.evaluation.registry import abouts, measures
from understudy.mechanisms.mechanism import STAGES
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased import inspection
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.runs.control import wait
from understudy.runs.evidence import load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import (
    EvaluationOf,
    ask,
    suggest_target,
)
from understudy.runs.work import Job
from understudy.runs.work_folder import WorkCancelled
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.split import Shares

QUICK = ("total-variation", "improvement")
ABOUT_SEEDS = ("exact-matches", "closer-to-used", "membership")
SEEDS = PlausibleDeniability(k=20, gamma=4.0, epsilon0=1.0)
"""So few plausible seeds that, whatever is learned, candidates of every ω pass."""


def told(*_: object) -> None:
    """Nobody listens."""


def evaluated(
    plan: Plan, place: Path, records: Records | None = None, **settings: Any
) -> Evaluation:
    """The quick measures of a run, taken in this process."""
    records = table() if records is None else records
    purpose = settings.pop("purpose", "release")
    run = finished(Job(records, plan, purpose=purpose), place / "run")
    usual: dict[str, Any] = {"target": "c1", "repeats": 2, "only": QUICK}
    (place / "result").mkdir()
    EvaluationOf(**{**usual, **settings}).work(load_evidence(run, records), place / "result", told)
    found = Evaluation.load(place / "result")
    assert found is not None
    return found


@pytest.mark.usefixtures("in_this_process", "few_trees")
def test_every_measure_of_a_tiny_run(tmp_path: Path) -> None:
    _every_measure(tmp_path)


@pytest.mark.thorough("test_every_measure_of_a_tiny_run")
def test_every_measure_of_a_tiny_run_in_a_process_of_its_own(tmp_path: Path) -> None:
    _every_measure(tmp_path)


def _every_measure(tmp_path: Path) -> None:
    run = finished(Job(table(), seedless(test=SEEDS)), tmp_path / "run")
    # Of 600 records, 150 are held out, give or take 11: all but surely more than are measured.
    folder = ask(EvaluationOf("c2", repeats=2, most=100), table(), run)
    ended = wait(folder)
    assert ended.state == "finished", ended.message
    assert ended.attempts == len(measures()) + STAGES
    found = Evaluation.load(folder.result)
    assert found is not None
    assert [each.key for each in found.findings] == [each.about.key for each in measures()]
    names = [each.name for each in found.tables]
    assert names == [REALS, MARGINALS, RELEASED, "ω = 2", "ω = 1"]
    assert {each.records for each in found.tables} == {100}
    assert found.target == "c2"
    for finding in found.findings:
        if finding.key == "total-variation-of-four":
            assert "fewer than 4 columns" in finding.trouble
        elif finding.key == "losses":
            assert "no candidates before the test" in finding.trouble
        else:
            assert finding.by_subject, (finding.key, finding.trouble)
        about = abouts()[finding.key]
        for name, measured in finding.by_subject.items():
            assert not math.isnan(measured.value), (finding.key, name)
            assert about.low - 1e-9 <= measured.value <= about.high + 1e-9, (finding.key, name)


def test_all_tables_are_of_the_size_of_the_smallest(tmp_path: Path) -> None:
    found = evaluated(seedless(attempts=70, test=SEEDS), tmp_path)
    assert {each.records for each in found.tables} == {70}
    assert RELEASED in [each.name for each in found.tables]


@pytest.mark.parametrize("attempts", [0, 20])
def test_a_release_of_hardly_anything_is_left_out(tmp_path: Path, attempts: int) -> None:
    """A release of nothing, and one of fewer records than say anything."""
    if attempts:
        plan = seedless(attempts=attempts)
    else:
        strict = PlausibleDeniability(k=100, gamma=4.0, epsilon0=1.0)
        plan = seedless(omega=Omega(low=0, high=0), test=strict, seeds_at_least=100, attempts=5)
    found = evaluated(plan, tmp_path)
    names = [each.name for each in found.tables]
    assert RELEASED not in names
    assert names[:2] == [REALS, MARGINALS]
    assert found.finding("total-variation").by_subject  # type: ignore[union-attr]


def test_a_rehearsal_is_evaluated_without_a_release(tmp_path: Path) -> None:
    found = evaluated(seedless(), tmp_path, purpose="rehearsal")
    assert RELEASED not in [each.name for each in found.tables]
    # By chance; a table of fewer than 50 is left out.
    assert found.tables[0].records >= 50


def test_a_plan_with_seeds_is_evaluated(tmp_path: Path) -> None:
    plan = seedless(omega=Omega(low=1, high=3), test=SEEDS)
    found = evaluated(plan, tmp_path)
    assert [each.name for each in found.tables][-4:] == ["ω = 1-3", "ω = 3", "ω = 2", "ω = 1"]


def test_a_run_without_seeds_or_structure_records_is_evaluated(tmp_path: Path) -> None:
    """Every record but those held out goes to the model: it takes the place of the seeds."""
    shares = Shares(seeds=0, structure=0, parameters=0.75, held_out=0.25)
    found = evaluated(seedless(shares=shares), tmp_path, only=(*QUICK, *ABOUT_SEEDS))
    names = [each.name for each in found.tables]
    assert names == [REALS, MARGINALS, RELEASED]
    held = split_of(load_evidence(RunFolder(tmp_path / "run"), table())).held_out
    assert found.held_out == len(held)
    # Of 600 records with a chance of 1/4: outside of this once in thirty million runs.
    assert 90 < len(held) < 210
    for finding in found.findings:
        assert finding.by_subject, (finding.key, finding.trouble)


def test_a_plan_of_marginals_is_evaluated(tmp_path: Path) -> None:
    found = evaluated(seedless(model=ModelPlan(kind="marginals")), tmp_path)
    models = found.finding("improvement")
    assert models is not None
    assert list(models.by_subject) == ["without noise", "ε = 1", "ε = 0.1"]


def test_a_plan_without_noise_is_evaluated(tmp_path: Path) -> None:
    found = evaluated(seedless(model=ModelPlan(epsilon=None)), tmp_path)
    models = found.finding("improvement")
    assert models is not None
    assert list(models.by_subject) == ["without noise"]


def test_a_wide_table_is_evaluated(tmp_path: Path) -> None:
    schema = category_schema(*[2] * 40)
    rng = np.random.default_rng(1)
    records = Records(schema, rng.integers(0, 2, (500, 40)).astype(np.uint16))
    plan = Plan.of(
        schema,
        omega=Omega(low=40, high=40),
        attempts=60,
        model=ModelPlan(kind="network"),
        shares=Shares(seeds=0.25, structure=0.25, parameters=0.25, held_out=0.25),
    )
    found = evaluated(plan, tmp_path, records, target="c39")
    # Of a smaller ω there may be a table or not, as chance has it that enough candidates pass.
    names = [each.name for each in found.tables]
    assert RELEASED in names
    assert not {"ω = 40", CANDIDATES} & set(names)


@pytest.mark.parametrize("held_out", [0.0, 0.05])
def test_too_few_held_out_records_are_told_in_words(tmp_path: Path, held_out: float) -> None:
    rest = (1 - held_out) / 3
    shares = Shares(seeds=rest, structure=rest, parameters=rest, held_out=held_out)
    with pytest.raises(Refusal, match="held out, too few"):
        evaluated(seedless(shares=shares), tmp_path)


def test_a_table_of_nobody_is_told_in_words(tmp_path: Path) -> None:
    nobody = table().take(np.arange(0))
    run = finished_without_figures(nobody, tmp_path)
    with pytest.raises(Refusal, match="held out, too few"):
        EvaluationOf("c1").work(load_evidence(run, nobody), tmp_path, told)


def finished_without_figures(records: Records, place: Path) -> Any:
    """A run whose figures could not be made, but whose evidence was kept."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(RunFigures, "save", told)
        patched.setattr(inspection, "draw_pools", lambda *_: ())
        patched.setattr(Pools, "around", lambda *_: None)
        return finished(Job(records, seedless()), place / "run")


def test_a_column_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="no column “income”") as refused:
        evaluated(seedless(), tmp_path, target="income")
    assert refused.value.field == "target"


def test_a_measure_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="no measure “beauty”"):
        evaluated(seedless(), tmp_path, only=("beauty",))


@pytest.mark.parametrize(
    ("settings", "field"),
    [({"repeats": 0}, "repeats"), ({"repeats": 21}, "repeats"), ({"most": 49}, "most")],
)
def test_numbers_out_of_range_are_refused(settings: dict[str, int], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        EvaluationOf("c1", **settings)  # type: ignore[arg-type]
    assert refused.value.field == field


def test_progress_goes_measure_by_measure_and_can_be_stopped_between_two(tmp_path: Path) -> None:
    run = finished(Job(table(), seedless()), tmp_path / "run")
    heard: list[tuple[int, str, int | None]] = []

    def hear(done: int, at: str, of: int | None = None) -> None:
        heard.append((done, at, of))
        if done == 2:
            raise WorkCancelled

    asked = EvaluationOf("c1", only=QUICK)
    with pytest.raises(WorkCancelled):
        asked.work(load_evidence(run, table()), tmp_path, hear)
    assert [(done, of) for done, _, of in heard] == [(0, 3), (1, 3), (2, 3)]
    assert [at for _, at, _ in heard[1:]] == [abouts()[key].name for key in QUICK]
    so_far = Evaluation.load(tmp_path)
    assert so_far is not None
    assert [each.key for each in so_far.findings] == list(QUICK[:1])


def test_the_target_is_suggested_from_the_schema_alone() -> None:
    assert suggest_target(census.schema()) == "WAGP"
    assert suggest_target(category_schema(2, 21, 1)) == "c0"
    assert suggest_target(category_schema(3, 20, 30)) == "c1"
    assert suggest_target(category_schema(30, 1, 40)) == "c2"


def test_private_methods_are_compared_at_what_the_release_costs() -> None:
    def epsilon(plan: Plan) -> float:
        return plan_run(plan, SCHEMA).mechanism.comparable_epsilon(plan_run(plan, SCHEMA))

    with_seeds = seedless(omega=Omega(low=1, high=3), test=SEEDS)
    assert epsilon(with_seeds) == promise(with_seeds, SCHEMA).total.epsilon
    assert epsilon(seedless()) == promise(seedless(), SCHEMA).total.epsilon
    unpromised = seedless(model=ModelPlan(epsilon=None))
    assert epsilon(unpromised) == 1.0
