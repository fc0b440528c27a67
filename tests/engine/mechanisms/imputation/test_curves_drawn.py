"""The worst table, against every table, and the published reference values. Curves of a Gaussian
model, against the reference values and against plain integrals.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from understudy.mechanisms.imputation.curves import drawn as module
from understudy.mechanisms.imputation.curves.curve import (
    Gaussian,
    GaussianCurve,
    delta_at,
    epsilon_at,
    largest_ratio,
)
from understudy.mechanisms.imputation.curves.drawn import (
    Cells,
    DrawAmounts,
    PosteriorCurve,
    TooMany,
    drawn_delta,
    drawn_epsilon,
)


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
    drawn = {
        "one": DrawAmounts(1, rows),
        "own": DrawAmounts(rows, 1),
        "parameter": DrawAmounts(1, None),
    }[kind]
    every = max(delta_at(drawn.between(*cells.pair(n)), at) for n in range(1, records + 1))
    assert drawn_delta(cells, drawn, at) == pytest.approx(every, rel=1e-6, abs=1e-15)


def test_the_worst_table_may_lie_within() -> None:
    """6.2: of 5 records, the worst has two alike, or four: one the mirror image of the other."""
    cells, drawn = Cells(2, 10.0, 5), DrawAmounts(1, 5)
    of = [delta_at(drawn.between(*cells.pair(n)), 0.3) for n in range(1, 6)]
    assert int(np.argmax(of)) + 1 in (2, 4)
    assert drawn_delta(cells, drawn, 0.3) == pytest.approx(max(of), rel=1e-6)


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
    for drawn in (DrawAmounts(1, rows), DrawAmounts(rows, 1), DrawAmounts(1, None)):
        most = drawn_delta(cells, drawn, at)
        for i, mine in enumerate(counts):
            for j, theirs in enumerate(counts):
                if i != j and mine:
                    rest = cells.total - mine - theirs - 2 * alpha
                    pair = drawn.between(mine + alpha, theirs + alpha, rest)
                    assert delta_at(pair, at) <= most * (1 + 1e-7) + 1e-14


def least(records: int, drawn: DrawAmounts, at: float, most: float, *, mode: bool = False) -> float:
    """The smallest α of two categories that keeps to a δ."""
    low, high = 1e-3, 1e5
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        if drawn_delta(Cells(2, middle, records), drawn, at) <= most:
            high = middle
        else:
            low = middle
    return high + mode


def unit(printed: str) -> float:
    """One in the last place of a printed number, which was rounded to it or up to it."""
    return float(f"1e{Decimal(printed).as_tuple().exponent}")


_LARGE = pytest.mark.thorough("test_the_smallest_priors_of_a_thousand_records")
ROWS = (1, 10, 100, 1000)
PRIORS = {
    # Smallest α = β of n = 1,000 records at δ = 1e-6, by ε and release, for each of `ROWS`.
    (1.0, "mode"): ("1.58", "2.53", "5.9", "23.1"),
    (1.0, "one"): (".58", "1.15", "2.95", "7.58"),
    (1.0, "own"): (".58", "1.52", "4.9", "22.1"),
    (0.1, "mode"): ("10.5", "37.4", "148", "770"),
    (0.1, "one"): ("9.5", "34.9", "133", "579"),
    (0.1, "own"): ("9.5", "36.4", "147", "768"),
}


@pytest.mark.parametrize(
    ("at", "kind", "rows", "printed"),
    [
        pytest.param(
            *key,
            rows,
            printed,
            marks=_LARGE if (key[0], rows) == (0.1, 1000) else (),
            id=f"6.3, ε = {key[0]}, {key[1]}, m = {rows}",
        )
        for key, values in PRIORS.items()
        for rows, printed in zip(ROWS, values, strict=True)
    ],
)
def test_the_smallest_priors_of_a_thousand_records(
    at: float, kind: str, rows: int, printed: str
) -> None:
    drawn = DrawAmounts(1, rows) if kind == "one" else DrawAmounts(rows, 1)
    found = least(1000, drawn, at, 1e-6, mode=kind == "mode")
    assert found == pytest.approx(float(printed), abs=unit(printed))


@pytest.mark.parametrize(("at", "printed"), [(1.0, "24.5"), (0.1, "2244.5")])
def test_the_smallest_priors_of_the_parameter(at: float, printed: str) -> None:
    """6.3; as many rows ask for less."""
    found = least(1000, DrawAmounts(1, None), at, 1e-6)
    assert found == pytest.approx(float(printed), abs=unit(printed))
    assert least(1000, DrawAmounts(1, 1000), at, 1e-6) < found


def test_one_draw_beats_the_others_where_there_are_as_many_rows_as_records() -> None:
    """6.3, which the source leaves open; and draws of their own need one less than the mode."""
    one, own = (
        least(1000, drawn, 1.0, 1e-6) for drawn in (DrawAmounts(1, 1000), DrawAmounts(1000, 1))
    )
    assert one < own / 2.5


def test_the_constant_of_the_parameters_prior() -> None:
    """6.3: c of Theorem 6.4, α = (c/ε²)·(ln n + ln 1/δ), lies between 0.83 and 1.51."""
    found = [
        least(n, DrawAmounts(1, None), at, most) * at**2 / (math.log(n) - math.log(most))
        for n in (1000, 10_000)
        for at in (0.5, 1.0)
        for most in (1e-6, 1e-9)
    ]
    assert min(found) == pytest.approx(0.83, abs=0.005)
    assert max(found) == pytest.approx(1.51, abs=0.005)


@pytest.mark.parametrize(("most", "needed", "printed"), [(0.1, 16, 246), (0.01, 2760, 24_600)])
def test_the_prior_of_the_parameter_without_an_epsilon(
    most: float, needed: float, printed: float
) -> None:
    """4.3, quoted there: α, β ≥ 2.46/δ² are enough for (0, δ), and nine times what is needed."""
    assert least(1000, DrawAmounts(1, None), 0.0, most) == pytest.approx(needed, abs=0.5)
    assert printed == pytest.approx(2.46 / most**2)
    assert drawn_delta(Cells(2, printed, 1000), DrawAmounts(1, None), 0.0) <= most


def test_usual_weak_priors_give_almost_nothing() -> None:
    """6.4 (2): α = β = 1 at n = m = 1,000."""
    one, own = (
        drawn_epsilon(Cells(2, 1.0, 1000), each, 1e-6) for each in (DrawAmounts(1, 1000), OWN)
    )
    assert one > 2
    assert own > 6


OWN = DrawAmounts(1000, 1)
CURVES = {
    "2, (200, 5, 1)": (DrawAmounts(1, None), 200, 5.0, 1.0, "8.571619e-3"),
    "2, (1000, 50, .5)": (DrawAmounts(1, None), 1000, 50.0, 0.5, "3.533013e-5"),
    "6.2, own draws": (OWN, 1000, 20.0, 0.5, "1.8088e-3"),
    "6.2, one draw": (DrawAmounts(1, 1000), 1000, 20.0, 0.5, "3.18e-5"),
    "6.2, 5 tables of 200": (DrawAmounts(5, 200), 1000, 20.0, 0.5, "8.45e-4"),
}


@pytest.mark.parametrize(
    ("drawn", "records", "alpha", "at", "printed"), CURVES.values(), ids=CURVES
)
def test_reference_curves(
    drawn: DrawAmounts, records: int, alpha: float, at: float, printed: str
) -> None:
    found = drawn_delta(Cells(2, alpha, records), drawn, at)
    assert found == pytest.approx(float(printed), abs=unit(printed))


def test_the_reference_of_imputed_tables() -> None:
    """6.2: ε of five tables of 200 rows."""
    assert drawn_epsilon(Cells(2, 20.0, 1000), DrawAmounts(5, 200), 1e-6) == pytest.approx(
        0.920, abs=5e-4
    )


PURE = {
    # Smallest α for m = 1,000 rows without a δ, by ε.
    1.0: {"mode": "1000.5", "own": "999.5", "one": "582.0"},
    0.1: {"mode": "10000.5", "own": "9999.5", "one": "9508.3"},
}


@pytest.mark.parametrize(("at", "kind"), [(at, kind) for at in PURE for kind in PURE[at]])
def test_priors_without_a_delta(at: float, kind: str) -> None:
    """6.3. The prior is enough, and one below it by a unit of its last digit is not."""
    printed, drawn = PURE[at][kind], DrawAmounts(1, 1000) if kind == "one" else OWN
    cells = Cells(2, float(printed), 1000)
    found = drawn_epsilon(cells.mode if kind == "mode" else cells, drawn, 0.0)
    assert found == pytest.approx(at, rel=unit(printed) / float(printed))


@pytest.mark.parametrize("cells", [2, 3])
@pytest.mark.parametrize("kind", ["mode", "own", "one"])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_the_smallest_priors_without_a_delta_for_every_number_of_rows(
    cells: int, kind: str, rows: int
) -> None:
    """6.1: not 2 + 1/(e^{ε/m} − 1) and one less (6.9 to 6.12), not 1 + m/(e^ε − 1) (6.13), and no
    2m in the exponent (6.21, 6.22). The largest loss over every table is ε at the corrected prior,
    and more right below it."""
    at, drawn = 1.0, DrawAmounts(1, rows) if kind == "one" else DrawAmounts(rows, 1)
    needed = rows / math.expm1(at) if kind == "one" else 1 / math.expm1(at / rows)

    def largest(alpha: float) -> float:
        of = Cells(cells, alpha, 6)
        pairs = [of.pair(n) for n in range(1, 7)] if cells == 2 else [of.rarest]
        return max(drawn.between(*pair).largest for pair in pairs)

    assert largest(needed) == pytest.approx(at)
    assert largest(0.99 * needed) > at


@given(alpha=st.floats(0.5, 40), at=st.floats(0.0, 2.0))
def test_a_conditional_table_costs_no_more_than_the_universal_pair(alpha: float, at: float) -> None:
    """A record that leaves a group takes one from a category there, and adds one to another's."""
    from scipy.special import gammainc, gammaincc

    universal = delta_at(PosteriorCurve(alpha + 1, alpha), at)
    # One Dirichlet loses a record: between its first weight α + 1 and α, with the rest as it is.
    threshold = alpha * math.exp(at)
    gone = gammaincc(alpha + 1, threshold) - math.exp(at) * gammaincc(alpha, threshold)
    come = gammainc(alpha, alpha * math.exp(-at))
    come -= math.exp(at) * gammainc(alpha + 1, alpha * math.exp(-at))
    assert max(gone, come) <= universal * (1 + 1e-7) + 1e-15


