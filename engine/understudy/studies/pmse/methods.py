"""Every way to a synthetic table of the published simulations, by name, at one ε."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.common_practice import (
    DEVIATIONS,
    MEANS,
    PublicTable,
    by_chance,
    make_numbers,
    metropolis,
)
from understudy.studies.pmse.publication import BAYES, HISTOGRAM, NON_DP, PRACTISED
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.domain import lattice_of
from understudy.table.records import Records
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Bounds:
    """Where the columns are truncated.

    Attributes:
        low, high: of each column.
    """

    low: tuple[float, float]
    high: tuple[float, float]

    @classmethod
    def about(cls, means: FloatArray, deviations: FloatArray, times: float) -> Bounds:
        """So many standard deviations either side."""
        low, high = means - times * deviations, means + times * deviations
        return cls((float(low[0]), float(low[1])), (float(high[0]), float(high[1])))

    @property
    def middle(self) -> FloatArray:
        """Of either column."""
        return np.asarray((np.array(self.low) + np.array(self.high)) / 2)

    @property
    def half(self) -> FloatArray:
        """Half the width of either."""
        return np.asarray((np.array(self.high) - np.array(self.low)) / 2)

    def inwards(self, table: FloatArray) -> FloatArray:
        """Return (n, 2) from −1 to 1, truncated."""
        return np.clip((table - self.middle) / self.half, -1, 1)

    def outwards(self, scaled: FloatArray) -> FloatArray:
        """Return (n, 2) numbers of the table."""
        return self.middle + scaled * self.half

    def line(self, intercept: float, slope: float) -> tuple[float, float]:
        """Intercept and slope between the columns, from those between scaled ones."""
        steep = slope * self.half[1] / self.half[0]
        return float(self.middle[1] + intercept * self.half[1] - steep * self.middle[0]), float(
            steep
        )


@dataclass(frozen=True)
class Sums:
    """Σx, Σx², Σy, Σy², Σxy of scaled columns.

    A record that is replaced moves them by up to 2, 1, 2, 1 and 2.

    Attributes:
        values: (5,) they, with or without noise.
        records: n.
    """

    values: FloatArray
    records: int

    @classmethod
    def of(cls, scaled: FloatArray) -> Sums:
        """Without noise."""
        x, y = scaled.T
        return cls(np.array([x.sum(), x @ x, y.sum(), y @ y, x @ y]), len(scaled))

    def plus(self, noise: FloatArray) -> Sums:
        """With noise."""
        return Sums(self.values + noise, self.records)

    def moments(self, least: float = 1e-4) -> tuple[FloatArray, FloatArray]:
        """Return (2,) means and (2, 2) covariances, the nearest that are positive definite."""
        x, xx, y, yy, xy = self.values / self.records
        covariance = np.array([[xx - x * x, xy - x * y], [xy - x * y, yy - y * y]])
        sizes, ways = np.linalg.eigh(covariance)
        return np.array([x, y]), (ways * np.maximum(sizes, least)) @ ways.T


SENSITIVITIES = (2.0, 1.0, 2.0, 1.0, 2.0)


_LEAST = 1e-3
_ROOT = math.sqrt(0.5)


def least_squares(table: FloatArray) -> tuple[float, float]:
    """Intercept and slope of the second column on the first, without privacy."""
    x, y = table.T
    slope = float(np.cov(x, y)[0, 1] / x.var(ddof=1))
    return float(y.mean() - slope * x.mean()), slope


def functional(
    table: FloatArray, bounds: Bounds, epsilon: float, random: np.random.Generator
) -> tuple[float, float]:
    """Laplace noise on the coefficients of Σ(y − x′β)², x = (1, x₁)/√2 of length at most 1 and y
    from −1 to 1: their L1 sensitivity is 2(d + 1)² with d = 2. A ridge of four standard deviations
    of the noise and a trimmed spectrum keep it convex, as published."""
    scaled = bounds.inwards(table)
    x = np.column_stack([np.full(len(scaled), _ROOT), scaled[:, 0] * _ROOT])
    scale = 2 * (x.shape[1] + 1) ** 2 / epsilon
    square = x.T @ x + _symmetric(random.laplace(0, scale, 3))
    linear = x.T @ scaled[:, 1] + random.laplace(0, scale, 2) / 2
    ridge = 4 * math.sqrt(2) * scale
    sizes, ways = np.linalg.eigh(square + ridge * np.eye(2))
    kept = sizes > _LEAST
    beta = ways[:, kept] @ ((ways[:, kept].T @ linear) / sizes[kept])
    return bounds.line(float(beta[0]) * _ROOT, float(beta[1]) * _ROOT)


def k_norm(
    table: FloatArray, bounds: Bounds, epsilon: float, random: np.random.Generator
) -> tuple[float, float]:
    """Return noise with density ∝ exp(−ε‖v‖_∞/2) on (Σx, Σx², Σy, Σxy), each of which a replaced
    record moves by up to 2: v = r·U, r ~ Gamma(5, 2/ε), U even over [−1, 1]⁴."""
    x, y = bounds.inwards(table).T
    n = len(table)
    sums = np.array([x.sum(), x @ x, y.sum(), x @ y])
    sums = sums + random.gamma(5, 2 / epsilon) * random.uniform(-1, 1, 4)
    middle, square, level, cross = sums / n
    slope = (cross - middle * level) / max(_LEAST, square - middle**2)
    return bounds.line(float(level - slope * middle), float(slope))


def _symmetric(values: FloatArray) -> FloatArray:
    return np.array([[values[0], values[1] / 2], [values[1] / 2, values[2]]])


def noisy_posterior(
    table: FloatArray, bounds: Bounds, epsilon: float, draws: int, random: np.random.Generator
) -> list[FloatArray]:
    """Return noisy Bayesian posterior predictive (“DP Bayes”; Bowen and Liu 2016): Laplace noise on
    the sums, then parameters from their posterior under a flat prior, for every table anew.

    How the published one divides ε among statistics, and its priors, were not published; here all
    five sums get noise of one scale, their L1 sensitivity over ε/draws.

    Args:
        table: (n, 2).
        bounds: where it is truncated; public.
        epsilon: for all tables together.
        draws: how many tables.
        random: where chance comes from.
    """
    sums = Sums.of(bounds.inwards(table))
    scale = sum(SENSITIVITIES) * draws / epsilon
    return [
        bounds.outwards(_predict_numbers(sums.plus(random.laplace(0, scale, 5)), random))
        for _ in range(draws)
    ]


def fit_privately(
    table: FloatArray, bounds: Bounds, epsilon: float, random: np.random.Generator
) -> FloatArray:
    """Return a linear model fitted with privacy: noisy sums once, at the full ε, and a table drawn
    from the normal law that they say."""
    scale = sum(SENSITIVITIES) / epsilon
    sums = Sums.of(bounds.inwards(table)).plus(random.laplace(0, scale, 5))
    mean, covariance = sums.moments()
    return bounds.outwards(random.multivariate_normal(mean, covariance, len(table)))


def draw_unprotected(table: FloatArray, random: np.random.Generator) -> FloatArray:
    """Without privacy: parameters from the posterior of the table itself."""
    bounds = Bounds.about(table.mean(axis=0), np.ones(2), 1.0)
    scaled = (table - bounds.middle) / bounds.half
    return bounds.outwards(_predict_numbers(Sums.of(scaled), random))


def _predict_numbers(sums: Sums, random: np.random.Generator) -> FloatArray:
    """Return (n, 2) X₁, then X₂ on X₁, each by parameters from their posterior under a flat
    prior."""
    n = sums.records
    mean, covariance = sums.moments()
    first = covariance[0, 0] * n / random.chisquare(n - 1)
    middle = random.normal(mean[0], math.sqrt(first / n))
    slope = covariance[0, 1] / covariance[0, 0]
    left = covariance[1, 1] - slope * covariance[0, 1]
    second = left * n / random.chisquare(n - 2)
    steep = random.normal(slope, math.sqrt(second / (n * covariance[0, 0])))
    level = random.normal(mean[1], math.sqrt(second / n))
    x = random.normal(middle, math.sqrt(first), n)
    y = level + steep * (x - mean[0]) + random.normal(0, math.sqrt(second), n)
    return np.column_stack([x, y])


def evenness(bins: int, records: int, drawn: int, epsilon: float) -> float:
    """Return λ, the share of even records: K/(K + n·(e^{ε/n_s} − 1)) for n_s records drawn, each of
    which costs ε/n_s (Wasserman and Zhou 2010)."""
    return bins / (bins + records * math.expm1(epsilon / drawn))


def smooth_histogram(
    table: FloatArray, bounds: Bounds, epsilon: float, a_side: int, random: np.random.Generator
) -> FloatArray:
    """Return (n, 2) drawn from a histogram mixed with the even law, at the full ε.

    Args:
        table: (n, 2).
        bounds: where it is truncated; public.
        epsilon: for the table.
        a_side: bins of each column, K being their square.
        random: where chance comes from.
    """
    scaled, n = bounds.inwards(table), len(table)
    bins = np.minimum(((scaled + 1) / 2 * a_side).astype(np.int64), a_side - 1)
    cells = np.bincount(bins[:, 0] * a_side + bins[:, 1], minlength=a_side**2) / n
    even = evenness(a_side**2, n, n, epsilon)
    drawn = random.choice(a_side**2, size=n, p=(1 - even) * cells + even / a_side**2)
    corner = np.column_stack(np.divmod(drawn, a_side)) + random.random((n, 2))
    return bounds.outwards(corner / a_side * 2 - 1)


SAFE: Final = "pMSE Mech., safe"
FITTED: Final = "DP linear model"
CALIBRATED: Final = "Calibrated model"
DRAWS: Final = 10
"""l, as published."""
USUAL: Final = 4.0
"""At how many standard deviations columns are truncated where pMSE is compared, as published."""
_A_SIDE: Final = 4
_CELLS: Final = 400
_COARSE: Final = 20
_CENT: Final = Decimal("0.01")

Method = Callable[[FloatArray, float, np.random.Generator], FloatArray]
"""From a table and an ε to a synthetic one of as many records."""


def bounds(times: float = USUAL) -> Bounds:
    """So many standard deviations either side."""
    return Bounds.about(np.array(MEANS), np.array(DEVIATIONS), times)


def study_schema(cells: int, times: float = USUAL) -> Schema:
    """Return both columns between those bounds, to two decimals, in so many cells."""

    def column(place: int) -> Column:
        within = bounds(times)
        low = Decimal(within.low[place]).quantize(_CENT)
        step = (Decimal(within.high[place] - within.low[place]) / cells).quantize(_CENT)
        domain = Continuous(minimum=low, maximum=low + step * cells, precision=_CENT, step=step)
        return Column(name=f"X{place + 1}", domain=domain)

    return Schema(columns=(column(0), column(1))).declare_public()


def truncate_table(table: FloatArray, declared: Schema) -> Records:
    """Return a table as a method is given it: truncated, to two decimals."""
    codes, numbers = [], []
    for place, column in enumerate(declared.columns):
        lattice = lattice_of(column.domain)
        units = np.rint(table[:, place] * 10**lattice.decimals).astype(np.int64)
        places = np.clip((units - lattice.first) // lattice.apart, 0, lattice.count - 1)
        codes.append(lattice.cells_of(places))
        numbers.append(lattice.numbers(places))
    return Records(declared, np.column_stack(codes).astype(np.uint16), np.column_stack(numbers))


def safe(
    table: FloatArray, epsilon: float, random: np.random.Generator, **settings: Any
) -> FloatArray:
    """Return the safe mechanism with its usual settings, all records deciding."""
    from understudy.mechanisms.outputs import ResumePoint, Workers
    from understudy.mechanisms.pmse.mechanism import MECHANISM
    from understudy.mechanisms.pmse.plan import PmsePlan
    from understudy.mechanisms.registry import plan_run
    from understudy.privacy.randomness import Secret

    real = truncate_table(table, study_schema(_CELLS))
    plan = PmsePlan(
        domain=real.schema.fingerprint,
        epsilon=epsilon,
        public_records=len(real),
        rows=len(real),
        held_out=0.0,
        **settings,
    )
    settled, secret = plan_run(plan, real.schema), Secret.fixed(int(random.integers(2**32)))
    state = MECHANISM.begin(settled, real, secret, None)
    chunks = MECHANISM.release(settled, real, state, secret, Workers(), ResumePoint())
    found = [each.content.numbers for each in chunks if isinstance(each.content, Records)]
    return np.concatenate([each for each in found if each is not None])


def learn_calibrated(table: FloatArray, epsilon: float, random: np.random.Generator) -> FloatArray:
    """Return the calibrated model of seedbased synthesis at the same ε, between tables with a
    record more or less, and δ = 1e-9; numbers even within cells."""
    from understudy.models.calibrated.learner import CalibratedLearner
    from understudy.privacy.budget import Budget
    from understudy.privacy.noise import Noise
    from understudy.privacy.randomness import RandomSource, Secret
    from understudy.runs.table_file import WithinCells

    real = truncate_table(table, study_schema(_COARSE))
    source = RandomSource.fixed(int(random.integers(2**32)))
    learner = CalibratedLearner.within(real.schema, Budget(epsilon, 1e-9))
    network = learner.learn(real, Noise(source), source.child()).network
    codes = np.ascontiguousarray(network.records(len(real), source).T)
    secret = Secret.fixed(int(random.integers(2**32)))
    found = WithinCells(real.schema, secret).records(codes, 0).numbers
    assert found is not None
    return found


def run_chain(steps: int, depth: int | None = None) -> Method:
    """Return the last state of a chain of so many steps, at ε/l: no ε, beside its published
    numbers.

    Args:
        steps: of the chain.
        depth: of its trees; None for any.
    """

    def run(table: FloatArray, epsilon: float, random: np.random.Generator) -> FloatArray:
        chain = metropolis(
            PublicTable(table, "simulated"), epsilon / DRAWS, steps, random, depth=depth
        )
        return make_numbers(chain.states[-1], by_chance(len(table), random))

    return run


def list_bounded(times: float) -> Mapping[str, Method]:
    """Return those that truncate, at so many standard deviations."""
    within = bounds(times)
    return {
        FITTED: lambda table, epsilon, random: fit_privately(table, within, epsilon, random),
        BAYES: lambda table, epsilon, random: noisy_posterior(
            table, within, epsilon, DRAWS, random
        )[0],
        HISTOGRAM: lambda table, epsilon, random: smooth_histogram(
            table, within, epsilon, _A_SIDE, random
        ),
    }


def methods(steps: int) -> Mapping[str, Method]:
    """Return all of them, in the order of a table. The practised one only where its chain has
    steps."""
    return {
        NON_DP: lambda table, _, random: draw_unprotected(table, random),
        **({PRACTISED: run_chain(steps)} if steps else {}),
        SAFE: safe,
        CALIBRATED: learn_calibrated,
        **list_bounded(USUAL),
    }
