"""The words of the report: settings with what they mean, and the terms a board member meets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.charts.settings import MODELS, TESTS, ranged
from engine.core.numerals import count, percent
from engine.mechanisms.seedbased.plan import Plan
from engine.privacy import wording
from engine.privacy.budget import DELTA

GLOSSARY: Final = (
    ("Attempt", "A record is drawn as a seed, a candidate is made from it, and the privacy test "
     "lets the candidate through or not."),
    ("Buckets", "The coarser values that a column takes where it helps to predict another."),
    ("Candidate", "A proposed synthetic record, before the privacy test."),
    ("δ (delta)", DELTA),
    ("ε (epsilon)", wording.EPSILON),
    ("Ledger", "The book in which every run on the same records is put down before it begins. What "
     "was spent stays spent."),
    ("Neighbouring tables", "Two tables that differ by the records of one person. The guarantee "
     "bounds how well anybody can tell which of the two the release was made from."),
    ("Plausible seeds", "Records that could have made the candidate about as likely as its own "
     "seed did. The privacy test asks for enough of them."),
    ("Record", "A row of the confidential table."),
    ("Seed", "A record that a candidate is made from: some of its values are copied, the others "
     "are drawn from the model."),
    ("Synthetic table", "A table of records that were made by a model and by chance. It stands in "
     "for the confidential one."),
)  # fmt: skip
"""Terms and what they mean, in the order of the alphabet."""


@dataclass(frozen=True)
class Setting:
    """A setting of the plan.

    Attributes:
        name, value: as a person reads them.
        meaning: what it does.
    """

    name: str
    value: str
    meaning: str


def settings(plan: Plan, columns: int) -> tuple[Setting, ...]:
    """All settings of a plan for a table of so many columns."""
    return (*_how_many(plan, columns), *_from_seeds(plan, columns), *_model(plan), *_people(plan))


def _how_many(plan: Plan, columns: int) -> Iterator[Setting]:
    if plan.omega.low == columns and plan.protocol == "attempts":
        yield Setting(
            "Rows", f"{plan.attempts:,}",
            "All drawn from the model. Any other number would cost the same.",
        )  # fmt: skip
        return
    if plan.protocol == "attempts":
        yield Setting(
            "What a reader may see", "every attempt",
            "How many candidates were made, and how many of them were released, may be known.",
        )  # fmt: skip
        yield Setting("N", count(plan.attempts, "attempt"), "Fixed before the run.")
        return
    yield Setting(
        "What a reader may see", "the released records only",
        "How many attempts they took, and how long, stays with the custodian.",
    )  # fmt: skip
    yield Setting("m", count(plan.attempts, "record"), "Fixed before the run.")
    if plan.pass_floor is not None:
        yield Setting(
            "Pass floor", f"{100 * plan.pass_floor:.12g} %",
            "The share of attempts that is sure to pass, declared before the run.",
        )  # fmt: skip


def _from_seeds(plan: Plan, columns: int) -> Iterator[Setting]:
    if plan.omega.low == columns:
        yield Setting(
            "ω", f"{ranged(str(plan.omega))} of {columns} columns",
            "All columns of every record are drawn from the model; nothing is copied from a "
            "record, so no test is needed.",
        )  # fmt: skip
        return
    yield Setting(
        "ω", f"{ranged(str(plan.omega))} of {columns} columns",
        "So many columns of a candidate are drawn from the model; the others are copied from its "
        "seed.",
    )  # fmt: skip
    test = plan.test
    yield Setting("Privacy test", TESTS[test.kind].lower(), "How plausible seeds are counted.")
    yield Setting("k", f"{test.k:,}", "So many plausible seeds a candidate needs.")
    gamma = getattr(test, "gamma", None)
    if gamma is not None:
        yield Setting("γ", f"{gamma:g}", "How alike likelihoods of plausible seeds have to be.")
    noise = "no noise" if test.epsilon0 is None else f"{test.epsilon0:g}"
    yield Setting("ε0", noise, "What is spent on blurring k; noise of scale 1/ε0 is added to it.")
    yield Setting("Seed records, at least", f"{plan.seeds_at_least:,}", "So many are counted on.")


def _model(plan: Plan) -> Iterator[Setting]:
    kind, outside = MODELS[plan.model.kind], plan.model.outside
    if outside is None:
        yield Setting("Model", kind, "What candidates are drawn from.")
    else:
        yield Setting(
            "Model", f"{kind} “{outside.name}”",
            "What candidates are drawn from. What it promises is the word of whoever made it.",
        )  # fmt: skip
    spent = "no noise" if plan.model.epsilon is None else f"{plan.model.epsilon:g}"
    yield Setting(
        "ε of the model", spent,
        "What learning the model may spend."
        if plan.model.at_once
        else "For which columns depend on which, and the same for how; they see different records.",
    )  # fmt: skip
    shares = plan.shares
    yield Setting(
        "Shares of the records",
        " · ".join(percent(each) for each in shares.each),
        "Seeds, structure, parameters, held out to compare with. A coin decides for each record."
        + (" The model is learned from the two middle parts together." * plan.model.at_once),
    )


def _people(plan: Plan) -> Iterator[Setting]:
    yield Setting(
        "Records per person, at most", f"{plan.records_per_person:,}",
        "The guarantee holds for all of them together.",
    )  # fmt: skip
    yield Setting(
        "δ", f"{plan.delta:g}", "What is added to e^ε times the probability; so much was allowed."
    )
    if plan.public_records is not None:
        yield Setting(
            "Records, publicly known to be there", f"{plan.public_records:,}",
            "Confirmed by the custodian before the run; not counted in the table.",
        )  # fmt: skip
    if plan.sampling is not None:
        yield Setting(
            "Sampling", f"{plan.sampling:.12g}",
            "The table is claimed to be a secret random sample, taken with this chance.",
        )  # fmt: skip
    if plan.chosen_by_looking:
        yield Setting(
            "Chosen by looking", "yes",
            "The settings were adopted after looking at figures computed from these records "
            "without noise. The guarantee does not cover what that choice shows.",
        )  # fmt: skip
