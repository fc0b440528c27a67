"""Quick bounds are never below the figures that they bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from understudy.mechanisms.imputation.accounting import Pure
from understudy.mechanisms.imputation.curves.atoms import one_draw, own_draws
from understudy.mechanisms.imputation.curves.gaussian import GaussianCurve
from understudy.mechanisms.imputation.curves.moments import (
    Figure,
    of_counts,
    of_gaussian,
    of_parameter,
    of_pure,
    of_row,
)
from understudy.mechanisms.imputation.curves.posterior import PosteriorCurve

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
    assert own <= figure.bound(rows * of_row(a + 1, b, rest)) * (1 + 1e-9) + 1e-12
    bound = figure.bound(of_parameter(a + 1, b)) * (1 + 1e-9) + 1e-12
    assert figure.of(PosteriorCurve(a + 1, b)) <= bound
    counts = one_draw(a + 1, b, rest, rows)
    assert figure.of(counts) <= bound
    assert figure.of(counts) <= figure.bound(of_counts(counts)) * (1 + 1e-9) + 1e-12
    assert figure.bound(of_counts(counts)) <= bound * (1 + 1e-6) + 1e-6


@given(ratio=st.floats(0.01, 3), figure=figures)
def test_of_numbers(ratio: float, figure: Figure) -> None:
    for curve in (GaussianCurve(ratio), GaussianCurve(ratio, float(1 << 30))):
        assert figure.of(curve) <= figure.bound(of_gaussian(ratio)) * (1 + 1e-9) + 1e-8
    assert figure.of(Pure(ratio)) <= figure.bound(of_pure(ratio)) * (1 + 1e-9) + 1e-12
