"""A common scale of measures, the words for a place on it, and the four main questions.

On the scale 0 is the value of the worst reference, 1 that of the best. Measures have different
ranges: 0.02 is much for one and nothing for another. On a scale between the worst acceptable and
the best possible value they are comparable. The worst are the marginals, or a uniform model of
people's days; the best are other real records, or people.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from understudy.core.numerals import FIXED, UNKNOWN, fix_decimals
from understudy.evaluation.comparison import Compared
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.excess import chance_of_typical
from understudy.evaluation.measure import (
    BEST,
    MARGINALS,
    REALS,
    RELEASED,
    WORST,
    About,
    Finding,
    Interval,
    SubjectResult,
    reference,
)
from understudy.evaluation.registry import abouts


def has_references(finding: Finding) -> bool:
    """Return whether the best reference and the worst were both measured."""
    by = finding.by_subject
    return reference(by, BEST) is not None and reference(by, WORST) is not None


def standing(about: About, finding: Finding) -> Mapping[str, SubjectResult] | None:
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
        name: _score_between(_short(about, found), worst.value, span)
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

    def of(found: SubjectResult) -> float:
        if about.better == "as real":
            return abs(found.value - best.value)
        return _short(about, found).value - _short(about, best).value

    return {
        name: of(found) for name, found in finding.by_subject.items() if name not in (*BEST, *WORST)
    }


def _short(about: About, found: SubjectResult) -> SubjectResult:
    """Return the distance of a value from the best one: lower is better for every measure."""
    if about.ideal is not None:
        return _from_ideal(found, about.ideal)
    if about.better == "lower":
        return SubjectResult(found.value, found.interval)
    turned = None
    if found.interval is not None:
        turned = Interval(-found.interval.high, -found.interval.low)
    return SubjectResult(-found.value, turned)


def _from_ideal(found: SubjectResult, ideal: float) -> SubjectResult:
    value = abs(found.value - ideal)
    if found.interval is None:
        return SubjectResult(value)
    ends = sorted((abs(found.interval.low - ideal), abs(found.interval.high - ideal)))
    inside = found.interval.low <= ideal <= found.interval.high
    return SubjectResult(value, Interval(0.0 if inside else ends[0], ends[1]))


def _beyond_chance(best: SubjectResult, worst: SubjectResult, chance: float | None) -> bool:
    """Return whether the ends are further apart than chance moves them."""
    if best.interval is not None and worst.interval is not None:
        # NaN ends cannot be compared, and then there is no scale.
        return best.interval.high < worst.interval.low
    return chance is not None and worst.value - best.value > chance


def _score_between(found: SubjectResult, worst: float, span: float) -> SubjectResult:
    value = (worst - found.value) / span
    if found.interval is None:
        return SubjectResult(value)
    low, high = ((worst - end) / span for end in (found.interval.high, found.interval.low))
    return SubjectResult(value, Interval(low, high))


# From a share of what could be kept to words, so that the same share is the same words wherever it
# is told.

BELOW: Final = "◂"
BEYOND: Final = "▸"
"""Before what stands beyond an end of the way."""

_ALL: Final = "practically all"
_BANDS: Final = (
    (0.95, _ALL),
    (0.85, "nearly all"),
    (0.65, "most"),
    (0.55, "more than half"),
    (0.45, "about half"),
    (0.2, "less than half"),
    (0.05, "little"),
)
_NOTHING: Final = "next to nothing"


def kept_in_words(share: float) -> str:
    """Return how much that is in words: “nearly all (87 %)”, and no share beyond either end.

    The number is rounded first, so that no number stands beside the words of another.

    Args:
        share: of what other real records have more than a table without relations; nothing where
            a table is worse than that; above 1 where chance brought it nearer than real ones.
    """
    if math.isnan(share):
        return UNKNOWN
    if share < 0:
        return "nothing"
    points = round(100 * share)
    if points > 100:
        return _ALL
    said = next((words for least, words in _BANDS if points >= round(100 * least)), _NOTHING)
    return f"{said} ({points}{FIXED}%)"


def way_in_words(share: float, worst: str = MARGINALS) -> str:
    """Return how far of the way from the worst reference to the best, “50 % of the way”; no share
    beyond either end.

    Args:
        share: 0 at the worst, 1 at the best.
        worst: what the worst is called.
    """
    if math.isnan(share):
        return UNKNOWN
    if share < 0:
        return f"{BELOW} worse than {worst}"
    if share > 1:
        return f"{BEYOND} all of the way"
    return f"{fix_decimals(100 * share, 0)}{FIXED}% of the way"


# The four main questions about a synthetic table, each with a measure and references. Internal.
#
# Are single columns right, are relations between columns kept, do models learned from it work, and
# can its records be told from real ones. The first two are known of every run that released
# something; all four where everything was measured.

What = Literal["columns", "pairs", "prediction", "telling"]

MEASURES: Final[dict[What, str]] = {
    "columns": "total-variation",
    "pairs": "total-variation-pairs",
    "prediction": "accuracy",
    "telling": "distinguishing",
}
"""The key of the measure that answers each question."""


@dataclass(frozen=True)
class Aspect:
    """The answer to one question.

    Attributes:
        what: which question.
        about: the measure that answers it.
        released: the measurement of the released table.
        real, marginals: those of the references; None where they were not measured.
        placed: where the released table stands between the two, 0 as the marginals and 1 as
            other real records; None where there is no such scale.
    """

    what: What
    about: About
    released: SubjectResult
    real: SubjectResult | None
    marginals: SubjectResult | None
    placed: SubjectResult | None


def aspects(compared: Sequence[Compared], evaluation: Evaluation | None) -> tuple[Aspect, ...]:
    """Return the answers that are known, in the order of `MEASURES`; the evaluation's where there
    are two."""
    quick = {each.key: each for each in quick_aspects(compared)}
    found = []
    for what, key in MEASURES.items():
        full = None if evaluation is None else evaluation.finding(key)
        if full is not None and full.trouble:
            full = None
        finding = full or quick.get(key)
        aspect = None if finding is None else _aspect(what, abouts()[key], finding)
        if aspect is not None:
            found.append(aspect)
    return tuple(found)


def quick_aspects(compared: Sequence[Compared]) -> tuple[Finding, ...]:
    """Return the answers from what a run measured at its end: a typical column and a typical pair.

    Medians, without intervals; none where the table was too small.
    """
    if not compared:
        return ()
    singles = {each.name: SubjectResult(each.distances.typical_column) for each in compared}
    pairs = {each.name: SubjectResult(each.distances.typical_pair) for each in compared}
    chance = chance_of_typical(
        min(each.records for each in compared), len(compared[0].distances.pairs)
    )
    return (
        Finding(MEASURES["columns"], singles, chance=chance),
        Finding(MEASURES["pairs"], pairs, chance=chance),
    )


def _aspect(what: What, about: About, finding: Finding) -> Aspect | None:
    by = finding.by_subject
    known = {name: by.get(name) for name in (RELEASED, REALS, MARGINALS)}
    released, real, marginals = (
        each if each is not None and math.isfinite(each.value) else None for each in known.values()
    )
    if released is None:
        return None
    placed = standing(about, finding)
    return Aspect(what, about, released, real, marginals, (placed or {}).get(RELEASED))
