"""Curves of counts, against all rows one by one in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.mechanisms.imputation.curves.curve import delta_at, epsilon_at
from understudy.mechanisms.imputation.curves.drawn import one_draw, own_draws

Weights = tuple[Fraction, ...]


def chance(rows: tuple[int, ...], weights: Weights, *, one_draw: bool) -> Fraction:
    """Of a row after a row, as an urn gives them."""
    found, now = Fraction(1), list(weights)
    for row in rows:
        found *= now[row] / sum(now)
        if one_draw:
            now[row] += 1
    return found


def by_rows(
    a: Fraction, b: Fraction, rest: Fraction, rows: int, epsilon: float, one: bool
) -> float:
    """The larger δ of both ways, over every sequence of rows."""
    more, less = (a, b, rest), (a - 1, b + 1, rest)
    cells = 3 if rest else 2
    over = [Fraction(0), Fraction(0)]
    grown = Fraction(math.exp(epsilon))
    for each in product(range(cells), repeat=rows):
        p, q = (chance(each, w[:cells], one_draw=one) for w in (more, less))
        over[0] += max(p - grown * q, Fraction(0))
        over[1] += max(q - grown * p, Fraction(0))
    return float(max(over))


quarters = st.integers(1, 24).map(lambda each: Fraction(each, 4))


@given(
    a=quarters,
    b=quarters,
    rest=st.one_of(st.just(Fraction(0)), quarters),
    rows=st.integers(1, 5),
    epsilon=st.floats(0, 2),
    one=st.booleans(),
)
def test_as_every_sequence_of_rows(
    a: Fraction, b: Fraction, rest: Fraction, rows: int, epsilon: float, one: bool
) -> None:
    curve = (one_draw if one else own_draws)(float(a + 1), float(b), float(rest), rows)
    exact = by_rows(a + 1, b, rest, rows, epsilon, one)
    assert delta_at(curve, epsilon) == pytest.approx(exact, rel=1e-7, abs=1e-12)


@given(a=quarters, b=quarters, rest=quarters, rows=st.integers(1, 60), epsilon=st.floats(0, 2))
def test_merging_tells_no_more(
    a: Fraction, b: Fraction, rest: Fraction, rows: int, epsilon: float
) -> None:
    """The two lemmas that the worst case rests on."""
    weights = float(a + 1), float(b), float(rest)
    for law in (one_draw, own_draws):
        most = delta_at(law(weights[0], weights[1], weights[2] + 1, rows), epsilon)
        first = delta_at(law(weights[0] + 1, weights[1], weights[2], rows), epsilon)
        second = delta_at(law(weights[0], weights[1] + 1, weights[2], rows), epsilon)
        assert max(first, second) <= most * (1 + 1e-7) + 1e-14
        less = delta_at(law(*weights, rows), epsilon)
        assert most <= less * (1 + 1e-7) + 1e-14


def test_far_losses_are_no_numbers_without_end() -> None:
    """A million rows: some counts are e^700 times as likely in one table as in the other."""
    curve = own_draws(21.0, 1019.0, 0.0, 1_000_000)
    found = curve.backward(np.array([0.0, 1.0, 50.0]))
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(1.0, abs=1e-3)


def test_without_a_delta_the_largest_loss_counts() -> None:
    curve = one_draw(583, 1582, 0, 1000)
    assert epsilon_at(curve, 0.0) == pytest.approx(math.log1p(1000 / 582))
    assert float(curve.forward(np.array([curve.largest]))[0]) == 0.0
