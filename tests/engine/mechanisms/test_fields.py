"""A table of fields of any mechanism. A table of fields from the declaration of a plan. In which
settings plans differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field as PydanticField

from understudy.core.validation import Frozen
from understudy.mechanisms.fields import (
    COLUMNS,
    Field,
    FieldGroup,
    FieldTable,
    Option,
    Place,
    Words,
    nest_settings,
)
from understudy.mechanisms.kinds import (
    AsJson,
    Choice,
    Flag,
    GroupsOfColumns,
    Kind,
    Number,
    OfColumns,
    OnOthers,
    OrNone,
    PerColumn,
    Share,
    Text,
    Whole,
    Word,
)
from understudy.mechanisms.plan import ColumnName, Differing, MechanismPlan, list_all_settings
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.setting import derive_fields
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema

GROUP = FieldGroup("All", "All of them")


def field(name: str, path: str | None = None, **other: Any) -> Field:
    return Field(
        name,
        other.pop("words", Words(label=name.capitalize(), meaning="It counts.")),
        other.pop("kind", Whole()),
        GROUP,
        (Place(name, path or name),),
        **other,
    )


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Whole(), "50", 50),
        (Number(), "0.5", 0.5),
        (Number(or_none=True), "0.5", OrNone(0.5)),
        (Number(or_none=True), " None ", OrNone(None)),
        (Share(), "0.25", 0.25),
        (Choice({"a": "A", "b": "B"}), "b", "b"),
        (Flag(), "no", False),
        (Text(), "5-11", "5-11"),
    ],
)
def test_a_text_is_read(kind: Kind, text: str, value: Any) -> None:
    assert kind.read(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (Whole(), "1.5", "“1.5” is not a whole number."),
        (Number(), "big", "“big” is not a number."),
        (Number(), "none", "“none” is not a number."),
        (Number(or_none=True), "some", "“some” is neither a number nor “none”."),
        (Share(), "half", "“half” is not a number."),
        (Choice({"a": "A", "b": "B"}), "c", "“c” is not a or b."),
        (Flag(), "maybe", "“maybe” is not yes or no."),
    ],
)
def test_a_text_that_is_none_is_a_sentence(kind: Kind, text: str, said: str) -> None:
    with pytest.raises(ValueError, match="“") as refused:
        kind.read(text)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (Whole(), 12_000, "12,000"),
        (Number(), 1e-9, "1e-9"),
        (Number(digits=12), 0.123456789, "0.123456789"),
        (Share(), 0.001, "0.1\N{NO-BREAK SPACE}%"),
        (Choice({"a": "the first"}), "a", "the first"),
        (Flag(), True, "yes"),
    ],
)
def test_a_value_is_shown(kind: Kind, value: Any, said: str) -> None:
    assert kind.show(value) == said


def test_a_name_stands_once() -> None:
    with pytest.raises(AssertionError, match="named twice"):
        FieldTable((field("k"), field("k", "test.k")))
    with pytest.raises(AssertionError, match="named twice"):
        FieldTable((field("k"), field("m", "k")))


def test_a_field_stands_in_its_group_and_under_its_name() -> None:
    one, other = field("one"), field("other", stands="folded")
    table = FieldTable((one, other))
    assert table["other"] is other
    assert table.groups == (GROUP,)
    assert table.within(GROUP) == (one, other)


def test_a_field_has_a_name_in_a_form_in_a_sentence_and_in_a_legend() -> None:
    words = Words(label="how alike they are", sign="γ", meaning="It counts.")
    assert (words.title, words.listed) == ("γ · how alike they are", "γ, how alike they are")
    assert words.brief == "γ"
    assert Words(label="Model", meaning="It counts.").brief == "Model"


def test_an_option_is_named_after_its_field() -> None:
    table = FieldTable(
        (
            field("at_least", option=Option("How many."), unit="records"),
            field("kind", kind=Choice({"a": "A", "b": "B"}), option=Option("Which.", "--model")),
            field("quiet"),
        )
    )
    first, second = table.options
    assert (first.option_name, first.parameter, first.metavar) == (
        "--at-least", "at_least", "RECORDS",
    )  # fmt: skip
    assert (second.option_name, second.parameter, second.metavar) == ("--model", "model", "a or b")


def test_what_is_said_depends_on_other_settings() -> None:
    rows = Words(label="Rows", meaning="All of them.")
    made = field("made", variants=((lambda values: values.get("all") is True, rows),))
    assert made.choose_words({}) == made.words
    assert made.choose_words({"all": True}) == rows


def test_a_report_leaves_out_what_has_no_use_and_what_is_confidential() -> None:
    table = FieldTable(
        (
            field("one"),
            field("none"),
            field("told", told=True, none="no noise"),
            field("useless", applies=lambda _: False),
            field("secret", confidential=True),
            field("zero"),
        )
    )
    values = {"one": 1, "none": None, "told": None, "useless": 1, "secret": 1, "zero": 0}
    assert [(each.name, each.value) for each in table.state_settings(values)] == [
        ("One", "1"),
        ("Told", "no noise"),
        ("Zero", "0"),
    ]


def test_dotted_names_become_what_a_plan_takes() -> None:
    assert nest_settings({"test.k": 5, "test.gamma": 4.0, "t": None}) == {
        "test": {"k": 5, "gamma": 4.0},
        "t": None,
    }


def test_a_setting_named_columns_is_not_the_number_of_columns() -> None:
    table = FieldTable((field("columns"),))
    values = table.values(SimpleNamespace(columns=3), 12)
    assert values["columns"] == 3
    assert values[COLUMNS] == 12


@pytest.mark.parametrize("empty", [None, (), [], {}])
def test_an_empty_list_is_told_as_none(empty: Any) -> None:
    columns = field("columns", kind=OfColumns(several=True), none="all", told=True)
    assert columns.show(empty) == "all"
    assert [each.value for each in FieldTable((columns,)).state_settings({"columns": empty})] == [
        "all"
    ]
    assert (
        FieldTable((field("columns", kind=OfColumns(several=True)),)).state_settings(
            {"columns": empty}
        )
        == ()
    )


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

    column: ColumnName = PydanticField(description="The column that is counted.")
    columns: tuple[ColumnName, ...] = ()
    rows: int = 10
    epsilon: float = 1.0
    quick: bool = False
    way: Literal["by-hand", "alone"] = "alone"
    name: str = "x"
    most: int | None = None
    numbers: dict[str, float] = PydanticField(default_factory=dict)
    groups: tuple[tuple[ColumnName, ...], ...] = ()
    parents: Mapping[ColumnName, tuple[ColumnName, ...]] = PydanticField(default_factory=dict)
    widths: Mapping[ColumnName, float] = PydanticField(default_factory=dict)
    words: tuple[Literal["a", "b"], ...] = ()
    named: Mapping[ColumnName, int] = PydanticField(default_factory=dict)
    either: int | str = 1
    inner: Inner = Inner()
    how: Annotated[Coarse | Fine, PydanticField(discriminator="kind")] = Coarse()


TABLE = derive_fields(EverythingPlan)


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


SCHEMA = Schema(
    columns=tuple(Column(name=name, domain=Categories(values=("x", "y"))) for name in "abc")
)
PLAN = Plan.of(SCHEMA, test=PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0))


def differing(plans: Sequence[MechanismPlan]) -> tuple[Differing, ...]:
    return tuple(each for each in list_all_settings(plans) if not each.alike)


def test_equal_plans_differ_in_nothing() -> None:
    assert differing([PLAN, PLAN, PLAN]) == ()
    assert differing([]) == ()


def test_settings_are_named_as_in_the_file_with_a_value_for_each_plan() -> None:
    other = PLAN.change(SCHEMA, attempts=7, omega=Omega(low=1, high=3))
    found = differing([PLAN, other, PLAN])
    assert found == (
        Differing("omega.low", (2, 1, 2)),
        Differing("attempts", (5000, 7, 5000)),
    )


def test_a_setting_that_a_plan_has_not_is_none_there() -> None:
    other = PLAN.change(SCHEMA, test=RelativeSensitivity(k=50, epsilon0=1.0))
    found = {each.setting: each.values for each in differing([PLAN, other])}
    assert found["test.gamma"] == (4.0, None)
    assert found["test.kind"] == ("plausible-deniability", "relative-sensitivity")
