"""The ways in which text files write numbers, named by how they write 1234.5: 1.234,5 or $1,234.5.

The way is declared, and how a text is read depends on it and on that text alone. Where several
could be meant, as for 1.234, all of them are named: only what they agree on is read, until a person
has said which one it is. Typed files hold numbers as such, and none of this is about them, unless
it is declared that they keep the column as texts (“1.234,5 as text”).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import product
from typing import ClassVar, Final, Literal, Self

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.table.cells import parse_number
from understudy.table.checks import check_read
from understudy.table.domain import Ranged, Setting, read_typed

_OR: Final = " or "
AS_TEXT: Final = " as text"
"""What stands behind a spelling where typed files, such as workbooks, keep the column as texts."""
_LONGEST: Final = 60
_LONGEST_SIGN: Final = 8
_LONGEST_NUMBER: Final = 100
_BLANKS: Final = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE} "
_APOSTROPHES: Final = "'\N{RIGHT SINGLE QUOTATION MARK}"
_EXAMPLE = re.compile(
    rf"(?P<open>\()?(?P<before>[^\d()]*)1(?P<group>[.,{_BLANKS}{_APOSTROPHES}]?)234"
    r"(?:(?P<point>[.,])5)?(?P<after>[^\d()]*)(?P<close>\))?"
)
Negative = Literal["before", "brackets", "behind"]
"""How a number below zero is told: by a minus before or behind it, or by brackets around it."""


@dataclass(frozen=True)
class NumberPattern:
    """One way to write numbers.

    Attributes:
        group: what stands between thousands; "" for nothing.
        point: what stands before decimals; "" where there are none.
        before, after: what stands around every number, such as “$” and “ %”.
        negative: how a number below zero is told.
    """

    group: str = ""
    point: str = "."
    before: str = ""
    after: str = ""
    negative: Negative = "before"

    @classmethod
    def parse_pattern(cls, text: str) -> NumberPattern:
        """Return the way in which a text writes 1234.5.

        Raises:
            Refusal: it does not write that number.
        """
        found = _EXAMPLE.fullmatch(text)
        if found is None or len(text) > _LONGEST or bool(found["open"]) != bool(found["close"]):
            raise _refuse_example()
        after = found["after"]
        negative: Negative = "brackets" if found["open"] else "before"
        if after.endswith("-") and negative == "before":
            after, negative = after[:-1], "behind"
        pattern = cls(found["group"], found["point"] or "", found["before"], after, negative)
        signs = (pattern.before, pattern.after)
        if (
            (pattern.group and pattern.group == pattern.point)
            or any(len(sign) > _LONGEST_SIGN or set(sign) & set('+-−"\n\r\t') for sign in signs)
            or any(_OR.strip() in sign.split() for sign in signs)
        ):
            raise _refuse_example()
        for sign in signs:
            check_read(sign, "sign of numbers", "spelling")
        return pattern

    @property
    def text(self) -> str:
        """How it writes 1234.5."""
        digits = f"1{self.group}234{f'{self.point}5' if self.point else ''}"
        return self._place_signs(digits, below=self.negative != "before")

    def _place_signs(self, digits: str, *, below: bool) -> str:
        text = f"{self.before}{digits}{self.after}"
        if not below:
            return text
        return {"before": f"-{text}", "brackets": f"({text})", "behind": f"{text}-"}[self.negative]

    @property
    def sign(self) -> str:
        """What stands around every number, such as “%”; "" where nothing does."""
        return f"{self.before.strip()} {self.after.strip()}".strip()

    @cached_property
    def _form(self) -> re.Pattern[str]:
        """What texts look like."""
        if self.group:
            group = next(
                (f"[{each}]" for each in (_BLANKS, _APOSTROPHES) if self.group in each),
                re.escape(self.group),
            )
            whole = rf"[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+"
        else:
            whole = r"\d+"
        point = re.escape(self.point)
        digits = rf"(?:{whole})(?:{point}\d+)?|{point}\d+" if self.point else whole
        before, after = (
            rf"\s*{re.escape(sign.strip())}\s*" if sign.strip() else ""
            for sign in (self.before, self.after)
        )
        sign = r"(?P<minus>[+\-−])?\s*"
        inner = rf"{sign}{before}(?P<inner>[+\-−])?(?P<digits>{digits}){after}"
        form = (
            rf"(?P<open>\()?\s*{inner}\s*(?P<close>\))?" if self.negative == "brackets" else inner
        )
        return re.compile(f"{form}(?P<behind>-)?" if self.negative == "behind" else form, re.ASCII)

    @cached_property
    def _plain_signs(self) -> dict[int, str | None]:
        """What becomes of each sign among digits in the usual way."""
        signs = {ord(sign): None for sign in f".,{_BLANKS}{_APOSTROPHES}"}
        return {**signs, **({ord(self.point): "."} if self.point else {})}

    def read(self, text: str) -> Decimal | None:
        """Return the number that a text stands for, blanks around it ignored; None for one of
        another form."""
        found = self._form.fullmatch(text.strip()) if len(text) <= _LONGEST_NUMBER else None
        if found is None:
            return None
        parts = found.groupdict()
        signs = [parts["minus"], parts["inner"], parts.get("behind"), parts.get("open")]
        said = [sign for sign in signs if sign]
        if len(said) > 1 or bool(parts.get("open")) != bool(parts.get("close")):
            return None
        digits = parts["digits"].translate(self._plain_signs)
        number = Decimal(digits)
        return -number if said and said[0] != "+" and number else number

    def write(self, number: Decimal, decimals: int) -> str:
        """Return the text of a number with so many decimals."""
        whole, _, part = f"{abs(number):.{decimals}f}".partition(".")
        if self.group:
            whole = f"{int(whole):,}".replace(",", self.group)
        return self._place_signs(f"{whole}{self.point if part else ''}{part}", below=number < 0)


def _refuse_example() -> Refusal:
    return Refusal(
        "The way in which numbers are written is not understood.",
        "Write the number 1234.5 as the file does, such as 1.234,5 or 1 234,5 or $1,234.5 or "
        "1234.5 % or (1,234.5) for one below zero.",
        field="spelling",
    )


@dataclass(frozen=True)
class NumberSpelling:
    """The patterns of a column, one of which is meant.

    Attributes:
        patterns: they.
        as_text: whether typed files keep the column as texts.
    """

    patterns: tuple[NumberPattern, ...]
    as_text: bool = False

    @property
    def text(self) -> str:
        """The spelling as it is declared."""
        return _OR.join(pattern.text for pattern in self.patterns) + self._ending

    @property
    def _ending(self) -> str:
        return AS_TEXT if self.as_text else ""

    @property
    def question(self) -> str:
        """What a person has to say before a text is read for sure; "" where all is said."""
        if len(self.patterns) < 2:
            return ""
        return (
            f"1{self.mark}234 can be a little more than one, or more than a thousand. Say "
            "which one it is."
        )

    @property
    def mark(self) -> str:
        """A sign that stands between thousands in one of the patterns."""
        return next((pattern.group for pattern in self.patterns if pattern.group), "")

    @property
    def choices(self) -> tuple[str, ...]:
        """What the question can be answered with; none where there is none."""
        if not self.question:
            return ()
        return tuple(f"{pattern.text}{self._ending}" for pattern in self.patterns)

    def read(self, text: str) -> Decimal | None:
        """Return what all patterns that a text has the form of say that it is; None if they differ,
        or there is none."""
        found = {pattern.read(text) for pattern in self.patterns} - {None}
        return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=256)
def number_spelling(text: str) -> NumberSpelling:
    """Return the spelling that a declared text names.

    Raises:
        Refusal: it names none.
    """
    bare = text.removesuffix(AS_TEXT)
    patterns = tuple(dict.fromkeys(map(NumberPattern.parse_pattern, bare.split(_OR))))
    found = NumberSpelling(patterns, bare != text)
    if len(found.patterns) > 4:
        raise _refuse_example()
    return found


NUMBER_SPELLING: Final = Setting(
    "spelling",
    "Written as",
    help="How a text file writes the number 1234.5: 1.234,5 or 1 234,5 or $1,234.5 or 1234.5 % or "
    "(1,234.5) where brackets tell numbers below zero. Blank for 1234.5. Excel and Parquet files "
    "mostly hold numbers as such; where they hold texts, write 1.234,5 as text.",
    placeholder="1234.5",
    read=read_typed,
)


class SpeltNumbers(Ranged, what="the range"):
    """Numbers that text files may write in a way of their own.

    Attributes:
        spelling: how they write 1234.5; "" for just so.
    """

    spelling: str = Field(default="", exclude_if=lambda text: not text)

    numeric: ClassVar[bool] = True

    def check_spelling(self, decimals: int) -> None:
        """Check that numbers with so many decimals can be written.

        Raises:
            Refusal: the spelling names no way, or one without decimals.
        """
        if self.spelling and decimals and not number_spelling(self.spelling).patterns[0].point:
            raise Refusal(
                f"{self.spelling} writes no decimals, and the column has some.",
                "Write the number 1234.5 as the file does, or choose whole steps.",
                field="spelling",
            )
        _ = self.written_as

    @cached_property
    def written_as(self) -> NumberSpelling | None:
        """How text files write them; None for the usual way."""
        return number_spelling(self.spelling) if self.spelling else None

    @property
    def held_as_texts(self) -> bool:
        """Whether typed files hold its values as texts."""
        return self.written_as is not None and self.written_as.as_text

    @property
    def question(self) -> str:
        """What is still to be said of how texts are read."""
        return "" if self.written_as is None else self.written_as.question

    @property
    def choices(self) -> tuple[str, ...]:
        """The spellings that the question can be answered with."""
        return () if self.written_as is None else self.written_as.choices

    def explain_choice(self, choice: str) -> str:
        """Return a choice with what it makes of a number that all choices write."""
        if self.written_as is None:
            return choice
        sample, mark = f"1{self.written_as.mark}234", self.written_as.mark
        if number_spelling(choice).patterns[0].group == mark:
            return f"{sample} is more than a thousand"
        return f"{sample} is a little more than one"

    @property
    def typed(self) -> Self:
        """The same as typed files hold it."""
        if not self.spelling or self.held_as_texts:
            return self
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**settings, "spelling": ""})

    def value_of(self, text: str) -> Decimal | None:
        """Return the number that a text of a text file stands for; None if it stands for none."""
        return parse_number(text) if self.written_as is None else self.written_as.read(text)

    def write_texts(self, texts: Collection[str], decimals: int) -> list[str]:
        """Return numbers that are written in the usual way as text files have them."""
        if self.written_as is None:
            return list(texts)
        pattern = self.written_as.patterns[0]
        return [pattern.write(Decimal(text), decimals) for text in texts]

    def show_ends(self) -> str:
        """Return the lowest and the highest number in a phrase."""
        return " to ".join(dict.fromkeys(self.end_texts)) if self.spelling else super().show_ends()

    def spelling_extra(self) -> dict[str, str]:
        """Return what a schema file says of the spelling beyond the words of the standard."""
        return {"spelling": self.spelling} if self.spelling else {}

    def spelling_settings(self) -> dict[str, str | bool]:
        """Return what a Table Schema says of the spelling."""
        if self.written_as is None or self.question:
            return {}
        pattern = self.written_as.patterns[0]
        point = pattern.point if pattern.point != "." else ""
        told = {"decimalChar": point, "groupChar": pattern.group}
        bare = {"bareNumber": False} if pattern.sign else {}
        return {**{name: sign for name, sign in told.items() if sign}, **bare}

    def spelling_substance(self) -> list[object]:
        """Return what the fingerprint of a schema knows of the spelling."""
        return [{"spelling": self.spelling}] if self.spelling else []


def spelling_of(domain: Ranged) -> str:
    """Return how text files write the numbers of a column; "" for the usual way."""
    return domain.spelling if isinstance(domain, SpeltNumbers) else ""


def spelling_of_field(extra: Mapping[str, object], settings: Mapping[str, object]) -> str:
    """Return the spelling that a field of a Table Schema names.

    Raises:
        Refusal: it is none.
    """
    if "spelling" in extra:
        return str(extra["spelling"])
    point, group = settings.get("decimalChar", "."), settings.get("groupChar", "")
    if (point, group) == (".", "") or not isinstance(point, str) or not isinstance(group, str):
        return ""
    return NumberPattern.parse_pattern(f"1{group}234{point}5").text


# The spelling that texts seem to have, for a person to confirm.

_SIGNS: Final = frozenset(
    ("%", "‰", "€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK", "DKK",
     "PLN", "CZK", "HUF", "kr", "Kč", "zł", "Fr.", "Fr", "kg", "g", "cm", "mm", "m", "km", "l",
     "ml", "°C", "h", "min")
)  # fmt: skip
_SPLIT = re.compile(
    rf"(?P<open>\()?\s*[+\-−]?\s*(?P<before>[^\d\s()+\-−.,{_APOSTROPHES}][^\d()+\-−]*?)?[+\-−]?"
    rf"(?P<digits>\d[\d.,{_BLANKS}{_APOSTROPHES}]*?\d|\d)"
    rf"(?P<gap>[{_BLANKS}]?)(?P<after>[^\d\s()+\-−]+)?(?P<behind>-)?\s*(?P<close>\))?",
    re.ASCII,
)
_GROUPS: Final = ("", ".", ",", " ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "'",
                  "\N{RIGHT SINGLE QUOTATION MARK}")  # fmt: skip


def suggest_number_spelling(texts: Collection[str]) -> NumberSpelling | None:
    """Return the ways in which all texts could write numbers; None where there are none, or all
    are written in the usual way and in no other."""
    split = []
    for text in texts:
        found = _SPLIT.fullmatch(text)
        if found is None or bool(found["open"]) != bool(found["close"]):
            return None
        if found["digits"][:1] == "0" and found["digits"][1:2].isdigit():
            return None
        split.append(found)
    signs = {((each["before"] or ""), (each["after"] or "")) for each in split}
    if len(signs) != 1:
        return None
    before, after = signs.pop()
    if not {before.strip(), after} <= _SIGNS | {""}:
        return None
    gap = " " if after and any(each["gap"] for each in split) else ""
    brackets = any(each["open"] for each in split)
    behind = any(each["behind"] for each in split)
    negative: Negative = "brackets" if brackets else "behind" if behind else "before"
    around = NumberPattern("", "", before, f"{gap}{after}", negative)
    if (brackets and behind) or (brackets and all(each["open"] for each in split)):
        return None
    marks = {letter for each in split for letter in each["digits"] if not letter.isdigit()}
    likely = [pattern for pattern in _list_likely(around, marks) if _reads_all(pattern, texts)]
    if not likely or likely == [NumberPattern()]:
        return None
    return NumberSpelling(tuple(likely))


def _reads_all(pattern: NumberPattern, texts: Collection[str]) -> bool:
    return all(pattern.read(text) is not None for text in texts)


def _list_likely(around: NumberPattern, marks: Collection[str]) -> Iterator[NumberPattern]:
    """Yield the patterns that use each of some marks, and no other."""
    if not marks:
        yield replace(around, point="." if around == NumberPattern("", "") else "")
        return
    for point, group in product((".", ",", ""), _GROUPS):
        if {point, group} - {""} == set(marks) and point != group:
            yield replace(around, group=group, point=point)
