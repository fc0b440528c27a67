"""Base class of validated settings, and its errors as refusals in plain words.

The validation library quotes the offending input in its messages, and an input may be
confidential, so none of its messages may reach a person.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from understudy.core.refusal import Refusal

_REMEDY = "Correct it and try again."


def refuse_invalid(error: ValidationError, what: str) -> Refusal:
    """Return the refusal for a validation error, in plain words and without quoting any input.

    Args:
        error: what the validation library raised.
        what: what was read, as it stands in a sentence (“the plan”).

    Returns:
        A refusal about the first thing found. `field` is its dotted path, such as
        "test.gamma"; None where the thing as a whole is unusable.
    """
    details = error.errors(include_url=False, include_input=False)
    found = details[0]
    path = ".".join(str(part) for part in found["loc"])
    cause = found.get("ctx", {}).get("error")
    others = f" ({len(details) - 1} more to correct.)" if len(details) > 1 else ""
    if isinstance(cause, Refusal):
        return Refusal(cause.problem, cause.remedy + others, field=_inner(path, cause.field))
    subject = f"“{path}” in {what}" if path else what[:1].upper() + what[1:]
    return Refusal(f"{subject} {_predicate(found)}.", _REMEDY + others, field=path or None)


def _inner(path: str, field: str | None) -> str | None:
    """Return where a refusal about `field`, raised at `path`, belongs."""
    if not field or path.rpartition(".")[2] == field:
        return path or None
    return f"{path}.{field}" if path else field


def _predicate(found: ErrorDetails) -> str:
    """Return the second half of the sentence; only limits set by the program are quoted."""
    kind, context = found["type"], found.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        return f"cannot be used: {context['error']}".rstrip(".")
    if kind in _WITH_LIMIT:
        return _WITH_LIMIT[kind](context)
    for beginning, words in _PLAIN:
        if kind.startswith(beginning):
            return words
    return "cannot be used"


_WITH_LIMIT: dict[str, Callable[[dict[str, Any]], str]] = {
    "greater_than": lambda context: f"has to be more than {context['gt']}",
    "greater_than_equal": lambda context: f"has to be {context['ge']} or more",
    "less_than": lambda context: f"has to be less than {context['lt']}",
    "less_than_equal": lambda context: f"has to be {context['le']} or less",
    "too_short": lambda context: f"needs {context['min_length']} or more entries",
    "too_long": lambda context: f"may have at most {context['max_length']} entries",
    "string_too_short": lambda context: f"needs {context['min_length']} or more characters",
    "string_too_long": lambda context: f"may have at most {context['max_length']} characters",
    "literal_error": lambda context: f"has to be {context['expected']}",
    "union_tag_invalid": lambda context: f"has to be one of {context['expected_tags']}",
}

_PLAIN = (
    ("missing", "is missing"),
    ("extra_forbidden", "is not a setting that exists"),
    ("json_invalid", "is not valid JSON, or holds a number or a character that none can be"),
    ("union_tag_not_found", "does not say of which kind it is"),
    ("int", "has to be a whole number"),
    ("float", "has to be a number"),
    ("decimal", "has to be a number"),
    ("finite_number", "has to be a finite number"),
    ("bool", "has to be true or false"),
    ("string", "has to be text"),
    ("timezone", "has to be a date and time with its time zone"),
    ("datetime", "has to be a date and time with its time zone"),
    ("tuple", "has to be a list"),
    ("list", "has to be a list"),
    ("dict", "has to be a set of named settings"),
    ("mapping", "has to be a set of named settings"),
    ("model", "has to be a set of named settings"),
)


class Frozen(BaseModel):
    """A value that cannot change, knows no extra settings, and raises `Refusal`.

    A subclass says what it is called in a sentence: `class Shares(Frozen, what="the shares")`.

    Raises:
        Refusal: on construction, where a setting is missing, unknown or out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    _what: ClassVar[str] = "the value"

    def __init_subclass__(cls, what: str = "", **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls._what = what or cls._what

    def __init__(self, /, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise refuse_invalid(error, type(self)._what) from None

    @classmethod
    def read(cls, settings: Any) -> Self:
        """Build from what a file held: settings of any type, nested ones as mappings.

        Raises:
            Refusal: as on construction.
        """
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            raise refuse_invalid(error, cls._what) from None

    def __eq__(self, other: object) -> bool:
        # The inherited comparison also compares what was derived and kept, arrays included.
        return type(self) is type(other) and self._settings() == other._settings()

    def __hash__(self) -> int:
        return hash(self._settings())

    def _settings(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).model_fields)
