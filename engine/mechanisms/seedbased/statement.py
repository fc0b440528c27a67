"""The statement of the guarantee that goes with a released table.

It holds settings, proven numbers and what the custodian declared public. It holds nothing
computed from confidential records without noise. Under the protocol “attempts” the number of
attempts and the number released are covered by the guarantee, so both may stand here; under
“releases” the number of records is a setting, and how many attempts they took stands nowhere.
"""

from __future__ import annotations

from typing import Any, Final

from engine import __version__
from engine.mechanisms.seedbased.formulas import formulas
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise, promise
from engine.mechanisms.seedbased.scope import (
    NOBODY,
    NOTHING,
    assumptions,
    compares,
    covers,
    not_covered,
    protects,
    reader_sees,
)
from engine.mechanisms.seedbased.stain import COLUMN, stained_schema
from engine.privacy import wording
from engine.privacy.accounting.as_data import as_data
from engine.privacy.belief import Belief, belief
from engine.privacy.budget import Budget
from engine.privacy.neighbours import Neighbours
from engine.privacy.plausibility.privacy_test import TestKind
from engine.privacy.strength import AMOUNTS_TO, PRIOR, Strength, strength
from engine.table.encoding import neutralised
from engine.table.formula_safety import NOTE
from engine.table.schema import Schema

STAIN = (
    "DEMONSTRATION, NOT PRIVATE: this table was made with a fixed random seed, so anybody can "
    f"repeat the noise and take it away. Every record says so in the column “{COLUMN}”."
)


SOURCES: Final[dict[TestKind, tuple[str, str]]] = {
    "plausible-deniability": (
        "plausible deniability",
        "Theorem 1 of Bindschaedler, Shokri and Gunter, VLDB 2017",
    ),
    "relative-sensitivity": (
        "relative sensitivity",
        "Definition 4.2 and Corollary 4.1 of Bindschaedler, “Privacy-preserving seedbased data "
        "synthesis”, 2018",
    ),
}
"""For each test its name and where it comes from."""


def statement(
    plan: Plan,
    schema: Schema,
    *,
    released: int,
    sha256: str,
    stained: bool,
    as_csv: bool = True,
) -> dict[str, Any]:
    """What is promised about a released table, as one JSON object.

    Args:
        plan: what was run.
        schema: the public domain.
        released: rows in the table.
        sha256: hash of the table's file, so that the two stay together.
        stained: whether a fixed seed was used.
        as_csv: whether that file is CSV, where formulas are made harmless.
    """
    made = promise(plan, schema)
    shown = stained_schema(schema) if stained else schema
    return {
        "guarantee": _stained(plan) if stained else _guarantee(plan, schema, made),
        **({"stain": STAIN} if stained else _parts(made)),
        "table": {
            "rows": released,
            "sha256": sha256,
            "columns": list(shown.names),
            **({"formulas": NOTE} if as_csv and neutralised(shown) else {}),
        },
        # How stray values were settled tells whether there were any.
        "plan": plan.model_dump(mode="json", exclude={"policies"}),
        "declared_public": None
        if schema.declaration is None
        else schema.declaration.model_dump(mode="json"),
        "made_by": f"understudy {__version__}",
    }


def _guarantee(plan: Plan, schema: Schema, made: Promise) -> dict[str, Any]:
    """What is promised, to whom, and under which conditions."""
    return {
        "strength": str(strength(made.total)),
        "beliefs": _beliefs(made.total),
        **_budget(made.total),
        "neighbours": str(Neighbours.TABLES),
        "statement": sentence(made, plan),
        "compares": compares(plan),
        "protects": protects(plan, made),
        "population": _population(plan, made),
        "record": _budget(made.record),
        "records_per_person": plan.records_per_person,
        "protocol": plan.protocol,
        "covers": covers(plan, made),
        "reader_sees": reader_sees(plan, made),
        "assumes": assumptions(plan, made),
        "not_covered": not_covered(plan, made),
        "test": _test(plan, made),
        "formula": formulas(plan, made),
    }


