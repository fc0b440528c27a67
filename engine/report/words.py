"""The words of the report: settings with what they mean, and the terms a board member meets."""

from __future__ import annotations

from typing import Final

from engine.mechanisms.fields import Told
from engine.mechanisms.seedbased.fields.table import FIELDS
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


def settings(plan: Plan, columns: int) -> tuple[Told, ...]:
    """What there is to say of the settings of a plan, for a table of so many columns."""
    return FIELDS.told(FIELDS.values(plan, columns))
