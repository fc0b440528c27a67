"""What a custodian decided of a method, whether or not it makes a plan yet.

A method whose settings are held otherwise than in a form of its fields has a module `choosing` in
its folder here, with an object `CHOOSING`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, Protocol

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Table
from understudy.mechanisms.kinds import (
    Flag,
    GroupsOfColumns,
    Number,
    OfColumns,
    OnOthers,
    PerColumn,
    Share,
    Whole,
)
from understudy.mechanisms.plan import (
    PUBLIC_PEOPLE,
    PUBLIC_RECORDS,
    RECORDS,
    ROWS,
    TAG,
    MechanismPlan,
)
from understudy.mechanisms.registry import method_named, opening_plan, plan_of
from understudy.mechanisms.spending import list_budgeted, spend
from understudy.mechanisms.whose import settings_that_follow
from understudy.projects.state import Sizes
from understudy.table.fitting import Policy
from understudy.table.schema import Schema
from understudy_dashboard.held import Anything
from understudy_dashboard.methods.folders import module_of

_BUDGET: Final = "budget in all"
"""Under which a project keeps what may be spent: no name of a setting, as those hold no blanks."""


class Chosen(Protocol):
    """The settings of a method as widgets hold them."""

    def plan(self, schema: Schema, policies: Mapping[str, Policy]) -> MechanismPlan:
        """Return the plan that they make.

        Raises:
            Refusal: a setting cannot be used; `field` is the name of its field.
        """
        ...

    def confirm(self, records: int | None) -> None:
        """Take down how many records, or people where a plan counts on these, were confirmed to be
        publicly known; None takes it back."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """Return the chosen settings as a project keeps them."""
        ...


class Choosing(Protocol):
    """How the settings of a method are begun, kept and fitted."""

    def begin(self, schema: Schema, *, simulated: bool) -> Chosen:
        """Return what a custodian begins with.

        Args:
            schema: the columns.
            simulated: whether the table is the simulated sample, whose size is public.

        Raises:
            Refusal: the method cannot be used with these columns.
        """
        ...

    def restored(self, schema: Schema, kept: Mapping[str, Any]) -> Chosen:
        """Settings as a project kept them; those that are there no more are as in the beginning.

        Raises:
            Refusal: as `begin`.
        """
        ...

    def adopted(self, plan: Any, before: Chosen | None) -> Chosen:
        """Return the settings of a plan.

        Args:
            plan: it.
            before: what they take the place of.
        """
        ...

    def fitted(self, chosen: Any, before: Schema | None, after: Schema) -> Chosen:
        """Settings for columns that are others than before, or keep other records.

        Args:
            chosen: they.
            before: the columns that they were made for; None where there were none.
            after: the columns now.
        """
        ...

    def sized(self, chosen: Any, sizes: Sizes) -> None:
        """Count on so many records, and make so many rows."""
        ...


class Filled:
    """Settings in a form of the fields of a method.

    Args:
        plan: they are its, to begin with.
        budget: the ε that may be spent on a person in all, which some of the settings follow then,
            until one of these is set by hand; None where nobody said one.
    """

    def __init__(self, plan: MechanismPlan, budget: float | None = None) -> None:
        self.kind = plan.kind
        self.held = Anything(self.fields, _values(self.fields, plan))
        self.budget = budget
        self._followed: dict[str, Any] = {}
        self._spent: tuple[Any, MechanismPlan | Refusal] | None = None

    @property
    def fields(self) -> Table:
        """The fields of the method."""
        return method_named(self.kind).fields

    def plan(self, schema: Schema, policies: Mapping[str, Policy]) -> MechanismPlan:
        """As `Chosen`."""
        try:
            plan = self._as_set(schema, policies)
            return plan if self.budget is None else self._within(plan, schema, self.budget)
        except Refusal as refusal:
            field = self.fields.about(refusal.field)
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    def spend(self, budget: float) -> None:
        """Have what follows from it follow this ε for a person in all."""
        self.budget, self._followed = budget, {}

    def _as_set(self, schema: Schema, policies: Mapping[str, Policy]) -> MechanismPlan:
        """Return the plan of the settings as they are."""
        whole = {"domain": schema.fingerprint, "policies": dict(policies)}
        return plan_of({TAG: self.kind, **self.held.settings(), **whole})

    def _within(self, plan: MechanismPlan, schema: Schema, budget: float) -> MechanismPlan:
        """Return the plan with what follows from a budget, which is then shown as if it had been
        set; as it is where some of that was set by hand since."""
        if any(getattr(self.held, name) != value for name, value in self._followed.items()):
            self.budget, self._followed = None, {}
            return plan
        found, names = self._spend(plan, schema, budget), self._following(plan)
        values = _values(self.fields, found)
        self._followed = {name: values[name] for name in names}
        for name in names:
            setattr(self.held, name, values[name])
        return found

    def _following(self, plan: MechanismPlan) -> list[str]:
        """Return the places of what follows from a budget."""
        paths = list_budgeted(plan)
        return [each.name for one in self.held.fields for each in one.places if each.path in paths]

    def _spend(self, plan: MechanismPlan, schema: Schema, budget: float) -> MechanismPlan:
        """Return the plan that keeps to a budget, worked out again only where something changed."""
        own = self._following(plan)
        rest = {name: each for name, each in self.held.shown().items() if name not in own}
        key = plan.domain, repr(rest), repr(plan.policies), budget
        if self._spent is None or self._spent[0] != key:
            try:
                self._spent = key, spend(plan, schema, budget)
            except Refusal as refusal:
                self._spent = key, refusal
        found = self._spent[1]
        if isinstance(found, Refusal):
            raise Refusal(found.problem, found.remedy, field=found.field)
        return found

    def confirm(self, records: int | None) -> None:
        """As `Chosen`."""
        counted = PUBLIC_PEOPLE if PUBLIC_PEOPLE in self.fields else PUBLIC_RECORDS
        setattr(self.held, counted, records)

    def as_dict(self) -> dict[str, Any]:
        """As `Chosen`."""
        found: dict[str, Any] = json.loads(json.dumps(self.held.shown()))
        return found if self.budget is None else {**found, _BUDGET: self.budget}


class FormChoosing:
    """Settings in a form of the fields of a method."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def begin(self, schema: Schema, *, simulated: bool) -> Filled:
        """As `Choosing`."""
        return Filled(opening_plan(self._kind, schema))

    def restored(self, schema: Schema, kept: Mapping[str, Any]) -> Filled:
        """As `Choosing`; columns that are there no more are left out."""
        found = self.begin(schema, simulated=False)
        kinds = {place.name: each.kind for each in found.held.fields for place in each.places}
        usual = found.held.shown()
        for name, value in kept.items():
            if name not in usual or not _alike(kinds.get(name), value, usual[name]):
                continue
            value = _still_there(kinds.get(name), value, schema.names, usual[name])
            setattr(found.held, name, value)
        budget = kept.get(_BUDGET)
        found.budget = float(budget) if isinstance(budget, int | float) else None
        return _following(found, schema)

    def adopted(self, plan: MechanismPlan, before: Chosen | None) -> Filled:
        """As `Choosing`."""
        return Filled(plan)

    def fitted(self, chosen: Filled, before: Schema | None, after: Schema) -> Filled:
        """As `Choosing`."""
        if before is None:
            return _following(chosen, after)
        return self.restored(after, chosen.as_dict())

    def sized(self, chosen: Filled, sizes: Sizes) -> None:
        """As `Choosing`, where it has settings for them; where nobody said how many records there
        are, that is left as it is."""
        for name, number in on_data(chosen.fields, sizes).items():
            if number is not None:
                setattr(chosen.held, name, number)


