"""Calibrating records to noisy tables, and drawing them afresh where few carry most of the weight.

Weights correct a law as far as its records reach. Where they had to be pulled far, few records are
left with most of the weight. A network distilled from the weighted records holds most of what the
weights said, and records drawn from it need them less: resampling where the effective share has
fallen, as in sequential Monte Carlo (Del Moral, Doucet and Jasra 2006), with moves to places where
no record was. All of it is post-processing of noisy tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.distilling import distil
from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.particles import Particles

ENOUGH = 0.6
"""The effective share under which records are drawn afresh; they are as well where more would have
been asked of them than they could carry."""

Draw = Callable[[BayesianNetwork], Particles]
"""Records of a network, of equal weights."""


@dataclass(frozen=True, eq=False)
class Carried:
    """Calibrated records, and where they are from.

    Attributes:
        network: what they were drawn from.
        model: the records with their weights and tilts.
        effective: the effective share after each calibration.
    """

    network: BayesianNetwork
    model: Particles
    effective: tuple[float, ...] = ()


def fit_records(
    begun: Carried, tables: Sequence[Measured], draw: Draw, *, least: float, redraws: int
) -> Carried:
    """Weight records so that their counts fit all noisy tables, drawing them afresh where too few
    of them come to carry the weight.

    Args:
        begun: records as they were drawn; their weights are set aside.
        tables: what was measured.
        draw: draws records of a network, all of the same weight.
        least: the effective share, (Σw)² / (n·Σw²), that weights keep at least; 0 to 1.
        redraws: how many times records are drawn afresh, at most.
    """
    network, model, shares = begun.network, begun.model.unweighted(), list(begun.effective)
    model.calibrate(tables, least=least)
    shares.append(model.effective)
    for _ in range(redraws):
        if model.effective >= ENOUGH and not model.limited:
            break
        network = distil(model)
        model = draw(network)
        model.calibrate(tables, least=least)
        shares.append(model.effective)
    return Carried(network, model, tuple(shares))
