"""Privacy figures for people: rounded so that a promise is never overstated."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

_EXACT = Context(prec=12)


def upwards(value: float, digits: int = 4) -> str:
    """`digits` significant digits, or all before the point where there are more; not less than
    the value but for what arithmetic rounds off."""
    exact = _EXACT.create_decimal(Decimal(value))
    context = Context(prec=max(digits, exact.adjusted() + 1), rounding=ROUND_CEILING)
    return f"{float(context.create_decimal(exact)):,.12g}"


def downwards(value: float, digits: int = 4) -> str:
    """`digits` significant digits, not more than the value but for what arithmetic rounds off."""
    if value == 0:
        return "0"
    exact = _EXACT.create_decimal(Decimal(value))
    context = Context(prec=max(digits, exact.adjusted() + 1), rounding=ROUND_FLOOR)
    return f"{float(context.create_decimal(exact)):,.12g}"


def one_in(probability: float, digits: int = 4) -> Decimal:
    """How many turns a small probability comes up once in: `digits` significant digits, not more
    than 1/probability but for what arithmetic rounds off.

    Args:
        probability: above 0.
        digits: how many to keep.
    """
    turns = _EXACT.divide(Decimal(1), _EXACT.create_decimal(Decimal(probability)))
    return Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(turns)
