"""The settings of seedbased synthesis on a page: one plan, set by the planner or by hand.

The plan in use follows the answers to the planner's questions until a setting is set by hand; an
answer given after that replaces what was set. A run does what was said last, and the meter shows
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.budget import Budget
from understudy.projects.state import Sizes
from understudy.runs.folder import RunFolder
from understudy.table.fit import Policy
from understudy.table.schema import Schema
from understudy_dashboard.ledger_status import read_run_plan
from understudy_dashboard.methods.seedbased import planner
from understudy_dashboard.methods.seedbased.planner import (
    SAMPLE,
    Draft,
    PlanOffer,
    RemedyButton,
    Wish,
)
from understudy_dashboard.session import Session
from understudy_dashboard.settings import Settings

Policies = Mapping[str, Policy]


@dataclass
class PlannerState:
    """What the planner was asked, and the settings that were set by hand.

    Attributes:
        wish: what the planner on the Privacy page is asked.
        draft: the settings as they were last set by hand; where the planner is followed, it keeps
            the numbers of what its plan has no use for.
        by_hand: whether they are in use, and not the planner's.
    """

    wish: Wish
    draft: Draft
    by_hand: bool = False
    _found: tuple[Any, PlanOffer | Refusal] | None = field(default=None, compare=False, repr=False)

    def plan(self, schema: Schema, policies: Policies) -> Plan:
        """Return the plan; see `MethodSettings`."""
        return self.find_draft(schema, policies).plan(schema, dict(policies))

    def find_draft(self, schema: Schema, policies: Policies) -> Draft:
        """Return the settings in use.

        Raises:
            Refusal: the planner is followed, and finds no plan.
        """
        return self.draft if self.by_hand else self.offer(schema, policies).draft.copy()

    def offer(self, schema: Schema, policies: Policies) -> PlanOffer:
        """Return the planner's plan for what it was asked, worked out again only where that
        changed.

        Raises:
            Refusal: a number is out of range or not known, or nothing fits.
        """
        key = schema.fingerprint, repr(self.wish), repr(self.draft), dict(policies)
        if self._found is None or self._found[0] != key:
            try:
                found: PlanOffer | Refusal = planner.propose_for_purpose(
                    self.wish, self.draft, schema, policies
                )
            except Refusal as refusal:
                found = refusal
            self._found = key, found
        found = self._found[1]
        if isinstance(found, Refusal):
            raise Refusal(found.problem, found.remedy, field=found.field)
        return found

    def confirm(self, records: int | None) -> None:
        """Take down what was confirmed; see `MethodSettings`."""
        self.draft.public_records = records
        if records is None:
            self.wish.records_at_least = None

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as a project keeps them; see `MethodSettings`."""
        return {
            "wish": asdict(self.wish),
            "draft": deepcopy(self.draft.read_widgets()),
            "by_hand": self.by_hand,
        }

    def count_on(self, records: int) -> None:
        """Count on so many records of a person."""
        self.draft = self.draft.copy(records_per_person=records)
        self.wish.records_per_person = records


def list_answers(draft: Draft, columns: int) -> dict[str, Any]:
    """Return the answers to the planner's questions that settings amount to.

    Args:
        draft: the settings.
        columns: how many the table has.
    """
    kept = draft.count_copied(columns)
    return {
        "purpose": "table" if draft.is_seedless(columns) else "alike",
        "rows": draft.attempts,
        "count": draft.attempts,
        "kept": max(kept),
        "delta": draft.delta,
        "seeds_at_least": draft.seeds_at_least,
        "protocol": draft.protocol,
        "pass_floor": draft.pass_floor,
        "test": draft.test,
        "records_per_person": draft.records_per_person,
    }


class PlannerAnswers:
    """The answers as the planner's questions hold them: one that is given puts its plan in use.

    Args:
        planned: what is decided.
        shown: answers that the plan in use comes to by itself, where it was set by hand.
    """

    _planned: PlannerState
    _shown: Mapping[str, Any]

    def __init__(self, planned: PlannerState, shown: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "_planned", planned)
        object.__setattr__(self, "_shown", (shown or {}) if planned.by_hand else {})

    def __getattr__(self, name: str) -> Any:
        return self._shown[name] if name in self._shown else getattr(self._planned.wish, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._planned.wish, name, value)
        self._planned.by_hand = False


