"""Words of a guarantee: its scope, its formulas, and what has to be confirmed.

Figures are rounded upwards. The statements and their proofs are in docs/guarantee.md.

A number that nobody typed is no public knowledge, whatever a program starts from: a run that
counts on one is refused before anything is spent, and no statement calls it public.
"""

from __future__ import annotations

from typing import Final

from understudy.core import numerals
from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.privacy_unit import TOGETHER, contributes, each_person
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise, list_dealt_parts
from understudy.mechanisms.statement import NOBODY, NOTHING
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.unit_counts import STOP_SHARE
from understudy.privacy.budget import Budget
from understudy.privacy.strength import DEPENDS, strength


def is_confirmed(plan: Plan, made: Promise) -> bool:
    """Return whether the custodian confirmed that the table is publicly known to have the records
    that the promise counts on; so it is where it counts on none, or where nothing is promised."""
    needed = made.records_at_least
    if needed is None or not made.total.bounded:
        return True
    return plan.public_records is not None and plan.public_records >= needed


def check_confirmed(plan: Plan, made: Promise) -> None:
    """Check that nothing would be called public knowledge that nobody confirmed to be.

    Raises:
        Refusal: the number of records that is counted on is not covered by one that was
            confirmed; of the field “public_records”.
    """
    if is_confirmed(plan, made):
        return
    said = (
        "nobody has confirmed that this is public knowledge"
        if plan.public_records is None
        else f"public knowledge is only that it has {plan.public_records:,}"
    )
    raise Refusal(
        f"To have {plan.seeds_at_least:,} seeds for certain, the table must have at least "
        f"{made.records_at_least:,} records, and {said}.",
        "Say how many records everybody may know the table to have at least, with or without any "
        "one person; or count on fewer seeds, or choose a seedless plan, which counts on none.",
        field="public_records",
    )


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
            f"The whole table: the model and {_describe_count(plan.attempts, 'record')}, a number "
            "fixed beforehand. How many attempts they took, and how long, must stay hidden; the "
            "model may be published."
        )
    looking = made.seeds.count
    share = (
        f" ({looking:,} of them look at a seed; the others cost nothing)"
        if looking < plan.attempts
        else ""
    )
    return (
        f"The whole table: the model and {_describe_count(plan.attempts, 'attempt')}{share}, "
        "rejected candidates included. How many attempts were made and how many records came out "
        "may be published, and the model too."
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
    """Say on whose word the model is private, if it is not this program's."""
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
    if is_confirmed(plan, made):
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
    secret = [] if max(plan.shares.each) == 1 else [_COINS]
    if made.seeds is None or plan.protocol == "attempts":
        return secret
    return [
        *secret,
        "Nobody but the custodian learns how many attempts were made or how long they took: the "
        "start of the run, the times of its files and of the ledger, and its progress stay hidden.",
    ]


_COINS: Final = (
    "Nobody but the custodian learns which records were held out or learned from, or what was made "
    "of that: the coins that decided stay secret."
)


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


def _describe_count(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"all {count:,} {what}s"


_EXCESS = "Δ(ε′) = Σ C(N, l)·(e^((N − l)·ε) − e^(ε′ + l·ε)) / (1 + e^ε)^N over (N − 2l)·ε > ε′"


def formulas(plan: Plan, made: Promise) -> list[dict[str, str]]:
    """Return what of, and the formula: one unit, the composition, the cap, the parts, the person.

    Empty where nothing is promised.
    """
    if not made.total.bounded:
        return []
    written = _seed_formulas(plan, made, made.seeds) if made.seeds is not None else []
    written.append(("the whole release, for one record", _parts(plan, made)))
    if plan.records_per_person > 1:
        written.append(("a person", _group(plan, made)))
    if plan.sampling is not None:
        written.append(("the population", _sampling(plan, made)))
    return [{"of": of, "text": text} for of, text in written]


def _seed_formulas(plan: Plan, made: Promise, seeds: Account) -> list[tuple[str, str]]:
    written = [("one attempt", _attempt(plan, seeds))]
    if made.attempts_at_most is not None:
        written.append(("one released record", _slot(seeds)))
    written.append(("composition", _composition(seeds)))
    if seeds.pass_cap is not None:
        cap = f"ρ = 1 / ((n + 1)·e^ε − n) = {round_up(seeds.pass_cap)}"
        written.append(("pass cap", f"{cap}, n = {plan.seeds_at_least:,}"))
    if made.attempts_at_most is not None:
        written.append(("stopping", _stopping(plan, made)))
    return written


def _attempt(plan: Plan, seeds: Account) -> str:
    test, each = plan.test, seeds.attempt
    counts_gamma = test.kind == "plausible-deniability" and not seeds.equal_likelihood
    sign, similarity = ("γ", f"{test.similarity:g}") if counts_gamma else ("1", "1")
    constant = "½" if test.noise == "laplace" else "1/(1 + e^(−ε0))"
    return (
        f"ε = ε0 + ln(1 + {sign}/t) = {test.epsilon0:g} + ln(1 + {similarity}/{seeds.t:,}) = "
        f"{round_up(each.epsilon)}; δ = {constant}·e^(−ε0·(k − t)) / (n + 1) = "
        f"{round_up(each.delta)}, k = {test.k:,}, t = {seeds.t:,}, n = {plan.seeds_at_least:,}"
    )


def _slot(seeds: Account) -> str:
    assert seeds.unit is not None
    return (
        f"(ε, δ / (c − δ)) = {_figures(seeds.each)}, c = {seeds.unit.pass_floor:.12g}, as the "
        "record is the first of several attempts that passes"
    )


def _composition(seeds: Account) -> str:
    match seeds.composition:
        case "sequential":
            law = "(N·ε, N·δ)"
        case "advanced":
            law = "(ε·√(2N·ln(1/δ″)) + N·ε·(e^ε − 1), N·δ + δ″)"
        case _:
            law = f"ε′ is the smallest with 1 − (1 − δ)^N·(1 − Δ(ε′)) ≤ δ′, where {_EXCESS}"
    what = "attempt" if seeds.protocol == "attempts" else "record"
    many = f"N = {seeds.count:,} {what}{'' if seeds.count == 1 else 's'}"
    return f"{many}, {seeds.composition}: (ε′, δ′) = {_figures(seeds.record)}; {law}"


def _stopping(plan: Plan, made: Promise) -> str:
    return (
        f"after A = {made.attempts_at_most:,} attempts, so that (1 + e^ε)·Pr{{Bin(A, c) < m}} is "
        f"at most {round_up(STOP_SHARE * made.record_delta)}, which is paid for; "
        f"m = {plan.attempts:,}, c = {plan.pass_floor:.12g}"
    )


def _parts(plan: Plan, made: Promise) -> str:
    seeds = None if made.seeds is None else made.seeds.total
    parts = list_dealt_parts(plan, made.learning, seeds, made.acceptance)
    named = "; ".join(f"{name} {chance:.4g}, {round_up(of.epsilon)}" for name, chance, of in parts)
    return (
        f"ε = {round_up(made.record.epsilon)} with e^ε = 1 + Σ p·(e^ε_p − 1), as each record is "
        f"dealt to one part by a secret coin; p and ε_p: {named}"
    )


def _group(plan: Plan, made: Promise) -> str:
    return (
        f"(g·ε, g·e^((g − 1)·ε)·δ) = {_figures(made.total)}, g = {plan.records_per_person:,}, from "
        f"{_figures(made.record)} for one record"
    )


def _sampling(plan: Plan, made: Promise) -> str:
    assert made.population is not None
    return (
        f"(ln(1 + p·(e^ε − 1)), p·δ) = {_figures(made.population)}, p = {plan.sampling:.12g}, "
        f"between populations, from {_figures(made.total)} between tables"
    )


def _figures(budget: Budget) -> str:
    return f"({round_up(budget.epsilon)}, {round_up(budget.delta)})"
