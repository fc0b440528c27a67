"""The settings of seedbased synthesis on a page: one plan, set by the planner or by hand.

There is one plan in use. It follows the answers that the planner was given, until a setting is set
by hand; an answer given after that takes the place of what was set. So whatever was said last is
what a run would do, and what the meter shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field
from understudy.mechanisms.seedbased.plan import Plan
from understudy.table.fitting import Policy
from understudy.table.schema import Schema
from understudy_dashboard.held import Held
from understudy_dashboard.methods.seedbased import planning
from understudy_dashboard.methods.seedbased.draft import Draft
from understudy_dashboard.methods.seedbased.planning import Offer, Wish

Policies = Mapping[str, Policy]


@dataclass
class Planned:
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
    _found: tuple[Any, Offer | Refusal] | None = field(default=None, compare=False, repr=False)

    def plan(self, schema: Schema, policies: Policies) -> Plan:
        """As `Chosen`."""
        return self.used(schema, policies).plan(schema, dict(policies))

    def used(self, schema: Schema, policies: Policies) -> Draft:
        """Return the settings in use.

        Raises:
            Refusal: the planner is followed, and finds no plan.
        """
        return self.draft if self.by_hand else replace(self.offer(schema, policies).draft)

    def offer(self, schema: Schema, policies: Policies) -> Offer:
        """Return the planner's plan for what it was asked, worked out again only where that
        changed.

        Raises:
            Refusal: a number is out of range or not known, or nothing fits.
        """
        key = schema.fingerprint, repr(self.wish), repr(self.draft), dict(policies)
        if self._found is None or self._found[0] != key:
            try:
                found: Offer | Refusal = planning.proposed(self.wish, self.draft, schema, policies)
            except Refusal as refusal:
                found = refusal
            self._found = key, found
        found = self._found[1]
        if isinstance(found, Refusal):
            raise Refusal(found.problem, found.remedy, field=found.field)
        return found

    def confirm(self, records: int | None) -> None:
        """As `Chosen`."""
        self.draft.public_records = records
        if records is None:
            self.wish.records_at_least = None

    def as_dict(self) -> dict[str, Any]:
        """As `Chosen`."""
        return {"wish": asdict(self.wish), "draft": asdict(self.draft), "by_hand": self.by_hand}

    def count_on(self, records: int) -> None:
        """Count on so many records of a person."""
        self.draft = replace(self.draft, records_per_person=records)
        self.wish.records_per_person = records


def answers_of(draft: Draft, columns: int) -> dict[str, Any]:
    """Return the answers to the planner's questions that settings amount to.

    Args:
        draft: the settings.
        columns: how many the table has.
    """
    kept = draft.count_copied(columns)
    return {
        "purpose": "table" if draft.seedless(columns) else "alike",
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


class Asked:
    """The answers as the planner's questions hold them: one that is given puts its plan in use.

    Args:
        planned: what is decided.
        shown: answers that the plan in use comes to by itself, where it was set by hand.
    """

    _planned: Planned
    _shown: Mapping[str, Any]

    def __init__(self, planned: Planned, shown: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "_planned", planned)
        object.__setattr__(self, "_shown", (shown or {}) if planned.by_hand else {})

    def __getattr__(self, name: str) -> Any:
        return self._shown[name] if name in self._shown else getattr(self._planned.wish, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._planned.wish, name, value)
        self._planned.by_hand = False


class ByHand(Held):
    """The settings in use as a form holds them: a change puts all of them in use, by hand.

    Args:
        planned: what is decided.
        used: the settings in use.
    """

    _planned: Planned
    _used: Draft

    def __init__(self, planned: Planned, used: Draft) -> None:
        object.__setattr__(self, "_planned", planned)
        object.__setattr__(self, "_used", used)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._used, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._used, name, value)
        self._planned.draft, self._planned.by_hand = self._used, True

    @property
    def used(self) -> Draft:
        """The settings as they are now."""
        return self._used

    @property
    def fields(self) -> tuple[Field, ...]:
        """As `Held`."""
        return self._used.fields

    def shown(self) -> dict[str, Any]:
        """As `Held`."""
        return self._used.shown()

    def values(self, columns: int | None = None) -> dict[str, Any]:
        """As `Held`."""
        return self._used.values(columns)
