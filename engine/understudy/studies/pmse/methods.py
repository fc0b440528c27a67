"""Every way to a synthetic table of the published simulations, by name, at one ε."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.baselines import synthesisers
from understudy.studies.pmse.baselines.scaled import Bounds
from understudy.studies.pmse.practised.chain import metropolis
from understudy.studies.pmse.practised.public import PublicTable
from understudy.studies.pmse.practised.published_model import (
    DEVIATIONS,
    MEANS,
    by_chance,
    made,
)
from understudy.studies.pmse.published import BAYES, HISTOGRAM, NON_DP, PRACTISED
from understudy.table.continuous import Continuous
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Column, Schema

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


def schema(cells: int, times: float = USUAL) -> Schema:
    """Return both columns between those bounds, to two decimals, in so many cells."""

    def column(place: int) -> Column:
        within = bounds(times)
        low = Decimal(within.low[place]).quantize(_CENT)
        step = (Decimal(within.high[place] - within.low[place]) / cells).quantize(_CENT)
        domain = Continuous(minimum=low, maximum=low + step * cells, precision=_CENT, step=step)
        return Column(name=f"X{place + 1}", domain=domain)

    return Schema(columns=(column(0), column(1))).declare_public()


def as_records(table: FloatArray, declared: Schema) -> Records:
    """Return a table as a method is given it: truncated, to two decimals."""
    codes, numbers = [], []
    for place, column in enumerate(declared.columns):
        lattice = range_of(column.domain).lattice
        units = np.rint(table[:, place] * 10**lattice.decimals).astype(np.int64)
        places = np.clip((units - lattice.first) // lattice.apart, 0, lattice.count - 1)
        codes.append(lattice.cells_of(places))
        numbers.append(lattice.numbers(places))
    return Records(declared, np.column_stack(codes).astype(np.uint16), np.column_stack(numbers))


def safe(table: FloatArray, epsilon: float, random: np.random.Generator, **settings: Any) -> FloatArray:
    """Return the safe mechanism with its usual settings, all records deciding."""
    from understudy.mechanisms.outputs import ResumePoint
    from understudy.mechanisms.pmse.mechanism import MECHANISM
    from understudy.mechanisms.pmse.plan import PmsePlan
    from understudy.mechanisms.registry import plan_run
    from understudy.mechanisms.workers import Workers
    from understudy.privacy.randomness import Secret

    real = as_records(table, schema(_CELLS))
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


def calibrated(table: FloatArray, epsilon: float, random: np.random.Generator) -> FloatArray:
    """Return the calibrated model of seedbased synthesis at the same ε, between tables with a
    record more or less, and δ = 1e-9; numbers even within cells."""
    from understudy.models.calibrated.learner import CalibratedLearner
    from understudy.privacy.budget import Budget
    from understudy.privacy.noise import Noise
    from understudy.privacy.randomness import RandomSource, Secret
    from understudy.runs.within_cells import WithinCells

    real = as_records(table, schema(_COARSE))
    source = RandomSource.fixed(int(random.integers(2**32)))
    learner = CalibratedLearner.within(real.schema, Budget(epsilon, 1e-9))
    network = learner.learn(real, Noise(source), source.child()).network
    codes = np.ascontiguousarray(network.records(len(real), source).T)
    secret = Secret.fixed(int(random.integers(2**32)))
    found = WithinCells(real.schema, secret).records(codes, 0).numbers
    assert found is not None
    return found


def practised(steps: int, depth: int | None = None) -> Method:
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
        return made(chain.states[-1], by_chance(len(table), random))

    return run


def bounded(times: float) -> Mapping[str, Method]:
    """Return those that truncate, at so many standard deviations."""
    within = bounds(times)
    return {
        FITTED: lambda table, epsilon, random: synthesisers.fitted(table, within, epsilon, random),
        BAYES: lambda table, epsilon, random: synthesisers.noisy_posterior(
            table, within, epsilon, DRAWS, random
        )[0],
        HISTOGRAM: lambda table, epsilon, random: synthesisers.smooth_histogram(
            table, within, epsilon, _A_SIDE, random
        ),
    }


def methods(steps: int) -> Mapping[str, Method]:
    """Return all of them, in the order of a table. The practised one only where its chain has
    steps."""
    return {
        NON_DP: lambda table, _, random: synthesisers.unprotected(table, random),
        **({PRACTISED: practised(steps)} if steps else {}),
        SAFE: safe,
        CALIBRATED: calibrated,
        **bounded(USUAL),
    }
