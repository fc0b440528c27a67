"""Which ties make a forest, and the order along them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from understudy.models.calibrated.trees import coarsest_first, spanning


@dataclass(frozen=True)
class Told:
    ends: tuple[int, int]
    told: float


@st.composite
def tied(draw: st.DrawFn) -> tuple[list[int], list[Told]]:
    sizes = draw(st.lists(st.integers(2, 9), min_size=2, max_size=8))
    places = st.integers(0, len(sizes) - 1)
    ends = st.tuples(places, places).filter(lambda each: each[0] != each[1])
    return sizes, draw(st.lists(st.builds(Told, ends, st.floats(0, 1)), max_size=20))


@given(tied())
def test_every_column_but_the_first_of_its_tree_comes_after_one_that_it_is_tied_to(
    made: tuple[list[int], list[Told]],
) -> None:
    sizes, ties = made
    chosen = spanning(ties, len(sizes), 0.1)
    order = coarsest_first(chosen, sizes)
    assert sorted(order) == list(range(len(sizes)))
    begun = [
        place
        for at, place in enumerate(order)
        if not any(place in each.ends and set(each.ends) & set(order[:at]) for each in chosen)
    ]
    # A forest has as many trees as columns less edges.
    assert len(begun) == len(sizes) - len(chosen)


def test_the_strongest_ties_are_kept_and_none_closes_a_circle() -> None:
    ties = [Told((0, 1), 0.3), Told((1, 2), 0.9), Told((0, 2), 0.5), Told((2, 3), 0.05)]
    assert spanning(ties, 4, 0.1) == [ties[1], ties[2]]


def test_without_ties_the_coarsest_come_first_and_of_equals_the_first() -> None:
    assert coarsest_first([], [5, 2, 9, 2]) == [1, 3, 0, 2]


def test_a_coarse_column_waits_for_the_long_list_that_it_hangs_on() -> None:
    """Shop is tied to town, product to shop and aisle to product."""
    town, shop, product, aisle, flag = range(5)
    ties = [Told((town, shop), 2.0), Told((shop, product), 3.0), Told((product, aisle), 2.5)]
    assert coarsest_first(ties, [90, 300, 200, 16, 2]) == [flag, aisle, product, shop, town]
    assert coarsest_first(ties, [10, 300, 200, 16, 2]) == [flag, town, shop, product, aisle]
