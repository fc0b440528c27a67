"""How a round is divided, beside a search of every division written out."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from understudy.models.calibrated.dividing import (
    DIVISIONS,
    best_division,
    column_errors,
    dependence,
)
from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.residuals import Misfit, worth_measuring
from understudy.models.views import View
from understudy.privacy.accounting.allowance import HALF_NORMAL, Allowance

SIZES = (3, 4, 5, 6)
RECORDS = 6_000.0
PAIRS = tuple((View(one), View(other)) for one, other in combinations(range(4), 2))
RHO = Allowance(2e-4, "rho")


def columns(deviation: float) -> list[Measured]:
    return [
        Measured((View(place),), np.full(size, RECORDS / size), deviation)
        for place, size in enumerate(SIZES)
    ]


def found(records: list[float], deviation: float = 0.0) -> Misfit:
    sizes = [SIZES[one.attribute] * SIZES[other.attribute] for one, other in PAIRS]
    return Misfit(PAIRS, np.array(records), deviation, np.array(sizes))


def plainly(misfit: Misfit, deviation: float, spend: Allowance, share: float) -> float:
    """The sum of squares of what pairs are off by, after this division."""
    off = dependence(misfit, columns(deviation))
    chosen = worth_measuring(misfit, off, spend.part(1 - share)) if share < 1 else ()
    errors = []
    for size in SIZES:
        part = size ** (2 / 3) / math.fsum(each ** (2 / 3) for each in SIZES)
        further = spend.part(share * part).deviation if share else math.inf
        left = (deviation**-2 + further**-2) ** -0.5
        errors.append(size * min(HALF_NORMAL * left, RECORDS / size) / 2)
    total = 0.0
    sizes = misfit.sizes(chosen)
    for place, (one, other) in enumerate(PAIRS):
        apart = float(off[place])
        if PAIRS[place] in chosen:
            size = sizes[chosen.index(PAIRS[place])]
            part = size ** (2 / 3) / math.fsum(each ** (2 / 3) for each in sizes)
            noise = spend.part((1 - share) * part).scale(1.0, 1.0)
            apart = size * HALF_NORMAL * noise / 2
        total += math.hypot(apart, errors[one.attribute], errors[other.attribute]) ** 2
    return total


@pytest.mark.parametrize("deviation", [5.0, 60.0, 400.0])
@pytest.mark.parametrize("strong", [0, 1, 3, 6])
def test_the_division_is_the_best_of_all(deviation: float, strong: int) -> None:
    misfit = found([2_000.0] * strong + [150.0] * (6 - strong))
    division = best_division(misfit, columns(deviation), RHO)
    shares = [each / DIVISIONS for each in range(DIVISIONS + 1)]
    left = [plainly(misfit, deviation, RHO, share) for share in shares]
    mine = plainly(misfit, deviation, RHO, division.alone)
    assert mine == pytest.approx(min(left), rel=1e-3)
    assert bool(division.pairs) == (division.alone < 1)


def test_strong_pairs_get_more_and_uncertain_columns_get_more() -> None:
    strong, weak = found([2_500.0] * 6), found([100.0] * 6)
    assert (
        best_division(strong, columns(40.0), RHO).alone
        < best_division(weak, columns(40.0), RHO).alone
    )
    certain, uncertain = (best_division(strong, columns(each), RHO).alone for each in (2.0, 900.0))
    assert certain < uncertain
    assert certain == 0


def test_where_columns_may_not_be_measured_again_they_are_only_where_no_pair_is_worth_it() -> None:
    assert best_division(found([2_500.0] * 6), columns(900.0), RHO, again=False).alone == 0
    assert best_division(found([0.0] * 6), columns(900.0), RHO, again=False) == best_division(
        found([0.0] * 6), columns(900.0), RHO
    )
    assert best_division(found([0.0] * 6), columns(900.0), RHO).alone == 1


def test_without_noise_every_pair_that_is_off_is_measured() -> None:
    free = Allowance(0.0, "none")
    division = best_division(found([10.0] * 5 + [-1.0]), columns(0.0), free)
    assert division.alone == 0
    assert division.pairs == PAIRS[:5]


def test_a_misfit_that_its_columns_explain_is_no_dependence() -> None:
    errors = column_errors(columns(60.0))
    alone = [math.hypot(errors[one.attribute], errors[other.attribute]) for one, other in PAIRS]
    assert dependence(found(alone), columns(60.0)) == pytest.approx(np.zeros(6), abs=1e-4)
    more = found([math.hypot(each, 700.0) for each in alone])
    assert dependence(more, columns(60.0)) == pytest.approx(np.full(6, 700.0))


def test_misfits_that_differ_by_noise_alone_are_taken_to_be_alike() -> None:
    rng = np.random.default_rng(2)
    noisy = found((500 + rng.normal(0, 200, 6)).tolist(), 200.0)
    own = replace(noisy, deviation=0.0)
    assert dependence(noisy, columns(0.0)).std() < dependence(own, columns(0.0)).std() / 2


def test_no_cell_is_off_by_more_than_it_holds() -> None:
    assert column_errors(columns(1e9)) == pytest.approx(np.full(4, RECORDS / 2))
    assert column_errors(columns(1.0)) == pytest.approx(HALF_NORMAL * np.array(SIZES) / 2)
