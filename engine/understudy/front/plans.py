"""Plans: from what may be spent, or from single settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms import companions
from understudy.mechanisms.companions import PlanOptions
from understudy.mechanisms.fields import Field, Table, nested
from understudy.mechanisms.kinds import Choice, Number, OrNone, Share, Span, Text, Whole
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.table.authoring.declaration import check_declared
from understudy.table.schema import Schema

_TARGET: Final = "target_epsilon"


def plan(
    schema: Schema, *, epsilon: float | None = None, method: str | None = None, **settings: Any
) -> PlannedRun:
    """Return a plan for a schema, with what it promises. No data is read and nothing is spent.

    With `epsilon`, the planner finds the settings, as `understudy propose` does. Without it, the
    settings count that are given, as the options of `understudy synthesize`.

    Args:
        schema: what the columns may contain.
        epsilon: the total ε that may be spent on one person.
        method: the name of a method as `understudy method` lists it; seedbased synthesis, which
            makes a whole table from a model, if left out.
        settings: of the planner: `delta`, `records` (how many the table is publicly known to
            have), `rows` (how many the synthetic table is to have), `purpose` (“table” or “alike”);
            or of the method, called like its options: `k`, `attempts`, `model`, `outside`. Of
            another method than the usual, as in its plan file.

    Raises:
        Refusal: a setting is unknown or out of range, does not fit the schema, or no plan keeps to
            what may be spent.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="the census code book")
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> planned.guarantee.total.epsilon <= 1.0
        True
        >>> us.plan(schema, omega=11, attempts=300).plan.attempts
        300
    """
    if method is not None and method != companions.UNTAGGED:
        own = settings if epsilon is None else {"epsilon": epsilon, **settings}
        return plan_run(opening_plan(method, schema, nested(own)), schema)
    options: PlanOptions = companions.of(companions.UNTAGGED, "options", "OPTIONS")
    if epsilon is None:
        return plan_run(options.plan_of(_typed(settings, options.fields), schema), schema)
    kept = [options.fields[name] for name in options.kept]
    asked = {each.name for each in (*options.questions, *kept)}
    asked |= {each.parameter for each in (*options.questions.options, *kept)}
    if settings.keys() <= asked:
        questions = Table((*options.questions, *kept))
        typed = _typed({"epsilon": epsilon, **settings}, questions)
        return plan_run(options.propose_plan(typed, schema), schema)
    typed = _typed({_TARGET: epsilon, **settings}, options.fields)
    return plan_run(options.plan_of(typed, schema), schema)


def check_planned(planned: PlannedRun, schema: Schema, *, stained: bool) -> None:
    """Check that a plan can be run on a table of a schema.

    Args:
        planned: the plan.
        schema: what the columns of the table may contain.
        stained: whether the random numbers are fixed, so that nothing is promised.

    Raises:
        Refusal: the schema was not declared as it stands, the plan was made for another, or counts
            on what nobody confirmed to be publicly known.
    """
    check_declared(schema)
    if planned.schema.fingerprint != schema.fingerprint:
        raise Refusal(
            "The plan was made for another schema.", "Make it for this one.", field="plan"
        )
    if not stained:
        planned.mechanism.check_public(planned)


def _typed(given: Mapping[str, Any], fields: Table) -> dict[str, Any]:
    """Return settings by the names of their fields, as their kinds read them.

    Raises:
        Refusal: there is no such setting, or a value is of another kind.
    """
    by_name = {each.name: each for each in fields.options}
    by_name |= {each.parameter: each for each in fields.options}
    unknown = sorted(given.keys() - by_name.keys())
    if unknown:
        raise Refusal(
            f"There is no setting “{unknown[0]}”.",
            f"Choose from: {', '.join(sorted(each.parameter for each in fields.options))}.",
            field=unknown[0],
        )
    return {by_name[name].name: _value(by_name[name], value) for name, value in given.items()}


def _value(field: Field, value: Any) -> Any:
    """Return a value as it would be read from a text.

    Raises:
        Refusal: it is none of the field's kind.
    """
    assert field.option is not None
    if field.option.several:
        return _several(value)
    if isinstance(field.kind, Text | Span) and not isinstance(value, str):
        sign = "-" if isinstance(field.kind, Span) else ","
        value = sign.join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    if isinstance(value, str):
        try:
            return field.kind.read(value)
        except ValueError as error:
            raise Refusal(str(error), "Correct it.", field=field.name) from None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(field.kind, Number) and field.kind.or_none and (number or value is None):
        return OrNone(value)
    if isinstance(field.kind, Whole):
        number = number and isinstance(value, int)
    if isinstance(field.kind, Choice) or (
        isinstance(field.kind, Whole | Number | Share) and not number
    ):
        raise Refusal(f"“{value}” cannot be used here.", "Correct it.", field=field.name)
    return value


def _several(value: Any) -> list[str]:
    """Return texts such as “age=clip”, which may be given by column."""
    if isinstance(value, Mapping):
        return [f"{name}={each}" for name, each in value.items()]
    return [value] if isinstance(value, str) else list(value)
