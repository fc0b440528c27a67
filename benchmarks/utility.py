"""Private models against private marginals on the shipped sample, over several runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.evaluation.comparison import compare
from understudy.mechanisms.seedbased.attempts import Decision
from understudy.mechanisms.seedbased.evaluation.figures import omegas_to_show
from understudy.mechanisms.seedbased.evaluation.tables import Making, comparable
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.split import split

_RECORDS: Final[Mapping[Size, int]] = {"full": 60_000, "quick": 6_000, "tiny": 2_000}
_ROUNDS: Final[Mapping[Size, int]] = {"full": 5, "quick": 5, "tiny": 1}
_EPSILONS: Final = (None, 10.0, 1.0, 0.1)
_MOST = 10_000
_KINDS: Final[Mapping[ModelKind, str]] = {
    "calibrated": "calibrated",
    "network": "network as published",
}


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Median distance of pairs to held-out records, for several ε of two models."""
    schema = census.schema()
    records = Records(schema, census.simulate(_RECORDS[size], 2013))
    return {
        "records": len(records),
        "rounds": _ROUNDS[size],
        "pairs": {
            kind: {
                "none" if epsilon is None else f"{epsilon:g}": _medians(
                    records, ModelPlan(kind=kind, epsilon=epsilon), _ROUNDS[size]
                )
                for epsilon in _EPSILONS
            }
            for kind in _KINDS
        },
    }


def _medians(records: Records, model: ModelPlan, times: int) -> dict[str, float]:
    rounds = [_round(records, model) for _ in range(times)]
    return {
        name: float(np.median([each[name] for each in rounds if name in each]))
        for name in dict.fromkeys(name for each in rounds for name in each)
    }


def _round(records: Records, model: ModelPlan) -> dict[str, float]:
    source = RandomSource.secure()
    plan = Plan.of(records.schema, model=model)
    parts = split(records, plan.shares, source)
    learned = learn(plan, records.schema, parts, source)
    baseline = learn_baseline(plan, parts, source)
    decision = Decision(plan.test, promise(plan, records.schema).pass_cap)
    omegas = omegas_to_show(plan.omega, len(records.schema))
    making = Making(parts, learned.network, baseline, decision, plan.omega, omegas)
    compared = compare(comparable(making, None, _MOST, source), parts.held_out)
    return {each.name: each.distances.typical_pair for each in compared}


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    by_kind = figures["pairs"]
    # Of an ω under which too few candidates pass there is no table.
    names = list(
        dict.fromkeys(n for rows in by_kind.values() for row in rows.values() for n in row)
    )
    lines = [
        f"Median total variation of pairs to held-out records, {figures['records']:,} simulated "
        f"records, median of {figures['rounds']} runs.",
        "",
        "| model | its ε | " + " | ".join(names) + " |",
        "|---|---:|" + "---:|" * len(names),
    ]
    lines += [
        f"| {_KINDS[kind]} | {epsilon} | "
        + " | ".join(f"{row[name]:.4f}" if name in row else "–" for name in names)
        + " |"
        for kind, rows in by_kind.items()
        for epsilon, row in rows.items()
    ]
    return "\n".join(lines)
