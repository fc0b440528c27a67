"""The kinds of derivations, one class each, registered here; and formulas, which a person types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, SerializeAsAny

from understudy.core.refusal import Refusal
from understudy.table.derivations.bands import Bands
from understudy.table.derivations.code_maps import LookUp, Prefix
from understudy.table.derivations.derivation import (
    FORMULA,
    Argument,
    Derivation,
    Name,
)
from understudy.table.derivations.moment_parts import Age, DatePart, Duration
from understudy.table.derivations.sums import Sum

DERIVATIONS: Final[list[type[Derivation]]] = [Sum, Bands, Age, Duration, DatePart, Prefix, LookUp]
"""In the order in which pages offer them."""


def class_of_derivation(kind: str) -> type[Derivation]:
    """Return the class of a kind.

    Raises:
        Refusal: there is no such kind.
    """
    for each in DERIVATIONS:
        if each.model_fields["kind"].default == kind:
            return each
    raise Refusal(
        "The derivation of a column is of no kind that exists.",
        "Choose one of " + ", ".join(each.model_fields["kind"].default for each in DERIVATIONS),
        field=FORMULA,
    )


def list_kinds_of_derivations() -> dict[str, str]:
    """Return the title of each kind, by its name."""
    return {each.model_fields["kind"].default: each.title for each in DERIVATIONS}


def _read_derivation(value: Any) -> Any:
    """Return the derivation of settings as a file holds them, by their kind; a derivation as it
    is."""
    if not isinstance(value, Mapping):
        return value
    return class_of_derivation(str(value.get("kind"))).read(value)


AnyDerivation = Annotated[SerializeAsAny[Derivation], BeforeValidator(_read_derivation)]
"""A derivation of any kind, as a setting that is written to files and read again."""


def list_examples() -> tuple[str, ...]:
    """Return an example of a formula for each kind."""
    return tuple(next(iter(each.calls.values())) for each in DERIVATIONS)


# Formulas: sums of columns, or one function of columns, texts and lists.

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<name>`(?:[^`\\]|\\.)+`|(?:[^\W\d_]|\.(?![0-9]))(?:\w|\.)*)
      | (?P<text>"(?:[^"\\]|\\.)*")
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<sign>[-−+(),=])
    )""",
    re.VERBOSE | re.DOTALL,
)
_LONGEST: Final = 1 << 20


def parse_formula(text: str) -> Derivation:
    """Return the derivation that a formula describes, such as “drugs + bed” or “prefix(code, 2)”.
    It is read, and never run.

    Raises:
        Refusal: it is not understood.
    """
    return _Parser(text).parse()


def refuse_formula(why: str) -> Refusal:
    """Return the refusal of a formula that no kind understands."""
    return Refusal(
        f"The formula is not understood: {why}.",
        "Write one like " + "; ".join(list_examples()) + ".",
        field=FORMULA,
    )


class _Parser:
    """Reads one formula, token by token."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_split_tokens(text))
        self._place = 0

    def parse(self) -> Derivation:
        """Return what all of the formula describes."""
        if self._kind == "name" and self._peek(1) == ("sign", "("):
            derivation = self._parse_call()
        else:
            derivation = self._parse_sum()
        if self._kind:
            raise refuse_formula(f"“{self._tokens[self._place][1]}” comes after its end")
        return derivation

    @property
    def _kind(self) -> str:
        return self._peek(0)[0]

    def _peek(self, ahead: int) -> tuple[str, str]:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else ("", "")

    def _take(self, *expected: str) -> str:
        """Return the next token, which has to be a sign that is expected or of an expected kind."""
        kind, text = self._peek(0)
        if kind not in expected and (kind != "sign" or text not in expected):
            raise refuse_formula(f"“{text}” is not expected" if text else "it ends too early")
        self._place += 1
        return text

    def _parse_sum(self) -> Derivation:
        terms: list[Argument] = []
        while True:
            sign = ""
            if terms or self._peek(0) in (("sign", "-"), ("sign", "+")):
                sign = self._take("+", "-")
            terms.append(Name(self._take("name"), negative=sign == "-"))
            if not self._kind:
                return Sum.from_call("+", terms)

    def _parse_call(self) -> Derivation:
        function = self._take("name")
        kind = next((each for each in DERIVATIONS if function in each.calls), None)
        if kind is None or function == "+":
            raise refuse_formula(f"there is no function “{function}”")
        self._take("(")
        arguments = [self._parse_argument()]
        while self._take(",", ")") == ",":
            arguments.append(self._parse_argument())
        return kind.from_call(function, arguments)

    def _parse_argument(self) -> Argument:
        if self._peek(0) == ("name", "c") and self._peek(1) == ("sign", "("):
            self._place += 2
            listed = [self._parse_entry()]
            while self._take(",", ")") == ",":
                listed.append(self._parse_entry())
            return tuple(listed)
        negative = self._peek(0) == ("sign", "-")
        if negative:
            self._place += 1
        if self._kind == "name":
            return Name(self._take("name"), negative)
        text = self._take("number") if negative else self._take("text", "number")
        return f"-{text}" if negative else text

    def _parse_entry(self) -> tuple[str | None, str]:
        """Return an entry of a list, with its own name where it has one."""
        first = self._parse_listed()
        if self._peek(0) != ("sign", "="):
            return None, first
        self._place += 1
        return first, self._parse_listed()

    def _parse_listed(self) -> str:
        if self._peek(0) == ("sign", "-"):
            self._place += 1
            return f"-{self._take('number')}"
        return self._take("text", "number")


def _split_tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each token; names and texts without their quotation marks."""
    if len(text) > _LONGEST:
        raise refuse_formula("it is too long")
    place, end = 0, len(text.rstrip())
    while place < end:
        token = _TOKEN.match(text, place)
        if token is None:
            raise refuse_formula(f"“{text[place:end].strip()[0]}” is not expected")
        kind = str(token.lastgroup)
        bare = token[kind]
        if bare[0] in '`"':
            bare = re.sub(r"\\(.)", r"\1", bare[1:-1], flags=re.DOTALL)
        yield kind, bare.replace("−", "-") if kind == "sign" else bare
        place = token.end()
