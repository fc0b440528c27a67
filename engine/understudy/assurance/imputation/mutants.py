"""The method broken on purpose, in the ways that would matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from understudy.assurance.finding import Check, Effort, Measured
from understudy.assurance.imputation.claims import DELTAS, claimed, universe
from understudy.assurance.imputation.universes import Universe, worst
from understudy.core.arrays import IntArray
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.curves.curve import delta_at
from understudy.mechanisms.imputation.curves.drawn import Cells, Drawn
from understudy.mechanisms.imputation.curves.gaussian import Gaussian, GaussianCurve
from understudy.mechanisms.imputation.drawing import counts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.imputation.urn import Urn

_OF = "imputation, "


def checks() -> tuple[Check, ...]:
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


def _one_way(_: Effort) -> Measured:
    cells = Cells(2, 20.0, 1000)
    pair = Drawn(5, 200).between(*cells.pair(1))
    at = np.array([0.5])
    back = float(pair.backward(at)[0])
    return Measured(1, delta_at(pair, 0.5) / back)


def _urns(of: Universe, weights: Callable[[IntArray], IntArray], table: IntArray) -> list[list[Urn]]:
    return [[Urn(weights(group), 2) for group in counts(part, table)] for part in of.parts]


def _empirical(_: Effort) -> Measured:
    of = universe("rows-from-one-draw", "two")
    urns = partial(_urns, of, lambda group: 2 * group + (2 * group + (group == 0)))
    return worst(of, partial(claimed, of), DELTAS, urns)


def _more_rows(_: Effort) -> Measured:
    of = universe("rows-from-one-draw", "two", rows=3)
    paid = replace(of, plan=_changed(of.plan, rows=1))
    return worst(of, partial(claimed, paid), DELTAS)


def _tables(_: Effort) -> Measured:
    of = universe("imputations", "three")
    paid = replace(of, plan=_changed(of.plan, release="rows-from-one-draw"))
    return worst(of, partial(claimed, paid), DELTAS)


def _mode(_: Effort) -> Measured:
    of = universe("rows-from-mode", "two")
    paid = replace(of, plan=_changed(of.plan, release="rows-from-own-draws"))
    return worst(of, partial(claimed, paid), DELTAS)


def _columns(_: Effort) -> Measured:
    of = universe("rows-from-one-draw", "columns", records=2)

    def larger(delta: float) -> float:
        return max(accounting.epsilon(of.drawing, [part], delta) for part in of.parts)

    return worst(of, larger, DELTAS)


def _no_prior(_: Effort) -> Measured:
    of = universe("rows-from-one-draw", "three")
    bare = replace(of, parts=tuple(replace(part, alpha=Fraction(1, 1000)) for part in of.parts))
    return worst(bare, partial(claimed, of), DELTAS)


def _own_deviation(_: Effort) -> Measured:
    """Return all of twenty records at the lower bound, and one of them at the upper instead: the
    mean of values that do not vary is drawn as it is, and lies far within the draws of the other
    table."""
    records = 20
    paid = delta_at(GaussianCurve(Gaussian(1.0, 1.0, 0.0, records).drawn(1, math.inf)), 1.0)
    values = np.append(np.full(records - 1, -1.0), 1.0)
    deviation = float(values.std()) / math.sqrt(records)
    places = np.arange(-4000, 4001) / 1000
    wide = np.exp(-((places - values.mean()) ** 2) / (2 * deviation**2))
    point = np.where(np.isclose(places, -1.0), 1.0, 0.0)
    apart = np.maximum(point - math.e * wide / wide.sum(), 0).sum()
    return Measured(1, float(apart) / paid)


def _not_clipped(_: Effort) -> Measured:
    model = Gaussian(1.0, 4.0, 1.0, 20)
    paid = delta_at(GaussianCurve(model.drawn(1, math.inf)), 1.0)
    true = delta_at(GaussianCurve(2 * model.drawn(1, math.inf)), 1.0)
    return Measured(1, true / paid)


def _changed(plan: ImputationPlan, **settings: object) -> ImputationPlan:
    return ImputationPlan(**{**plan.model_dump(), **settings})
