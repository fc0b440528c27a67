"""What a custodian decided of a method, as widgets hold it, whether or not it makes a plan yet.

A method whose settings are held otherwise than in a form of its fields has a module
`method_settings` in its folder here, with an object `SETTINGS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, Protocol, Self

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import COLUMNS, Field, FieldTable, nest_settings
from understudy.mechanisms.kinds import (
    Flag,
    GroupsOfColumns,
    Number,
    OfColumns,
    OnOthers,
    PerColumn,
    Share,
    Span,
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
from understudy.mechanisms.privacy_unit import settings_that_follow
from understudy.mechanisms.registry import method_named, opening_plan, plan_of
from understudy.mechanisms.spending import list_budgeted, spend
from understudy.projects.state import Sizes
from understudy.table.fit import Policy
from understudy.table.schema import Schema
from understudy_dashboard.methods.folders import module_of


class FormState:
    """Settings that may make no plan yet: a value for every place of a field and every switch.

    Each value is an attribute under the name of its place or switch. A field that has no use, or
    that a switch turns off, keeps its number, so that turning it on again finds it there.

    Args:
        fields: the fields that there are values for.
        values: what the widgets hold, by name.
        on_change: called with the settings after one of them was set.
    """

    fields: tuple[Field, ...]
    _values: dict[str, Any]
    _on_change: Callable[[Any], None] | None

    def __init__(
        self,
        fields: tuple[Field, ...],
        values: Mapping[str, Any],
        on_change: Callable[[Any], None] | None = None,
    ) -> None:
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "_values", dict(values))
        object.__setattr__(self, "_on_change", on_change)

    @classmethod
    def of(cls, table: FieldTable, values: Mapping[str, Any]) -> Self:
        """Return the settings of a plan.

        Args:
            table: the fields of its method.
            values: its settings by the names of their places; None for what it lacks.
        """
        fields = held_fields(table)
        return cls(fields, starting_values(fields, values))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(name)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(name)
        self._values[name] = value
        if self._on_change is not None:
            self._on_change(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FormState) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._values)

    def copy(self, **changes: Any) -> Self:
        """Return settings of their own with some changes, which nobody is told of."""
        return type(self)(self.fields, {**self._values, **changes})

    def watch(self, on_change: Callable[[Self], None]) -> Self:
        """Return settings of their own that tell of every change."""
        return type(self)(self.fields, self._values, on_change)

    def read_widgets(self) -> dict[str, Any]:
        """Return what the widgets hold, by name."""
        return dict(self._values)

    def values(self, columns: int | None = None) -> dict[str, Any]:
        """Return the settings and their switches by name, those that are switched off as None.

        Args:
            columns: how many the table has, where that is known.
        """
        found = self.read_widgets()
        for each in self.fields:
            if isinstance(each.kind, Span) and not found[range_switch_of(each)]:
                found[each.places[0].name] = found[each.places[-1].name]
        found |= {each.name: None for each in self.fields if each.off(found)}
        return found if columns is None else {**found, COLUMNS: columns}

    def settings(self) -> dict[str, Any]:
        """Return the settings as a plan takes them."""
        values = self.values()
        return nest_settings(
            {
                place.path: values[place.name]
                for each in self.fields
                if each.applies(values) or not each.only_where_used
                for place in each.places
            }
        )

    def take_unused(self, before: Self) -> None:
        """Take the numbers of what has no use here, or is switched off, from other settings."""
        values = self.values()
        for each in self.fields:
            if each.off(values) or (each.only_where_used and not each.applies(values)):
                for place in each.places:
                    setattr(self, place.name, getattr(before, place.name))


def held_fields(table: FieldTable) -> tuple[Field, ...]:
    """Return the fields that settings are held of: all that set something, but what is
    confidential, which is asked where it comes from."""
    return tuple(each for each in table if each.places and not each.confidential)


def starting_values(fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what widgets hold for a plan of these values; what it does not have is as usual, and
    switched off."""
    found = {
        place.name: each.usual if values[place.name] is None else values[place.name]
        for each in fields
        for place in each.places
    }
    for each in fields:
        if each.switch is not None:
            without = values[each.name] is None
            found[each.switch.name] = without == (each.switch.on == "none")
        if isinstance(each.kind, Span):
            ends = [values[place.name] for place in each.places]
            found[range_switch_of(each)] = ends[0] != ends[-1]
    return found


def range_switch_of(field: Field) -> str:
    """Return the attribute that says whether a range is asked for, or one number."""
    return f"{field.name}_ranges"


_BUDGET: Final = "budget in all"
"""Under which a project keeps what may be spent: no name of a setting, as those hold no blanks."""


