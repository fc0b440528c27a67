"""What pages say of plans of seedbased synthesis, in sentences that a board member understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from understudy.ledger.events import Debited
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.seedbased import scope
from understudy.mechanisms.seedbased.fields.candidate_fields import PROTOCOLS, TESTS
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import foresee_run, unrelated_columns
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise, learning_chances
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.composition import parallel
from understudy_dashboard import words
from understudy_dashboard.methods.words import MethodWords


def cover_line(plan: Plan, made: Promise) -> str:
    """Return what the total of a plan is about, in a line for the meter."""
    if not made.total.bounded:
        return "Nothing is promised: the test or the model is run without noise."
    if made.seeds is None:
        return "Covers the whole release: the model and any number of rows made from it."
    what = words.format_counted(plan.protocol, plan.attempts)
    if plan.protocol == "releases":
        return f"Covers the whole release: the model and {what}, their attempts kept secret."
    return f"Covers the whole release: the model and all {what}, rejected candidates included."


def describe_costs_by_part(made: Promise) -> str:
    """Return the ε of each part, to one of which each record is dealt."""
    if made.seeds is None and len(made.learning) == 1:
        return "Only learning the model costs anything; no row is made from a record."
    parts = {} if made.seeds is None else {"seeds": made.seeds.total}
    parts |= made.learning
    *first, last = (f"{part} ({words.epsilon(cost.epsilon)})" for part, cost in parts.items())
    named = " and ".join([", ".join(first), last])
    return f"Each record pays for one of {named}, as a secret coin of its own decides."


def cover_paragraph(plan: Plan, made: Promise) -> str:
    """Return what the total covers, in a few sentences: those of the statement."""
    if not made.total.bounded:
        return "Nothing: the test or the model is run without noise, to compare."
    return scope.covers(plan, made)


def describe_publishable(plan: Plan, made: Promise) -> str:
    """Return what may leave the house after a run, in one sentence."""
    if not made.total.bounded:
        return "nothing, as nothing is promised."
    if made.seeds is None:
        return "the table, with any number of records; the model; the settings; and the guarantee."
    if plan.protocol == "releases":
        return (
            f"the table, with its {words.count(plan.attempts, 'record')}; the model; the "
            "settings; and the guarantee. The number of attempts "
            "and the running time stay confidential."
        )
    candidates = words.count(plan.attempts, "candidate")
    return (
        f"the table; that {candidates} were made and how many of them were released; the model; "
        "the settings; and the guarantee."
    )


def list_steps(plan: Plan, made: Promise) -> list[str]:
    """Return how the total comes about, part by part."""
    said = []
    if made.seeds is None:
        said.append(
            "Nothing is copied from a record, so no record is a seed that is looked at, and none "
            "pays for that."
        )
    elif made.seeds.each.bounded:
        said += _list_seed_costs(plan, made, made.seeds)
    said += list_learning_costs(plan, made)
    if made.published_model is not None and made.published_model.corrected.bounded:
        said.append(f"The same noise by the published formula: {made.published_model.in_words}.")
    if plan.shares.held_out > 0:
        said.append(
            f"The records held out, {words.percent(plan.shares.held_out)}, are only compared with, "
            "for your eyes, and nothing of them is released. Keep secret which they are."
        )
    if max(plan.shares.each) < 1:
        said.append(
            "Each record falls into one of these parts by a secret coin of its own. So the parts "
            f"do not add up: for one record the whole comes to ε = "
            f"{words.epsilon(made.record.epsilon)}, a mean of them."
        )
    if plan.records_per_person > 1:
        said.append(
            f"For one record that is {words.format_budget(made.record)}; for the "
            f"{plan.records_per_person:,} that a person may have, the total."
        )
    population = words.describe_population(made.population)
    return said if population is None else [*said, population]


def list_learning_costs(plan: Plan, made: Promise) -> list[str]:
    """Return from which records the model was learned, and for how much, part by part."""
    of = learning_chances(plan)
    what = {
        "model": "The model is learned",
        "structure": "Which columns depend on which is learned",
        "parameters": "The shares of values are learned",
    }
    return [
        f"{what[part]} from {words.percent(of[part])} of "
        f"the records, for {words.format_budget(cost)}."
        for part, cost in made.learning.items()
    ]


def _list_seed_costs(plan: Plan, made: Promise, seeds: Account) -> list[str]:
    what = words.COUNTED[plan.protocol]
    said = [
        f"One {what}: {words.format_budget(seeds.each)}, stated at t = {seeds.t:,}.",
        f"{words.format_counted(plan.protocol, seeds.count)} added up one by one: "
        f"{words.format_budget(seeds.sequential)}.",
        f"The same by advanced composition: {words.format_budget(seeds.advanced)}; by optimal "
        f"composition: {words.format_budget(seeds.optimal)}. The smallest ε counts.",
    ]
    if plan.protocol == "attempts":
        said.append(
            f"Share of passing candidates turned down, ρ: {words.percent(made.pass_cap)}. With "
            "it the promise covers rejections."
        )
    else:
        said.append(
            f"Counted on: at least {words.percent(plan.pass_floor or 0)} of all attempts pass. "
            f"After {made.attempts_at_most:,} attempts a run without enough records stops."
        )
    said.append(
        f"To be publicly known: the table has at least {made.records_at_least:,} records, so "
        f"that {plan.seeds_at_least:,} of them become seeds, except for a chance within δ."
    )
    return said


def advise(made: Promise) -> str:
    """Return what helps where a total promises next to nothing."""
    model = parallel(*made.learning.values())
    if made.seeds is None or made.seeds.total.epsilon < model.epsilon:
        return "Give the model a smaller ε."
    return (
        "It is the price of many attempts that each look at a seed. What helps: **fewer "
        "attempts**; a **fixed ω with a much larger k and a smaller ε0**, which the planner "
        "finds; or a **seedless** plan (ω = all columns), where attempts cost nothing and only "
        "the model is paid for. Each released record by itself still has about k plausible seeds."
    )


def describe_weights(share: float | None) -> str:
    """Return how evenly the weights lie."""
    if share is None:
        return ""
    return (
        f" 100 weighted rows say as much as {share * 100:.0f} that all weigh the same; where that "
        "is few, a few rows carry much of what was measured."
    )


class SeedbasedWords(MethodWords):
    """What pages say of plans of seedbased synthesis."""

    another = (
        "another ε",
        "; the Privacy page shows without spending what other settings would bring",
    )

    def tables(self, decided: PlannedRun[Plan]) -> str:
        """Answer as `MethodWords`; without seeds there are no candidates to compare with."""
        if decided.plan.shares.seeds == 0:
            return super().tables(decided)
        return (
            "**Released** is your synthetic table. **Before the test** are candidates that no "
            "privacy test has sorted yet. **ω = …** are candidates that passed it, with so many "
            "columns drawn afresh from the model and the others copied from a real record: at the "
            "plan’s own ω and at other choices, to compare with. None of those was released."
        )

    def describe_plan(self, plan: MechanismPlan) -> str:
        """Return how much a plan makes: attempts or records, or rows where nothing is made from a
        seed."""
        assert isinstance(plan, Plan)
        if plan.shares.seeds == 0:
            return words.count(plan.attempts, "row")
        return words.format_counted(plan.protocol, plan.attempts)

    def list_settings(self, plan: MechanismPlan) -> Mapping[str, str]:
        """Return ω, and the numbers of the test and of the model."""
        assert isinstance(plan, Plan)
        return {
            "ω": words.print_range(str(plan.omega)),
            "k": f"{plan.test.k:,}",
            "ε0": FIELDS.print_setting("test.epsilon0", plan.test.epsilon0),
            "Model ε": FIELDS.print_setting("model.epsilon", plan.model.epsilon),
        }

    def cover_line(self, decided: PlannedRun[Plan]) -> str:
        """Answer as `MethodWords`."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        said = cover_line(plan, made)
        return f"{said} {describe_costs_by_part(made)}" if made.total.bounded else said

    def covers(self, decided: PlannedRun[Plan]) -> str:
        """Answer as `MethodWords`."""
        return cover_paragraph(decided.plan, decided.guarantee.account_as(Promise))

    def describe_publishable(self, decided: PlannedRun[Plan]) -> str:
        """Answer as `MethodWords`."""
        return describe_publishable(decided.plan, decided.guarantee.account_as(Promise))

    def explain_loss(self, decided: PlannedRun[Plan]) -> str:
        """Answer as `MethodWords`; where candidates are tested, the test too costs relations."""
        made = decided.guarantee.account_as(Promise)
        return _LOST_TO_NOISE if made.seeds is None else LOST_TO_TEST

    def advice(self, decided: PlannedRun[Plan]) -> str | None:
        """Answer as `MethodWords`."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        foreseen = foresee_run(decided)
        lost = "" if foreseen is None else unrelated_columns(foreseen, plan, decided.schema)
        said = [words.warn_large(made.total, advise(made)), words.escape(lost)]
        return "\n\n".join(each for each in said if each) or None

    def ledger(self, debit: Debited) -> Mapping[str, Any]:
        """Return what was counted, the test and the model."""
        return {
            "Counted": words.count(debit.count, "row")
            if debit.seedless
            else words.format_counted(debit.protocol, debit.count),
            "Test": "none, as nothing is copied" if debit.seedless else _describe_test(debit.plan),
            "A reader sees": "all rows, and how many"
            if debit.seedless
            else PROTOCOLS[debit.protocol].lower(),
            "Model ε": _describe_model(debit.plan),
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


def _describe_test(plan: Any) -> str:
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


def _describe_model(plan: Any) -> str:
    epsilon = plan.get("model", {}).get("epsilon")
    return "no noise" if epsilon is None else f"{epsilon:g}"
