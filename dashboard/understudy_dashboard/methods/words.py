"""What pages say of plans of a method, in sentences; of any, by what its guarantee says.

A method that is to be spoken of otherwise has a module `words` in its folder here, with an object
`WORDS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

from understudy.evaluation.fitness import Use
from understudy.ledger.events import Debited
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import mechanism_of, mechanisms
from understudy.privacy.budget import Neighbours
from understudy_dashboard import words
from understudy_dashboard.methods.folders import module_of


class MethodWords:
    """What pages say of plans of any method.

    Attributes:
        another: what else a second run could be made with, and how to see beforehand what that
            would bring, in parts of sentences.
    """

    another: tuple[str, str] = ("another ε", "")

    def tables(self, decided: PlannedRun[Any]) -> str:
        """Return what the tables of an evaluation are, for somebody who has not met them."""
        return (
            "**Released** is what this run released. The other tables are there to compare with, "
            "and none of them was released."
        )

    def describe_plan(self, plan: MechanismPlan) -> str:
        """Return what a plan makes, in a word or a few, for a list of runs."""
        return mechanism_of(plan).title

    def list_settings(self, plan: MechanismPlan) -> Mapping[str, str]:
        """Return the settings that stand in a table of runs, by their headings."""
        return {}

    def cover_line(self, decided: PlannedRun[Any]) -> str:
        """Return what the total is about, in a line or two for the meter."""
        found = decided.guarantee
        if not found.total.bounded:
            return "Nothing is promised: the plan is run without noise."
        said = f"Covers: {words.escape(found.scope.covers)}"
        if found.neighbours is not Neighbours.TABLES:
            said += f" Between {found.compared}."
        if len(found.parts) < 2:
            return said
        parts = (f"{words.escape(each.of)} ({words.epsilon(each.cost.epsilon)})"
                 for each in found.parts)  # fmt: skip
        return f"{said} By part, ε: {', '.join(parts)}."

    def covers(self, decided: PlannedRun[Any]) -> str:
        """Return what the total covers, in a few sentences: those of the statement."""
        if not decided.guarantee.total.bounded:
            return "Nothing: the plan is run without noise, to compare."
        return words.escape(decided.guarantee.scope.covers)

    def describe_publishable(self, decided: PlannedRun[Any]) -> str:
        """Return what may leave the house after a run, in one sentence."""
        if not decided.guarantee.total.bounded:
            return "nothing, as nothing is promised."
        made = Counter(
            _lower_first(words.escape(each.about.rstrip("."))) for each in decided.outputs
        )
        outputs = "; ".join(
            about if times == 1 else f"{times} times {about}" for about, times in made.items()
        )
        return f"{outputs}; the settings; and the guarantee."

    def describe_release(self, decided: PlannedRun[Any]) -> str:
        """Return a sentence on what is released of which columns; "" for the whole table."""
        return ""

    def uses(self, decided: PlannedRun[Any]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return what a release is fit for, and what not, if nothing is foreseen of it; nothing by
        default."""
        return (), ()

    def explain_loss(self, decided: PlannedRun[Any]) -> str:
        """Return why a table that was released keeps no relations, as the end of a sentence."""
        return (
            "so it keeps no more than a table that ignores all relations: noise costs more here "
            "than relations are worth. A larger ε, or more records, would change that."
        )

    def advice(self, decided: PlannedRun[Any]) -> str | None:
        """Return what to say, and advise, where the total promises next to nothing."""
        return words.warn_large(decided.guarantee.total)

    def ledger(self, debit: Debited) -> Mapping[str, Any]:
        """Return what stands of a run in the account of its dataset, by its headings."""
        return {}


def _lower_first(sentence: str) -> str:
    """Return a sentence as part of another."""
    return sentence[:1].lower() + sentence[1:]


@cache
def plan_words(kind: str) -> MethodWords:
    """Return what pages say of plans of a method, installed or not."""
    found = module_of(kind, "words")
    said: MethodWords = MethodWords() if found is None else found.WORDS
    return said


def method_title(kind: str) -> str:
    """Return what a method is called; its kind where it is not installed."""
    found = mechanisms().get(kind)
    return kind if found is None else found.title
