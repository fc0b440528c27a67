"""Dates: cells and texts are those of a slow count of days, and what is no date is told apart."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understudy
from tests.support import within_cells
from understudy.charts import histogram
from understudy.core.refusal import Refusal
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import read_codebook
from understudy.table.authoring.edits import with_kind, with_range
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.authoring.number_ranges import usual_buckets
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.buckets import ByCuts, ByWidth, assign
from understudy.table.categories import Categories
from understudy.table.column import Column, summarise_column
from understudy.table.dates import Dates, Period, spell_day
from understudy.table.encoding import decode, encode_public, outside
from understudy.table.fit import Outside
from understudy.table.grid import Grid
from understudy.table.records import as_arrow
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

OTHER = Column(name="other", domain=Categories(values=("a", "b")))
KEYS: dict[Period, Callable[[date], object]] = {
    "day": lambda day: day,
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
    "quarter": lambda day: (day.year, (day.month - 1) // 3),
    "year": lambda day: day.year,
}
"""What days of the same period have in common."""


@st.composite
def ranges(draw: st.DrawFn) -> tuple[date, date]:
    first = draw(st.dates(max_value=date(9990, 1, 1)))
    return first, first + timedelta(draw(st.integers(1, 1200)))


def days_of(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += timedelta(1)


def dates(first: date | str, last: date | str, step: Period = "day", **more: str) -> Dates:
    return Dates.read({"minimum": str(first), "maximum": str(last), "step": step, **more})


def schema_of(domain: Dates, *, missing: bool = False) -> Schema:
    return Schema(columns=(Column(name="it", domain=domain, missing=missing), OTHER))


def read_texts(domain: Dates, *texts: str, missing: bool = False) -> Outside:
    raw = read_table("\n".join(["it,other", *(f"{text},a" for text in texts), ""]).encode())
    return outside(raw, schema_of(domain, missing=missing).with_reading(raw.reading))[0]


@given(ranges(), st.sampled_from([*KEYS]))
def test_cells_are_the_periods_that_days_are_in(ends: tuple[date, date], step: Period) -> None:
    domain = dates(*ends, step)
    cells = [list(cell) for _, cell in groupby(days_of(*ends), KEYS[step])]
    assert domain.size == len(cells)
    assert domain.numbers == tuple(Decimal(cell[0].toordinal()) for cell in cells)
    lattice = domain.lattice
    assert lattice.held_by(np.arange(domain.size)).tolist() == [len(cell) for cell in cells]
    codes = [code for code, cell in enumerate(cells) for _ in cell]
    places = np.arange(lattice.count)
    assert lattice.cells_of(places).tolist() == codes
    assert domain.spell_places(range(lattice.count)) == [str(day) for day in days_of(*ends)]
    assert np.array_equal(lattice.places(lattice.numbers(places)), places)
    assert lattice.holds(lattice.numbers(places)).all()
    assert not lattice.holds(np.array([domain.edges[0] - 1, domain.edges[-1], 0.5])).any()


@given(ranges(), st.sampled_from(["week", "month", "quarter", "year"]))
def test_dates_of_a_coarser_precision_are_those_of_its_first_day(
    ends: tuple[date, date], precision: Period
) -> None:
    first, last = ends
    if first > date.min and KEYS[precision](first - timedelta(1)) == KEYS[precision](first):
        with pytest.raises(Refusal, match=f"not the first of a {precision}") as refusal:
            dates(first, last, precision, precision=precision)
        assert refusal.value.field == "minimum"
        return
    domain = dates(first, last, precision, precision=precision)
    firsts = {KEYS[precision](day): day for day in reversed(list(days_of(first, last)))}
    read = domain.reader((), (0, 0))
    for day in days_of(first, last):
        place, _ = read(str(day))
        assert domain.lattice.number(place) == firsts[KEYS[precision](day)].toordinal()


@given(ranges(), st.sampled_from([*KEYS]), st.data())
def test_ranges_of_cells_have_names_of_their_own(
    ends: tuple[date, date], step: Period, data: st.DataObject
) -> None:
    domain = dates(*ends, step)
    assert len(set(domain.texts)) == domain.size
    low = data.draw(st.integers(0, domain.size - 1))
    high = data.draw(st.integers(low, domain.size - 1))
    named = domain.between(low, high).split(" to ")
    first, last = spell_day(domain.numbers[low]), spell_day(int(domain.edges[high + 1]) - 1)
    assert first.startswith(named[0].split(" Q")[0])
    assert last.startswith(named[-1].split(" Q")[0])


def test_periods_that_are_whole_are_named() -> None:
    domain = dates("2019-01-01", "2021-06-30", "month")
    assert domain.texts[:2] == ("2019-01", "2019-02")
    assert domain.between(0, 11) == "2019"
    assert domain.between(0, 23) == "2019 to 2020"
    assert domain.between(0, 2) == "2019 Q1"
    assert domain.between(3, 8) == "2019 Q2 to 2019 Q3"
    assert domain.between(1, 3) == "2019-02 to 2019-04"
    assert dates("2019-01-03", "2019-02-10", "month").texts[0] == "2019-01-03 to 2019-01-31"


@given(ranges(), st.sampled_from([*KEYS]))
def test_suggested_buckets_cut_at_the_calendar(ends: tuple[date, date], step: Period) -> None:
    domain = dates(*ends, step)
    buckets = usual_buckets(domain)
    found = assign(domain, buckets)
    assert len(found.labels) <= max(24, 20)
    if isinstance(buckets, ByCuts) and step in ("day", "month"):
        assert all(spell_day(cut).endswith("-01") for cut in buckets.cuts)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2020-01-31", Outside("it")),
        (" 2020-01-31 ", Outside("it")),
        ("2020-01-31 00:00:00", Outside("it")),
        ("2019-12-31", Outside("it", too_low=1)),
        ("2021-01-01", Outside("it", too_high=1)),
        *((text, Outside("it", not_of_kind=1)) for text in (
            "31.01.2020", "2020-02-30", "2020-1-31", "2020-01-31 13:45", "20200131", "2020-01",
            "2020", "737455", "yesterday", "٢٠٢٠-٠١-٣١", "2020-01-31T00:00:00-05:00", "12020-01-01",
        )),
    ],
)  # fmt: skip
def test_a_text_is_a_date_or_is_told_apart(text: str, found: Outside) -> None:
    assert read_texts(dates("2020-01-01", "2020-12-31"), text) == found


def test_a_refusal_says_how_many_and_quotes_none() -> None:
    raw = read_table(b"it,other\n1999-07-07,a\n2031-07-07,a\nnever,a\n")
    schema = schema_of(dates("2020-01-01", "2020-12-31"))
    with pytest.raises(Refusal) as refusal:
        encode_public(raw, schema)
    said = str(refusal.value)
    assert "1 before its first day, 1 after its last day, 1 not dates" in said
    assert "clip the dates to its bounds" in said
    assert not any(text in said for text in ("1999", "2031", "never"))
    clipped = read_table(b"it,other\n1999-07-07,a\n2031-07-07,a\n")
    texts = decode(encode_public(clipped, schema, {"it": "clip"})).column("it").to_pylist()
    assert texts == ["2020-01-01", "2020-12-31"]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"minimum": "2020-02-30"}, "minimum"),
        ({"maximum": "soon"}, "maximum"),
        ({"minimum": True}, "minimum"),
        ({"maximum": 10**9}, "maximum"),
        ({"maximum": "2020-01-01"}, "minimum"),
        ({"step": "fortnight"}, "step"),
        ({"precision": "month", "step": "week"}, "precision"),
        ({"precision": "week", "step": "month"}, "precision"),
        ({"minimum": "2020-01-02", "precision": "month", "step": "month"}, "minimum"),
        ({"minimum": "0001-01-01", "maximum": "9999-12-31"}, "step"),
    ],
)
def test_what_makes_no_dates_is_refused(settings: dict[str, object], field: str) -> None:
    with pytest.raises(Refusal) as refusal:
        Dates.read({"minimum": "2020-01-01", "maximum": "2020-12-31", "step": "day", **settings})
    assert refusal.value.field == field
    assert refusal.value.remedy


def test_all_of_the_calendar_can_be_held() -> None:
    domain = dates(date.min, date.max, "year")
    assert domain.size == 9999
    assert (domain.texts[0], domain.texts[-1]) == ("0001", "9999")
    assert domain.axis_values(domain.edges)[-1] == "9999-12-31T00:00:00"


def test_a_file_says_dates_as_dates() -> None:
    column = Column(name="it", domain=dates("2020-01-01", "2024-12-31", "month"))
    schema = Schema(columns=(column.with_buckets(usual_buckets(column.domain)), OTHER))
    field = json.loads(schema.to_json())["fields"][0]
    assert (field["type"], field["constraints"]["minimum"]) == ("date", "2020-01-01")
    assert field["understudy"]["step"] == "month"
    assert field["understudy"]["buckets"]["cuts"][0] == "2020-04-01"
    assert Schema.from_json(schema.to_json()) == schema
    field["understudy"]["buckets"]["cuts"][0] = 737516
    with pytest.raises(Refusal, match="cut point is not a date"):
        Schema.from_json(json.dumps({"fields": [field]}))


@pytest.mark.parametrize(
    "field",
    [
        {"type": "date", "format": "%j days"},
        {"type": "date", "constraints": {"minimum": "2020", "maximum": "2021"}},
        {"type": "date", "constraints": {"minimum": 1, "maximum": "2021-01-01"}},
    ],
)
def test_a_field_of_other_dates_is_refused(field: dict[str, object]) -> None:
    bounds = {"constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}
    with pytest.raises(Refusal) as refusal:
        Schema.from_json(json.dumps({"fields": [{"name": "it", **bounds, **field}]}))
    assert refusal.value.field == "it"


def test_typed_files_are_read_and_written_as_dates() -> None:
    days = [date(1582, 10, 4), None, date(2263, 1, 1), date(2020, 2, 29)]
    table = pa.table({"it": pa.array(days, pa.date32()), "other": ["a"] * 4})
    data = io.BytesIO()
    pq.write_table(table, data)
    raw = read_table(data.getvalue(), name="t.parquet")
    domain = dates("1500-01-01", "2300-12-31", "year")
    records = encode_public(raw, schema_of(domain, missing=True))
    released = as_arrow(records)
    assert released.column("it").type == pa.date32()
    assert released.column("it").to_pylist() == days


def test_released_dates_lie_evenly_in_their_cells() -> None:
    schema = schema_of(dates("2020-01-01", "2021-12-31", "month"))
    codes = np.full((31_000, 2), 0, dtype=np.uint16)
    codes[:, 0] = 1
    records = within_cells(schema).records(codes, 0)
    assert records.numbers is not None
    found = np.unique(records.numbers, return_counts=True)
    assert [spell_day(day) for day in found[0][[0, -1]]] == ["2020-02-01", "2020-02-29"]
    assert np.abs(found[1] - 31_000 / 29).max() < 200


def test_many_dates_are_suggested_and_few_are_listed() -> None:
    days = [date(1941, 3, 9) + timedelta(11 * place) for place in range(2600)]
    rows = [f"{day},{place % 2},{days[place % 9]}" for place, day in enumerate(days)]
    raw = read_table("\n".join(["born,other,wave", *rows, ""]).encode())
    suggestion = suggest_schema(raw)
    born = suggestion.schema.column("born").domain
    assert born == dates("1941-01-01", "2019-12-31", "month")
    column = suggestion.schema.column("born")
    assert [column.level_size(level) for level in range(3)] == [948, 79, 8]
    assert [column.name_level(level) for level in range(3)] == [
        "cells of 1 month", "years", "decades",
    ]  # fmt: skip
    assert "bounds come from" in " ".join(suggestion.notes["born"])
    assert suggestion.schema.column("wave").domain.kind == "categories"
    named = read_table("\n".join(["key,other,wave", *rows, ""]).encode())
    assert not suggest_first_schema(named).left_out


def test_words_among_dates_stand_for_missing_if_there_is_one_or_they_say_so() -> None:
    days = [date(2000, 3, 9) + timedelta(11 * place) for place in range(60)]
    for words, kind in (
        (["soon"], "dates"),
        (["refused", "unknown"], "dates"),
        (["later", "soon"], "categories"),
    ):
        rows = [f"{text},{place % 2}" for place, text in enumerate([*days, *words])]
        suggestion = suggest_schema(read_table("\n".join(["it,other", *rows, ""]).encode()))
        column = suggestion.schema.column("it")
        assert (column.domain.kind, column.missing) == (kind, kind == "dates")
        if kind == "dates":
            assert [code.values for code in column.missing_codes] == [(word,) for word in words]
            only = "The only text among dates" in " ".join(suggestion.notes["it"])
            assert only is (len(words) == 1)


def test_kinds_go_over_into_dates_and_back_if_they_can() -> None:
    listed = Column(name="x", domain=Categories(values=("2020-01-05", "2021-03-01")))
    made = with_kind(listed, "dates")
    assert made.domain == dates("2020-01-05", "2021-03-01", "month")
    for kind in ("integers", "numbers", "continuous", "categories"):
        with pytest.raises(Refusal) as refusal:
            with_kind(made, kind)
        assert refusal.value.field == "kind"
    years = Column(name="x", domain=Grid(minimum=Decimal(1990), maximum=Decimal(2020)))
    with pytest.raises(Refusal, match="numbers, which are no dates"):
        with_kind(years, "dates")
    words = Column(name="x", domain=Categories(values=("2020-01-05", "soon")))
    with pytest.raises(Refusal, match="1 of its 2 categories are not dates"):
        with_kind(words, "dates")
    changed = with_range(made, maximum="2022-12-31", step="year").domain
    assert changed == dates("2020-01-05", "2022-12-31", "year")
    with pytest.raises(Refusal, match="dates has no unit"):
        with_range(made, unit="days")


def test_a_width_of_days_fits_only_between_cells() -> None:
    weeks = dates("2020-01-06", "2020-12-27", "week")
    assert len(assign(weeks, ByWidth(width=Decimal(28))).labels) == 13
    with pytest.raises(Refusal):
        assign(weeks, ByWidth(width=Decimal(30)))
    months = dates("2020-01-01", "2020-12-31", "month")
    assert len(assign(months, ByWidth(width=months.span)).labels) == 1
    assert all(one < other for one, other in pairwise(months.edges))


def test_codebooks_describe_dates_by_their_settings() -> None:
    schema = schema_of(dates("2020-01-01", "2020-12-31", "month"))
    text = b"name,type,minimum,maximum,step\nit,date,2010-01-01,2020-12-31,quarter\n"
    found = merge_codebook(schema, read_codebook(text, "c.csv"))
    assert found.schema.column("it").domain == dates("2010-01-01", "2020-12-31", "quarter")
    later = merge_codebook(schema, read_codebook(b"name,maximum\nit,2021-12-31\n", "c.csv"))
    assert later.schema.column("it").domain == dates("2020-01-01", "2021-12-31", "month")
    with pytest.raises(Refusal, match="Row 2 of the codebook: its minimum is not a date"):
        read_codebook(b"name,type,minimum\nit,date,12\n", "c.csv")
    unfit = merge_codebook(schema, read_codebook(b"name,maximum\nit,12\n", "c.csv")).unfit
    assert "not a date" in unfit["it"]
    bare = merge_codebook(schema, read_codebook(b"name,type\nother,date\n", "c.csv")).unfit
    assert "between which values" in bare["other"]


def test_axes_of_charts_are_of_days() -> None:
    column = Column(name="it", domain=dates("2000-01-01", "2009-12-31", "month"))
    chart = histogram.values(column, np.arange(120)).to_dict()
    assert chart["encoding"]["x"]["type"] == "temporal"
    assert chart["encoding"]["x"]["scale"]["domain"] == [
        "2000-01-01T00:00:00", "2010-01-01T00:00:00",
    ]  # fmt: skip
    assert summarise_column(column)[2] == "2000-01-01 to 2009-12-31 by 1 month, to the day"


def test_only_the_list_of_kinds_names_this_kind() -> None:
    root = Path(understudy.__file__).parents[2]
    naming = [
        path.name
        for folder in ("engine", "dashboard")
        for path in (root / folder).rglob("*.py")
        if re.search(r"class Dates\b|table\.dates\b", path.read_text("utf-8"))
    ]
    assert sorted(naming) == ["dates.py", "kinds.py", "times.py"]
