"""The range suggested for a column of numbers: round bounds, a round step and about ten buckets.

The bounds are public ones where a quantity is recognised, else those of the file, rounded outward.
Computed from confidential records: a suggestion, which the custodian confirms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from understudy.core.refusal import Refusal
from understudy.table.authoring.cuts import cuts_at
from understudy.table.authoring.public_bounds import (
    Counts,
    find_far_numbers,
    find_public_bounds,
)
from understudy.table.buckets import Buckets, ByCuts, ByWidth, EachValue
from understudy.table.cells import round_number_from, without_trailing_zeros
from understudy.table.checks import MOST_DECIMALS, MOST_DIGITS
from understudy.table.column import Column
from understudy.table.continuous import Continuous, usual_width
from understudy.table.domain import Domain
from understudy.table.grid import Grid
from understudy.table.levels import calendar_levels
from understudy.table.number_spellings import NumberSpelling

FEW_VALUES = 20
_MOST_UNIT_STEPS = 1000
_STEPS = Decimal(200)
_ROUNDINGS = Decimal(20)
_BUCKETS = Decimal(10)
_MANY_CELLS = 400
_CELLS_EACH = 8
FROM_FILE = (
    "The bounds come from the smallest and largest value in the file, rounded. Replace them by "
    "what is publicly known, such as the limits on the questionnaire."
)


@dataclass(frozen=True)
class RoundGrid:
    """A range of numbers.

    Attributes:
        grid: its bounds and step.
        rounded: whether the step is coarser than the numbers are.
    """

    grid: Grid
    rounded: bool


def _choose_grid(
    numbers: Sequence[Decimal],
    avoiding: Collection[Decimal] = (),
    bounds: tuple[Decimal, Decimal] | None = None,
) -> RoundGrid:
    """Return a range with all of these numbers.

    Args:
        numbers: that lie within the bounds.
        avoiding: numbers that stand for missing.
        bounds: of the range, if known; else those of the numbers, rounded outward as far as no
            number that stands for missing is beyond them.

    Raises:
        Refusal: a number is too long.
    """
    if any(number and number.adjusted() >= MOST_DIGITS - 1 for number in numbers):
        raise Refusal(
            f"It holds numbers of {MOST_DIGITS} digits or more.",
            "Leave it out if it is an identifier, or change its unit in the file.",
        )
    whole = all(number == number.to_integral_value() for number in numbers)
    unit = Decimal(1) if whole else _find_finest(numbers)
    low, high = bounds or _round_bounds(min(numbers), max(numbers))
    step, most = unit, (_MOST_UNIT_STEPS if whole else _STEPS)
    rounded = high - low > most * step
    if rounded:
        step = max(step, round_number_from((high - low) / _STEPS))
    low, high = _round_outward(low, high, step)
    if bounds is None:
        low, high = _narrow_bounds(low, high, numbers, avoiding, unit)
    grid = Grid(kind="integers" if whole else "numbers", minimum=low, maximum=high, step=step)
    return RoundGrid(grid, rounded)


def _narrow_bounds(
    low: Decimal,
    high: Decimal,
    numbers: Sequence[Decimal],
    avoiding: Collection[Decimal],
    unit: Decimal,
) -> tuple[Decimal, Decimal]:
    """Return bounds without the numbers that stand for missing and are beyond all others."""
    least, most = min(numbers), max(numbers)
    inside = [code for code in avoiding if low <= code <= high]
    above = [code for code in inside if code > most]
    below = [code for code in inside if code < least]
    if above:
        high = without_trailing_zeros(max(min(above) - unit, most))
    if below:
        low = without_trailing_zeros(min(max(below) + unit, least))
    return low, high


def _round_bounds(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Return bounds rounded outward to a round number, about a twentieth of the range."""
    span = high - low
    return _round_outward(
        low, high, round_number_from((span or abs(high) or Decimal(1)) / _ROUNDINGS)
    )


def _round_outward(low: Decimal, high: Decimal, unit: Decimal) -> tuple[Decimal, Decimal]:
    """Return the nearest multiples of a unit that enclose a range."""
    down = (low / unit).to_integral_value(ROUND_FLOOR) * unit
    up = (high / unit).to_integral_value(ROUND_CEILING) * unit
    return without_trailing_zeros(down), without_trailing_zeros(up)


def _find_finest(numbers: Sequence[Decimal]) -> Decimal:
    """Return one unit of the last decimal that occurs."""
    exponents = [number.normalize().as_tuple().exponent for number in numbers]
    finest = min(exponent for exponent in exponents if isinstance(exponent, int))
    return Decimal(1).scaleb(max(finest, -MOST_DECIMALS))


def usual_buckets(domain: Domain) -> Buckets:
    """Return the buckets suggested for a domain: about ten of a round width, those that suit its
    kind, or each value by itself for short ranges and for lists.

    A last value that would be alone in its bucket, as the 100 of 0 … 100, joins the one below.
    """
    grid = domain.ranged
    if grid is None or grid.size <= FEW_VALUES:
        return EachValue()
    cuts = grid.usual_cuts()
    if cuts is not None:
        return ByCuts(cuts=cuts) if cuts else EachValue()
    steps = int(round_number_from((grid.size - 1) / _BUCKETS))
    if grid.size % steps == 1:
        return cuts_at(grid, range(steps, grid.size - 1, steps))
    return ByWidth(width=without_trailing_zeros(grid.width * steps))


