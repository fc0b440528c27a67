"""A plan from settings as they are typed, each by the name of its field; see `fields.table`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Values, nest_settings, read_settings
from understudy.mechanisms.kinds import OrNone
from understudy.mechanisms.privacy_unit import settings_that_follow
from understudy.mechanisms.seedbased.fields.model_fields import OUTSIDE
from understudy.mechanisms.seedbased.fields.planner_fields import MARKED
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.models import INSTALLED
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.proposal import Wanted, alike, seeds_known, whole_table
from understudy.mechanisms.seedbased.target import within
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.models.third_party.offers import third_party_model
from understudy.privacy.plausibility.privacy_test import PrivacyTest, privacy_test
from understudy.table.fit import Policy
from understudy.table.schema import Schema

_FOUND_FOR_A_TARGET = ("k", "epsilon0", "t")


def build_plan(typed: Values, schema: Schema) -> Plan:
    """Return the plan for a schema.

    Args:
        typed: settings by the names of their fields, as their kinds read them; what is left out
            is as in a usual plan.
        schema: of the table.

    Raises:
        Refusal: a setting cannot be read, is out of range, or does not fit the schema.
    """
    _check_target(typed)
    settings = nest_settings(
        {
            each.places[0].path: _value(typed[each.name])
            for each in FIELDS
            if each.name in typed and len(each.places) == 1
        }
    )
    settings |= _others(typed.get("others", ()))
    settings["test"] = _test(settings.get("test", {}))
    settings["model"] = settings.get("model", {}) | _model(typed.get("kind"))
    if "shares" in typed:
        settings["shares"] = _shares(typed["shares"])
    if "policies" in typed:
        settings["policies"] = policies_of(typed["policies"], schema)
    plan = _with_omega(typed.get("omega"), settings, schema)
    if "seeds_at_least" not in typed:
        plan = _counting(plan, schema)
    return plan if "target_epsilon" not in typed else _within(plan, typed, schema)


def wanted_of(typed: Values, schema: Schema) -> Wanted:
    """Return what is wanted of a plan for a schema.

    Args:
        typed: answers by the names of `fields.wanted`, its purpose left out, and `policies`.
        schema: of the table.

    Raises:
        Refusal: a number is out of range, or a policy is of no column.
    """
    given = dict(typed)
    marked = {FIELDS[name].places[0].path: given.pop(name) for name in MARKED if name in given}
    marks = Marks(**nest_settings(marked).get("marks", {}))
    if "policies" in given:
        given["policies"] = policies_of(given["policies"], schema)
    return Wanted(**{**settings_that_follow(Plan, schema), **given}, marks=marks)


def propose_plan(typed: Values, schema: Schema) -> Plan:
    """Return the plan that the planner proposes.

    Args:
        typed: as of `wanted_of`, with its purpose.
        schema: of the table.

    Raises:
        Refusal: as of `wanted_of`, or no plan keeps to what may be spent.
    """
    given = dict(typed)
    purpose = given.pop("purpose", "table")
    wanted = wanted_of(given, schema)
    return (whole_table(schema, wanted) if purpose == "table" else alike(schema, wanted)).plan


def policies_of(texts: Sequence[str], schema: Schema) -> dict[str, str]:
    """Return what becomes of values outside the schema, from texts such as “age=clip”.

    Raises:
        Refusal: one is no column of the schema and a policy.
    """
    policies = {}
    for text in texts:
        column, _, policy = text.rpartition("=")
        if policy not in get_args(Policy):
            raise Refusal(
                f"“{text}” is not a column and what to do with its values.",
                f"Write COLUMN=POLICY, the policy one of {', '.join(get_args(Policy))}.",
                field="policies",
            )
        if column not in schema.names:
            raise Refusal(
                f"The schema has no column “{column}”.",
                f"Choose one of {', '.join(schema.names)}.",
                field="policies",
            )
        policies[column] = policy
    return policies


def _value(typed: Any) -> Any:
    return typed.value if isinstance(typed, OrNone) else typed


def _check_target(typed: Values) -> None:
    """Check that what is searched for is not given as well."""
    given = [FIELDS[name].option_name for name in _FOUND_FOR_A_TARGET if name in typed]
    if "target_epsilon" in typed and given:
        raise Refusal(
            f"{', '.join(given)} cannot be given together with --target-epsilon, which finds k, ε0 "
            "and t.",
            "Leave one or the other out.",
        )


def _others(texts: Sequence[str]) -> dict[str, Any]:
    """Return settings that have no option of their own."""
    found = read_settings(texts)
    for name in found:
        if name in FIELDS.derived:
            raise Refusal(f"“{name}” follows from the schema.", "Leave it out.", field="others")
        own = FIELDS.at(name)
        if own is not None and own.option is not None:
            raise Refusal(
                f"“{name}” has an option of its own.", f"Use {own.option_name}.", field="others"
            )
    return found


def _test(chosen: dict[str, Any]) -> PrivacyTest:
    usual = Plan.model_fields["test"].default
    return privacy_test(**{"kind": usual.kind, "k": usual.k, "epsilon0": usual.epsilon0, **chosen})


def _model(kind: str | None) -> dict[str, Any]:
    """Return the kind of the model; of a third-party one, what the installed package claims."""
    if kind is None:
        return {}
    if not kind.startswith(OUTSIDE):
        return {"kind": kind}
    return {"kind": INSTALLED, "outside": third_party_model(kind.removeprefix(OUTSIDE)).claim}


def _shares(text: str) -> dict[str, float]:
    names = [place.name for place in FIELDS["shares"].places]
    try:
        return dict(zip(names, map(float, text.split(",")), strict=True))
    except ValueError:
        raise Refusal(
            "The shares are four numbers with commas between them.",
            "Write the shares of seeds, structure, parameters and held-out records, such as "
            "0.3,0.3,0.3,0.1.",
            field="shares",
        ) from None


def _with_omega(text: str | None, settings: dict[str, Any], schema: Schema) -> Plan:
    reading = settings.pop("omega", {}).get("reading", "hidden")
    if text is not None:
        return Plan.of(schema, **settings, omega=Omega.parse(text, reading))
    plan = Plan.of(schema, **settings)
    return plan.change(schema, omega=plan.omega.model_copy(update={"reading": reading}))


def _counting(plan: Plan, schema: Schema) -> Plan:
    """Return the plan with the seeds to count on that follow from the number of records."""
    records = plan.public_records
    if records is None or not plan.shares.seeds:
        return plan
    seeds = seeds_known(records, plan.delta, plan.records_per_person, plan.shares.seeds)
    return plan.change(schema, seeds_at_least=seeds)


def _within(plan: Plan, typed: Values, schema: Schema) -> Plan:
    """Return the plan with the smallest k that stays within what may be spent."""
    try:
        found = within(plan, schema, typed["target_epsilon"]).plan
    except Refusal as refusal:
        if refusal.field != "epsilon":
            raise
        raise Refusal(refusal.problem, refusal.remedy, field="target_epsilon") from None
    if "model_epsilon" in typed and found.model != plan.model:
        raise Refusal(
            "The model's ε is more than one record may cost within the target.",
            f"Choose {found.model.epsilon:g} or less, or leave it out.",
            field="model_epsilon",
        )
    return found