def test_where_counts_are_too_many_a_draw_of_the_parameter_stands_for_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_many(*_: object) -> None:
        raise TooMany

    monkeypatch.setattr(module, "one_draw", too_many)
    found, parameter = (DrawAmounts(1, rows).between(9.0, 2.0, 4.0) for rows in (50, None))
    at = np.array([0.05, 0.5])
    assert found.forward(at).tolist() == parameter.forward(at).tolist()
    assert found.backward(at).tolist() == parameter.backward(at).tolist()
    assert found.forward(at).tolist() != found.backward(at).tolist()


FLAT = 1e-12


@pytest.mark.parametrize(
    ("epsilon", "wanted"),
    [
        (0.1, (0.0325, 0.0275, 0.0218)),
        (0.5, (0.1422, 0.1241, 0.1014)),
        (1.0, (0.2681, 0.2367, 0.1961)),
        (2.0, (0.5016, 0.4483, 0.3769)),
    ],
)
def test_the_largest_ratio(epsilon: float, wanted: tuple[float, ...]) -> None:
    found = [largest_ratio(epsilon, share) for share in (1e-5, 1e-6, 1e-8)]
    assert found == pytest.approx(wanted, abs=6e-5)
    for ratio, share in zip(found, (1e-5, 1e-6, 1e-8), strict=True):
        assert epsilon_at(GaussianCurve(ratio), share) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize(
    ("records", "epsilon", "delta", "mean", "one"),
    [
        (1000, 1, 1e-6, 3.743, 5.293),
        (1000, 0.5, 1e-6, 1.962, 2.775),
        (10_000, 0.1, 1e-8, 1.088, 1.539),
    ],
)
def test_the_widest_ranges(
    records: int, epsilon: float, delta: float, mean: float, one: float
) -> None:
    model, ratio = Gaussian(1.0, 1.0, FLAT, records), largest_ratio(epsilon, delta)
    assert ratio / model.compute_mu(1, math.inf) == pytest.approx(mean, abs=1e-3)
    assert ratio / model.from_mode(records) == pytest.approx(mean, abs=1e-3)
    assert ratio / model.compute_mu(1, records) == pytest.approx(one, abs=1e-3)
    # Draws of their own are about the mode: their variance is that of a row and of the mean.
    mode, own = (ratio / each for each in (model.from_mode(records), model.compute_mu(records, 1)))
    assert own == pytest.approx(mode * math.sqrt(1 + 1 / records))
    assert one == pytest.approx(math.sqrt(2) * mean, abs=2e-3)


