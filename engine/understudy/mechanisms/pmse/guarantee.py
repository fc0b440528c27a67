"""What a plan of the pMSE mechanism promises; the proofs are in `gini` and `paying`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.pmse.gini import sensitivity
from understudy.mechanisms.pmse.paying import Costs
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.mechanisms.whose import contributes, each_person
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.budget import Neighbours
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema

FEWEST: Final = 50
"""Fewer records than this decide nothing that is worth an ε."""


def guarantee(plan: PmsePlan, schema: Schema) -> Guarantee:
    """Return what a plan promises.

    Raises:
        Refusal: it does not fit the schema, its columns cannot be modelled, the prior would swamp
            the records, or it promises nothing about all records of a person.
    """
    plan.check(schema)
    paying = Costs.of(plan, schema)
    paying.check_signal(schema)
    cost = paying.cost
    native = {"epsilon": plan.epsilon, "draws": float(plan.draws)}
    if paying.concentrated:
        native["rho"] = paying.rho
    found = Guarantee(
        record=cost,
        scope=Scope("", ""),
        statement="",
        neighbours=Neighbours.REPLACEMENTS,
        records_per_person=plan.records_per_person,
        protocol="choices",
        count=len(paying.stages) * plan.draws,
        records_at_least=plan.public_records,
        parts=(Part("choices", cost, native),),
        particulars={
            "parts": {
                "choices": {"epsilon": cost.epsilon, "delta": cost.delta},
                "signal": _signal(paying, schema),
            },
        },
        account=paying,
    )
    total = found.total
    if not total.bounded:
        raise Refusal(
            f"Nothing would be promised for {plan.records_per_person:,} records of one person "
            "together: for each of them δ grows by a factor of e^ε.",
            "Choose a smaller ε or δ, fewer records of a person, or add up ε alone, which takes no "
            "δ.",
            field="records_per_person",
        )
    statement = wording.promise(
        total, plan.records_per_person, Neighbours.REPLACEMENTS, wording.THIS_RELEASE
    )
    return replace(found, scope=_scope(plan, found, paying), statement=statement)


def _scope(plan: PmsePlan, found: Guarantee, paying: Costs) -> Scope:
    who = "that record says" if plan.records_per_person == 1 else "that person's records say"
    tables = "The synthetic table" if plan.draws == 1 else "The synthetic tables"
    seen = [f"{tables}.", "The parameters of each model, to the last digit."]
    bound = "n_s/((n_s + 1)·(n + n_s))"
    if plan.public_records is not None:
        n = plan.public_records
        bound += f", about {float(sensitivity(n, plan.ratio * n)):.3g}"
    return Scope(
        protects=f"{each_person(plan.records_per_person)}: "
        f"{DEPENDS[strength(found.total)]} what {who}.",
        covers="The models that were chosen, everything that is drawn from them, and the number of "
        "records in the table.",
        reader_sees=(*seen, "The settings, except for how values outside the schema were settled."),
        assumes=(
            "How many records the table has is public knowledge.",
            "The schema is public knowledge and was not chosen by looking at the records; so are "
            "the order of the columns, those that are modelled by their logarithm, where their "
            "middles may lie, and every other setting.",
            contributes(plan.records_per_person),
        ),
        not_covered=(
            "Whether somebody is in the table: the tables that are compared have the same number "
            "of records.",
            "Choices the custodian made by looking at these records, a second run until the "
            "outcome pleased among them.",
            "Other releases from the same records: their ε and δ add up.",
            "How long the run took, and the times of its files.",
        ),
        formulas=(
            {"of": "how far one record moves a candidate's pMSE", "text": f"Δu = {bound}"},
            {"of": "all choices, for one record", "text": paying.formula()},
        ),
    )


def _signal(paying: Costs, schema: Schema) -> list[dict[str, object]]:
    """Return the signal of each choice beside what it is up against, in nats."""
    known = paying.plan.public_records is not None
    names = [column.name for column in schema.columns]
    return [
        {
            "of": names[paying.units[stage.units[0]].column] if len(stage.units) == 1 else "all",
            "candidates": stage.candidates,
            "epsilon": paying.epsilon(stage.share),
            "signal": paying.nats(stage, paying.deciding) if known else None,
            "volume": stage.volume,
        }
        for stage in paying.stages
    ]
