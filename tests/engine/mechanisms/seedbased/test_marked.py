"""Marks in plans, in words, and where they cannot be met."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.measures import shares as measured
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import predict_table
from understudy.mechanisms.seedbased.marked import check_marks, foreseen_of_marks, sentences
from understudy.mechanisms.seedbased.mechanism import MECHANISM
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.plan_from_options import plan_of
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.bayesnet.structure import Correlations, CostCap, select
from understudy.models.marks import Marks

SCHEMA = category_schema(30, 4, 5, 200)
MARKS = Marks(target="c1", columns=("c2",), together=(("c1", "c2"), ("c0", "c2", "c3")))


def plan(marks: Marks, records: int | None = 4_000, **settings: object) -> Plan:
    return Plan.of(SCHEMA, marks=marks, public_records=records, **settings)


def test_a_plan_without_marks_is_written_as_it_was_before_there_were_any() -> None:
    made = Plan.of(SCHEMA)
    assert "marks" not in made.as_dict()
    assert Plan.from_json(made.to_json()) == made
    assert Plan.from_json(plan(MARKS).to_json()).marks == MARKS


def test_marks_are_published_with_the_plan_and_told_where_they_have_a_use() -> None:
    said = {each.name: each.value for each in FIELDS.state_settings(FIELDS.values(plan(MARKS)))}
    assert said["Target"] == "c1"
    assert said["Columns that must survive"] == "c2"
    assert said["Pairs and triples that must survive"] == "c1 with c2; c0 with c2 with c3"
    marginals = plan(MARKS, model=ModelPlan(kind="marginals"))
    assert "Target" not in {each.name for each in FIELDS.state_settings(FIELDS.values(marginals))}


@pytest.mark.parametrize("text", ["c1,c2; c0, c2, c3", '[["c1", "c2"], ["c0", "c2", "c3"]]'])
def test_marks_are_typed(text: str) -> None:
    typed = {
        name: FIELDS[name].kind.read(each)
        for name, each in {"target": "c1", "survive": "c2", "together": text}.items()
    }
    assert plan_of(typed, SCHEMA).marks == MARKS


def test_a_marked_plan_promises_what_one_without_promises() -> None:
    both = [plan_run(each, SCHEMA).guarantee for each in (plan(MARKS), plan(Marks()))]
    assert both[0].total == both[1].total
    assert both[0].account_as(type(both[0].account)) == both[1].account


def test_what_is_marked_is_foreseen_worst_first_and_in_words() -> None:
    made = plan(Marks(target="c1", together=(("c1", "c2"),)), 50_000)
    found = predict_table(made, SCHEMA, promise(made, SCHEMA), 50_000, 10_000)
    assert found is not None
    told = foreseen_of_marks(found, made.marks, SCHEMA)
    assert told[0].names == ("c1", "c2")
    apart = [each.apart for each in told[1:] if each.apart is not None]
    assert apart == sorted(apart, reverse=True)
    assert told[0].apart == found.together[1, 2]
    words = list(sentences(found, made, SCHEMA))
    assert words[0].startswith("“c1” with “c2”: expected ")
    assert not list(sentences(found, plan(Marks()), SCHEMA))
    (unheeded,) = sentences(found, plan(MARKS, model=ModelPlan(kind="marginals")), SCHEMA)
    assert "does not heed" in unheeded


def test_a_triple_of_too_many_cells_is_refused_with_a_way_out() -> None:
    made = plan(Marks(together=(("c0", "c2", "c3"),)))
    with pytest.raises(Refusal, match="30,000 cells") as refused:
        check_marks(made, SCHEMA, promise(made, SCHEMA))
    assert refused.value.field == "marks.together"
    assert "fewer buckets" in refused.value.remedy
    for fine in (plan(Marks(together=(("c1", "c2"),)), 50_000), plan(made.marks, None)):
        check_marks(fine, SCHEMA, promise(fine, SCHEMA))


def test_what_is_marked_is_measured_first() -> None:
    first, *_ = MECHANISM.measures(plan_run(plan(MARKS), SCHEMA))
    assert isinstance(first, measured.MarkedVariation)
    assert first.groups == MARKS.groups(SCHEMA.names)
    unmarked, *_ = MECHANISM.measures(plan_run(plan(Marks()), SCHEMA))
    assert not isinstance(unmarked, measured.MarkedVariation)


def test_the_published_network_takes_a_marked_pair_before_the_way_is_closed() -> None:
    """Column 2 has room for one parent: the stronger one, unless the other is marked."""
    child_parent = np.array([[0, 0.1, 0.1], [0.1, 0, 0.1], [0.5, 0.3, 0]])
    seen = Correlations(child_parent, np.eye(3))
    cap = CostCap(np.array([4, 4, 4]), np.array([4, 4, 4]), 16)
    assert 0 in select(seen, cap).parents[2]
    marks = Marks(together=(("b", "c"),)).importance("abc")
    assert select(seen, cap, marks).parents[2] == (1,)
