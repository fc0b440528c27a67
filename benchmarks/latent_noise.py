"""Latent noise: which of many codes could have made a candidate, by sorted cells and by a scan.

The codes are made up, in 5 dimensions; candidates are disturbed codes. Plausible deniability. By
cells on all cores, in the batches of a run; the scan on one core. It is the general engine, which
looks at every record in blocks and decides early, is timed on fewer candidates, and both are
compared on those.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from understudy.core.arrays import CodeArray
from understudy.core.threads import count_cores, in_order
from understudy.mechanisms.scored.attempts import BATCH, GeneralSynthesizer, Proposals, reaches
from understudy.models.latent.grid import PLACES, ProjectionGrid, normal_law
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource
from understudy.table import grid
from understudy.table.buckets import EachValue
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

Whole = npt.NDArray[np.int64]
Truth = npt.NDArray[np.bool_]

_AXES = 5
_TEST = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)


@dataclass(frozen=True)
class _Size:
    codes: int
    candidates: int
    scanned: int


_SIZES = {
    "full": _Size(1_000_000, 100_000, 32),
    "quick": _Size(100_000, 10_000, 256),
    "tiny": _Size(2_000, 100, 20),
}


@dataclass(frozen=True, eq=False)
class _Places:
    """Records that are places already."""

    grid: ProjectionGrid

    @property
    def reach(self) -> int:
        return self.grid.reach

    def locate(self, records: CodeArray) -> CodeArray:
        return records

    def log_likelihood_at(self, places: CodeArray, candidates: CodeArray) -> Any:
        return self.grid.log_likelihood(places.astype(np.int64), candidates)

    def log_likelihood_of(self, places: CodeArray, candidates: CodeArray) -> Any:
        return self.grid.log_likelihood_of(places.astype(np.int64), candidates)

    def radius(self, least: Any) -> Any:
        return self.grid.radius(least)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> Any:
        return self.log_likelihood_at(seeds, candidates)

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        return self.grid.disturb(seeds.astype(np.int64), source)


def measure(*, size: str = "full") -> dict[str, Any]:
    """Time both, for codes whose spread is so many times the noise's."""
    with threadpool_limits(1):
        cases = [_case(_SIZES[size], spread) for spread in (10, 30)]
    return {"codes": _SIZES[size].codes, "axes": _AXES, "cores": count_cores(), "cases": cases}


def _case(size: _Size, spread: int) -> dict[str, Any]:
    middle = np.full(_AXES, PLACES // 2)
    ones = np.ones(_AXES, dtype=np.int64)
    grid = ProjectionGrid(np.eye(_AXES, dtype=np.int64), middle, ones, normal_law())
    rng = np.random.default_rng(3)
    codes = np.rint(rng.normal(PLACES // 2, 4 * spread, (size.codes, _AXES)))
    held = np.clip(codes, grid.reach, PLACES - 1 - grid.reach).astype(np.uint16)
    model, source = _Places(grid), RandomSource.fixed(1)
    made = GeneralSynthesizer(model, Records(_schema(), held))
    proposals = made.propose(size.candidates, source)
    least = _TEST.coin.least(size.candidates, source)
    start = time.perf_counter()
    made.prepare()
    sorting = time.perf_counter() - start
    near = _by_cells(made, proposals, least)
    cells = time.perf_counter() - start
    some = slice(size.scanned)
    few = Proposals(proposals.codes[some], proposals.own[some])
    start = time.perf_counter()
    every = reaches(_TEST, model, made.seeds, few, least[some])
    scan = time.perf_counter() - start
    return {
        "spread": spread,
        "candidates": size.candidates,
        "cells_seconds": cells,
        "sorting_seconds": sorting,
        "scanned": size.scanned,
        "scan_seconds": scan,
        "ratio": scan / size.scanned * size.candidates / cells,
        "passed": float(near.mean()),
        "agrees": bool((near[some] == every).all()),
    }


def _by_cells(made: GeneralSynthesizer, proposals: Proposals, least: Whole) -> Truth:
    """Which candidates pass, a batch of attempts a part, as in a run."""
    parts = [slice(start, start + BATCH) for start in range(0, len(proposals), BATCH)]

    def decided(part: slice) -> Truth:
        return made.reaches(_TEST, proposals.take(part), least[part])

    return np.concatenate([each for _, each in in_order(decided, parts, count_cores(), "attempts")])


def _schema() -> Schema:
    values = grid.Grid(kind="integers", minimum=Decimal(0), maximum=Decimal(PLACES - 1))
    each = EachValue(kind="each")
    columns = (Column(name=f"z{at}", domain=values, buckets=each) for at in range(_AXES))
    return Schema(columns=tuple(columns))


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"{figures['codes']:,} codes in {figures['axes']} dimensions; by cells on "
        f"{figures['cores']} cores, sorting the codes included; by a scan on one.",
        "",
        "| spread ÷ noise | candidates | by cells | of it sorting | scanned | by a scan "
        "| a candidate | pass |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {each['spread']} | {each['candidates']:,} | {each['cells_seconds']:.1f} s | "
        f"{each['sorting_seconds']:.1f} s | "
        f"{each['scanned']:,} | {each['scan_seconds']:.1f} s | ÷ {each['ratio']:,.1f} | "
        f"{100 * each['passed']:.0f} % |"
        for each in figures["cases"]
    ]
    agree = all(each["agrees"] for each in figures["cases"])
    return "\n".join([*lines, "", f"Outcomes agree: {'yes' if agree else 'NO'}."])
