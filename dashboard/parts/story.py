"""What a run kept and lost, in three sentences and the figures behind them. Internal."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard import words
from engine.evaluation.figures import Figures
from engine.evaluation.pass_rate import ScoreSample
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise

REAL, MARGINALS, RELEASED = "other real records", "marginals", "released"


@dataclass(frozen=True)
class Typical:
    """How far a table typically is from held-out records: the median over all pairs."""

    released: float | None
    real: float | None
    marginals: float | None


def typical(figures: Figures) -> Typical:
    """The medians of the tables the story is about; None where a table is too small."""
    by_name = {each.name: each for each in figures.compared}
    found = (by_name.get(name) for name in (RELEASED, REAL, MARGINALS))
    return Typical(*(None if each is None else each.distances.typical_pair for each in found))


def story(figures: Figures, plan: Plan, made: Promise) -> tuple[str, ...]:
    """The sentences."""
    return (*_distances(typical(figures)), *_passing(figures, plan, made))


def _distances(found: Typical) -> tuple[str, ...]:
    if found.released is None:
        return ("Too few records were released, or held out, to measure what was kept.",)
    sentences = [
        f"Between released and held-out records, the shares of a typical pair of columns differ "
        f"by **{words.percent(found.released)}**."
    ]
    if found.real is not None:
        sentences.append(
            f"Other real records, as many of them, differ by {words.percent(found.real)}: no "
            "table can be expected to do better."
        )
    if found.marginals is not None:
        sentences.append(
            f"A table that ignores all relations between columns differs by "
            f"{words.percent(found.marginals)}{_verdict(found.released, found.marginals)}"
        )
    return tuple(sentences)


def _verdict(released: float, marginals: float) -> str:
    if released < marginals:
        return ": the released one kept something of those relations."
    return (
        ", no more than the released one. Noise in the model, and candidates turned down by the "
        "test, cost more here than relations between columns are worth; the figures for other ω "
        "below show whether another plan would do better."
    )


def _passing(figures: Figures, plan: Plan, made: Promise) -> tuple[str, ...]:
    sample = planned_sample(figures, plan)
    if sample is None:
        return ()
    rate = sample.pass_rate(plan.test, made.pass_cap)
    if made.seeds is None:
        return ("Every candidate passes, as nothing of a seed is kept.",)
    return (f"About {words.percent(rate)} of the candidates were expected to pass.",)


def planned_sample(figures: Figures, plan: Plan) -> ScoreSample | None:
    """The sample of the plan’s own ω, where one was drawn; of one number there is one reading."""
    wanted = plan.omega
    for sample in figures.samples:
        omega = sample.omega
        same_values = (omega.low, omega.high) == (wanted.low, wanted.high)
        if same_values and (wanted.fixed or omega.reading == wanted.reading):
            return sample
    return None