@given(
    radius=st.floats(0.1, 5),
    sigma=st.floats(0.1, 5),
    prior=st.floats(1e-6, 500),
    records=st.integers(1, 2000),
    tables=st.integers(1, 20),
    rows=st.integers(1, 3000),
)
def test_ratios_as_printed(
    radius: float, sigma: float, prior: float, records: int, tables: int, rows: int
) -> None:
    """6.2, written with σ0² = σ²/prior, w and D = w·2R/n."""
    model = Gaussian(radius, sigma, prior, records)
    spread = sigma**2 / prior
    weight = records * spread / (sigma**2 + records * spread)
    moved = weight * 2 * radius / records
    of_mean = 1 / (records / sigma**2 + prior / sigma**2)
    one = moved / math.sqrt(of_mean + sigma**2 / rows)
    for found, wanted in (
        (model.compute_mu(1, math.inf), (2 * radius / sigma) / math.sqrt(records + prior)),
        (model.from_mode(rows), math.sqrt(rows) * moved / sigma),
        (model.compute_mu(rows, 1), math.sqrt(rows) * moved / math.sqrt(sigma**2 + of_mean)),
        (model.compute_mu(1, rows), one),
        (model.compute_mu(tables, rows), math.sqrt(tables) * one),
    ):
        assert found == pytest.approx(wanted, rel=1e-9)


