"""What chapter 7 says of its tables and figures, and whether it holds here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.comparison import Comparison, Numbers, StudyClaim
from understudy.studies.traces.publication import FAKES, RANDOM, REAL, SINGLE, UNIFORM
from understudy.studies.traces.setting import NUMBERS, OWN, POPULAR, WALK

_BASELINES: Final = (UNIFORM, POPULAR, WALK, OWN)
"""The published ones of Figure 7.9."""
_ALIKE: Final = 0.7
_LINEAR: Final = 0.95


def claims(
    tables: Sequence[Comparison], real: FloatArray, fakes: FloatArray
) -> tuple[StudyClaim, ...]:
    """Return every claim.

    Args:
        tables: every comparison.
        real, fakes: sim_S of pairs of real people, and of pairs of fakes.
    """
    numbers = Numbers(tables)
    return (
        _profiles(numbers),
        *(_visits(numbers, measure) for measure in ("KL divergence, nats", "Relative error")),
        _judge_coverage(numbers),
        _times(numbers),
        _nearer(numbers),
        _aggregates(numbers),
        _resemblance(numbers),
        _quantiles(real, fakes),
        *_service(numbers),
        *_costs(numbers),
    )


def _profiles(numbers: Numbers) -> StudyClaim:
    geo, sem = (numbers.ours("Figure 7.2", name, "50 %") for name in ("sim_G", "sim_S"))
    assert geo is not None
    assert sem is not None
    return StudyClaim(
        "People are geographically unlike and semantically alike.",
        "Figure 7.2",
        f"Medians: sim_G {geo:.3f}, sim_S {sem:.3f}.",
        geo < 0.1 and sem > 0.5,
        "the median of sim_G is below 0.1, that of sim_S above 0.5",
    )


def _visits(numbers: Numbers, measure: str) -> StudyClaim:
    found = dict(numbers.all_of("Table 7.1", measure))
    of = {kind: value for (_, kind), value in found.items()}
    holds = of[REAL] < of[FAKES] < min(of[UNIFORM], of[SINGLE])
    return StudyClaim(
        f"{measure}: fakes are further from day 1 than day 2 is, and nearer than other baselines.",
        "Table 7.1",
        ", ".join(f"{kind} {value:.3f}" for kind, value in of.items()) + ".",
        holds,
        because=""
        if holds
        else "most locations are visited by nobody here, where the relative error of one place "
        "alone is next to nothing",
    )


def _judge_coverage(numbers: Numbers) -> StudyClaim:
    tops = [
        (top, value, numbers.ours("Figure 7.4", UNIFORM, top))
        for (_, top), value in numbers.all_of("Figure 7.4", FAKES)
        if top.startswith("top ")
    ]
    ahead = sum(other is not None and value > other for _, value, other in tops)
    least = numbers.ours("Figure 7.4", FAKES, "least") or 0.0
    return StudyClaim(
        "The top locations are covered to 61 % and more, far beyond visits of all alike.",
        "Figure 7.4",
        f"{least:.0%} and more; beyond visits of all alike for {ahead} of {len(tops)} tops.",
        least >= 0.61 and ahead == len(tops),
        because=""
        if least >= 0.61
        else "a fake never is where its seed is (p_l = 1), and the few most visited cells here are "
        "homes and workplaces of single people",
    )


def _times(numbers: Numbers) -> StudyClaim:
    beyond = []
    for rank in ("1st", "2nd", "3rd"):
        of = {kind: value for (_, kind), value in numbers.all_of("Table 7.2", rank)}
        beyond.append(of[FAKES] < min(of[UNIFORM], of[RANDOM]))
    return StudyClaim(
        "The time in each user's top three places is nearer to day 1 than baselines are.",
        "Table 7.2",
        f"For {sum(beyond)} of {len(beyond)} places.",
        all(beyond),
        because="" if all(beyond) else "people here have few places on a day, and fakes fewer",
    )


def _nearer(numbers: Numbers) -> StudyClaim:
    ranks = ("1st", "2nd", "3rd")
    pairs = [[numbers.ours("Table 7.2", rank, kind) for kind in (FAKES, REAL)] for rank in ranks]
    nearer = sum(one is not None and two is not None and one < two for one, two in pairs)
    return StudyClaim(
        "Sometimes the time in top places is nearer to day 1 than that of day 2 is.",
        "Table 7.2",
        f"For {nearer} of {len(ranks)} places.",
        nearer > 0,
    )


def _aggregates(numbers: Numbers) -> StudyClaim:
    found = [value for _, value in numbers.all_of("Aggregates", FAKES)]
    holds = min(found) >= _ALIKE
    return StudyClaim(
        "Aggregate mobility of fakes is strongly like that of day 1.",
        "section 7.3 (e)",
        f"Steps {found[0]:.2f}, places {found[1]:.2f}.",
        holds,
        f"both are {_ALIKE:g} or more (0.81 and 0.79 were printed)",
        "" if holds else "30 people leave most of the 400 cells to one or none of them",
    )


def _resemblance(numbers: Numbers) -> StudyClaim:
    mean = numbers.ours("Figures 7.6 to 7.8", "sim_S of a seed and its fake, mean", "–") or 0.0
    return StudyClaim(
        "sim_S of seeds and their fakes is biased high.",
        "Figure 7.7",
        f"Mean {mean:.2f}.",
        mean > 0.5,
        "the mean is above ½",
    )


def _quantiles(real: FloatArray, fakes: FloatArray) -> StudyClaim:
    levels = np.arange(1, 100)
    one, other = (np.percentile(each, levels) for each in (real, fakes))
    known = min(one.std(), other.std()) > 0
    line = float(np.corrcoef(one, other)[0, 1]) if known else 0.0
    return StudyClaim(
        "Similarities among fakes and among people are strongly linearly related.",
        "Figure 7.8",
        f"Correlation of percentiles {line:.3f}.",
        line > _LINEAR,
        f"the correlation of percentiles is above {_LINEAR:g}",
    )


def _service(numbers: Numbers) -> tuple[StudyClaim, StudyClaim]:
    def read_misses(kind: str, number: int) -> float:
        return numbers.ours("Figure 7.9, privacy", kind, str(number), "naive") or 0.0

    most = {n: max(read_misses(kind, n) for kind in _BASELINES) for n in NUMBERS}
    best = all(read_misses(FAKES, n) >= most[n] for n in NUMBERS)
    clearly = all(read_misses(FAKES, n) > most[n] for n in NUMBERS[:-1])
    closest = [max(_BASELINES, key=lambda kind, n=n: read_misses(kind, n)) for n in NUMBERS]  # type: ignore[misc]
    return (
        StudyClaim(
            "The published fakes clearly outperform all others.",
            "Figure 7.9",
            "; ".join(
                f"{n} fakes: {read_misses(FAKES, n):.2f}, the best other {read_misses(each, n):.2f}"
                for n, each in zip(NUMBERS, closest, strict=True)
            )
            + ".",
            best and clearly,
            "the published adversary misses as much as with any other kind, and more where there "
            "are fewer than ten fakes, of which every place may be missed",
            "the published adversary is not the strongest",
        ),
        StudyClaim(
            "Of the others, walks of one's own come closest in privacy.",
            "Figure 7.9",
            f"Closest are {', '.join(dict.fromkeys(closest))}.",
            set(closest) == {OWN},
            because=""
            if set(closest) == {OWN}
            else "people here keep to so few places that walks of their own often stand where they "
            "are",
        ),
    )


def _costs(numbers: Numbers) -> tuple[StudyClaim]:
    def read_sent(kind: str, number: int) -> float:
        return numbers.ours("Figure 7.9, cost", kind, str(number), "locations") or 0.0

    others = (UNIFORM, POPULAR, WALK)
    less = [
        max(read_sent(FAKES, n), read_sent(OWN, n)) < min(read_sent(each, n) for each in others)
        for n in NUMBERS
    ]
    said = "; ".join(
        f"{n} fakes: {read_sent(FAKES, n):.2f} and {read_sent(OWN, n):.2f}, others from "
        f"{min(read_sent(each, n) for each in others):.2f}"
        for n in NUMBERS
    )
    return (
        StudyClaim(
            "Published fakes and walks of one's own send fewer different locations.",
            "Figure 7.9",
            f"{said}.",
            all(less),
            "fewer a query than all of the other three, whatever the number of fakes",
            ""
            if all(less)
            else "a single fake never is where its seed is, and a popular place sometimes is",
        ),
    )
