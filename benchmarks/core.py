"""Learning, attempts and the exact tests on 735,000 seeds × 11 attributes, one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from benchmarks.census import SeedbasedStudySizes, parts
from benchmarks.limits import machine, needed, roofs
from benchmarks.scan import plausible_seeds, relative_score
from benchmarks.size import Size
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.model_fit import learn
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.accounting.growth import grow_guarantee
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

_TEST = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)
_RELATIVE = RelativeSensitivity(k=50, epsilon0=1.0)
_SIZES: Mapping[Size, SeedbasedStudySizes] = {
    "full": SeedbasedStudySizes(),
    "quick": SeedbasedStudySizes().tenth(),
    "tiny": SeedbasedStudySizes(2_000, 1_000, 1_000, 0),
}
_SCANNED = 40
_BATCHES = 16
_ROUNDS: Mapping[Size, int] = {"full": 5, "quick": 5, "tiny": 1}

T = TypeVar("T")


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Time the core on the simulated census and compare the index with the scan."""
    sizes = _SIZES[size]
    split = parts(sizes)
    schema = split.seeds.schema
    source = RandomSource.secure()
    plan = Plan.of(schema, test=_TEST)
    learn_seconds, learned = _timed(lambda: learn(plan, schema, split, source))
    cases = {}
    limits = machine()
    for name, omega in (
        ("ω = 9", Omega(low=9, high=9)),
        ("ω ∈ [5, 11] hidden", Omega(low=5, high=11)),
        ("ω ∈ [5, 11] announced", Omega(low=5, high=11, reading="announced")),
    ):
        model = KeptAttributes(learned.network, omega)
        index_seconds, made = _timed(lambda model=model: Synthesizer(model, split.seeds))
        wanted = needed(made, Decision(_TEST, 0.01))
        cases[name] = {
            "index_seconds": index_seconds,
            **_rates(made, split.seeds, source, _ROUNDS[size]),
            "needed": wanted,
            "roofs": roofs(limits, wanted),
        }
    rates = [case["attempts_per_second"] for case in cases.values()]
    return {
        "seeds": sizes.seeds,
        "attributes": len(schema.columns),
        "learn_records": sizes.structure + sizes.parameters,
        "learn_seconds": learn_seconds,
        "attempts_per_second_per_core": min(rates),
        "relative_attempts_per_second_per_core": min(
            case["relative_attempts_per_second"] for case in cases.values()
        ),
        "scan_ratio": min(c["scan_ratio"] for c in cases.values() if "scan_ratio" in c),
        "scan_agrees": all(c.get("scan_agrees", True) for c in cases.values()),
        "slider_milliseconds": _slider(plan, schema, learned, split, source),
        "machine": limits,
        "cases": cases,
    }


def _rates(made: Synthesizer, seeds: Records, source: RandomSource, rounds: int) -> dict[str, Any]:
    count = _BATCHES * BATCH
    seconds: dict[PrivacyTest, list[float]] = {_TEST: [], _RELATIVE: []}
    release(made, Decision(_TEST, 0.01), 0, BATCH, source)
    # The tests take turns, so that whatever else the machine does slows both.
    for start in range(rounds):
        for test, taken in seconds.items():
            decision, first = Decision(test, 0.01), start * count
            taken.append(_timed(lambda d=decision, f=first: release(made, d, f, count, source))[0])
    rate, relative = (count / float(np.median(taken)) for taken in seconds.values())
    rates = {"attempts_per_second": rate, "relative_attempts_per_second": relative}
    if made.model.omega.per_attempt and not made.model.omega.is_fixed:
        return rates
    return {**rates, **_against_scan(made, seeds, rate, source)}


def _against_scan(
    made: Synthesizer, seeds_of: Records, rate: float, source: RandomSource
) -> dict[str, Any]:
    """Score the same candidates by index and by scan, both ways, and time the first scan."""
    candidates, seeds = made.propose_with_seeds(0, _SCANNED, source)
    pairs = list(zip(seeds.T, candidates.codes.T, strict=True))
    records = seeds_of.codes[:, list(made.model.network.order)]
    seconds, by_scan = _timed(
        lambda: [plausible_seeds(made.model, _TEST, records, *pair) for pair in pairs]
    )
    relative = [relative_score(made.model, records, *pair) for pair in pairs]
    scans_per_second = _SCANNED / seconds
    return {
        "scans_per_second": scans_per_second,
        "scan_ratio": rate / scans_per_second,
        "scan_agrees": candidates.scores(_TEST).tolist() == by_scan
        and candidates.scores(_RELATIVE).tolist() == relative,
    }


def _slider(plan: Plan, schema: Any, learned: Any, split: Any, source: RandomSource) -> float:
    """What the page computes when a slider moves: the promise, the ε chart, the pass rates."""
    sample = ScoreSample.draw(
        Synthesizer(KeptAttributes(learned.network, plan.omega), split.seeds), 4096, source
    )
    counts = np.unique(np.geomspace(1, 10**6, 60).astype(np.int64))
    ks = np.unique(np.geomspace(1, 10**4, 80).astype(np.int64))

    def move(k: int) -> None:
        moved = plan.change(schema, test=PlausibleDeniability(k=k, gamma=4.0, epsilon0=1.0))
        made = promise(moved, schema)
        assert made.seeds is not None
        grow_guarantee(made.seeds, counts)
        sample.curve(moved.test, ks, made.pass_cap)

    return 1000 * float(np.median([_timed(lambda k=k: move(k))[0] for k in range(45, 66)]))


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"Simulated census, {figures['seeds']:,} seeds × {figures['attributes']} attributes, "
        "one core.",
        "",
        "| | attempts / s | with the second test | scan / s | ratio | index built in |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, case in figures["cases"].items():
        scan = f"{case['scans_per_second']:.1f}" if "scans_per_second" in case else "–"
        ratio = f"{case['scan_ratio']:,.0f}" if "scan_ratio" in case else "–"
        lines.append(
            f"| {name} | {case['attempts_per_second']:,.0f} "
            f"| {case['relative_attempts_per_second']:,.0f} | {scan} | {ratio} "
            f"| {case['index_seconds']:.2f} s |"
        )
    lines += [
        "",
        f"Learning from {figures['learn_records']:,} records: {figures['learn_seconds']:.2f} s. "
        f"A slider move: {figures['slider_milliseconds']:.0f} ms. "
        f"Index and scan agree on every candidate compared: "
        f"{'yes' if figures['scan_agrees'] else 'NO'}.",
        "",
        *_roofline(figures),
    ]
    return "\n".join(lines)


def _roofline(figures: dict[str, Any]) -> list[str]:
    """What an attempt needs, and how near it comes to what the machine could do."""
    machine = figures["machine"]
    lines = [
        f"One core moves {machine['bytes_per_second'] / 1e9:.1f} GB/s, draws "
        f"{machine['words_per_second'] / 1e6:,.0f} million random words a second, and looks up "
        f"{machine['look_ups_per_second'] / 1e6:,.0f} million places of a table in cache. "
        "Attempts a second if that were all there is to do, and the share of it that is reached:",
        "",
        "| | bytes | bound | words | bound | look-ups | bound |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, case in figures["cases"].items():
        row = [name]
        for need, roof in (("bytes", "memory"), ("words", "generator"), ("look_ups", "look_ups")):
            bound = case["roofs"][roof]
            share = 100 * case["attempts_per_second"] / bound
            row += [f"{case['needed'][need]:.0f}", f"{bound / 1e6:,.0f} M/s ({share:.0f} %)"]
        lines.append(f"| {' | '.join(row)} |")
    return lines
