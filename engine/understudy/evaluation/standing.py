"""A common scale of measures: 0 is the value of the worst reference, 1 that of the best.

Measures have different ranges: 0.02 is much for one and nothing for another. On a scale between the
worst acceptable and the best possible value they are comparable. The worst are the marginals, or a
uniform model of people's days; the best are other real records, or people.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from understudy.evaluation.finding import Finding, Interval, Measured
from understudy.evaluation.measure import About
from understudy.evaluation.study import BEST, WORST, reference


def has_references(finding: Finding) -> bool:
    """Return whether the best reference and the worst were both measured."""
    by = finding.by_subject
    return reference(by, BEST) is not None and reference(by, WORST) is not None


def standing(about: About, finding: Finding) -> Mapping[str, Measured] | None:
    """Return every subject's value on the scale, without the references themselves.

    Intervals are those of the values alone: the references count as known.

    Returns:
        None where there is no such scale: a reference is missing or not a number, other real
        records are no better than the marginals, or not by being lower or higher, or chance may
        have set the two apart, or nothing says that it did not.
    """
    ends = [reference(finding.by_subject, names) for names in (BEST, WORST)]
    if about.better == "as real" or ends[0] is None or ends[1] is None:
        return None
    best, worst = (_short(about, each) for each in ends if each is not None)
    span = worst.value - best.value
    if not (math.isfinite(span) and span > 0) or not _beyond_chance(best, worst, finding.chance):
        return None
    return {
        name: _placed(_short(about, found), worst.value, span)
        for name, found in finding.by_subject.items()
        if name not in (*BEST, *WORST)
    }


def excess(about: About, finding: Finding) -> Mapping[str, float]:
    """Return how much further off every table is than other real records, or people; below 0 where
    it is nearer. Where no way is better, how far it is from them either way.

    Returns:
        By table, the references left out; nothing where no others were measured, and of what is
        disclosed: a risk is nothing to be kept or lost, and real records are the worst of it.
    """
    best = reference(finding.by_subject, BEST)
    if best is None or about.group == "disclosure":
        return {}

    def of(found: Measured) -> float:
        if about.better == "as real":
            return abs(found.value - best.value)
        return _short(about, found).value - _short(about, best).value

    return {
        name: of(found) for name, found in finding.by_subject.items() if name not in (*BEST, *WORST)
    }


def _short(about: About, found: Measured) -> Measured:
    """Return the distance of a value from the best one: lower is better for every measure."""
    if about.ideal is not None:
        return _from_ideal(found, about.ideal)
    if about.better == "lower":
        return Measured(found.value, found.interval)
    turned = None
    if found.interval is not None:
        turned = Interval(-found.interval.high, -found.interval.low)
    return Measured(-found.value, turned)


def _from_ideal(found: Measured, ideal: float) -> Measured:
    value = abs(found.value - ideal)
    if found.interval is None:
        return Measured(value)
    ends = sorted((abs(found.interval.low - ideal), abs(found.interval.high - ideal)))
    inside = found.interval.low <= ideal <= found.interval.high
    return Measured(value, Interval(0.0 if inside else ends[0], ends[1]))


def _beyond_chance(best: Measured, worst: Measured, chance: float | None) -> bool:
    """Return whether the ends are further apart than chance moves them."""
    if best.interval is not None and worst.interval is not None:
        # NaN ends cannot be compared, and then there is no scale.
        return best.interval.high < worst.interval.low
    return chance is not None and worst.value - best.value > chance


def _placed(found: Measured, worst: float, span: float) -> Measured:
    value = (worst - found.value) / span
    if found.interval is None:
        return Measured(value)
    low, high = ((worst - end) / span for end in (found.interval.high, found.interval.low))
    return Measured(value, Interval(low, high))
