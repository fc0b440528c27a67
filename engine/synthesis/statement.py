"""The statement of the guarantee that goes with a released table.

It holds settings, proven numbers and what the custodian declared public. It holds nothing
computed from confidential records without noise. Under the protocol “attempts” the number of
attempts and the number released are covered by the guarantee, so both may stand here; under
“releases” the number of records is a setting, and how many attempts they took stands nowhere.
"""

from __future__ import annotations

from typing import Any, Final

from engine import __version__
from engine.privacy.budget import Budget
from engine.privacy.plausibility.privacy_test import TestKind
from engine.privacy.rounding import one_in, upwards
from engine.synthesis.formulas import formulas
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise, promise
from engine.synthesis.scope import (
    assumptions,
    covers,
    neighbours,
    not_covered,
    protects,
    reader_sees,
)
from engine.synthesis.stain import COLUMN, stained_schema
from engine.table.schema import Schema

STAIN = (
    "DEMONSTRATION, NOT PRIVATE: this table was made with a fixed random seed, so anybody can "
    f"repeat the noise and take it away. Every record says so in the column “{COLUMN}”."
)

NOTHING = "Nothing: see the statement."
NOBODY = "Nobody: see the statement."

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

LARGE_EPSILON = 10.0
LARGE = (
    "A factor this large protects nobody by itself: as a promise about the whole table it means "
    "little."
)


def statement(
    plan: Plan, schema: Schema, *, released: int, sha256: str, stained: bool
) -> dict[str, Any]:
    """What is promised about a released table, as one JSON object.

    Args:
        plan: what was run.
        schema: the public domain.
        released: rows in the table.
        sha256: hash of the table's file, so that the two stay together.
        stained: whether a fixed seed was used.
    """
    made = promise(plan, schema)
    return {
        "guarantee": _stained(plan) if stained else _guarantee(plan, schema, made),
        **({"stain": STAIN} if stained else _parts(made)),
        "table": {
            "rows": released,
            "sha256": sha256,
            "columns": list((stained_schema(schema) if stained else schema).names),
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
        "private": made.total.bounded,
        **_budget(made.total),
        "statement": sentence(made, plan),
        "neighbours": neighbours(plan),
        "protects": protects(plan),
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
        "private": False,
        **_budget(Budget.unbounded()),
        "statement": STAIN,
        "neighbours": neighbours(plan),
        "protects": NOBODY,
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
            "attempts": None if made.seeds is None else made.seeds.as_dict(),
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


def sentence(made: Promise, plan: Plan) -> str:
    """The guarantee in one sentence."""
    if not made.total.bounded:
        return (
            "No differential privacy is promised: the model or the test was run without noise, "
            "for comparison only."
        )
    told = (
        f"Whatever is concluded from this table could have been concluded, up to a factor of "
        f"e^{upwards(made.total.epsilon)} in probability{_failing(made.total.delta)}, had "
        f"{_absent(plan)} been in the data."
    )
    if plan.model.outside is not None:
        told += f" For the model, that is the word of “{plan.model.outside.name}”, repeated here."
    return f"{told} {LARGE}" if made.total.epsilon > LARGE_EPSILON else told


def _absent(plan: Plan) -> str:
    if plan.records_per_person == 1:
        return "any one record not"
    return f"none of the records of any one person, up to {plan.records_per_person:,} of them,"


def _failing(delta: float) -> str:
    if delta == 0:
        return ""
    return f" and with a failure chance of at most 1 in {int(one_in(delta)):,}"


def _budget(budget: Budget) -> dict[str, float | None]:
    if not budget.bounded:
        return {"epsilon": None, "delta": None}
    return {"epsilon": budget.epsilon, "delta": budget.delta}
