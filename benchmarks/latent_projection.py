"""Projection of flags: how many candidates a second are tested against every seed, on one core.

Two tables of 42 flags: simulated discharges, of which most are equal to others, and made-up flags,
of which few are. Directions are learned from as many other records, with noise. The scan scores
every record for every candidate, in blocks, without deciding anything early; it is timed on fewer
candidates, and both are compared on those. Seconds are the processor's, so that what else a machine
does counts less.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import any_model
from understudy.mechanisms.scored.attempts import GeneralSynthesizer
from understudy.mechanisms.scored.proposers import ProjectionLearner
from understudy.models.scores import scan_scores
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource
from understudy.samples import discharges
from understudy.table.records import Records

_FLAGS = 42
_BUDGET = Budget(1.0, 1e-9)
_NUMBERS = {"directions": 5.0, "ones": 8.0, "floor": 16.0}


@dataclass(frozen=True)
class _Size:
    seeds: int
    candidates: int
    scanned: int


_SIZES = {
    "full": _Size(30_000, 16_384, 256),
    "quick": _Size(30_000, 4_096, 64),
    "tiny": _Size(2_000, 256, 32),
}


def measure(*, size: str = "full") -> dict[str, Any]:
    """Time both tests at several k."""
    chosen = _SIZES[size]
    with threadpool_limits(1):
        tables = {name: _table(chosen, records) for name, records in _records(chosen.seeds)}
    return {"seeds": chosen.seeds, "flags": _FLAGS, "tables": tables}


def _records(seeds: int) -> Iterator[tuple[str, Records]]:
    bits, _ = discharges.simulate(2 * seeds, seed=5)
    yield "discharges", Records(discharges.schema(), bits.astype(np.uint16))
    yield "made-up flags", any_model.simulated(2 * seeds)


def _table(size: _Size, records: Records) -> dict[str, Any]:
    source = RandomSource.fixed(2)
    others = records.take(np.arange(size.seeds, 2 * size.seeds))
    model = ProjectionLearner().learn(others, _BUDGET, _NUMBERS, Noise(source), source.child())
    made = GeneralSynthesizer(model, records.take(np.arange(size.seeds)))
    made.prepare()
    cases = [_case(size, made, test) for test in _tests(size.seeds)]
    return {"distinct": len(made.seeds.sizes), "cases": cases}


def _tests(seeds: int) -> list[PrivacyTest]:
    some: list[PrivacyTest] = [
        PlausibleDeniability(k=min(k, seeds // 10), gamma=4.0, epsilon0=1.0)
        for k in (50, 500, 2_000)
    ]
    return [*some, RelativeSensitivity(k=min(500, seeds // 10), epsilon0=1.0)]


def _case(size: _Size, made: GeneralSynthesizer, test: PrivacyTest) -> dict[str, Any]:
    source = RandomSource.fixed(1)
    start = time.process_time()
    proposals = made.propose(size.candidates, source)
    proposing = time.process_time() - start
    least = test.coin.least(size.candidates, source)
    start = time.process_time()
    reached = made.reaches(test, proposals, least)
    testing = time.process_time() - start
    some = slice(size.scanned)
    few, seeds = proposals.take(some), made.seeds
    every = np.repeat(seeds.rows, seeds.sizes, axis=0)
    own = (np.cumsum(seeds.sizes) - seeds.sizes)[few.own]
    start = time.process_time()
    scores = scan_scores(test, made.model, every, own, few.codes)
    scan = time.process_time() - start
    return {
        "test": test.kind,
        "k": test.k,
        "candidates_per_second": size.candidates / (proposing + testing),
        "scanned_per_second": size.scanned / scan,
        "passed": float(reached.mean()),
        "agrees": bool((reached[some] == (scores >= least[some])).all()),
    }


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"{figures['seeds']:,} seeds × {figures['flags']} flags; one core. Candidates proposed and "
        "tested in a second of the processor.",
        "",
        "| table | different | test | k | candidates / s | by a scan / s | ratio | pass |",
        "|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    for name, told in figures["tables"].items():
        lines += [
            f"| {name} | {told['distinct']:,} | {each['test'].replace('-', ' ')} | {each['k']:,} | "
            f"{each['candidates_per_second']:,.0f} | {each['scanned_per_second']:,.0f} | "
            f"÷ {each['candidates_per_second'] / each['scanned_per_second']:.1f} | "
            f"{100 * each['passed']:.0f} % |"
            for each in told["cases"]
        ]
    agree = all(each["agrees"] for told in figures["tables"].values() for each in told["cases"])
    return "\n".join([*lines, "", f"Outcomes agree: {'yes' if agree else 'NO'}."])
