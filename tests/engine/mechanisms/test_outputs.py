"""What a run may release, and what is refused as a fault of its method. What most methods do
alike.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.support import category_schema, uniform_records
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import QuickFigures
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.registry import measures
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, MechanismDefaults, held_out
from understudy.mechanisms.mechanism import EvaluationRequest, Evidence, PlannedRun
from understudy.mechanisms.outputs import MOST_OUTPUTS, RESERVED, Output, Workers, checked_outputs
from understudy.mechanisms.plan import ColumnName, MechanismPlan
from understudy.privacy.accounting.guarantee import Guarantee, Scope
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import Secret
from understudy.report import files
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.records import Records
from understudy.table.schema import Schema

PLAIN = category_schema(3, 4)
MEASURED = Schema(
    columns=(
        Column(
            name="weight",
            domain=Continuous(
                minimum=Decimal(0), maximum=Decimal(10), precision=Decimal("0.1"), step=Decimal(2)
            ),
        ),
        Column(name="sex", domain=Categories(values=("m", "f"))),
    )
)
NUMBERS = np.array([[0.3], [9.9]])
CODES = np.array([[0, 1], [4, 0]], np.uint16)


def table(name: str = "synthetic", schema: Schema = PLAIN, **more: Any) -> Output:
    return Output(name, "table", "Records.", schema, 9, **more)


@pytest.mark.parametrize(
    "name",
    ["", "Table", "a/b", "../x", "a.b", "x" * 41, "demonstration-x", "x-values", *sorted(RESERVED)],
)
def test_a_name_that_another_file_has_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="name of an output"):
        table(name)


def test_no_name_of_an_output_is_that_of_a_file_of_a_packet() -> None:
    fixed = {each.casefold().partition(".")[0] for each in files.ABOUT if each != files.SUMS}
    assert fixed - {"synthetic"} <= RESERVED


def test_outputs_are_some_and_of_different_names_and_the_synthetic_table_is_first() -> None:
    figures = Output("counts", "figures", "Counts.")
    assert checked_outputs([figures, table("b"), table()]) == (table(), figures, table("b"))
    for wrong in (
        [],
        [figures, table("counts")],
        [table(f"t{n}") for n in range(MOST_OUTPUTS + 1)],
    ):
        with pytest.raises(ValueError, match="outputs"):
            checked_outputs(wrong)


@pytest.mark.parametrize(("kind", "schema"), [("table", None), ("figures", PLAIN)])
def test_a_table_has_a_schema_and_figures_have_none(kind: Any, schema: Schema | None) -> None:
    with pytest.raises(ValueError, match="figures"):
        Output("x", kind, "Something.", schema)


def test_chunks_are_what_their_output_says() -> None:
    own, drawn = table(schema=MEASURED, own_numbers=True), table(schema=MEASURED)
    measured = Records(MEASURED, CODES, NUMBERS)
    own.check(measured)
    drawn.check(CODES)
    drawn.check(Records(MEASURED, CODES))
    table(own_numbers=True).check(np.zeros((2, 2), np.uint16))
    Output("counts", "figures", "Counts.").check({"a": 1})
    wrong: list[tuple[Output, Any]] = [
        (own, CODES),
        (own, Records(MEASURED, CODES)),
        (drawn, measured),
        (drawn, {"a": 1}),
        (table(), Records(MEASURED, CODES)),
        (Output("counts", "figures", "Counts."), CODES),
    ]
    for output, content in wrong:
        with pytest.raises(ValueError, match="chunk"):
            output.check(content)


@pytest.mark.parametrize("number", [0.35, -0.1, 10.1, np.inf, 3.0])
def test_numbers_that_a_column_cannot_hold_make_no_records(number: float) -> None:
    """Off the precision, out of bounds, or in another cell than the code says."""
    with pytest.raises(ValueError, match="weight"):
        Records(MEASURED, np.array([[0, 0]], np.uint16), np.array([[number]]))


SCHEMA = category_schema(3, 4)
GROUPS = ("distances", "disclosure")


class CountsPlan(MechanismPlan, what="the plan"):
    kind: ClassVar[str] = "counts"

    column: ColumnName
    others: tuple[ColumnName, ...]
    epsilon: float = 1.0


class NeedyPlan(MechanismPlan, what="the plan"):
    kind: ClassVar[str] = "needy"

    word: str


class Counts(MechanismDefaults):
    plan: ClassVar[type[MechanismPlan]] = CountsPlan


class Needy(MechanismDefaults):
    plan: ClassVar[type[MechanismPlan]] = NeedyPlan


def records_of(count: int, seed: int) -> Records:
    return uniform_records(SCHEMA, count, seed)


def decided(total: Budget) -> PlannedRun:
    plan = Counts().default_plan(SCHEMA)
    guarantee = Guarantee(record=total, scope=Scope("", ""), statement="")
    return PlannedRun(plan, SCHEMA, guarantee, (), Counts())


def evidence(apart: float, released: int | None) -> Evidence:
    records = records_of(400, 1)
    which = held_out(len(records), apart, Secret.fixed(3))
    return Evidence(
        decided(Budget(1.0)),
        records,
        ArraysState({HELD_OUT: which}),
        {} if released is None else {"synthetic": records_of(released, 2)},
    )


def test_an_opening_plan_names_the_first_column_where_one_has_to_be_named() -> None:
    plan: Any = Counts().default_plan(SCHEMA)
    assert (plan.column, plan.others, plan.epsilon) == ("c0", ("c0",), 1.0)


def test_what_nobody_can_guess_is_refused_by_name() -> None:
    with pytest.raises(Refusal, match="word"):
        Needy().default_plan(SCHEMA)


def test_about_so_many_are_held_out_and_the_same_each_time() -> None:
    found = held_out(10_000, 0.2, Secret.fixed(3))
    assert 1_800 < found.sum() < 2_200
    assert (found == held_out(10_000, 0.2, Secret.fixed(3))).all()


def test_what_is_released_is_compared_with_what_was_held_out() -> None:
    asked = evidence(0.3, 200)
    look = Counts().quick_report(
        asked.decided, asked.records, asked.state, asked.released, Secret.fixed(1).source("x")
    )
    assert isinstance(look.figures, QuickFigures)
    assert {each.name for each in look.figures.compared} == {
        "other real records",
        "marginals",
        "released",
    }
    study = Counts().study(
        asked, EvaluationRequest("c0", 1, 100), Secret.fixed(1).source("x"), lambda told: None
    )
    assert len(study.held_out) + len(study.seeds) == len(asked.records)
    assert max(len(each.records) for each in study.tables) <= 100


def test_the_marginals_have_every_value_as_often_and_no_relation() -> None:
    related = Records(SCHEMA, np.repeat(np.array([[0, 0], [2, 3]], np.uint16), 1_000, axis=0))
    which = held_out(len(related), 0.3, Secret.fixed(3))
    asked = Evidence(
        decided(Budget(1.0)), related, ArraysState({HELD_OUT: which}), {"synthetic": related}
    )
    study = Counts().study(
        asked, EvaluationRequest("c0", 1, 10_000), Secret.fixed(1).source("x"), lambda told: None
    )
    marginals = next(each.records for each in study.tables if each.role == "marginals")
    used = np.flatnonzero(~which)
    for column in range(2):
        assert (
            np.bincount(marginals.codes[:, column]) == np.bincount(related.codes[used][:, column])
        ).all()
    assert 0.4 < (marginals.codes[:, 0] // 2 == marginals.codes[:, 1] // 3).mean() < 0.6


@pytest.mark.parametrize(("apart", "released"), [(0.3, None), (0.0, 1), (0.3, 1)])
def test_too_few_to_compare_leave_no_figures_and_no_study(
    apart: float, released: int | None
) -> None:
    asked, source = evidence(apart, released), Secret.fixed(1).source("x")
    look = Counts().quick_report(asked.decided, asked.records, asked.state, asked.released, source)
    assert isinstance(look.figures, QuickFigures)
    assert not look.figures.compared
    with pytest.raises(Refusal, match=r"too few to compare|nothing to measure"):
        Counts().study(asked, EvaluationRequest("c0", 1, 100), source, lambda told: None)


def test_where_no_record_was_held_out_half_of_them_stand_for_such_and_it_says_so() -> None:
    asked, source = evidence(0.0, 200), Secret.fixed(1).source("x")
    look = Counts().quick_report(asked.decided, asked.records, asked.state, asked.released, source)
    assert isinstance(look.figures, QuickFigures)
    assert len(look.figures.compared) == 3
    (said,) = look.figures.told
    assert "too few records to compare with" in said
    study = Counts().study(asked, EvaluationRequest("c0", 1, 100), source, lambda told: None)
    assert (len(study.held_out), len(study.seeds)) == (200, 200)
    assert study.caveats == (said,)
    every = [each for each in measures(epsilon=1.0) if each.about.group in GROUPS]
    found = evaluate(study, every, lambda done, name: None)
    for measure, finding in zip(every, found.findings, strict=True):
        unseen = "nobody outside the release" in (finding.trouble or "")
        assert unseen == (measure.about.group == "disclosure")
    assert found.remarks == (said,)


def test_what_was_held_out_is_not_said_to_stand_for_itself() -> None:
    asked, source = evidence(0.3, 200), Secret.fixed(1).source("x")
    study = Counts().study(asked, EvaluationRequest("c0", 1, 100), source, lambda told: None)
    assert study.apart
    assert study.caveats == ()


def test_a_release_of_some_columns_is_measured_in_those() -> None:
    schema = category_schema(3, 4, 2)
    records = uniform_records(schema, 400, 1)
    shown = schema.with_columns([schema.columns[2], schema.columns[0]])
    output = Output("synthetic", "table", "Rows.", shown, 200)
    made = replace(decided(Budget(1.0)), schema=schema, outputs=(output,))
    which = held_out(len(records), 0.3, Secret.fixed(3))
    released = records.narrow(shown).take(np.arange(200))
    asked = Evidence(made, records, ArraysState({HELD_OUT: which}), {"synthetic": released})
    assert made.compared == shown
    assert asked.released is released
    study = Counts().study(
        asked, EvaluationRequest("c0", 1, 100), Secret.fixed(1).source("x"), lambda told: None
    )
    assert study.held_out.schema == shown
    assert (study.held_out.codes == records.codes[which][:, [2, 0]]).all()
    assert study.caveats == ("2 of 3 columns were released, and only those are measured: c2, c0.",)


def test_a_table_of_other_columns_is_not_compared() -> None:
    made = decided(Budget(1.0))
    other = Output("counts", "table", "Counts.", category_schema(7, 9), 10)
    assert replace(made, outputs=(other,)).compared == SCHEMA


def test_a_cluster_is_refused_that_would_not_be_used() -> None:
    Counts().check_workers(Workers())
    with pytest.raises(Refusal, match="one machine"):
        Counts().check_workers(Workers(scheduler="tcp://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("total", "epsilon"), [(Budget(2.5), 2.5), (Budget(0.0), 1.0), (Budget.unbounded(), 1.0)]
)
def test_what_private_methods_are_compared_at(total: Budget, epsilon: float) -> None:
    assert Counts().comparable_epsilon(decided(total)) == epsilon
