"""Whether what a packet promises follows from its settings and its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from understudy.core.numerals import round_up
from understudy.mechanisms.registry import mechanism_of, plan_of, plan_run
from understudy.mechanisms.statement import released_of
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import Budget
from understudy.privacy.strength import Strength, strength
from understudy.report import files
from understudy.report.alike import are_alike, find_differences
from understudy.report.checking import Checking, check_failure
from understudy.report.guarantee_file import Statement, statement_text
from understudy.table.schema import Schema


def check_plan(packet: Checking) -> str:
    """Check that the settings are complete, and those of the guarantee. Finds “plan”."""
    said = packet.json(files.PLAN)
    if said != packet.need("said")["plan"]:
        raise check_failure("plan.json has other settings than the guarantee.")
    if "policies" in said:
        raise check_failure("It says how stray values were settled, which is not for publishing.")
    found = plan_of(said)
    packet.found["plan"] = found
    return f"{mechanism_of(found).title}."


def check_schema(packet: Checking) -> str:
    """Return the schema was declared public, and is the one of the settings. Finds “schema”."""
    check_text = packet.bundle.read(files.SCHEMA).decode("utf-8")
    found, settings = Schema.from_json(check_text), packet.need("plan")
    if check_text != found.to_json():
        raise check_failure("It holds more than a schema.")
    if not found.declared:
        raise check_failure("Nobody declared this very schema public.")
    if found.fingerprint != settings.domain:
        raise check_failure("The settings are for another schema.")
    packet.found["schema"] = found
    return f"{len(found):,} columns."


def check_total(packet: Checking) -> str:
    """Return the stated total follows from the settings. Finds “decided”."""
    said = packet.need("said")
    found = plan_run(packet.need("plan"), packet.need("schema"))
    packet.found["decided"] = found
    made = found.guarantee
    stated = said["guarantee"]
    if "stain" in said:
        if (stated["epsilon"], stated["delta"], stated["strength"]) != (None, None, Strength.NONE):
            raise check_failure("A demonstration promises nothing, and this states a total.")
        return "A demonstration: nothing is promised, as stated."
    for name, figure in _follows(made).items():
        if not are_alike(stated[name], figure):
            raise check_failure(
                f"Stated is {name} = {stated[name]}; from the settings follows {figure}."
            )
    if stated["strength"] != strength(made.total):
        raise check_failure(
            f"It is called {stated['strength']}, and comes to {strength(made.total)}."
        )
    _check_population(stated["population"], made.population)
    if not made.total.bounded:
        return "Nothing is promised, as stated."
    return f"ε = {round_up(made.total.epsilon)}, δ = {round_up(made.total.delta)}."


def _follows(made: Guarantee) -> dict[str, float | None]:
    if not made.total.bounded:
        return {"epsilon": None, "delta": None}
    return {"epsilon": made.total.epsilon, "delta": made.total.delta}


def _check_population(stated: Mapping[str, Any] | None, follows: Budget | None) -> None:
    """Check the figure between populations."""
    if (stated is None) is not (follows is None):
        raise check_failure(
            "It speaks of a population where it should not, or the other way round."
        )
    if stated is None or follows is None:
        return
    for name, figure in (("epsilon", follows.epsilon), ("delta", follows.delta)):
        if not are_alike(stated[name], figure):
            raise check_failure(
                f"Between populations {name} = {stated[name]} is stated; from the settings "
                f"follows {figure}."
            )


def check_statement(packet: Checking) -> str:
    """Return the guarantee says what follows, and nothing else. Finds “statement”."""
    said: dict[str, Any] = packet.need("said")
    made = Statement(packet.need("plan"), packet.need("schema"), released_of(said), "stain" in said)
    packet.found["statement"] = made
    found = [*find_differences(said, json.loads(made.to_json()))]
    if not found:
        return "As it follows."
    figure = next((each for each in found if each.of_figures), None)
    if figure is not None:
        raise check_failure(f"It says something else at {figure.where[1:]}.")
    raise packet.failed_here(f"It says something else at {found[0].where[1:]}.")


def check_text(packet: Checking) -> str:
    """Return the guarantee in words says what the guarantee for programs says."""
    said = packet.need("said")
    if packet.bundle.read(files.STATEMENT_TEXT).decode("utf-8") != statement_text(said):
        raise packet.failed_here("guarantee.txt says something else.")
    return "The same."
