"""What the choices cost: each stage's share, and the guarantee that comes of it.

Scores move by Δ at most between tables in which one record is replaced. The best score after noise
(permute-and-flip, McKenna and Sheldon 2020) at scale 2Δ/ε costs ε. The exponential mechanism at
scale Δ/√(2ρ) costs ρ in zero-concentrated differential privacy: its log probabilities range over
ε′ = √(8ρ), and a range of ε′ is ε′²/8-zCDP (Cesar and Rogers 2021). Costs of choices that look at
what others chose add up, in either currency.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from understudy.core.numerals import FIXED, significant
from understudy.core.numerals import delta as spelled_delta
from understudy.core.refusal import Refusal
from understudy.mechanisms.pmse.gini import Gini, sensitivity
from understudy.mechanisms.pmse.model_search import CERTAIN, COVERED, Stage, signal, stages_of
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.mechanisms.pmse.units import RegressionUnit, middles_of, units_of
from understudy.mechanisms.privacy_unit import contributes, each_person
from understudy.privacy import wording
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema

_UPWARDS: Final = 1 + 1e-9
"""Scales are this much larger than they have to be, so that no rounding costs more than is said."""


@dataclass(frozen=True, eq=False)
class Costs:
    """The choices of a plan, with what they cost.

    Attributes:
        plan: what was decided.
        units: the regressions.
        stages: the choices of one search, of which there are `plan.draws`.
    """

    plan: PmsePlan
    units: tuple[RegressionUnit, ...]
    stages: tuple[Stage, ...]

    @classmethod
    def of(cls, plan: PmsePlan, schema: Schema) -> Costs:
        """Return those of a plan.

        Raises:
            Refusal: the columns cannot be modelled.
        """
        units = units_of(
            schema,
            plan.order_columns(schema),
            plan.depends,
            narrowest=plan.narrowest,
            middles=middles_of(schema, plan.middles, plan.logarithmic),
        )
        stages = stages_of(units, plan.search, plan.rounds, plan.candidates, plan.locating)
        return cls(plan, units, stages)

    @property
    def concentrated(self) -> bool:
        """Whether costs are added up in ρ."""
        return self.plan.accounting == "concentrated"

    @cached_property
    def rho(self) -> float:
        """ρ of all searches together, where costs are added up in it."""
        return largest_rho(Budget(self.plan.epsilon, self.plan.delta))

    def scale(self, share: float, sensitivity: float) -> float:
        """Return the scale of the choice that takes this share of its search.

        Args:
            share: from 0 to 1.
            sensitivity: Δ, in units of the scores.
        """
        if self.concentrated:
            return sensitivity / math.sqrt(2 * self.rho * share / self.plan.draws) * _UPWARDS
        return 2 * sensitivity / (self.plan.epsilon * share / self.plan.draws) * _UPWARDS

    def epsilon(self, share: float) -> float:
        """Return ε′ of that choice: by how much its log probabilities move at most."""
        return 2 / self.scale(share, 1.0) * _UPWARDS

    @property
    def cost(self) -> Budget:
        """For one record, of everything."""
        return Budget(self.plan.epsilon, self.plan.delta if self.concentrated else 0.0)

    def nats(self, stage: Stage, records: int) -> float:
        """Return the signal of a choice, where so many records decide it."""
        return signal(self.epsilon(stage.share), records, self.plan.ratio * records)

    @property
    def deciding(self) -> int:
        """About how many records decide, those held out left out; 1 where nobody has said."""
        said = self.plan.public_records or 0
        return max(1, round(said * (1 - self.plan.held_out)))

    def check_signal(self, schema: Schema) -> None:
        """Check that the records decide each choice, and not the prior.

        Raises:
            Refusal: the prior would swamp them, or no candidate may be near them.
        """
        if self.plan.public_records is None:
            return
        records = self.deciding
        Gini(self.plan.ratio * records)
        for stage in self.stages:
            found = self.nats(stage, records)
            if found < stage.volume + CERTAIN:
                part = significant(100 * found / (stage.volume + CERTAIN), 2)
                raise Refusal(
                    f"Chance would decide and not the records: at this ε they say {part}{FIXED}% "
                    f"of what it takes to choose {self._of(stage, schema)}.",
                    self._remedy(),
                    field="epsilon",
                )
            if stage.round == 0 and math.log(stage.candidates) < stage.volume + COVERED:
                raise Refusal(
                    f"No candidate may be near the records: for {self._of(stage, schema)}, "
                    f"{stage.candidates:,} candidates are looked at, and it takes about "
                    f"{math.ceil(math.exp(stage.volume + COVERED)):,}.",
                    "Look at more candidates, locate columns one after the other, let columns "
                    "depend on fewer others, or declare narrower bounds from public knowledge.",
                    field="candidates",
                )

    def _of(self, stage: Stage, schema: Schema) -> str:
        if len(stage.units) > 1 or len(self.units) == 1:
            return "all parameters together"
        return f"those of column “{schema.columns[self.units[stage.units[0]].column].name}”"

    def _remedy(self) -> str:
        fewer = "one model instead of several, " if self.plan.draws > 1 else ""
        return (
            f"Take {fewer}a larger ε, fewer columns or fewer categories, fewer columns that each "
            "depends on, or bounds or middles that are narrower by public knowledge; or the "
            "calibrated model of seedbased synthesis, which gets more from the same ε."
        )

    def formula(self) -> str:
        """Return how the cost adds up, with its numbers."""
        choices, draws = len(self.stages), self.plan.draws
        if not self.concentrated:
            return (
                f"ε = {draws} × Σ over {choices} choices of 2Δ/scale = {self.plan.epsilon:g}, δ = 0"
            )
        return (
            f"ρ = {draws} × Σ over {choices} choices of Δ²/(2·scale²) = {self.rho:.6g}, which is "
            f"ε = {self.plan.epsilon:g} at δ = {spelled_delta(self.plan.delta)}"
        )


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
    statement = wording.promise_sentence(
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
