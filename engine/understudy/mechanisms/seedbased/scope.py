"""What a guarantee is about, in plain words: whom it protects, what a reader may see, what it
counts on and what it leaves out."""

from __future__ import annotations

from typing import Final

from understudy.core import numerals
from understudy.mechanisms.seedbased.confirmed import confirmed
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.statement import NOBODY, NOTHING
from understudy.mechanisms.whose import TOGETHER, contributes, each_person
from understudy.privacy.strength import DEPENDS, strength


def protects(plan: Plan, made: Promise) -> str:
    """Return whom the guarantee protects, and how far."""
    if not made.total.bounded:
        return NOBODY
    which = "that record is" if plan.records_per_person == 1 else "all of that person's records are"
    return (
        f"{each_person(plan.records_per_person)}: {DEPENDS[strength(made.total)]} whether {which} "
        "in the table."
    )


def covers(plan: Plan, made: Promise) -> str:
    """Return what a reader may see without weakening the guarantee, in a few sentences."""
    if not made.total.bounded:
        return NOTHING
    said = [_covers(plan, made)]
    said += [] if plan.acceptance is None else [_ACCEPTANCE]
    return " ".join([*said, *([_TABLES] if plan.noisy_tables else [])])


_TABLES: Final = "The noisy tables of counts that the model was learned from."
_MEASURED: Final = "What the acceptance test measured, with its noise."
_ACCEPTANCE: Final = (
    "What the acceptance test measured, with noise, of held-out records, of which nothing else was "
    "made."
)


def _covers(plan: Plan, made: Promise) -> str:
    if made.seeds is None:
        return (
            "The whole table and the model behind it, with any number of records. Only learning "
            "the model costs anything; no record is made from a real one."
        )
    if plan.protocol == "releases":
        return (
            f"The whole table: the model and {_counted(plan.attempts, 'record')}, a number fixed "
            "beforehand. How many attempts they took, and how long, must stay hidden; the model "
            "may be published."
        )
    looking = made.seeds.count
    share = (
        f" ({looking:,} of them look at a seed; the others cost nothing)"
        if looking < plan.attempts
        else ""
    )
    return (
        f"The whole table: the model and {_counted(plan.attempts, 'attempt')}{share}, rejected "
        "candidates included. How many attempts were made and how many records came out may be "
        "published, and the model too."
    )


def reader_sees(plan: Plan, made: Promise) -> list[str]:
    """Return what a reader may see without weakening the guarantee, one thing at a time."""
    if not made.total.bounded:
        return []
    if made.seeds is None:
        table = ["The synthetic table, with any number of records."]
    elif plan.protocol == "releases":
        table = ["The synthetic table, whose number of records was fixed beforehand."]
    else:
        table = [
            "The synthetic table, and so how many records came out.",
            f"How many attempts were made, {plan.attempts:,}, and so how many released nothing.",
        ]
    return [
        *table,
        *([] if plan.acceptance is None else [_MEASURED]),
        f"The model that the {'rows' if made.seeds is None else 'candidates'} come from.",
        *([_TABLES] if plan.noisy_tables else []),
        "The settings, except for how values outside the schema were settled.",
    ]


def assumptions(plan: Plan, made: Promise) -> list[str]:
    """Return what has to be true for the guarantee to hold; nothing where nothing is promised."""
    if not made.total.bounded:
        return []
    return [
        "The schema (how values are read, columns, categories, bounds, steps, buckets) is public "
        "knowledge and was not chosen by looking at the records.",
        contributes(plan.records_per_person),
        *([] if plan.chosen_by_looking else [_SETTINGS]),
        *_of_the_model(plan, made),
        *_of_the_table(plan, made),
        *_of_the_run(plan, made),
    ]


_SETTINGS: Final = "The settings of the plan were not chosen by looking at the records."


def _of_the_model(plan: Plan, made: Promise) -> list[str]:
    """On whose word the model is private, where it is not this program's."""
    word = plan.model.learner.word
    if word is None or not made.total.bounded:
        return []
    spent = made.learning["model"]
    return [
        f"Learning the model “{word.name}” keeps to ε = {numerals.epsilon(spent.epsilon)} and "
        f"δ = {numerals.delta(spent.delta)} for one record. That is not this program's promise: it "
        "is repeated here, and was not proved or checked. "
        f"Who stands behind it: {_sentence(word.source)} "
        f"What it covers: {_sentence(word.covers)}",
    ]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _of_the_table(plan: Plan, made: Promise) -> list[str]:
    """Return what must be publicly known of the records."""
    whoever = _whoever(plan)
    known = []
    if made.records_at_least is not None:
        known.append(f"{_public(plan, made)} {_seeds(plan, made)}")
    if made.attempts_at_most is not None:
        known.append(
            f"At least a share of {plan.pass_floor:.12g} of all attempts pass the test, {whoever}, "
            "and however the records fall into parts and the noise of the model falls out."
        )
    if plan.sampling is not None:
        known.append(
            "For the figure between populations only: the table is itself a secret random sample "
            "that took in each member of the population independently with probability "
            f"{plan.sampling:.12g}."
        )
    return known


def _public(plan: Plan, made: Promise) -> str:
    """Return how many records everybody may know there to be, and who says so."""
    if confirmed(plan, made):
        return (
            f"The table has at least {plan.public_records:,} records, {_whoever(plan)}: public "
            "knowledge, as the custodian confirmed before the run."
        )
    return (
        f"The table has at least {made.records_at_least:,} records, {_whoever(plan)}. Nobody has "
        "confirmed that this is public knowledge."
    )


def _seeds(plan: Plan, made: Promise) -> str:
    return (
        f"Of {made.records_at_least:,} or more, at least {plan.seeds_at_least:,} become seeds, "
        "except for a chance that is counted in δ."
    )


def _of_the_run(plan: Plan, made: Promise) -> list[str]:
    """Return what must be kept from the reader."""
    if made.seeds is None or plan.protocol == "attempts":
        return []
    return [
        "Nobody but the custodian learns how many attempts were made or how long they took: the "
        "start of the run, the times of its files and of the ledger, and its progress stay hidden.",
    ]


def _whoever(plan: Plan) -> str:
    if plan.records_per_person == 1:
        return "with or without any one record"
    return "whichever of any one person's are taken out"


def not_covered(plan: Plan, made: Promise) -> list[str]:
    """Return what the guarantee says nothing about; empty where there is none."""
    if not made.total.bounded:
        return []
    left_out = [
        *([_LOOKED] if plan.chosen_by_looking else []),
        "Choices the custodian made by looking at these records or at figures computed from them: "
        "the schema, the settings, whether to run again or to cancel.",
        "Other releases from the same records: each shows something more, and their ε and δ add "
        "up. This statement counts one release alone; what all of them come to is in the "
        "custodian’s ledger, and in the packet of this release.",
        "What holds of people in general, and so of a person whether or not that person is in "
        "the table.",
        "That a file was refused, and why.",
    ]
    if made.seeds is None or plan.protocol == "attempts":
        left_out.append("How long the run took, and the times of its files.")
    if plan.records_per_person == 1:
        left_out.append(TOGETHER)
    return left_out


_LOOKED: Final = (
    "The choice of these very settings: the custodian adopted them after looking at figures "
    "computed from these records without noise. What that choice shows is bounded by nothing."
)


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"all {count:,} {what}s"
