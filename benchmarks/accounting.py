"""How small a total is by each composition, beside an independent accountant, and how long it takes
to say so."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dp_accounting.pld import common, privacy_loss_distribution

from benchmarks.size import Size
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import total_epsilon
from understudy.privacy.planning.planner import most_units, smallest_epsilon, smallest_k
from understudy.privacy.planning.question import Question
from understudy.privacy.planning.search import least_total, smallest_k_for
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

TEST = RelativeSensitivity(k=50_000, epsilon0=0.001)
DELTA = 1e-6
COUNTS = tuple(10**power for power in range(7))
_COUNTS: Mapping[Size, tuple[int, ...]] = {"full": COUNTS, "quick": COUNTS[:4], "tiny": COUNTS[:3]}
_COMPOSED: Mapping[Size, range] = {"full": range(3, 8), "quick": range(3, 6), "tiny": range(3, 5)}
_ROUNDS = 5


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Compose, and plan, for ever more releases."""
    totals = {count: account(TEST, count, DELTA, protocol="published") for count in _COUNTS[size]}
    return {
        "k": TEST.k,
        "epsilon0": TEST.epsilon0,
        "delta": DELTA,
        "totals": {
            count: {
                "sequential": figures.sequential.epsilon,
                "advanced": figures.advanced.epsilon,
                "optimal": figures.optimal.epsilon,
                "pld": independent(figures),
            }
            for count, figures in totals.items()
        },
        "optimal_milliseconds": {
            10**power: _median(partial(_compose, 10**power)) for power in _COMPOSED[size]
        },
        "planner_milliseconds": _planner(),
    }


def independent(figures: Account) -> float:
    """The total by dp-accounting's privacy loss distribution.

    Of a discretisation as wide as ε, in which the loss ±ε of one unit is exact: a finer one would
    round it up, as often as there are units.
    """
    each = figures.each
    loss = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(each.epsilon, each.delta),
        value_discretization_interval=each.epsilon,
    )
    return float(loss.self_compose(figures.count).get_epsilon_for_delta(figures.record_delta))


def _compose(count: int) -> float:
    return total_epsilon(0.5 / count**0.5, count, DELTA)


def _planner() -> dict[str, float]:
    question = Question(
        epsilon=1.0, delta=1e-9, count=1_000, seeds_at_least=100_000, protocol="attempts"
    )
    searches: dict[str, Callable[[], Any]] = {
        "smallest k": lambda: smallest_k(question),
        "smallest ε": lambda: smallest_epsilon(question, 5_000),
        "most attempts": lambda: most_units(question, 5_000),
    }
    return {name: _median(search) for name, search in searches.items()}


def _median(call: Callable[[], object]) -> float:
    """Milliseconds, of what has not been asked before."""
    taken = []
    for _ in range(_ROUNDS):
        least_total.cache_clear()
        smallest_k_for.cache_clear()
        start = time.perf_counter()
        call()
        taken.append(1000 * (time.perf_counter() - start))
    return sorted(taken)[_ROUNDS // 2]


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    lines = [
        f"ε at δ = {figures['delta']:g}, relative sensitivity, k = {figures['k']:,}, "
        f"ε0 = {figures['epsilon0']:g}, at the best t for each count.",
        "",
        "| count | sequential | advanced | optimal | PLD |",
        "|---:|---:|---:|---:|---:|",
    ]
    for count, total in figures["totals"].items():
        columns = (total[name] for name in ("sequential", "advanced", "optimal", "pld"))
        lines.append(f"| {count:,} | {' | '.join(f'{epsilon:.5g}' for epsilon in columns)} |")
    lines += ["", "| m | optimal composition |", "|---:|---:|"]
    for count, milliseconds in figures["optimal_milliseconds"].items():
        lines.append(f"| {count:,} | {milliseconds:.2f} ms |")
    searches = (
        f"{name} {milliseconds:.0f} ms"
        for name, milliseconds in figures["planner_milliseconds"].items()
    )
    lines += ["", f"The planner: {', '.join(searches)}."]
    return "\n".join(lines)
