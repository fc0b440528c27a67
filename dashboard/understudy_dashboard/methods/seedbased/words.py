"""What pages say of plans of seedbased synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from understudy.ledger.events import Debited
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.seedbased.fields.of_candidates import PROTOCOLS
from understudy.mechanisms.seedbased.fields.of_test import TESTS
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import foreseen_of, unrelated_columns
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard import sentences, words
from understudy_dashboard.methods.seedbased import sentences as own
from understudy_dashboard.methods.words import MethodWords


class SeedbasedWords(MethodWords):
    """What pages say of plans of seedbased synthesis."""

    another = (
        "another ε",
        "; the Privacy page shows without spending what other settings would bring",
    )

    def tables(self, decided: PlannedRun) -> str:
        """As `MethodWords`; without seeds there are no candidates to compare with."""
        if decided.plan_as(Plan).shares.seeds == 0:
            return super().tables(decided)
        return (
            "**Released** is your synthetic table. **Before the test** are candidates that no "
            "privacy test has sorted yet. **ω = …** are candidates that passed it, with so many "
            "columns drawn afresh from the model and the others copied from a real record: at the "
            "plan’s own ω and at other choices, to compare with. None of those was released."
        )

    def planned(self, plan: MechanismPlan) -> str:
        """Return how much a plan makes: attempts or records, or rows where nothing is made from a
        seed."""
        assert isinstance(plan, Plan)
        if plan.shares.seeds == 0:
            return words.count(plan.attempts, "row")
        return words.counted(plan.protocol, plan.attempts)

    def listed(self, plan: MechanismPlan) -> Mapping[str, str]:
        """ω, and the numbers of the test and of the model."""
        assert isinstance(plan, Plan)
        return {
            "ω": words.ranged(str(plan.omega)),
            "k": f"{plan.test.k:,}",
            "ε0": FIELDS.printed("test.epsilon0", plan.test.epsilon0),
            "Model ε": FIELDS.printed("model.epsilon", plan.model.epsilon),
        }

    def covered(self, decided: PlannedRun) -> str:
        """As `MethodWords`."""
        plan, made = decided.plan_as(Plan), decided.guarantee.account_as(Promise)
        said = own.covered(plan, made)
        return f"{said} {own.by_part(made)}" if made.total.bounded else said

    def covers(self, decided: PlannedRun) -> str:
        """As `MethodWords`."""
        return own.covers(decided.plan_as(Plan), decided.guarantee.account_as(Promise))

    def publishable(self, decided: PlannedRun) -> str:
        """As `MethodWords`."""
        return own.may_publish(decided.plan_as(Plan), decided.guarantee.account_as(Promise))

    def lost(self, decided: PlannedRun) -> str:
        """As `MethodWords`; where candidates are tested, the test too costs relations."""
        made = decided.guarantee.account_as(Promise)
        return _LOST_TO_NOISE if made.seeds is None else LOST_TO_TEST

    def advice(self, decided: PlannedRun) -> str | None:
        """As `MethodWords`."""
        plan, made = decided.plan_as(Plan), decided.guarantee.account_as(Promise)
        foreseen = foreseen_of(decided)
        lost = "" if foreseen is None else unrelated_columns(foreseen, plan, decided.schema)
        said = [sentences.large(made.total, own.advice(made)), words.plain(lost)]
        return "\n\n".join(each for each in said if each) or None

    def ledger(self, debit: Debited) -> Mapping[str, Any]:
        """Return what was counted, the test and the model."""
        return {
            "Counted": words.count(debit.count, "row")
            if debit.seedless
            else words.counted(debit.protocol, debit.count),
            "Test": "none, as nothing is copied" if debit.seedless else _test(debit.plan),
            "A reader sees": "all rows, and how many"
            if debit.seedless
            else PROTOCOLS[debit.protocol].lower(),
            "Model ε": _model(debit.plan),
        }


LOST_TO_TEST: Final = (
    "so it keeps no more than a table that ignores all relations: noise in the model, and "
    "candidates turned down by the test, cost more here than relations are worth. The figures for "
    "other ω, under Distances, show whether another plan would do better."
)
_LOST_TO_NOISE: Final = (
    "so it keeps no more than a table that ignores all relations: noise in the model costs more "
    "here than relations are worth. A larger ε, or more records, would change that."
)

WORDS: Final = SeedbasedWords()


def _test(plan: Any) -> str:
    """Return the test of a plan, and its parameters."""
    test, omega = plan.get("test", {}), plan.get("omega", {})
    name = TESTS.get(test.get("kind", ""), "plausible deniability").lower()
    parts = [f"{name}, k = {test.get('k', 0):,}"]
    if "gamma" in test:
        parts.append(f"γ = {test['gamma']:g}")
    noise = test.get("epsilon0")
    parts.append("no noise" if noise is None else f"ε0 = {noise:g}")
    low, high = omega.get("low"), omega.get("high")
    parts.append(f"ω = {low}" if low == high else f"ω = {low}–{high}")
    return ", ".join(parts)


def _model(plan: Any) -> str:
    epsilon = plan.get("model", {}).get("epsilon")
    return "no noise" if epsilon is None else f"{epsilon:g}"
