"""How long measuring everything takes, measure by measure, on the sample census.

Seconds of work are those of all threads: on two idle cores they pass in about half as long where
both are used. Seconds passed mean little where others use the machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from benchmarks.peers.drivers.exchange import Stopwatch
from benchmarks.peers.ours import drawn
from benchmarks.size import Size
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.registry import measures
from understudy.mechanisms.mechanism import EvaluationRequest, Evidence
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased import inspection
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table
from understudy.mechanisms.seedbased.state import SeedbasedState
from understudy.privacy.randomness import RandomSource
from understudy.runs.inquiry import MOST, REPEATS, suggest_target
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.split import Split, assign_parts

_RECORDS: Final[Mapping[Size, int]] = {"full": 100_000, "quick": 10_000, "tiny": 2_000}


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Make a whole table at ε = 1, and measure everything of it."""
    records = _RECORDS[size]
    evidence = _evidence(records)
    asked = EvaluationRequest(suggest_target(evidence.decided.schema), REPEATS, MOST)
    began, worked = time.perf_counter(), time.process_time()
    study = inspection.study(evidence, asked, RandomSource.fixed(6), lambda at: None)
    rows = [_row("making tables", began, worked)]
    began, worked = time.perf_counter(), time.process_time()
    # In an evaluation they are learned while measures are taken; here first, to tell them apart.
    len(study.models)
    rows.append(_row("learning models to compare", began, worked))
    last: list[tuple[str, float, float]] = []

    def told(done: int, name: str) -> None:
        if last:
            rows.append(_row(*last.pop()))
        last.append((name, time.perf_counter(), time.process_time()))

    evaluate(study, measures(), told)
    rows.append(_row(*last.pop()))
    return {"records": records, "columns": len(study.held_out.schema), "rows": rows}


def _evidence(records: int) -> Evidence:
    """What a run leaves of a whole table."""
    table = Records(census.schema(), census.simulate(records, 11))
    wanted = Wanted(epsilon=1.0, rows=MOST, records=records)
    decided = plan_run(whole_table(table.schema, wanted).plan, table.schema)
    plan, source = decided.plan, RandomSource.fixed(5)
    parts = assign_parts(records, plan.shares, source)
    split = Split.of(table, parts)
    network = learn(plan, table.schema, split, source).network
    made = decided.guarantee.account_as(Promise)
    baseline = learn_baseline(plan, split, source, made=made)
    state = SeedbasedState(parts, network, baseline=baseline)
    released = Records(table.schema, drawn(network, MOST, source, Stopwatch()).codes)
    return Evidence(decided, table, state, {"synthetic": released})


def _row(name: str, began: float, worked: float) -> dict[str, Any]:
    return {
        "name": name,
        "passed": time.perf_counter() - began,
        "worked": time.process_time() - worked,
    }


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    rows = figures["rows"]
    lines = [
        f"{figures['records']:,} records, {figures['columns']} columns.",
        "",
        "| measure | seconds passed | seconds of work |",
        "|---|---:|---:|",
        *(f"| {row['name']} | {row['passed']:.1f} | {row['worked']:.1f} |" for row in rows),
        f"| all | {np.sum([row['passed'] for row in rows]):.1f} "
        f"| {np.sum([row['worked'] for row in rows]):.1f} |",
    ]
    return "\n".join(lines)
