"""Quick bounds are never below the figures that they bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from understudy.mechanisms.imputation.accounting import Pure
from understudy.mechanisms.imputation.curves.curve import GaussianCurve
from understudy.mechanisms.imputation.curves.drawn import (
    Figure,
    PosteriorCurve,
    count_moments,
    gaussian_moments,
    one_draw,
    own_draws,
    parameter_moments,
    pure_moments,
    row_moments,
)

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
