"""Between which neighbours a figure holds.

An (ε, δ) says how well two inputs are told apart, and nothing about others. *Tables* differ by the
records of one person: what is asked of somebody's being in the table, or of what stands in it of
them, is answered by that figure alone. *Populations* differ by one member, of whom the table may
have taken in the records or not, each member independently with a chance that nobody saw fall out:
the figure is smaller, and speaks only of whether somebody is a member at all, to those who do not
know whom the table took in. Whoever knows that, the person themself included, reads the figure of
tables.
"""

from __future__ import annotations

from enum import StrEnum


class Neighbours(StrEnum):
    """What differs between the two inputs that a figure is about."""

    TABLES = "tables"
    POPULATIONS = "populations"

    def compared(self, records_per_person: int) -> str:
        """The two, in words.

        Args:
            records_per_person: the most records of one person.
        """
        if self is Neighbours.POPULATIONS:
            return "populations that differ by one member, added or removed"
        if records_per_person == 1:
            return "tables that differ by one record, added or removed"
        return (
            f"tables that differ by the records of one person, up to {records_per_person:,} of "
            "them, added or removed"
        )
