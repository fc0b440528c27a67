"""The coins of runs of days like given people's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.assurance import tiny_town
from understudy.assurance.finding import Check
from understudy.assurance.plausible_traces.runs import parts_of
from understudy.assurance.real_coins import OWN_COUNTED, SEEDS, Coins, K, count_near_k
from understudy.assurance.real_runs import Break
from understudy.core.arrays import TextArray
from understudy.mechanisms.outputs import Chunk
from understudy.mechanisms.plausible_traces.attempts import Decision
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.plausible_traces.promise import Promise
from understudy.mechanisms.registry import plan_run
from understudy.table.records import Records

_ATTEMPTS: Final = 5_000


def checks() -> tuple[Check, ...]:
    """Return the checks of what is thrown and how many pass."""
    return _coins().checks()


def mutants() -> tuple[Check, ...]:
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
        tiny_town.records([[day]] * people),
        parts_of,
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
