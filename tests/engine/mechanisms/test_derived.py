"""A table of fields from the declaration of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from understudy.core.validation import Frozen
from understudy.mechanisms.derived import derived_fields
from understudy.mechanisms.fields import nest_settings
from understudy.mechanisms.kinds import (
    AsJson,
    Choice,
    Flag,
    GroupsOfColumns,
    Kind,
    Number,
    OfColumns,
    OnOthers,
    PerColumn,
    Text,
    Whole,
    Word,
)
from understudy.mechanisms.plan import ColumnName, MechanismPlan


class Inner(Frozen, what="the inner plan"):
    size: int = 3
    share: float = 0.5


class Coarse(Frozen, what="the coarse way"):
    kind: Literal["coarse"] = "coarse"
    size: int = 3


class Fine(Frozen, what="the fine way"):
    kind: Literal["fine"] = "fine"
    size: int
    share: float = 0.5


class EverythingPlan(MechanismPlan, what="the plan"):
    """All there may be.

    Attributes:
        rows: how many records
            are made.
        epsilon, name: one of two.
    """

    kind: ClassVar[str] = "everything"

    column: ColumnName = Field(description="The column that is counted.")
    columns: tuple[ColumnName, ...] = ()
    rows: int = 10
    epsilon: float = 1.0
    quick: bool = False
    way: Literal["by-hand", "alone"] = "alone"
    name: str = "x"
    most: int | None = None
    numbers: dict[str, float] = Field(default_factory=dict)
    groups: tuple[tuple[ColumnName, ...], ...] = ()
    parents: Mapping[ColumnName, tuple[ColumnName, ...]] = Field(default_factory=dict)
    widths: Mapping[ColumnName, float] = Field(default_factory=dict)
    words: tuple[Literal["a", "b"], ...] = ()
    named: Mapping[ColumnName, int] = Field(default_factory=dict)
    either: int | str = 1
    inner: Inner = Inner()
    how: Annotated[Coarse | Fine, Field(discriminator="kind")] = Coarse()


TABLE = derived_fields(EverythingPlan)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("column", OfColumns()),
        ("columns", OfColumns(several=True)),
        ("rows", Whole()),
        ("epsilon", Number()),
        ("quick", Flag()),
        ("way", Choice({"by-hand": "by hand", "alone": "alone"})),
        ("name", Word()),
        ("most", Whole()),
        ("numbers", AsJson()),
        ("groups", GroupsOfColumns()),
        ("parents", OnOthers()),
        ("widths", PerColumn()),
        ("words", AsJson()),
        ("named", AsJson()),
        ("either", AsJson()),
        ("inner.size", Whole()),
        ("inner.share", Number()),
        ("how.kind", Choice({"coarse": "coarse", "fine": "fine"})),
        ("how.size", Whole()),
        ("how.share", Number()),
        ("policies", Text()),
    ],
)
def test_each_setting_has_the_kind_of_its_type(name: str, kind: Kind) -> None:
    assert TABLE[name].kind == kind


def test_a_setting_is_described_as_its_plan_describes_it() -> None:
    assert TABLE["column"].words.help == "The column that is counted."
    assert TABLE["inner.share"].words.label == "Inner, share"
    assert TABLE["epsilon"].words.label == "ε"


def test_a_setting_without_a_description_is_described_where_its_plan_is() -> None:
    assert TABLE["rows"].words.help == "How many records are made."
    assert TABLE["name"].words.help == TABLE["epsilon"].words.help == "One of two."
    assert TABLE["quick"].words.help == ""


def test_a_setting_of_one_of_several_plans_has_a_use_while_that_is_chosen() -> None:
    coarse, fine = {"how.kind": "coarse"}, {"how.kind": "fine"}
    assert [TABLE["how.size"].applies(each) for each in (coarse, fine)] == [True, True]
    assert [TABLE["how.share"].applies(each) for each in (coarse, fine)] == [False, True]


def test_only_what_may_be_none_may_be_left_empty() -> None:
    assert {each.name for each in TABLE if each.may_be_empty} == {"most"}


def test_what_is_confidential_is_in_no_form_and_no_report() -> None:
    plan = EverythingPlan(domain="d", column="a", policies={"a": "missing"})
    assert [each.name for each in TABLE if each.confidential] == ["policies"]
    assert "policies" not in {each.name for each in TABLE if each.stands == "open"}
    assert "Policies" not in {each.name for each in TABLE.state_settings(TABLE.values(plan))}


def test_the_values_of_a_plan_make_that_plan_again() -> None:
    plan = EverythingPlan(domain="d", column="a", columns=("b",), inner=Inner(size=9), most=4)
    values = TABLE.values(plan)
    made = nest_settings(
        {
            place.path: values[place.name]
            for each in TABLE
            if each.applies(values)
            for place in each.places
        }
    )
    assert EverythingPlan.read({"domain": "d", **made}) == plan


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (OfColumns(), "a", "a"),
        (OfColumns(several=True), "a, b", ["a", "b"]),
        (AsJson(), '{"a": 1}', {"a": 1}),
        (Word(), "as it is", "as it is"),
    ],
)
def test_a_text_is_read_and_shown(kind: Any, text: str, value: Any) -> None:
    assert kind.read(text) == value
    assert kind.show(value) == text


def test_what_is_no_json_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="quotation marks"):
        AsJson().read("{a")
