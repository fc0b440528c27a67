"""Runs side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED, Finding, Interval, Measured
from understudy.evaluation.run_comparison import (
    ComparedRun,
    all_evaluated,
    check_comparable,
    measures_of_runs,
    predicted_columns,
)
from understudy.table.buckets import ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=tuple(Column(name=name, domain=Categories(values=("x", "y", "z"))) for name in "abc")
)


def figures(released: float) -> tuple[Compared, ...]:
    return tuple(
        Compared(name, 500, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in {RELEASED: released, REALS: 0.02, MARGINALS: 0.12}.items()
    )


def sure(value: float) -> Measured:
    return Measured(value, Interval(value, value))


def evaluation(target: str = "c", value: float = 0.7) -> Evaluation:
    by = {RELEASED: sure(value), REALS: sure(0.9), MARGINALS: sure(0.5)}
    lower = {RELEASED: sure(0.05), REALS: sure(0.02), MARGINALS: sure(0.12)}
    findings = (
        Finding("total-variation", lower),
        Finding("accuracy", by),
        Finding("missing-pairs", trouble="Too few."),
    )
    return Evaluation((), 9, target, findings)


def side(name: str, **changes: object) -> ComparedRun:
    made = ComparedRun(name, "table-1", SCHEMA, figures(0.07))
    return replace(made, **changes)  # type: ignore[arg-type]


def test_runs_of_one_table_and_one_schema_may_stand_side_by_side() -> None:
    groups = (Group(label="x or y", values=("x", "y")), Group(label="z", values=("z",)))
    buckets = ByGroups(groups=groups)
    first, *rest = SCHEMA.columns
    bucketed = Schema(columns=(first.model_copy(update={"buckets": buckets}), *rest))
    check_comparable([side("A"), side("B"), side("C", schema=bucketed)])


@pytest.mark.parametrize("count", [0, 1, 5])
def test_too_few_or_too_many_are_refused(count: int) -> None:
    with pytest.raises(Refusal, match="Between 2 and 4"):
        check_comparable([side(str(each)) for each in range(count)])


def test_a_run_of_another_table_is_named() -> None:
    with pytest.raises(Refusal, match=r"“B” was made from another table than “A”"):
        check_comparable([side("A"), side("B", dataset="table-2")])


@pytest.mark.parametrize(
    "other",
    [
        Schema(columns=SCHEMA.columns[:2]),
        Schema(columns=SCHEMA.columns[::-1]),
        Schema(
            columns=(
                Column(name="a", domain=Categories(values=("x", "y"))),
                *SCHEMA.columns[1:],
            )
        ),
    ],
)
def test_a_run_of_another_schema_is_named(other: Schema) -> None:
    with pytest.raises(Refusal, match=r"columns of “B” are not those of “A”") as refused:
        check_comparable([side("A"), side("B", schema=other)])
    assert refused.value.field == "runs"


def test_without_evaluations_what_runs_measure_themselves_is_compared() -> None:
    found = measures_of_runs([side("A"), side("B", compared=figures(0.12))])
    assert [each.about.key for each in found] == ["total-variation", "total-variation-pairs"]
    assert found[1].found == {"A": Measured(0.07), "B": Measured(0.12)}
    assert found[1].placed["A"].value == pytest.approx(0.5)
    assert found[1].placed["B"].value == pytest.approx(0.0)
    assert found[1].real == {"A": Measured(0.02), "B": Measured(0.02)}


def test_one_run_not_evaluated_puts_all_on_the_same_footing() -> None:
    sides = [side("A", evaluation=evaluation()), side("B")]
    assert not all_evaluated(sides)
    found = measures_of_runs(sides)
    assert "accuracy" not in {each.about.key for each in found}
    assert found[0].found["A"] == Measured(0.07)


def test_evaluated_runs_are_compared_by_every_measure_that_both_have() -> None:
    sides = [
        side(name, evaluation=evaluation(value=value))
        for name, value in {"A": 0.7, "B": 0.8}.items()
    ]
    assert all_evaluated(sides)
    found = {each.about.key: each for each in measures_of_runs(sides)}
    assert set(found) == {"total-variation", "accuracy"}
    assert found["accuracy"].placed["B"].value == pytest.approx(0.75)


def test_different_targets_leave_prediction_out() -> None:
    sides = [side("A", evaluation=evaluation("c")), side("B", evaluation=evaluation("a"))]
    assert predicted_columns(sides) == ("c", "a")
    assert [each.about.key for each in measures_of_runs(sides)] == ["total-variation"]


def test_a_run_without_figures_has_nothing_to_compare() -> None:
    assert measures_of_runs([side("A"), side("B", compared=())]) == ()
