from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from understudy.models import categorical
from understudy.models.categorical import WHOLE, ConditionalTable, free_bits, sort_with_places
from understudy.privacy.randomness import RandomSource


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, (1 << 56) - 1)), max_size=60))
def test_numbers_ascend_and_equal_ones_keep_their_order(numbers: list[int]) -> None:
    unsorted = np.array(numbers, dtype=np.int64)
    assert free_bits(len(numbers)) >= 56
    found, places = sort_with_places(unsorted)
    assert list(zip(found.tolist(), places.tolist(), strict=True)) == sorted(
        (number, place) for place, number in enumerate(numbers)
    )


def test_there_is_room_for_the_largest_number_that_is_allowed() -> None:
    for count in (1, 2, 255, 256):
        largest = (1 << free_bits(count)) - 1
        numbers = np.full(count, largest, dtype=np.int64)
        numbers[-1] = 0
        found, places = sort_with_places(numbers)
        assert found[0] == 0
        assert places[0] == count - 1
        assert (found[1:] == largest).all()


rows = st.integers(1, 40).flatmap(
    lambda width: st.lists(
        st.lists(st.floats(0, 1), min_size=width, max_size=width).filter(
            lambda row: sum(row) > 0.01
        ),
        min_size=1,
        max_size=6,
    )
)


@given(rows)
def test_the_alias_columns_hold_exactly_the_law(shares: list[list[float]]) -> None:
    table = ConditionalTable.from_probabilities(np.array(shares))
    columns = 1 << table._alias.column_bits
    threshold = table._alias.threshold.reshape(-1, columns)
    alias = table._alias.alias.reshape(-1, columns)
    for row in range(table.configurations):
        mass = [0] * columns
        for column in range(columns):
            mass[column] += int(threshold[row, column])
            mass[int(alias[row, column])] += WHOLE - int(threshold[row, column])
        law = [Fraction(each, WHOLE * columns) for each in mass[: table.cardinality]]
        assert law == [Fraction(int(weight), WHOLE) for weight in table.weights[row]]
        assert not any(mass[table.cardinality :])


@given(rows)
def test_rounding_moves_no_probability_by_more_than_a_cell_each(shares: list[list[float]]) -> None:
    given_rows = np.array(shares)
    table = ConditionalTable.from_probabilities(given_rows)
    exact = given_rows / given_rows.sum(axis=1, keepdims=True)
    assert np.abs(table.probabilities - exact).max() <= (table.cardinality + 1) / WHOLE + 1e-15


def test_draws_follow_the_law() -> None:
    shares = np.array([[0.5, 0.3, 0.15, 0.05, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]])
    table = ConditionalTable.from_probabilities(shares)
    source = RandomSource.fixed(3)
    drawn = table.draw(np.zeros(50_000, dtype=np.int64), source)
    counts = np.bincount(drawn, minlength=5)
    assert counts[4] == 0
    assert chisquare(counts[:4], 50_000 * shares[0, :4]).pvalue > 1e-4
    assert (table.draw(np.ones(100, dtype=np.int64), source) == 2).all()


@given(rows, st.data())
def test_spread_draws_are_off_by_less_than_one_at_every_step(
    shares: list[list[float]], data: st.DataObject
) -> None:
    table = ConditionalTable.from_probabilities(np.array(shares))
    places = st.lists(st.integers(0, table.configurations - 1), max_size=80)
    configuration = np.array(data.draw(places), dtype=np.int64)
    drawn = table.spread(configuration, RandomSource.fixed(data.draw(st.integers(0, 9))))
    assert drawn.dtype == np.uint16
    assert len(drawn) == len(configuration)
    for row in range(table.configurations):
        found = np.bincount(drawn[configuration == row], minlength=table.cardinality)
        expected = found.sum() * table.probabilities[row]
        assert (np.abs(np.cumsum(found) - np.cumsum(expected)) < 1 + 1e-9).all()
        assert not found[table.weights[row] == 0].any()


def test_each_of_the_spread_draws_follows_the_law() -> None:
    """Whatever its place, and whatever else is drawn."""
    shares = np.array([[0.45, 0.3, 0.15, 0.1], [0.1, 0.2, 0.3, 0.4]])
    table = ConditionalTable.from_probabilities(shares)
    configuration = np.array([0, 1, 0, 0, 1, 0])
    source = RandomSource.fixed(5)
    drawn = np.array([table.spread(configuration, source) for _ in range(4_000)])
    for place, row in enumerate(configuration.tolist()):
        counts = np.bincount(drawn[:, place], minlength=4)
        assert chisquare(counts, 4_000 * shares[row]).pvalue > 1e-4


class Unshuffled:
    """Leaves what is to be shuffled in the order it is in."""

    def __init__(self) -> None:
        self.uniforms = RandomSource.fixed(7).uniforms

    def words(self, count: int) -> np.ndarray:
        return np.zeros(count, dtype=np.uint64)


