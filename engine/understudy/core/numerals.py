"""Numbers as text: no finer than they are known, each with its unit.

Privacy figures are rounded so that a guarantee is never overstated; everything else is rounded to
nearest. Thousands have commas, negative numbers a minus sign, and no line ends between a number and
its unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Final

# Privacy figures as text, rounded so that a guarantee is never overstated.

_EXACT = Context(prec=12)


def round_up(value: float, digits: int = 4) -> str:
    """Return the value rounded up to `digits` significant digits, or to a whole number where that
    has more; exact up to 12 digits."""
    exact = _EXACT.create_decimal(Decimal(value))
    context = Context(prec=max(digits, exact.adjusted() + 1), rounding=ROUND_CEILING)
    return f"{float(context.create_decimal(exact)):,.12g}"


def round_down(value: float, digits: int = 4) -> str:
    """Return the value rounded down in the same way."""
    if value == 0:
        return "0"
    exact = _EXACT.create_decimal(Decimal(value))
    context = Context(prec=max(digits, exact.adjusted() + 1), rounding=ROUND_FLOOR)
    return f"{float(context.create_decimal(exact)):,.12g}"


def reciprocal(probability: float, digits: int = 4) -> Decimal:
    """Return 1/probability, rounded down to `digits` significant digits.

    Args:
        probability: above 0.
        digits: how many to keep.
    """
    turns = _EXACT.divide(Decimal(1), _EXACT.create_decimal(Decimal(probability)))
    return Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(turns)


FIXED: Final = "\N{NO-BREAK SPACE}"
"""Between a number and its unit, so that no line ends there."""

MINUS: Final = "\N{MINUS SIGN}"
UNKNOWN: Final = "not known"

_LARGE = 1e6
_TWO_DIGITS_UP_TO, _ONE_DIGIT_UP_TO = 3.55, 9.5
_MOST_DECIMALS = 6
_SEPARATED = 5


def decimals(half_width: float) -> int | None:
    """Return how many decimals a number has that is known to within ± `half_width`.

    Two digits of the half-width where it begins with less than 3.55, one up to 9.5: the rule of
    the Particle Data Group, by which rounding costs little and false digits are not printed.

    Returns:
        0 … 6; None where the half-width is not a positive finite number.
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return None
    power = math.floor(math.log10(half_width))
    lead = half_width / 10.0**power
    digits = 1 if _TWO_DIGITS_UP_TO <= lead < _ONE_DIGIT_UP_TO else 2
    power += lead >= _ONE_DIGIT_UP_TO
    return min(_MOST_DECIMALS, max(0, digits - 1 - power))


def fix_decimals(value: float, places: int) -> str:
    """Return a number with so many decimals; never “−0”."""
    if math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:,.{places}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text.replace("-", MINUS)


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits and without trailing zeros, or with all that
    stand before its point where those are more."""
    if not math.isfinite(value) or value == 0:
        return fix_decimals(value, 0)
    power = math.floor(math.log10(abs(value)))
    text = fix_decimals(value, max(0, digits - 1 - power))
    return re.sub(r"\.?0+$", "", text) if "." in text else text


def percent(share: float) -> str:
    """Return a share of something, in per cent, with three significant digits."""
    points = 100 * share
    if 0 < points < 0.01:
        return f"under 0.01{FIXED}%"
    return UNKNOWN if math.isnan(points) else f"{significant(points)}{FIXED}%"


def epsilon(value: float) -> str:
    """Return an ε as text, rounded up so that it is never understated."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞"
    if value < _LARGE:
        return without_leading_zeros(round_up(value))
    power = math.floor(math.log10(value))
    return f"{round_up(value / 10.0**power, 3)}e{power}"


def delta(value: float) -> str:
    """Return a δ as text, rounded up so that it is never understated."""
    return without_leading_zeros(round_up(value, 2))


def one_in(value: float) -> str:
    """Return a small probability as “1 in …”."""
    if value <= 0:
        return "never"
    turns = float(reciprocal(value, 3))
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if size <= turns < size * 1000:
            return f"1 in {_article(turns / size)} {name}"
    if turns < 1e6:
        return f"1 in {math.floor(turns):,}"
    return f"1 in {without_leading_zeros(f'{reciprocal(value, 2):.1e}')}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, in the plural where it is not 1."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def join_first(texts: Sequence[str], most: int) -> str:
    """Return at most so many of some texts with commas between, and how many more there are."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def print_range(text: str) -> str:
    """Return a range such as 5-11, wherever it stands in a text, with a dash as it is printed."""
    return re.sub(r"(?<=\d)-(?=\d)", "–", text)


def with_separators(text: str) -> str:
    """Return a decimal number with separators if five digits or more stand before its
    point, so that years are as they are written."""
    whole, point, rest = text.partition(".")
    digits = whole.lstrip("-")
    if len(digits) < _SEPARATED or not (digits + rest).isdigit():
        return text
    return f"{int(whole):,}{point}{rest}"


def without_leading_zeros(number: str) -> str:
    """Text such as “1e-09” without leading zeros in its exponent: “1e-9”."""
    return re.sub(r"e([+-])0*(\d)", lambda found: f"e{found[1].strip('+')}{found[2]}", number)


def _article(amount: float) -> str:
    return "a" if amount == 1 else f"{amount:,.3g}"


_STOPS = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 2700)


def describe_duration(seconds: float) -> str:
    """Return a length of time, to the second below an hour."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def describe_roughly(seconds: float) -> str:
    """Return a length of time that is only known roughly, rounded up to a usual one."""
    usual = next((stop for stop in _STOPS if seconds <= stop), 0)
    if not usual:
        return describe_duration(3600 * math.ceil(seconds / 3600)).removesuffix(" 0 min")
    return f"{usual} s" if usual < 60 else describe_duration(usual).removesuffix(" 0 s")
