"""What a plan of a latent model promises: one (ε, δ) for all that is asked of the records.

Neighbours are tables that differ by a record that is added or removed. Factors and directions
follow from sums of products with noise by their exact sensitivity (`models/latent/moments`);
a network from DP-SGD, moments of its codes and counts (docs/latent.md). Rows are post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from understudy.core.numerals import significant
from understudy.mechanisms.latent.models import LEARNERS
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.privacy_unit import contributes, each_person
from understudy.mechanisms.statement import NOBODY, NOTHING
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope, record_delta
from understudy.privacy.budget import Budget
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Promise:
    """The figures of a plan.

    Attributes:
        budget: what learning may cost one record.
    """

    budget: Budget


def guarantee(plan: LatentPlan, schema: Schema) -> Guarantee:
    """Return what a plan promises.

    Raises:
        Refusal: the plan does not fit the schema, or noise would leave nothing of its model.
    """
    plan.check(schema)
    learner = LEARNERS[plan.model]

    def total_at(delta: float) -> Budget:
        return Budget(plan.epsilon, delta)

    budget = total_at(record_delta(total_at, plan.records_per_person, plan.delta))
    cost = learner.cost(plan, schema, budget)
    native = learner.native(plan, schema, budget)
    found = Guarantee(
        record=cost,
        scope=Scope("", ""),
        statement="",
        records_per_person=plan.records_per_person,
        count=plan.rows,
        parts=(Part("model", cost, dict(native)),),
        particulars={"parts": {"model": {**cost.as_dict(), **native}}},
        account=Promise(budget),
    )
    return _word_guarantee(found, plan, native)


def _word_guarantee(found: Guarantee, plan: LatentPlan, native: Mapping[str, float]) -> Guarantee:
    total = found.total
    if not total.bounded:
        nothing = "For one person's records together, nothing is promised."
        return replace(found, statement=nothing, scope=Scope(NOBODY, NOTHING))
    many = plan.records_per_person
    who = "that record is" if many == 1 else "that person's records are"
    scope = Scope(
        protects=f"{each_person(many)}: {DEPENDS[strength(total)]} whether {who} in the table.",
        covers="Everything that is released: the rows, and any more that are drawn from the same "
        "model.",
        reader_sees=(f"{plan.rows:,} rows drawn from the model.", "The settings."),
        assumes=(
            "The schema and the settings are public knowledge and were not chosen by looking at "
            "the records.",
            contributes(many),
        ),
        not_covered=(
            "Choices the custodian made by looking at these records.",
            "Other releases from the same records: their ε and δ add up.",
            "How long the run took, and the times of its files.",
        ),
        formulas=({"of": "the model, for one record", "text": _formula(plan, native)},),
    )
    return replace(found, statement=wording.promise_sentence(total, many), scope=scope)


def _formula(plan: LatentPlan, native: Mapping[str, float]) -> str:
    if plan.model == "variational":
        return (
            f"DP-SGD: rate {significant(native['rate'], 3)}, {native['steps']:,.0f} steps, noise "
            f"multiplier {significant(native['noise_multiplier'], 4)}; codes ρ = "
            f"{significant(native['rho_of_codes'], 3)}, shares ρ = "
            f"{significant(native['rho_of_shares'], 3)}; composed by Rényi divergence"
        )
    moved = "Δ₂² = Δ₁ = (q + 1)(q + 2)/2"
    sigma = f"σ = {significant(native['sigma'], 4)} records on each sum"
    if plan.choose_ones:
        ones = significant(native["epsilon_of_ones"], 3)
        return f"ε = {ones} for a count by flags; then q at most {native['entries']:.0f}, {moved}"
    if "rho" in native:
        return f"q = {native['entries']:.0f}, {moved}, ρ = {significant(native['rho'], 4)}, {sigma}"
    return f"q = {native['entries']:.0f}, {moved}, Laplace noise, {sigma}"
