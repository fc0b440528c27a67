"""The claims about every release, checked on tiny tables with exact laws, what the source claims
wrongly, and mutants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.core.arrays import FloatArray, IntArray
from understudy.mechanisms.errata import Erratum
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.curves.curve import Gaussian, GaussianCurve, delta_at
from understudy.mechanisms.imputation.curves.drawn import Cells, DrawAmounts
from understudy.mechanisms.imputation.draws import Sampler, Urn, counts
from understudy.mechanisms.imputation.errata import ERRATA, exact_strength
from understudy.mechanisms.imputation.parts import Histogram
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Universe:
    """Small columns of categories, and what is drawn of them.

    Attributes:
        plan: of which the release, the rows, the tables and the strength count.
        sizes: codes of each column.
        parts: histograms, which together hold every column.
    """

    plan: ImputationPlan
    sizes: tuple[int, ...]
    parts: tuple[Histogram, ...]

    @property
    def drawing(self) -> Drawing:
        """What is drawn."""
        return Drawing.of(self.plan)

    def tables(self) -> Iterator[IntArray]:
        """Yield (n, columns) every table, except for the order of its records."""
        records = tuple(product(*(range(size) for size in self.sizes)))
        for each in combinations_with_replacement(records, self.plan.used_records):
            yield np.array(each, dtype=np.int64)

    def urns(self, table: IntArray) -> list[list[Urn]]:
        """Of every part, the urn of each of its groups, as the product fills them."""
        source = RandomSource.fixed(1)
        sampler = Sampler(self.plan, self.parts, source, Noise(source))
        return [[sampler.urn(part, group) for group in counts(part, table)] for part in self.parts]

    def law(
        self, table: IntArray, urns: Callable[[IntArray], list[list[Urn]]] | None = None
    ) -> FloatArray:
        """Return the chance of every outcome: all rows of all tables."""
        filled = (urns or self.urns)(table)
        records = tuple(product(*(range(size) for size in self.sizes)))
        once = [float(self._chance(rows, filled)) for rows in product(records, repeat=self._rows)]
        law = np.array([1.0])
        for _ in range(self.plan.copies):
            law = np.multiply.outer(law, once).ravel()
        return law

    @property
    def _rows(self) -> int:
        return self.plan.rows

    def _chance(self, rows: Rows, filled: list[list[Urn]]) -> Fraction:
        """Of the rows of one table."""
        found = Fraction(1)
        for part, urns in zip(self.parts, filled, strict=True):
            weights = [[int(each) for each in urn.weights] for urn in urns]
            for row in rows:
                group = _place([row[at] for at in part.given], part.given_sizes)
                cell = _place([row[at] for at in part.columns], part.sizes)
                found *= Fraction(weights[group][cell], sum(weights[group]))
                if self.drawing.drawn.rows != 1:
                    weights[group][cell] += urns[group].one
        return found


def _place(digits: list[int], sizes: tuple[int, ...]) -> int:
    found = 0
    for digit, size in zip(digits, sizes, strict=True):
        found = found * size + digit
    return found


def neighbours(tables: list[IntArray]) -> Iterator[tuple[int, int]]:
    """Yield the places of every two tables that differ by one record that is replaced."""
    kept = [sorted(map(tuple, table.tolist())) for table in tables]
    for one, first in enumerate(kept):
        for other in range(one):
            left = list(kept[other])
            for record in first:
                if record in left:
                    left.remove(record)
            if len(left) == 1:
                yield one, other


def worst_divergence(
    universe: _Universe,
    epsilon_of: Callable[[float], float],
    deltas: tuple[float, ...],
    urns: Callable[[IntArray], list[list[Urn]]] | None = None,
) -> MeasuredValue:
    """Return the largest divergence of any two neighbours, over what is claimed.

    Args:
        universe: the tables and what is drawn.
        epsilon_of: the ε claimed at a δ; at 0, no divergence is allowed, and at 1 + the divergence
            itself is measured.
        deltas: those looked at, above 0.
        urns: how the product fills them; its own where left out.
    """
    tables = list(universe.tables())
    laws = [universe.law(table, urns) for table in tables]
    pairs = list(neighbours(tables))
    first, second = (np.array([laws[pair[way]] for pair in pairs]) for way in (0, 1))
    found = 0.0
    for delta in deltas:
        apart = hockey_stick(first, second, epsilon_of(delta))
        found = max(found, float(over(apart, delta).max()))
    return MeasuredValue(len(pairs) * len(deltas), found, str(universe.plan.release))


DOCS = "docs/imputation.md"
PART = "Bayesian imputation"
SOURCE = "Zheng 2015"
DELTAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)

_ROWS: tuple[ReleaseType, ...] = (
    "rows-from-mode", "rows-from-one-draw", "rows-from-own-draws", "imputations",
)  # fmt: skip


def tiny_universe(
    release: ReleaseType,
    shape: str,
    *,
    alpha: Fraction = Fraction(3, 2),
    records: int = 3,
    rows: int = 2,
) -> _Universe:
    """Return a tiny one: of two or three categories, of two columns, or of one that depends on
    another."""
    plan = ImputationPlan(
        domain="", release=release, records=records, rows=rows, tables=2, strength=float(alpha)
    )

    def part(columns: tuple[int, ...], sizes: tuple[int, ...], *given: int) -> Histogram:
        return Histogram(columns, given, sizes, tuple(2 for _ in given), alpha, records)

    if shape == "two":
        return _Universe(plan, (2,), (part((0,), (2,)),))
    if shape == "three":
        return _Universe(plan, (3,), (part((0,), (3,)),))
    if shape == "columns":
        return _Universe(plan, (2, 2), (part((0,), (2,)), part((1,), (2,))))
    return _Universe(plan, (2, 2), (part((0,), (2,)), part((1,), (2,), 0)))


def read_claim(of: _Universe, delta: float) -> float:
    """Return the ε that the product states."""
    return accounting.plan_epsilon(of.drawing, of.parts, delta)


def list_checks() -> tuple[Check, ...]:
    """Return every claim, and every printed one that fails."""
    return (*_rows(), *_numbers(), *_put_right(), *_list_misprints())


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


def _every_table(release: ReleaseType, shape: str, effort: Effort) -> MeasuredValue:
    records = 4 if shape in ("two", "three") else 2
    deltas: tuple[float, ...] = DELTAS
    if shape == "hangs":
        # What is claimed does not depend on the number of rows, and is far above that of so few.
        deltas = (0.3, 0.03)
    found = NOTHING
    for alpha in (Fraction(3, 2), Fraction(4))[: max(1, effort.of(2))]:
        for rows in (1, 2, 3) if shape == "two" else (1, 2):
            of = tiny_universe(release, shape, alpha=alpha, records=records, rows=rows)
            found |= worst_divergence(of, partial(read_claim, of), deltas)
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


def _two_rows(_: Effort) -> MeasuredValue:
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
        found |= MeasuredValue(1, apart / stated, f"ε = {epsilon}")
    return found


def _bell(at: np.ndarray, deviation: float) -> np.ndarray:
    """Return the discrete Gaussian, except for what lies far beyond what is looked at."""
    return np.asarray(np.exp(-(at**2) / (2 * deviation**2)) / (deviation * math.sqrt(2 * math.pi)))


def _within(_: Effort) -> MeasuredValue:
    found = NOTHING
    for radius, records, prior in ((0.5, 5, 0.0), (3.0, 20, 4.0), (0.1, 3, 1.0)):
        model = Gaussian(radius, 1.0, prior, records)
        ends = np.linspace(-radius, radius, 401)
        scale = model.deviation
        centres = np.linspace(-model.weight * radius, model.weight * radius - model.shift, 60)
        stated = model.conditioned_mean()
        for centre in centres:
            one, other = (_log_law(ends, at, scale) for at in (centre, centre + model.shift))
            found |= MeasuredValue(1, float(np.abs(one - other).max()) / (stated * (1 + 1e-4)))
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


def _without_delta(release: ReleaseType, _: Effort) -> MeasuredValue:
    found = NOTHING
    for shape in ("two", "three"):
        for epsilon, rows in ((0.5, 1), (1.0, 2)):
            needed = exact_strength(release, rows, epsilon)
            assert needed is not None
            alpha = Fraction(math.ceil(needed * 1000), 1000)
            of = tiny_universe(release, shape, alpha=alpha, rows=rows)
            found |= worst_divergence(of, lambda _, at=epsilon: at * (1 + 1e-12), (1e-12,))  # type: ignore[misc]
    return found


def _list_misprints() -> Iterator[Check]:
    """Yield every statement that is printed wrongly: those that hold all the same do so here too,
    and of all others the exact figure breaks what is printed."""
    for each in ERRATA:
        if each.verdict == "loose":
            name = f"as printed, by a wrong or loose proof: {each.number}"
            yield Check(PART, name, each.prints, SOURCE, partial(_within_printed, each))
        else:
            name = f"as printed: {each.number}"
            yield Check(PART, name, each.prints, SOURCE, partial(_beyond, each), "counter-example")


def _beyond(erratum: Erratum, _: Effort) -> MeasuredValue:
    return MeasuredValue(1, erratum.factor() or 0.0, erratum.figure)


def _within_printed(erratum: Erratum, _: Effort) -> MeasuredValue:
    return MeasuredValue(1, 1 / (erratum.factor() or 0.0), erratum.figure)


_OF = "imputation, "


def list_mutants() -> tuple[Check, ...]:
    """Return every mutant."""
    of = (
        ("one direction", "δ of the one table against the other, and not back", _one_way),
        ("prior from the records", "α in proportion to the counts of the table", _empirical),
        ("more rows of the same draw", "three rows for the price of one", _more_rows),
        ("tables not added up", "two imputed tables for the price of one", _tables),
        ("the mode under its own prior", "α in the place of α − 1, from the mode", _mode),
        ("one column for two", "two columns that tell of one record, the larger ε", _columns),
        ("no prior", "α = 10⁻³ in the urn, under the ε of α = 1.5", _no_prior),
        ("σ from the records", "the deviation of the table's own values", _own_deviation),
        ("bounds not kept", "values up to three times as far as the bounds", _not_clipped),
    )
    return tuple(Check.mutant(f"{_OF}{name}", what, measure) for name, what, measure in of)


def _one_way(_: Effort) -> MeasuredValue:
    cells = Cells(2, 20.0, 1000)
    pair = DrawAmounts(5, 200).between(*cells.pair(1))
    at = np.array([0.5])
    back = float(pair.backward(at)[0])
    return MeasuredValue(1, delta_at(pair, 0.5) / back)


def _urns(
    of: _Universe, weights: Callable[[IntArray], IntArray], table: IntArray
) -> list[list[Urn]]:
    return [[Urn(weights(group), 2) for group in counts(part, table)] for part in of.parts]


def _empirical(_: Effort) -> MeasuredValue:
    of = tiny_universe("rows-from-one-draw", "two")
    urns = partial(_urns, of, lambda group: 2 * group + (2 * group + (group == 0)))
    return worst_divergence(of, partial(read_claim, of), DELTAS, urns)


def _more_rows(_: Effort) -> MeasuredValue:
    of = tiny_universe("rows-from-one-draw", "two", rows=3)
    paid = replace(of, plan=_change_record(of.plan, rows=1))
    return worst_divergence(of, partial(read_claim, paid), DELTAS)


def _tables(_: Effort) -> MeasuredValue:
    of = tiny_universe("imputations", "three")
    paid = replace(of, plan=_change_record(of.plan, release="rows-from-one-draw"))
    return worst_divergence(of, partial(read_claim, paid), DELTAS)


def _mode(_: Effort) -> MeasuredValue:
    of = tiny_universe("rows-from-mode", "two")
    paid = replace(of, plan=_change_record(of.plan, release="rows-from-own-draws"))
    return worst_divergence(of, partial(read_claim, paid), DELTAS)


def _columns(_: Effort) -> MeasuredValue:
    of = tiny_universe("rows-from-one-draw", "columns", records=2)

    def larger(delta: float) -> float:
        return max(accounting.plan_epsilon(of.drawing, [part], delta) for part in of.parts)

    return worst_divergence(of, larger, DELTAS)


def _no_prior(_: Effort) -> MeasuredValue:
    of = tiny_universe("rows-from-one-draw", "three")
    bare = replace(of, parts=tuple(replace(part, alpha=Fraction(1, 1000)) for part in of.parts))
    return worst_divergence(bare, partial(read_claim, of), DELTAS)


def _own_deviation(_: Effort) -> MeasuredValue:
    """Return all of twenty records at the lower bound, and one of them at the upper instead: the
    mean of values that do not vary is drawn as it is, and lies far within the draws of the other
    table."""
    records = 20
    paid = delta_at(GaussianCurve(Gaussian(1.0, 1.0, 0.0, records).compute_mu(1, math.inf)), 1.0)
    values = np.append(np.full(records - 1, -1.0), 1.0)
    deviation = float(values.std()) / math.sqrt(records)
    places = np.arange(-4000, 4001) / 1000
    wide = np.exp(-((places - values.mean()) ** 2) / (2 * deviation**2))
    point = np.where(np.isclose(places, -1.0), 1.0, 0.0)
    apart = np.maximum(point - math.e * wide / wide.sum(), 0).sum()
    return MeasuredValue(1, float(apart) / paid)


def _not_clipped(_: Effort) -> MeasuredValue:
    model = Gaussian(1.0, 4.0, 1.0, 20)
    paid = delta_at(GaussianCurve(model.compute_mu(1, math.inf)), 1.0)
    true = delta_at(GaussianCurve(2 * model.compute_mu(1, math.inf)), 1.0)
    return MeasuredValue(1, true / paid)


def _change_record(plan: ImputationPlan, **settings: object) -> ImputationPlan:
    return ImputationPlan(**{**plan.model_dump(), **settings})
