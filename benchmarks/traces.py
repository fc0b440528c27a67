"""Made traces of the simulated city, beside other people of it and a plain grid-Markov model; the
same in another city, which nothing was tuned on; and the city beside real traces.

python -m benchmarks traces
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from statistics import fmean
from typing import Any, Final

import numpy as np

from benchmarks.grid_markov import grid_markov
from benchmarks.size import Size
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.mobility import counts
from understudy.evaluation.mobility.counts import Summed
from understudy.evaluation.mobility.days import Seen
from understudy.evaluation.mobility.measures.disclosure import told_apart
from understudy.evaluation.mobility.registry import MEASURES, compare_days
from understudy.mechanisms.mobility_evaluation import RealPeople, study_of_days
from understudy.mechanisms.traces.guarantee import deviations
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import OTHER_PATTERN, Days, anchors, numbers, stays
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import UNITS, added_up, layout
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import CELLS, SIDE, simulate
from understudy.samples.city import build_city as another
from understudy.table.positions.slots import SLOTS

DELTA: Final = 1e-6
_KM_A_SLOT: Final = 2.5
_WHERE: Final = Geography(rows=SIDE, columns=SIDE, km_a_slot=_KM_A_SLOT)
_DAY: Final = 2
_WEEK: Final = 7
_SIZES: Mapping[Size, tuple[int, int, int]] = {
    "full": (5_000, 5_000, 5),
    "quick": (500, 500, 2),
    "tiny": (60, 60, 1),
}
"""People who are counted, people who are compared with, and runs."""
_ASKED: Final = ((1.0, 1.0), (1.0, 0.5), (1.0, 2.0), (0.2, 1.0), (0.2, 5.0), (0.1, 5.0))
"""Of which share of the people, and at which ε."""
_BASELINE: Final = ((1.0, 1.0), (0.2, 1.0), (0.2, 5.0))
_ELSEWHERE: Final = ((1.0, 1.0), (0.2, 1.0))
_OTHER_CITY, _OTHER_PEOPLE = 7, 99
_MANY: Final = {"full": 100_000, "quick": 10_000, "tiny": 140}
"""Made days whose making is timed."""

FIGURES: Final = (
    "places", "kept", "jumps", "stays", "hours", "zones", "flows", "entering", "forest",
)  # fmt: skip
PUBLISHED: Final = {
    "radius of gyration, km, 10 %": 1.2,
    "radius of gyration, km, 50 %": 2.3,
    "radius of gyration, km, 90 %": 4.3,
    "stays a day": 4.1,
    "cells a day, median": 5.0,
    "exponent of visits, ranks 2 to 15": 1.99,
    "places after 14 days": 11.0,
    "exponent of their growth": 0.54,
    "visits away from home repeated in 20 to 28 hours": 0.173,
}
"""Of a simulated city whose figures lie among those of two sets of real traces (53 people of
GeoLife, 337 of Foursquare)."""


def measure(size: Size = "full") -> dict[str, Any]:
    """Figures of the city, of made traces by number of people and ε, and seconds."""
    counted, others, runs = _SIZES[size]
    began = time.process_time()
    people = simulate(counted + others).astype(np.int64)
    seconds: dict[str, float] = {
        "simulating, for each person": (time.process_time() - began) / len(people)
    }
    real = Seen(_one_day(people[counted:]), _WHERE)
    rows = _rows(people[:counted], real, _ASKED, runs, seconds)
    for share, epsilon in _BASELINE:
        some = people[: max(20, int(share * counted))]
        rows.append(_baseline(some, epsilon, others, real, runs))
    _timed(people[:counted], _MANY[size], seconds)
    seconds.update(_evaluating(people, counted, runs))
    city = people[:500]
    elsewhere = simulate(counted + others, _OTHER_PEOPLE, where=another(_OTHER_CITY))
    elsewhere = elsewhere.astype(np.int64)
    real = Seen(_one_day(elsewhere[counted:]), _WHERE)
    return {
        "delta": DELTA,
        "city": statistics(city),
        "listed": listed(city),
        "rows": rows,
        "elsewhere": _rows(elsewhere[:counted], real, _ELSEWHERE, runs, {}),
        "seconds": seconds,
    }


def _rows(
    people: np.ndarray,
    real: Seen,
    asked: tuple[tuple[float, float], ...],
    runs: int,
    seconds: dict[str, float],
) -> list[dict[str, Any]]:
    """What other real people come to, and made ones by number of people and ε."""
    others = len(real.days.cells)
    first = _beside(Seen(_one_day(people), _WHERE), real)
    rows: list[dict[str, Any]] = [{"people": len(people), "of": "other real people", **first}]
    for share, epsilon in asked:
        some = people[: max(20, int(share * len(people)))]
        found = [_run(some, epsilon, seed, others, real, seconds) for seed in range(runs)]
        mean = {name: fmean(each[name] for each in found) for name in FIGURES}
        rows.append({"people": len(some), "of": f"made, ε = {epsilon:g}", **mean})
    return rows


def _baseline(
    people: np.ndarray, epsilon: float, others: int, real: Seen, runs: int
) -> dict[str, Any]:
    days = _days(people)
    made_ = (grid_markov(days, _WHERE, epsilon, others, seed) for seed in range(runs))
    found = [_beside(Seen(each, _WHERE), real) for each in made_]
    mean = {name: fmean(each[name] for each in found) for name in FIGURES}
    return {"people": len(people), "of": f"grid-Markov, ε = {epsilon:g}", **mean}


def _timed(people: np.ndarray, many: int, seconds: dict[str, float]) -> None:
    """How long it takes for fewer days, for many made days, and on other maps."""
    began = time.process_time()
    added_up(_days(people[:, :7]), _WHERE)
    seconds[f"counting {len(people):,} people with 7 days"] = time.process_time() - began
    exact = added_up(_days(people), _WHERE)
    law = _law(exact, 1.0, 0)
    began = time.process_time()
    made_people(law, many // _WEEK, (False,) * 5 + (True,) * 2, RandomSource.fixed(0))
    seconds[f"making {many:,} days, a week for each person"] = time.process_time() - began
    for side in (10, 30):
        where = Geography(rows=side, columns=side, km_a_slot=_KM_A_SLOT)
        row, column = np.divmod(people, SIDE)
        cells = row * side // SIDE * side + column * side // SIDE
        noisy = added_up(_days(cells), where)
        began = time.process_time()
        fit_law(noisy, {table.name: 5.0 for table in layout(where)}, where)
        seconds[f"fitting a map of {side**2:,} cells"] = time.process_time() - began


def _run(
    people: np.ndarray,
    epsilon: float,
    seed: int,
    others: int,
    real: Seen,
    seconds: dict[str, float],
) -> dict[str, float]:
    began = time.process_time()
    exact = added_up(_days(people), _WHERE)
    counted = time.process_time()
    law = _law(exact, epsilon, seed)
    fit = time.process_time()
    days = made_people(law, others, (False,), RandomSource.fixed(seed))
    ended = time.process_time()
    seconds[f"counting {len(people):,} people"] = counted - began
    seconds["fitting"] = fit - counted
    seconds[f"making {others:,} days"] = ended - fit
    return _beside(Seen(days, _WHERE), real)


def _law(exact: Mapping[str, np.ndarray], epsilon: float, seed: int) -> Law:
    plan = TracesPlan(
        domain="", epsilon=epsilon, delta=DELTA, rows=SIDE, columns=SIDE, km_a_slot=_KM_A_SLOT
    )
    sigma, noise = deviations(plan), Noise(RandomSource.fixed(seed))
    noisy = {name: noise.gaussians(each, sigma[name] * UNITS) for name, each in exact.items()}
    return fit_law(noisy, sigma, _WHERE)


def _beside(made_: Seen, real: Seen) -> dict[str, float]:
    right, tried = told_apart(made_.features, real.features, 0)
    return {**compare_days(made_, real), "forest": right / tried}


def _evaluating(people: np.ndarray, counted: int, seed: int) -> dict[str, float]:
    """Seconds of a whole evaluation of as many made people as were counted, with all their days."""
    used, apart = (Seen(_days(some), _WHERE) for some in (people[:counted], people[counted:]))
    days = people.shape[1]
    law = _law(added_up(used.days, _WHERE), 1.0, seed)
    weekend = tuple(number % _WEEK >= 5 for number in range(days))
    release = Seen(made_people(law, counted, weekend, RandomSource.fixed(seed)), _WHERE)
    began = time.process_time()
    study = study_of_days(
        release, RealPeople(apart, used, is_held_out=True), counted, np.random.default_rng()
    )
    evaluate(study, MEASURES, lambda done, name: None)
    ended = time.process_time()
    return {f"evaluating {counted:,} people with {days} days": ended - began}


def _days(people: np.ndarray) -> Days:
    number = np.arange(people.shape[1])
    return Days(
        people.reshape(-1, SLOTS),
        np.tile(number % _WEEK >= 5, len(people)),
        np.repeat(np.arange(len(people)), len(number)),
    )


def _one_day(people: np.ndarray) -> Days:
    """One weekday of each."""
    cells = people[:, _DAY]
    return Days(cells, np.zeros(len(cells), dtype=bool), np.arange(len(cells)))


def statistics(people: np.ndarray) -> dict[str, float]:
    """What studies of human mobility report, of people's days (people, days, 72)."""
    seen = Seen(_days(people), _WHERE)
    gyration, known = counts.gyration(seen), counts.known_by_day(seen)
    kinds = np.sort(people.reshape(-1, SLOTS), axis=1)
    return {
        **{
            f"radius of gyration, km, {share} %": float(np.percentile(gyration, share))
            for share in (10, 50, 90)
        },
        "stays a day": len(seen.stays.day) / len(seen.days.cells),
        "cells a day, median": float(np.median(1 + (np.diff(kinds, axis=1) > 0).sum(axis=1))),
        "exponent of visits, ranks 2 to 15": float(
            counts.visit_exponent(_sums(counts.share_visits(seen)))[0]
        ),
        "places after 14 days": float(np.median(known[:, -1])),
        "exponent of their growth": float(
            counts.growth_exponent(_sums(counts.count_known_places(seen)))[0]
        ),
        "visits away from home repeated in 20 to 28 hours": float(
            counts.share_of_returns(_sums(counts.returns(seen)))[0]
        ),
    }


