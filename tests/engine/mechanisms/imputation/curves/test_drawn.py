"""The worst table, against every table, and the published reference values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.mechanisms.imputation.curves.curve import delta_at
from engine.mechanisms.imputation.curves.drawn import Cells, Drawn, delta, epsilon
from engine.mechanisms.imputation.curves.posterior import PosteriorCurve


@given(
    records=st.integers(1, 12),
    alpha=st.sampled_from([0.5, 1.0, 4.0, 10.0]),
    rows=st.integers(1, 12),
    kind=st.sampled_from(["one", "own", "parameter"]),
    at=st.floats(0, 1.5),
)
def test_of_two_categories_every_table(
    records: int, alpha: float, rows: int, kind: str, at: float
) -> None:
    cells = Cells(2, alpha, records)
    drawn = {"one": Drawn(1, rows), "own": Drawn(rows, 1), "parameter": Drawn(1, None)}[kind]
    every = max(delta_at(drawn.between(*cells.pair(n)), at) for n in range(1, records + 1))
    assert delta(cells, drawn, at) == pytest.approx(every, rel=1e-6, abs=1e-15)


def test_the_worst_table_may_lie_within() -> None:
    """Of 5 records, the worst has neither one nor all of them alike."""
    cells, drawn = Cells(2, 10.0, 5), Drawn(1, 5)
    of = [delta_at(drawn.between(*cells.pair(n)), 0.3) for n in range(1, 6)]
    assert int(np.argmax(of)) + 1 not in (1, 5)
    assert delta(cells, drawn, 0.3) == pytest.approx(max(of), rel=1e-6)


@given(
    counts=st.lists(st.integers(0, 4), min_size=3, max_size=4).filter(lambda each: sum(each) > 0),
    alpha=st.sampled_from([0.5, 2.0]),
    rows=st.integers(1, 6),
    at=st.floats(0, 1.0),
)
def test_of_more_categories_no_table_is_worse(
    counts: list[int], alpha: float, rows: int, at: float
) -> None:
    records = sum(counts)
    cells = Cells(len(counts), alpha, records)
    for drawn in (Drawn(1, rows), Drawn(rows, 1), Drawn(1, None)):
        most = delta(cells, drawn, at)
        for i, mine in enumerate(counts):
            for j, theirs in enumerate(counts):
                if i != j and mine:
                    rest = cells.total - mine - theirs - 2 * alpha
                    pair = drawn.between(mine + alpha, theirs + alpha, rest)
                    assert delta_at(pair, at) <= most * (1 + 1e-7) + 1e-14


def least(records: int, drawn: Drawn, at: float, most: float) -> float:
    """The smallest α of two categories that keeps to a δ."""
    low, high = 1e-3, 1e4
    while high / low > 1.002:
        middle = math.sqrt(low * high)
        if delta(Cells(2, middle, records), drawn, at) <= most:
            high = middle
        else:
            low = middle
    return high


@pytest.mark.parametrize(
    ("at", "parameter", "own", "one"),
    [
        (1.0, 24.5, (0.58, 1.52, 4.9, 22.1), (0.58, 1.15, 2.95, 7.58)),
        (0.1, 2244.5, (9.5, 36.4, 147, 768), (9.5, 34.9, 133, 579)),
    ],
)
def test_the_smallest_priors_of_a_thousand_records(
    at: float, parameter: float, own: tuple[float, ...], one: tuple[float, ...]
) -> None:
    assert least(1000, Drawn(1, None), at, 1e-6) == pytest.approx(parameter, rel=3e-3)
    for rows, wanted in zip((1, 10, 100), own, strict=False):
        assert least(1000, Drawn(rows, 1), at, 1e-6) == pytest.approx(wanted, rel=6e-3)
    for rows, wanted in zip((1, 10, 100), one, strict=False):
        assert least(1000, Drawn(1, rows), at, 1e-6) == pytest.approx(wanted, rel=6e-3)
    for drawn, wanted in ((Drawn(1000, 1), own[3]), (Drawn(1, 1000), one[3])):
        assert delta(Cells(2, wanted * 1.01, 1000), drawn, at) <= 1e-6
        assert delta(Cells(2, wanted * 0.99, 1000), drawn, at) > 1e-6


def test_reference_curves() -> None:
    whole, half = Drawn(1, None), Drawn(1000, 1)
    assert delta(Cells(2, 5.0, 200), whole, 1.0) == pytest.approx(8.571619e-3, rel=1e-6)
    assert delta(Cells(2, 50.0, 1000), whole, 0.5) == pytest.approx(3.533013e-5, rel=1e-6)
    assert delta(Cells(2, 20.0, 1000), half, 0.5) == pytest.approx(1.8088e-3, rel=1e-4)
    imputed = Drawn(5, 200)
    assert delta(Cells(2, 20.0, 1000), imputed, 0.5) == pytest.approx(8.45e-4, rel=1e-3)
    assert epsilon(Cells(2, 20.0, 1000), imputed, 1e-6) == pytest.approx(0.920, abs=5e-4)


@pytest.mark.parametrize(("at", "own", "one"), [(1.0, 999.5, 582.0), (0.1, 9999.5, 9508.3)])
def test_priors_without_a_delta(at: float, own: float, one: float) -> None:
    assert Drawn(1000, 1).pure(own) == pytest.approx(at, rel=1e-4)
    assert Drawn(1, 1000).pure(one) == pytest.approx(at, rel=1e-4)
    assert epsilon(Cells(2, one, 1000), Drawn(1, 1000), 0.0) == pytest.approx(at, rel=1e-4)


@given(alpha=st.floats(0.5, 40), size=st.integers(2, 6), at=st.floats(0.0, 2.0))
def test_a_conditional_table_costs_no_more_than_the_universal_pair(
    alpha: float, size: int, at: float
) -> None:
    """A record that leaves a group takes one from a category there, and adds one to another's."""
    from scipy.special import gammainc, gammaincc

    universal = delta_at(PosteriorCurve(alpha + 1, alpha), at)
    # One Dirichlet loses a record: between its first weight α + 1 and α, with the rest as it is.
    threshold = alpha * math.exp(at)
    gone = gammaincc(alpha + 1, threshold) - math.exp(at) * gammaincc(alpha, threshold)
    come = gammainc(alpha, alpha * math.exp(-at))
    come -= math.exp(at) * gammainc(alpha + 1, alpha * math.exp(-at))
    assert max(gone, come) <= universal * (1 + 1e-7) + 1e-15
    assert size >= 2
