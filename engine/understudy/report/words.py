"""The terms that a board member meets in a report, whatever the method."""

from __future__ import annotations

from typing import Final

from understudy.privacy import wording
from understudy.privacy.budget import DELTA

GLOSSARY: Final = (
    ("δ (delta)", DELTA),
    ("ε (epsilon)", wording.EPSILON),
    ("Ledger", "The book in which every run on the same records is put down before it begins. What "
     "was spent stays spent."),
    ("Neighbouring tables", "Two tables that differ by the records of one person. The guarantee "
     "bounds how well anybody can tell which of the two the release was made from."),
    ("Record", "A row of the confidential table."),
    ("Synthetic table", "A table of records that were made by a model and by chance. It stands in "
     "for the confidential one."),
)  # fmt: skip
"""Terms and what they mean."""