def test_the_law_of_each_does_not_hang_on_how_they_are_shuffled() -> None:
    shares = np.array([[0.45, 0.3, 0.25], [0.1, 0.2, 0.7]])
    table = ConditionalTable.from_probabilities(shares)
    configuration = np.array([0, 1, 0, 0, 1])
    source = cast(RandomSource, Unshuffled())
    drawn = np.array([table.spread(configuration, source) for _ in range(4_000)])
    for place, row in enumerate(configuration.tolist()):
        counts = np.bincount(drawn[:, place], minlength=3)
        assert chisquare(counts, 4_000 * shares[row]).pvalue > 1e-4


@pytest.mark.parametrize("count", [5, 50_000])
def test_spread_draws_come_in_no_order(count: int) -> None:
    """Fewer draws than the table has cells, and more: those of the first half are as those of the
    second, and a record is dealt with its neighbour as with any other."""
    table = ConditionalTable.from_probabilities(np.full((4, 10), 0.1))
    source = RandomSource.fixed(8)
    rounds = max(1, 20_000 // count)
    configuration = np.arange(count) % 2
    drawn = np.array([table.spread(configuration, source) for _ in range(rounds)]).astype(int)
    first, second = np.array_split(drawn, 2, axis=1)
    for half in (first, second):
        assert chisquare(np.bincount(half.ravel(), minlength=10)).pvalue > 1e-4
    beside = np.bincount((10 * drawn[:, :-1] + drawn[:, 1:])[:, ::2].ravel(), minlength=100)
    assert chisquare(beside).pvalue > 1e-4


def test_spread_draws_of_two_tables_know_nothing_of_each_other() -> None:
    table = ConditionalTable.from_probabilities(np.full((1, 3), 1 / 3))
    source = RandomSource.fixed(6)
    one, other = (table.spread(np.zeros(30_000, dtype=np.int64), source) for _ in range(2))
    counts = np.bincount(3 * one.astype(int) + other, minlength=9)
    assert np.abs(counts - 30_000 / 9).max() < 4 * np.sqrt(30_000 / 9)
    assert chisquare(counts).pvalue > 1e-4


def test_log_likelihood_is_that_of_the_cell() -> None:
    table = ConditionalTable.from_probabilities(np.array([[0.25, 0.75], [1.0, 0.0]]))
    configuration = np.array([0, 0, 1, 1])
    values = np.array([0, 1, 0, 1], dtype=np.uint16)
    assert np.exp(table.log_likelihood(configuration, values)).tolist() == [0.25, 0.75, 1.0, 0.0]


@pytest.mark.parametrize(
    "weights", [np.array([[1, 2]]), np.array([[-1, WHOLE + 1]]), np.zeros((1, 1 << 15), np.int64)]
)
def test_weights_that_are_no_law_are_refused(weights: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"2\^48|at most"):
        ConditionalTable(weights)


class TestDrawWithin:
    """Drawing among some of the values of a row."""

    @given(st.data())
    def test_integers_below_a_bound_are_even(self, data: st.DataObject) -> None:
        bounds = np.array(data.draw(st.lists(st.integers(1, 2**48), max_size=20)), dtype=np.int64)
        found = categorical._below(bounds, RandomSource.fixed(1))
        assert ((found >= 0) & (found < bounds)).all()

    def test_every_integer_comes_as_often(self) -> None:
        for bound in (1, 3, 4, 5):
            found = categorical._below(np.full(40_000, bound), RandomSource.fixed(2))
            seen = np.bincount(found, minlength=bound)
            assert len(seen) == bound
            share = 1 / bound
            assert (abs(seen - 40_000 * share) <= 5 * np.sqrt(40_000 * share * (1 - share))).all()

    def test_codes_follow_what_is_left_of_their_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(categorical, "_BLOCK", 50)
        table = ConditionalTable.from_probabilities(
            np.array([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 1.0]])
        )
        count = 20_000
        for row, allowed, expected in (
            (0, (True, False, True, False), (1 / 4, 0, 3 / 4, 0)),
            (0, (False, True, False, False), (0, 1, 0, 0)),
            (1, (True, True, False, False), (1 / 2, 1 / 2, 0, 0)),
            (1, (True, True, True, False), (0, 0, 1, 0)),
        ):
            rows, left = np.full(count, row), np.tile(allowed, (count, 1))
            found = np.bincount(table.draw_within(rows, left, RandomSource.fixed(3)), minlength=4)
            for seen, share in zip(found, expected, strict=True):
                assert abs(seen - count * share) <= 5 * np.sqrt(count * share * (1 - share))
            whole = table.whole_within(rows[:3], left[:3])
            assert (whole == table.weights[row][list(allowed)].sum()).all()
