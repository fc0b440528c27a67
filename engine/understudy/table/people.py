"""Whose a record is: tables in which one person has several records, in an order.

A person's identifier says which records belong together and is nothing else: it is no attribute,
is not coded and leaves with nothing. Of each person the first records in order are kept, up to a
public number, so that what is kept of one person depends on the records of that person alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.cells import is_unreadable, moment_text, parse_number
from understudy.table.date_spellings import Spelling
from understudy.table.raw import RawTable

MOST_PER_PERSON = 1000
"""The most records of one person that a guarantee is stated for."""

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d)(\.\d{1,9})?)?", re.ASCII)

Key = Decimal | str | tuple[int, int]


class People(Frozen, what="the people"):
    """The declaration that the records of a table belong to people, and are in an order.

    Attributes:
        person: the column that says whose a record is; no column of the schema.
        order: the column that a person's records are ordered by; it may be one of the schema.
        order_is: whether that holds numbers, or points in time.
        order_written: how points in time are written, such as DD.MM.YYYY hh:mm, which are then
            compared to the minute; "" where they are written as ISO 8601 has them.
        records_at_most: L, how many records of a person are kept: the first in order. Those that
            are equal in order stay as they stand in the table.

    Raises:
        Refusal: a column has no name, both are the same, L is out of range, or the order can be
            read in several ways.
    """

    person: str
    order: str
    order_is: Literal["number", "time"] = "number"
    order_written: str = ""
    records_at_most: int = Field(ge=1, le=MOST_PER_PERSON)

    @model_validator(mode="after")
    def _usable(self) -> People:
        for name in ("person", "order"):
            if not getattr(self, name).strip():
                raise Refusal(
                    f"The column of the {name} has no name.",
                    "Name a column of the table.",
                    field=name,
                )
        if self.person == self.order:
            raise Refusal(
                "The same column says whose a record is and which comes first.",
                "Name another column for the order.",
                field="order",
            )
        self._check_spelling()
        return self

    def _check_spelling(self) -> None:
        if not self.order_written:
            return
        if self.order_is != "time":
            raise Refusal(
                "It is said how points in time are written, and the order is one of numbers.",
                "Say that the order is one of time, or not how it is written.",
                field="order",
            )
        spelling = Spelling.of(self.order_written)
        if spelling.question:
            raise Refusal(
                f"Column “{self.order}” orders a person’s rows. {spelling.question}",
                f"Say “order_written”: “{spelling.choices[0]}” or another way in the schema file, "
                "write 2020-03-01 in the table, or name another column for the order.",
                field="order",
            )

    def as_dict(self) -> dict[str, Any]:
        """Return what it says, ready for JSON."""
        unsaid = {"order_written"} if not self.order_written else None
        return self.model_dump(mode="json", exclude=unsaid)

    @property
    def columns(self) -> tuple[str, str]:
        """The columns that a table has to have beside those of the schema."""
        return self.person, self.order


def group_people(raw: RawTable, people: People) -> tuple[IntArray, IntArray]:
    """Return the records that are kept, person by person and each person's in order.

    People come in the order in which they first stand in the table.

    Args:
        raw: the table; it has the columns that `people` names.
        people: whose the records are.

    Returns:
        (kept,) the place of each record in the table, and (people + 1,) where each person's
        begin and the last one's end among these.

    Raises:
        Refusal: a record does not say whose it is, or where in the order it stands; `field` is the
            column.
    """
    persons, ranks = persons_of(raw, people.person), _ranks(raw, people)
    # Stable: what is equal in order stays as it stands.
    order = np.lexsort((ranks, persons))
    starts = np.searchsorted(persons[order], np.arange(persons.max(initial=-1) + 1))
    sizes = np.diff([*starts, raw.rows])
    turn = np.arange(raw.rows) - np.repeat(starts, sizes)
    offsets = np.concatenate([[0], np.cumsum(np.minimum(sizes, people.records_at_most))])
    return order[turn < people.records_at_most], offsets.astype(np.int64)


def keep_records(raw: RawTable, people: People) -> tuple[RawTable, IntArray]:
    """Return the table with the records that are kept, as they stand in it, and (kept,) the number
    of each one's person, counted by who stands first.

    Raises:
        Refusal: as of `grouped`.
    """
    rows, offsets = group_people(raw, people)
    whose = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.argsort(rows)
    return raw.take(rows[order]), whose[order]


@dataclass(frozen=True)
class Tally:
    """How many records are kept of how many people. Internal.

    Attributes:
        people: how many people there are.
        records: how many records.
        dropped: how many of these are beyond those that are kept.
        shortened: how many people lose some.
    """

    people: int
    records: int
    dropped: int
    shortened: int


def tally(raw: RawTable, people: People) -> Tally:
    """Count what is kept of whom. Internal.

    Raises:
        Refusal: as of `grouped`.
    """
    rows, offsets = group_people(raw, people)
    sizes = np.bincount(persons_of(raw, people.person), minlength=len(offsets) - 1)
    shortened = int((sizes > people.records_at_most).sum())
    return Tally(len(offsets) - 1, raw.rows, raw.rows - len(rows), shortened)


def check_single(people: People | None, records_per_person: int) -> None:
    """Check that a mechanism which makes single records counts on all that a person may have.

    Args:
        people: whose the records of the table are, where its schema says so.
        records_per_person: how many records of one person the mechanism's guarantee counts on.

    Raises:
        Refusal: it counts on fewer than the table keeps; `field` is "records_per_person".
    """
    if people is not None and records_per_person < people.records_at_most:
        raise Refusal(
            f"Up to {people.records_at_most:,} records of a person are kept, and the plan counts "
            f"on {records_per_person:,} at most. This mechanism makes single records; it cannot "
            "keep the order of a person’s records, and has to count on all of them.",
            f"Set the records per person to {people.records_at_most:,}, or keep fewer in the "
            "schema.",
            field="records_per_person",
        )


def persons_of(raw: RawTable, name: str) -> IntArray:
    """Return (n,) the number of each record's person, counted by who stands first in the table.

    Raises:
        Refusal: a record does not say whose it is; `field` is the column.
    """
    texts, places = raw.distinct(name)
    bare = [text.strip() for text in texts]
    nameless = np.array([not text or is_unreadable(text) for text in bare], dtype=bool)
    _check(int(nameless[places].sum()), name, "do not say whose they are")
    same: dict[str, int] = {}
    whose = np.array([same.setdefault(text, len(same)) for text in bare], dtype=np.int64)[places]
    _, first, found = np.unique(whose, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return np.asarray(numbers[found])


def _ranks(raw: RawTable, people: People) -> IntArray:
    """Return (n,) numbers that rise as the order does."""
    texts, places = raw.distinct(people.order)
    read: Callable[[str], Key | None]
    if people.order_is == "number":
        read = parse_number
    elif people.order_written:
        read = partial(_moment_written, Spelling.of(people.order_written))
    else:
        read = moment_in
    keys = [read(text) for text in texts]
    unread = np.array([key is None for key in keys], dtype=bool)
    what = "a number" if people.order_is == "number" else "a point in time"
    _check(int(unread[places].sum()), people.order, f"have no order: it is not {what}")
    known: set[Any] = {key for key in keys if key is not None}
    rank = {key: place for place, key in enumerate(sorted(known))}
    ranks = [-1 if key is None else rank[key] for key in keys]
    return np.array(ranks, dtype=np.int64)[places]


def moment_in(text: str) -> str | None:
    """Return the point in time that a text holds, written so that later ones sort behind; None
    where it holds none. A day comes before all times of that day but its midnight, which it is."""
    found = _MOMENT.fullmatch(moment_text(text.strip()))
    if found is None:
        return None
    day, clock, fraction = found.groups()
    try:
        datetime.fromisoformat(f"{day} {clock or '00:00:00'}")
    except ValueError:
        return None
    return f"{day} {clock or '00:00:00'}{fraction or ''}"


def _moment_written(spelling: Spelling, text: str) -> tuple[int, int] | None:
    """Return the day and minute of a text; None where it holds none."""
    moment = spelling.read(text)
    return None if moment is None else (moment.day, moment.minute)


def _check(records: int, name: str, why: str) -> None:
    if records:
        raise Refusal(
            f"In column “{name}”, {records:,} records {why}.",
            "Correct them in the file, or name another column in the schema.",
            field=name,
        )
