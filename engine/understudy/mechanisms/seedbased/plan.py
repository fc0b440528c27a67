"""What a custodian decides before a run: one frozen value, one file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, get_args

from pydantic import Field, ValidationError, field_validator

from understudy.acceptance.statistics import AcceptanceTest
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen, refuse_invalid
from understudy.mechanisms.plan import Delta, Epsilon, MechanismPlan, RecordsKnown, RecordsPerPerson
from understudy.mechanisms.seedbased.fields.model_fields import PROMISE
from understudy.mechanisms.seedbased.fields.table import ACCURACY
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.models import MODELS, USUAL
from understudy.mechanisms.setting import declare_setting
from understudy.models.about import ModelAbout
from understudy.models.bayesnet.parameters import Estimate
from understudy.models.learner import Learner
from understudy.models.marks import UNMARKED, Marks
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.accounting import accountant
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.plausibility.threshold import NoisyThreshold
from understudy.table.people import check_single
from understudy.table.schema import Schema
from understudy.table.split import Shares

MOST_ATTEMPTS = 10**9

ModelKind = Literal["calibrated", "network", "marginals", "outside"]
KINDS: Final[tuple[ModelKind, ...]] = get_args(ModelKind)

RunProtocol = Literal["attempts", "releases"]
"""The protocols a run can be made under; see engine/understudy/privacy/accounting/account.py."""

_TESTS: Mapping[str, type[NoisyThreshold]] = {
    "plausible-deniability": PlausibleDeniability,
    "relative-sensitivity": RelativeSensitivity,
}


class ModelPlan(Frozen, what="the model's plan"):
    """How the generative model is learned.

    Attributes:
        kind: the calibrated model, which is bought for its price from all the records it may see;
            the published Bayesian network; the independent marginals; or a third-party model,
            which sees the same records as the calibrated one.
        epsilon: ε of the calibrated or the third-party model, or for each of structure and
            parameters of the others, which see different records; None learns without noise, for
            comparison only: nothing is then promised.
        estimate: of the published network and the marginals, the mean of the Dirichlet posterior,
            or a draw from it.
        outside: which third-party model, and what it claims; None for the others.
    """

    kind: ModelKind = USUAL
    epsilon: Epsilon | None = 1.0
    estimate: Estimate = "mean"
    outside: Claim | None = None

    @property
    def at_once(self) -> bool:
        """Whether it is learned from all the records it may see together."""
        return self.about.at_once

    @property
    def about(self) -> ModelAbout:
        """What is known of this kind of model."""
        return MODELS[self.kind]

    @property
    def learner(self) -> Learner:
        """The model that is learned, with its settings."""
        return learner_of(self.kind, self.estimate, self.outside)

    def at(self, epsilon: float | None) -> ModelPlan:
        """Return the same model for another ε."""
        return ModelPlan(
            kind=self.kind, epsilon=epsilon, estimate=self.estimate, outside=self.outside
        )


class Plan(MechanismPlan, what="the plan"):
    """Everything a run of seedbased synthesis needs besides the table and its schema.

    All of it may be published but `policies`: that stray values had to be settled tells that
    there were some.

    Attributes:
        test: the privacy test and its parameters.
        omega: how many attributes are resampled.
        protocol: what a reader may see: every attempt, or the released records only.
        attempts: N, fixed before the run: attempts, or under “releases” released records.
        pass_floor: c, declared beforehand: the least share of the attempts that pass, with or
            without any one person's records. Under “releases” only, and needed there unless the
            plan is seedless.
        records_per_person: g, the most records one person may have in the table.
        delta: the δ of the total, met by every part.
        seeds_at_least: how many seed records are counted on; see `Promise.records_at_least`
            for what must then be publicly known of the table.
        t: the t of Theorem 1; None takes the best for `delta`.
        model: how the model is learned.
        marks: the target, and the columns, pairs and triples that must survive: the model divides
            what it may spend by them.
        shares: how records are assigned to seeds, structure, parameters and held-out.
        sampling: the chance with which each member of a population got into the table, where
            the table is itself a secret sample; None claims nothing.
        public_records: how many records the custodian confirmed to be publicly known to be in
            the table at least, whoever of its people is taken out; None where nobody has said.
        acceptance: what is measured with noise of the held-out records, to be released with the
            table; None for nothing.
    """

    kind: ClassVar[str] = "seedbased"
    tagged: ClassVar[bool] = False  # such plan files are older than other methods
    left_out: ClassVar[frozenset[str]] = frozenset({"marks", "acceptance", "noisy_tables"})

    test: PrivacyTest = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)
    omega: Omega
    protocol: RunProtocol = "attempts"
    attempts: int = Field(default=5_000, ge=1, le=MOST_ATTEMPTS)
    pass_floor: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    records_per_person: RecordsPerPerson = 1
    delta: Delta = 1e-9
    seeds_at_least: RecordsKnown = 1_000
    t: RecordsKnown | None = None
    model: ModelPlan = ModelPlan()
    marks: Marks = UNMARKED
    shares: Shares = Shares()
    sampling: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    public_records: RecordsKnown | None = None
    chosen_by_looking: bool = declare_setting(
        False,
        "Chosen by looking",
        "The settings were adopted after looking at figures computed from these records without "
        "noise. The guarantee does not cover what that choice shows.",
        group=PROMISE,
        stands="elsewhere",
        told=False,
    )
    acceptance: AcceptanceTest | None = None
    noisy_tables: bool = declare_setting(
        False,
        "Noisy tables are released",
        "Whether the noisy tables that the model is learned from are released too.",
        group=ACCURACY,
        stands="elsewhere",
        told=False,
    )

    @field_validator("test", mode="before")
    @classmethod
    def _test(cls, value: Any) -> Any:
        """Return a test that does not say of which kind it is is one of plausible deniability."""
        if not isinstance(value, Mapping):
            return value
        kind = str(value.get("kind", "plausible-deniability"))
        return _TESTS[kind].read(value) if kind in _TESTS else value

    @classmethod
    def of(cls, schema: Schema, **settings: Any) -> Plan:
        """Return a plan for this schema; ω defaults to all of the attributes or all but one, and
        the records per person to as many as the schema keeps.

        That keeps the test from turning away all but the commonest records of a table of tens
        of thousands, on which wider ranges come out further from the truth than the marginals.

        Known totals say how many records there are, all of which are drawn whole.

        Raises:
            Refusal: a setting is out of range, or does not fit the schema.
        """
        attributes = len(schema.columns)
        if schema.totals:
            settings.setdefault("omega", Omega(low=attributes, high=attributes))
            settings.setdefault("attempts", schema.totals[0].total)
        settings.setdefault("omega", Omega(low=attributes - 1, high=attributes))
        if schema.people is not None:
            settings.setdefault("records_per_person", schema.people.records_at_most)
        plan = cls(domain=schema.fingerprint, **settings)
        plan.check(schema)
        return plan

    def change(self, schema: Schema, **settings: Any) -> Plan:
        """Return this plan with some settings changed.

        Raises:
            Refusal: as `of`.
        """
        kept = {name: getattr(self, name) for name in type(self).model_fields if name != "domain"}
        return Plan.of(schema, **{**kept, **settings})

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`; more records of a person than are counted on, more
                resampled attributes than there are, a mark on what is no column, a protocol that
                does not go with ω or the pass floor, a part without records, a model that is not
                as it is claimed, or one that cannot keep the rules of the schema; or known totals
                that cannot be hit.
        """
        super().check(schema)
        check_single(schema.people, self.records_per_person)
        self.omega.fits(len(schema.columns))
        self.marks.check(schema.names)
        self._check_protocol(schema)
        self._check_shares(schema)
        self._check_outside()
        self._check_acceptance(schema)
        self._check_noisy_tables()
        if schema.kept_rules:
            self.model.learner.check_rules(schema)
        self._check_totals(schema)

    def _check_totals(self, schema: Schema) -> None:
        """Check that all records are drawn whole from a model of this program's own, and that
        there are as many as known totals count."""
        totals = schema.joint_totals
        if totals is None:
            return
        if self.seed_attempts(schema):
            raise Refusal(
                "The schema has known totals, and records made from seeds cannot hit them: those "
                "that pass the test can be thinned out, and never made up.",
                "Draw all columns of each record from the model, or take the totals out of the "
                "schema.",
                field="omega",
            )
        if self.model.about.claimed:
            raise Refusal(
                "The schema has known totals, which a third-party model is not known to hit.",
                "Choose a model of this program's own, or take the totals out of the schema.",
                field="model",
            )
        if self.attempts != totals.whole and not totals.proportional:
            raise Refusal(
                f"The known totals count {totals.whole:,} rows of this table, and the plan is for "
                f"{self.attempts:,}.",
                f"Ask for {totals.whole:,} rows, or take the totals out of the schema.",
                field="attempts",
            )

    def _check_protocol(self, schema: Schema) -> None:
        if self.protocol == "releases" and self.omega.per_attempt and not self.omega.is_fixed:
            raise Refusal(
                "ω is announced over a range, and under the protocol “releases” nobody may know "
                "which attempt a record comes from.",
                "Read the range of ω as hidden, fix ω, or choose the protocol “attempts”.",
                field="omega.reading",
            )
        seedless = self.seed_attempts(schema) == 0
        if self.protocol == "attempts" or self.pass_floor is not None or not seedless:
            accountant.check_floor(self.pass_floor, self.protocol)

    def _check_shares(self, schema: Schema) -> None:
        """Check that every part that something is made from can have records."""
        shares = self.shares
        needed = {
            "seeds": self.seed_attempts(schema) > 0,
            "structure": self.model.about.structured,
            "parameters": not self.model.at_once or shares.structure == 0,
        }
        for name, wanted in needed.items():
            if wanted and getattr(shares, name) == 0:
                raise Refusal(
                    f"No record goes to the {name}, which this plan needs.",
                    f"Give the {name} a share above 0, such as 0.3.",
                    field=f"shares.{name}",
                )
        about = self.model.about
        if self.model.estimate != "mean" and not about.posterior:
            raise Refusal(
                f"The {about.name} model has no posterior to draw its parameters from.",
                "Choose the mean as the estimate, or the published network as the model.",
                field="model.estimate",
            )

    def _check_acceptance(self, schema: Schema) -> None:
        """Check that what is to be measured can be, of records that are held out."""
        if self.acceptance is None:
            return
        self.acceptance.check(schema)
        if self.shares.held_out == 0:
            raise Refusal(
                "The plan has an acceptance test and holds no record out to measure.",
                "Give the held-out records a share above 0, such as 0.1.",
                field="shares.held_out",
            )

    def _check_noisy_tables(self) -> None:
        """Check that there will be noisy tables, if they are to be released."""
        if self.noisy_tables and (self.model.epsilon is None or not self.model.about.tells_tables):
            raise Refusal(
                f"The {self.model.about.name} model is not learned from noisy tables that can be "
                "released."
                if self.model.epsilon is not None
                else "The tables that the model is learned from have no noise.",
                "Choose a model of this program's own with an ε, or leave its tables out of the "
                "release.",
                field="noisy_tables",
            )

    def _check_outside(self) -> None:
        """Check that a claim stands there for a third-party model, and for no other."""
        if self.model.about.claimed != (self.model.outside is not None):
            raise Refusal(
                "The plan is for a third-party model, and does not say which and what it claims."
                if self.model.outside is None
                else "The plan repeats the claim of a third-party model, and is for none.",
                "Make the plan with “--model outside:” and the name of the model, or for another "
                "kind of model.",
                field="model",
            )

    @property
    def counted_share(self) -> float:
        """The probability with which a record is among those that the model's tables count."""
        shares = self.shares
        return shares.parameters + (shares.structure if self.model.at_once else 0.0)

    def seed_attempts(self, schema: Schema) -> int:
        """Return how many attempts, or records under “releases”, cost something: those that look at
        a seed; 0 for a seedless plan."""
        return self.omega.seed_attempts(self.attempts, len(schema.columns))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read a plan file.

        Raises:
            Refusal: it is not one, or a setting is missing or out of range.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise refuse_invalid(error, "the plan") from None
