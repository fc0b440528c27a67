from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen, refuse_invalid


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: int = Field(default=1, ge=1, le=9)
    word: Literal["one", "two"] = "one"

    @field_validator("size")
    @classmethod
    def _odd(cls, size):
        if size == 4:
            raise Refusal("The size is four.", "Take five.", field="size")
        if size == 6:
            raise ValueError("six is too even")
        return size


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    inner: Inner
    share: float = 0.5
    names: tuple[str, ...] = ()


class Point(Frozen, what="the point"):
    x: int
    y: int = 0


class Line(Frozen, what="the line"):
    start: Point


def refusal(settings):
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(settings)
    return refuse_invalid(caught.value, "the plan")


@pytest.mark.parametrize(
    ("settings", "field", "words"),
    [
        ({}, "inner", "“inner” in the plan is missing."),
        ({"inner": {"size": 0}}, "inner.size", "has to be 1 or more."),
        ({"inner": {"size": 10}}, "inner.size", "has to be 9 or less."),
        ({"inner": {"size": "SECRET"}}, "inner.size", "has to be a whole number."),
        ({"inner": {"word": "SECRET"}}, "inner.word", "has to be 'one' or 'two'."),
        ({"inner": {"size": 4}}, "inner.size", "The size is four."),
        ({"inner": {"size": 6}}, "inner.size", "cannot be used: six is too even."),
        ({"inner": "SECRET"}, "inner", "has to be a set of named settings."),
        ({"inner": {}, "share": "SECRET"}, "share", "has to be a number."),
        ({"inner": {}, "names": "SECRET"}, "names", "has to be a list."),
        ({"inner": {}, "names": [1]}, "names.0", "has to be text."),
        ({"inner": {}, "colour": "SECRET"}, "colour", "is not a setting that exists."),
        ("SECRET", None, "The plan has to be a set of named settings."),
    ],
)
def test_each_mistake_is_said_in_plain_words_at_its_field(settings, field, words):
    found = refusal(settings)
    assert found.field == field
    assert found.problem.endswith(words)
    assert "SECRET" not in str(found)


def test_json_that_is_none_is_explained():
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate_json("{SECRET")
    assert refuse_invalid(caught.value, "the plan").problem == (
        "The plan is not valid JSON, or holds a number or a character that none can be."
    )


def test_further_mistakes_are_counted():
    assert "(1 more to correct.)" in refusal({"inner": {"size": 0, "word": "x"}}).remedy


def test_a_frozen_value_refuses_instead_of_quoting_its_input():
    with pytest.raises(Refusal) as caught:
        Point(x="SECRET")
    assert caught.value.problem == "“x” in the point has to be a whole number."
    assert caught.value.field == "x"


def test_a_mistake_in_a_nested_value_keeps_its_path():
    with pytest.raises(Refusal) as caught:
        Line(start={"x": "SECRET"})
    assert caught.value.field == "start.x"
    with pytest.raises(Refusal) as caught:
        Line.read({"start": {"x": 1, "z": "SECRET"}})
    assert caught.value.field == "start.z"
    assert "SECRET" not in str(caught.value)


def test_frozen_values_compare_and_hash_by_their_settings():
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != (1, 0)
    assert len({Point(x=1), Point(x=1), Point(x=2)}) == 2
