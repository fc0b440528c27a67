"""The settings of seedbased synthesis on a page, and what the planner says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.budget import Budget
from understudy.runs.folder import RunFolder
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased import planning
from understudy_dashboard.methods.seedbased.draft import Draft
from understudy_dashboard.methods.seedbased.planned import Asked, ByHand, Planned, answers_of
from understudy_dashboard.methods.seedbased.planning import Offer, Way, Wish
from understudy_dashboard.settings import Settings
from understudy_dashboard.spending import plan_of


@dataclass(frozen=True)
class Own:
    """What a page's state says of seedbased synthesis."""

    session: Settings

    @property
    def planned(self) -> Planned:
        """The settings.

        Raises:
            Refusal: there is no schema yet.
        """
        found = self.session.settings(Plan.kind)
        assert isinstance(found, Planned)
        return found

    @property
    def wish(self) -> Wish:
        """What the planner is asked."""
        return self.planned.wish

    def asked(self, total: Budget | None) -> Asked:
        """Return the same for the planner's questions: an answer puts the planner's plan in use.

        Args:
            total: what the plan in use comes to; None where it promises nothing.
        """
        shown = answers_of(self.planned.draft, len(self._schema()))
        if total is not None:
            shown |= {"epsilon": total.epsilon, "delta": total.delta}
        return Asked(self.planned, shown)

    @property
    def draft(self) -> Draft:
        """The settings in use.

        Raises:
            Refusal: as `planned`, or the planner is followed and finds no plan.
        """
        return self.planned.used(self._schema(), self.session.policies)

    @property
    def hand(self) -> ByHand:
        """The same for a form: a change puts all of them in use by hand. Where the planner finds
        no plan, they are as they were last set."""
        try:
            used = self.draft
        except Refusal:
            used = replace(self.planned.draft)
        return ByHand(self.planned, used)

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
        return self.planned.plan(self._schema(), self.session.policies)

    def in_use(self, plan: Plan) -> bool:
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
        return self.session.planned_run().guarantee.account_as(Promise)

    def offer(self) -> Offer:
        """Return the planner's plan for what it was asked.

        Raises:
            Refusal: a number is out of range or not known, or nothing fits.
        """
        return self.planned.offer(self._schema(), self.session.policies)

    def undecided(self) -> Plan:
        """Return a plan with seeds as the planner was asked for, whatever it costs.

        Raises:
            Refusal: a number of the wish is out of range or not known.
        """
        return planning.undecided(self.wish, self.planned.draft, self._schema())

    def aimed(self) -> Budget:
        """Return what the test of the planner's plan is planned at.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        return planning.aimed(self.wish, self.planned.draft, self._schema())

    def ways(self) -> tuple[Way, ...]:
        """Return what makes a wish fit that does not."""
        wish, draft, schema = self.wish, self.planned.draft, self._schema()
        found: tuple[Way, ...] = self.session.keep(
            "ways",
            (schema.fingerprint, repr(wish), repr(draft)),
            lambda: planning.ways(wish, draft, schema),
        )
        return found

    def _schema(self) -> Schema:
        if self.session.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.session.schema


def own(session: Settings) -> Own:
    """Return what a page's state says of seedbased synthesis."""
    return Own(session)


def seedbased_plan(run: RunFolder) -> Plan | None:
    """Return what a run of it was to do; None for another method's, or where it cannot be read."""
    found = plan_of(run)
    return found if isinstance(found, Plan) else None