class MethodSettings(Protocol):
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


class SettingsFactory(Protocol):
    """How the settings of a method are begun, kept and fitted."""

    def begin(self, schema: Schema, *, simulated: bool) -> MethodSettings:
        """Return what a custodian begins with.

        Args:
            schema: the columns.
            simulated: whether the table is the simulated sample, whose size is public.

        Raises:
            Refusal: the method cannot be used with these columns.
        """
        ...

    def restore(self, schema: Schema, kept: Mapping[str, Any]) -> MethodSettings:
        """Return settings as a project kept them; those that are there no more are as in the
        beginning.

        Raises:
            Refusal: as `begin`.
        """
        ...

    def adopt(self, plan: Any, before: MethodSettings | None) -> MethodSettings:
        """Return the settings of a plan.

        Args:
            plan: it.
            before: what they take the place of.
        """
        ...

    def fit(self, chosen: Any, before: Schema | None, after: Schema) -> MethodSettings:
        """Return settings for columns that are others than before, or keep other records.

        Args:
            chosen: they.
            before: the columns that they were made for; None where there were none.
            after: the columns now.
        """
        ...

    def set_sizes(self, chosen: Any, sizes: Sizes) -> None:
        """Count on so many records, and make so many rows."""
        ...


class FormSettings:
    """Settings in a form of the fields of a method.

    Args:
        plan: they are its, to begin with.
        budget: the ε that may be spent on a person in all, which some of the settings follow then,
            until one of these is set by hand; None where nobody said one.
    """

    def __init__(self, plan: MechanismPlan, budget: float | None = None) -> None:
        self.kind = plan.kind
        self.held = FormState.of(self.fields, _read_plan(self.fields, plan))
        self.budget = budget
        self._followed: dict[str, Any] = {}
        self._spent: tuple[Any, MechanismPlan | Refusal] | None = None

    @property
    def fields(self) -> FieldTable:
        """The fields of the method."""
        return method_named(self.kind).fields

    def plan(self, schema: Schema, policies: Mapping[str, Policy]) -> MechanismPlan:
        """Return the plan; see `MethodSettings`."""
        try:
            plan = self._make_plan(schema, policies)
            return plan if self.budget is None else self._fit_to_budget(plan, schema, self.budget)
        except Refusal as refusal:
            field = self.fields.about(refusal.field)
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    def spend(self, budget: float) -> None:
        """Have what follows from it follow this ε for a person in all."""
        self.budget, self._followed = budget, {}

    def _make_plan(self, schema: Schema, policies: Mapping[str, Policy]) -> MechanismPlan:
        """Return the plan of the settings as they are."""
        whole = {"domain": schema.fingerprint, "policies": dict(policies)}
        return plan_of({TAG: self.kind, **self.held.settings(), **whole})

    def _fit_to_budget(self, plan: MechanismPlan, schema: Schema, budget: float) -> MechanismPlan:
        """Return the plan with what follows from a budget, which is then shown as if it had been
        set; as it is where some of that was set by hand since."""
        if any(getattr(self.held, name) != value for name, value in self._followed.items()):
            self.budget, self._followed = None, {}
            return plan
        found, names = self._find_within_budget(plan, schema, budget), self._list_following(plan)
        values = _read_plan(self.fields, found)
        self._followed = {name: values[name] for name in names}
        for name in names:
            setattr(self.held, name, values[name])
        return found

    def _list_following(self, plan: MechanismPlan) -> list[str]:
        """Return the places of what follows from a budget."""
        paths = list_budgeted(plan)
        return [each.name for one in self.held.fields for each in one.places if each.path in paths]

    def _find_within_budget(
        self, plan: MechanismPlan, schema: Schema, budget: float
    ) -> MechanismPlan:
        """Return the plan that keeps to a budget, worked out again only where something changed."""
        own = self._list_following(plan)
        rest = {name: each for name, each in self.held.read_widgets().items() if name not in own}
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
        """Take down what was confirmed; see `MethodSettings`."""
        counted = PUBLIC_PEOPLE if PUBLIC_PEOPLE in self.fields else PUBLIC_RECORDS
        if counted in self.fields:
            setattr(self.held, counted, records)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as a project keeps them; see `MethodSettings`."""
        found: dict[str, Any] = json.loads(json.dumps(self.held.read_widgets()))
        return found if self.budget is None else {**found, _BUDGET: self.budget}


class FormSettingsFactory:
    """Settings in a form of the fields of a method."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def begin(self, schema: Schema, *, simulated: bool) -> FormSettings:
        """Begin the settings; see `SettingsFactory`."""
        return FormSettings(opening_plan(self._kind, schema))

    def restore(self, schema: Schema, kept: Mapping[str, Any]) -> FormSettings:
        """Answer as `SettingsFactory`; columns that are there no more are left out."""
        found = self.begin(schema, simulated=False)
        kinds = {place.name: each.kind for each in found.held.fields for place in each.places}
        usual = found.held.read_widgets()
        for name, value in kept.items():
            if name not in usual or not _is_of_kind(kinds.get(name), value, usual[name]):
                continue
            value = _keep_columns(kinds.get(name), value, schema.names, usual[name])
            setattr(found.held, name, value)
        budget = kept.get(_BUDGET)
        found.budget = float(budget) if isinstance(budget, int | float) else None
        return _follow_schema(found, schema)

    def adopt(self, plan: MechanismPlan, before: MethodSettings | None) -> FormSettings:
        """Answer as `SettingsFactory`."""
        return FormSettings(plan)

    def fit(self, chosen: FormSettings, before: Schema | None, after: Schema) -> FormSettings:
        """Answer as `SettingsFactory`."""
        if before is None:
            return _follow_schema(chosen, after)
        return self.restore(after, chosen.as_dict())

    def set_sizes(self, chosen: FormSettings, sizes: Sizes) -> None:
        """Answer as `SettingsFactory`, where it has settings for them; where nobody said how many
        records there are, that is left as it is."""
        for name, number in settings_on_data(chosen.fields, sizes).items():
            if number is not None:
                setattr(chosen.held, name, number)