def on_data(table: Table, sizes: Sizes) -> dict[str, int | None]:
    """Return the settings that are not asked in the form, but follow what was said on the Data
    page, each with the number said there; None where nobody said one. What more rows cost is
    decided beside its cost."""
    if PUBLIC_RECORDS not in table:
        return {}
    said = {PUBLIC_RECORDS: sizes.records, RECORDS: sizes.records, ROWS: sizes.to_make}
    return {
        name: number
        for name, number in said.items()
        if name in table and table[name].stands == "open" and not table[name].paid
    }


def _following(chosen: Filled, schema: Schema) -> Filled:
    """Return the settings with what follows from whose the records are."""
    for name, value in settings_that_follow(method_named(chosen.kind).plan, schema).items():
        setattr(chosen.held, name, value)
    return chosen


@cache
def choosing_of(kind: str) -> Choosing:
    """Return how the settings of a method are begun, kept and fitted.

    Raises:
        Refusal: it is not installed.
    """
    method_named(kind)
    found = module_of(kind, "choosing")
    choosing: Choosing = FormChoosing(kind) if found is None else found.CHOOSING
    return choosing


def _values(table: Table, plan: MechanismPlan) -> dict[str, Any]:
    """Return the settings of a plan by the names of their places, as they stand in its file; None
    for what has no use in it."""
    settings = plan.as_dict()
    asked = [each for each in table if not each.confidential]
    found = {
        place.name: _of_kind(each.kind, _along(settings, place.path))
        for each in asked
        for place in each.places
    }
    unused = [each for each in asked if each.only_where_used and not each.applies(found)]
    return found | {place.name: None for each in unused for place in each.places}


def _of_kind(kind: object, value: Any) -> Any:
    """Return a number of a plan as the widget of a kind holds it."""
    if isinstance(kind, Flag) and value is not None:
        return bool(value)
    return int(value) if isinstance(kind, Whole) and value is not None else value


def _along(settings: Any, path: str) -> Any:
    for name in path.split("."):
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings


def _alike(kind: object, value: Any, usual: Any) -> bool:
    """Return whether a value that was kept is of the kind of a setting."""
    if kind is None or isinstance(kind, Flag):
        return isinstance(value, bool)
    if isinstance(kind, Whole | Number | Share):
        number = int if isinstance(kind, Whole) else int | float
        return value is None or (isinstance(value, number) and not isinstance(value, bool))
    return usual is None or value is None or isinstance(value, type(usual))


def _still_there(kind: object, value: Any, names: tuple[str, ...], usual: Any) -> Any:
    """Return what was chosen, as far as it says of columns that are still there."""
    if isinstance(kind, OfColumns) and not kind.several:
        return value if value is None or value in names else usual
    if isinstance(kind, OfColumns):
        return _of(value, names)
    if isinstance(kind, GroupsOfColumns):
        groups = (_of(group, names) for group in value or ())
        return [group for group in groups if group]
    if isinstance(kind, OnOthers):
        on = {name: _of(others, names) for name, others in (value or {}).items() if name in names}
        return {name: others for name, others in on.items() if others}
    if isinstance(kind, PerColumn):
        return {name: each for name, each in (value or {}).items() if name in names}
    return value


def _of(chosen: Iterable[str] | None, names: tuple[str, ...]) -> list[str]:
    return [each for each in chosen or () if each in names]
