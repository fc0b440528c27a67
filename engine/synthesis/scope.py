"""What a guarantee is about, in plain words: whom it protects, what a reader may see, what it
counts on and what it leaves out."""

from __future__ import annotations

from engine.privacy.rounding import upwards
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise


def neighbours(plan: Plan) -> str:
    """Which tables the guarantee compares."""
    if plan.records_per_person == 1:
        return "tables that differ by one record, added or removed"
    return (
        f"tables that differ by the records of one person, up to {plan.records_per_person:,} of "
        "them, added or removed"
    )


def protects(plan: Plan) -> str:
    """Whom the guarantee protects."""
    if plan.records_per_person == 1:
        return (
            "Each record, and so each person who has one record in the table: what can be "
            "concluded hardly depends on whether that record is in the table."
        )
    return (
        f"Each person who has up to {plan.records_per_person:,} records in the table: what can be "
        "concluded hardly depends on whether all of that person's records are in the table."
    )


def covers(plan: Plan, made: Promise) -> str:
    """What a reader may see without weakening the guarantee, in a few sentences."""
    if made.seeds is None:
        return (
            "The whole table and the model behind it, with any number of records. No attempt looks "
            "at a seed, so their number costs nothing."
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
    """What a reader may see without weakening the guarantee, one thing at a time."""
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
        "The model that the candidates come from.",
        "The settings, but for how values outside the schema were settled.",
    ]


def assumptions(plan: Plan, made: Promise) -> list[str]:
    """What has to be true for the guarantee to hold."""
    return [
        "The schema (columns, categories, bounds, steps, buckets) is public knowledge and was "
        "not chosen by looking at the records.",
        _per_person(plan),
        "The settings of the plan were not chosen by looking at the records.",
        "Nothing else was released from these records: the guarantees of several releases add up.",
        *_of_the_model(plan, made),
        *_of_the_table(plan, made),
        *_of_the_run(plan, made),
    ]


def _per_person(plan: Plan) -> str:
    if plan.records_per_person == 1:
        return "One person contributes one record."
    return f"One person contributes at most {plan.records_per_person:,} records."


def _of_the_model(plan: Plan, made: Promise) -> list[str]:
    """On whose word the model is private, where it is not this program's."""
    outside = plan.model.outside
    if outside is None or not made.total.bounded:
        return []
    spent = made.learning["model"]
    return [
        f"Learning the model “{outside.name}” keeps to ε = {upwards(spent.epsilon)} and "
        f"δ = {upwards(spent.delta)} for one record. That is not this program's promise: it is "
        "repeated here, and was not proved or checked. "
        f"Who stands behind it: {_sentence(outside.source)} "
        f"What it covers: {_sentence(outside.covers)}",
    ]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _of_the_table(plan: Plan, made: Promise) -> list[str]:
    """What must be publicly known of the records."""
    whoever = _whoever(plan)
    known = []
    if made.records_at_least is not None:
        known.append(
            f"The table has at least {made.records_at_least:,} records, {whoever}: public "
            f"knowledge. At least {plan.seeds_at_least:,} of them then become seeds, but for a "
            "chance that δ pays for."
        )
    if made.attempts_at_most is not None:
        known.append(
            f"At least a share of {plan.pass_floor:.12g} of all attempts pass the test, {whoever}, "
            "and however the records fall into parts and the noise of the model falls out."
        )
    if plan.sampling is not None:
        known.append(
            "The table is itself a secret random sample that took in each member of the "
            f"population independently with probability {plan.sampling:.12g}."
        )
    return known


def _of_the_run(plan: Plan, made: Promise) -> list[str]:
    """What must be kept from the reader."""
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
    """What the guarantee says nothing about."""
    left_out = [
        "Choices the custodian made by looking at these records or at figures computed from them: "
        "the schema, the settings, whether to run again or to cancel.",
        "Other releases from the same records: each is a spend of its own, and they add up.",
        "What holds of people in general, and so of a person whether or not that person is in "
        "the table.",
        "That a file was refused, and why.",
    ]
    if made.seeds is None or plan.protocol == "attempts":
        left_out.append("How long the run took, and the times of its files.")
    if plan.records_per_person == 1:
        left_out.append("All of a person's records together, where a person has more than one.")
    return left_out


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"all {count:,} {what}s"
