"""Numbers in texts: parsing, rounding to round numbers, and writing."""

from __future__ import annotations

import math
import re
from decimal import Decimal

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
