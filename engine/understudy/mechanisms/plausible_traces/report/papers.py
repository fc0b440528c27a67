"""The settings of a plan with the test that follows from them, and terms."""

from __future__ import annotations

from typing import Final

from understudy.core.numerals import significant
from understudy.mechanisms.fields import StatedSetting
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plausible_traces.forecast import foresee_days
from understudy.mechanisms.plausible_traces.guarantee import Promise
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.report.papers import PlainPapers

_TERMS: Final[tuple[tuple[str, str], ...]] = (
    ("Attempt", "A day of a seed is drawn, a day that keeps its key is made, and the privacy "
     "test lets it through or not."),
    ("Key", "What a made day keeps of a real one, such as that somebody was at home, at work "
     "and at home again."),
    ("Seed", "A person of whom one weekday, drawn by chance, may be made into other days."),
)  # fmt: skip


class PlausiblePapers(PlainPapers):
    """What there is to be said of plans of days like given people's."""

    def terms(self, decided: PlannedRun[PlausiblePlan]) -> tuple[tuple[str, str], ...]:
        """Return what its plans speak of."""
        return _TERMS

    def settings(self, decided: PlannedRun[PlausiblePlan]) -> tuple[StatedSetting, ...]:
        """Return every setting with its value, and what the test and the forecast follow to."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        return (
            *super().settings(decided),
            StatedSetting(
                "k of the test", f"{made.test.k:,}",
                "About so many other seeds have to have the key of a made day.",
            ),
            StatedSetting(
                "ε0 of the test", f"{made.test.epsilon0:g}",
                "The noise on k has a scale of one in this.",
            ),
            StatedSetting(
                "Days foreseen", significant(foresee_days(plan, made), 2),
                "So many come out where people live as in the simulated city. Only common keys get "
                "through, so shares among made days are not shares among people.",
            ),
        )  # fmt: skip


PAPERS: Final = PlausiblePapers()
