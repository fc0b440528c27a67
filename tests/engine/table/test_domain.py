from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.table.categories import Categories
from understudy.table.checks import MOST_CATEGORIES, MOST_STEPS
from understudy.table.grid import Grid


def test_categories_keep_their_order():
    categories = Categories(values=("b", "a"), labels=("Bee", "Ay"))
    assert categories.texts == ("b", "a")
    assert categories.size == 2


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((), "empty"),
        (("SECRET", "x", "SECRET"), "Categories 1 and 3"),
        (("x", "  "), "place 2 of the list is blank"),
        (("x", "y\0"), "null character"),
        (("x" * 1001,), "longer than 1000"),
        (tuple(map(str, range(MOST_CATEGORIES + 1))), "at most 1,000"),
    ],
)
def test_unusable_categories_are_refused_by_position(values, words):
    refusal = refused(Categories, values=values)
    assert words in refusal.problem
    assert refusal.field == "values"
    assert "SECRET" not in str(refusal)


def test_every_category_has_a_label_or_none_has():
    assert refused(Categories, values=("a", "b"), labels=("A",)).field == "labels"


def test_a_grid_is_exact_decimal_arithmetic():
    grid = Grid(kind="numbers", minimum=0, maximum=1, step=0.1)
    assert grid.texts == tuple(f"{tenth / 10:.1f}" for tenth in range(11))
    assert grid.numbers[3] == Decimal("0.3")


def test_the_last_value_does_not_pass_the_maximum():
    assert Grid(minimum=0, maximum=10, step=4).texts == ("0", "4", "8")


def test_whole_numbers_are_written_without_decimals_however_they_were_given():
    assert Grid(minimum=Decimal("17.00"), maximum=Decimal("2E+1")).texts == ("17", "18", "19", "20")
    assert Grid(minimum=-100, maximum=100, step=100).texts == ("-100", "0", "100")


@pytest.mark.parametrize(
    ("settings", "field", "words"),
    [
        ({"minimum": 2, "maximum": 1}, "minimum", "above the maximum"),
        ({"minimum": 0, "maximum": 1, "step": 0}, "step", "not above zero"),
        ({"minimum": 0, "maximum": 1, "step": -1}, "step", "not above zero"),
        ({"minimum": 0, "maximum": 1, "step": 0.5}, "step", "not a whole number"),
        ({"minimum": 0.5, "maximum": 1}, "minimum", "not a whole number"),
        ({"minimum": 0, "maximum": MOST_STEPS}, "step", "10,001 values"),
        ({"minimum": "Infinity", "maximum": 1}, "minimum", "finite"),
        ({"minimum": "NaN", "maximum": 1}, "minimum", "finite"),
        ({"minimum": 0, "maximum": "1e400"}, "maximum", "up to 15 digits"),
        ({"minimum": 0, "maximum": "1e999999"}, "maximum", "up to 15 digits"),
        ({"kind": "numbers", "minimum": 0, "maximum": 1, "step": "1e-13"}, "step", "up to 15"),
        ({"minimum": 0, "maximum": "SECRET"}, "maximum", "has to be a number"),
        ({"minimum": 0}, "maximum", "missing"),
    ],
)
def test_unusable_ranges_are_refused_at_their_field(settings, field, words):
    refusal = refused(Grid, **settings)
    assert refusal.field == field
    assert words in refusal.problem
    assert "SECRET" not in str(refusal)


decimals = st.decimals(min_value=-(10**6), max_value=10**6, places=3)


@given(decimals, st.integers(0, 200), st.decimals(min_value="0.001", max_value=100, places=3))
@settings(deadline=None)
def test_texts_say_exactly_the_numbers(minimum, steps, step):
    grid = Grid(kind="numbers", minimum=minimum, maximum=minimum + steps * step, step=step)
    assert grid.size == steps + 1
    assert [Decimal(text) for text in grid.texts] == [minimum + i * step for i in range(steps + 1)]
    assert len({len(text.partition(".")[2]) for text in grid.texts}) == 1