def with_usual_buckets(column: Column) -> Column:
    """Return a column in the buckets suggested for its domain; one of very many cells of the
    calendar in periods of several cells, with longer periods as levels above them."""
    domain, grid = column.domain, column.domain.ranged
    presets = grid.cut_presets().values() if grid is not None and grid.size > _MANY_CELLS else ()
    for cuts in presets:
        if 0 < len(cuts) < domain.size // _CELLS_EACH:
            buckets = ByCuts(cuts=cuts)
            return column.changed(buckets=buckets, levels=calendar_levels(domain, buckets))
    return column.changed(buckets=usual_buckets(domain), levels=())


@dataclass(frozen=True)
class ChosenRange:
    """A range of numbers with bounds that are public or the file's.

    Attributes:
        grid: its bounds and step.
        note: where the bounds come from, for the custodian.
        listed: whether it is a range even where few different numbers occur.
        public: whether everybody knows the bounds by what the column is called.
    """

    grid: RoundGrid
    note: str = ""
    listed: bool = False
    public: bool = False


def choose_range(
    called: tuple[str, str], counts: Counts, avoiding: Collection[Decimal]
) -> ChosenRange:
    """Return the range of a column of numbers: with public bounds where a quantity is recognised,
    else the file's without numbers far from all others.

    Args:
        called: the name of the column and its label.
        counts: how many records have each number.
        avoiding: numbers that stand for missing.

    Raises:
        Refusal: as of `_choose_grid`.
    """
    numbers = sorted(counts)
    public = find_public_bounds(*called, counts)
    if public is not None:
        inside = [number for number in numbers if public.low <= number <= public.high]
        found = _choose_grid(inside, avoiding, (public.low, public.high))
        if not _is_too_coarse(found, inside):
            # Decades around what the file has are bounds of the file.
            return ChosenRange(found, public.note, public.listed, public=not public.is_century)
    far = find_far_numbers(counts)
    if far is not None:
        near = [number for number in numbers if far.low <= number <= far.high]
        return ChosenRange(_choose_grid(near, avoiding), far.note)
    return ChosenRange(_choose_grid(numbers, avoiding), FROM_FILE)


def _is_too_coarse(found: RoundGrid, numbers: Sequence[Decimal]) -> bool:
    """Return whether the steps of a long range tell hardly any of these numbers apart, as those of
    all latitudes do the latitudes of one town."""
    return found.rounded and numbers[-1] - numbers[0] < _BUCKETS * found.grid.step


@dataclass(frozen=True)
class SpeltRange:
    """A range of numbers that a text file writes in a way of its own.

    Attributes:
        domain: its bounds and cells or steps.
        rounded: whether the steps are coarser than the numbers are.
        note: where the bounds come from, for the custodian.
        public: whether everybody knows the bounds by what the column is called.
    """

    domain: Domain
    rounded: bool
    note: str
    public: bool


def choose_spelt_range(
    called: tuple[str, str],
    texts: Mapping[str, int],
    spelling: NumberSpelling,
    avoiding: Collection[Decimal],
) -> SpeltRange:
    """Return the range of the numbers that some texts could stand for, in the unit that they all
    have.

    Args:
        called: the name of the column and its label.
        texts: how many records have each.
        spelling: how they are written.
        avoiding: numbers that stand for missing.

    Raises:
        Refusal: as of `_choose_grid`, or none of them is written so.
    """
    counts: Counter[Decimal] = Counter()
    for text, records in texts.items():
        for number in {each.read(text) for each in spelling.patterns}:
            if number is not None:
                counts[number] += records
    if not counts:
        raise Refusal(
            f"Nothing in the file is written as {spelling.text}.",
            "Choose another way.",
            field="spelling",
        )
    # Which bounds are usual is not known before it is known what the numbers are.
    chosen = (
        ChosenRange(_choose_grid(sorted(counts), avoiding), FROM_FILE)
        if spelling.question
        else choose_range(called, counts, avoiding)
    )
    grid = chosen.grid
    low, high = grid.grid.minimum, grid.grid.maximum
    sign = spelling.patterns[0].sign
    if not sign or low == high:
        bare = {name: getattr(grid.grid, name) for name in ("kind", "minimum", "maximum", "step")}
        bare_grid = Grid.read({**bare, "spelling": spelling.text})
        return SpeltRange(bare_grid, grid.rounded, chosen.note, chosen.public)
    precision = _find_finest([*counts])
    precision = min(precision, Decimal(1))
    low, high = _round_outward(low, high, precision)
    width = usual_width(low, high, precision)
    ends = {"minimum": low, "maximum": high, "precision": precision, "step": width}
    spelt = Continuous.read({**ends, "unit": sign, "spelling": spelling.text})
    return SpeltRange(spelt, rounded=False, note=chosen.note, public=chosen.public)