def settings_on_data(table: FieldTable, sizes: Sizes) -> dict[str, int | None]:
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


def _follow_schema(chosen: FormSettings, schema: Schema) -> FormSettings:
    """Return the settings with what follows from whose the records are."""
    for name, value in settings_that_follow(method_named(chosen.kind).plan, schema).items():
        setattr(chosen.held, name, value)
    return chosen


@cache
def settings_of(kind: str) -> SettingsFactory:
    """Return how the settings of a method are begun, kept and fitted.

    Raises:
        Refusal: it is not installed.
    """
    method_named(kind)
    found = module_of(kind, "method_settings")
    choosing: SettingsFactory = FormSettingsFactory(kind) if found is None else found.SETTINGS
    return choosing


def _read_plan(table: FieldTable, plan: MechanismPlan) -> dict[str, Any]:
    """Return the settings of a plan by the names of their places, as they stand in its file; None
    for what has no use in it."""
    settings = plan.as_dict()
    asked = [each for each in table if not each.confidential]
    found = {
        place.name: _convert_value(each.kind, _look_up(settings, place.path))
        for each in asked
        for place in each.places
    }
    unused = [each for each in asked if each.only_where_used and not each.applies(found)]
    return found | {place.name: None for each in unused for place in each.places}


def _convert_value(kind: object, value: Any) -> Any:
    """Return a number of a plan as the widget of a kind holds it."""
    if isinstance(kind, Flag) and value is not None:
        return bool(value)
    return int(value) if isinstance(kind, Whole) and value is not None else value


def _look_up(settings: Any, path: str) -> Any:
    for name in path.split("."):
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings


def _is_of_kind(kind: object, value: Any, usual: Any) -> bool:
    """Return whether a value that was kept is of the kind of a setting."""
    if kind is None or isinstance(kind, Flag):
        return isinstance(value, bool)
    if isinstance(kind, Whole | Number | Share):
        number = int if isinstance(kind, Whole) else int | float
        return value is None or (isinstance(value, number) and not isinstance(value, bool))
    return usual is None or value is None or isinstance(value, type(usual))


def _keep_columns(kind: object, value: Any, names: tuple[str, ...], usual: Any) -> Any:
    """Return what was chosen, as far as it says of columns that are still there."""
    if isinstance(kind, OfColumns) and not kind.several:
        return value if value is None or value in names else usual
    if isinstance(kind, OfColumns):
        return _keep_names(value, names)
    if isinstance(kind, GroupsOfColumns):
        groups = (_keep_names(group, names) for group in value or ())
        return [group for group in groups if group]
    if isinstance(kind, OnOthers):
        on = {
            name: _keep_names(others, names)
            for name, others in (value or {}).items()
            if name in names
        }
        return {name: others for name, others in on.items() if others}
    if isinstance(kind, PerColumn):
        return {name: each for name, each in (value or {}).items() if name in names}
    return value


def _keep_names(chosen: Iterable[str] | None, names: tuple[str, ...]) -> list[str]:
    return [each for each in chosen or () if each in names]
