"""A small table, and hostile records that might change how its others are read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

Record = tuple[Any, ...]
"""A town, a day, a count and a pay; None where it is missing, and bytes for a text that is not in
the encoding of the file."""

SCHEMA = Schema(
    columns=(
        Column(name="town", domain=Categories(values=("Ghent", "Zürich")), missing=True),
        # The second is another way to write a day.
        Column(
            name="day",
            domain=Categories(values=("2020-01-01", "2020-01-02 00:00:00")),
            missing=True,
        ),
        Column(name="count", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)), missing=True),
        Column(
            name="pay",
            domain=Grid(
                kind="numbers", minimum=Decimal(0), maximum=Decimal(2), step=Decimal("0.1")
            ),
            missing=True,
        ),
    )
)

KEPT: tuple[Record, ...] = (
    ("Zürich", date(2020, 1, 1), 1, 0.1),
    ("Ghent", date(2020, 1, 2), 9, 0.5),
    ("Zürich", None, 0, 2.0),
    (None, date(2020, 1, 1), 3, None),
)
"""The others: each value is one of the schema or missing."""

_TOWNS: tuple[Any, ...] = (
    None,
    "zebra",
    " Ghent ",
    "Gh\u0308ent",
    '"',
    "'",
    "a,b;c\td|e\nf",
    "x" * 180,
    "2020-01-01 00:00:00",
    "1e5",
    "true",
    b"Z\xfcrich",
)
_DAYS = (
    datetime(2020, 1, 1, 10, 30),
    datetime(2020, 1, 1, 0, 0, 0, 500_000),
    date(9999, 12, 31),
    date(1900, 1, 1),
)
_COUNTS = (None, -1, 40_000, 2**31, 2**53, 0.5, 1e30)
_PAYS = (None, 0.30000000000000004, -1e30, 1e-12, 7.0)

ZONED = (
    datetime(2020, 1, 1, 23, 30, tzinfo=UTC),
    datetime(2020, 1, 1, 23, 30, tzinfo=timezone(timedelta(hours=5))),
)
DECIMALS = (Decimal("0.1250"), Decimal("1e20"), Decimal("0.1"))
ENDLESS = (math.inf, -math.inf, math.nan)


def records(
    towns: Sequence[Any] = _TOWNS,
    days: Sequence[Any] = _DAYS,
    counts: Sequence[Any] = _COUNTS,
    pays: Sequence[Any] = _PAYS,
) -> Iterator[Record]:
    """Records with one hostile value each, and one with nothing in it."""
    town, day, count, pay = KEPT[1]
    yield (None,) * len(SCHEMA)
    yield from ((each, day, count, pay) for each in towns)
    yield from ((town, each, count, pay) for each in days)
    yield from ((town, day, each, pay) for each in counts)
    yield from ((town, day, count, each) for each in pays)


def beyond_types() -> Iterator[Record]:
    """Yield the same with values that not every kind of file knows."""
    yield from records(
        days=(*_DAYS, *ZONED), counts=(*_COUNTS, *DECIMALS), pays=(*_PAYS, *ENDLESS, *DECIMALS)
    )


def words_of(record: Record) -> str:
    """Return a hostile record, told by where it differs from the one it was made of."""
    names = zip(SCHEMA.names, record, KEPT[1], strict=True)
    odd = [f"{name} {str(value)[:40]!r}" for name, value, usual in names if value is not usual]
    return ", ".join(odd)
