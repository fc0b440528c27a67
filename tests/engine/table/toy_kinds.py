"""Kinds of columns that nobody but tests has: full hours and minutes of a day, days of a week."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import pyarrow as pa
import pytest
from pydantic import model_validator

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.table import kinds
from understudy.table.domain import (
    Domain,
    KindWords,
    Measured,
    Ranged,
    Reader,
    Scale,
    Setting,
    Verdict,
    join_ends,
)
from understudy.table.field_entry import FieldEntry, read_text
from understudy.table.lattice import Lattice

_HOUR: Final = re.compile(r"([01][0-9]|2[0-4]):00")


_ENDS: Final = ("minimum", "maximum")


def _read_hour(text: str, name: str) -> Decimal:
    if not _HOUR.fullmatch(text.strip()):
        raise Refusal(f"The {name} is no full hour.", "Enter one such as 07:00.", field=name)
    return Decimal(text.strip()[:2])


def _write_hour(number: Decimal) -> str:
    return f"{int(number):02}:00"


class Hours(Ranged, what="the hours"):
    """Full hours of a day, written as 07:00: numbers in steps whose texts are no numbers."""

    kind: Literal["hours"] = "hours"
    step: Decimal = Decimal(1)

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "hours": KindWords("Hours", "hour", "hour", "hours")
    }
    scale: ClassVar[Scale] = "steps"
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("minimum", "First hour", opening="00:00", read=_read_hour, write=_write_hour),
        Setting("maximum", "Last hour", opening="24:00", read=_read_hour, write=_write_hour),
    )
    outside_words: ClassVar[Mapping[Verdict, str]] = {Verdict.NOT_OF_KIND: "not full hours"}

    @model_validator(mode="after")
    def _check(self) -> Hours:
        if not 0 <= self.minimum <= self.maximum <= 24 or self.step != 1:
            raise Refusal("These are no hours.", "Enter two from 0 to 24.", field="minimum")
        return self

    @property
    def size(self) -> int:
        return self.lattice.count

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(_write_hour, self.numbers))

    @property
    def width(self) -> Decimal:
        return self.step

    @property
    def resolution(self) -> Decimal:
        return self.step

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        return tuple(self.minimum + place for place in self.kept_cells.tolist())

    @property
    def full_lattice(self) -> Lattice:
        return Lattice(0, int(self.minimum), 1, int(self.maximum - self.minimum) + 1, 1)

    @property
    def end_texts(self) -> tuple[str, str]:
        return self.texts[0], self.texts[-1]

    @property
    def edges(self) -> FloatArray:
        return np.array([*map(float, self.numbers), float(self.maximum) + 1])

    def between(self, low: int, high: int) -> str:
        return join_ends(self.texts[low], self.texts[high])

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        return Decimal(text[:2]) if _HOUR.fullmatch(text) else None

    @classmethod
    def spell(cls, number: Decimal) -> str:
        return _write_hour(number)

    @classmethod
    def show(cls, number: Decimal) -> str:
        return _write_hour(number)

    @classmethod
    def to_json(cls, number: Decimal) -> str:
        return _write_hour(number)

    @classmethod
    def from_json(cls, value: Any, what: str) -> Decimal:
        return _read_hour(read_text(value, "An hour"), what)

    def to_field(self) -> FieldEntry:
        return FieldEntry("time", self.bound_constraints(), settings={"format": "hour"})

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        return entry.type == "time" and entry.settings.get("format") == "hour"

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        low, high = (cls.from_json(entry.constraints[name], name) for name in _ENDS)
        return cls(minimum=low, maximum=high)

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        if domain.ranged is not None and domain.numeric:
            return cls(minimum=domain.ranged.minimum, maximum=domain.ranged.maximum)
        return cls.from_values(domain.texts, ())

    @classmethod
    def recognise(cls, texts: Collection[str]) -> Domain | None:
        if not texts or not all(map(_HOUR.fullmatch, texts)):
            return None
        return cls(minimum=Decimal(min(texts)[:2]), maximum=Decimal(max(texts)[:2]))

    def reader(self, missing_values: Sequence[str], missing: tuple[int, int]) -> Reader:
        codes = {text: (code, int(Verdict.FITS)) for code, text in enumerate(self.texts)}
        codes |= dict.fromkeys(missing_values, missing)
        return lambda text: codes.get(text.strip(), (0, Verdict.NOT_OF_KIND))


_CLOCK: Final = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::00)?")


def _read_clock(text: str, name: str) -> Decimal:
    minutes = Clock.parse(text)
    if minutes is None:
        raise Refusal(f"The {name} is no time.", "Enter one such as 07:45.", field=name)
    return minutes


def _write_clock(number: Decimal) -> str:
    return f"{int(number) // 60:02}:{int(number) % 60:02}"


class Clock(Measured, what="the times"):
    """Minutes of a day, written as 07:45, which records hold beside the hour that each is in."""

    kind: Literal["clock"] = "clock"

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "clock": KindWords("Clock times", "clock time", "clock", "clock times")
    }
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("minimum", "Earliest", opening="00:00", read=_read_clock, write=_write_clock),
        Setting("maximum", "Latest", opening="23:59", read=_read_clock, write=_write_clock),
    )
    outside_words: ClassVar[Mapping[Verdict, str]] = {
        Verdict.TOO_LOW: "too early",
        Verdict.TOO_HIGH: "too late",
        Verdict.NOT_OF_KIND: "not times",
    }

    @model_validator(mode="after")
    def _check(self) -> Clock:
        if not 0 <= self.minimum < self.maximum < 24 * 60 or self.minimum % 60:
            raise Refusal("These are no times.", "Begin with a full hour.", field="minimum")
        return self

    @property
    def width(self) -> Decimal:
        return Decimal(60)

    @property
    def resolution(self) -> Decimal:
        return Decimal(1)

    @property
    def full_lattice(self) -> Lattice:
        return Lattice(0, int(self.minimum), 1, int(self.maximum - self.minimum) + 1, 60)

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        return tuple(self.minimum + 60 * place for place in self.kept_cells.tolist())

    @property
    def edges(self) -> FloatArray:
        return np.array([*map(float, self.numbers), float(self.maximum) + 1])

    def between(self, low: int, high: int) -> str:
        return (
            f"{_write_clock(self.numbers[low])[:2]} h to {_write_clock(self.numbers[high])[:2]} h"
        )

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        if not _CLOCK.fullmatch(text.strip()):
            return None
        hours, minutes = text.strip().split(":")[:2]
        return Decimal(60 * int(hours) + int(minutes))

    @classmethod
    def spell(cls, number: Decimal) -> str:
        return _write_clock(number)

    @classmethod
    def show(cls, number: Decimal) -> str:
        return _write_clock(number)

    @classmethod
    def to_json(cls, number: Decimal) -> str:
        return _write_clock(number)

    @classmethod
    def from_json(cls, value: Any, what: str) -> Decimal:
        return _read_clock(read_text(value, "A time"), what)

    def numbers_to_arrow(self, numbers: FloatArray, missing: BoolArray | None) -> pa.Array:
        moments = np.where(np.isnan(numbers), 0, numbers).astype(np.int32) * 60_000
        return pa.array(moments, pa.int32(), mask=missing).cast(pa.time32("ms"))

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        moments = values.cast(pa.int32()).cast(pa.float64())
        numbers: FloatArray = moments.to_numpy(zero_copy_only=False) / 60_000
        return numbers

    def to_field(self) -> FieldEntry:
        return FieldEntry("time", self.bound_constraints(), settings={"format": "clock"})

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        return entry.type == "time" and entry.settings.get("format") == "clock"

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        low, high = (cls.from_json(entry.constraints[name], name) for name in _ENDS)
        return cls(minimum=low, maximum=high)

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        raise Refusal("Only times are times.", "Keep it as it is.", field="kind")

    @classmethod
    def from_values(cls, values: Sequence[str], labels: Sequence[str]) -> Domain:
        raise Refusal("Times are not listed.", "Give the earliest and the latest.", field="kind")


class Weekdays(Domain, what="the weekdays"):
    """Days of a week: a list without any setting."""

    kind: Literal["weekdays"] = "weekdays"

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "weekdays": KindWords("Weekdays", "weekday", "weekday")
    }

    @property
    def size(self) -> int:
        return 7

    @property
    def texts(self) -> tuple[str, ...]:
        return ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

    def substance(self) -> list[Any]:
        return [self.kind]

    def to_field(self) -> FieldEntry:
        return FieldEntry("string", settings={"format": "weekday"})

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        return entry.settings.get("format") == "weekday"

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        return cls()

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        return cls.from_values(domain.texts, ())

    @classmethod
    def recognise(cls, texts: Collection[str]) -> Domain | None:
        return cls() if texts and set(texts) <= set(cls().texts) else None

    def reader(self, missing_values: Sequence[str], missing: tuple[int, int]) -> Reader:
        codes = {text: (code, int(Verdict.FITS)) for code, text in enumerate(self.texts)}
        codes |= dict.fromkeys(missing_values, missing)
        return lambda text: codes.get(text.strip(), (0, Verdict.UNKNOWN))


def register(patch: pytest.MonkeyPatch) -> None:
    """Make the kinds known, as a file and its entry in the list of kinds would."""
    patch.setattr(kinds, "KINDS", [*kinds.KINDS, Hours, Clock, Weekdays])