def _stained(plan: Plan) -> dict[str, Any]:
    """What is promised about a table made with a fixed random seed: nothing."""
    return {
        "strength": str(Strength.NONE),
        "beliefs": None,
        **_budget(Budget.unbounded()),
        "neighbours": str(Neighbours.TABLES),
        "statement": STAIN,
        "compares": compares(plan),
        "protects": NOBODY,
        "population": None,
        "record": _budget(Budget.unbounded()),
        "records_per_person": plan.records_per_person,
        "protocol": plan.protocol,
        "covers": NOTHING,
        "reader_sees": [],
        "assumes": [],
        "not_covered": [],
        "test": None,
        "formula": [],
    }


def _test(plan: Plan, made: Promise) -> dict[str, Any] | None:
    """The privacy test by its name and source; None where no attempt looks at a seed."""
    if made.seeds is None:
        return None
    name, source = SOURCES[plan.test.kind]
    return {"kind": plan.test.kind, "name": name, "source": source}


def _parts(made: Promise) -> dict[str, Any]:
    """What the total is made of, and the published figures beside it."""
    return {
        "parts": {
            "attempts": None if made.seeds is None else as_data(made.seeds),
            **{part: _budget(cost) for part, cost in made.learning.items()},
            "composed": "the parts see disjoint records, so the total is the largest of them",
        },
        "published": {
            "record": None if made.published_record is None else _budget(made.published_record),
            "model": None if made.published_model is None else _budget(made.published_model),
            "covers": "one released record, as in the published theorem: it says nothing about "
            "rejected candidates nor about the table as a whole",
        },
    }


_LOOKED = (
    "What the choice of the settings shows is left out of all that: the custodian adopted them "
    "after looking at figures computed from these records without noise."
)


def sentence(made: Promise, plan: Plan) -> str:
    """The guarantee in a few sentences, what a board asks first before the figures."""
    if not made.total.bounded:
        return (
            "No differential privacy is promised: the model or the test was run without noise, "
            "for comparison only."
        )
    told = [
        wording.belief_sentence(made.total),
        AMOUNTS_TO[strength(made.total)],
        wording.guarantee_sentence(made.total, plan.records_per_person),
    ]
    if plan.model.outside is not None:
        told.append(
            f"For the model, that is the word of “{plan.model.outside.name}”, repeated here."
        )
    if plan.chosen_by_looking:
        told.append(_LOOKED)
    return " ".join(told)


def _population(plan: Plan, made: Promise) -> dict[str, Any] | None:
    """What is promised to members of a population of which the table is a secret sample."""
    found = made.population
    if found is None:
        return None
    return {
        "neighbours": str(Neighbours.POPULATIONS),
        "compares": Neighbours.POPULATIONS.compared(plan.records_per_person),
        "sampling": plan.sampling,
        **_budget(found),
        "statement": "The table is claimed to be a secret sample, which took in each member of a "
        f"population with a chance of {plan.sampling:.12g}. {wording.population_sentence(found)} "
        f"{wording.membership_sentence(found)} Whether somebody is in the table, and what stands "
        "there of them, is another question, which the figures between tables answer alone.",
    }


def _beliefs(total: Budget) -> dict[str, Any] | None:
    """What a belief about one person may become, in figures; None where nothing bounds any."""
    if not total.bounded:
        return None
    return {
        "prior": PRIOR,
        "presence": _bound(belief(PRIOR, total)),
        "value": _bound(belief(PRIOR, total, "value")),
    }


def _bound(found: Belief) -> dict[str, float]:
    return {"at_most": found.at_most, "chance_beyond": found.failing}


def _budget(budget: Budget) -> dict[str, float | None]:
    if not budget.bounded:
        return {"epsilon": None, "delta": None}
    return {"epsilon": budget.epsilon, "delta": budget.delta}
