"""Numbers of a continuous column: exact from text to number to text, each in one cell."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.lattice import MOST_UNITS, Lattice


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    decimals = draw(st.integers(0, 12))
    first = draw(st.integers(1 - MOST_UNITS, MOST_UNITS - 2))
    apart = draw(st.integers(1, MOST_UNITS - 1 - first))
    count = 1 + draw(st.integers(1, min((MOST_UNITS - 1 - first) // apart, 10**9)))
    return Lattice(decimals, first, apart, count, draw(st.integers(1, count + 5)))


@st.composite
def placed(draw: st.DrawFn) -> tuple[Lattice, int]:
    lattice = draw(lattices())
    return lattice, draw(st.integers(0, lattice.count - 1))


@given(placed())
def test_a_text_is_read_as_its_number_and_written_as_itself(of: tuple[Lattice, int]) -> None:
    lattice, place = of
    (text,) = lattice.texts([place])
    (number,) = lattice.numbers(np.array([place]))
    assert Decimal(text) == lattice.number(place)
    assert len(text.partition(".")[2]) == lattice.decimals
    assert float(text) == number
    assert lattice.place(Decimal(text)) == place
    assert lattice.places(np.array([number])).tolist() == [place]
    assert lattice.holds(np.array([number])).all()


@given(placed())
def test_a_cell_holds_neighbouring_places_and_every_place_is_in_one(
    of: tuple[Lattice, int],
) -> None:
    lattice, place = of
    (cell,) = lattice.cells_of(np.array([place]))
    (low,), (held,) = (
        lattice.lowest_in(np.array([cell])),
        lattice.held_by(np.array([cell])),
    )
    assert low <= place < low + held
    assert 0 <= cell < lattice.cells
    ends = lattice.cells_of(np.array([low, low + held - 1]))
    assert ends.tolist() == [cell, cell]


def test_the_cells_of_a_small_lattice() -> None:
    lattice = Lattice(decimals=1, first=-10, apart=5, count=8, per_cell=3)
    cells = lattice.cells_of(np.arange(8)).tolist()
    assert cells == [0, 0, 0, 1, 1, 1, 2, 2]
    assert lattice.held_by(np.arange(3)).tolist() == [3, 3, 2]
    assert lattice.texts(range(8)) == ["-1.0", "-0.5", "0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]


def test_a_highest_number_with_a_cell_for_itself_is_in_the_one_below() -> None:
    lattice = Lattice(decimals=0, first=0, apart=1, count=11, per_cell=5)
    assert lattice.cells == 2
    assert lattice.held_by(np.arange(2)).tolist() == [5, 6]
    assert lattice.cells_of(np.array([9, 10])).tolist() == [1, 1]
    assert Lattice(decimals=0, first=0, apart=1, count=11, per_cell=1).cells == 11


@given(placed(), st.fractions(Fraction(-1, 2), Fraction(1, 2)))
def test_a_number_between_two_goes_to_the_nearest_a_half_up(
    of: tuple[Lattice, int], beside: Fraction
) -> None:
    lattice, place = of
    exact = Fraction(lattice.number(place)) + beside * Fraction(lattice.apart, 10**lattice.decimals)
    # Only decimals stand in files.
    number = Decimal(round(exact * 10**20)).scaleb(-20)
    steps = (Fraction(number) * 10**lattice.decimals - lattice.first) / lattice.apart
    assert lattice.place(number) == (steps + Fraction(1, 2)).__floor__()


@pytest.mark.parametrize("number", [0.55, -1.5, 3.0, float("nan"), float("inf"), -0.4999999])
def test_a_number_that_is_none_of_its_own_is_told(number: float) -> None:
    lattice = Lattice(decimals=1, first=-10, apart=5, count=8, per_cell=3)
    assert lattice.holds(np.array([number, 2.5])).tolist() == [False, True]
