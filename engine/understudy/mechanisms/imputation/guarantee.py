"""What a plan of imputations promises.

Neighbours are tables of the same number of records, which is public, that differ in what one record
says; docs/imputation.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from understudy.core.numerals import delta as spelled_delta
from understudy.core.numerals import epsilon as spelled_epsilon
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.draws import ColumnLattice
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.privacy_unit import contributes, each_person
from understudy.mechanisms.statement import NOBODY, NOTHING
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee, Scope, record_delta
from understudy.privacy.accounting.guarantee import Part as Cost
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema

LEAST_RADIUS: Final = 0.05
"""With bounds closer than this many deviations, numbers would be drawn again nearly for
ever."""

SAID: Final = {
    "noised-mode": "the likeliest parameters, with noise",
    "posterior-draw": "one draw of the parameters from their posterior",
    "rows-from-mode": "rows drawn from the likeliest parameters",
    "rows-from-one-draw": "rows drawn from one draw of the parameters",
    "rows-from-own-draws": "rows, for each of which the parameters were drawn anew",
    "imputations": "tables of rows, for each of which the parameters were drawn anew",
}


def guarantee(plan: ImputationPlan, schema: Schema) -> Guarantee:
    """Return what a plan promises.

    Raises:
        Refusal: the plan does not fit the schema, or promises nothing.
    """
    plan.check(schema)
    found = parts(plan, schema)
    for part in found:
        _check_part(plan, part)
    drawing = Drawing.of(plan)
    share = plan.used_records / plan.records
    if plan.release == "noised-mode":
        record = Budget(_used(plan.epsilon, share))
    else:
        record = _record(plan, drawing, found, share)
    made = Guarantee(
        record=record,
        scope=Scope("", ""),
        statement="",
        neighbours=Neighbours.REPLACEMENTS,
        records_per_person=plan.records_per_person,
        count=plan.rows * plan.copies,
        records_at_least=plan.records,
        parts=tuple(_cost(plan, drawing, part, record.delta, schema) for part in found),
    )
    figures = {each.of: {**each.cost.as_dict(), **each.native} for each in made.parts}
    return _word_guarantee(replace(made, particulars={"parts": figures}), plan, found)


def _check_part(plan: ImputationPlan, part: Part) -> None:
    if isinstance(part, Histogram):
        Drawing.of(plan).cells(part)
        return
    if plan.conditioned and part.model.radius < LEAST_RADIUS * part.deviation:
        raise Refusal(
            "The bounds of a column lie within a small part of its σ, so that next to no number "
            "drawn would lie between them.",
            "Do not condition on the bounds, or leave the column out.",
            field="conditioned",
        )
    ColumnLattice.of(part)


def _record(plan: ImputationPlan, drawing: Drawing, found: Sequence[Part], share: float) -> Budget:
    def total_at(delta: float) -> Budget:
        epsilon = accounting.plan_epsilon(drawing, found, delta, share)
        if math.isinf(epsilon):
            raise Refusal(
                "With these settings no ε holds at a δ of "
                f"{spelled_delta(plan.delta) if plan.delta else 'zero'}: "
                f"{SAID[plan.release]} may give any one record away.",
                "Choose a larger δ, or, without one, a release of rows of categories, or numbers "
                "conditioned on their bounds.",
                field="delta",
            )
        return Budget(epsilon, delta)

    if plan.delta == 0:
        return total_at(0.0)
    return total_at(record_delta(total_at, plan.records_per_person, plan.delta))


def _used(epsilon: float, share: float) -> float:
    """Return ε of what sees some of the records, drawn at random."""
    return epsilon if share == 1 else math.log1p(share * math.expm1(epsilon))


def _cost(plan: ImputationPlan, drawing: Drawing, part: Part, delta: float, schema: Schema) -> Cost:
    """Return what one part alone would cost, for a record that is used."""
    native: dict[str, float]
    if isinstance(part, Histogram):
        names = [schema.names[place] for place in part.columns]
        native = {
            "cells": part.count * part.groups,
            "alpha": float(part.alpha),
            "shrinkage": part.mass / (part.mass + part.records),
        }
    else:
        names = [schema.names[part.column]]
        native = {
            "radius_over_sigma": part.model.radius / part.deviation,
            "shrinkage": 1 - part.model.weight,
        }
        if not plan.conditioned and plan.release != "noised-mode":
            native["mu"] = drawing.curve(part)[0].ratio  # type: ignore[attr-defined]
    if plan.release == "noised-mode":
        cost = Budget(plan.epsilon)
    else:
        cost = Budget(accounting.plan_epsilon(drawing, [part], delta), delta)
    return Cost(", ".join(names), cost, native)


def _word_guarantee(found: Guarantee, plan: ImputationPlan, made: Sequence[Part]) -> Guarantee:
    total = found.total
    if not total.bounded:
        return replace(
            found,
            statement="For all records of one person together, nothing is promised.",
            scope=Scope(NOBODY, NOTHING),
        )
    statement = wording.promise_sentence(
        total, plan.records_per_person, Neighbours.REPLACEMENTS, wording.THIS_RELEASE
    )
    who = "that record says" if plan.records_per_person == 1 else "that person's records say"
    scope = Scope(
        protects=f"{each_person(plan.records_per_person)}: "
        f"{DEPENDS[strength(total)]} what {who}. "
        "That the records are in the table is not hidden.",
        covers=f"Everything that is released: {SAID[plan.release]}.",
        reader_sees=_list_seen(plan),
        assumes=_list_assumptions(plan, made),
        not_covered=(
            "Whether somebody is in the table: the figures compare tables of one number of "
            "records, which is public.",
            "Choices the custodian made by looking at these records.",
            "Other releases from the same records: their ε and δ add up. More rows from the same "
            "draw would be another release.",
            "How long the run took, and the times of its files.",
        ),
        formulas=_formulas(found, plan, made),
    )
    return replace(found, statement=statement, scope=scope)


def _list_seen(plan: ImputationPlan) -> tuple[str, ...]:
    what = (
        f"{plan.copies:,} table{'s' * (plan.copies > 1)} of {plan.rows:,} rows."
        if plan.copies
        else "The parameters."
    )
    return (
        what,
        f"The number of records, {plan.records:,}.",
        "The settings, except for how values outside the schema were settled.",
    )


def _list_assumptions(plan: ImputationPlan, made: Sequence[Part]) -> tuple[str, ...]:
    found = [
        f"That the table has {plan.records:,} records is public knowledge, as the custodian "
        "confirmed before the run.",
        "The schema, with its bounds, and the strength of the prior are public knowledge and were "
        "not chosen by looking at the records.",
        contributes(plan.records_per_person),
    ]
    if any(isinstance(part, Mean) for part in made):
        found.append(
            "The deviations σ are public knowledge: one that was worked out from these records "
            "would give them away. Values beyond the bounds are moved to them before anything is "
            "computed."
        )
    if plan.used_records < plan.records:
        found.append(
            f"Which {plan.used_records:,} of the {plan.records:,} records were used is drawn at "
            f"random, "
            "and stays secret."
        )
    return tuple(found)


def _formulas(
    found: Guarantee, plan: ImputationPlan, made: Sequence[Part]
) -> tuple[dict[str, str], ...]:
    lines = []
    for cost, part in zip(found.parts, made, strict=True):
        if isinstance(part, Mean):
            native = cost.native
            text = f"R/σ = {native['radius_over_sigma']:.6g}, w = {1 - native['shrinkage']:.6g}"
            if "mu" in native:
                text += f": a Gaussian mechanism with μ = {native['mu']:.6g}"
        else:
            text = (
                f"{part.count:,} cells with a prior of α = {cost.native['alpha']:g} each"
                f"{f', for each of {part.groups:,} groups' if part.groups > 1 else ''}"
            )
        text += f"; alone ε = {spelled_epsilon(cost.cost.epsilon)}"
        lines.append({"of": cost.of, "text": text})
    lines.append({"of": "the whole release, for one record", "text": _whole(plan, made)})
    return tuple(lines)


def _whole(plan: ImputationPlan, made: Sequence[Part]) -> str:
    if plan.release == "noised-mode":
        text = f"ε = {plan.epsilon:g}, divided evenly among {len(made):,} parts"
    elif plan.delta == 0:
        text = "the sum of the parts, each at its largest ratio"
    elif accounting.exact(Drawing.of(plan), made):
        text = "the privacy curve of the worst two tables, exactly except for rounding up"
    else:
        text = "a privacy curve that no two tables exceed (docs/imputation.md, “Several columns”)"
    if plan.used_records < plan.records:
        text += (
            f"; then ε′ = ln(1 + γ(e^ε − 1)), δ′ = γδ with γ = "
            f"{plan.used_records / plan.records:.6g}, as "
            "the records used are drawn at random"
        )
    return text
