"""A model that can only score: 1,000,000 records × 42 binary attributes, one core.

The engine is compared with three others, on the same records, candidates and coins:

* a loop in Python that looks at one record after another, as the definition reads. It is timed on
  as many records as take a moment, and its time for all of them is in proportion;
* `scan_scores`, which is vectorised and looks at every record for every candidate;
* the engine itself with one of its means left out: equal records not merged, or nothing decided
  early.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.mechanisms.scored.attempts import (
    GeneralSynthesizer,
    Proposals,
    SeedRecords,
    reaches,
)
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import ConditionalTable
from understudy.models.scores import scan_scores
from understudy.privacy.plausibility.partial import PartialScore
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

_TESTS: dict[str, PrivacyTest] = {
    "plausible deniability": PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0),
    "relative sensitivity": RelativeSensitivity(k=50, epsilon0=1.0),
}
_ATTRIBUTES, _REDRAWN, _KINDS = 42, 0.1, 24

T = TypeVar("T")


@dataclass(frozen=True)
class _Size:
    records: int
    attempts: int
    without: int
    scanned: int
    looped: int


_FULL = _Size(1_000_000, 2048, 512, 8, 100_000)
_QUICK = _Size(10_000, 256, 64, 8, 3_000)


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Time the engine, the loop and the scan."""
    size = _QUICK if quick else _FULL
    records = simulated(size.records)
    model = Redrawn.of(_marginals(records), _REDRAWN)
    with threadpool_limits(1):
        merging, synthesizer = _timed(lambda: GeneralSynthesizer(model, records))
        tests = {name: _case(test, synthesizer, model, size) for name, test in _TESTS.items()}
    return {
        "records": size.records,
        "distinct": len(synthesizer.seeds.sizes),
        "attributes": _ATTRIBUTES,
        "merging_seconds": merging,
        "loop_ratio": min(case["loop_ratio"] for case in tests.values()),
        "agrees": all(case["agrees"] for case in tests.values()),
        "tests": tests,
    }


def simulated(count: int) -> Records:
    """Records of one kind of 24 each, within which attributes are independent."""
    random = np.random.default_rng(5)
    law = random.beta(0.25, 1.6, (_KINDS, _ATTRIBUTES))
    kind = random.choice(_KINDS, count, p=random.dirichlet(np.ones(_KINDS)))
    codes = np.empty((count, _ATTRIBUTES), dtype=np.uint16)
    for attribute in range(_ATTRIBUTES):
        codes[:, attribute] = random.random(count) < law[kind, attribute]
    domain = Categories(kind="categories", values=("no", "yes"))
    each = EachValue(kind="each")
    columns = (Column(name=f"c{at}", domain=domain, buckets=each) for at in range(_ATTRIBUTES))
    return Records(Schema(columns=tuple(columns)), codes)


def _marginals(records: Records) -> BayesianNetwork:
    shares = np.clip(records.codes.mean(axis=0), 1e-3, 1 - 1e-3)
    tables = tuple(
        ConditionalTable.from_probabilities(np.array([[1 - share, share]])) for share in shares
    )
    return BayesianNetwork(records.schema, Structure.independent(_ATTRIBUTES), tables)


def _case(
    test: PrivacyTest, synthesizer: GeneralSynthesizer, model: Redrawn, size: _Size
) -> dict[str, Any]:
    source, seeds = RandomSource.fixed(1), synthesizer.seeds
    proposing, proposals = _timed(lambda: synthesizer.propose(size.attempts, source))
    least = test.coin.least(size.attempts, source)

    def engine(some: int, test: Any = test) -> BoolArray:
        return reaches(test, model, seeds, proposals.take(slice(some)), least[:some])

    seconds, passed = _timed(lambda: engine(size.attempts))
    patient, all_the_same = _timed(lambda: engine(size.without, _Patient(test)))
    apart = SeedRecords(
        np.ascontiguousarray(np.repeat(seeds.rows, seeds.sizes, axis=0).T).T,
        np.ones(len(seeds), dtype=np.int64),
    )
    first = np.cumsum(seeds.sizes) - seeds.sizes
    there = Proposals(proposals.codes, first[proposals.own])
    unmerged, as_before = _timed(
        lambda: reaches(test, model, apart, there.take(slice(size.without)), least[: size.without])
    )
    some = slice(size.scanned)
    scan, scores = _timed(
        lambda: scan_scores(test, model, apart.rows, there.own[some], there.codes[some])
    )
    loop, looped = _loop(test, model, apart.rows, there.codes[0], size)
    by_engine = seconds / size.attempts
    return {
        "attempts_per_second": 1 / (by_engine + proposing / size.attempts),
        "passed": float(passed.mean()),
        "tests_per_second": {
            "engine": 1 / by_engine,
            "nothing decided early": size.without / patient,
            "equal records not merged": size.without / unmerged,
            "every record, vectorised": size.scanned / scan,
            "every record, in a loop": 1 / loop,
        },
        "loop_ratio": loop / by_engine,
        "loop_records_timed": size.looped,
        "agrees": bool(
            (passed[: size.without] == all_the_same).all()
            and (passed[: size.without] == as_before).all()
            and (passed[some] == (scores >= least[some])).all()
            and looped
        ),
    }


