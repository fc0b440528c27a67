"""Days and times in text files: what each spelling makes of each text, and the way back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.formats import write
from tests.engine.table.kind_examples import OTHER, csv_of
from understudy.core.refusal import Refusal
from understudy.report.dictionary import columns_csv, describe_column
from understudy.table.authoring.attention import needs_attention
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.suggestion import respell, suggest_schema
from understudy.table.buckets import EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.date_spellings import MINUTES, Moment, Pattern, Spelling
from understudy.table.dates import Dates
from understudy.table.domain import Domain, range_of
from understudy.table.encoding import decode, encode, encode_public, outside, to_csv_bytes
from understudy.table.missing_codes import unlabelled
from understudy.table.records import as_arrow
from understudy.table.schema import Schema
from understudy.table.sources.arrow_texts import texts_of
from understudy.table.sources.reading import read_table
from understudy.table.times import DatesTimes, Times

DAYS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "": (
        ("2020-03-04", "2020-03-04"), ("2020-03-04 00:00:00", "2020-03-04"),
        ("04/03/2020", None), ("20200304", None), ("2020-3-4", None), ("2020-02-30", None),
    ),
    "DD/MM/YYYY": (
        ("03/04/2020", "2020-04-03"), ("3/4/2020", "2020-04-03"), ("31/12/1999", "1999-12-31"),
        ("12/31/1999", None), ("03-04-2020", None), ("03/04/20", None), ("29/02/2019", None),
        ("2020-04-03", "2020-04-03"), (" 03/04/2020 ", "2020-04-03"), ("٠3/04/2020", None),
        ("03/04/2020 10:00", None), ("soon", None), ("", None),
    ),
    "MM/DD/YYYY": (
        ("03/04/2020", "2020-03-04"), ("12/31/1999", "1999-12-31"), ("31/12/1999", None),
        ("2/29/2020", "2020-02-29"), ("2/29/2100", None), ("1999-12-31", "1999-12-31"),
    ),
    "DD/MM/YYYY or MM/DD/YYYY": (
        ("03/04/2020", None), ("13/04/2020", "2020-04-13"), ("04/13/2020", "2020-04-13"),
        ("04/04/2020", "2020-04-04"), ("2020-04-03", "2020-04-03"),
    ),
    "D/M/YYYY": (("3/4/2020", "2020-04-03"), ("13/11/2020", "2020-11-13")),
    "DD.MM.YYYY": (
        ("03.04.2020", "2020-04-03"), ("3.4.2020", "2020-04-03"), ("31.12.1999", "1999-12-31"),
        ("03/04/2020", None), ("32.01.2020", None), ("01.13.2020", None),
    ),
    "DD-MM-YYYY": (("03-04-2020", "2020-04-03"), ("2020-04-03", "2020-04-03")),
    "YYYY/MM/DD": (("2020/04/03", "2020-04-03"), ("2020/13/03", None)),
    "YYYYMMDD": (
        ("20200403", "2020-04-03"), ("19630807", "1963-08-07"), ("00010101", "0001-01-01"),
        ("2020403", None), ("20201301", None), ("20200230", None), ("20200403.0", None),
        ("99991231", "9999-12-31"),
    ),
    "DDMMYYYY": (("03042020", "2020-04-03"), ("20200403", None)),
    "DD.MM.YY from 1930": (
        ("03.04.29", "2029-04-03"), ("03.04.30", "1930-04-03"), ("03.04.99", "1999-04-03"),
        ("03.04.00", "2000-04-03"), ("29.02.00", "2000-02-29"), ("03.04.2020", None),
        ("3.4.30", "1930-04-03"),
    ),
    "DD/MM/YY from 2000": (("01/02/99", "2099-02-01"), ("01/02/00", "2000-02-01")),
    "DD/MM/YY from 1900": (("01/02/99", "1999-02-01"), ("01/02/00", "1900-02-01")),
    "DD/MM/YY": (("01/02/99", None), ("1999-02-01", "1999-02-01")),
    "YYMMDD from 1950": (("490101", "2049-01-01"), ("500101", "1950-01-01"), ("49011", None)),
    "DDMONYYYY": (
        ("01JAN1960", "1960-01-01"), ("31DEC1959", "1959-12-31"), ("29feb2000", "2000-02-29"),
        ("1SEP1960", "1960-09-01"), ("01SEPT1960", "1960-09-01"), ("01September1960", "1960-09-01"),
        ("01XYZ1960", None), ("30FEB2000", None),
    ),
    "DD-Mon-YYYY": (("01-Jan-1960", "1960-01-01"), ("1-MAY-1960", "1960-05-01")),
    "DD Mon YY from 1970": (("01 Jan 69", "2069-01-01"), ("01 Jan 70", "1970-01-01")),
    "Month D, YYYY": (
        ("March 4, 2020", "2020-03-04"), ("Mar 4, 2020", "2020-03-04"), ("Mar 34, 2020", None),
    ),
    "D Month YYYY": (("4 March 2020", "2020-03-04"), ("4  march 2020", "2020-03-04")),
    "DD.MM.YYYY hh:mm": (("04.03.2020 00:00", "2020-03-04"), ("04.03.2020 00:01", None)),
}  # fmt: skip
MONTHS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "YYYY-MM": (("2020-03", "2020-03-01"), ("2020-13", None), ("2020-03-09", "2020-03-01")),
    "MM/YYYY": (("03/2020", "2020-03-01"), ("3/2020", "2020-03-01"), ("00/2020", None)),
    "Mon YYYY": (("Mar 2020", "2020-03-01"), ("MÄR 2020", None)),
    "YYYYQq": (("2020Q2", "2020-04-01"), ("2020Q5", None), ("2020q2", None)),
}
MOMENTS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "": (
        ("2020-03-04 13:45", "2020-03-04 13:45"), ("2020-03-04T13:45:59", "2020-03-04 13:45"),
        ("2020-03-04", "2020-03-04 00:00"), ("2020-03-04 24:00", None),
        ("2020-03-04 13:45:00.5", "2020-03-04 13:45"), ("2020-03-04T13:45:00Z", "2020-03-04 13:45"),
        ("2020-03-04 13:45+02:00", "2020-03-04 11:45"), ("2020-03-04 13:60", None),
        ("2020-03-04 00:15+0230", "2020-03-03 21:45"), ("2020-03-04 13", None),
    ),
    "DD.MM.YYYY hh:mm": (
        ("04.03.2020 13:45", "2020-03-04 13:45"), ("4.3.2020 9:05", "2020-03-04 09:05"),
        ("04.03.2020", None), ("04.03.2020 25:00", None), ("2020-03-04 13:45", "2020-03-04 13:45"),
    ),
    "MM/DD/YYYY h:mm AM": (
        ("03/04/2020 1:45 PM", "2020-03-04 13:45"), ("03/04/2020 12:05 AM", "2020-03-04 00:05"),
        ("03/04/2020 12:05 pm", "2020-03-04 12:05"), ("03/04/2020 13:05 PM", None),
        ("03/04/2020 0:05 AM", None), ("03/04/2020 1:45PM", "2020-03-04 13:45"),
        ("03/04/2020 1:45 p.m.", "2020-03-04 13:45"),
    ),
    "DD/MM/YYYY hh:mm or MM/DD/YYYY hh:mm": (
        ("03/04/2020 10:00", None), ("13/04/2020 10:00", "2020-04-13 10:00"),
    ),
    "DDMONYYYY:hh:mm:ss": (
        ("01JAN1960:13:45:10", "1960-01-01 13:45"), ("01JAN1960:13:45", "1960-01-01 13:45"),
    ),
    "YYYY-MM-DDThh:mm:ssZ": (
        ("1960-01-01T13:45:00Z", "1960-01-01 13:45"),
        ("1960-01-01T13:45:00-05:00", "1960-01-01 18:45"),
        ("1960-01-01T13:45:00-0500", "1960-01-01 18:45"),
    ),
    "YYYYMMDDhhmm": (("202003041345", "2020-03-04 13:45"), ("202003042445", None)),
}  # fmt: skip
TIMES: dict[str, tuple[tuple[str, str | None], ...]] = {
    "": (
        ("00:00", "00:00"), ("23:59", "23:59"), ("13:45:00", "13:45"), ("13:45:59", "13:45"),
        ("13:45:00.25", "13:45"), ("24:00", None), ("7:45", None), ("1345", None), ("13:60", None),
        ("-01:00", None), ("1 day", None),
    ),
    "h:mm": (("7:45", "07:45"), ("07:45", "07:45"), ("27:45", None)),
    "hhmm": (("0745", "07:45"), ("745", None), ("2460", None)),
    "h:mm AM": (
        ("7:45 AM", "07:45"), ("12:00 AM", "00:00"), ("12:00 PM", "12:00"), ("7:45", None),
        ("7:45pm", "19:45"), ("17:45 PM", None),
    ),
    "hh.mm": (("07.45", "07:45"), ("07:45", "07:45"), ("7.4", None)),
}  # fmt: skip


def dates(spelling: str) -> Dates:
    if spelling[-4:].isdigit():
        first = int(spelling[-4:])
        ends = {"minimum": f"{first}-01-01", "maximum": f"{first + 99}-12-31"}
        return Dates.read({**ends, "step": "year", "spelling": spelling})
    return Dates(minimum="0001-01-01", maximum="9999-12-31", step="year", spelling=spelling)


def months(spelling: str) -> Dates:
    ends = {"minimum": "1900-01-01", "maximum": "2099-12-31"}
    precision = "quarter" if "q" in spelling else "month"
    return Dates.read({**ends, "step": "year", "precision": precision, "spelling": spelling})


def moments(spelling: str) -> DatesTimes:
    return DatesTimes(minimum="1900-01-01", maximum="2099-12-31", step="year", spelling=spelling)


def times(spelling: str) -> Times:
    return Times(spelling=spelling)


CASES: list[tuple[Domain, tuple[tuple[str, str | None], ...]]] = [
    (kind(spelling), rows)
    for kind, table in ((dates, DAYS), (months, MONTHS), (moments, MOMENTS), (times, TIMES))
    for spelling, rows in table.items()
]


def read(domain: Domain, texts: Sequence[str]) -> list[str | None]:
    """What a file with these texts comes to, by a column that may be missing."""
    column = Column(name="it", domain=domain, missing=True, missing_codes=unlabelled(("nothing",)))
    schema = Schema(columns=(column, OTHER))
    raw = read_table(csv_of(tuple(texts)), name="t.csv")
    records = encode_public(raw, schema, {"it": "missing"})
    assert records.numbers is not None
    ranged = range_of(domain)
    held = (None if number != number else number for number in records.numbers[:, 0].tolist())
    return [None if number is None else ranged.spell(Decimal(number)) for number in held]


@pytest.mark.parametrize(
    ("domain", "rows"), CASES, ids=lambda each: getattr(each, "spelling", "") or "usual"
)
def test_a_text_is_what_the_spelling_says(
    domain: Domain, rows: tuple[tuple[str, str | None], ...]
) -> None:
    assert read(domain, [text for text, _ in rows]) == [right for _, right in rows]


def test_there_are_many_spellings() -> None:
    assert len(CASES) >= 35
    assert sum(len(rows) for _, rows in CASES) >= 130


SURE = [domain for domain, _ in CASES if not domain.question]


@given(st.sampled_from(SURE), st.data())
def test_what_is_written_is_read_again(domain: Domain, data: st.DataObject) -> None:
    ranged = range_of(domain)
    place = data.draw(st.integers(0, ranged.lattice.count - 1))
    (text,) = ranged.spell_places([place])
    assert ranged.value_of(text) == ranged.lattice.number(place)
    assert len(text.encode()) <= domain.most_bytes


@given(st.text(max_size=24), st.sampled_from([domain for domain, _ in CASES]))
def test_any_text_is_read_or_told_apart(text: str, domain: Domain) -> None:
    place, verdict = domain.reader((), (0, 0))(text)
    assert (place < 0) is (range_of(domain).value_of(text) is None)
    assert verdict >= 0


def test_a_file_is_written_in_the_spelling_it_was_read_in() -> None:
    for domain, rows in CASES:
        if domain.question:
            continue
        texts = [text for text, right in rows if right is not None]
        schema = Schema(columns=(Column(name="it", domain=domain), OTHER))
        records = encode_public(read_table(csv_of(tuple(texts)), name="t.csv"), schema)
        released = to_csv_bytes(records)
        again = encode_public(read_table(released, name="t.csv"), schema)
        assert again.numbers is not None
        assert records.numbers is not None
        assert (again.numbers == records.numbers).all()
        written = decode(records).column("it").to_pylist()
        assert [row["it"] for row in csv.DictReader(io.StringIO(released.decode()))] == written
        spelling = domain.setting_texts()["spelling"]
        if spelling:
            assert all(Spelling.of(spelling).read(text) is not None for text in written)


@pytest.mark.parametrize(
    ("texts", "kind", "spelling"),
    [
        (("13/04/2020", "01/12/1999"), "dates", "DD/MM/YYYY"),
        (("04/13/2020", "1/2/1999"), "dates", "M/D/YYYY"),
        (("04/03/2020", "01/12/1999"), "dates", "DD/MM/YYYY or MM/DD/YYYY"),
        (("04.03.2020", "01.12.1999"), "dates", "DD.MM.YYYY"),
        (("04.03.20", "01.12.99"), "dates", "DD.MM.YY"),
        (("04/13/20", "01/12/99"), "dates", "MM/DD/YY"),
        (("19630807", "20200101"), "dates", "YYYYMMDD"),
        (("01JAN1960", "31DEC1999"), "dates", "DDMONYYYY"),
        (("1-jan-1960", "31-dec-1999"), "dates", "D-mon-YYYY"),
        (("4 March 2020", "14 May 2020"), "dates", "D Month YYYY"),
        (("2020-03", "1999-12"), "dates", "YYYY-MM"),
        (("2020Q1", "1999Q4"), "dates", "YYYYQq"),
        (("2020/03/04", "1999/12/31"), "dates", "YYYY/MM/DD"),
        (("2020-03-04", "1999-12-31"), "dates", ""),
        (("2020-03-04 00:00:00", "1999-12-31"), "dates", ""),
        (("04.03.2020 00:00", "01.12.1999 00:00"), "dates", "DD.MM.YYYY hh:mm"),
        (("04.03.2020 10:30", "01.12.1999 00:00"), "moments", "DD.MM.YYYY hh:mm"),
        (("04/13/2020 1:30 PM", "1/2/1999 12:00 AM"), "moments", "M/D/YYYY h:mm AM"),
        (("2020-03-04 10:30", "1999-12-31 00:00"), "moments", ""),
        (("2020-03-04 10:30:05", "1999-12-31"), "moments", "YYYY-MM-DD hh:mm:ss"),
        (("2020-03-04T10:30:05Z", "1999-12-31T00:00:00Z"), "moments", "YYYY-MM-DDThh:mm:ssZ"),
        (
            ("01/02/2020 10:30", "03/04/1999 11:00"),
            "moments",
            "DD/MM/YYYY hh:mm or MM/DD/YYYY hh:mm",
        ),
        (("10:30", "23:59"), "times", ""),
        (("10:30:15", "23:59:00"), "times", "hh:mm:ss"),
        (("1:30 PM", "12:59 AM"), "times", "h:mm AM"),
        (("10:30", "24:00"), "categories", None),
        (("10000101", "20200101"), "categories", None),
        (("20200101", "20201301"), "categories", None),
        (("1.5", "2.25"), "numbers", ""),
        (("04/03/2020", "soon", "later"), "categories", None),
        (("31/12/1999", "12/31/1999"), "categories", None),
    ],
)
def test_a_spelling_is_suggested_or_asked_about(
    texts: tuple[str, ...], kind: str, spelling: str | None
) -> None:
    for order in (texts, texts[::-1]):
        raw = read_table(csv_of(order), name="t.csv")
        suggestion = suggest_schema(raw)
        column = suggestion.schema.column("it")
        assert column.domain.kind == kind
        assert column.domain.setting_texts().get("spelling") == spelling
        asked = " or " in (spelling or "") or (
            "YY" in (spelling or "") and "YYYY" not in (spelling or "")
        )
        assert bool(column.domain.question) is asked
        if not asked:
            assert outside(raw, suggestion.schema)[0].total == 0
            continue
        assert column.domain.question in suggestion.notes["it"]
        assert needs_attention(raw, suggestion.schema, ())["it"][0] == "spelling"
        with pytest.raises(Refusal, match="Column “it”: ") as refusal:
            suggestion.schema.declare_public("a test")
        assert refusal.value.field == "it"
        for choice in column.domain.choices:
            said = respell(column, raw, choice)
            assert not said.domain.question
            assert suggestion.schema.replace(said).declare_public("a test").declared


def test_values_that_occur_again_and_again_are_listed() -> None:
    waves = suggest_schema(read_table(csv_of(("01.04.2020", "01.10.2020"), rows=20), name="t.csv"))
    assert waves.schema.column("it").domain.kind == "categories"
    unsure = suggest_schema(read_table(csv_of(("01/04/2020", "01/10/2020"), rows=20), name="t.csv"))
    assert unsure.schema.column("it").domain.question


def test_files_say_how_dates_are_written() -> None:
    domain = Dates(minimum="2020-01-01", maximum="2020-12-31", spelling="DD/MM/YYYY")
    schema = Schema(columns=(Column(name="it", domain=domain), OTHER))
    assert '"format": "%d/%m/%Y"' in schema.to_json()
    assert Schema.from_json(schema.to_json()) == schema
    foreign = '{"fields": [{"name": "it", "type": "date", "format": "%d/%m/%Y", "constraints": '
    foreign += '{"required": true, "minimum": "2020-01-01", "maximum": "2020-12-31"}}, '
    foreign += '{"name": "other", "categories": ["a", "b"]}]}'
    assert Schema.from_json(foreign).column("it").domain == domain
    assert describe_column(schema.columns[0], "v").domain.count("written as DD/MM/YYYY") == 1
    assert columns_csv(schema, "v").splitlines()[0].endswith(",written as")
    again = merge_codebook(schema, read_codebook(csv_codebook(schema).encode(), "c.csv"))
    assert again.schema.column("it").domain == domain
    plain = schema.replace(Column(name="it", domain=domain.model_copy(update={"spelling": ""})))
    assert plain.fingerprint != schema.fingerprint


def test_what_is_no_spelling_is_refused() -> None:
    for spelling in ("DD/MM", "YYYY", "DD/DD/YYYY", "tomorrow", "YYYY-DD", "hh", "DD MM YYYY hh",
                     "DD/MM/YYYY or YYYY-MM", "YYYYMMDD or hh:mm", "x" * 300, "%d", "mm", " ",
                     "YYYY-MM-DD hh:mm:mm", "DD/MM/YYYY or "):  # fmt: skip
        with pytest.raises(Refusal) as refusal:
            Spelling.of(spelling)
        assert refusal.value.field == "spelling"
    with pytest.raises(Refusal, match="reach to 2029") as refusal:
        Dates(
            minimum="1999-01-01", maximum="2030-12-31", step="year", spelling="DD.MM.YY from 1930"
        )
    assert refusal.value.field == "minimum"
    for kind, spelling in ((dates, "hh:mm"), (dates, "YYYY-MM"), (moments, "DD/MM/YYYY"),
                           (times, "DD/MM/YYYY hh:mm")):  # fmt: skip
        with pytest.raises(Refusal):
            kind(spelling)


@given(st.dates(date(1950, 1, 1), date(2049, 12, 31)), st.integers(0, MINUTES - 1))
def test_a_clock_of_a_zone_is_the_one_that_is_read(day: date, minute: int) -> None:
    # An oracle by hand: New York has no offset from itself, India is ahead by half hours always.
    domain = DatesTimes(
        minimum="1900-01-01",
        maximum="2099-12-31",
        step="year",
        spelling="YYYY-MM-DDThh:mmZ",
        zone="Asia/Kolkata",
    )
    at = day.toordinal() * MINUTES + minute
    text = f"{day}T{minute // 60:02}:{minute % 60:02}Z"
    assert domain.value_of(text) == at + 330
    (written,) = domain.spell_places([at - int(domain.minimum)])
    assert written == f"{day}T{minute // 60:02}:{minute % 60:02}+05:30"
    assert domain.value_of(written) == at
    naive = f"{day} {minute // 60:02}:{minute % 60:02}"
    assert domain.value_of(naive) == at


def test_a_spelling_with_offsets_is_read_on_the_clock_of_the_zone() -> None:
    spelling, zone = "DD.MM.YYYY hh:mmZ", "Asia/Kolkata"
    here = DatesTimes(minimum="2020-01-01", maximum="2020-12-31", spelling=spelling, zone=zone)
    assert here.value_of("04.03.2020 10:00Z") == here.value_of("2020-03-04 15:30")


def test_seconds_that_are_left_out_are_counted_as_rounded() -> None:
    raw = read_table(csv_of(("2020-03-04 13:45:30", "2020-03-04 14:00:00")), name="t.csv")
    domain = DatesTimes(minimum="2020-01-01", maximum="2020-12-31")
    schema = Schema(columns=(Column(name="it", domain=domain), OTHER))
    assert outside(raw, schema.with_reading(raw.reading))[0].rounded == 1


def test_what_stands_for_missing_is_no_end_of_a_range_that_is_spelt_anew() -> None:
    raw = read_table(csv_of(("01/04/2020", "03/06/2021", "09/09/1909")), name="t.csv")
    column = suggest_schema(raw).schema.column("it")
    narrow = Dates(minimum="2020-01-01", maximum="2021-12-31", spelling=column.domain.choices[0])
    coded = column.changed(
        domain=narrow, missing=True, missing_codes=unlabelled(["09/09/1909"]), buckets=EachValue()
    )
    again = respell(coded, raw, column.domain.choices[1]).domain
    assert again.setting_texts()["minimum"] >= "2020"


def test_years_of_two_digits_are_those_of_the_hundred_from_the_first() -> None:
    for first in (1900, 1930, 1999, 2000, 1801):
        pattern = Pattern.parse_pattern(f"DDMMYY from {first}")
        years = [
            date.fromordinal(found.day).year
            for number in range(100)
            if (found := pattern.read(f"0101{number:02}"))
        ]
        assert sorted(years) == list(range(first, first + 100))


def test_days_with_times_are_rounded_down_and_counted() -> None:
    domain = DatesTimes(minimum="2020-01-01", maximum="2020-12-31", precision="hour")
    raw = read_table(csv_of(("2020-03-04 13:45", "2020-03-04 14:00")), name="t.csv")
    schema = Schema(columns=(Column(name="it", domain=domain), OTHER))
    assert outside(raw, schema.with_reading(raw.reading))[0].rounded == 1
    assert decode(encode_public(raw, schema)).column("it").to_pylist() == [
        "2020-03-04 13:00",
        "2020-03-04 14:00",
    ]


def test_cells_of_minutes_are_those_of_a_slow_count() -> None:
    for step in ("5 minutes", "hour", "6 hours", "day", "week", "month"):
        domain = DatesTimes.read(
            {"minimum": "2020-02-27 05:15", "maximum": "2020-03-09 17:20", "step": step}
        )
        first, last = int(domain.minimum), int(domain.maximum)
        keys: list[object] = []
        for number in range(first, last + 1):
            day = date.fromordinal(number // MINUTES)
            minute = number % MINUTES
            keys.append(
                {
                    "5 minutes": number // 5, "hour": number // 60, "6 hours": (day, minute // 360),
                    "day": day, "week": day - timedelta(day.weekday()),
                    "month": (day.year, day.month),
                }[step]
            )  # fmt: skip
        cells = domain.lattice.cells_of(domain.lattice.places(np.arange(first, last + 1)))
        order = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        assert len(order) == domain.size
        assert cells.tolist() == [order[key] for key in keys]


def test_too_many_cells_are_refused_before_they_are_made() -> None:
    with pytest.raises(Refusal) as refusal:
        DatesTimes(minimum="0001-01-01", maximum="9999-12-31", step="minute")
    assert refusal.value.field == "step"


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx", "dta", "sav", "xpt"])
def test_dates_and_times_of_every_kind_of_file_are_told_by_their_formats(
    kind: str, tmp_path: Path
) -> None:
    days = [date(1950, 1, 5) + timedelta(97 * place) for place in range(60)]
    moments = [datetime(2020, 1, 1, 8, 30) + timedelta(minutes=1237 * place) for place in range(60)]
    clocks = [time(7 * place % 24, 13 * place % 60) for place in range(60)]
    frame = pd.DataFrame({"born": days, "seen": moments, "at": clocks, "ward": ["a", "b"] * 30})
    raw = read_table(write(kind, frame, tmp_path / f"t.{kind}"))
    schema = suggest_schema(raw).schema
    assert [column.domain.kind for column in schema.columns] == [
        "dates", "moments", "times", "categories",
    ]  # fmt: skip
    records = encode(raw, schema)
    typed = as_arrow(records)
    assert [str(column.type) for column in typed.columns[:3]] == [
        "date32[day]", "timestamp[ms]", "time32[ms]",
    ]  # fmt: skip
    assert typed.column("born").to_pylist() == days
    assert typed.column("seen").to_pylist() == moments
    assert typed.column("at").to_pylist() == clocks
    texts = decode(records)
    assert texts.column("seen").to_pylist() == [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in moments]
    assert texts.column("at").to_pylist() == [f"{clock:%H:%M:%S}" for clock in clocks]


def test_points_in_time_with_a_zone_are_read_in_it() -> None:
    moments = [datetime(2020, 1, 1, 8, 30, tzinfo=UTC) + timedelta(hours=7 * k) for k in range(30)]
    table = pa.table(
        {"it": pa.array(moments, pa.timestamp("ms", "Asia/Tokyo")), "ward": ["a"] * 30}
    )
    data = io.BytesIO()
    pq.write_table(table, data)
    raw = read_table(data.getvalue(), name="t.parquet")
    assert any("time zone Asia/Tokyo" in note for note in raw.notes)
    suggested = suggest_schema(raw).schema.column("it").domain
    assert isinstance(suggested, DatesTimes)
    assert suggested.zone == "Asia/Tokyo from UTC"
    assert suggested.minimum == DatesTimes.parse("2020-01-01")
    domain = DatesTimes(minimum="2020-01-01", maximum="2020-12-31", zone="UTC")
    ward = Column(name="ward", domain=Categories(values=("a", "b")))
    records = encode(raw, Schema(columns=(Column(name="it", domain=domain), ward)))
    released = as_arrow(records).column("it")
    assert str(released.type) == "timestamp[ms, tz=UTC]"
    assert released.to_pylist() == moments
    schema = Schema(columns=(Column(name="it", domain=suggested), ward))
    assert Schema.from_json(schema.to_json()) == schema
    typed = as_arrow(encode(raw, schema)).column("it")
    assert str(typed.type) == "timestamp[ms, tz=Asia/Tokyo]"
    assert typed.to_pylist() == moments


INSTANTS = (
    datetime(2020, 3, 29, 0, 59, 59, tzinfo=UTC),  # The last before clocks of Berlin go forward,
    datetime(2020, 3, 29, 1, 0, tzinfo=UTC),  # the first after it,
    datetime(2020, 10, 25, 0, 30, tzinfo=UTC),  # and two at which they show 02:30.
    datetime(2020, 10, 25, 1, 30, tzinfo=UTC),
    datetime(2020, 12, 31, 23, 30, tzinfo=UTC),
    datetime(1930, 5, 1, 12, 0, tzinfo=UTC),
    datetime(1930, 5, 1, 12, 0, 45, tzinfo=UTC),  # Clocks of Amsterdam were 19 min 32 s ahead.
)


ZONES = ("Europe/Berlin", "Europe/Amsterdam", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")


def instants_domain(zone: str, **settings: str) -> DatesTimes:
    ends = {"minimum": "1800-01-01", "maximum": "2200-12-31", "step": "year"}
    return DatesTimes(**ends, **settings, zone=f"{zone} from UTC")


@pytest.mark.parametrize("zone", ZONES)
@settings(max_examples=20)
@given(st.lists(st.datetimes(datetime(1801, 1, 1), datetime(2200, 1, 1)), max_size=6))
def test_an_instant_is_the_minute_that_the_declared_clock_shows(
    zone: str, more: list[datetime]
) -> None:
    instants = [*INSTANTS, *(each.replace(tzinfo=UTC) for each in more)]
    domain = instants_domain(zone)
    typed = domain.typed
    assert isinstance(typed, DatesTimes)
    shown = [each.astimezone(ZoneInfo(zone)) for each in instants]
    right = [
        Moment(its.toordinal(), 60 * its.hour + its.minute, not (its.second or its.microsecond))
        for its in shown
    ]
    # Whatever zone the values are kept with, or none: one value does not tell of another.
    for kind in (pa.timestamp("us", "UTC"), pa.timestamp("us", "Asia/Tokyo"), pa.timestamp("us")):
        naive = [each.replace(tzinfo=None) for each in instants]
        texts = texts_of(pa.array(instants if kind.tz else naive, kind))
        assert [typed.moment_of(text) for text in texts] == right
    assert [typed.moment_of(each.isoformat()) for each in instants] == right
    # A text file shows what the clock shows.
    plain = [f"{its:%Y-%m-%d %H:%M:%S}" for its in shown]
    minutes = [60 * its.hour + its.minute for its in shown]
    assert [found.minute for text in plain if (found := domain.moment_of(text))] == minutes
    # What is released is read again as the same minute.
    numbers = np.array([float(domain.number_of(moment)) for moment in right])
    released = domain.numbers_to_arrow(numbers, None)
    assert str(released.type) == f"timestamp[ms, tz={zone}]"
    assert domain.numbers_of_arrow(released).tolist() == numbers.tolist()
    again = [typed.value_of(text) for text in texts_of(released)]
    assert again == list(map(Decimal, map(int, numbers)))
    places = domain.lattice.places(numbers)
    assert [typed.value_of(text) for text in typed.spell_places(places.tolist())] == again


@pytest.mark.parametrize("precision", ["minute", "15 minutes", "hour", "day"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo"])
def test_what_a_clock_never_shows_is_no_moment_and_all_others_are_released_as_they_are(
    zone: str, precision: str
) -> None:
    ends = {"minimum": "2016-01-01", "maximum": "2017-12-31", "step": "month"}
    domain = DatesTimes(**ends, precision=precision, zone=f"{zone} from UTC")
    every = np.arange(domain.lattice.count)
    numbers = domain.lattice.numbers(every)
    released = domain.numbers_to_arrow(numbers, None)
    again = domain.numbers_of_arrow(released)
    # Read again, each is put on the moment that it was.
    assert [domain.lattice.place(Decimal(int(each))) for each in again[::97]] == every[
        ::97
    ].tolist()
    assert (domain.full_lattice.places(again) == domain.full_lattice.places(numbers)).all()
    minutes = domain.full_lattice.count - domain.lattice.count
    skipped = {"Europe/Berlin": 120, "Australia/Lord_Howe": 60, "America/Sao_Paulo": 120}[zone]
    whole = {"minute": 1, "15 minutes": 15, "hour": 60, "day": 24 * 60}[precision]
    assert minutes == (skipped // whole if skipped // 2 >= whole else 0)


def test_clocks_that_are_changed_skip_minutes_and_show_some_twice() -> None:
    typed = instants_domain("Europe/Berlin").typed
    assert isinstance(typed, DatesTimes)
    texts = texts_of(pa.array(INSTANTS[:4], pa.timestamp("ms", "UTC")))
    minutes = [typed.spell(typed.value_of(text) or Decimal(0)) for text in texts]
    skipped = ["2020-03-29 01:59", "2020-03-29 03:00"]
    assert minutes == [*skipped, "2020-10-25 02:30", "2020-10-25 02:30"]
    assert not typed.lattice.holds(np.array([float(typed.ends.read("2020-03-29 02:30", "it"))]))
    changes = typed.changes
    assert changes is not None
    clocks = [datetime(2020, 3, 29, 2, 30), datetime(2020, 10, 25, 2, 30)]
    seconds = [int((each - datetime(1970, 1, 1)) / timedelta(seconds=1)) for each in clocks]
    # The change itself, and the first of two.
    instants = changes.instants_of(np.array(seconds)).tolist()
    assert instants == [int(INSTANTS[place].timestamp()) for place in (1, 2)]
    plain = DatesTimes(
        minimum="1800-01-01", maximum="2200-12-31", step="year", zone="Europe/Berlin"
    )
    assert plain.lattice == plain.full_lattice
    assert plain.typed is plain
