"""From what a custodian may spend, and wants for it, to a plan that keeps to it.

The search is the engine's. Here a wish becomes a question for it, and a remedy a button.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import method_named
from understudy.mechanisms.seedbased import proposal, target
from understudy.mechanisms.seedbased.fields.candidate_fields import TESTS
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.plan import MOST_ATTEMPTS, Plan, RunProtocol
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.proposal import (
    OverEpsilon,
    PlanOption,
    Proposal,
    Purpose,
    Wanted,
    chosen_plan,
    over_epsilon,
    plan_choices,
)
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.accounting import accountant
from understudy.privacy.budget import Budget
from understudy.privacy.planning.question import LARGEST_EPSILON, Remedy
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test
from understudy.privacy.strength import Strength, strength
from understudy.table.fit import Policy
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.method_settings import FormState, held_fields, starting_values

TABLE: Final = method_named(Plan.kind).fields
"""All settings of a plan."""
_ACCEPTANCE: Final = "acceptance."
_FIELDS: Final = tuple(
    each for each in held_fields(TABLE) if not each.places[0].path.startswith(_ACCEPTANCE)
)
"""An acceptance test is held as it stands in a plan file."""


class Draft(FormState):
    """What the Privacy page asks of a plan of seedbased synthesis.

    `acceptance` is held beside the fields, as it is in a plan file.
    """

    @classmethod
    def of_plan(cls, plan: Plan) -> Draft:
        """Return the settings of a plan; what it does not have is as usual, and switched off."""
        values = starting_values(_FIELDS, TABLE.values(plan))
        values["t"] = plan.t or min(values["t"], max(1, plan.test.k - 1))
        test = plan.acceptance
        values["acceptance"] = None if test is None else test.model_dump(mode="json")
        return cls(_FIELDS, values).with_marks(plan.marks)

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Draft:
        """Return the settings that are held under these names. The claim of a third-party model may
        be held as a file has it."""
        outside = values.get("outside")
        claim = Claim.model_validate(outside) if isinstance(outside, Mapping) else outside
        return cls(_FIELDS, {**values, "outside": claim})

    @property
    def marks(self) -> Marks:
        """What must survive."""
        return Marks(
            target=self.target,
            columns=tuple(self.survive),
            together=tuple(map(tuple, self.together)),
        )

    def with_marks(self, marks: Marks) -> Draft:
        """Return these settings with other marks."""
        together = [list(group) for group in marks.together]
        return self.copy(target=marks.target, survive=list(marks.columns), together=together)

    def values(self, columns: int | None = None) -> dict[str, Any]:
        """Answer as `FormState`; a third-party model is kept, and has no part in plans for
        others."""
        chosen = self.outside if MODELS[self.kind].claimed else None
        return super().values(columns) | {"outside": chosen}

    def keeping(self, before: Draft) -> Draft:
        """Return these settings, with the numbers of what they have no use for as they were before,
        and what was confirmed, looked at and to be measured before."""
        kept = self.copy()
        kept.take_unused(before)
        if self.public_records is None:
            kept.public_records = before.public_records
        kept.chosen_by_looking = self.chosen_by_looking or before.chosen_by_looking
        kept.acceptance = self.acceptance or before.acceptance
        kept.noisy_tables = self.noisy_tables or before.noisy_tables
        return kept

    def is_seedless(self, attributes: int) -> bool:
        """Return whether every column is always drawn afresh."""
        low = self.omega_low if self.omega_ranges else self.omega_high
        return bool(low == self.omega_high == attributes)

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
        accountant.check_count(self.attempts, self.protocol)
        accountant.check_delta(self.delta)
        accountant.check_group(self.records_per_person)
        accountant.check_floor(self._floor, self.protocol)
        try:
            settings = self.settings() | {
                "omega": self.omega,
                "policies": policies,
                "acceptance": self.acceptance,
            }
            return Plan.of(schema, **settings)
        except Refusal as refusal:
            field = TABLE.about(refusal.field)
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    @property
    def _floor(self) -> float | None:
        return self.pass_floor if self.protocol == "releases" else None


MOST_RECORDS: Final = 10**10
_OPEN_K, _OPEN_EPSILON0 = 50, 1.0


@dataclass
class Wish:
    """What a custodian knows and wants, each field as a widget holds it.

    Attributes:
        epsilon, delta: what may be spent in all, on one person.
        purpose: what the synthetic table is for.
        rows: how many records a whole table is to have.
        count: how many attempts, or records under the protocol that hides the attempts, are made
            from seeds.
        records_at_least: how many records the table is publicly known to have; None as long as
            nobody has said.
        seeds_at_least: how many seed records are publicly known to be there; None works that out
            from the number of records.
        kept: how many columns are copied from a seed; 0 is seedless.
        protocol: what a reader will see.
        pass_floor: looked at under “releases” only.
        test: which privacy test.
        records_per_person: the most records one person may have.
    """

    epsilon: float = 1.0
    delta: float = 1e-9
    purpose: Purpose = "table"
    rows: int = 10_000
    count: int = 1_000
    records_at_least: int | None = None
    seeds_at_least: int | None = None
    kept: int = 1
    protocol: RunProtocol = "attempts"
    pass_floor: float = 0.1
    test: TestKind = "relative-sensitivity"
    records_per_person: int = 1


SAMPLE: Final = Wish(count=2_000, kept=1)
"""What the sample census is opened with: the whole of it. The column that would be copied from a
seed is a coarse one, each of whose values more records share than the k that ε = 1 takes."""


@dataclass(frozen=True)
class PlanOffer:
    """A plan that keeps to what may be spent.

    Attributes:
        draft: the settings on the page that make it.
        plan: it.
        made: what it promises.
        published_k: k by the published rule k = 2t; None where it has none, and for seedless.
        explanation: why these numbers, in sentences.
        proposal: the engine's, with what is predicted of every model.
    """

    draft: Draft
    plan: Plan
    made: Promise
    proposal: Proposal
    published_k: int | None = None
    explanation: tuple[str, ...] = ()


@dataclass(frozen=True)
class RemedyButton:
    """One change that makes a wish fit.

    Attributes:
        said: it, as a button says it.
        name, value: the field of the wish, and what to put there.
    """

    said: str
    name: str
    value: Any


def is_in_range(epsilon: float) -> bool:
    """Return whether an ε is one that a plan is searched for."""
    return 0 < epsilon <= LARGEST_EPSILON


def is_unsatisfiable(wish: Wish, refusal: Refusal) -> bool:
    """Return whether a refusal is the planner's answer, and not about one number out of range."""
    return refusal.field == "epsilon" and is_in_range(wish.epsilon)


