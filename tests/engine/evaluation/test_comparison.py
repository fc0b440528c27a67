"""Runs side by side. What a reader asks of a synthetic table. Which distances count where a table
was measured twice. Released tables of other columns: what is measured of them, and what is said
not to be.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dashboard.builders import COLUMNS
from tests.dashboard.builders import evaluation as evaluation_by_hand
from tests.engine.evaluation.builders import sure
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import Compared, Distances, latest
from understudy.evaluation.evaluation import Evaluation, other_table
from understudy.evaluation.measure import (
    CANDIDATES,
    MARGINALS,
    REALS,
    RELEASED,
    Finding,
    Study,
    SubjectResult,
    Table,
)
from understudy.evaluation.registry import abouts
from understudy.evaluation.relative_score import MEASURES, aspects, quick_aspects
from understudy.evaluation.run_comparison import (
    ComparedRun,
    all_evaluated,
    check_comparable,
    measures_of_runs,
    pareto_front,
    pareto_optimal,
    predicted_columns,
)
from understudy.table.buckets import ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=tuple(Column(name=name, domain=Categories(values=("x", "y", "z"))) for name in "abc")
)


def figures(released: float) -> tuple[Compared, ...]:
    return tuple(
        Compared(name, 500, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in {RELEASED: released, REALS: 0.02, MARGINALS: 0.12}.items()
    )


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
    assert found[1].found == {"A": SubjectResult(0.07), "B": SubjectResult(0.12)}
    assert found[1].placed["A"].value == pytest.approx(0.5)
    assert found[1].placed["B"].value == pytest.approx(0.0)
    assert found[1].real == {"A": SubjectResult(0.02), "B": SubjectResult(0.02)}


def test_one_run_not_evaluated_puts_all_on_the_same_footing() -> None:
    sides = [side("A", evaluation=evaluation()), side("B")]
    assert not all_evaluated(sides)
    found = measures_of_runs(sides)
    assert "accuracy" not in {each.about.key for each in found}
    assert found[0].found["A"] == SubjectResult(0.07)


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


def aspects_figures(pairs: dict[str, float]) -> tuple[Compared, ...]:
    """Tables whose pairs are all equally far, and whose columns half as far."""
    compared = []
    for name, far in pairs.items():
        square = np.full((3, 3), far)
        np.fill_diagonal(square, far / 2)
        compared.append(Compared(name, 5_000, Distances(np.diag(square).copy(), square)))
    return tuple(compared)


ALL = {REALS: 0.02, MARGINALS: 0.08, RELEASED: 0.05}


def test_every_aspect_is_answered_by_a_measure_there_is() -> None:
    assert set(MEASURES.values()) <= set(abouts())


@pytest.mark.parametrize("records", [500, 50_000])
def test_no_share_of_the_way_is_told_where_chance_set_the_ends_apart(records: int) -> None:
    """Marginals are as near in single columns as other real records, except for chance."""
    ends = {REALS: 0.015, MARGINALS: 0.03, RELEASED: 0.05}
    tables = tuple(
        Compared(name, records, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in ends.items()
    )
    for aspect in aspects(tables, None):
        assert (aspect.placed is None) == (records == 500)


def test_a_run_itself_answers_two_of_them() -> None:
    columns, pairs = aspects(aspects_figures(ALL), None)
    assert (columns.what, pairs.what) == ("columns", "pairs")
    assert (columns.released.value, pairs.released.value) == pytest.approx((0.025, 0.05))
    assert pairs.placed is not None
    assert pairs.placed.value == pytest.approx(0.5)


def test_the_evaluation_goes_before_what_was_measured_quickly() -> None:
    by = {name: SubjectResult(value) for name, value in zip(ALL, (0.1, 0.9, 0.3), strict=True)}
    full = Evaluation((), 9, "pay", (Finding("total-variation-pairs", by),))
    columns, pairs = aspects(aspects_figures(ALL), full)
    assert columns.released.value == pytest.approx(0.025)
    assert pairs.released.value == 0.3


def test_a_measure_that_failed_leaves_what_was_measured_quickly() -> None:
    full = Evaluation((), 9, "pay", (Finding("total-variation-pairs", trouble="Too few."),))
    assert [each.what for each in aspects(aspects_figures(ALL), full)] == ["columns", "pairs"]


def test_without_references_there_is_no_scale() -> None:
    _, pairs = aspects(aspects_figures({RELEASED: 0.05}), None)
    assert (pairs.real, pairs.marginals, pairs.placed) == (None, None, None)


def test_what_is_not_a_number_is_not_known() -> None:
    _, pairs = aspects(aspects_figures({RELEASED: 0.05, REALS: math.nan, MARGINALS: 0.1}), None)
    assert pairs.real is None
    assert pairs.placed is None


@pytest.mark.parametrize("known", [(), aspects_figures({}), aspects_figures({REALS: 0.1})])
def test_without_a_released_table_nothing_is_known(known: tuple[Compared, ...]) -> None:
    assert aspects(known, None) == ()


def test_quick_findings_are_medians() -> None:
    square = np.array([[0.1, 0.4, 0.5], [0.4, 0.2, 0.9], [0.5, 0.9, 0.6]])
    compared = (Compared(RELEASED, 9, Distances(np.diag(square).copy(), square)),)
    columns, pairs = quick_aspects(compared)
    assert columns.by_subject[RELEASED].value == 0.2
    assert pairs.by_subject[RELEASED].value == 0.5


QUICK = (Compared(RELEASED, 50, Distances(np.full(3, 0.5), np.full((3, 3), 0.5))),)


def test_what_was_measured_since_counts() -> None:
    whole = evaluation_by_hand()
    found = {each.name: each for each in latest(QUICK, whole, COLUMNS)}
    assert {RELEASED, REALS} <= set(found)
    assert CANDIDATES not in found
    for key, of in (("total-variation", 1), ("total-variation-pairs", 2)):
        finding = whole.finding(key)
        assert finding is not None
        for part in finding.by_subject[RELEASED].parts:
            places = [COLUMNS.index(name) for name in part.of]
            assert len(places) == of
            assert found[RELEASED].distances.pairs[places[0], places[-1]] == part.value
            assert found[RELEASED].distances.pairs[places[-1], places[0]] == part.value
    assert found[RELEASED].records == 180


def test_where_it_does_not_say_all_what_the_run_measured_counts() -> None:
    nothing = replace(evaluation_by_hand(), findings=())
    assert latest(QUICK, None, COLUMNS) == QUICK
    assert latest(QUICK, nothing, COLUMNS) == QUICK
    assert latest(QUICK, evaluation_by_hand(), (*COLUMNS, "town")) == QUICK


WARD = Column(name="ward", domain=Categories(values=("A", "B")))
SEX = Column(name="sex", domain=Categories(values=("m", "f")))
AGED = Column(name="sex", domain=Categories(values=("m", "f", "x")))
NEW = Column(name="n", domain=Categories(values=("1", "2")))
OWN = Schema(columns=(WARD, SEX))


def records(schema: Schema, ones: int, rows: int = 100) -> Records:
    """The first so many records have code 1 everywhere, the others 0."""
    codes = np.zeros((rows, len(schema)), np.uint16)
    codes[:ones] = 1
    return Records(schema, codes)


def study(*, held_out: int = 40, real: int | None = 50) -> Study:
    tables = () if real is None else (Table("other real records", "reals", records(OWN, real)),)
    return Study(tables, records(OWN, held_out), records(OWN, 30), {}, "sex", 1, key=3)


def test_shared_columns_are_measured_beside_real_ones_and_others_named() -> None:
    found = other_table("wards", records(Schema(columns=(NEW, WARD)), 70), study())
    (column,) = found.shared
    assert (column.name, column.distance, column.real) == (
        "ward",
        pytest.approx(0.3),
        pytest.approx(0.1),
    )
    assert found.unmeasured == ("n",)
    assert "ward 30" in found.said
    assert "not measured: n." in found.said
    assert "columns together is not measured" in found.said


def test_a_column_of_the_same_name_and_other_values_is_not_shared() -> None:
    found = other_table("sexes", records(Schema(columns=(AGED, WARD)), 70), study(real=None))
    assert found.unmeasured == ("sex",)
    assert [(each.name, each.real) for each in found.shared] == [("ward", None)]


def test_a_short_table_is_said_to_be_too_short() -> None:
    found = other_table("wards", records(Schema(columns=(NEW, WARD)), 1, 49), study())
    assert found.shared == ()
    assert "too few to measure" in found.said


def test_an_evaluation_keeps_them_in_its_file(tmp_path: object) -> None:
    found = other_table("wards", records(Schema(columns=(NEW, WARD)), 70), study())
    made = Evaluation((), 100, "sex", (), (found,), 2)
    made.save(tmp_path)  # type: ignore[arg-type]
    again = Evaluation.load(tmp_path)  # type: ignore[arg-type]
    assert again == made
    assert "2 further released tables" in made.remarks[-1]


# Few different values, so that ties are common.
_NUMBER = st.sampled_from([0.5, 1.0, 2.0, 3.0, -1.0, math.nan, math.inf, -math.inf])
_POINTS = st.lists(st.tuples(_NUMBER, _NUMBER), max_size=12)


def by_hand(points: list[tuple[float, float]], higher: bool) -> list[bool]:
    """Every point against every other, as the sentence says it."""
    there = [all(math.isfinite(value) for value in point) for point in points]

    def beats(one: int, other: int) -> bool:
        (epsilon, given_), (its_epsilon, its_given) = points[one], points[other]
        better = given_ >= its_given if higher else given_ <= its_given
        return there[one] and epsilon <= its_epsilon and better and points[one] != points[other]

    return [
        there[each] and not any(beats(other, each) for other in range(len(points)))
        for each in range(len(points))
    ]


@given(points=_POINTS)
def test_it_is_what_no_other_point_beats(points: list[tuple[float, float]]) -> None:
    epsilons, utility = np.array(points, dtype=np.float64).reshape(-1, 2).T
    assert pareto_front(epsilons, utility, "lower").tolist() == by_hand(points, higher=False)
    assert pareto_front(epsilons, utility, "higher").tolist() == by_hand(points, higher=True)


def test_points_that_are_alike_both_stand_on_it() -> None:
    epsilons, utility = np.array([1.0, 1.0, 2.0, 0.5]), np.array([0.2, 0.2, 0.3, 0.4])
    assert pareto_front(epsilons, utility, "lower").tolist() == [True, True, False, True]
    assert pareto_front(epsilons, utility, "higher").tolist() == [False, False, False, True]


@given(points=_POINTS)
def test_in_two_respects_both_ways_agree(points: list[tuple[float, float]]) -> None:
    costs = np.array(points, dtype=np.float64).reshape(-1, 2)
    assert pareto_optimal(costs).tolist() == pareto_front(*costs.T, "lower").tolist()


def test_what_is_best_in_one_respect_of_three_is_beaten_by_nothing() -> None:
    costs = np.array([[1, 5, 5], [5, 1, 5], [5, 5, 1], [5, 5, 5], [1, 5, 6], [np.nan, 0, 0]])
    assert pareto_optimal(costs.astype(float)).tolist() == [True, True, True, False, False, False]
