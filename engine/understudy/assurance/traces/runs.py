"""Runs of made traces, on people who would hurt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from understudy.assurance import tiny_town
from understudy.assurance.real_runs import Asked, Break, Runs, Trial
from understudy.core.arrays import TextArray
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.mechanism import Traces
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.tables import noisy_tables, sum_entries
from understudy.privacy.accounting.composition import largest_rho


def _trials() -> tuple[Trial, ...]:
    plan = TracesPlan(
        domain=tiny_town.SCHEMA.fingerprint,
        rows=1,
        columns=3,
        zones=1,
        epsilon=2.0,
        delta=1e-6,
        traces=2,
        days=2,
        held_out=0.4,
    )
    decided = plan_run(plan, tiny_town.SCHEMA)
    return (
        Trial(
            "a week of two people",
            decided,
            tiny_town.neighbour_days(),
            _parts,
            {"counted": lambda one, other: _price_questions(decided, one, other)},
            least=tiny_town.LEAST,
        ),
    )


def _parts(kept: Arrays) -> TextArray:
    return np.where(kept["held_out"].astype(bool), "held out", "counted")


def _price_questions(
    decided: PlannedRun[TracesPlan], one: Asked, other: Asked
) -> Mapping[str, float]:
    """Return ρ of each table over its claim, and of all over the ρ of the whole."""
    parts = decided.guarantee.parts
    each = [first.cost(second) for first, second in zip(one, other, strict=True)]
    found = {part.of: cost / part.native["rho"] for part, cost in zip(parts, each, strict=False)}
    return {**found, "all": sum(each) / largest_rho(decided.guarantee.record)}


RUNS: Final = Runs(
    TracesPlan.kind,
    "Made traces",
    _trials,
    (
        Break(
            "noise beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            Traces.begin,
            'Noise(secret.source("model"), tape)',
            'Noise(secret.source("model"))',
        ),
        Break(
            "half the ρ",
            "more noise than is paid for",
            Traces.begin,
            "rho_of(plan)",
            "rho_of(plan) / 2",
        ),
        Break(
            "people held out are counted",
            "who is only to be compared with is in the tables too",
            Traces.begin,
            "np.flatnonzero(~apart)",
            "np.arange(len(held))",
        ),
        Break(
            "nobody is cut to the clip",
            "long vectors count in full",
            sum_entries,
            "values * scale[person]",
            "values * 1.0",
        ),
        Break(
            "the scale of people, not of units",
            "noise of a thousandth",
            noisy_tables,
            "sigma[name] * UNITS",
            "sigma[name] * 1",
        ),
    ),
)
