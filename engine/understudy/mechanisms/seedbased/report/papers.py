"""The settings of a plan of seedbased synthesis in words, its terms, and how its cost grows."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from understudy.core import numerals
from understudy.core.numerals import percent
from understudy.mechanisms.fields import StatedSetting
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.growth import grow_guarantee
from understudy.report.papers import PaperFigure, PaperMeasurements, stated_settings
from understudy.report.svg import CurveChart, draw_curve_chart

_POINTS: Final = 24


_TERMS: Final = (
    ("Buckets", "The coarser values that a column takes where it helps to predict another."),
)
_OF_SEEDS: Final = (
    ("Attempt", "A record is drawn as a seed, a candidate is made from it, and the privacy test "
     "lets the candidate through or not."),
    ("Candidate", "A proposed synthetic record, before the privacy test."),
    ("Plausible seeds", "Records that could have made the candidate about as likely as its own "
     "seed did. The privacy test asks for enough of them."),
    ("Seed", "A record that a candidate is made from: some of its values are copied, the others "
     "are drawn from the model."),
)  # fmt: skip


class SeedbasedPapers:
    """What there is to be said of plans of seedbased synthesis."""

    def terms(self, decided: PlannedRun[Plan]) -> tuple[tuple[str, str], ...]:
        """Return what its plans speak of: of seeds only where there are any."""
        without = decided.guarantee.account_as(Promise).seeds is None
        return _TERMS if without else (*_TERMS, *_OF_SEEDS)

    def settings(self, decided: PlannedRun[Plan]) -> tuple[StatedSetting, ...]:
        """Return all settings of a plan that have a use."""
        return stated_settings(decided)

    def figure(self, decided: PlannedRun[Plan]) -> PaperFigure | None:
        """Return how the ε of the attempts grows with their number."""
        seeds = decided.guarantee.account_as(Promise).seeds
        return None if seeds is None else _growth(seeds, decided.plan.t)

    def measurements(self, folder: Path, decided: PlannedRun[Plan]) -> PaperMeasurements | None:
        """Return distances, and how often candidates were expected to pass."""
        figures = RunFigures.load(folder)
        if figures is None:
            return None
        plan = decided.plan
        sample = next((each for each in figures.samples if each.is_of(plan.omega)), None)
        promise = decided.guarantee.account_as(Promise)
        if sample is None or promise.seeds is None:
            return PaperMeasurements(figures.compared)
        rate = sample.pass_rate(plan.test, promise.pass_cap)
        said = f"About {percent(rate)} of the candidates were expected to pass the privacy test."
        return PaperMeasurements(figures.compared, (said,))


PAPERS: Final = SeedbasedPapers()


def _growth(seeds: Account, t: int | None) -> PaperFigure | None:
    """Return how the ε of the attempts grows with their number; None where nothing is promised."""
    if seeds.unit is None or not seeds.record.bounded:
        return None
    counts = np.union1d(
        np.geomspace(1, max(100_000, 10 * seeds.count), _POINTS).round().astype(np.int64),
        [seeds.count],
    )
    grown = grow_guarantee(seeds, counts, t=t)
    what = f"{seeds.counts}s"
    here = f"this run: {seeds.counted}, ε = {numerals.epsilon(seeds.record.epsilon)}"
    alt = (
        f"ε for one record against the number of {what}, rising; {here}. Both axes are logarithmic."
    )
    drawn = CurveChart(
        counts.tolist(),
        grown.total.tolist(),
        (seeds.count, seeds.record.epsilon),
        here,
        f"number of {what} that look at a seed",
        "ε for one record",
    )
    return PaperFigure(draw_curve_chart(drawn, alt), alt)
