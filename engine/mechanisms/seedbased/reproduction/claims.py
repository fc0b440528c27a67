"""Claims of the published text about its figures, and whether they hold here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.evaluation.evaluation import Evaluation
from engine.evaluation.finding import Measured
from engine.evaluation.study import MARGINALS
from engine.mechanisms.seedbased.reproduction import published
from engine.mechanisms.seedbased.reproduction.results import Passing, Timed
from engine.mechanisms.seedbased.reproduction.wording import seconds
from engine.models.omega import Omega

HOW_DECIDED = (
    "“Clearly worse” is decided as: the interval of the marginals' median, at 95 %, lies above "
    "that of every synthetic table. “Competitive” is decided as: it does not."
)


@dataclass(frozen=True)
class Claim:
    """A sentence of the published text, held against what was found.

    Attributes:
        said: the sentence, in our words.
        source: where it stands.
        ours: what was found, in words.
        holds: whether it holds here; None where that could not be found out.
    """

    said: str
    source: str
    ours: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """Whether it holds, in words."""
        return {True: "holds", False: "does not hold", None: "not found out"}[self.holds]


def passing_claim(passing: Sequence[Passing]) -> Claim:
    """More than half of the candidates pass at k = 100 where ω is drawn from its widest range."""
    low, high = published.PASSING_OMEGA
    wanted = str(Omega(low=low, high=high))
    found = next((each for each in passing if each.omega == wanted), None)
    rate = None if found is None else found.at(published.PASSING_K)
    return Claim(
        f"More than half of the candidates pass at k = {published.PASSING_K} where ω is drawn "
        f"from {wanted} (γ = {published.PASSING_GAMMA:g}).",
        "Figure 6",
        "" if rate is None else f"{rate:.1%} pass.",
        None if rate is None else rate > published.PASSING_RATE,
    )


def timing_claim(timed: Sequence[Timed]) -> Claim:
    """10,000 records take one core less than ten minutes."""
    wanted = published.TIMED_RECORDS
    found = next((each for each in timed if each.records == wanted), None)
    return Claim(
        f"One core releases {wanted:,} records in less than "
        f"{published.TIMED_SECONDS / 60:.0f} minutes, {wanted / published.TIMED_SECONDS:.0f} a "
        f"second or more (ω = {published.TIMED_OMEGA}).",
        "Figure 5",
        ""
        if found is None
        else f"{seconds(found.seconds)}, {found.records / found.seconds:,.0f} a second.",
        None if found is None else found.seconds < published.TIMED_SECONDS,
    )


def single_claim(evaluation: Evaluation, key: str) -> Claim:
    """The marginals are competitive on single columns."""
    found = _distances(evaluation, key)
    return Claim(
        "The marginals are competitive on single columns.",
        "Figure 3",
        _said(found),
        None if not _known(found) else not _above(found[MARGINALS], _synthetic(found)),
    )


def pairs_claim(evaluation: Evaluation, key: str) -> Claim:
    """The marginals are clearly worse than every synthetic table on pairs of columns."""
    found = _distances(evaluation, key)
    return Claim(
        "The marginals are clearly worse on pairs of columns.",
        "Figure 4",
        _said(found),
        None if not _known(found) else _above(found[MARGINALS], _synthetic(found)),
    )


def _distances(evaluation: Evaluation, key: str) -> Mapping[str, Measured]:
    finding = evaluation.finding(key)
    return {} if finding is None else finding.by_subject


def _synthetic(found: Mapping[str, Measured]) -> list[Measured]:
    return [each for name, each in found.items() if name.startswith("ω = ")]


def _known(found: Mapping[str, Measured]) -> bool:
    return MARGINALS in found and bool(_synthetic(found))


def _above(one: Measured, others: Sequence[Measured]) -> bool:
    """Whether the interval of one lies above those of all others; values stand for those not
    known."""
    low = one.value if one.interval is None else one.interval.low
    return all(
        low > (each.value if each.interval is None else each.interval.high) for each in others
    )


def _said(found: Mapping[str, Measured]) -> str:
    medians = ", ".join(f"{name} {each.value:.4f}" for name, each in found.items())
    return f"Medians: {medians}." if found else ""
