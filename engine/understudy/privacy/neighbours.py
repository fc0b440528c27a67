"""Between which neighbours a figure holds.

An (ε, δ) says how well two inputs are told apart, and nothing about others. *Tables* differ by the
records of one person: what is asked of somebody's being in the table, or of what stands in it of
them, is answered by that figure alone. *Replacements* are tables of one number of records, which is
public, that differ in what the records of one person say: nothing is said of whether somebody is in
the table. *Populations* differ by one member, of whom the table may have taken in the records or
not, each member independently with a chance that nobody saw fall out: the figure is smaller, and
speaks only of whether somebody is a member at all, to those who do not know whom the table took in.
Whoever knows that, the person themself included, reads the figure of tables.
"""

from __future__ import annotations

from enum import StrEnum


class Neighbours(StrEnum):
    """What differs between the two inputs that a figure is about."""

    TABLES = "tables"
    REPLACEMENTS = "replacements"
    POPULATIONS = "populations"

    def compared(self, records_per_person: int | None) -> str:
        """Return the two, in words.

        Args:
            records_per_person: the most records of one person; None for any number.
        """
        if self is Neighbours.POPULATIONS:
            return "populations that differ by one member, added or removed"
        how = "added or removed" if self is Neighbours.TABLES else "replaced by others"
        of = _by(records_per_person)
        if self is Neighbours.REPLACEMENTS:
            return f"tables of the same number of records that {of}, {how}"
        return f"tables that {of}, {how}"


def _by(records_per_person: int | None) -> str:
    if records_per_person is None:
        return "differ by one person, with all of their records"
    if records_per_person == 1:
        return "differ by one record"
    return f"differ by the records of one person, up to {records_per_person:,} of them"