def plan_with_seeds(
    wish: Wish, draft: Draft, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> PlanOffer:
    """Return the plan with the smallest k that keeps to the wish.

    Args:
        wish: its number of records, or of seeds, is known, and it copies at least one column.
        draft: keeps the numbers of what the plan has switched off.

    Raises:
        Refusal: a number is out of range, or nothing fits; `field` is "epsilon" then.
    """
    with _naming_field():
        return _make_offer(proposal.alike(schema, _ask_alike(wish, draft, policies)), draft)


def plan_without_seeds(
    wish: Wish, draft: Draft, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> PlanOffer:
    """Return the plan that copies nothing and spends the same on the model alone.

    Raises:
        Refusal: a number is out of range.
    """
    with _naming_field():
        wanted = _make_question(_wish_for_table(wish), draft, policies)
        return _make_offer(proposal.whole_table(schema, wanted), draft)


def propose_for_purpose(
    wish: Wish, draft: Draft, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> PlanOffer:
    """Return the plan for the purpose; the one without seeds where nothing is to be copied from
    them.

    Raises:
        Refusal: a number of the wish is out of range or not known, or nothing fits.
    """
    made = plan_without_seeds if _is_seedless(wish) else plan_with_seeds
    return made(wish, draft, schema, policies)


def without_epsilon(wish: Wish) -> Wish:
    """Return the wish for a curve over ε, which is the same whatever ε is asked for."""
    return replace(wish, epsilon=Wish().epsilon)


def foresee_over_epsilon(wish: Wish, draft: Draft, schema: Schema) -> OverEpsilon:
    """Return how far off a typical pair will be at each ε, all else as asked.

    Raises:
        Refusal: a number is out of range, or it is not known how many records there are.
    """
    with _naming_field():
        wanted = _make_question(_wish_for_table(wish) if _is_seedless(wish) else wish, draft, None)
        return over_epsilon(schema, wanted, "table" if _is_seedless(wish) else "alike")


def list_choices(wish: Wish, draft: Draft, schema: Schema) -> tuple[PlanOption, ...]:
    """Return how near each kind of model comes at each ε, all else as asked.

    Raises:
        Refusal: a number is out of range, or it is not known how many records there are.
    """
    with _naming_field():
        whole = _is_seedless(wish)
        wanted = _make_question(_wish_for_table(wish) if whole else wish, draft, None)
        return plan_choices(schema, wanted, "table" if whole else "alike")


def plan_of_choice(
    wish: Wish,
    draft: Draft,
    schema: Schema,
    choice: PlanOption,
    policies: Mapping[str, Policy] | None = None,
) -> Plan:
    """Return the plan of a choice.

    Raises:
        Refusal: a number is out of range or not known, or nothing fits.
    """
    at = replace(wish, epsilon=choice.epsilon)
    with _naming_field():
        whole = _is_seedless(at)
        wanted = _make_question(_wish_for_table(at) if whole else at, draft, policies)
        return chosen_plan(schema, wanted, "table" if whole else "alike", choice.kind)


def draft_plan(wish: Wish, draft: Draft, schema: Schema) -> Plan:
    """Return a plan with seeds as asked for, whatever it costs: its k and ε0 are any.

    Raises:
        Refusal: a number is out of range or not known.
    """
    with _naming_field():
        return proposal.asked_alike(schema, _ask_alike(wish, draft, None))


def list_remedies(wish: Wish, draft: Draft, schema: Schema) -> tuple[RemedyButton, ...]:
    """Return each single change that makes a wish fit that does not, worked out.

    Raises:
        Refusal: a number is out of range.
    """
    plan = draft_plan(wish, draft, schema)
    with _naming_field():
        found = target.ways_out(plan, schema, wish.epsilon)
    return tuple(way for each in found if (way := _make_button(wish, each)) is not None)


def find_target(wish: Wish, draft: Draft, schema: Schema) -> Budget:
    """Return what the test of a wish is planned at: for one record, less what is set aside of δ.

    Raises:
        Refusal: a number is out of range.
    """
    plan = draft_plan(wish, draft, schema)
    with _naming_field():
        return target.ask_planner(plan, schema, wish.epsilon).target


def _is_seedless(wish: Wish) -> bool:
    return wish.purpose == "table" or wish.kept == 0


def _wish_for_table(wish: Wish) -> Wish:
    """Return the wish for a whole table. Every candidate passes, so that nothing need be hidden of
    the attempts."""
    return replace(
        wish, protocol="attempts", count=1, kept=1, seeds_at_least=None, test=Wish().test
    )


def _make_offer(found: Proposal, before: Draft) -> PlanOffer:
    draft = Draft.of_plan(found.plan).keeping(before)
    if found.answer is None:
        return PlanOffer(draft, found.plan, found.made, found)
    answer = found.answer
    return PlanOffer(
        draft, found.plan, found.made, found, answer.published_rule_k, answer.explanation
    )


def _ask_alike(wish: Wish, draft: Draft, policies: Mapping[str, Policy] | None) -> Wanted:
    return _make_question(replace(wish, rows=1), draft, policies)


def _make_question(wish: Wish, draft: Draft, policies: Mapping[str, Policy] | None) -> Wanted:
    """Return what the engine is asked; its k and ε0 are open and hold what any test would take."""
    target.check_epsilon(wish.epsilon)
    accountant.check_count(wish.count, wish.protocol)
    accountant.check_delta(wish.delta)
    accountant.check_group(wish.records_per_person)
    floor = wish.pass_floor if wish.protocol == "releases" else None
    accountant.check_floor(floor, wish.protocol)
    _check_rows(wish.rows)
    _check_records(wish.records_at_least)
    gamma = draft.gamma if wish.test == "plausible-deniability" else None
    return Wanted(
        epsilon=wish.epsilon,
        delta=wish.delta,
        rows=wish.rows,
        attempts=wish.count,
        kept=wish.kept,
        records=wish.records_at_least,
        seeds_at_least=wish.seeds_at_least,
        records_per_person=wish.records_per_person,
        test=privacy_test(wish.test, _OPEN_K, _OPEN_EPSILON0, gamma),
        protocol=wish.protocol,
        pass_floor=floor,
        policies=dict(policies or {}),
        marks=draft.marks,
    )


def _check_rows(rows: int) -> None:
    if not accountant.is_whole(rows, 1, MOST_ATTEMPTS):
        raise Refusal(
            f"The number of rows has to be a whole number from 1 to {MOST_ATTEMPTS:,}.",
            "Enter how many rows the synthetic table is to have.",
            field="rows",
        )


def _check_records(records: int | None) -> None:
    if records is not None and not accountant.is_whole(records, 1, MOST_RECORDS):
        raise Refusal(
            f"The number of records has to be a whole number from 1 to {MOST_RECORDS:,}.",
            "Enter how many records the table is publicly known to have, or leave it open.",
            field="records_at_least",
        )


@contextmanager
def _naming_field() -> Iterator[None]:
    """Have a refusal name the question that it belongs beside."""
    try:
        yield
    except Refusal as refusal:
        field = "records_at_least" if refusal.field == "records" else TABLE.about(refusal.field)
        raise Refusal(refusal.problem, refusal.remedy, field=field) from None


def _make_button(wish: Wish, remedy: Remedy) -> RemedyButton | None:
    """Return a remedy as a button has it; None where it is no good advice."""
    match remedy.change:
        case "count":
            verb = "Make" if wish.protocol == "attempts" else "Release"
            count = int(remedy.value)
            return RemedyButton(
                f"{verb} {words.format_counted(wish.protocol, count)}", "count", count
            )
        case "epsilon":
            epsilon = float(remedy.value)
            if strength(Budget(epsilon, wish.delta)) is Strength.VERY_WEAK:
                return None
            return RemedyButton(f"Allow ε = {words.epsilon(epsilon)}", "epsilon", epsilon)
        case "delta":
            delta = float(remedy.value)
            return RemedyButton(f"Allow δ = {words.delta(delta)}", "delta", delta)
        case "seeds_at_least":
            seeds = int(remedy.value)
            return RemedyButton(f"Count on {seeds:,} seed records", "seeds_at_least", seeds)
        case "kind":
            name = TESTS[str(remedy.value)].lower()
            return RemedyButton(f"Use the {name} test", "test", remedy.value)
    return None
