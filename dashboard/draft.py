"""The settings as the custodian has them on the page, whether or not they make a plan yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.plan import Plan, RunProtocol
from engine.models.omega import Omega, Reading
from engine.models.third_party.claim import Claim
from engine.privacy.accounting import checks
from engine.privacy.plausibility.privacy_test import USUAL_GAMMA, TestKind
from engine.table.fitting import Policy
from engine.table.schema import Schema
from engine.table.split import Shares

_STARTING_T = 25
_STARTING_CHANCE = 0.01
_STARTING_FLOOR = 0.1


@dataclass
class Draft:
    """Everything the Privacy page asks, each field as a widget holds it.

    A field that a switch turns off (γ, ε0, t, the pass floor, the model's ε, the sampling
    chance) keeps its number, so that turning it on again finds it there.
    """

    k: int
    gamma: float
    epsilon0: float
    omega_low: int
    omega_high: int
    reading: Reading
    attempts: int
    delta: float
    seeds_at_least: int
    t: int
    model_epsilon: float
    sampling: float
    seeds: float
    structure: float
    parameters: float
    held_out: float
    test: TestKind = "relative-sensitivity"
    protocol: RunProtocol = "attempts"
    pass_floor: float = _STARTING_FLOOR
    records_per_person: int = 1
    kind: str = "calibrated"
    estimate: str = "mean"
    outside: Claim | None = None
    omega_ranges: bool = True
    t_by_hand: bool = False
    deterministic: bool = False
    noiseless: bool = False
    sampled: bool = False
    public_records: int | None = None
    chosen_by_looking: bool = False

    @classmethod
    def of(cls, plan: Plan) -> Draft:
        """The settings of a plan."""
        return cls(
            test=plan.test.kind,
            k=plan.test.k,
            gamma=getattr(plan.test, "gamma", USUAL_GAMMA),
            epsilon0=1.0 if plan.test.epsilon0 is None else plan.test.epsilon0,
            deterministic=plan.test.epsilon0 is None,
            omega_low=plan.omega.low,
            omega_high=plan.omega.high,
            omega_ranges=not plan.omega.fixed,
            reading=plan.omega.reading,
            protocol=plan.protocol,
            attempts=plan.attempts,
            pass_floor=_STARTING_FLOOR if plan.pass_floor is None else plan.pass_floor,
            records_per_person=plan.records_per_person,
            delta=plan.delta,
            seeds_at_least=plan.seeds_at_least,
            t=plan.t or min(_STARTING_T, max(1, plan.test.k - 1)),
            t_by_hand=plan.t is not None,
            kind=plan.model.kind,
            estimate=plan.model.estimate,
            outside=plan.model.outside,
            model_epsilon=1.0 if plan.model.epsilon is None else plan.model.epsilon,
            noiseless=plan.model.epsilon is None,
            sampling=_STARTING_CHANCE if plan.sampling is None else plan.sampling,
            sampled=plan.sampling is not None,
            seeds=plan.shares.seeds,
            structure=plan.shares.structure,
            parameters=plan.shares.parameters,
            held_out=plan.shares.held_out,
            public_records=plan.public_records,
            chosen_by_looking=plan.chosen_by_looking,
        )

    def keeping(self, before: Draft) -> Draft:
        """These settings, with the numbers of what they have switched off as they were before, and
        what was confirmed and looked at before."""
        kept = {
            *(() if self.protocol == "releases" else ("pass_floor",)),
            *(() if self.test == "plausible-deniability" else ("gamma",)),
            *(() if self.t_by_hand else ("t",)),
            *(() if self.sampled else ("sampling",)),
            *(("public_records",) if self.public_records is None else ()),
            *(() if self.chosen_by_looking else ("chosen_by_looking",)),
        }
        return replace(self, **{name: getattr(before, name) for name in kept})

    def seedless(self, attributes: int) -> bool:
        """Whether every column is always drawn afresh."""
        low = self.omega_low if self.omega_ranges else self.omega_high
        return low == self.omega_high == attributes

    @property
    def omega(self) -> Omega:
        """ω as the plan will hold it.

        Raises:
            Refusal: the range runs backwards or below 0.
        """
        low = self.omega_low if self.omega_ranges else self.omega_high
        if low < 0:
            raise Refusal(
                "ω cannot be negative.", "Choose 0 or a positive whole number.", field="omega"
            )
        return Omega.parse(f"{low}-{self.omega_high}", self.reading)

    def plan(self, schema: Schema, policies: dict[str, Policy]) -> Plan:
        """The plan these settings make.

        Raises:
            Refusal: a setting is out of range or does not fit the schema; `field` is the name
                of a field here, or of the first of several that belong together.
        """
        # The plan refuses these too, but calls them by their names in a file.
        checks.check_count(self.attempts, self.protocol)
        checks.check_delta(self.delta)
        checks.check_group(self.records_per_person)
        checks.check_floor(self._floor, self.protocol)
        try:
            return Plan.of(
                schema,
                test=self._test(),
                omega=self.omega,
                protocol=self.protocol,
                attempts=self.attempts,
                pass_floor=self._floor,
                records_per_person=self.records_per_person,
                delta=self.delta,
                seeds_at_least=self.seeds_at_least,
                t=self.t if self.t_by_hand and not self.deterministic else None,
                model=self._model(),
                shares=self._shares(),
                sampling=self.sampling if self.sampled else None,
                public_records=self.public_records,
                chosen_by_looking=self.chosen_by_looking,
                policies=policies,
            )
        except Refusal as refusal:
            raise Refusal(refusal.problem, refusal.remedy, field=field_of(refusal.field)) from None

    @property
    def _floor(self) -> float | None:
        return self.pass_floor if self.protocol == "releases" else None

    def _test(self) -> dict[str, Any]:
        epsilon0 = None if self.deterministic else self.epsilon0
        test = {"kind": self.test, "k": self.k, "epsilon0": epsilon0}
        return test | ({"gamma": self.gamma} if self.test == "plausible-deniability" else {})

    def _model(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "epsilon": None if self.noiseless else self.model_epsilon,
            "estimate": self.estimate,
            "outside": self.outside if self.kind == "outside" else None,
        }

    def _shares(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in Shares.model_fields}


def field_of(path: str | None) -> str | None:
    """The field of the page that a refusal about a plan belongs beside."""
    if path is None:
        return None
    room, _, last = path.partition(".")
    if room in ("omega", "shares"):
        return room
    if path == "test.kind":
        return "test"
    if path == "model.epsilon":
        return "model_epsilon"
    if room == "model":
        return room
    return last or room
