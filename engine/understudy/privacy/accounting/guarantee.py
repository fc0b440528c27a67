"""A guarantee: for whom, between which neighbours, how much, and what it was made from.

It follows from a plan and a schema, which are public, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from understudy.privacy.accounting.composition import amplified_by_sampling
from understudy.privacy.accounting.group import group_privacy
from understudy.privacy.budget import Budget
from understudy.privacy.neighbours import Neighbours

Figures = TypeVar("Figures")


@dataclass(frozen=True)
class Part:
    """What one question to some of the records costs.

    Attributes:
        of: what asks, such as "attempts" or "model".
        cost: for one of the records that it sees.
        native: the figures that the cost was worked out from, by their names: ρ, μ, ε₀, t …
    """

    of: str
    cost: Budget
    native: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """What a guarantee is about, in plain words.

    Attributes:
        protects: whom it protects, and how far.
        covers: what a reader may see without weakening it, in a few sentences.
        reader_sees: the same, one thing at a time.
        assumes: what has to be true for it to hold.
        not_covered: what it says nothing about.
        formulas: how the figures follow: what each is of, and the formula with its numbers.
    """

    protects: str
    covers: str
    reader_sees: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    formulas: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Guarantee:
    """What a plan promises.

    Attributes:
        record: the (ε, δ) of everything that is released between inputs that differ by one record.
        scope: what it is about, in words.
        statement: the guarantee in a few sentences.
        neighbours: how the two inputs differ.
        records_per_person: g, the most records that one person may have.
        whole_people: whether `record` holds for all records of a person together already, however
            many they are, as it does where people are counted and not records.
        sampling: the chance with which each member of a population got into the table, where the
            table is a secret sample; None claims nothing.
        protocol: which numbers of a run are hidden from a reader, by name; see the mechanism.
        count: how many things of a kind the run makes, as fixed before it: attempts, records.
        reads_records: whether outputs are made from single records, and not only from what was
            learned with noise.
        parts: what it is made of.
        records_at_least: how many records the table must publicly be known to have; None for any.
        records_among: which of them it counts, in words such as “whose AGE is 65 to 120”; "" for
            all.
        people_at_least: the same of people, where these are counted on and not records.
        particulars: what else is stated, in sections of the mechanism's own.
        test: the privacy test that candidates pass, by its name and source; None where there is
            none.
        account: all figures as the mechanism works with them; nobody else looks into it.
    """

    record: Budget
    scope: Scope
    statement: str
    neighbours: Neighbours = Neighbours.TABLES
    records_per_person: int = 1
    whole_people: bool = False
    sampling: float | None = None
    protocol: str = "releases"
    count: int = 0
    reads_records: bool = False
    parts: tuple[Part, ...] = ()
    records_at_least: int | None = None
    records_among: str = ""
    people_at_least: int | None = None
    particulars: Mapping[str, Any] = field(default_factory=dict)
    test: Mapping[str, Any] | None = None
    account: Any = None

    @cached_property
    def total(self) -> Budget:
        """The (ε, δ) for all records of one person together."""
        if self.whole_people:
            return self.record
        return group_privacy(self.record, self.records_per_person)

    def account_as(self, kind: type[Figures]) -> Figures:
        """Return the figures, to the mechanism that works with them.

        Raises:
            TypeError: they are another's.
        """
        if not isinstance(self.account, kind):
            raise TypeError("this guarantee is of another method")
        return self.account

    @property
    def compared(self) -> str:
        """The two inputs that `total` is about, in words."""
        return self.neighbours.compared(self.records_told)

    @property
    def records_told(self) -> int | None:
        """The most records that a person may have; None where any number is covered."""
        return None if self.whole_people else self.records_per_person

    @cached_property
    def population(self) -> Budget | None:
        """The same between populations that differ by one member, of which the table is a secret
        sample; None where that is not claimed, or nothing is promised. It says nothing about who
        is in the table."""
        if self.sampling is None or not self.total.bounded:
            return None
        return amplified_by_sampling(self.total, self.sampling)
