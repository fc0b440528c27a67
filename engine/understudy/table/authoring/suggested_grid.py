"""Round bounds, a round step and about ten buckets for a column of numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from understudy.core.refusal import Refusal
from understudy.table.authoring.cutting import cuts_at
from understudy.table.buckets import Buckets, ByWidth, EachValue
from understudy.table.checks import MOST_DECIMALS, MOST_DIGITS
from understudy.table.domain import Domain
from understudy.table.grid import Grid
from understudy.table.number_texts import round_number_from, without_trailing_zeros

FEW_VALUES = 20
_MOST_UNIT_STEPS = 1000
_STEPS = Decimal(200)
_ROUNDINGS = Decimal(20)
_BUCKETS = Decimal(10)


@dataclass(frozen=True)
class SuggestedGrid:
    """A range of numbers.

    Attributes:
        grid: its bounds and step.
        rounded: whether the step is coarser than the numbers are.
    """

    grid: Grid
    rounded: bool


def suggested_grid(numbers: Sequence[Decimal], avoiding: Collection[Decimal] = ()) -> SuggestedGrid:
    """Return a range with all of these numbers and without those that stand for missing.

    Raises:
        Refusal: a number is too long, or one that stands for missing lies among the others.
    """
    if any(number and number.adjusted() >= MOST_DIGITS - 1 for number in numbers):
        raise Refusal(
            f"It holds numbers of {MOST_DIGITS} digits or more.",
            "Leave it out if it is an identifier, or change its unit in the file.",
        )
    whole = all(number == number.to_integral_value() for number in numbers)
    unit = Decimal(1) if whole else _finest(numbers)
    low, high = _round_bounds(min(numbers), max(numbers))
    step, most = unit, (_MOST_UNIT_STEPS if whole else _STEPS)
    rounded = high - low > most * step
    if rounded:
        step = max(step, round_number_from((high - low) / _STEPS))
    low, high = _outward(low, high, step)
    low, high = _narrowed(low, high, numbers, avoiding, unit)
    grid = Grid(kind="integers" if whole else "numbers", minimum=low, maximum=high, step=step)
    return SuggestedGrid(grid, rounded)


def usual_buckets(domain: Domain) -> Buckets:
    """Return the buckets suggested for a domain: about ten of a round width, or each value by
    itself for short ranges and for lists.

    A last value that would be alone in its bucket, as the 100 of 0 … 100, joins the one below.
    """
    grid = domain.ranged
    if grid is None or grid.size <= FEW_VALUES:
        return EachValue()
    steps = int(round_number_from((grid.size - 1) / _BUCKETS))
    if grid.size % steps == 1:
        return cuts_at(grid, range(steps, grid.size - 1, steps))
    return ByWidth(width=without_trailing_zeros(grid.step * steps))


def _narrowed(
    low: Decimal,
    high: Decimal,
    numbers: Sequence[Decimal],
    avoiding: Collection[Decimal],
    unit: Decimal,
) -> tuple[Decimal, Decimal]:
    """Bounds without the numbers that stand for missing, which are next to the others at best."""
    least, most = min(numbers), max(numbers)
    inside = [code for code in avoiding if low <= code <= high]
    if any(least <= code <= most for code in inside):
        raise Refusal(
            "A number that stands for missing lies among its other values.",
            "Give missing a number of its own in the file, outside the range of the others.",
        )
    above = [code for code in inside if code > most]
    below = [code for code in inside if code < least]
    if above:
        high = without_trailing_zeros(max(min(above) - unit, most))
    if below:
        low = without_trailing_zeros(min(max(below) + unit, least))
    return low, high


def _round_bounds(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Bounds rounded outward to a round number, about a twentieth of the range."""
    span = high - low
    return _outward(low, high, round_number_from((span or abs(high) or Decimal(1)) / _ROUNDINGS))


def _outward(low: Decimal, high: Decimal, unit: Decimal) -> tuple[Decimal, Decimal]:
    """Return the nearest multiples of a unit that enclose a range."""
    down = (low / unit).to_integral_value(ROUND_FLOOR) * unit
    up = (high / unit).to_integral_value(ROUND_CEILING) * unit
    return without_trailing_zeros(down), without_trailing_zeros(up)


def _finest(numbers: Sequence[Decimal]) -> Decimal:
    """Return one unit of the last decimal that occurs."""
    exponents = [number.normalize().as_tuple().exponent for number in numbers]
    finest = min(exponent for exponent in exponents if isinstance(exponent, int))
    return Decimal(1).scaleb(max(finest, -MOST_DECIMALS))
