"""What pages say of plans of made traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.evaluation.fitness import Use
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.traces.plan import TracesPlan
from understudy_dashboard import words
from understudy_dashboard.methods.words import MethodWords


class TracesWords(MethodWords):
    """As `MethodWords`."""

    another: tuple[str, str] = ("another ε, or a coarser map", "")

    def describe_plan(self, plan: MechanismPlan) -> str:
        """Return how many people are made, with how many days."""
        assert isinstance(plan, TracesPlan)
        return describe_making(plan)

    def list_settings(self, plan: MechanismPlan) -> Mapping[str, str]:
        """Return the size of the map, and how many people are made."""
        assert isinstance(plan, TracesPlan)
        return {"Cells": f"{plan.where.cells:,}", "People made": f"{plan.traces:,}"}

    def cover_line(self, decided: PlannedRun[TracesPlan]) -> str:
        """Answer as `MethodWords`, without the many tables that the noise is on."""
        return f"Covers each person with all of their days. {self.covers(decided)}"

    def uses(self, decided: PlannedRun[TracesPlan]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return what a release is fit for, and what not."""
        return (
            Use("How many people are where, hour by hour", "counted of all, with noise"),
            Use("Ways between zones, and how far people go", "counted of all, with noise"),
        ), (
            Use("Rare places and rare days", "noise covers what few people do"),
            Use("Following one person", "nobody in it exists"),
        )

    def explain_loss(self, decided: PlannedRun[TracesPlan]) -> str:
        """Answer as `MethodWords`."""
        return "so its map is little but noise: a larger ε, more people or larger cells help."


def describe_making(plan: TracesPlan) -> str:
    """Return a text such as “1,000 people with 7 days”."""
    people = words.count(plan.traces, "person", "people")
    return f"{people} with {words.count(plan.days, 'day')}"


WORDS: Final = TracesWords()
