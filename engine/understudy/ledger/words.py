"""What a budget allows, in sentences; figures spent are rounded up, figures left down."""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.core.numerals import round_down, round_up
from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance
from understudy.ledger.totals import Spend, add_up, can_add_up, find_neighbours, total_alone
from understudy.privacy.budget import Budget, Neighbours


def budget_in_words(budget: Budget) -> str:
    """Return an (ε, δ) in words, rounded up."""
    if not budget.bounded:
        return "more than any ε"
    return f"ε = {round_up(budget.epsilon)}, δ = {round_up(budget.delta)}"


def explain_shares(spends: Sequence[Spend]) -> str:
    """Return why runs count for more in the total than they promise by themselves; "" if each
    counts for just that."""
    why = []
    if len({spend.neighbours for spend in spends}) > 1:
        why.append(
            f"the total is between {find_neighbours(spends).describe_inputs(1)}, where a run that "
            f"was "
            f"promised between {Neighbours.TABLES.describe_inputs(1)} counts at twice its ε"
        )
    by_record = {spend.records_per_person for spend in spends if not spend.whole_people}
    most = max((spend.records_per_person for spend in spends), default=1)
    if by_record - {most}:
        why.append(
            f"some run covers up to {most:,} records per person, and every run has to count for "
            "as many"
        )
    return f"A run can add more than it promises by itself: {'; and '.join(why)}." if why else ""


def check_budget(budget: Budget) -> None:
    """Check a budget that a custodian sets.

    Raises:
        Refusal: its ε is not positive and finite, or its δ not below 1.
    """
    if not math.isfinite(budget.epsilon) or budget.epsilon <= 0:
        raise Refusal(
            "The ε of a budget has to be a number above 0.",
            "Enter what may be spent on the dataset in all, such as 1.",
            field="epsilon",
        )
    if budget.delta >= 1:
        raise Refusal(
            "The δ of a budget has to lie below 1.", "Enter a small δ such as 1e-9.", field="delta"
        )


def refuse_over_budget(before: Balance, spend: Spend | None) -> Refusal:
    """Return the refusal of a run that exceeds the budget: what is left, and what the run would
    take."""
    budget = before.dataset.budget
    assert budget is not None
    whole = f"The budget of “{before.dataset.name}” is {budget_in_words(budget)}"
    if spend is None:
        return Refusal(
            f"{whole}, and a run that promises nothing (with a fixed seed, or without noise) fits "
            "into no budget.",
            "Run it with private randomness and with noise, or on a table of simulated people.",
            field="budget",
        )
    allowed = before.dataset.neighbours
    if not can_add_up([spend], allowed):
        return Refusal(
            f"{whole}, between {allowed.describe_inputs(1)}. This run promises something between "
            f"{spend.neighbours.describe_inputs(1)} only, which cannot be turned into the other.",
            "Choose another method, or set a budget between tables whose records are replaced: "
            "`understudy ledger budget --neighbours replacements`.",
            field="budget",
        )
    return Refusal(
        f"{whole}. {_describe_left(before)} {_for_more(before, spend)}This run takes "
        f"{budget_in_words(total_alone(spend))}; with it the total would be "
        f"{budget_in_words(before.adding(spend).spent)}.",
        "Choose settings that spend less, or raise the budget on purpose: "
        "`understudy ledger budget`.",
        field="budget",
    )


def _for_more(before: Balance, spend: Spend) -> str:
    """Return that a run for more records per person makes the earlier ones count for as many."""
    most = spend.records_per_person
    if all(each.records_per_person >= most for each in before.spends):
        return ""
    return (
        f"This run covers up to {most:,} records per person, so the earlier ones have to count "
        "for as many. "
    )


def _describe_left(before: Balance) -> str:
    if not before.spends:
        return "Nothing of it is spent yet."
    spent = before.spent
    if not spent.bounded:
        return "Its runs leave nothing of it."
    budget = before.dataset.budget
    assert before.left is not None
    assert budget is not None
    room = max(0.0, budget.delta - spent.delta)
    return (
        f"Spent so far: {budget_in_words(spent)}. Left: ε = {round_down(before.left)}, "
        f"δ = {round_down(room)}."
    )


def refuse_too_small(before: Balance, budget: Budget, neighbours: Neighbours) -> Refusal:
    """Return the refusal of a budget that is less than what was spent already."""
    spent = add_up(before.spends, neighbours)
    return Refusal(
        f"On “{before.dataset.name}” {budget_in_words(spent)} was spent already, more than "
        f"{budget_in_words(budget)}.",
        "Set a budget that holds what was spent; one of just that much lets nothing more be run.",
        field="epsilon" if spent.epsilon > budget.epsilon else "delta",
    )
