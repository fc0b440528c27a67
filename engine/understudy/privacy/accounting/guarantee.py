"""A guarantee: for whom, between which neighbours, how much, and what it was made from; with what
it comes to for all records of one person, and for records replaced rather than added or removed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from scipy.optimize import brentq

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.composition import amplified_by_sampling
from understudy.privacy.budget import Budget, Neighbours

# Group privacy: from the guarantee for one record to that for all records of one person.

MOST_RECORDS = 1000
"""The most records per person that a guarantee is stated for."""

_LOG_FINEST = math.log(1e-300)
# The relative precision of the largest δ.
_CLOSE = 1e-9


def group_privacy(budget: Budget, records: int) -> Budget:
    """Return the guarantee for `records` records of one person, from that for one record.

    (gε, g·e^{(g−1)ε}·δ): a chain of g neighbours. Nothing is promised once δ reaches 1.
    """
    if records == 1 or not budget.bounded:
        return budget
    if budget.delta == 0:
        return Budget(records * budget.epsilon)
    log_delta = math.log(records) + (records - 1) * budget.epsilon + math.log(budget.delta)
    if log_delta >= 0:
        return Budget.unbounded()
    return Budget(records * budget.epsilon, math.exp(log_delta))


def record_delta(total_at: Callable[[float], Budget], records: int, delta: float) -> float:
    """Return the largest δ for one record, to a relative 1e-9, with which a person's is at most
    `delta`.

    Args:
        total_at: the guarantee for one record at a given δ of its own. Its ε falls as δ grows, and
            may be refused, with field “delta”, where δ is too small.
        records: g, how many records a person may have.
        delta: the target for a person.

    Raises:
        Refusal: there is none, as ε is too large for so many records; or what `total_at` raises.
    """
    if records == 1:
        return delta
    aim = math.log(delta / records)

    def over(log_delta: float) -> float:
        return (records - 1) * total_at(math.exp(log_delta)).epsilon + log_delta - aim

    # Newton-like: the ε of a δ that is too large gives a smaller δ, which is never too small.
    tried, above = aim, over(aim)
    if not 0 < above < math.inf:
        return math.exp(tried - _CLOSE / 2)
    while (lower := tried - max(above, _CLOSE)) > _LOG_FINEST:
        still = over(lower)
        found = (
            lower if still <= 0 else _root(over, lower, still, (above - still) / (tried - lower))
        )
        if found is not None:
            return math.exp(found - _CLOSE / 2)
        tried, above = lower, still
    raise Refusal(
        f"With up to {records:,} records per person, no δ holds at the ε of these settings.",
        "Choose a smaller ε for the model, or fewer attempts with a larger k, so that the ε of "
        "one record is small; or a seedless plan.",
        field="records_per_person",
    )


def _root(over: Callable[[float], float], high: float, above: float, slope: float) -> float | None:
    """Return the zero of `over` below `high`; None where the line of this slope does not bracket
    it.

    ε is concave in the logarithm of δ, so such a line lies above it.
    """
    if slope <= 0:
        return None
    low = high - above / slope - _CLOSE
    try:
        if over(low) > 0:
            return None
        root = float(brentq(over, low, high, xtol=_CLOSE / 4))
        return root if over(root - _CLOSE / 2) <= 0 else low
    except Refusal as refusal:
        if refusal.field == "delta":
            return None
        raise


# What a figure for some neighbours says about others.
#
# A table in which one record is replaced is two steps away: the record is taken out, and another
# one added. So (ε, δ) between tables that differ by a record added or removed implies (2ε, (1 +
# e^ε)·δ) between tables in which a record is replaced: P(M(D) ∈ S) ≤ e^ε·P(M(D⁻) ∈ S) + δ, where D⁻
# lacks the record, and P(M(D⁻) ∈ S) ≤ e^ε·P(M(D′) ∈ S) + δ. The other way there is no conversion: a
# mechanism that prints how many records there are costs nothing between replacements, and
# everything between tables.


def convert_budget(budget: Budget, holds: Neighbours, wanted: Neighbours) -> Budget | None:
    """Return what a figure implies for other neighbours; None where it implies nothing.

    Args:
        budget: the figure.
        holds: the neighbours it holds for.
        wanted: the neighbours that are asked about.
    """
    if holds is wanted:
        return budget
    if (holds, wanted) == (Neighbours.TABLES, Neighbours.REPLACEMENTS):
        return _replacing(budget)
    return None


def _replacing(budget: Budget) -> Budget:
    """Return (2ε, (1 + e^ε)·δ); nothing is promised once δ reaches 1."""
    if not budget.bounded:
        return budget
    if budget.delta == 0:
        return Budget(2 * budget.epsilon)
    log_delta = math.log(budget.delta) + budget.epsilon + math.log1p(math.exp(-budget.epsilon))
    return Budget.unbounded() if log_delta >= 0 else Budget(2 * budget.epsilon, math.exp(log_delta))


def common(neighbours: Iterable[Neighbours]) -> Neighbours:
    """Return the neighbours that figures for all of these can be added up for."""
    return Neighbours.REPLACEMENTS if Neighbours.REPLACEMENTS in neighbours else Neighbours.TABLES


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
        return self.neighbours.describe_inputs(self.records_told)

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