@dataclass(frozen=True)
class _Patient:
    """A test that settles nothing before the last record."""

    test: PrivacyTest

    def partial(self, own: FloatArray, records: int) -> PartialScore:
        partial = self.test.partial(own, records)
        settle = partial.settle

        def at_the_end(least: IntArray, left: IntArray) -> tuple[BoolArray, BoolArray]:
            reaches, fails = settle(least, left)
            return reaches & (left == 0), fails & (left == 0)

        partial.settle = at_the_end  # type: ignore[method-assign]
        return partial

    def scores(self, plausible: Any) -> IntArray:
        return self.test.scores(plausible)


def _loop(
    test: PrivacyTest, model: Redrawn, every: CodeArray, candidate: CodeArray, size: _Size
) -> tuple[float, bool]:
    """Seconds that a plain loop takes to score one candidate by all records, in proportion to those
    it was timed on; and whether the score by those is what `scan_scores` says."""
    rows = every[:: max(1, len(every) // size.looped)][: size.looped]
    records, made = rows.tolist(), candidate.tolist()
    logs = [
        (float(alone[code]), float(alone[code] + gain[code]))
        for (alone, gain), code in zip(model.logs, made, strict=True)
    ]
    score = _deniable if isinstance(test, PlausibleDeniability) else _ranked
    seconds, found = _timed(lambda: score(test, logs, records, made))
    exact = scan_scores(test, model, rows, np.zeros(1, dtype=np.int64), candidate[None])
    return seconds * len(every) / len(rows), found == int(exact[0])


def _likelihood(logs: list[tuple[float, float]], record: list[int], made: list[int]) -> float:
    total = 0.0
    for (alone, kept), had, code in zip(logs, record, made, strict=True):
        total += kept if had == code else alone
    return total


def _deniable(
    test: Any, logs: list[tuple[float, float]], records: list[list[int]], made: list[int]
) -> int:
    """The score of the first record as the seed."""
    gamma = math.log(test.gamma)
    bucket = math.floor(-_likelihood(logs, records[0], made) / gamma)
    count = 0
    for record in records:
        count += math.floor(-_likelihood(logs, record, made) / gamma) == bucket
    return count


def _ranked(
    test: Any, logs: list[tuple[float, float]], records: list[list[int]], made: list[int]
) -> int:
    own = _likelihood(logs, records[0], made)
    found = sorted(_likelihood(logs, record, made) for record in records)
    most = total = 0.0
    for place, likelihood in enumerate(found):
        weight = math.exp(likelihood - own)
        total += weight
        if likelihood >= own and (place + 1 == len(found) or found[place + 1] > likelihood):
            most = max(most, total / weight - 1)
    # What rounding took from a whole number is given back: enough for a loop that is only timed.
    return math.floor(most + 1e-9)


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    names = list(figures["tests"])
    lines = [
        f"{figures['records']:,} records × {figures['attributes']} binary attributes, "
        f"{figures['distinct']:,} of them different, merged in "
        f"{figures['merging_seconds']:.2f} s; one core.",
        "",
        "| candidates tested a second | " + " | ".join(names) + " |",
        "|---|" + "---:|" * len(names),
    ]
    rates = {name: case["tests_per_second"] for name, case in figures["tests"].items()}
    for means in rates[names[0]]:
        cells = [
            f"{_rate(rates[name][means])} (÷ {rates[name]['engine'] / rates[name][means]:,.1f})"
            for name in names
        ]
        lines.append(f"| {means} | " + " | ".join(cells) + " |")
    passed = ", ".join(f"{100 * figures['tests'][name]['passed']:.0f} %" for name in names)
    timed = min(case["loop_records_timed"] for case in figures["tests"].values())
    lines += [
        "",
        f"The loop was timed on {timed:,} records and scaled. "
        f"{passed} of the candidates pass. All agree on every candidate compared: "
        f"{'yes' if figures['agrees'] else 'NO'}.",
    ]
    return "\n".join(lines)


def _rate(each: float) -> str:
    return f"{each:,.0f}" if each >= 10 else f"{each:.3g}"
