"""Privacy figures as text, rounded so that a guarantee is never overstated."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

_EXACT = Context(prec=12)


def upwards(value: float, digits: int = 4) -> str:
    """Return the value rounded up to `digits` significant digits, or to a whole number where that
    has more; exact up to 12 digits."""
    exact = _EXACT.create_decimal(Decimal(value))
    context = Context(prec=max(digits, exact.adjusted() + 1), rounding=ROUND_CEILING)
    return f"{float(context.create_decimal(exact)):,.12g}"


def downwards(value: float, digits: int = 4) -> str:
    """Return the value rounded down in the same way."""
    if value == 0:
        return "0"
    exact = _EXACT.create_decimal(Decimal(value))
    context = Context(prec=max(digits, exact.adjusted() + 1), rounding=ROUND_FLOOR)
    return f"{float(context.create_decimal(exact)):,.12g}"


def one_in(probability: float, digits: int = 4) -> Decimal:
    """1/probability, rounded down to `digits` significant digits.

    Args:
        probability: above 0.
        digits: how many to keep.
    """
    turns = _EXACT.divide(Decimal(1), _EXACT.create_decimal(Decimal(probability)))
    return Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(turns)
