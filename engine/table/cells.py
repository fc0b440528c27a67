"""A value as the text a custodian would write: 3 and not 3.0, a day and not its midnight."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any
from uuid import UUID

import numpy as np

MIDNIGHT = re.compile(r"[ T]00:00:00(\.0+)?Z?$")
_MOST_DIGITS = 15


def cell_text(value: Any) -> str:
    """One value as text; nothing, and not-a-number, are the empty text.

    Raises:
        TypeError: it is not a single value that can be written as text.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Decimal | Real):
        return number_text(_shortest(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta | UUID):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is no single value")


def number_text(text: str) -> str:
    """A number as written by a program, without exponent or “.0”; not-a-number is empty."""
    if text.lower() == "nan":
        return ""
    if text in ("", "inf", "-inf"):
        return text
    number = Decimal(text)
    if abs(number.adjusted()) > _MOST_DIGITS:
        return text
    plain = f"{number:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain in ("-0", "") else plain


def single_precision_text(value: Any) -> str:
    """As `cell_text`, of numbers that were kept with half as many digits: 0.1 and not 0.100000001.

    Stata keeps many numbers so.
    """
    if isinstance(value, float) and math.isfinite(value):
        return number_text(str(np.float32(value)))
    return cell_text(value)


def without_midnight(texts: Sequence[str]) -> list[str]:
    """Points in time as days, where all of them are midnights."""
    if all(MIDNIGHT.search(text) for text in texts if text):
        return [MIDNIGHT.sub("", text) for text in texts]
    return list(texts)


def _shortest(value: Decimal | Real) -> str:
    if isinstance(value, Decimal):
        return str(value) if value.is_finite() else str(float(value))
    return repr(float(value))
