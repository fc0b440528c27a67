"""How many flags of a record to count in a latent model: foreseen, and measured on simulated
discharges.

*Share* is how far off a flag's share is on average, *pair* the mean total variation over pairs,
both of rows of the factor model to the records it was learned from; *foreseen* is the Privacy
page's figure for people who have as many flags on average as simulated discharges, if flags came by
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from benchmarks.flag_tables import Flags, simulated
from benchmarks.latent_models import LATENT, by_method
from benchmarks.size import Size
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import count_flag_pairs, pair_shares
from understudy.evaluation.measures.shares import total_variation
from understudy.mechanisms.latent.models import estimate_errors
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.registry import opening_plan
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource

_DELTA: Final = 1e-9
_COUNTS: Final = (1, 2, 3, 4, 6, 8, 12, 18, 30, 42)
_ROWS: Final[Mapping[Size, int]] = {"full": 80_000, "quick": 20_000, "tiny": 1_500}
_TIMES: Final[Mapping[Size, int]] = {"full": 5, "quick": 2, "tiny": 1}


@dataclass(frozen=True)
class Row:
    """What one number of counted flags comes to, means over repetitions.

    Attributes:
        epsilon: of the plan.
        counted: flags of a record.
        share, pair: as measured.
        foreseen: as of `share`.
    """

    epsilon: float
    counted: int
    share: float
    pair: float
    foreseen: float


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Every number at two ε."""
    table = simulated(_ROWS[size])
    rows = []
    for epsilon in (1.0, 0.1):
        for count in _COUNTS:
            # Of too few records a plan is refused, and has no row.
            with suppress(Refusal):
                rows.append(_row(table, epsilon, count, _TIMES[size]))
    mean = float(table.bits.sum(axis=1).mean())
    return {"mean": mean, "rows": [asdict(each) for each in rows]}


def _row(table: Flags, epsilon: float, count: int, times: int) -> Row:
    made = by_method(LATENT, {"most_ones": count})
    records = table.records(np.arange(len(table.bits)))
    exact = table.bits.mean(axis=0)
    found = []
    for turn in range(times):
        bits = made(records, Budget(epsilon, _DELTA), len(table.bits), RandomSource.fixed(turn))
        apart = total_variation(
            pair_shares(count_flag_pairs(bits), count_flag_pairs(table.bits))
        ).mean()
        found.append((np.abs(bits.mean(axis=0) - exact).mean(), apart))
    share, pair = np.mean(found, axis=0)
    return Row(epsilon, count, float(share), float(pair), _foreseen(table, epsilon, count))


def _foreseen(table: Flags, epsilon: float, count: int) -> float:
    given = {"epsilon": epsilon, "delta": _DELTA, "public_records": len(table.bits),
             "held_out": 0.0, "most_ones": count}  # fmt: skip
    plan = opening_plan(LATENT, table.schema, given)
    assert isinstance(plan, LatentPlan)
    share = float(table.bits.mean())
    (found,) = estimate_errors(plan, table.schema, share, [count])
    return found


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"Flags of a record on average: {figures['mean']:.2f}",
        "",
        "| ε | counted | share off | foreseen | pair off |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['epsilon']} | {row['counted']} | {row['share']:.5f} | {row['foreseen']:.5f} "
        f"| {row['pair']:.5f} |"
        for row in figures["rows"]
    ]
    return "\n".join(lines)