def test_a_strong_prior_widens_them() -> None:
    """σ0 = σ/100, n = 1000, ε = 1."""
    model, ratio = Gaussian(1.0, 1.0, 1e4, 1000), largest_ratio(1.0, 1e-6)
    assert ratio / model.compute_mu(1, math.inf) == pytest.approx(12.4, abs=0.05)
    assert ratio / model.compute_mu(1, 1000) == pytest.approx(43.0, abs=0.05)
    assert ratio / model.compute_mu(1000, 1) == pytest.approx(41.2, abs=0.05)


@pytest.mark.parametrize(
    ("records", "wanted"), [(10, 0.730), (100, 0.918), (1000, 0.975), (10_000, 0.992)]
)
def test_a_mean_within_bounds(records: int, wanted: float) -> None:
    assert Gaussian(0.5, 1.0, FLAT, records).conditioned_mean() == pytest.approx(wanted, abs=6e-4)


def test_a_row_within_bounds() -> None:
    def row(radius: float, *, mode: bool) -> float:
        return Gaussian(radius, 1.0, FLAT, 1000).conditioned_row(mode=mode)

    assert row(math.sqrt(1000 / 2), mode=False) == pytest.approx(1.962, abs=5e-4)
    assert row(math.sqrt(1000 / 2), mode=True) == pytest.approx(1.964, abs=5e-4)
    assert row(math.sqrt(1000) / 2, mode=True) == pytest.approx(0.974, abs=1e-3)


@given(
    radius=st.floats(0.05, 30),
    prior=st.floats(0, 50),
    records=st.integers(1, 500),
    low=st.floats(0, 1),
    end=st.floats(-1, 1),
)
def test_no_pair_of_tables_is_worse_within_bounds(
    radius: float, prior: float, records: int, low: float, end: float
) -> None:
    model = Gaussian(radius, 1.0, prior, records)
    most = model.conditioned_mean()
    room = 2 * model.weight * radius - model.shift
    first = -model.weight * radius + low * room
    laws = [norm(at, model.deviation) for at in (first, first + model.shift)]
    logs = [law.logpdf(end * radius) - math.log(law.cdf(radius) - law.cdf(-radius)) for law in laws]
    assert abs(logs[1] - logs[0]) <= most * (1 + 1e-6) + 1e-9


@given(ratio=st.floats(0.01, 3), deviation=st.floats(1000, 3000), epsilon=st.floats(0.01, 4))
def test_the_lattice_is_allowed_for(ratio: float, deviation: float, epsilon: float) -> None:
    """The discrete Gaussian, summed up."""
    shift = max(1, round(ratio * deviation))
    places = np.arange(-int(12 * deviation) - shift, int(12 * deviation) + 2 * shift, dtype=float)
    logs = -(places**2) / (2 * deviation**2)
    other = -((places + shift) ** 2) / (2 * deviation**2)
    whole = math.log(deviation * math.sqrt(2 * math.pi))
    exact = np.maximum(np.exp(logs - whole) - np.exp(epsilon + other - whole), 0).sum()
    found = delta_at(GaussianCurve(shift / deviation, deviation), epsilon)
    assert exact <= found * (1 + 1e-9)
    assert found <= exact + 4 / deviation
