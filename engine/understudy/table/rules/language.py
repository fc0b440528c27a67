"""The language of rules: the part of R's `validate` that speaks of one record.

A rule is a condition on columns: `if (age < 16) marital == "single"`, `start <= end`,
`total == a + b`, `x %in% c("a", "b")`, `is.na(wage)`. It is read by the parser below into a tree,
and never run as code. What is not understood is refused with the place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.rules.tree import (
    ArithmeticPart,
    ChoicePart,
    ColumnPart,
    ComparisonPart,
    ConstantPart,
    JunctionPart,
    MembershipPart,
    MissingPart,
    NegationPart,
    RulePart,
    refuse_place,
)

LONGEST_RULE: Final = 4000
_DEEPEST: Final = 40
_MOST_TERMS: Final = 200
_MOST_OPTIONS: Final = 1000

# Words and signs.

_TOKEN: Final = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?L?)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<quoted>`(?:[^`\\]|\\.)+`)
    |(?P<name>(?:[^\W\d_]|\.(?![0-9]))(?:\w|\.)*)
    |(?P<sign>%[^%\s]*%|<=|>=|==|!=|&&|\|\||<-|=>|=<|:=|[-+*/<>!&|(){},:=~$\[\]^@?;\\])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "`": "`"}
_COMPARISONS: Final = ("==", "!=", "<=", ">=", "<", ">")
_INSTEAD: Final = {
    "=": "Write == for “is equal to”.",
    "=>": "Write >=.",
    "=<": "Write <=.",
    "<-": "Put a blank before the minus: < -5.",
    "≤": "Write <=.",
    "≥": "Write >=.",
    "≠": "Write !=.",
    "–": "Write a plain minus, -.",
    "−": "Write a plain minus, -.",
    "×": "Write *.",
    "“": 'Put texts in straight quotation marks: "single".',
    "”": 'Put texts in straight quotation marks: "single".',
    "„": 'Put texts in straight quotation marks: "single".',
    "‘": 'Put texts in straight quotation marks: "single".',
    "’": 'Put texts in straight quotation marks: "single".',
    "and": "Write & for “and”.",
    "AND": "Write & for “and”.",
    "or": "Write | for “or”.",
    "OR": "Write | for “or”.",
    "not": "Write ! for “not”.",
    "NOT": "Write ! for “not”.",
    "then": "Write the condition in brackets and what follows right behind it: if (a < 16) b == 1.",
    "in": "Write %in% c(…).",
    "~": "A dependence of columns on each other is not a rule about one record: list what goes "
    "together, or derive the column.",
    ":=": "Write the whole expression in place of the name that is given to it.",
    "$": "Write the name of the column alone.",
    "[": "Write the name of the column alone.",
    "^": "Powers are not understood: use sums of columns times numbers.",
    ":": "A span such as 1:5 stands only inside %in% c(…).",
}  # fmt: skip
"""What to write for signs and words that are not of the language."""
_FUNCTIONS: Final = {
    "sum": "It adds up a whole column in R; write a + b + c for columns of one record.",
    "mean": "Rules are about one record alone: nothing of all records can be in them.",
    "median": "Rules are about one record alone: nothing of all records can be in them.",
    "var": "Rules are about one record alone: nothing of all records can be in them.",
    "sd": "Rules are about one record alone: nothing of all records can be in them.",
    "cor": "Rules are about one record alone: nothing of all records can be in them.",
    "min": "Write one comparison for each column, with & between them.",
    "max": "Write one comparison for each column, with & between them.",
    "abs": "Write both comparisons: a - b <= 5 & b - a <= 5.",
    "ifelse": "Write if (condition) … else ….",
    "is.null": "Write is.na(column).",
    "is_complete": "Write !is.na(a) & !is.na(b).",
    "is_unique": "Rules are about one record alone: nothing of all records can be in them.",
    "all_unique": "Rules are about one record alone: nothing of all records can be in them.",
    "nrow": "Rules are about one record alone: nothing of all records can be in them.",
    "nchar": "What texts a column may hold is said by its list of values.",
    "grepl": "What texts a column may hold is said by its list of values.",
    "field_format": "What texts a column may hold is said by its list of values.",
    "field_length": "What texts a column may hold is said by its list of values.",
    "number_format": "How numbers are written is said by the column itself.",
    "in_range": "Write column >= lowest & column <= highest.",
    "between": "Write column >= lowest & column <= highest.",
    "is.numeric": "Of what kind a column is, is said by the column itself.",
    "is.character": "Of what kind a column is, is said by the column itself.",
    "is.integer": "Of what kind a column is, is said by the column itself.",
    "var_group": "Write the rule once for each column.",
}
"""What to write instead of functions that rules of R may call."""
_UNDERSTOOD: Final = (
    "Understood are comparisons of sums of columns, %in% c(…), is.na(…), !, &, | and if (…) … "
    "else …."
)


@dataclass(frozen=True)
class _Token:
    sort: str
    text: str
    start: int
    end: int


def _split(text: str) -> Iterator[_Token]:
    """Yield the words and signs of a rule.

    Raises:
        Refusal: there is something else.
    """
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            letter = text[place]
            if letter in "\"'`":
                raise refuse_place(
                    text, place, len(text), "the quotation mark is not closed", "Close it."
                )
            raise refuse_place(
                text,
                place,
                place + 1,
                "the sign is not understood",
                _INSTEAD.get(letter, _UNDERSTOOD),
            )
        sort = match.lastgroup or ""
        if sort != "blank":
            yield _Token(sort, match.group(), place, match.end())
        place = match.end()


def parse_rule(text: str) -> RulePart:
    """Return the tree of a rule.

    Raises:
        Refusal: it is empty, too long, or not understood; the problem names the place.
    """
    if len(text) > LONGEST_RULE:
        raise Refusal(
            f"A rule has more than {LONGEST_RULE:,} letters.", "Write several rules.", field="rules"
        )
    tokens = tuple(_split(text))
    if not tokens:
        raise Refusal(
            "A rule is empty.",
            'Write one such as if (age < 16) marital == "single".',
            field="rules",
        )
    return _Parser(text, tokens).parse()


def tidy_rule(text: str) -> str:
    """Return the text of a rule in one line, without comments, and with one blank for several
    outside of quotation marks.

    Raises:
        Refusal: as of `parse_rule`.
    """
    tokens, tidy = tuple(_split(text)), ""
    for before, token in zip((None, *tokens), tokens, strict=False):
        apart = before is not None and before.end < token.start
        tidy += f" {token.text}" if apart else token.text
    return tidy


def split_choice(text: str) -> tuple[str, str] | None:
    """Return the condition of a rule that begins with “if”, and what follows it, as they stand
    between and after the brackets; None if it begins otherwise.

    Raises:
        Refusal: as of `parse_rule`.
    """
    tokens = tuple(_split(text))
    if len(tokens) < 2 or (tokens[0].text, tokens[1].text) != ("if", "("):
        return None
    depth = 0
    for token in tokens[1:]:
        depth += (token.text == "(") - (token.text == ")") if token.sort == "sign" else 0
        if not depth:
            return text[tokens[1].end : token.start], text[token.end :]
    return None


class _Parser:
    """Reads a rule from left to right; a method for each level of precedence, as R has them."""

    def __init__(self, text: str, tokens: tuple[_Token, ...]) -> None:
        self._text, self._tokens, self._place, self._depth = text, tokens, 0, 0

    def parse(self) -> RulePart:
        """Return the tree of the whole rule."""
        part = self._condition()
        if self._next is not None:
            raise self._refuse_next()
        return part

    @property
    def _next(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    @property
    def _end(self) -> int:
        """Where the last word that was taken ends."""
        return self._tokens[self._place - 1].end if self._place else 0

    def _sees(self, *texts: str) -> bool:
        token = self._next
        return token is not None and token.sort in ("sign", "name") and token.text in texts

    def _take(self) -> _Token:
        token = self._next
        if token is None:
            raise self._refusal(
                len(self._text), len(self._text), "something is missing", _UNDERSTOOD
            )
        self._place += 1
        return token

    def _expect(self, sign: str, why: str) -> None:
        if not self._sees(sign):
            token = self._next
            start, end = (
                (len(self._text), len(self._text)) if token is None else (token.start, token.end)
            )
            raise self._refusal(start, end, f"“{sign}” is missing", why)
        self._place += 1

    def _refusal(self, start: int, end: int, problem: str, remedy: str) -> Refusal:
        return refuse_place(self._text, start, end, problem, remedy)

    def _refuse_next(self) -> Refusal:
        """Return the refusal of the next word, which cannot stand where it does."""
        token = self._take()
        if token.text in _COMPARISONS:
            return self._refusal(
                token.start,
                token.end,
                "a comparison has two sides",
                "Write two comparisons with & between them: 0 <= a & a <= 10.",
            )
        remedy = _INSTEAD.get(token.text, "Write & or | between two conditions.")
        if token.text in (")", "}"):
            remedy = "Take the bracket out, or open it before."
        return self._refusal(token.start, token.end, "this is not expected here", remedy)

    def _condition(self) -> RulePart:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._refusal(0, 0, "it is nested too deeply", "Write several rules.")
        part = self._choice() if self._sees("if") else self._either()
        self._depth -= 1
        return part

    def _choice(self) -> RulePart:
        start = self._take().start
        why = "Write the condition in brackets: if (age < 16) …."
        self._expect("(", why)
        condition = self._condition()
        self._expect(")", why)
        then = self._condition()
        otherwise = None
        if self._sees("else"):
            self._place += 1
            otherwise = self._condition()
        return ChoicePart(start, self._end, condition, then, otherwise)

    def _either(self) -> RulePart:
        return self._junction("|", self._both)

    def _both(self) -> RulePart:
        return self._junction("&", self._negation)

    def _junction(self, sign: str, read: Callable[[], RulePart]) -> RulePart:
        """Return conditions with one sign between them, each read by the level below."""
        parts = [read()]
        while self._sees(sign, 2 * sign):
            self._place += 1
            parts.append(read())
        if len(parts) == 1:
            return parts[0]
        return JunctionPart(parts[0].start, self._end, sign, tuple(parts))

    def _negation(self) -> RulePart:
        if not self._sees("!"):
            return self._comparison()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._refusal(0, 0, "it is nested too deeply", "Write several rules.")
        start = self._take().start
        inner = self._negation()
        self._depth -= 1
        return NegationPart(start, self._end, inner)

    def _comparison(self) -> RulePart:
        left = self._sum()
        if not self._sees(*_COMPARISONS):
            return left
        sign = self._take().text
        right = self._sum()
        return ComparisonPart(left.start, self._end, sign, left, right)

    def _sum(self) -> RulePart:
        return self._arithmetic("+-", self._product)

    def _product(self) -> RulePart:
        return self._arithmetic("*/", self._membership)

    def _arithmetic(self, signs: str, read: Callable[[], RulePart]) -> RulePart:
        """Return numbers with some of the signs between them, each read by the level below."""
        part, terms = read(), 1
        while self._sees(*signs):
            sign = self._take().text
            part, terms = ArithmeticPart(part.start, self._end, sign, part, read()), terms + 1
            part = replace(part, end=self._end)
            if terms > _MOST_TERMS:
                raise self._refusal(
                    part.start, part.end, "the sum is too long", "Write several rules."
                )
        return part

    def _membership(self) -> RulePart:
        part = self._read_sign()
        token = self._next
        if token is None or not token.text.startswith("%") or token.sort != "sign":
            return part
        self._place += 1
        if token.text not in ("%in%", "%vin%"):
            raise self._refusal(
                token.start, token.end, "the sign is not understood", "Write %in% c(…)."
            )
        options = self._options()
        return MembershipPart(part.start, self._end, part, options)

    def _options(self) -> tuple[ConstantPart, ...]:
        """Return the constants of a list, c(…), or of one constant alone."""
        if not self._sees("c"):
            return tuple(self._option())
        self._place += 1
        why = 'List the values: %in% c("a", "b").'
        self._expect("(", why)
        found = list(self._option())
        while self._sees(","):
            self._place += 1
            found += self._option()
            if len(found) > _MOST_OPTIONS:
                raise self._refusal(
                    found[0].start, self._end, "the list is too long", "Shorten it."
                )
        self._expect(")", why)
        return tuple(found)

    def _option(self) -> list[ConstantPart]:
        first = self._constant()
        if not self._sees(":"):
            return [first]
        self._place += 1
        last = self._constant()
        ends = [each.value for each in (first, last)]
        low, high = ends
        if (
            isinstance(low, bool | str)
            or isinstance(high, bool | str)
            or low != int(low)
            or high != int(high)
            or not 0 <= high - low < _MOST_OPTIONS
        ):
            raise self._refusal(
                first.start, last.end, "this is no span of whole numbers", "Write one such as 1:5."
            )
        return [
            ConstantPart(first.start, last.end, Decimal(number))
            for number in range(int(low), int(high) + 1)
        ]

    def _constant(self) -> ConstantPart:
        start = self._next.start if self._next is not None else len(self._text)
        part = self._read_sign()
        if not isinstance(part, ConstantPart):
            raise self._refusal(
                start, self._end, "this is no number and no text", "List values only."
            )
        return part

    def _read_sign(self) -> RulePart:
        if self._sees("!"):
            # As R has it: what stands after ! reaches up to the next & or |.
            return self._negation()
        if not self._sees("-", "+"):
            return self._primary()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._refusal(0, 0, "it is nested too deeply", "Write several rules.")
        sign = self._take()
        inner = self._read_sign()
        self._depth -= 1
        if isinstance(inner, ConstantPart) and isinstance(inner.value, Decimal):
            number = -inner.value if sign.text == "-" else inner.value
            return ConstantPart(sign.start, inner.end, number)
        if sign.text == "+":
            return inner
        zero = ConstantPart(sign.start, sign.start, Decimal(0))
        return ArithmeticPart(sign.start, inner.end, "-", zero, inner)

    def _primary(self) -> RulePart:
        token = self._take()
        match token.sort:
            case "number":
                return ConstantPart(token.start, token.end, Decimal(token.text.rstrip("L")))
            case "text":
                return ConstantPart(token.start, token.end, self._unquote(token))
            case "quoted":
                return ColumnPart(token.start, token.end, self._unquote(token))
            case "name":
                return self._word(token)
        if token.text in ("(", "{"):
            inner = self._condition()
            self._expect(")" if token.text == "(" else "}", "Close the bracket.")
            return inner
        if token.text in _COMPARISONS or token.text in ("&", "|", "&&", "||", "*", "/", ")", ","):
            raise self._refusal(
                token.start, token.end, "something is missing before it", "Name a column there."
            )
        raise self._refusal(
            token.start,
            token.end,
            "this is not understood",
            _INSTEAD.get(token.text, _UNDERSTOOD),
        )

    def _word(self, token: _Token) -> RulePart:
        """Return what a name stands for: a column, a constant, or a function and its argument."""
        if self._sees("(") and token.text not in ("if", "else"):
            return self._call(token)
        match token.text:
            case "TRUE" | "T" | "FALSE" | "F":
                return ConstantPart(token.start, token.end, token.text[0] == "T")
            case "NA" | "NA_character_" | "NA_integer_" | "NA_real_":
                raise self._refusal(
                    token.start,
                    token.end,
                    "nothing is equal to what is missing",
                    "Write is.na(column).",
                )
            case "Inf" | "NaN" | "NULL":
                raise self._refusal(token.start, token.end, "this is no value", _UNDERSTOOD)
            case "else" | "if":
                raise self._refusal(
                    token.start,
                    token.end,
                    "this is not expected here",
                    "Put “if (…) …” in brackets where it is a part of something.",
                )
        if token.text in _INSTEAD:
            raise self._refusal(
                token.start, token.end, "this is not understood", _INSTEAD[token.text]
            )
        return ColumnPart(token.start, token.end, token.text)

    def _call(self, token: _Token) -> RulePart:
        if token.text in ("is.na", "as.Date"):
            self._place += 1
            inner = self._sum()
            self._expect(")", "Close the bracket.")
            if token.text == "is.na" and isinstance(inner, ColumnPart):
                return MissingPart(token.start, self._end, inner)
            if (
                token.text == "as.Date"
                and isinstance(inner, ConstantPart)
                and isinstance(inner.value, str)
            ):
                return ConstantPart(token.start, self._end, inner.value)
            raise self._refusal(
                token.start,
                self._end,
                "this is not understood",
                "Name one column in is.na(…)."
                if token.text == "is.na"
                else "Write a date in quotation marks, or the name of the column alone.",
            )
        raise self._refusal(
            token.start,
            token.end,
            "this function is not understood",
            _FUNCTIONS.get(token.text, _UNDERSTOOD),
        )

    def _unquote(self, token: _Token) -> str:
        """Return what a text in quotation marks says."""
        inner = token.text[1:-1]
        if "\\" not in inner:
            return inner

        def unescape(match: re.Match[str]) -> str:
            letter = match.group(1)
            if letter not in _ESCAPES:
                raise self._refusal(
                    token.start, token.end, f"\\{letter} is not understood", "Write \\\\ for \\."
                )
            return _ESCAPES[letter]

        return re.sub(r"\\(.)", unescape, inner, flags=re.DOTALL)
