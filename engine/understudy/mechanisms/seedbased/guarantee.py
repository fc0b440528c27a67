"""The guarantee of a plan of seedbased synthesis, from its promise."""

from __future__ import annotations

from typing import Any, Final

from understudy.mechanisms.seedbased import scope
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.seedbased.scope import formulas
from understudy.privacy import wording
from understudy.privacy.accounting.account_words import as_data
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.table.schema import Schema

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

COMPOSED: Final = (
    "each record is dealt to one part by a secret coin of its own, so e^ε of the total is the mean "
    "of e^ε over the parts, the held-out records among them, and δ the largest"
)


def guarantee(plan: Plan, schema: Schema) -> Guarantee:
    """Return what a plan promises, in figures and in words.

    Raises:
        Refusal: the plan does not fit the schema, or its parts cannot meet its δ.
    """
    return make_guarantee(plan, promise(plan, schema))


def make_guarantee(plan: Plan, made: Promise) -> Guarantee:
    """Return the guarantee of a plan, from a promise that is worked out already."""
    return Guarantee(
        record=made.record,
        scope=_scope(plan, made),
        statement=sentence(plan, made),
        records_per_person=plan.records_per_person,
        sampling=plan.sampling,
        protocol=plan.protocol,
        count=plan.attempts,
        reads_records=made.seeds is not None,
        parts=_parts(made),
        records_at_least=made.records_at_least,
        particulars=_particulars(made),
        test=_test(plan, made),
        account=made,
    )


def _scope(plan: Plan, made: Promise) -> Scope:
    return Scope(
        protects=scope.protects(plan, made),
        covers=scope.covers(plan, made),
        reader_sees=tuple(scope.reader_sees(plan, made)),
        assumes=tuple(scope.assumptions(plan, made)),
        not_covered=tuple(scope.not_covered(plan, made)),
        formulas=tuple(formulas(plan, made)),
    )


def _parts(made: Promise) -> tuple[Part, ...]:
    learning = tuple(Part(of, cost) for of, cost in made.learning.items())
    if made.acceptance is not None:
        learning += (Part("acceptance test", made.acceptance),)
    if made.seeds is None:
        return learning
    native: dict[str, float] = {"N": made.seeds.count}
    if made.seeds.unit is not None:
        native["ε₀"] = made.seeds.unit.epsilon0
    if made.seeds.t is not None:
        native["t"] = made.seeds.t
    return (Part("attempts", made.seeds.total, native), *learning)


def _test(plan: Plan, made: Promise) -> dict[str, Any] | None:
    """Return the privacy test by its name and source; None where no attempt looks at a seed."""
    if made.seeds is None:
        return None
    name, source = SOURCES[plan.test.kind]
    return {"kind": plan.test.kind, "name": name, "source": source}


def _particulars(made: Promise) -> dict[str, Any]:
    """Return what the total is made of, and the published figures beside it."""
    model = made.published_model
    return {
        "parts": {
            "attempts": None if made.seeds is None else as_data(made.seeds),
            **{part: cost.as_dict() for part, cost in made.learning.items()},
            **({} if made.acceptance is None else {"acceptance": made.acceptance.as_dict()}),
            "composed": COMPOSED,
        },
        "published": {
            "record": None if made.published_record is None else made.published_record.as_dict(),
            "model": None if model is None else model.corrected.as_dict(),
            **({} if model is None else {"model_as_printed": model.printed.as_dict()}),
            "covers": "one released record, as in the published theorem: it says nothing about "
            "rejected candidates nor about the table as a whole. The model counts the entropies "
            "that are asked for, and, as printed, m(m + 1) for m columns",
        },
    }


_LOOKED = (
    "What the choice of the settings shows is left out of all that: the custodian adopted them "
    "after looking at figures computed from these records without noise."
)


def sentence(plan: Plan, made: Promise) -> str:
    """Return the guarantee in a few sentences, what a board asks first before the figures."""
    if not made.total.bounded:
        return (
            "No differential privacy is promised: the model or the test was run without noise, "
            "for comparison only."
        )
    alone = plan.acceptance is None and not plan.noisy_tables
    of = wording.THIS_TABLE if alone else wording.THIS_RELEASE
    told = [wording.promise_sentence(made.total, plan.records_per_person, of=of)]
    word = plan.model.learner.word
    if word is not None:
        told.append(f"For the model, that is the word of “{word.name}”, repeated here.")
    if plan.chosen_by_looking:
        told.append(_LOOKED)
    return " ".join(told)
