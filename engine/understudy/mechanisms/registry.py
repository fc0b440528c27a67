"""Which methods there are: a folder of this package each, and those that are installed beside it.

A folder is a method where it has a module `mechanism` with an object `MECHANISM`. A package that
is installed names such objects under the entry points “understudy.mechanisms”.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

import understudy.mechanisms as here
from understudy.core.refusal import Refusal
from understudy.core.validation import refuse_invalid
from understudy.mechanisms import companions
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.fields import merge_settings
from understudy.mechanisms.mechanism import Mechanism, PlannedRun, PlanT, check_columns
from understudy.mechanisms.outputs import checked_outputs
from understudy.mechanisms.plan import TAG, MechanismPlan
from understudy.mechanisms.privacy_unit import (
    PER_PERSON,
    check_ruled,
    name_people,
    name_rules,
    name_totals,
    settings_that_follow,
)
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.table.schema import Schema

GROUP: Final = "understudy.mechanisms"


@cache
def mechanisms() -> Mapping[str, Mechanism]:
    """Return all methods by their kinds, this package's first."""
    found: dict[str, Mechanism] = {
        each.kind: each for each in companions.own("mechanism", "MECHANISM")
    }
    for name, each in companions.load_installed(GROUP):
        found.setdefault(name, each)
    return MappingProxyType(found)


def mechanism_of(plan: MechanismPlan) -> Mechanism:
    """Return the method that a plan is for.

    Raises:
        Refusal: it is not installed.
    """
    return method_named(plan.kind)


def method_named(kind: str) -> Mechanism:
    """Return the method of a kind.

    Raises:
        Refusal: it is not installed.
    """
    found = mechanisms().get(kind)
    if found is None:
        raise Refusal(
            f"The plan is for the method “{kind}”, which is not installed.",
            "Install it, or choose from: " + ", ".join(mechanisms()) + ".",
            field=TAG,
        )
    return found


def plan_run(plan: PlanT, schema: Schema) -> PlannedRun[PlanT]:
    """Return a plan with its method, guarantee and outputs.

    Raises:
        Refusal: the plan does not fit the schema or its rules, counts on fewer records of a person
            than it keeps, or cannot keep its promise.
    """
    mechanism = mechanism_of(plan)
    check_columns(mechanism, schema)
    plan.check(schema)
    found = mechanism.guarantee(plan, schema)
    check_ruled(found, schema)
    found = name_people(found, schema, settable=PER_PERSON in type(plan).model_fields)
    found = name_totals(name_rules(found, schema), schema)
    if not _own(mechanism):
        found = _repeat_word(found, mechanism.title)
    outputs = checked_outputs(mechanism.outputs(plan, schema))
    return PlannedRun(plan, schema, found, outputs, mechanism)


def opening_plan(
    kind: str, schema: Schema, given: Mapping[str, Any] | None = None
) -> MechanismPlan:
    """Return the plan of a method that a custodian begins with, with some settings changed; it
    counts on as many records of a person as the schema keeps.

    Args:
        kind: of the method.
        schema: of the table.
        given: settings as they stand in a plan file; one within another changes only itself.

    Raises:
        Refusal: the method is not installed or not for these columns, or a setting is unknown or
            out of range.
    """
    mechanism = method_named(kind)
    check_columns(mechanism, schema)
    plan: MechanismPlan = mechanism.default_plan(schema)
    own = {**settings_that_follow(type(plan), schema), **(given or {})}
    opened = plan.as_dict()
    for name, chosen in plan.belonging.items():
        if chosen in own and own[chosen] != opened.get(chosen):
            del opened[name]
    return plan_of({TAG: kind, **merge_settings(opened, own)}) if own else plan


def _own(mechanism: Mechanism) -> bool:
    """Return whether a method is of this program."""
    return type(mechanism).__module__.startswith(f"{here.__name__}.")


def _repeat_word(found: Guarantee, title: str) -> Guarantee:
    """Return a guarantee that is another package's word, and says so."""
    said = (
        f"That the method “{title}”, of another package, keeps to these figures is not this "
        "program's promise: it is repeated here, and was not proved or checked."
    )
    return replace(found, scope=replace(found.scope, assumes=(*found.scope.assumes, said)))


def plan_from_json(text: str) -> MechanismPlan:
    """Read a plan file, of whichever method.

    Raises:
        Refusal: it is not one, its method is not installed, or a setting is missing or out of
            range.
    """
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal(
            "The plan is not valid JSON.", "Choose a file that a plan was saved to."
        ) from None
    return plan_of(settings)


def plan_of(settings: Any) -> MechanismPlan:
    """Return a plan from the settings of a plan file.

    Raises:
        Refusal: as `plan_from_json`.
    """
    if not isinstance(settings, Mapping):
        raise Refusal(
            "The plan has to be a set of named settings.",
            "Choose a file that a plan was saved to.",
        )
    kind = settings.get(TAG, UNTAGGED)
    plan: type[MechanismPlan] = method_named(str(kind)).plan
    rest = {name: each for name, each in settings.items() if name != TAG}
    try:
        return plan.model_validate_json(json.dumps(rest))
    except ValidationError as error:
        raise refuse_invalid(error, "the plan") from None
