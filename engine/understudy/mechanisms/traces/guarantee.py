"""What made traces promise: a discrete Gaussian on every table that is counted.

Neighbours are tables that differ by one person with all of their days. A person adds to table k a
vector of norm C_k at most (`tables`), so noise of deviation σ_k = C_k / √(2 s_k ρ) on each of its
cells makes table k s_k·ρ-zCDP, and all of them together ρ-zCDP (Bun and Steinke 2016; Canonne,
Kamath and Steinke 2020). All else follows from the noisy tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from understudy.core.numerals import significant
from understudy.mechanisms.statement import NOBODY, NOTHING
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.tables import TableOf, layout, table_deviations
from understudy.privacy import wording
from understudy.privacy.accounting.composition import approximate_dp, largest_rho
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema


def rho_of(plan: TracesPlan) -> float:
    """Return ρ of all tables together: the most that ε and δ allow."""
    return largest_rho(Budget(plan.epsilon, plan.delta))


def deviations(plan: TracesPlan) -> Mapping[str, float]:
    """Return σ of the noise on each cell of each table, in people."""
    return table_deviations(plan.where, rho_of(plan))


def guarantee(plan: TracesPlan, schema: Schema) -> Guarantee:
    """Return what a plan promises.

    Raises:
        Refusal: the plan does not fit the schema.
    """
    plan.check(schema)
    rho = rho_of(plan)
    total = approximate_dp(rho, plan.delta)
    parts = tuple(
        Part(
            table.name,
            approximate_dp(table.share * rho, plan.delta),
            {"rho": table.share * rho, "clip": table.clip, "sigma": sigma},
        )
        for table, sigma in zip(layout(plan.where), deviations(plan).values(), strict=True)
    )
    return Guarantee(
        record=total,
        scope=_scope(plan, total, rho),
        statement=_statement(total),
        neighbours=Neighbours.TABLES,
        whole_people=True,
        count=plan.traces,
        parts=parts,
        particulars={"parts": {each.of: {**each.cost.as_dict(), **each.native} for each in parts}},
    )


def _statement(total: Budget) -> str:
    if not total.bounded:
        return "For all days of one person together, nothing is promised."
    return wording.promise_sentence(total, None, Neighbours.TABLES)


def _scope(plan: TracesPlan, total: Budget, rho: float) -> Scope:
    if not total.bounded:
        return Scope(NOBODY, NOTHING)
    return Scope(
        protects=f"Each person, with all of their days: {DEPENDS[strength(total)]} whether they "
        "are in the table.",
        covers="Everything that is released: the made days, and any more that are made from the "
        "same noisy tables.",
        reader_sees=(
            f"{plan.traces:,} made people with {plan.days:,} days each.",
            "The settings, with the map.",
        ),
        assumes=(
            "The map, the hours and what counts as a place are public knowledge and were not "
            "chosen by looking at where people are.",
            "Nobody has days under two names.",
        ),
        not_covered=(
            "Choices the custodian made by looking at these days.",
            "Other releases about the same people: their ε and δ add up.",
            "What is true of many people together, such as where a crowd gathers each evening: "
            "that is what the release is for.",
            "How long the run took, and the times of its files.",
        ),
        formulas=_formulas(plan, total, rho),
    )


def _formulas(plan: TracesPlan, total: Budget, rho: float) -> tuple[Mapping[str, str], ...]:
    def of(table: TableOf) -> Mapping[str, str]:
        part = table.share * rho
        sigma = table.clip / math.sqrt(2 * part)
        return {
            "of": table.name,
            "text": f"C = {table.clip:g}, ρ = {significant(part, 4)}, σ = C/√(2ρ) = "
            f"{significant(sigma, 4)} people",
        }

    whole = {
        "of": "all tables, for one person",
        "text": f"ρ = {significant(rho, 4)}, from which ε = {significant(total.epsilon, 4)} at "
        f"δ = {plan.delta:g} (Canonne, Kamath and Steinke 2020, Proposition 12)",
    }
    return (*(of(table) for table in layout(plan.where)), whole)
