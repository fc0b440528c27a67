"""Every method takes a column of any kind, or says of it why not."""

from __future__ import annotations

import pytest

from tests.engine.table import toy_kinds
from tests.engine.table.kind_examples import EXAMPLES, Example, column_of
from understudy.acceptance.statistics import MeanOf, ShareOf
from understudy.core.refusal import Refusal
from understudy.mechanisms.expected_utility import SchemaShape
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.registry import mechanisms, plan_run
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    toy_kinds.register(monkeypatch)


@pytest.fixture(params=EXAMPLES, ids=lambda example: example.domain.kind)
def example(request: pytest.FixtureRequest) -> Example:
    found: Example = request.param
    return found


def schema_with(example: Example, *, missing: bool = False) -> Schema:
    flags = (
        Column(name=name, domain=Categories(values=("no", "yes"))) for name in ("one", "other")
    )
    return Schema(columns=(column_of(example.domain, missing=missing), *flags)).declare_public("-")


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("method", sorted(mechanisms()))
def test_a_method_takes_the_kind_or_says_why_not(
    example: Example, method: str, missing: bool
) -> None:
    schema, mechanism = schema_with(example, missing=missing), mechanisms()[method]
    try:
        mechanism.check_schema(schema)
        plan_run(mechanism.default_plan(schema), schema)
    except Refusal as refusal:
        said = refusal.problem[-1] + refusal.remedy[-1]
        assert (said, method != "seedbased") == ("..", True)


def test_only_plain_numbers_have_a_mean(example: Example) -> None:
    schema, domain = schema_with(example), example.domain
    assert SchemaShape.of(schema).numbers == domain.ordered
    ShareOf(column="it", values=(domain.texts[0],)).check(schema)
    if domain.numeric:
        MeanOf(column="it").check(schema)
        return
    with pytest.raises(Refusal, match="has no numbers"):
        MeanOf(column="it").check(schema)
    said = f"“it” holds {domain.words.plural}"
    measured = ImputationPlan(
        domain=schema.fingerprint,
        columns=("it", "one"),
        deviations={"it": 2.0},
        records=400,
        public_records=400,
    )
    with pytest.raises(Refusal, match=said):
        plan_run(measured, schema)
    if domain.ordered:
        pmse = mechanisms()["pmse"]
        with pytest.raises(Refusal, match=said):
            plan_run(pmse.default_plan(schema), schema)