@dataclass(frozen=True)
class PlanChoice:
    """What a page's state says of seedbased synthesis."""

    settings: Settings

    @property
    def planned(self) -> PlannerState:
        """The settings.

        Raises:
            Refusal: there is no schema yet.
        """
        found = self.settings.of_method(Plan.kind)
        assert isinstance(found, PlannerState)
        return found

    @property
    def wish(self) -> Wish:
        """What the planner is asked."""
        return self.planned.wish

    def ask_questions(self, total: Budget | None) -> PlannerAnswers:
        """Return the answers for the planner's questions; changing one puts the planner's plan in
        use.

        Args:
            total: what the plan in use comes to; None where it promises nothing.
        """
        shown = list_answers(self.planned.draft, len(self._schema()))
        if total is not None:
            shown |= {"epsilon": total.epsilon, "delta": total.delta}
        return PlannerAnswers(self.planned, shown)

    @property
    def draft(self) -> Draft:
        """The settings in use.

        Raises:
            Refusal: as `planned`, or the planner is followed and finds no plan.
        """
        return self.planned.find_draft(self._schema(), self.settings.policies)

    @property
    def hand(self) -> Draft:
        """The same for a form: a change puts all of them in use by hand. Where the planner finds
        no plan, they are as they were last set."""
        try:
            used = self.draft
        except Refusal:
            used = self.planned.draft
        return used.watch(lambda draft: self.use(draft.copy()))

    def use(self, draft: Draft) -> None:
        """Put other settings in use, by hand."""
        self.planned.draft, self.planned.by_hand = draft, True

    def follow(self) -> None:
        """Put the planner's plan in use."""
        self.planned.by_hand = False

    def plan(self) -> Plan:
        """Return the settings as a plan.

        Raises:
            Refusal: there is no schema yet, or a setting cannot be used.
        """
        return self.planned.plan(self._schema(), self.settings.policies)

    def is_in_use(self, plan: Plan) -> bool:
        """Return whether a plan is the one in use; where none is, it is not."""
        try:
            return self.plan() == plan
        except Refusal:
            return False

    def promise(self) -> Promise:
        """Return what the plan promises, where this is the method in use.

        Raises:
            Refusal: as `plan`, or the plan cannot keep its δ.
        """
        return self.settings.planned_run().guarantee.account_as(Promise)

    def offer(self) -> PlanOffer:
        """Return the planner's plan for what it was asked.

        Raises:
            Refusal: a number is out of range or not known, or nothing fits.
        """
        return self.planned.offer(self._schema(), self.settings.policies)

    def plan_as_asked(self) -> Plan:
        """Return a plan with seeds as the planner was asked for, whatever it costs.

        Raises:
            Refusal: a number of the wish is out of range or not known.
        """
        return planner.draft_plan(self.wish, self.planned.draft, self._schema())

    def find_target(self) -> Budget:
        """Return what the test of the planner's plan is planned at.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        return planner.find_target(self.wish, self.planned.draft, self._schema())

    def list_remedies(self) -> tuple[RemedyButton, ...]:
        """Return what makes a wish fit that does not."""
        wish, draft, schema = self.wish, self.planned.draft, self._schema()
        found: tuple[RemedyButton, ...] = self.settings.cache.keep(
            "ways",
            (schema.fingerprint, repr(wish), repr(draft)),
            lambda: planner.list_remedies(wish, draft, schema),
        )
        return found

    def _schema(self) -> Schema:
        if self.settings.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.settings.schema


def plan_choice(session: Session) -> PlanChoice:
    """Return what a page's state says of seedbased synthesis."""
    return PlanChoice(session.settings)


def plan_of_run(run: RunFolder) -> Plan | None:
    """Return what a run of it was to do; None for another method's, or where it cannot be read."""
    found = read_run_plan(run)
    return found if isinstance(found, Plan) else None


class SeedbasedSettings:
    """How the settings of seedbased synthesis are begun, kept and fitted."""

    def begin(self, schema: Schema, *, simulated: bool) -> PlannerState:
        """Return the planner's proposal for a whole table."""
        found = PlannerState(
            replace(SAMPLE) if simulated else Wish(), Draft.of_plan(Plan.of(schema))
        )
        found.count_on(found.draft.records_per_person)
        return found

    def restore(self, schema: Schema, kept: Mapping[str, Any]) -> PlannerState:
        """Answer as `SettingsFactory`. Of settings that do not say who set them, those that are not
        the planner's were set by hand."""
        wish = Wish(**_keep_alike(asdict(Wish()), kept.get("wish")))
        usual = Draft.of_plan(Plan.of(schema)).read_widgets()
        found = PlannerState(wish, Draft.of_values(_keep_alike(usual, kept.get("draft"))))
        said = kept.get("by_hand")
        found.by_hand = said if isinstance(said, bool) else not _follows_planner(found, schema)
        return self.fit(found, None, schema)

    def adopt(self, plan: Plan, before: PlannerState | None) -> PlannerState:
        """Return the settings of a plan; what the planner was asked stays."""
        return PlannerState(
            Wish() if before is None else before.wish, Draft.of_plan(plan), by_hand=True
        )

    def fit(self, chosen: PlannerState, before: Schema | None, after: Schema) -> PlannerState:
        """Copy as many columns as before where there are so many columns more, and count on the
        records of a person that the schema keeps."""
        if before is not None:
            more = len(after) - len(before)
            draft = chosen.draft
            low, high = (max(0, end + more) for end in (draft.omega_low, draft.omega_high))
            chosen.draft = draft.copy(omega_low=low, omega_high=high)
        if after.people is not None:
            chosen.count_on(after.people.records_at_most)
        chosen.draft = chosen.draft.with_marks(chosen.draft.marks.among(after.names))
        return chosen

    def set_sizes(self, chosen: PlannerState, sizes: Sizes) -> None:
        """Answer as `SettingsFactory`: what the planner is asked. Settings by hand stay as they
        are."""
        chosen.wish.records_at_least, chosen.wish.rows = sizes.records, sizes.to_make


SETTINGS: Final = SeedbasedSettings()


def _follows_planner(found: PlannerState, schema: Schema) -> bool:
    """Return whether the settings are those of the planner's plan."""
    try:
        return found.offer(schema, {}).draft == found.draft
    except Refusal:
        return False


def _keep_alike(usual: dict[str, Any], found: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return settings as found, where they are of the kind that they should be; else the usual
    ones."""
    return usual | {
        name: value
        for name, value in (found or {}).items()
        if name in usual and _are_alike(value, usual[name])
    }


def _are_alike(value: Any, usual: Any) -> bool:
    """Return whether a setting is of the same kind as the usual one."""
    if isinstance(value, bool) or isinstance(usual, bool):
        return isinstance(value, bool) and isinstance(usual, bool)
    if usual is None:
        return value is None or isinstance(value, int | str | dict)
    return isinstance(value, int | float if isinstance(usual, float) else type(usual))
