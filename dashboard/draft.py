"""The settings as the custodian has them on the page, whether or not they make a plan yet."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from engine.core.refusal import Refusal
from engine.mechanisms.fields import COLUMNS, nested
from engine.mechanisms.seedbased.fields.table import FIELDS
from engine.mechanisms.seedbased.plan import Plan, RunProtocol
from engine.models.omega import Omega, Reading
from engine.models.third_party.claim import Claim
from engine.privacy.accounting import checks
from engine.privacy.plausibility.privacy_test import TestKind
from engine.table.fitting import Policy
from engine.table.schema import Schema

_DRAFTED: Final = tuple(each for each in FIELDS if each.name != "policies")
"""The fields that a draft holds; what becomes of stray values is asked column by column."""


@dataclass
class Draft:
    """What the Privacy page asks, by the names of the places of its fields, as widgets hold it.

    A field that has no use, or that a switch turns off, keeps its number, so that turning it on
    again finds it there. So a draft may make no plan.
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
    pass_floor: float = FIELDS["pass_floor"].usual
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
        """The settings of a plan; what it does not have is as usual, and switched off."""
        values = FIELDS.values(plan)
        held = {
            place.name: each.usual if values[place.name] is None else values[place.name]
            for each in _DRAFTED
            for place in each.places
        }
        held["t"] = plan.t or min(held["t"], max(1, plan.test.k - 1))
        held |= {
            each.switch.name: (values[each.name] is None) == (each.switch.on == "none")
            for each in _DRAFTED
            if each.switch is not None
        }
        return cls(**held, omega_ranges=not plan.omega.fixed)

    def values(self, columns: int | None = None) -> dict[str, Any]:
        """The settings and their switches by name, those that are switched off as None.

        Args:
            columns: how many the table has, where that is known.
        """
        found = asdict(self) | {"outside": self.outside if self.kind == "outside" else None}
        found["omega_low"] = self.omega_low if self.omega_ranges else self.omega_high
        found |= {each.name: None for each in _DRAFTED if each.off(found)}
        return found if columns is None else {**found, COLUMNS: columns}

    def keeping(self, before: Draft) -> Draft:
        """These settings, with the numbers of what they have no use for as they were before, and
        what was confirmed and looked at before."""
        values = self.values()
        kept = [
            *(each.name for each in _DRAFTED if each.only_where_used and not each.applies(values)),
            *(each.name for each in _DRAFTED if each.off(values)),
            *(["public_records"] if self.public_records is None else []),
            *([] if self.chosen_by_looking else ["chosen_by_looking"]),
        ]
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
            return Plan.of(schema, **self._settings(), omega=self.omega, policies=policies)
        except Refusal as refusal:
            field = FIELDS.about(refusal.field)
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    @property
    def _floor(self) -> float | None:
        return self.pass_floor if self.protocol == "releases" else None

    def _settings(self) -> dict[str, Any]:
        """All settings but ω, as a plan takes them."""
        values = self.values()
        return nested(
            {
                place.path: values[place.name]
                for each in _DRAFTED
                if each.applies(values) or not each.only_where_used
                for place in each.places
                if not place.path.startswith("omega.")
            }
        )
