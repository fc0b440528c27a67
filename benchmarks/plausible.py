"""Days like given people's on the simulated city: how many come out, beside what was foreseen; how
long attempts and exact likelihoods take; and how common each key is.

python -m benchmarks plausible
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.core.arrays import CodeArray
from understudy.evaluation.mobility.days import Seen
from understudy.evaluation.mobility.registry import compare_days
from understudy.mechanisms.plausible_traces.attempts import KeptSchedules, Seeds, make_attempts
from understudy.mechanisms.plausible_traces.forecast import foresee_days, foreseen_of, passing
from understudy.mechanisms.plausible_traces.guarantee import promise
from understudy.mechanisms.plausible_traces.keys import (
    CARDINALITIES,
    KEEPS,
    keys_of,
    one_weekday,
    schedules_of,
)
from understudy.mechanisms.plausible_traces.mechanism import render_days
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import Days
from understudy.models.mobility.tables import noisy_tables, table_deviations
from understudy.models.prefix_index import Prefixes
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import SIDE, simulate
from understudy.table.positions.slots import SLOTS

_KM_A_SLOT: Final = 2.5
_WHERE: Final = Geography(rows=SIDE, columns=SIDE, km_a_slot=_KM_A_SLOT)
_DAY: Final = 2
_WEEK: Final = 7
_PEOPLE: Mapping[Size, int] = {"full": 20_000, "quick": 5_000, "tiny": 300}
_SEEDS: Mapping[Size, int] = {"full": 5_000, "quick": 1_000, "tiny": 60}
"""Seeds under which the likelihood of a candidate is asked for."""
_RUNS: Final = (
    (0.5, 1.0, 100),
    (0.5, 2.0, 100),
    (1.0, 1.0, 100),
    (1.0, 2.0, 100),
    (1.0, 2.0, 1_000),
)
"""Of which share of the people, at which ε, and how many attempts."""
_REPEATED: Final = 20
_MOST_SHARES: Final = 30
_LEAST_SHARE: Final = 0.002


def measure(size: Size = "full") -> dict[str, Any]:
    """Released days beside foreseen ones, what they keep, shares of keys, and seconds."""
    cells = simulate(_PEOPLE[size], days=_WEEK).astype(np.int64)
    runs, days = [], {}
    for share, epsilon, attempts in _RUNS:
        found, made = _run(cells[: int(share * len(cells))], epsilon, attempts)
        runs += found
        days = made or days
    return {
        "runs": runs,
        "kept": {name: _beside(each, cells) for name, each in days.items() if len(each.cells)},
        "shares": {name: _shares(cells, name) for name in KEEPS},
        "likelihood": _likelihood(cells[: _SEEDS[size]]),
    }


def _run(people: np.ndarray, epsilon: float, attempts: int) -> tuple[list[dict[str, Any]], Any]:
    """What comes out on average over some runs on the same people, for all that can be kept."""
    rows: list[dict[str, Any]] = []
    made_days: dict[str, Days] = {}
    for keeps in KEEPS:
        plan = PlausiblePlan(
            domain="", keeps=keeps, epsilon=epsilon, attempts=attempts, rows=SIDE, columns=SIDE,
            km_a_slot=_KM_A_SLOT, public_people=len(people),
        )  # fmt: skip
        try:
            made = promise(plan)
        except ValueError as refused:
            rows.append({"people": len(people), "epsilon": epsilon, "attempts": attempts,
                         "keeps": keeps, "refused": str(refused)})  # fmt: skip
            continue
        random = RandomSource.fixed(7)
        coins = random.uniforms(len(people))
        law = _law(_days(people[coins >= plan.seeds + plan.held_out]), plan, made.rho)
        seeds = Seeds(
            keys_of(one_weekday(_days(people[coins < plan.seeds]), _WHERE, random), keeps)
        )
        began = time.process_time()
        model, released = KeptSchedules(law, keeps), 0
        for _ in range(_REPEATED):
            passed, drafts = make_attempts(model, seeds, made.decision, attempts, random)
            released += len(passed)
        seconds = time.process_time() - began
        if len(passed):
            made_days[keeps] = render_days(law, drafts)
        rows.append(
            {
                "people": len(people),
                "epsilon": epsilon,
                "attempts": attempts,
                "keeps": keeps,
                "k": made.test.k,
                "city": foresee_days(plan, made),
                "tables": foreseen_of(plan, made, law),
                "mean": attempts * passing(made, seeds),
                "released": released / _REPEATED,
                "seconds": seconds / _REPEATED,
            }
        )
    return rows, made_days


def _law(days: Days, plan: PlausiblePlan, rho: float) -> Law:
    noisy = noisy_tables(days, _WHERE, rho, Noise(RandomSource.fixed(3)))
    return fit_law(noisy, table_deviations(_WHERE, rho), _WHERE)


def _days(people: np.ndarray) -> Days:
    number = np.arange(people.shape[1])
    return Days(
        people.reshape(-1, SLOTS),
        np.tile(number % _WEEK >= 5, len(people)),
        np.repeat(np.arange(len(people)), len(number)),
    )


def _beside(made: Days, people: np.ndarray) -> dict[str, float]:
    cells = people[: max(len(made.cells), 1_000), _DAY]
    real = Days(cells, np.zeros(len(cells), dtype=bool), np.arange(len(cells)))
    return compare_days(Seen(made, _WHERE), Seen(real, _WHERE))


def _shares(people: np.ndarray, keeps: Any) -> list[float]:
    """How common the commonest keys of weekdays are."""
    days = _days(people)
    every = schedules_of(days, _WHERE)
    kept = keys_of(every.take(every.usable & ~days.weekend), keeps)
    found = -np.sort(-Prefixes.of(kept, CARDINALITIES).counts / len(kept))[:_MOST_SHARES]
    return [round(float(each), 4) for each in found if each >= _LEAST_SHARE]


def _likelihood(people: np.ndarray) -> dict[str, float]:
    """Seconds for the exact likelihood of one candidate under every seed, and by the plain loop,
    which asks about one seed after another."""
    days = _days(people)
    plan = PlausiblePlan(domain="", rows=SIDE, columns=SIDE, km_a_slot=_KM_A_SLOT)
    model = KeptSchedules(_law(days, plan, promise(plan).rho), "pattern")
    random = RandomSource.fixed(5)
    seeds = keys_of(one_weekday(days, _WHERE, random), "pattern")
    candidate = model.propose(seeds[:1], random)
    _ = model.log_likelihood(seeds, candidate)
    began = time.process_time()
    for _ in range(_REPEATED):
        fast = model.log_likelihood(seeds, candidate)[:, 0]
    quick = (time.process_time() - began) / _REPEATED
    began = time.process_time()
    plain = np.array([plain_likelihood(model, seed[None], candidate) for seed in seeds])
    slow = time.process_time() - began
    if not np.array_equal(fast, plain):
        raise AssertionError("the plain loop comes to other likelihoods")
    return {"seeds": len(seeds), "all at once": quick, "plain loop": slow, "factor": slow / quick}


def plain_likelihood(model: KeptSchedules, seed: CodeArray, candidate: CodeArray) -> float:
    """ln p_d(y) of one seed and one candidate."""
    if not np.array_equal(model.keys(candidate)[0], seed[0]):
        return -math.inf
    return float(model.log_chance(candidate)[0])


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    lines = [
        "| people | ε | attempts | kept | k | from the city | from noisy tables | by the seeds "
        "| released | seconds |",
        "|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in figures["runs"]:
        head = f"| {row['people']:,} | {row['epsilon']:g} | {row['attempts']:,} | {row['keeps']} "
        if "refused" in row:
            lines.append(head + "| refused | | | | | |")
            continue
        lines.append(
            head + f"| {row['k']:,} | {row['city']:.1f} | {row['tables']:.1f} | {row['mean']:.1f} "
            f"| {row['released']:.1f} | {row['seconds']:.3f} |"
        )
    lines += ["", "Made days beside a weekday of real people, at the last of these:", ""]
    lines += [
        f"{keeps}: " + ", ".join(f"{name} {each:.3f}" for name, each in found.items())
        for keeps, found in figures["kept"].items()
    ]
    lines += ["", "Shares of the commonest keys of weekdays:", ""]
    lines += [f'    "{keeps}": {tuple(each)},' for keeps, each in figures["shares"].items()]
    told = figures["likelihood"]
    lines += [
        "",
        f"The exact likelihood of a candidate under {told['seeds']:,} seeds: "
        f"{1000 * told['all at once']:.2f} ms, by the plain loop {1000 * told['plain loop']:.0f} "
        f"ms: {told['factor']:.0f} times.",
    ]
    return "\n".join(lines)
