"""A plan for a third-party model, and how the statement says whose promise it repeats."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import list_settings
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.report.papers import PAPERS
from understudy.mechanisms.statement import Released
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.budget import Budget
from understudy.report.guarantee_file import Statement, json_schema
from understudy.table.split import Shares

SCHEMA = category_schema(3, 4, 2, 5).declare_public("agreed with the board")
CLAIM = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
MODEL = ModelPlan(kind="outside", epsilon=0.75, outside=CLAIM)


def plan(**settings: Any) -> Plan:
    return Plan.of(SCHEMA, **{"model": MODEL, "omega": Omega(low=4, high=4), **settings})


def said(of: Plan) -> dict[str, Any]:
    table = Released("synthetic", "0" * 64, 12)
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
    assert made.total.epsilon == 0.75
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
    for each in list_settings([plan(), plan(model=ModelPlan())]):
        assert each.alike or FIELDS.label_setting(each.setting) != each.setting
