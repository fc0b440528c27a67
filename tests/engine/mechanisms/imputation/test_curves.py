"""Curves of counts, against all rows one by one in fractions. Several draws together, against an
independent accountant and its trap. What is read from a curve: δ at an ε, and the least ε at a δ.
Two categories beside other parts: above every table's curve, and hardly above the highest. Quick
bounds are never below the figures that they bound.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import betabinom, binom

from understudy.core.arrays import FloatArray
from understudy.mechanisms.imputation.accounting import Pure
from understudy.mechanisms.imputation.curves.curve import (
    Amplified,
    Composed,
    Curve,
    GaussianCurve,
    delta_at,
    epsilon_at,
    solve_epsilon,
)
from understudy.mechanisms.imputation.curves.drawn import (
    Cells,
    DrawAmounts,
    Figure,
    PosteriorCurve,
    count_moments,
    covering,
    envelope,
    gaussian_moments,
    one_draw,
    own_draws,
    parameter_moments,
    pure_moments,
    row_moments,
)

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


N, ALPHA, AT = 1000, 20.0, 0.5
A, B = 1 + ALPHA, N - 1 + ALPHA
FINE = 1e-5


def theirs(
    first: object, second: object, rows: int, *, symmetric: bool
) -> pld.PrivacyLossDistribution:
    """The same law as an independent accountant keeps it."""
    counts = np.arange(rows + 1)
    laws = [law.logpmf(counts) for law in (first, second)]  # type: ignore[attr-defined]
    lower, upper = ({int(n): float(p) for n, p in enumerate(law) if p > -600} for law in laws)
    return pld.from_two_probability_mass_functions(
        lower,
        upper,
        pessimistic_estimate=True,
        value_discretization_interval=FINE,
        symmetric=symmetric,
    )


def test_one_direction_is_not_both() -> None:
    """6.2: with its usual `symmetric=True` the accountant says 1.72e-5 of rows from one draw, where
    3.18e-5 holds. Ours is the larger of both ways."""
    laws = betabinom(N, A, B), betabinom(N, A - 1, B + 1)
    one_way, both_ways = (
        theirs(*laws, N, symmetric=each).get_delta_for_epsilon(AT) for each in (True, False)
    )
    curve = one_draw(A, B, 0.0, N)
    ways = float(curve.forward(np.array([AT]))[0]), float(curve.backward(np.array([AT]))[0])
    assert one_way == pytest.approx(1.72e-5, abs=5e-8)
    assert min(ways) == pytest.approx(1.72e-5, abs=5e-8)
    assert both_ways == pytest.approx(3.18e-5, abs=1e-7)
    assert delta_at(curve, AT) == pytest.approx(3.18e-5, abs=5e-8)


def test_rows_with_draws_of_their_own_as_an_independent_accountant_composes_them() -> None:
    """6.2: exactly 1.8088e-3, and 1.833e-3 composed in steps of 1e-5."""
    once = theirs(binom(1, A / (A + B)), binom(1, (A - 1) / (A + B)), 1, symmetric=False)
    coarse = once.self_compose(N).get_delta_for_epsilon(AT)
    assert coarse == pytest.approx(1.833e-3, abs=5e-7)
    exact = delta_at(own_draws(A, B, 0.0, N), AT)
    ours = delta_at(Composed(((own_draws(A, B, 0.0, 1), N),)), AT)
    assert exact == pytest.approx(1.8088e-3, abs=5e-8)
    assert exact <= ours <= coarse


def test_a_composed_curve_is_above_every_direction_of_its_parts() -> None:
    one, other = one_draw(A, B, 0.0, 300), own_draws(4.0, 30.0, 5.0, 40)
    whole = Composed(((one, 2), (other, 1)))
    for each in (one, other):
        assert epsilon_at(whole, 1e-4) > epsilon_at(each, 1e-4)
    assert epsilon_at(whole, 1e-4) < 2 * epsilon_at(one, 1e-5) + epsilon_at(other, 1e-5)


class Certain:
    """Gives everything away, one way."""

    largest = math.inf

    def forward(self, epsilons: FloatArray) -> FloatArray:
        """δ of the first input against the second."""
        return np.ones_like(epsilons)

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """δ of the second against the first."""
        return np.zeros_like(epsilons)


def test_what_gives_everything_away_has_a_delta_of_one() -> None:
    assert delta_at(Certain(), 3.0) == 1.0


def test_nothing_is_spent_where_delta_pays_for_all() -> None:
    assert solve_epsilon(lambda _: 0.05, 0.1, 5.0) == 0.0
    assert solve_epsilon(lambda epsilon: math.exp(-epsilon), 0.1, 50.0) == pytest.approx(
        math.log(10)
    )


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_what_sees_some_of_the_records_has_their_share_of_delta(share: float) -> None:
    whole = GaussianCurve(0.5)
    epsilons = np.array([0.1, 1.0, 3.0])
    smaller = np.log1p(share * np.expm1(epsilons))
    part = Amplified(whole, share)
    np.testing.assert_allclose(part.forward(smaller), share * whole.forward(epsilons), rtol=1e-9)
    np.testing.assert_allclose(part.backward(smaller), share * whole.backward(epsilons), rtol=1e-9)


kinds = st.sampled_from(["one", "own", "parameter"])


def drawn_of(kind: str, rows: int) -> DrawAmounts:
    return {
        "one": DrawAmounts(1, rows),
        "own": DrawAmounts(rows, 1),
        "parameter": DrawAmounts(1, None),
    }[kind]


def every(cells: Cells, drawn: DrawAmounts) -> list[Curve]:
    return [drawn.between(*cells.pair(n)) for n in range(1, cells.records + 1)]


@example(records=237, alpha=0.4, rows=1, kind="one")
@given(
    records=st.integers(1, 300),
    alpha=st.sampled_from([0.4, 1.0, 4.0, 25.0, 300.0]),
    rows=st.integers(1, 200),
    kind=kinds,
)
def test_it_is_the_highest_of_all_tables_at_every_epsilon(
    records: int, alpha: float, rows: int, kind: str
) -> None:
    cells, drawn = Cells(2, alpha, records), drawn_of(kind, rows)
    found = envelope(cells, drawn)
    epsilons = np.concatenate([np.linspace(0, 3, 40), [5.0, 20.0]])
    highest = np.maximum.reduce(
        [np.maximum(c.forward(epsilons), c.backward(epsilons)) for c in every(cells, drawn)]
    )
    ours = found.forward(epsilons)
    assert (ours >= highest * (1 - 1e-9)).all()
    assert (ours <= highest * 1.01 + 1e-17).all()
    assert (found.backward(epsilons) == ours).all()


@given(
    records=st.integers(1, 6),
    alpha=st.sampled_from([1.0, 4.0]),
    rows=st.integers(2, 8),
    kind=kinds,
    delta=st.sampled_from([1e-2, 1e-4]),
)
def test_two_columns_together_cost_no_table_more(
    records: int, alpha: float, rows: int, kind: str, delta: float
) -> None:
    """Every number of records that have the first value of either column, and each way."""
    cells, drawn = Cells(2, alpha, records), drawn_of(kind, rows)
    whole = epsilon_at(Composed(((envelope(cells, drawn), 2),)), delta)
    of = [
        epsilon_at(Composed(((one, 1), (other, 1))), delta)
        for one, other in product(every(cells, drawn), repeat=2)
    ]
    assert max(of) <= whole * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(
    "drawn", [DrawAmounts(1, 1000), DrawAmounts(1000, 1), DrawAmounts(1, None)]
)
@pytest.mark.parametrize("columns", [2, 5])
def test_it_is_next_to_what_one_table_costs(drawn: DrawAmounts, columns: int) -> None:
    """And far below the bound that holds for any number of categories."""
    cells = Cells(2, 10.0, 1000)
    edge = epsilon_at(Composed(((drawn.between(*cells.pair(1)), columns),)), 1e-6)
    ours = epsilon_at(Composed(((envelope(cells, drawn), columns),)), 1e-6)
    bound = epsilon_at(Composed(((drawn.between(*cells.rarest), columns),)), 1e-6)
    assert edge * (1 - 1e-6) <= ours <= 1.002 * edge
    assert bound > 1.2 * ours


def test_few_curves_are_kept() -> None:
    for drawn in (DrawAmounts(1, 10_000), DrawAmounts(10_000, 1), DrawAmounts(1, None)):
        assert len(envelope(Cells(2, 20.0, 100_000), drawn).curves) <= 4


def test_beside_numbers() -> None:
    both = Composed(
        ((envelope(Cells(2, 10.0, 1000), DrawAmounts(1, 500)), 1), (GaussianCurve(0.2), 1))
    )
    alone = [epsilon_at(each, 1e-6) for each, _ in both.parts]
    assert max(alone) < epsilon_at(both, 1e-6) < sum(alone)


@given(
    records=st.integers(1, 40),
    alpha=st.sampled_from([1.0, 4.0, 25.0]),
    rows=st.integers(1, 60),
    kind=kinds,
    at=st.floats(0, 1.5),
)
def test_a_few_pairs_cover_all_tables(
    records: int, alpha: float, rows: int, kind: str, at: float
) -> None:
    cells, drawn = Cells(2, alpha, records), drawn_of(kind, rows)
    most = max(delta_at(drawn.between(*pair), at) for pair in covering(cells))
    for each in every(cells, drawn):
        assert delta_at(each, at) <= most * (1 + 1e-7) + 1e-14


weights = st.floats(0.3, 60)
figures = st.one_of(
    st.floats(1e-12, 0.1).map(lambda at: Figure(at, epsilon=True)),
    st.floats(0.01, 3).map(lambda at: Figure(at, epsilon=False)),
)


@given(a=weights, b=weights, rest=weights, rows=st.integers(1, 60), figure=figures)
def test_of_rows_and_of_the_parameter(
    a: float, b: float, rest: float, rows: int, figure: Figure
) -> None:
    own = figure.of(own_draws(a + 1, b, rest, rows))
    assert own <= figure.bound_by_moments(rows * row_moments(a + 1, b, rest)) * (1 + 1e-9) + 1e-12
    bound = figure.bound_by_moments(parameter_moments(a + 1, b)) * (1 + 1e-9) + 1e-12
    assert figure.of(PosteriorCurve(a + 1, b)) <= bound
    counts = one_draw(a + 1, b, rest, rows)
    assert figure.of(counts) <= bound
    assert figure.of(counts) <= figure.bound_by_moments(count_moments(counts)) * (1 + 1e-9) + 1e-12
    assert figure.bound_by_moments(count_moments(counts)) <= bound * (1 + 1e-6) + 1e-6


@given(ratio=st.floats(0.01, 3), figure=figures)
def test_of_numbers(ratio: float, figure: Figure) -> None:
    for curve in (GaussianCurve(ratio), GaussianCurve(ratio, float(1 << 30))):
        assert (
            figure.of(curve) <= figure.bound_by_moments(gaussian_moments(ratio)) * (1 + 1e-9) + 1e-8
        )
    assert (
        figure.of(Pure(ratio)) <= figure.bound_by_moments(pure_moments(ratio)) * (1 + 1e-9) + 1e-12
    )
