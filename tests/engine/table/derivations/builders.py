"""Columns of every kind that derivations take, records of any values in them, and what a
derivation makes of the texts of a row, worked out slowly."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

import numpy as np
from hypothesis import strategies as st

from tests.support import within_cells
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.derivations.derived_column import DerivedColumn
from understudy.table.derivations.registry import parse_formula
from understudy.table.domain import Domain
from understudy.table.encoding import to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.times import DatesTimes, Times

GONE = (MissingCode(values=("-1",), label="refused"), MissingCode(values=("",)))

DOMAINS: Mapping[str, Domain] = {
    "fee": Continuous(minimum=-3, maximum="12.5", precision="0.05", step="0.5"),
    "tax": Grid(kind="numbers", minimum="0.5", maximum="9.5", step="0.75"),
    "count": Grid(minimum=0, maximum=40, step=5),
    "one": Grid(minimum=7, maximum=7),
    "euros": Continuous(
        minimum=0, maximum=9000, precision="0.01", step=100, spelling="1.234,5", unit="€"
    ),
    "born": Dates(minimum="1896-02-29", maximum="2004-03-01", step="year"),
    "in": Dates(minimum="2000-02-28", maximum="2004-12-31", step="month", spelling="DD.MM.YYYY"),
    "came": DatesTimes(minimum="1999-12-31 22:10", maximum="2001-03-01 00:00", step="month"),
    "went": DatesTimes(minimum="2000-02-28 07:00", maximum="2002-03-01 23:59", step="month"),
    "bed": Times(precision="minute"),
    "up": Times(precision="minute"),
    "code": Categories(values=("A01", "A1", "B", "C99", "-x"), labels=("a", "b", "c", "d", "e")),
}


def make_column(name: str, *, missing: bool = False) -> Column:
    """One of the columns; where −1 stands for missing, it is no value among its numbers."""
    codes = GONE if missing else (MissingCode(),)
    return Column(name=name, domain=DOMAINS[name], missing=missing, missing_codes=codes)


def make_schema(formulas: Mapping[str, str], missing: frozenset[str] = frozenset()) -> Schema:
    """All of the columns, and some that are derived from them, in places all over."""
    schema = Schema(columns=tuple(make_column(name, missing=name in missing) for name in DOMAINS))
    derived = [
        DerivedColumn(name=name, formula=parse_formula(text), place=(3 * turn) % len(DOMAINS))
        for turn, (name, text) in enumerate(formulas.items())
    ]
    return schema.with_derived(derived)


def draw_records(schema: Schema, rows: int, seed: int) -> Records:
    """Records of any values."""
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, size, rows) for size in schema.cardinalities])
    return within_cells(schema).records(codes.astype(np.uint16), 0)


def read_rows(records: Records) -> list[dict[str, str]]:
    """The rows of the file that records are written to, as texts."""
    text = to_csv_bytes(records).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    return [{name: _unescape(cell) for name, cell in row.items()} for row in rows]


def _unescape(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" else cell


# What each formula makes of the texts of a row, without the engine.


def number_of(row: Mapping[str, str], name: str) -> Decimal:
    text = row[name]
    if name == "euros":
        text = text.replace(".", "").replace(",", ".")
    return Decimal(text)


def day_of(row: Mapping[str, str], name: str) -> date:
    if name == "in":
        return datetime.strptime(row[name], "%d.%m.%Y").date()
    return date.fromisoformat(row[name][:10])


def minute_of(row: Mapping[str, str], name: str) -> int:
    if name in ("bed", "up"):
        hours, minutes = map(int, row[name].split(":"))
        return hours * 60 + minutes
    moment = datetime.fromisoformat(row[name])
    return moment.toordinal() * 1440 + moment.hour * 60 + moment.minute


def count_years(born: date, at: date) -> int:
    years = at.year - born.year
    return years - ((at.month, at.day) < (born.month, born.day))


Row = Mapping[str, str]
ORACLES: Mapping[str, Callable[[Row], object]] = {
    "fee + tax": lambda row: number_of(row, "fee") + number_of(row, "tax"),
    "- fee + euros - count": lambda row: (
        number_of(row, "euros") - number_of(row, "fee") - number_of(row, "count")
    ),
    "count - one": lambda row: number_of(row, "count") - number_of(row, "one"),
    "bands(fee, c(-1, 0.05, 7.25))": lambda row: (
        ("under -1", "-1 to under 0.05", "0.05 to under 7.25", "7.25 and over")[
            sum(number_of(row, "fee") >= cut for cut in map(Decimal, ("-1", "0.05", "7.25")))
        ]
    ),
    "bands(count, c(10, 25))": lambda row: (
        ("under 10", "10 to under 25", "25 and over")[
            (int(row["count"]) >= 10) + (int(row["count"]) >= 25)
        ]
    ),
    'bands(in, c("2001-01-01"), c("old", "new"))': lambda row: (
        "new" if day_of(row, "in") >= date(2001, 1, 1) else "old"
    ),
    'bands(bed, c("06:00", "22:30"))': lambda row: (
        ("under 06:00", "06:00 to under 22:30", "22:30 and over")[
            (minute_of(row, "bed") >= 360) + (minute_of(row, "bed") >= 1350)
        ]
    ),
    "age(born, in)": lambda row: count_years(day_of(row, "born"), day_of(row, "in")),
    "age(born, came)": lambda row: count_years(day_of(row, "born"), day_of(row, "came")),
    'age(born, "2003-02-28")': lambda row: count_years(day_of(row, "born"), date(2003, 2, 28)),
    "days(born, in)": lambda row: (day_of(row, "in") - day_of(row, "born")).days,
    "days(came, went)": lambda row: (day_of(row, "went") - day_of(row, "came")).days,
    "hours(came, went)": lambda row: (minute_of(row, "went") - minute_of(row, "came")) // 60,
    "minutes(came, went)": lambda row: minute_of(row, "went") - minute_of(row, "came"),
    "minutes(bed, up)": lambda row: minute_of(row, "up") - minute_of(row, "bed"),
    'hours(bed, up, "past midnight")': lambda row: (
        (minute_of(row, "up") - minute_of(row, "bed")) % 1440 // 60
    ),
    "year(in)": lambda row: day_of(row, "in").year,
    "quarter(came)": lambda row: (day_of(row, "came").month + 2) // 3,
    "month(born)": lambda row: day_of(row, "born").month,
    "weekday(in)": lambda row: day_of(row, "in").isoweekday(),
    'weekday(went, c("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"))': lambda row: (
        ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")[day_of(row, "went").weekday()]
    ),
    "day(born)": lambda row: day_of(row, "born").day,
    "hour(came)": lambda row: minute_of(row, "came") % 1440 // 60,
    "hour(up)": lambda row: minute_of(row, "up") // 60,
    "prefix(code, 2)": lambda row: row["code"][:2],
    "prefix(count, 1)": lambda row: row["count"][:1],
    'lookup(code, c("A01" = "flu", "A1" = "flu", "B" = "b,b", "C99" = "=c", "-x" = "none"))': (
        lambda row: (
            {"A01": "flu", "A1": "flu", "B": "b,b", "C99": "=c", "-x": "none"}[row["code"]]
        )
    ),
}  # fmt: skip


@st.composite
def formulas(draw: st.DrawFn) -> dict[str, str]:
    """Some formulas, each the column of a name."""
    chosen = draw(st.lists(st.sampled_from(sorted(ORACLES)), min_size=1, max_size=6, unique=True))
    return {f"derived {turn}": text for turn, text in enumerate(chosen)}


def inputs_of(text: str) -> Sequence[str]:
    """The columns that a formula names, found by their names in it."""
    return [name for name in DOMAINS if re.search(rf"(?<![\w\"]){name}(?![\w\"(])", text)]


def read_derived(text: str) -> object:
    """A text of a derived column, as a number where it is one."""
    try:
        return Decimal(text)
    except ArithmeticError:
        return text
