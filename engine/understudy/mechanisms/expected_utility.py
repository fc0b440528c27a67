"""Expected utility: which tables methods suit, what a release will lose, how long a run takes.

A method that has something to say brings a module `expected_utility`
(`understudy.mechanisms.companions`) with one or more of four functions, each of which may return
None: `suits`, from a schema to a `Suit`; `foreseen`, from a schema and what is publicly known to a
`Foreseen`; `stakes_of`, from a `PlannedRun` to `Stakes`; and `seconds`, from a `PlannedRun` to
seconds of one core of a usual machine. None of them looks at records, so the figures cost nothing
and may be published.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.core.numerals import FIXED, significant
from understudy.core.refusal import Refusal
from understudy.evaluation.excess import Stakes
from understudy.mechanisms.companions import call_companion
from understudy.mechanisms.mechanism import Mechanism, PlannedRun, check_columns
from understudy.privacy.accounting.accountant import check_delta
from understudy.privacy.accounting.guarantee import MOST_RECORDS
from understudy.privacy.accounting.unit_counts import MOST_KNOWN
from understudy.privacy.planning.question import LARGEST_EPSILON
from understudy.table.column import Column
from understudy.table.schema import Schema

_MODULE: Final = "expected_utility"


class Recommendation(IntEnum):
    """How strongly a method speaks for itself."""

    POSSIBLE = 1
    """It can be used, for a purpose that the sentence names."""
    GOOD = 2
    """It is as good as any, or better in something that the sentence names."""
    BEST = 3
    """It is the one to begin with."""


@dataclass(frozen=True)
class Suit:
    """What a method says of itself for some columns.

    Attributes:
        strength: how strongly it speaks.
        sentence: for which table it is, and why; to a custodian.
    """

    strength: Recommendation
    sentence: str


@dataclass(frozen=True)
class SchemaShape:
    """How many columns of each kind a table has.

    Attributes:
        flags: of two values, none of them missing.
        numbers: with an order and a range, and more than two values.
        others: categories of more than two values, and flags that may be missing.
    """

    flags: int
    numbers: int
    others: int

    @classmethod
    def of(cls, schema: Schema) -> SchemaShape:
        """Return those of a schema."""
        flags = sum(map(_flag, schema.columns))
        numbers = sum(each.ordered and not _flag(each) for each in schema.columns)
        return cls(flags, numbers, len(schema) - flags - numbers)

    @property
    def columns(self) -> int:
        """How many there are."""
        return self.flags + self.numbers + self.others


def suits_by_kind(mechanisms: Iterable[Mechanism], schema: Schema) -> dict[str, Suit]:
    """Return what methods that can be used for these columns say of themselves, by their kinds, the
    strongest first, and of two that are as strong the one that comes first.

    Args:
        mechanisms: the methods that are asked.
        schema: the columns.
    """
    said: dict[str, Suit | None] = {
        each.kind: call_companion(each, _MODULE, "suits", schema)
        for each in mechanisms
        if usable(each, schema)
    }
    told = [(kind, suit) for kind, suit in said.items() if suit is not None]
    return dict(sorted(told, key=lambda each: -each[1].strength))


def usable(mechanism: Mechanism, schema: Schema) -> bool:
    """Return whether a method can be used for these columns at all."""
    try:
        check_columns(mechanism, schema)
    except Refusal:
        return False
    return True


def _flag(column: Column) -> bool:
    return column.domain.size == 2 and not column.missing


@dataclass(frozen=True)
class Known:
    """What is publicly known of a table, and what may be spent on one person.

    Attributes:
        records: how many records it has.
        records_per_person: how many of them one person has at most.
        epsilon, delta: of a whole release, for one person.
        rows: how many records are to be made, where that is free to choose.

    Raises:
        Refusal: a number is out of range; of its field.
    """

    records: int
    records_per_person: int = 1
    epsilon: float = 1.0
    delta: float = 1e-9
    rows: int = 10_000

    def __post_init__(self) -> None:
        most = {"records": MOST_KNOWN, "records_per_person": MOST_RECORDS, "rows": MOST_KNOWN}
        for name, limit in most.items():
            if not 1 <= getattr(self, name) <= limit:
                raise Refusal(
                    f"The number of {name.replace('_', ' ')} is {getattr(self, name):,}.",
                    f"Enter a whole number from 1 to {limit:,}.",
                    field=name,
                )
        if not 0 < self.epsilon <= LARGEST_EPSILON:
            raise Refusal(
                f"ε has to be above 0 and at most {LARGEST_EPSILON:,.0f}.",
                "Enter what may be spent on one person, such as 1.",
                field="epsilon",
            )
        check_delta(self.delta)


@dataclass(frozen=True)
class Foreseen:
    """What one method expects of itself.

    Attributes:
        makes: what comes out, in a phrase.
        said: what it means, in sentences without marks of Markdown.
        column, pair: how far off noise and chance will leave a typical column, and a typical one of
            the pairs that are measured, at most in 95 of 100 runs, in total variation; None where
            that is not foreseen.
        pairs: how many pairs are measured; None where that is not foreseen.
        nothing: what stands against releasing anything at all, as the end of a sentence without its
            full stop; "" where something can be released.
        remedy: what would help, where nothing can be, in a sentence.
        enough: how many records would do, where nothing can be and that is known.
    """

    makes: str
    said: str
    column: float | None = None
    pair: float | None = None
    pairs: int | None = None
    nothing: str = ""
    remedy: str = ""
    enough: int | None = None


def foreseen(
    mechanisms: Iterable[Mechanism], schema: Schema, known: Known
) -> Mapping[str, Foreseen]:
    """Return what methods that can be used for these columns expect, by their kinds, the one that
    says most strongly that it is for such columns first (`suits`).

    Args:
        mechanisms: the methods that are asked.
        schema: the columns.
        known: what is publicly known, and may be spent.
    """
    asked = [each for each in mechanisms if usable(each, schema)]
    found: dict[str, Foreseen] = {}
    for each in asked:
        told: Foreseen | None = call_companion(each, _MODULE, "foreseen", schema, known)
        if told is not None:
            found[each.kind] = told
    first = {kind: place for place, kind in enumerate(suits_by_kind(asked, schema))}
    return dict(sorted(found.items(), key=lambda each: first.get(each[0], len(first))))


def check_possible(mechanisms: Iterable[Mechanism], schema: Schema, known: Known) -> None:
    """Check that some method can release something.

    Raises:
        Refusal: none can, of those that say what they expect; why, and what would help.
    """
    found = list(foreseen(mechanisms, schema, known).values())
    if not found or not all(each.nothing for each in found):
        return
    own = "" if known.records_per_person == 1 else (
        f", of which one person has up to {known.records_per_person:,},"
    )  # fmt: skip
    easiest = min(found, key=lambda each: math.inf if each.enough is None else each.enough)
    raise Refusal(
        f"Of {known.records:,} records{own} nothing can be released at ε = {known.epsilon:g} for "
        f"each person: {_join_parts([each.nothing for each in found])}.",
        easiest.remedy,
        field="records",
    )


def _join_parts(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"


def in_words(found: Foreseen) -> str:
    """Return what a method expects, in sentences."""
    if found.nothing:
        return f"Nothing can be released: {found.nothing}. {found.remedy}"
    off = ""
    if found.column is not None:
        off = f" Noise and chance leave a typical column at most {_off(found.column)} off"
        if found.pair is not None:
            off += f", and a typical pair that is counted {_off(found.pair)}"
        off += "."
    return f"It makes {found.makes}.{off} {found.said}"


def _off(distance: float) -> str:
    """Return a distance in per cent, no finer than it is known."""
    return f"{significant(100 * distance, 2)}{FIXED}%"


def foreseen_stakes(decided: PlannedRun) -> Stakes | None:
    """Return what a run's method foresees; None where it foresees nothing."""
    stakes: Stakes | None = call_companion(decided.mechanism, _MODULE, "stakes_of", decided)
    return stakes


def foreseen_of_measured(decided: PlannedRun) -> Stakes | None:
    """Return what a run's method foresees of the columns that are measured, of which those that no
    model sees are counted with none; None where it foresees nothing."""
    stakes = foreseen_stakes(decided)
    names, measured = decided.schema.names, decided.measured_schema.names
    if stakes is None or names == measured:
        return stakes
    modelled = [place for place, name in enumerate(measured) if name in names]
    of_model = [names.index(measured[place]) for place in modelled]
    inner, own = np.ix_(modelled, modelled), np.ix_(of_model, of_model)

    def spread(pairs: BoolArray | None) -> BoolArray | None:
        if pairs is None:
            return None
        wide = np.zeros((len(measured), len(measured)), dtype=bool)
        wide[inner] = pairs[own]
        return wide

    return replace(stakes, counted=spread(stakes.counted), possible=spread(stakes.possible))


def foresee_seconds(decided: PlannedRun) -> float | None:
    """Return about how many seconds a run takes; None where its method does not say."""
    seconds: float | None = call_companion(decided.mechanism, _MODULE, "seconds", decided)
    return seconds
