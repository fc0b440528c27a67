"""A table of fields of any mechanism."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from understudy.mechanisms.fields import (
    COLUMNS,
    Field,
    Group,
    Option,
    Place,
    Table,
    Words,
    nest_settings,
)
from understudy.mechanisms.kinds import (
    Choice,
    Flag,
    Kind,
    Number,
    OfColumns,
    OrNone,
    Share,
    Text,
    Whole,
)

GROUP = Group("All", "All of them")


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
        Table((field("k"), field("k", "test.k")))
    with pytest.raises(AssertionError, match="named twice"):
        Table((field("k"), field("m", "k")))


def test_a_field_stands_in_its_group_and_under_its_name() -> None:
    one, other = field("one"), field("other", stands="folded")
    table = Table((one, other))
    assert table["other"] is other
    assert table.groups == (GROUP,)
    assert table.within(GROUP) == (one, other)


def test_a_field_has_a_name_in_a_form_in_a_sentence_and_in_a_legend() -> None:
    words = Words(label="how alike they are", sign="γ", meaning="It counts.")
    assert (words.title, words.listed) == ("γ · how alike they are", "γ, how alike they are")
    assert words.brief == "γ"
    assert Words(label="Model", meaning="It counts.").brief == "Model"


def test_an_option_is_named_after_its_field() -> None:
    table = Table(
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
    table = Table(
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
    table = Table((field("columns"),))
    values = table.values(SimpleNamespace(columns=3), 12)
    assert values["columns"] == 3
    assert values[COLUMNS] == 12


@pytest.mark.parametrize("empty", [None, (), [], {}])
def test_an_empty_list_is_told_as_none(empty: Any) -> None:
    columns = field("columns", kind=OfColumns(several=True), none="all", told=True)
    assert columns.show(empty) == "all"
    assert [each.value for each in Table((columns,)).state_settings({"columns": empty})] == ["all"]
    assert (
        Table((field("columns", kind=OfColumns(several=True)),)).state_settings({"columns": empty})
        == ()
    )
