"""How many candidates pass. Internal."""

from __future__ import annotations

from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard import words


def passing(figures: Figures, plan: Plan, made: Promise) -> str:
    """Return how many candidates pass, in a sentence; "" where none were scored or nothing is
    tested."""
    sample = planned_sample(figures, plan)
    if sample is None or made.seeds is None:
        return ""
    rate = sample.pass_rate(plan.test, made.pass_cap)
    return f"About {words.percent(rate)} of the candidates were expected to pass the privacy test."


def planned_sample(figures: Figures, plan: Plan) -> ScoreSample | None:
    """Return the sample of the plan’s own ω, where one was drawn; of one number there is one
    reading."""
    wanted = plan.omega
    for sample in figures.samples:
        omega = sample.omega
        same_values = (omega.low, omega.high) == (wanted.low, wanted.high)
        if same_values and (wanted.fixed or omega.reading == wanted.reading):
            return sample
    return None
