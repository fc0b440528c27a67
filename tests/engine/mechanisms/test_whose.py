"""Every method's guarantee is for whole people where the schema says whose the records are."""

from __future__ import annotations

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.privacy_unit import TOGETHER, contributes
from understudy.mechanisms.registry import mechanisms, opening_plan, plan_run
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.budget import Neighbours
from understudy.table.people import People
from understudy.table.schema import Schema

ALONE = category_schema(2, 2, 2)
OWN = ("seedbased", "scored", "pmse", "imputation", "latent")
"""Methods that make single records, and count on so many of a person."""

OF_PEOPLE = ("traces", "plausible-traces")
"""Methods that count people, and say nothing of single records; see their own tests."""


def keeping(most: int) -> Schema:
    """A schema that keeps so many records of a person."""
    return ALONE.with_people(People(person="who", order="visit", records_at_most=most))


def of(kind: str, schema: Schema, **given: object) -> PlannedRun:
    """The opening plan of a method, with few attempts where it makes some: δ for several records
    together grows by the ε of each."""
    few = {"attempts": 3} if kind in ("seedbased", "scored") else {}
    return plan_run(opening_plan(kind, schema, {**few, **given}), schema)


def test_these_are_all_methods_of_this_program() -> None:
    assert {*OWN, *OF_PEOPLE} == set(mechanisms())


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("most", [1, 3])
def test_the_guarantee_is_for_a_person_with_all_that_is_kept(kind: str, most: int) -> None:
    found = of(kind, keeping(most)).guarantee
    assert found.records_per_person == most
    assert found.total == group_privacy(found.record, most)
    assert found.total.bounded
    scope = found.scope
    assert scope.protects.startswith("Each person, however many records they have: ")
    assert "“who” says whose a record is" in scope.protects
    tables = found.neighbours is Neighbours.TABLES
    assert ("whether they are in the table" in scope.protects) == tables
    assert any("calls one person by one name" in each for each in scope.assumes)
    assert contributes(most) not in scope.assumes
    assert TOGETHER not in scope.not_covered


@pytest.mark.parametrize("kind", OWN)
def test_with_one_record_kept_the_figures_are_those_of_a_record(kind: str) -> None:
    found = of(kind, keeping(1)).guarantee
    assert found.total == found.record
    alone = of(kind, ALONE).guarantee
    assert found.total == alone.total
    assert contributes(1) in alone.scope.assumes
    assert "however many" not in alone.scope.protects


@pytest.mark.parametrize("kind", OWN)
def test_a_plan_that_counts_on_fewer_records_of_a_person_is_refused(kind: str) -> None:
    with pytest.raises(Refusal) as refused:
        of(kind, keeping(3), records_per_person=2)
    assert refused.value.field == "records_per_person"
    assert "Set the records per person to 3" in refused.value.remedy


@pytest.mark.parametrize("kind", OWN)
def test_a_plan_may_count_on_more(kind: str) -> None:
    found = of(kind, keeping(3), records_per_person=4).guarantee
    assert found.total == group_privacy(found.record, 4)


@pytest.mark.usefixtures("installed")
def test_a_method_that_promises_for_one_record_is_refused_for_several() -> None:
    assert "Each person, however many" in of("noisy-histogram", keeping(1)).guarantee.scope.protects
    with pytest.raises(Refusal) as refused:
        of("noisy-histogram", keeping(2))
    assert refused.value.field == "people"
    assert "keep 1 of a person" in refused.value.remedy
