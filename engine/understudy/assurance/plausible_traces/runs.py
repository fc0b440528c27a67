"""Runs of days like given people's, on people who would hurt, and the coins of those runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from understudy.assurance import tiny_town
from understudy.assurance.check import Check
from understudy.assurance.real_runs import (
    OWN_COUNTED,
    SEEDS,
    Asked,
    Break,
    Coins,
    K,
    Runs,
    Trial,
    count_near_k,
)
from understudy.core.arrays import TextArray
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.outputs import Chunk
from understudy.mechanisms.plausible_traces.attempts import Decision
from understudy.mechanisms.plausible_traces.guarantee import Promise
from understudy.mechanisms.plausible_traces.mechanism import PlausibleTraces
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.registry import plan_run
from understudy.models.mobility.tables import layout
from understudy.privacy.accounting.composition import largest_rho
from understudy.table.records import Records


def _trials() -> tuple[Trial, ...]:
    plan = PlausiblePlan(
        domain=tiny_town.SCHEMA.fingerprint,
        rows=1,
        columns=3,
        zones=1,
        epsilon=900.0,
        model_epsilon=2.0,
        attempts=20,
        k=5,
        epsilon0=6.0,
        delta=1e-4,
        seeds_at_least=10,
        seeds=0.35,
        held_out=0.3,
    )
    decided = plan_run(plan, tiny_town.SCHEMA)
    return (
        Trial(
            "days",
            decided,
            tiny_town.nearest_pairs(),
            _parts_of,
            {"model": partial(_price_questions, decided)},
            ("held out", "seeds"),
            tiny_town.LEAST,
            frozenset({"seeds", HELD_OUT}),
            {"seeds": frozenset({"keys"})},
        ),
    )


def _parts_of(kept: Arrays) -> TextArray:
    seeds, apart = (kept[name].astype(bool) for name in ("seeds", HELD_OUT))
    names = np.where(seeds, "seeds", np.where(apart, "held out", "model"))
    return np.where(seeds & apart, "both", names)


def _price_questions(
    decided: PlannedRun[PlausiblePlan], one: Asked, other: Asked
) -> Mapping[str, float]:
    """Return ρ of each table over its share, and of all over the ρ that the model claims to
    cost."""
    made = decided.guarantee.account_as(Promise)
    each = [first.cost(second) for first, second in zip(one, other, strict=True)]
    found = {
        table.name: cost / (table.share * made.rho)
        for table, cost in zip(layout(tiny_town.TOWN), each, strict=False)
    }
    return {**found, "all": sum(each) / largest_rho(made.learning)}


RUNS: Final = Runs(
    PlausiblePlan.kind,
    "Days like given people’s",
    _trials,
    (
        Break(
            "seeds also train the model",
            "who pays for attempts pays for the model too: the total is a sum",
            PlausibleTraces.begin,
            "np.flatnonzero(~seeds & ~apart)",
            "np.flatnonzero(~apart)",
        ),
        Break(
            "people held out are seeds too",
            "who is only to be compared with is in the test",
            PlausibleTraces.begin,
            "np.flatnonzero(seeds)",
            "np.flatnonzero(seeds | apart)",
        ),
        Break(
            "twice the ρ of the model",
            "its tables get less noise than is paid for",
            PlausibleTraces.begin,
            "plan.where, made.rho, noise",
            "plan.where, 2 * made.rho, noise",
        ),
        Break(
            "noise beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            PlausibleTraces.begin,
            'Noise(secret.source("model"), tape)',
            'Noise(secret.source("model"))',
        ),
    ),
)


_ATTEMPTS: Final = 5_000


def list_coin_checks() -> tuple[Check, ...]:
    """Return the checks of what is thrown and how many pass."""
    return _coins().checks()


def list_coin_mutants() -> tuple[Check, ...]:
    """Return the same checks of coins that are broken."""
    return _coins().mutants()


def _coins() -> Coins:
    """Return coins of people with the same day, so that all other seeds have a seed's key."""
    plan = PlausiblePlan(
        domain=tiny_town.SCHEMA.fingerprint,
        rows=tiny_town.TOWN.rows,
        columns=tiny_town.TOWN.columns,
        zones=tiny_town.TOWN.zones,
        epsilon=1000.0,
        model_epsilon=2.0,
        attempts=_ATTEMPTS,
        k=K,
        epsilon0=1.0,
        delta=1e-6,
        seeds_at_least=1_000,
        seeds=SEEDS,
        held_out=0.0,
    )
    decided = plan_run(plan, tiny_town.SCHEMA)
    people = count_near_k(counts_own=False)
    day = tiny_town.day((0, 0), (24, 1), (51, 0))
    return Coins(
        "Days like given people’s",
        decided,
        tiny_town.arrival_rows([[day]] * people),
        _parts_of,
        decided.guarantee.account_as(Promise).seeds,
        counts_own=False,
        passed=_count_passed,
        seeds=_people,
        breaks=_BREAKS,
    )


def _count_passed(chunks: Sequence[Chunk]) -> int:
    """Count the attempts that the first column of the made days names."""
    return len(np.unique(np.concatenate([np.asarray(each.content)[:, 0] for each in chunks])))


def _people(records: Records, names: TextArray) -> int:
    """Count the people who are seeds."""
    assert records.whose is not None
    return len(np.unique(records.whose[names == "seeds"]))


_BREAKS: Final = (
    Break(
        "nothing is turned away",
        "candidates pass by the test alone, with no ρ",
        Decision.passes,
        "capped_away(self.pass_cap,",
        "capped_away(0.0,",
    ),
    OWN_COUNTED,
)
