"""What a column may contain, turned into another kind: a list, a grid, a continuous range."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from understudy.core.refusal import Refusal
from understudy.table.domain import MOST_CATEGORIES, Categories, Continuous, Grid, Ranged
from understudy.table.number_texts import parse_number, without_trailing_zeros

Kind = Literal["categories", "integers", "numbers", "continuous"]


def continuous_of(grid: Grid) -> Continuous:
    """Return the range of a grid as a continuous one, its steps as cells, with as many decimals as
    its bounds and its step have.

    Raises:
        Refusal: it holds one value only, or its step does not go into its decimals.
    """
    ends = (grid.minimum, grid.maximum, grid.step)
    exponents = [without_trailing_zeros(number).as_tuple().exponent for number in ends]
    finest = min(0, *(each for each in exponents if isinstance(each, int)))
    return Continuous(
        minimum=grid.minimum,
        maximum=grid.maximum,
        precision=Decimal(1).scaleb(finest),
        step=grid.step,
    )


def categories_of(grid: Ranged) -> Categories:
    """Return every value of a range, as a list of categories.

    Raises:
        Refusal: it is continuous, or too long to list.
    """
    if isinstance(grid, Continuous):
        raise Refusal(
            "It is continuous, and its numbers are not listed.",
            "Make it one of numbers first.",
            field="kind",
        )
    if grid.size > MOST_CATEGORIES:
        raise Refusal(
            f"Its range holds {grid.size:,} values; a list can have {MOST_CATEGORIES:,}.",
            "Narrow the range or enlarge the step first.",
            field="kind",
        )
    return Categories(values=grid.texts)


def spanned_grid(categories: Categories) -> Grid:
    """Return the grid from the smallest to the largest category, with a step of their last decimal.

    Raises:
        Refusal: they are not all numbers, or too far apart for their steps.
    """
    numbers = [parse_number(value) for value in categories.values]
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        raise Refusal(
            f"{len(numbers) - len(found):,} of its {len(numbers):,} categories are not numbers.",
            "Remove them, or keep it as categories.",
            field="kind",
        )
    exponents = [number.normalize().as_tuple().exponent for number in found]
    finest = min(0, *(each for each in exponents if isinstance(each, int)))
    return Grid(
        kind="integers" if finest == 0 else "numbers",
        minimum=min(found),
        maximum=max(found),
        step=Decimal(1).scaleb(finest),
    )
