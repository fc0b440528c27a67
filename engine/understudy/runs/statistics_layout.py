"""How released tables stand in files of SPSS and Stata: names, titles, labels of values, codes for
missing with their meanings, and the programs' own dates and times.

It follows from the public schema, so that what a format makes different of a column can be told
before a record is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.table.cells import parse_number
from understudy.table.column import Column
from understudy.table.domain import exact_text, range_of
from understudy.table.missing_codes import MissingCode
from understudy.table.schema import Schema

StatisticsForm = Literal["sav", "dta"]
Content = Literal["text", "number", "day", "moment", "clock"]
"""What the program takes a column for."""

TITLES: Final[Mapping[StatisticsForm, str]] = {"sav": "SPSS", "dta": "Stata"}
"""The program that each form of file is of, by its ending."""

_LEAST, _MOST = -2_147_483_647, 2_147_483_620
"""The whole numbers to which Stata has labels; those beyond stand for missing."""
_SAFE: Final = 1e15
"""Below it, whole numbers and a few decimals are exact in a double."""
_DAY_MS: Final = 86_400_000
_UNIX: Final = date(1970, 1, 1)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TAG: Final = re.compile(r"\.([a-z])")
_SHORT: Final = 8
"""The most bytes of a text that SPSS can declare missing."""
_DISCRETE: Final = 3
"""The most single values of a column that SPSS can declare missing."""


@dataclass(frozen=True)
class _Program:
    """What a program's files can hold.

    Attributes:
        start: the day that its dates are counted from.
        first: the first day that it has as a date.
        day: what a day counts in a column of days.
        per_second: what a second counts in one of moments.
        formats: how each content is shown.
        longest_name: of a column; bytes in SPSS, letters in Stata.
        signs: that names may have beside letters, digits and underscores.
        reserved: names that stand for something else, in small letters.
        longest_title: of a column, in the same.
        longest_label: of a value, in the same.
        scaled: the format in which scaled weights are shown.
    """

    start: date
    first: date
    day: int
    per_second: int
    formats: Mapping[Content, str]
    longest_name: int
    signs: str
    reserved: re.Pattern[str]
    longest_title: int
    longest_label: int
    scaled: str

    @property
    def offset(self) -> int:
        """How many days its count of days is ahead of that from 1970."""
        return (_UNIX - self.start).days


_PROGRAMS: Final[Mapping[StatisticsForm, _Program]] = {
    "sav": _Program(
        start=date(1582, 10, 14),
        first=date(1582, 10, 15),
        day=86_400,
        per_second=1,
        formats={"day": "SDATE10", "moment": "DATETIME17", "clock": "TIME5"},
        longest_name=64,
        signs=".@#$",
        reserved=re.compile("all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with"),
        longest_title=256,
        longest_label=120,
        scaled="F16.4",
    ),
    "dta": _Program(
        start=date(1960, 1, 1),
        first=date(100, 1, 1),
        day=1,
        per_second=1000,
        formats={"day": "%tdCCYY-NN-DD", "moment": "%tc", "clock": "%tcHH:MM"},
        longest_name=32,
        signs="",
        reserved=re.compile(
            "_all|_b|byte|_coef|_cons|double|float|if|in|int|_n|_pi|_pred|_rc|_skip|str[0-9]*|strl"
            "|using|with|long"
        ),
        longest_title=80,
        longest_label=32_000,
        scaled="%16.4f",
    ),
}


@dataclass(frozen=True)
class ColumnLayout:
    """How a column stands in the file.

    Attributes:
        name: in the file.
        title: in the file.
        content: what the program takes it for.
        column: the declared one; None for one that is kept empty.
        shown: the format of the program; "" for what is usual.
        labels: of values, and of letters that stand for missing.
        missing: what stands for each code for missing: a number or a text; a letter of Stata's;
            None for what the program itself has for missing.
        ranges: what is declared missing, as SPSS has it: values, or a lowest and a highest.
        whole: whether its numbers are whole and small enough for Stata's whole numbers.
        scaled: whether it is the column, a survey weight, multiplied so that all released weights
            add up to what those of the population do.
    """

    name: str
    title: str = ""
    content: Content = "text"
    column: Column | None = None
    shown: str = ""
    labels: Mapping[Any, str] = field(default_factory=dict)
    missing: tuple[float | str | None, ...] = ()
    ranges: tuple[Any, ...] = ()
    whole: bool = False
    scaled: bool = False


@dataclass(frozen=True)
class StatisticsLayout:
    """How a table stands in a file.

    Attributes:
        form: the form of file.
        columns: in the order of the released table, then scaled survey weights.
        changes: what is otherwise than in the release as the format has it so, in sentences.
    """

    form: StatisticsForm
    columns: tuple[ColumnLayout, ...]
    changes: tuple[str, ...]


def plan_layout(schema: Schema, form: StatisticsForm) -> StatisticsLayout:
    """Return how a table of a schema stands in a file.

    Raises:
        Refusal: a column has more codes for missing than Stata has letters.
    """
    changes, schema = list[str](), schema.full
    columns = {each.name: each for each in schema.columns}
    laid = list[ColumnLayout]()
    weights = [name for name in schema.weights if columns[name].population is not None]
    names = _name_columns([*schema.header, *(f"{name}_population" for name in weights)], form)
    for name, called in zip(schema.header, names, strict=False):
        if called != name:
            changes.append(f"Column “{name}” is called “{called}”.")
        if name in columns:
            laying = _Laying(columns[name], form, changes)
            laid.append(laying.lay(called, instead=name if called != name else ""))
        else:
            laid.append(ColumnLayout(called, title=_cut(name, form) if called != name else ""))
    for name, called in zip(weights, names[len(schema.header) :], strict=True):
        laid.append(_lay_scaled(columns[name], called, form))
        changes.append(
            f"Column “{called}” is added: “{name}”, multiplied so that it adds up to "
            f"{columns[name].population:,f}, for totals of the population."
        )
    return StatisticsLayout(form, tuple(laid), tuple(changes))


def _lay_scaled(column: Column, called: str, form: StatisticsForm) -> ColumnLayout:
    """Return how a survey weight stands in the file that is scaled to the population."""
    title = f"{column.title or column.name}, adding up to {column.population:,f}"
    return ColumnLayout(
        called, _cut(title, form), "number", column, _PROGRAMS[form].scaled, scaled=True
    )


# Names of columns.


def _name_columns(names: Sequence[str], form: StatisticsForm) -> list[str]:
    """Return a name that the program takes for each column, no two of them alike."""
    program, taken = _PROGRAMS[form], set[str]()
    fit = [_name_column(name, form) for name in names]
    kept = {name.casefold() for name, each in zip(names, fit, strict=True) if name == each}
    called = list[str]()
    for name, each in zip(names, fit, strict=True):
        turn, final = 1, each
        while final.casefold() in taken or (final != name and final.casefold() in kept):
            turn += 1
            end = f"_{turn}"
            final = _shorten(each, program.longest_name - len(end), form) + end
        taken.add(final.casefold())
        called.append(final)
    return called


def _name_column(name: str, form: StatisticsForm) -> str:
    """Return the nearest name that the program takes."""
    program = _PROGRAMS[form]
    kept = "".join(
        each if each.isalnum() or each == "_" or each in program.signs else "_" for each in name
    )
    if not (kept[0].isalpha() or (kept[0] == "_" and form == "dta")):
        kept = f"v{kept}"
    kept = _shorten(kept, program.longest_name, form).rstrip(".")
    return f"{kept}_" if program.reserved.fullmatch(kept.lower()) else kept


def _shorten(text: str, most: int, form: StatisticsForm) -> str:
    """Return the beginning of a text: so many letters for Stata, so many bytes for SPSS."""
    if form == "dta":
        return text[:most]
    return text.encode()[:most].decode(errors="ignore")


def _cut(title: str, form: StatisticsForm) -> str:
    return _shorten(" ".join(title.split()), _PROGRAMS[form].longest_title, form)


# Columns.


@dataclass(frozen=True)
class _Laying:
    """Lays a column out.

    Attributes:
        column: which.
        form: of the file.
        changes: what is otherwise in the file, to which sentences are added.
    """

    column: Column
    form: StatisticsForm
    changes: list[str]

    @property
    def program(self) -> _Program:
        """What the program's files can hold."""
        return _PROGRAMS[self.form]

    def lay(self, called: str, instead: str) -> ColumnLayout:
        """Return how the column stands in the file.

        Args:
            called: its name there.
            instead: the title where none is declared.
        """
        content = self._content
        laid = ColumnLayout(
            called,
            title=self._shorten_title(self.column.title or instead),
            content=content,
            column=self.column,
            shown=self._choose_format(content),
            labels=self._label_values(content),
            whole=content == "number" and self._is_whole and _within(self._ends),
        )
        if content == "text":
            return self._add_missing_texts(laid)
        return self._add_letters(laid) if self.form == "dta" else self._add_missing_numbers(laid)

    @cached_property
    def _kind(self) -> pa.DataType:
        """The type of its values in Arrow."""
        domain = self.column.domain
        if domain.measured:
            return range_of(domain).numbers_to_arrow(np.zeros(0), None).type
        return domain.to_arrow(np.zeros(0, dtype=np.int64), None).type

    @cached_property
    def _content(self) -> Content:
        """What the program takes it for, if it can; else texts."""
        usual = _content_of(self._kind, self.column)
        if usual == "text":
            return usual
        low = self._ends[0]
        if usual in ("day", "moment"):
            first = (self.program.first - self.program.start).days * self._day(usual)
            if low < first:
                self._note(
                    f"{TITLES[self.form]} has no dates before {self.program.first}: they are texts"
                )
                return "text"
        elif usual == "number" and not self._is_exact:
            self._note("its numbers have more digits than the program keeps: they are texts")
            return "text"
        if usual == "moment" and (zone := self.column.domain.setting_texts().get("zone")):
            self._note(f"its times are those of {zone}, which the file does not say")
        return usual

    def _day(self, content: Content) -> int:
        return self.program.day if content == "day" else 86_400 * self.program.per_second

    @cached_property
    def _values(self) -> FloatArray:
        """Its numbers, as the program counts; of a measured column, the lowest and the highest."""
        domain = self.column.domain
        if domain.measured:
            ends = np.array([float(range_of(domain).minimum), float(range_of(domain).maximum)])
            return count_numbers(range_of(domain).numbers_to_arrow(ends, None), self.form)
        return count_numbers(domain.to_arrow(np.arange(domain.size), None), self.form)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self._values.min()), float(self._values.max())

    @property
    def _is_whole(self) -> bool:
        if self.column.domain.measured:
            return range_of(self.column.domain).resolution % 1 == 0
        return bool((self._values % 1 == 0).all())

    @property
    def _is_exact(self) -> bool:
        """Whether each number is the nearest one to the text that it is declared with."""
        domain = self.column.domain
        if domain.measured or domain.ranged is None:
            return True
        pairs = zip(range_of(domain).numbers, self._values.tolist(), strict=True)
        return all(Decimal(repr(value)) == number for number, value in pairs)

    def _choose_format(self, content: Content) -> str:
        """Return the format in which the program shows the values."""
        if content != "number":
            return self.program.formats.get(content, "")
        step = Decimal(1) if self._is_whole else Decimal("0.01")
        if not self._is_whole and self.column.domain.ranged is not None:
            step = range_of(self.column.domain).resolution
        decimals = max(0, -int(step.normalize().as_tuple().exponent))
        digits = max(len(str(int(abs(each)))) for each in self._ends)
        width = min(40, digits + 2 + (decimals + 1 if decimals else 0))
        # SPSS does not show more digits than that; the number is kept with all of them.
        decimals = min(decimals, 16)
        return f"F{width}.{decimals}" if self.form == "sav" else f"%{width}.{decimals}f"

    def _label_values(self, content: Content) -> dict[Any, str]:
        domain = self.column.domain
        labels = {
            text: " ".join(label.split())
            for text, label in zip(domain.texts, domain.given_labels, strict=False)
            if label.strip() and label != text
        }
        if labels and content == "text" and self.form == "dta":
            self._note("Stata has no labels for texts: those of its values are not in the file")
            return {}
        key: Callable[[str], Any] = int if content == "number" else str
        return {key(text): self._shorten_label(label) for text, label in labels.items()}

    def _shorten_title(self, title: str) -> str:
        short = _cut(title, self.form)
        if short != " ".join(title.split()):
            self._note("its title is cut")
        return short

    def _shorten_label(self, label: str) -> str:
        short = _shorten(label, self.program.longest_label, self.form)
        if short != label:
            self._note(f"the label “{short}” is cut")
        return short

    # What stands for missing.

    @property
    def _codes(self) -> tuple[MissingCode, ...]:
        return self.column.missing_codes[: self.column.missing_count]

    @cached_property
    def _plain(self) -> MissingCode | None:
        """The code for which the program's own missing value stands: the first that says nothing
        more."""
        plain = [each for each in self._codes if not each.label and self._number(each) is None]
        return next((each for each in plain if not each.written), next(iter(plain), None))

    def _number(self, code: MissingCode) -> float | None:
        """Return the number that the text of a code for missing is, as the program counts."""
        ranged = self.column.domain.ranged
        text = code.written
        if ranged is not None and self._content != "text":
            typed = range_of(ranged.typed)
            number = typed.parse(text)
            if number is not None and text in (exact_text(number), typed.spell(number)):
                return self._count(number)
        plain = parse_number(text)
        return None if plain is None else float(plain)

    def _count(self, number: Decimal) -> float | None:
        """Return a number of the range, or beyond it, as the program counts."""
        if self._content == "number":
            return float(number)
        domain = self.column.domain
        if not domain.measured:
            return None
        values = range_of(domain).numbers_to_arrow(np.array([float(number)]), None)
        return float(count_numbers(values, self.form)[0])

    def _add_missing_texts(self, laid: ColumnLayout) -> ColumnLayout:
        """Return texts, with those for missing as they are written, the plain one as nothing."""
        blank = "" not in self.column.domain.listed_texts
        codes = self._codes
        plain = blank and len(codes) == 1 and not codes[0].label
        texts = ("",) if plain else tuple(code.written for code in codes)
        labelled = {each.written: each.label for each in codes if each.label}
        if self.form == "dta":
            if labelled:
                named = _list_meanings(labelled.items())
                self._note(f"Stata has no codes for missing in texts: they are texts, {named}")
            return replace(laid, missing=texts)
        declared = [text for text in texts if text]
        if any(len(text.encode()) > _SHORT for text in declared) or len(declared) > _DISCRETE:
            self._note(
                f"SPSS declares at most {_DISCRETE} texts of up to {_SHORT} bytes missing: its "
                "codes for missing have labels only"
            )
            declared = []
        labels = {text: self._shorten_label(label) for text, label in labelled.items()}
        return replace(
            laid,
            missing=texts,
            ranges=tuple(declared),
            labels={**laid.labels, **labels},
        )

    def _add_letters(self, laid: ColumnLayout) -> ColumnLayout:
        """Return numbers with the letters that stand for missing in Stata."""
        lettered = [code for code in self._codes if code is not self._plain]
        own = {code: found[1] for code in lettered if (found := _TAG.fullmatch(code.written))}
        free = (each for each in _LETTERS if each not in own.values())
        letters = {code: own.get(code) or next(free, "") for code in lettered}
        if not all(letters.values()):
            raise Refusal(
                f"Column “{self.column.name}” has more codes for missing than Stata has letters, "
                f"{len(_LETTERS)}.",
                "Save the table for SPSS.",
                field="to",
            )
        moved = [(code.written, f".{letters[code]}") for code in lettered if code not in own]
        if moved:
            self._note(f"in place of its codes for missing: {_list_meanings(moved)}")
        labels = {letters[each]: self._shorten_label(each.meaning) for each in lettered}
        return replace(
            laid,
            labels={**laid.labels, **labels},
            missing=tuple(letters.get(each) for each in self._codes),
        )

    def _add_missing_numbers(self, laid: ColumnLayout) -> ColumnLayout:
        """Return numbers with those that are declared missing in SPSS."""
        coded = [code for code in self._codes if code is not self._plain]
        numbers = self._choose_numbers(coded)
        ranges = self._declare_ranges(sorted(numbers.values()))
        if ranges is None:
            # One range below all values holds any number of codes.
            lowest = self._below(())
            numbers = {code: lowest - place for place, code in enumerate(coded)}
            ranges = self._declare_ranges(sorted(numbers.values()))
        moved = [
            (code.written, f"{number:.15g}")
            for code, number in numbers.items()
            if self._number(code) != number
        ]
        if moved:
            self._note(f"in place of its codes for missing: {_list_meanings(moved)}")
        labels = {numbers[each]: self._shorten_label(each.label) for each in coded if each.label}
        labels |= {
            numbers[each]: self._shorten_label(each.meaning)
            for each in coded
            if not each.label and self._number(each) is None
        }
        return replace(
            laid,
            labels={**laid.labels, **labels},
            missing=tuple(numbers.get(each) for each in self._codes),
            ranges=ranges or (),
        )

    def _choose_numbers(self, codes: Sequence[MissingCode]) -> dict[MissingCode, float]:
        """Return a number for each code: its own, or one below all values."""
        chosen = dict[MissingCode, float]()
        for code in codes:
            own = self._number(code)
            free = own is not None and abs(own) < _SAFE and not self._is_value(own, own)
            if own is not None and free and own not in chosen.values():
                chosen[code] = own
        for code in codes:
            if code not in chosen:
                chosen[code] = self._below(chosen.values())
        return {code: chosen[code] for code in codes}

    def _below(self, taken: Collection[float]) -> float:
        """Return a whole number below 0, all values and those that are taken."""
        return float(np.floor(min(0, self._ends[0], *taken))) - 1

    def _is_value(self, low: float, high: float) -> bool:
        """Return whether a value of the column lies in a range."""
        if self.column.domain.ordered:
            return low <= self._ends[1] and high >= self._ends[0]
        return bool(((self._values >= low) & (self._values <= high)).any())

    def _declare_ranges(self, numbers: Sequence[float]) -> tuple[Any, ...] | None:
        """Return how rising numbers are declared missing; None where they cannot be."""
        if len(numbers) <= _DISCRETE:
            return tuple(numbers)
        for inside, single in (
            (numbers, ()),
            (numbers[1:], numbers[:1]),
            (numbers[:-1], numbers[-1:]),
        ):
            if not self._is_value(inside[0], inside[-1]):
                return ({"lo": inside[0], "hi": inside[-1]}, *single)
        return None

    def _note(self, what: str) -> None:
        self.changes.append(f"Column “{self.column.name}”: {what}.")


