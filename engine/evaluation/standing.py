"""A common scale of measures: 0 is the value of the marginals, 1 that of other real records.

Measures have different ranges: 0.02 is much for one and nothing for another. On a scale between the
worst acceptable and the best possible value they are comparable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.evaluation.finding import Finding, Interval, Measured
from engine.evaluation.measure import About
from engine.evaluation.study import MARGINALS, REALS


def has_references(finding: Finding) -> bool:
    """Whether other real records and the marginals were both measured."""
    return REALS in finding.by_subject and MARGINALS in finding.by_subject


def standing(about: About, finding: Finding) -> Mapping[str, Measured] | None:
    """Every subject's value on the scale, the references themselves left out.

    Intervals are those of the values alone: the references count as known.

    Returns:
        None where there is no such scale: a reference is missing or not a number, other real
        records are no better than the marginals, or not by being lower or higher, or the intervals
        of the two overlap.
    """
    if not has_references(finding) or about.better == "as real":
        return None
    best, worst = (_short(about, finding.by_subject[name]) for name in (REALS, MARGINALS))
    span = worst.value - best.value
    if not (math.isfinite(span) and span > 0) or _overlap(best, worst):
        return None
    return {
        name: _placed(_short(about, found), worst.value, span)
        for name, found in finding.by_subject.items()
        if name not in (REALS, MARGINALS)
    }


def _short(about: About, found: Measured) -> Measured:
    """The distance of a value from the best one: lower is better for every measure."""
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


def _overlap(best: Measured, worst: Measured) -> bool:
    if best.interval is None or worst.interval is None:
        return False
    # NaN ends cannot be compared, and then there is no scale.
    return not best.interval.high < worst.interval.low


def _placed(found: Measured, worst: float, span: float) -> Measured:
    value = (worst - found.value) / span
    if found.interval is None:
        return Measured(value)
    low, high = ((worst - end) / span for end in (found.interval.high, found.interval.low))
    return Measured(value, Interval(low, high))
