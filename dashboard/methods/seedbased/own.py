"""The settings of seedbased synthesis on a page, and what the planner says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.methods.seedbased import planning
from dashboard.methods.seedbased.choosing import Planned
from dashboard.methods.seedbased.draft import Draft
from dashboard.methods.seedbased.planning import Offer, Way, Wish
from dashboard.settings import Settings
from dashboard.spending import plan_of
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.privacy.budget import Budget
from engine.runs.folder import RunFolder
from engine.table.fitting import Policy
from engine.table.schema import Schema


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

    @property
    def draft(self) -> Draft:
        """The settings in use."""
        return self.planned.draft

    def use(self, draft: Draft) -> None:
        """Put other settings in use."""
        self.planned.draft = draft

    def plan(self) -> Plan:
        """The settings as a plan.

        Raises:
            Refusal: there is no schema yet, or a setting cannot be used.
        """
        return self.planned.plan(self._schema(), self.session.policies)

    def promise(self) -> Promise:
        """What the plan promises, where this is the method in use.

        Raises:
            Refusal: as `plan`, or the plan cannot keep its δ.
        """
        return self.session.planned_run().guarantee.account_as(Promise)

    def answer(self) -> Offer | Refusal | None:
        """The planner's plan with seeds, or why there is none; None where it was not asked for
        one, or cannot be as long as no number of seeds is known."""
        if not planning.answerable(self.wish):
            return None

        def made() -> Offer | Refusal:
            try:
                return planning.seedbased(*self._asked())
            except Refusal as refusal:
                return refusal

        answer: Offer | Refusal = self.session.keep("answer", self._asked_key(), made)
        return answer

    def seedless(self) -> Offer:
        """The planner's plan without seeds.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        offer: Offer = self.session.keep(
            "seedless", self._asked_key(), lambda: planning.seedless(*self._asked())
        )
        return offer

    def aimed(self) -> Budget:
        """What the test of the planner's plan is planned at.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        wish, draft, schema, _ = self._asked()
        return planning.aimed(wish, draft, schema)

    def ways(self) -> tuple[Way, ...]:
        """What makes a wish fit that does not."""
        wish, draft, schema, _ = self._asked()
        found: tuple[Way, ...] = self.session.keep(
            "ways", self._asked_key(), lambda: planning.ways(wish, draft, schema)
        )
        return found

    def _asked(self) -> tuple[Wish, Draft, Schema, dict[str, Policy]]:
        return self.wish, self.draft, self._schema(), self.session.policies

    def _asked_key(self) -> tuple[str, ...]:
        """What an offer depends on."""
        settings: list[Any] = [self.wish, self.draft, self.session.policies]
        return self._schema().fingerprint, *map(repr, settings)

    def _schema(self) -> Schema:
        if self.session.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.session.schema


def own(session: Settings) -> Own:
    """What a page's state says of seedbased synthesis."""
    return Own(session)


def seedbased_plan(run: RunFolder) -> Plan | None:
    """What a run of it was to do; None for another method's, or where it cannot be read."""
    found = plan_of(run)
    return found if isinstance(found, Plan) else None
