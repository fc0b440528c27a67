"""A column of every kind, with texts that it holds: those of the toy kinds too."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import cycle

from tests.engine.table import toy_kinds
from understudy.table.authoring.number_ranges import usual_buckets
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.domain import Domain
from understudy.table.encoding import encode_public
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode, unlabelled
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.times import DatesTimes, Times


@dataclass(frozen=True)
class Example:
    """A column of a kind, with texts that it holds and one that it does not.

    Attributes:
        domain: what it may contain.
        other: another of the kind, or None if there is one only.
        texts: texts of values, as a file that is released holds them.
        outside: a text that is no value.
    """

    domain: Domain
    other: Domain | None
    texts: tuple[str, ...]
    outside: str


EXAMPLES = (
    Example(
        Categories(values=("a", "b,c", "=1"), labels=("A", "B", "C")),
        Categories(values=("a", "b,c")),
        ("a", "b,c", "=1"),
        "zzz",
    ),
    Example(
        Grid(minimum=Decimal(-3), maximum=Decimal(40)),
        Grid(minimum=Decimal(-3), maximum=Decimal(41)),
        ("-3", "0", "40"),
        "41",
    ),
    Example(
        Grid(kind="numbers", minimum=Decimal(0), maximum=Decimal(3), step=Decimal("0.25")),
        Grid(kind="numbers", minimum=Decimal(0), maximum=Decimal(3), step=Decimal("0.5")),
        ("0.00", "1.25", "3.00"),
        "a lot",
    ),
    Example(
        Continuous(minimum=0, maximum=100, precision="0.1", step=5, unit="kg"),
        Continuous(minimum=0, maximum=100, precision="0.1", step=5),
        ("0.0", "4.9", "70.3", "100.0"),
        "100.1",
    ),
    Example(
        toy_kinds.Hours(minimum=Decimal(6), maximum=Decimal(22)),
        toy_kinds.Hours(minimum=Decimal(6), maximum=Decimal(21)),
        ("06:00", "13:00", "22:00"),
        "23:00",
    ),
    Example(
        Dates(minimum="2019-12-01", maximum="2024-02-29", step="month"),
        Dates(minimum="2019-12-01", maximum="2024-02-29", step="quarter"),
        (
            "2019-12-01",
            *(f"2020-{month:02}-{day}" for month in range(1, 13) for day in (10, 29)),
            "2024-02-29",
        ),
        "2024-03-01",
    ),
    Example(
        DatesTimes(minimum="2023-01-01", maximum="2023-12-31", step="month", zone="UTC"),
        DatesTimes(minimum="2023-01-01", maximum="2023-12-31", step="month"),
        (
            "2023-01-01 00:00",
            *(f"2023-{month:02}-26 0{hour}:30" for month in range(1, 13) for hour in (2, 3)),
            "2023-12-31 23:59",
        ),
        "2024-01-01 00:00",
    ),
    Example(
        Times(minimum="06:00", maximum="22:30", spelling="hh:mm:ss"),
        Times(minimum="06:00", maximum="22:30"),
        ("06:00:00", *(f"13:{minute:02}:00" for minute in range(30)), "22:30:00"),
        "22:31:00",
    ),
    Example(
        toy_kinds.Clock(minimum=Decimal(6 * 60), maximum=Decimal(22 * 60 + 30)),
        toy_kinds.Clock(minimum=Decimal(6 * 60), maximum=Decimal(22 * 60 + 31)),
        ("06:00", "06:59", "13:01", "22:30"),
        "22:31",
    ),
    Example(toy_kinds.Weekdays(), None, ("Mon", "Wed", "Sun"), "Xmas"),
)
OTHER = Column(name="other", domain=Categories(values=("m", "f")))


def column_of(domain: Domain, *, missing: bool = True) -> Column:
    tokens = ("", "NA") if missing else ("",)
    column = Column(name="it", domain=domain, missing=missing, missing_codes=unlabelled(tokens))
    return column.with_buckets(usual_buckets(domain))


def schema_of(domain: Domain) -> Schema:
    return Schema(columns=(column_of(domain), OTHER))


def csv_of(texts: tuple[str, ...], rows: int = 1) -> bytes:
    cells = [f'"{text}",{sex}' for text, sex in zip(texts * rows, cycle("mf"), strict=False)]
    return "\n".join(["it,other", *cells, ""]).encode()


def records_of(example: Example, rows: int = 1) -> Records:
    raw = read_table(csv_of((*example.texts, ""), rows), name="t.csv")
    return encode_public(raw, schema_of(example.domain))


def whole_schema() -> Schema:
    """A schema with a column of every kind, each with two codes for missing."""
    columns = [
        column_of(example.domain).changed(
            name=example.domain.kind, missing_codes=two_codes(example)
        )
        for example in EXAMPLES
    ]
    return Schema(columns=tuple(columns)).declare_public("a test")


def two_codes(example: Example) -> tuple[MissingCode, ...]:
    """Two codes for missing that are no values of a kind."""
    named = MissingCode(values=(not_asked(example),), label="not asked")
    return MissingCode(values=("", "NA")), named


def not_asked(example: Example) -> str:
    """The text of a code for missing that is none of a kind's values, but of its type if it has
    one."""
    return "9999-12-31" if example.domain.kind == "dates" else "-98"


def whole_table(rows: int = 300) -> bytes:
    """A table with a column of every kind, now and then without a value."""
    names = ",".join(example.domain.kind for example in EXAMPLES)
    cells = [cycle((*example.texts, "", not_asked(example))) for example in EXAMPLES]
    lines = [",".join(f'"{next(each)}"' for each in cells) for _ in range(rows)]
    return "\n".join([names, *lines, ""]).encode()
