"""Private model against private marginals on the shipped sample, over several runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.evaluation.comparison import compare
from engine.evaluation.figures import omegas_to_show
from engine.evaluation.tables import Making, comparable
from engine.privacy.randomness import RandomSource
from engine.synthesis.attempts import Decision
from engine.synthesis.learning import learn, learn_baseline
from engine.synthesis.plan import ModelPlan, Plan
from engine.synthesis.promise import promise
from engine.table.records import Records
from engine.table.split import split
from sample_data import census

_ROUNDS = 5
_MOST = 10_000


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Median distance of pairs to held-out records, for several ε of the model."""
    schema = census.schema()
    records = Records(schema, census.simulate(6_000 if quick else 60_000, 2013))
    return {
        "records": len(records),
        "rounds": _ROUNDS,
        "pairs": {
            "none" if epsilon is None else f"{epsilon:g}": _medians(records, epsilon)
            for epsilon in (None, 10.0, 1.0, 0.1)
        },
    }


def _medians(records: Records, epsilon: float | None) -> dict[str, float]:
    rounds = [_round(records, epsilon) for _ in range(_ROUNDS)]
    return {
        name: float(np.median([each[name] for each in rounds if name in each]))
        for name in rounds[0]
    }


def _round(records: Records, epsilon: float | None) -> dict[str, float]:
    source = RandomSource.secure()
    plan = Plan.of(records.schema, model=ModelPlan(epsilon=epsilon))
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
    names = list(next(iter(figures["pairs"].values())))
    lines = [
        f"Median total variation of pairs to held-out records, {figures['records']:,} simulated "
        f"records, median of {figures['rounds']} runs.",
        "",
        "| model ε | " + " | ".join(names) + " |",
        "|---:|" + "---:|" * len(names),
    ]
    lines += [
        f"| {epsilon} | " + " | ".join(f"{row.get(name, np.nan):.4f}" for name in names) + " |"
        for epsilon, row in figures["pairs"].items()
    ]
    return "\n".join(lines)
