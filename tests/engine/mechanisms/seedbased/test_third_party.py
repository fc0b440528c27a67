"""A plan for a third-party model, and how the statement says whose promise it repeats. Pools at
other ε of the model: learned from the parts of the run, beside its own pools.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import list_all_settings
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.evaluation.sweep import combine_settings, sweep
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.inquiries import pools as pooling
from understudy.mechanisms.seedbased.inquiries.pools import Pooling, all_pools
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.report.papers import PAPERS
from understudy.mechanisms.statement import ReleasedFile
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.budget import Budget
from understudy.report.guarantee_file import Statement, json_schema
from understudy.runs.control import start, wait
from understudy.runs.evidence import load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import ask
from understudy.runs.work import Job, work
from understudy.table.records import Records
from understudy.table.split import Shares

SCHEMA = category_schema(3, 4, 2, 5).declare_public("agreed with the board")
CLAIM = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
MODEL = ModelPlan(kind="outside", epsilon=0.75, outside=CLAIM)


def plan(**settings: Any) -> Plan:
    return Plan.of(SCHEMA, **{"model": MODEL, "omega": Omega(low=4, high=4), **settings})


def said(of: Plan) -> dict[str, Any]:
    table = ReleasedFile("synthetic", "0" * 64, 12)
    made: dict[str, Any] = json.loads(Statement(of, SCHEMA, (table,), False).to_json())
    return made


def test_a_plan_file_holds_the_claim() -> None:
    text = plan().to_json()
    assert json.loads(text)["model"]["outside"] == CLAIM.model_dump()
    assert Plan.from_json(text) == plan()
    assert plan().model.at(0.5) == ModelPlan(kind="outside", epsilon=0.5, outside=CLAIM)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (ModelPlan(kind="outside"), "does not say which"),
        (ModelPlan(outside=CLAIM), "is for none"),
    ],
)
def test_a_claim_goes_with_an_outside_model_and_with_no_other(
    model: ModelPlan, problem: str
) -> None:
    with pytest.raises(Refusal, match=problem) as caught:
        plan(model=model)
    assert caught.value.field == "model"


def test_it_has_no_posterior() -> None:
    with pytest.raises(Refusal, match="The third-party model has no posterior"):
        plan(model=ModelPlan(kind="outside", outside=CLAIM, estimate="sampled"))


def test_it_learns_from_the_records_of_both_shares() -> None:
    assert plan(shares=Shares(seeds=0, structure=0.9, parameters=0, held_out=0.1))
    with pytest.raises(Refusal, match="No record goes to the parameters"):
        plan(shares=Shares(seeds=0.9, structure=0, parameters=0, held_out=0.1))


def test_it_is_held_to_all_that_the_plan_allows() -> None:
    made = promise(plan(), SCHEMA)
    assert dict(made.learning) == {"model": Budget(0.75, made.record_delta)}
    # Six records in ten are learned from.
    assert made.total.epsilon == pytest.approx(math.log(1 + 0.6 * math.expm1(0.75)))
    assert made.published_model is None


def test_the_statement_says_whose_promise_it_is() -> None:
    told = said(plan())["guarantee"]
    assert "For the model, that is the word of “toy”, repeated here." in told["statement"]
    (word,) = (each for each in told["assumes"] if "“toy”" in each)
    assert "ε = 0.75 and δ = 1e-9 for one record" in word
    assert "was not proved or checked" in word
    assert "Who stands behind it: The authors of the toy. " in word
    assert word.endswith("What it covers: One record, added or removed.")
    own = said(plan(model=ModelPlan()))["guarantee"]
    assert "word of" not in own["statement"]
    assert not any("not proved" in each for each in own["assumes"])


def test_where_nothing_is_promised_no_word_is_repeated() -> None:
    told = said(plan(model=ModelPlan(kind="outside", epsilon=None, outside=CLAIM)))["guarantee"]
    assert told["strength"] == "none"
    assert not any("“toy”" in each for each in told["assumes"])


def test_the_statement_is_one_by_its_schema() -> None:
    schema = json.loads(json_schema("seedbased"))
    jsonschema.validate(said(plan()), schema)
    jsonschema.validate(said(plan(model=ModelPlan())), schema)
    older = said(plan(model=ModelPlan()))
    del older["plan"]["model"]["outside"]
    jsonschema.validate(older, schema)
    bare = said(plan())
    del bare["plan"]["model"]["outside"]["source"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bare, schema)


def test_the_report_and_comparisons_have_words_for_it() -> None:
    found = next(each for each in PAPERS.settings(plan_run(plan(), SCHEMA)) if each.name == "Model")
    assert found.value == "third-party model “toy”"
    assert "the word of whoever made it" in found.meaning
    for each in list_all_settings([plan(), plan(model=ModelPlan())]):
        assert each.alike or FIELDS.label_setting(each.setting) != each.setting


POOLING_SCHEMA = category_schema(4, 3, 5)
TWO, SEEDLESS = Omega(low=2, high=2), Omega(low=3, high=3)
PLAN = Plan.of(POOLING_SCHEMA, model=ModelPlan(epsilon=2.0), omega=TWO, attempts=50, delta=1e-4)


def told(done: int, at: str, of: int | None = None) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def records() -> Records:
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, size, 5_000) for size in (4, 3, 5)])
    codes[:, 1] = codes[:, 0] // 2
    return Records(POOLING_SCHEMA, codes.astype(np.uint16))


@pytest.fixture(scope="module")
def run(records: Records, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A rehearsal that has ended."""
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    folder.write_text("plan.json", PLAN.to_json())
    folder.write_text("schema.json", POOLING_SCHEMA.to_json())
    ended = work(Job(records, PLAN, purpose="rehearsal"), folder, os.getpid())
    assert ended.state == "finished"
    return folder


def test_every_run_keeps_pools_of_its_own(run: RunFolder) -> None:
    pools = all_pools(run)
    assert pools.epsilons == (2.0,)
    assert [str(omega) for omega in pools.omegas] == ["2", "3", "1"]
    point = sweep([PLAN], POOLING_SCHEMA, pools).points[0]
    assert point.pass_rate > 0
    assert 0 < point.distance < pools.references.marginals + 0.1


def test_a_model_is_learned_for_every_epsilon(
    run: RunFolder, records: Records, tmp_path: Path
) -> None:
    evidence = load_evidence(run, records)
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
    evidence = load_evidence(run, records)
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
    plans = combine_settings(
        PLAN, POOLING_SCHEMA, {"model_epsilon": found.epsilons, "omega": found.omegas}
    ).plans
    points = sweep(plans, POOLING_SCHEMA, found).points
    assert len(points) == 9
    assert np.isfinite([point.distance for point in points]).all()
    figures = RunFigures.load(run.internal)
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
    RunFigures(((), ()), (0, 1), (), ()).save(tmp_path / "internal")
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
