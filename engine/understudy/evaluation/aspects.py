"""The four main questions about a synthetic table, each with a measure and references. Internal.

Are single columns right, are relations between columns kept, do models learned from it work, and
can its records be told from real ones. The first two are known of every run that released
something; all four where everything was measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from understudy.evaluation.comparison import Compared
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.excess import chance_of_typical
from understudy.evaluation.finding import Finding, Measured
from understudy.evaluation.measure import About
from understudy.evaluation.registry import abouts
from understudy.evaluation.standing import standing
from understudy.evaluation.study import MARGINALS, REALS, RELEASED

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
    released: Measured
    real: Measured | None
    marginals: Measured | None
    placed: Measured | None


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
    singles = {each.name: Measured(each.distances.typical_column) for each in compared}
    pairs = {each.name: Measured(each.distances.typical_pair) for each in compared}
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
