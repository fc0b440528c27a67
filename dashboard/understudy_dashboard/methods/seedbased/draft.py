"""The settings as the custodian has them on the page, whether or not they make a plan yet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field
from understudy.mechanisms.seedbased.fields.of_accuracy import ACCURACY
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.models import MODELS, USUAL
from understudy.mechanisms.seedbased.plan import Plan, RunProtocol
from understudy.models.marks import Marks
from understudy.models.omega import Omega, Reading
from understudy.models.third_party.claim import Claim
from understudy.privacy.accounting import checks
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.table.fitting import Policy
from understudy.table.schema import Schema
from understudy_dashboard.held import Held, held_fields, starting_values

_FIELDS: Final = tuple(each for each in held_fields(FIELDS) if each.group != ACCURACY)
"""What of accuracy is released is held as it stands in a plan file."""


@dataclass
class Draft(Held):
    """What the Privacy page asks of a plan of the seed-based mechanism; see `Held`."""

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
    kind: str = USUAL
    estimate: str = "mean"
    outside: Claim | None = None
    omega_ranges: bool = True
    t_by_hand: bool = False
    deterministic: bool = False
    noiseless: bool = False
    sampled: bool = False
    public_records: int | None = None
    chosen_by_looking: bool = False
    target: str | None = None
    survive: list[str] = field(default_factory=list)
    together: list[list[str]] = field(default_factory=list)
    acceptance: dict[str, Any] | None = None
    """The acceptance test as a plan file holds it; None for none."""
    noisy_tables: bool = False

    @property
    def fields(self) -> tuple[Field, ...]:
        """As `Held`."""
        return _FIELDS

    @classmethod
    def of(cls, plan: Plan) -> Draft:
        """Return the settings of a plan; what it does not have is as usual, and switched off."""
        held = starting_values(_FIELDS, FIELDS.values(plan))
        held["t"] = plan.t or min(held["t"], max(1, plan.test.k - 1))
        test = plan.acceptance
        beside = None if test is None else test.model_dump(mode="json")
        made = cls(**held, acceptance=beside, noisy_tables=plan.noisy_tables)
        return made.marked(plan.marks)

    @property
    def marks(self) -> Marks:
        """What must survive."""
        return Marks(
            target=self.target,
            columns=tuple(self.survive),
            together=tuple(map(tuple, self.together)),
        )

    def marked(self, marks: Marks) -> Draft:
        """Return these settings with other marks."""
        together = [list(group) for group in marks.together]
        return replace(self, target=marks.target, survive=list(marks.columns), together=together)

    def values(self, columns: int | None = None) -> dict[str, Any]:
        """As `Held`; a third-party model is kept, and has no part in plans for others."""
        chosen = self.outside if MODELS[self.kind].claimed else None
        return super().values(columns) | {"outside": chosen}

    def keeping(self, before: Draft) -> Draft:
        """Return these settings, with the numbers of what they have no use for as they were before,
        and what was confirmed, looked at and to be measured before."""
        kept = replace(self)
        kept.take_unused(before)
        if self.public_records is None:
            kept.public_records = before.public_records
        kept.chosen_by_looking = self.chosen_by_looking or before.chosen_by_looking
        kept.acceptance = self.acceptance or before.acceptance
        kept.noisy_tables = self.noisy_tables or before.noisy_tables
        return kept

    def seedless(self, attributes: int) -> bool:
        """Return whether every column is always drawn afresh."""
        low = self.omega_low if self.omega_ranges else self.omega_high
        return low == self.omega_high == attributes

    def count_copied(self, attributes: int) -> tuple[int, int]:
        """Return the fewest and the most columns that a candidate copies from its seed."""
        low = self.omega_low if self.omega_ranges else self.omega_high
        return attributes - self.omega_high, attributes - low

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
        """Return the plan these settings make.

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
            settings = self.settings() | {
                "omega": self.omega,
                "policies": policies,
                "acceptance": self.acceptance,
                "noisy_tables": self.noisy_tables,
            }
            return Plan.of(schema, **settings)
        except Refusal as refusal:
            field = FIELDS.about(refusal.field)
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    @property
    def _floor(self) -> float | None:
        return self.pass_floor if self.protocol == "releases" else None
