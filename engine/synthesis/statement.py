"""The statement of the guarantee that goes with a released table.

It holds settings, proven numbers and what the custodian declared public. It holds nothing
computed from confidential records without noise. Under protocol A the number of attempts and
the number released are covered by the guarantee, so both may stand here.
"""

from __future__ import annotations

from typing import Any

from engine import __version__
from engine.privacy.budget import Budget
from engine.privacy.rounding import one_in, upwards
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise, promise
from engine.table.schema import Schema

STAIN = (
    "DEMONSTRATION, NOT PRIVATE: this table was made with a fixed random seed, so anybody can "
    "repeat the noise and take it away."
)

NOTHING = "Nothing: see the statement."

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
        "guarantee": {
            "private": made.total.bounded and not stained,
            **_budget(Budget.unbounded() if stained else made.total),
            "statement": sentence(made, stained),
            "neighbours": "tables that differ by one record, added or removed",
            "covers": NOTHING if stained else covers(plan, schema, made),
            "assumes": [] if stained else assumptions(plan, made),
        },
        **({"stain": STAIN} if stained else _parts(made)),
        "table": {"rows": released, "sha256": sha256, "columns": list(schema.names)},
        # How stray values were settled tells whether there were any.
        "plan": plan.model_dump(mode="json", exclude={"policies"}),
        "declared_public": None
        if schema.declaration is None
        else schema.declaration.model_dump(mode="json"),
        "made_by": f"understudy {__version__}",
    }


def _parts(made: Promise) -> dict[str, Any]:
    """What the total is made of, and the published figures beside it."""
    return {
        "parts": {
            "attempts": None if made.seeds is None else made.seeds.as_dict(),
            "structure": _budget(made.structure),
            "parameters": _budget(made.parameters),
            "composed": "the parts see disjoint records, so the total is the largest of them",
        },
        "published": {
            "record": None if made.published_record is None else _budget(made.published_record),
            "model": _budget(made.published_model),
            "covers": "one released record, as in the published theorem: it says nothing about "
            "rejected candidates nor about the table as a whole",
        },
    }


def sentence(made: Promise, stained: bool = False) -> str:
    """The guarantee in one sentence."""
    if stained:
        return STAIN
    if not made.total.bounded:
        return (
            "No differential privacy is promised: the model or the test was run without noise, "
            "for comparison only."
        )
    told = (
        f"Whatever is concluded from this table could have been concluded, up to a factor of "
        f"e^{upwards(made.total.epsilon)} in probability{_failing(made.total.delta)}, had any one "
        "record not been in the data."
    )
    return f"{told} {LARGE}" if made.total.epsilon > LARGE_EPSILON else told


def _failing(delta: float) -> str:
    if delta == 0:
        return ""
    return f" and with a failure chance of at most 1 in {int(one_in(delta)):,}"


def covers(plan: Plan, schema: Schema, made: Promise) -> str:
    """What a reader may see without weakening the guarantee."""
    if made.seeds is None:
        return (
            "The whole table and the model behind it. No attempt looks at a seed, so the number "
            "of rows costs nothing."
        )
    looking = plan.seed_attempts(schema)
    share = (
        f" ({looking:,} of them look at a seed; the others cost nothing)"
        if looking < plan.attempts
        else ""
    )
    return (
        f"The whole table: the model and all {plan.attempts:,} attempts{share}, rejected "
        "candidates included. How many attempts were made and how many records came out may be "
        "published, and the model too."
    )


def assumptions(plan: Plan, made: Promise) -> list[str]:
    """What has to be true for the guarantee to hold."""
    assumed = [
        "The schema (columns, categories, bounds, steps, buckets) is public knowledge and was "
        "not chosen by looking at the records.",
        "One person contributes one record.",
        "The settings of the plan were not chosen by looking at the records.",
        "Nothing else was released from these records: the guarantees of several releases add up.",
    ]
    if made.records_at_least is not None:
        assumed.append(
            f"The table has at least {made.records_at_least:,} records: public knowledge. At least "
            f"{plan.seeds_at_least:,} of them then become seeds, but for a chance that δ pays for."
        )
    if plan.sampling is not None:
        assumed.append(
            "The table is itself a secret random sample that took in each member of the "
            f"population independently with probability {plan.sampling:g}."
        )
    return assumed


def _budget(budget: Budget) -> dict[str, float | None]:
    if not budget.bounded:
        return {"epsilon": None, "delta": None}
    return {"epsilon": budget.epsilon, "delta": budget.delta}