def listed(people: np.ndarray) -> float:
    """The share of people's days (people, days, 72) whose pattern is one of the public list."""
    days = _days(people)
    told = stays(days, anchors(days, CELLS), CELLS)
    return float((numbers(told, len(days.cells)) != OTHER_PATTERN).mean())


def _sums(tally: Summed) -> np.ndarray:
    """(1, size) what is summed, over everybody."""
    return tally.each.sum(axis=0)[None]


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        f"| people | days | {' | '.join(FIGURES)} |",
        f"|---:|---|{'---:|' * len(FIGURES)}",
    ]
    for row in rows:
        each = " | ".join(f"{row[name]:.3f}" for name in FIGURES)
        lines.append(f"| {row['people']:,} | {row['of']} | {each} |")
    return lines


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    lines = ["| The simulated city | ours | among real traces |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {value:.3g} | {PUBLISHED[name]:.3g} |"
        for name, value in figures["city"].items()
    ]
    lines += [
        "",
        f"{figures['listed']:.1%} of its days have a pattern of the public list.",
        "",
        f"A weekday of made people beside one of other people; δ = {figures['delta']:g}.",
        "",
        *_lines(figures["rows"]),
        "",
        "The same in another city, which nothing was tuned on.",
        "",
        *_lines(figures["elsewhere"]),
    ]
    lines += ["", "| | seconds of one core |", "|---|---:|"]
    lines += [f"| {name} | {each:.3g} |" for name, each in figures["seconds"].items()]
    return "\n".join(lines)
