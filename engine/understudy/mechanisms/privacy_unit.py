"""Whole people: what a schema that says whose records are makes of plans and of what they promise.

One place for every method, those of other packages too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import Neighbours
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.people import People, check_single
from understudy.table.rules.not_applicable import list_open_codes
from understudy.table.schema import Schema

PER_PERSON: Final = "records_per_person"
"""The setting of a plan that says how many records of one person its guarantee counts on."""


TOGETHER: Final = "All of a person's records together, where a person has more than one."
"""What a guarantee for one record leaves out, where no schema says whose the records are."""


def settings_that_follow(plan: type[MechanismPlan], schema: Schema) -> Mapping[str, Any]:
    """Return the settings of a plan that follow from whose the records are; none where each stands
    for itself."""
    if schema.people is None or PER_PERSON not in plan.model_fields:
        return {}
    return {PER_PERSON: schema.people.records_at_most}


def name_people(found: Guarantee, schema: Schema, *, settable: bool) -> Guarantee:
    """Return a guarantee that says of whom records are kept; the same where each stands for itself.

    Args:
        found: what the method promises, for as many records of a person as it says.
        schema: whose the records are.
        settable: whether its plan says how many those are.

    Raises:
        Refusal: it counts on fewer records of a person than the schema keeps; `field` is the
            setting.
    """
    people = schema.people
    if people is None:
        return found
    short = not found.whole_people and found.records_per_person < people.records_at_most
    if short and not settable:
        raise Refusal(
            f"Up to {people.records_at_most:,} records of a person are kept, and this method "
            f"promises something for {found.records_per_person:,} at most.",
            f"Choose another method, or keep {found.records_per_person:,} of a person.",
            field="people",
        )
    if short:
        check_single(people, found.records_per_person)
    scope = found.scope
    said = replace(
        scope,
        protects=_protects(found, people) if found.total.bounded else scope.protects,
        # What is kept of a person makes these so; nobody has to assume them.
        assumes=(
            *(each for each in scope.assumes if each != contributes(found.records_per_person)),
            _state_identity(people),
        ),
        not_covered=tuple(each for each in scope.not_covered if each != TOGETHER),
    )
    return replace(found, scope=said)


def check_ruled(found: Guarantee, schema: Schema) -> None:
    """Check that a guarantee holds where records that break a rule are left out.

    Raises:
        Refusal: it compares tables of one number of records, which leaving a record out changes.
    """
    if schema.of_file.rules and found.neighbours is Neighbours.REPLACEMENTS:
        raise Refusal(
            "This method promises something between tables with the same number of records, and "
            "records that break a rule are left out, which changes that number.",
            "Choose another method, or set the rules aside for this release.",
            field="rules",
        )


def name_rules(found: Guarantee, schema: Schema) -> Guarantee:
    """Return a guarantee that says on whose word the rules of a schema stand, which of them are set
    aside, of which codes none says when they stand, and the ranges of distances that columns are
    modelled by; as it is if there are none."""
    beyond = [code.sentence for code in list_open_codes(schema)]
    if schema.set_aside:
        beyond.append(state_set_aside(schema))
    if beyond:
        told = (*found.scope.not_covered, *beyond)
        found = replace(found, scope=replace(found.scope, not_covered=told))
    said = [each.describe(schema.column(each.distance)) for each in schema.recodings]
    if schema.rules:
        said.append(_word_rules(schema))
    if not said:
        return found
    return replace(found, scope=replace(found.scope, assumes=(*found.scope.assumes, *said)))


def _word_rules(schema: Schema) -> str:
    """Return on whose word the rules of a schema stand, and what of them was decided late, in
    sentences."""
    rules = "rule" if len(schema.rules) == 1 else f"{len(schema.rules):,} rules"
    verb, was = ("is", "was") if len(schema.rules) == 1 else ("are", "were")
    said = (
        f"The {rules} that every released row keeps {verb} public knowledge on the custodian’s "
        f"word, and {was} not read off the records. Nothing was spent on them."
    )
    late = sum(rule.settled_late for rule in schema.rules)
    if not late:
        return said
    return (
        f"{said} What becomes of records that break {count(late, 'rule')} was changed after it was "
        "seen how many they are; that choice depends on the records, and no guarantee covers it."
    )


def state_set_aside(schema: Schema) -> str:
    """Return that rules were declared and are not kept, in a sentence."""
    several = len(schema.set_aside) > 1
    return (
        f"{count(len(schema.set_aside), 'rule')} {'were' if several else 'was'} declared and not "
        f"kept: {'they were' if several else 'it was'} set aside for this release, and released "
        f"rows may break {'them' if several else 'it'}."
    )


def name_totals(found: Guarantee, schema: Schema) -> Guarantee:
    """Return a guarantee that says which totals everybody learns, and that it holds between tables
    that have them; as it is if there are none."""
    scope = found.scope
    for each in schema.totals:
        if each.of == "population":
            said = (
                f"The totals by {each.title} are a published figure about the population, on the "
                f"custodian’s word ({each.source}), and were not counted in the records. Nothing "
                "was spent on them."
            )
            scope = replace(scope, assumes=(*scope.assumes, said))
            continue
        disclosed = (
            f"The totals by {each.title}: they count this very table ({each.source}), and every "
            "reader learns them exactly."
        )
        scope = replace(scope, not_covered=(*scope.not_covered, disclosed))
    if any(each.of == "table" for each in schema.totals):
        between = (
            "The figures hold between tables that have the same known totals, on which nothing was "
            "spent. Two such tables in which one record is another one are two steps apart, one "
            "record taken out and one put in: at most twice the ε."
        )
        scope = replace(scope, assumes=(*scope.assumes, between))
    return replace(found, scope=scope)


def contributes(records: int) -> str:
    """Return what a guarantee for so many records of a person assumes, where no schema makes it
    so."""
    if records == 1:
        return "One person contributes one record."
    return f"One person contributes at most {records:,} records."


def each_person(records: int) -> str:
    """Return whom a guarantee for so many records of a person protects, at the beginning of a
    sentence."""
    if records == 1:
        return "Each record, and so each person who has one record in the table"
    return f"Each person who has up to {records:,} records in the table"


def _protects(found: Guarantee, people: People) -> str:
    most = people.records_at_most
    about = {
        Neighbours.TABLES: "whether they are in the table, with all of their records",
        Neighbours.REPLACEMENTS: "what all of their records say",
    }
    kept = "the first is" if most == 1 else f"the first {most:,} are"
    return (
        f"Each person, however many records they have: {DEPENDS[strength(found.total)]} "
        f"{about[found.neighbours]}. Column “{people.person}” says whose a record is; of each "
        f"person {kept} used, in the order of “{people.order}”, and no others."
    )


def _state_identity(people: People) -> str:
    return (
        f"Column “{people.person}” calls one person by one name in every record, and no two people "
        "by the same."
    )
