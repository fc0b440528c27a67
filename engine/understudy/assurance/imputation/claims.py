"""What is claimed of every release, and what the source claims wrongly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from understudy.assurance.finding import NOTHING, Check, Effort, Measured
from understudy.assurance.imputation.universes import Universe, worst
from understudy.mechanisms.errata import Erratum
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.curves.curve import delta_at
from understudy.mechanisms.imputation.curves.gaussian import Gaussian, GaussianCurve
from understudy.mechanisms.imputation.errata import ERRATA
from understudy.mechanisms.imputation.parts import Histogram
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.imputation.thesis import exact_strength

DOCS = "docs/imputation.md"
PART = "Bayesian imputation"
SOURCE = "Zheng 2015"
DELTAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)

_ROWS: tuple[ReleaseType, ...] = (
    "rows-from-mode", "rows-from-one-draw", "rows-from-own-draws", "imputations",
)  # fmt: skip


def universe(
    release: ReleaseType,
    shape: str,
    *,
    alpha: Fraction = Fraction(3, 2),
    records: int = 3,
    rows: int = 2,
) -> Universe:
    """Return a tiny one: of two or three categories, of two columns, or of one that depends on
    another."""
    plan = ImputationPlan(
        domain="", release=release, records=records, rows=rows, tables=2, strength=float(alpha)
    )

    def part(columns: tuple[int, ...], sizes: tuple[int, ...], *given: int) -> Histogram:
        return Histogram(columns, given, sizes, tuple(2 for _ in given), alpha, records)

    if shape == "two":
        return Universe(plan, (2,), (part((0,), (2,)),))
    if shape == "three":
        return Universe(plan, (3,), (part((0,), (3,)),))
    if shape == "columns":
        return Universe(plan, (2, 2), (part((0,), (2,)), part((1,), (2,))))
    return Universe(plan, (2, 2), (part((0,), (2,)), part((1,), (2,), 0)))


def claimed(of: Universe, delta: float) -> float:
    """Return the ε that the product states."""
    return accounting.epsilon(of.drawing, of.parts, delta)


def checks() -> tuple[Check, ...]:
    """Return every claim, and every printed one that fails."""
    return (*_rows(), *_numbers(), *_put_right(), *_printed())


def _rows() -> Iterator[Check]:
    shapes = {
        "two": "two categories",
        "three": "three categories",
        "columns": "two columns",
        "hangs": "a column that depends on another",
    }
    for release in _ROWS:
        for shape, words in shapes.items():
            if shape == "hangs" and release in ("rows-from-mode", "rows-from-own-draws"):
                continue
            yield Check(
                PART,
                f"{release}, {words}",
                "ε at δ, of the exact law of every row from every table",
                f"{DOCS}, “The figures”",
                partial(_every_table, release, shape),
            )


def _every_table(release: ReleaseType, shape: str, effort: Effort) -> Measured:
    records = 4 if shape in ("two", "three") else 2
    deltas: tuple[float, ...] = DELTAS
    if shape == "hangs":
        # What is claimed does not depend on the number of rows, and is far above that of so few.
        deltas = (0.3, 0.03)
    found = NOTHING
    for alpha in (Fraction(3, 2), Fraction(4))[: max(1, effort.of(2))]:
        for rows in (1, 2, 3) if shape == "two" else (1, 2):
            of = universe(release, shape, alpha=alpha, records=records, rows=rows)
            found |= worst(of, partial(claimed, of), deltas)
    return found


def _numbers() -> Iterator[Check]:
    yield Check(
        PART, "rows of numbers on their lattice",
        "Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) and the lattice slack, of the joint law of two rows",
        f"{DOCS}, “Lattice slack”", _two_rows,
    )  # fmt: skip
    yield Check(
        PART, "numbers drawn within their bounds",
        "ε of the two lowest centres at z = R, of every two tables and every number",
        f"{DOCS}, “Drawn again until within the bounds”", _within,
    )  # fmt: skip


def _two_rows(_: Effort) -> Measured:
    """Return two rows from one draw of the mean, in units of a coarse lattice."""
    mean, row, shift, reach = 30.0, 45.0, 20, 400
    centres = np.arange(-reach, reach + 1, dtype=float)
    laws = []
    for centre in (0, shift):
        drawn = _bell(centres - centre, mean)
        rows = _bell(np.subtract.outer(centres, centres), row)
        laws.append(((rows * drawn[None, :]) @ rows.T).ravel())
    deviation = math.hypot(mean, row / math.sqrt(2))
    found = NOTHING
    for epsilon in (0.1, 0.3, 0.6, 1.0):
        apart = float(np.maximum(laws[0] - math.exp(epsilon) * laws[1], 0).sum())
        stated = delta_at(GaussianCurve(shift / deviation, 2 * deviation), epsilon)
        found |= Measured(1, apart / stated, f"ε = {epsilon}")
    return found


def _bell(at: np.ndarray, deviation: float) -> np.ndarray:
    """Return the discrete Gaussian, except for what lies far beyond what is looked at."""
    return np.asarray(np.exp(-(at**2) / (2 * deviation**2)) / (deviation * math.sqrt(2 * math.pi)))


def _within(_: Effort) -> Measured:
    found = NOTHING
    for radius, records, prior in ((0.5, 5, 0.0), (3.0, 20, 4.0), (0.1, 3, 1.0)):
        model = Gaussian(radius, 1.0, prior, records)
        ends = np.linspace(-radius, radius, 401)
        scale = model.deviation
        centres = np.linspace(-model.weight * radius, model.weight * radius - model.shift, 60)
        stated = model.conditioned_mean()
        for centre in centres:
            one, other = (_log_law(ends, at, scale) for at in (centre, centre + model.shift))
            found |= Measured(1, float(np.abs(one - other).max()) / (stated * (1 + 1e-4)))
    return found


def _log_law(ends: np.ndarray, centre: float, scale: float) -> np.ndarray:
    logs = -((ends - centre) ** 2) / (2 * scale**2)
    whole = np.trapezoid(np.exp(logs - logs.max()), ends)
    return np.asarray(logs - logs.max() - math.log(whole))


def _put_right() -> Iterator[Check]:
    """Priors below what is printed, which do."""
    for release in ("rows-from-mode", "rows-from-one-draw", "rows-from-own-draws"):
        yield Check(
            PART, f"{release}, without a δ",
            "the α that is right in the place of the printed one keeps to its ε",
            f"{DOCS}, “Errors of the source”", partial(_without_delta, release),
        )  # fmt: skip


def _without_delta(release: ReleaseType, _: Effort) -> Measured:
    found = NOTHING
    for shape in ("two", "three"):
        for epsilon, rows in ((0.5, 1), (1.0, 2)):
            needed = exact_strength(release, rows, epsilon)
            assert needed is not None
            alpha = Fraction(math.ceil(needed * 1000), 1000)
            of = universe(release, shape, alpha=alpha, rows=rows)
            found |= worst(of, lambda _, at=epsilon: at * (1 + 1e-12), (1e-12,))  # type: ignore[misc]
    return found


def _printed() -> Iterator[Check]:
    """Yield every statement that is printed wrongly: those that hold all the same do so here too,
    and of all others the exact figure breaks what is printed."""
    for each in ERRATA:
        if each.verdict == "loose":
            name = f"as printed, by a wrong or loose proof: {each.number}"
            yield Check(PART, name, each.prints, SOURCE, partial(_within_printed, each))
        else:
            name = f"as printed: {each.number}"
            yield Check(PART, name, each.prints, SOURCE, partial(_beyond, each), "counter-example")


def _beyond(erratum: Erratum, _: Effort) -> Measured:
    return Measured(1, erratum.factor() or 0.0, erratum.figure)


def _within_printed(erratum: Erratum, _: Effort) -> Measured:
    return Measured(1, 1 / (erratum.factor() or 0.0), erratum.figure)
