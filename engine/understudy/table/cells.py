"""Texts of cells: typed values as canonical texts, numbers in texts, and unreadable values.

The text depends on the value alone: not on its type, nor on other values of its column. The same
number stored as an integer, a decimal or in single or double precision is one text, and so is the
same day stored as a date or a timestamp. So a program that widens the type of a column because of
one record changes no other record.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any
from uuid import UUID

import numpy as np

# Placeholders for values of a file that cannot be read as text.
#
# Each placeholder is a text that begins with a null character. No category, missing value or number
# can hold one, so wherever such a value goes, it lies outside every domain and falls under the
# column's declared policy. A file that holds the very text is counted with them, which changes
# nothing: it is outside just as well.

MARK = "\0"
"""The first character of every placeholder, which no domain can hold (see `domain.check_texts`)."""

NOT_TEXT = f"{MARK}not text in the declared encoding"
"""For a value whose bytes are invalid in the declared encoding."""

NOT_APART = f"{MARK}in a line that does not hold one cell for each column"
"""For each value of a record that cannot be split into as many cells as there are columns: too few,
too many, or a quotation mark that is never closed."""

NOT_A_VALUE = f"{MARK}not a value that can be written"
"""For a value that is no text, number or time: bytes, lists, dates out of range."""

WHY = {
    NOT_TEXT: "not text in the declared encoding",
    NOT_APART: "in lines with another number of cells",
    NOT_A_VALUE: "not values that can be written",
}
"""The reason of each, for messages."""


def is_unreadable(text: str) -> bool:
    """Return whether a text is one of the placeholders."""
    return MARK in text


# Numbers in texts: parsing, rounding to round numbers, and writing.

_NUMERAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
_LONGEST = 100


def parse_number(text: str) -> Decimal | None:
    """Return the exact number a text holds, blanks around it ignored; None if it holds none.

    ASCII digits, a decimal point and an exponent are understood: "40", "040", "+40.0", "4e1".
    Not numbers: words, infinities, digit separators, decimal commas, digits of other scripts,
    anything too large for a double (1e400) or longer than 100 characters.
    """
    text = text.strip()
    if len(text) > _LONGEST or not _NUMERAL.fullmatch(text):
        return None
    size = float(text)
    if math.isinf(size):
        return None
    return Decimal(text) if size else Decimal(0)


def round_number_from(number: Decimal) -> Decimal:
    """Return the smallest of …, 0.5, 1, 2, 5, 10, 20, 50, … that is at least a positive number."""
    power = Decimal(1).scaleb(number.adjusted())
    return next(
        without_trailing_zeros(power * digit) for digit in (1, 2, 5, 10) if power * digit >= number
    )


def without_trailing_zeros(number: Decimal) -> Decimal:
    """Return the same number without trailing zeros and without an exponent where it is whole."""
    number = number.normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


_WRITTEN_OUT = 10**38
"""Integers from here on are written with an exponent; no decimal column has so many digits."""

_MOST_OF_A_DOUBLE = 400
"""A number with more digits before the point is beyond every double."""

_LEAST_WRITTEN_OUT = -15
"""Powers of ten below this have an exponent."""

_SINGLE_DIGITS = 7
"""Significant digits that single precision preserves for nearly every number."""

_MOMENT = re.compile(
    r"([+-]?\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_CLOCK = re.compile(r"(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?", re.ASCII)


def cell_text(value: Any) -> str:
    """Return one value as text; nothing, and not-a-number, are the empty text.

    A text that is none in any encoding is one of `unreadable`.

    Raises:
        TypeError: it is not a single value that can be written as text.
    """
    if value is None or isinstance(value, str):
        return _words(value or "")
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, Integral | Decimal | Real):
        return number_text(value)
    if isinstance(value, datetime):
        return moment_text(value.isoformat(sep=" "))
    if isinstance(value, time):
        return moment_text(value.isoformat())
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta | UUID):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is no single value")


def number_text(value: Integral | Decimal | Real) -> str:
    """Return a number as text; not-a-number is empty.

    A whole number is written out, up to 38 digits. One with a fraction is taken for the double
    nearest to it and written with the fewest digits that tell it from other doubles; or, where
    single precision holds it, from other numbers of single precision, if 7 digits are enough for
    that: .1 kept in single precision and then in double is .100000001490116 there.
    """
    if isinstance(value, Integral):
        return _whole(int(value))
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        return _whole(int(value)) if value.adjusted() < _MOST_OF_A_DOUBLE else str(float(value))
    number = float("nan") if isinstance(value, Decimal) and value.is_nan() else float(value)
    if math.isnan(number):
        return ""
    if math.isinf(number):
        return str(number)
    return _whole(int(number)) if number.is_integer() else _fraction(number)


def moment_text(text: str) -> str:
    """Return a point in time as text: its day if it is a midnight, else day and time without zeros
    at the end of its fraction; one with a time zone as it is in UTC. A time of day likewise. Other
    texts stay as they are.

    Args:
        text: in ISO format, "T" or a blank between day and time.
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        alone = _CLOCK.fullmatch(text)
        return _clock(*alone.groups()) if alone else text
    day, minutes, seconds, fraction, zone = found.groups()
    if zone not in (None, "Z"):
        return _in_utc(text)
    clock = _clock(f"{minutes}:{seconds or '00'}", fraction)
    return day if clock == "00:00:00" else f"{day} {clock}"


def _clock(clock: str, fraction: str | None) -> str:
    """Return a time of day without zeros at the end of its fraction."""
    fraction = (fraction or "").rstrip("0")
    return f"{clock}.{fraction}" if fraction else clock


def _in_utc(text: str) -> str:
    """Return a point in time of some time zone; one that UTC has no day for stays as it is."""
    try:
        moved = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return moment_text(moved.replace(tzinfo=None).isoformat(sep=" "))


def _words(text: str) -> str:
    """Return a text; one with half a character in it, which no file can be written with, is
    none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return NOT_TEXT
    return text


def _whole(number: int) -> str:
    if abs(number) < _WRITTEN_OUT:
        return str(number)
    try:
        return repr(float(number))
    except OverflowError:
        return "inf" if number > 0 else "-inf"


def _fraction(number: float) -> str:
    """Return a number with a fraction, which is below 2⁵³ as such."""
    shortest = Decimal(repr(number))
    single = np.float32(number)
    if float(single) == number:
        fewer = Decimal(str(single))
        if len(fewer.as_tuple().digits) <= _SINGLE_DIGITS:
            shortest = fewer
    if shortest.adjusted() < _LEAST_WRITTEN_OUT:
        return repr(float(shortest))
    plain = f"{shortest:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