def _list_meanings(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"“{text}” is {meaning}" for text, meaning in pairs)


def _content_of(kind: pa.DataType, column: Column) -> Content:
    """Return what a program takes values of an Arrow type for. A list of whole numbers, as codes
    with labels are, is one of numbers."""
    if pa.types.is_date(kind):
        return "day"
    if pa.types.is_timestamp(kind):
        return "moment"
    if pa.types.is_time(kind):
        return "clock"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if column.domain.ranged is None and all(map(_is_whole_number, column.domain.texts)):
        return "number"
    return "text"


def _is_whole_number(text: str) -> bool:
    """Return whether a text is a whole number as programs write it, and one of those with
    labels."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,9}", text) is not None and _within((int(text),))


def _within(numbers: Iterable[float]) -> bool:
    return all(_LEAST <= number <= _MOST for number in numbers)


def count_numbers(values: pa.Array, form: StatisticsForm) -> FloatArray:
    """Return an Arrow array without nulls as the numbers that a program keeps for it."""
    program, kind = _PROGRAMS[form], values.type
    counted: FloatArray
    if pa.types.is_date(kind):
        days = values.cast(pa.date32()).cast(pa.int32()).to_numpy(zero_copy_only=False)
        counted = (days + float(program.offset)) * program.day
    elif pa.types.is_timestamp(kind):
        since = values.cast(pa.timestamp("ms", kind.tz)).cast(pa.int64())
        moments = since.to_numpy(zero_copy_only=False) + float(program.offset) * _DAY_MS
        counted = moments * program.per_second / 1000
    elif pa.types.is_time(kind):
        clock = values.cast(pa.time32("ms")).cast(pa.int32()).to_numpy(zero_copy_only=False)
        counted = clock * float(program.per_second) / 1000
    else:
        # Each decimal is read by itself: a cast of all would be off by a last digit.
        counted = np.array([float(each) for each in values.to_pylist()], dtype=np.float64)
    return counted
