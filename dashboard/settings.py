"""The settings of a page: what the columns may contain, what may be spent, and the plan of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dashboard import planning
from dashboard.draft import Draft
from dashboard.planning import Offer, Way, Wish
from engine.core.refusal import Refusal
from engine.mechanisms.mechanism import Decided
from engine.mechanisms.registry import decided
from engine.mechanisms.seedbased.guarantee import promise_of
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.privacy.budget import Budget
from engine.table.fitting import Policy
from engine.table.schema import Schema


@dataclass
class Settings:
    """What a custodian decides, and what follows from it.

    Attributes:
        schema: what the columns may contain, as far as decided.
        policies: per column, what becomes of values outside the schema.
        wish: what the planner on the Privacy page is asked.
        draft: the settings on the Privacy page.
    """

    schema: Schema | None = None
    policies: dict[str, Policy] = field(default_factory=dict)
    wish: Wish = field(default_factory=Wish)
    draft: Draft | None = None
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def declared(self) -> bool:
        """Whether the schema as it stands was confirmed to be public knowledge."""
        return self.schema is not None and self.schema.declared

    def plan(self) -> Plan:
        """The settings as a plan.

        Raises:
            Refusal: there is no schema yet, or a setting cannot be used.
        """
        schema = self._schema()
        assert self.draft is not None
        return self.draft.plan(schema, self.policies)

    def decided(self) -> Decided:
        """The plan, with what it promises.

        Raises:
            Refusal: as `plan`, or the plan cannot keep its δ.
        """
        schema, plan = self._schema(), self.plan()
        made: Decided = self._keep("decided", plan.to_json(), lambda: decided(plan, schema))
        return made

    def promise(self) -> Promise:
        """What the plan promises.

        Raises:
            Refusal: as `decided`.
        """
        return promise_of(self.decided().guarantee)

    def answer(self) -> Offer | Refusal | None:
        """The planner's plan with seeds, or why there is none; None where it was not asked for
        one, or cannot be as long as no number of seeds is known."""
        wish = self.wish
        if wish.kept == 0 or (wish.seeds_at_least is None and wish.records_at_least is None):
            return None

        def made() -> Offer | Refusal:
            try:
                return planning.seedbased(*self._asked())
            except Refusal as refusal:
                return refusal

        answer: Offer | Refusal = self._keep("answer", self._asked_key(), made)
        return answer

    def seedless(self) -> Offer:
        """The planner's plan without seeds.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        offer: Offer = self._keep(
            "seedless", self._asked_key(), lambda: planning.seedless(*self._asked())
        )
        return offer

    def proposed(self) -> Offer:
        """The planner's plan for the purpose; the one without seeds where none with them fits.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        answer = self.answer() if self.wish.purpose == "alike" else None
        return answer if isinstance(answer, Offer) else self.seedless()

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
        found: tuple[Way, ...] = self._keep(
            "ways", self._asked_key(), lambda: planning.ways(wish, draft, schema)
        )
        return found

    def _asked(self) -> tuple[Wish, Draft, Schema, dict[str, Policy]]:
        assert self.draft is not None
        return self.wish, self.draft, self._schema(), self.policies

    def _asked_key(self) -> tuple[str, ...]:
        """What an offer depends on."""
        return self._schema().fingerprint, repr(self.wish), repr(self.draft), repr(self.policies)

    def adopt(self, plan: Plan) -> None:
        """Take the settings from a plan made for this schema.

        Raises:
            Refusal: it was made for another schema.
        """
        plan.check(self._schema())
        self.draft = Draft.of(plan)
        self.policies = dict(plan.policies)

    def keep(self, name: str, key: Any, make: Any) -> Any:
        """Something made for this page, made again only when its key changes."""
        return self._keep(name, key, make)

    def _keep(self, name: str, key: Any, make: Any) -> Any:
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = self._kept[name] = (key, make())
        return kept[1]

    def _schema(self) -> Schema:
        if self.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.schema
