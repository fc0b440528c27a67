"""Small files of every kind of reader, with the right value for each of their cells.

A spelling is tried as text in a text file, a workbook, Parquet, Stata and SPSS; what these know as
numbers, dates, times and codes for missing is tried as such.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.domain import Domain, Verdict
from understudy.table.encoding import decode, encode_public
from understudy.table.fit import Fitter, Policy
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.raw import RawTable
from understudy.table.records import as_arrow
from understudy.table.schema import Schema
from understudy.table.sources.excel.excel_file import read_excel
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import open_source
from understudy.table.sources.statistics.statistics_file import read_statistics
from understudy.table.times import DatesTimes, Times

OUTSIDE = "outside"
CODES = (
    MissingCode(),
    MissingCode(values=("99",), label="refused"),
    MissingCode(values=("-8",), label="not asked"),
)
REFUSED, NOT_ASKED, BLANK = "missing: refused", "missing: not asked", "missing"


@dataclass(frozen=True)
class Case:
    """A column and what its cells are.

    Attributes:
        name: of the case.
        domain: what the column may contain.
        right: cell → its value in the usual way, its code for missing, or `OUTSIDE`.
        codes: for missing.
        form: the format of Stata and SPSS, by the kind of file.
    """

    name: str
    domain: Domain
    right: Mapping[Any, str]
    codes: tuple[MissingCode, ...] = (MissingCode(),)
    form: Mapping[str, str] = field(default_factory=dict)


def spelt(spelling: str, right: Mapping[str, str]) -> Case:
    ends = {"minimum": -5000, "maximum": 5000, "step": 100, "precision": "0.01"}
    whole = not any(letter.isdigit() for letter in spelling.split("234")[1])
    if whole:
        ends["precision"] = 1
    return Case(spelling, Continuous(**ends, spelling=f"{spelling} as text"), right)


def dated(spelling: str, right: Mapping[str, str], **settings: Any) -> Case:
    ends = {"minimum": "1940-01-01", "maximum": "2029-12-31", "step": "year"}
    return Case(spelling, Dates(**ends, spelling=spelling, **settings), right)


def timed(spelling: str, right: Mapping[str, str], zone: str = "") -> Case:
    ends = {"minimum": "1940-01-01", "maximum": "2029-12-31", "step": "year"}
    return Case(f"{spelling} {zone}", DatesTimes(**ends, spelling=spelling, zone=zone), right)


SPELT = (
    spelt("1.234,5", {"1.234,56": "1234.56", "3,5": "3.50", "-0,25": "-0.25", "1234": "1234.00",
                      "1,234.5": OUTSIDE, "12.34": OUTSIDE}),
    spelt("1 234,5", {"1 234,56": "1234.56", "-1 000": "-1000.00", "1.5": OUTSIDE}),
    spelt("1\N{NO-BREAK SPACE}234,5", {"1\N{NO-BREAK SPACE}234,5": "1234.50", "7": "7.00"}),
    spelt("1'234.5", {"1'234.5": "1234.50", "1’000": "1000.00", "-3.25": "-3.25"}),
    spelt("1,234.5", {"1,234.56": "1234.56", "1,007": "1007.00", "1,00": OUTSIDE, ".5": "0.50"}),
    spelt("1234,5", {"1234,5": "1234.50", "-0,01": "-0.01", "1.234": OUTSIDE}),
    spelt("1234.5 %", {"12 %": "12.00", "12.5%": "12.50", "-3 %": "-3.00", "12": OUTSIDE}),
    spelt("1234,5 %", {"12,5 %": "12.50", "0 %": "0.00", "12.5 %": OUTSIDE}),
    spelt("$1,234.5", {"$1,234.50": "1234.50", "-$3": "-3.00", "$-3": "-3.00", "3": OUTSIDE}),
    spelt("1.234,5 €", {"1.234,50 €": "1234.50", "-5 €": "-5.00", "5": OUTSIDE}),
    spelt("(1,234.5)", {"(3.50)": "-3.50", "1,000": "1000.00", "-2": "-2.00", "(2": OUTSIDE}),
    spelt("1,234.5-", {"3.50-": "-3.50", "1,000": "1000.00", "-2-": OUTSIDE}),
    spelt("1.234", {"1.234": "1234", "-5": "-5", "1,5": OUTSIDE}),
    spelt("1234.5 kg", {"70.5 kg": "70.50", "70kg": "70.00", "70 g": OUTSIDE}),
    spelt("1,234.5 or 1.234,5", {"12": "12.00", "1,000.5": "1000.50", "1.234": OUTSIDE}),
)  # fmt: skip
DATED = (
    dated("", {"2020-03-01": "2020-03-01", "2020-03-01 00:00:00": "2020-03-01",
               "2020-03-01 10:00": OUTSIDE, "01.03.2020": OUTSIDE}),
    dated("DD.MM.YYYY", {"01.03.2020": "2020-03-01", "31.12.1999": "1999-12-31",
                         "31.02.2020": OUTSIDE, "2020-03-01": "2020-03-01"}),
    dated("D.M.YYYY", {"1.3.2020": "2020-03-01", "01.03.2020": "2020-03-01"}),
    dated("MM/DD/YYYY", {"03/01/2020": "2020-03-01", "13/01/2020": OUTSIDE}),
    dated("DD/MM/YYYY", {"03/01/2020": "2020-01-03", "13/01/2020": "2020-01-13"}),
    dated("DD/MM/YYYY or MM/DD/YYYY", {"03/03/2020": "2020-03-03", "13/01/2020": "2020-01-13",
                                       "03/01/2020": OUTSIDE}),
    dated("DDMONYYYY", {"01JAN1960": "1960-01-01", "01jan1960": "1960-01-01", "1JAN60": OUTSIDE}),
    dated("YYYYMMDD", {"20200301": "2020-03-01", "20201301": OUTSIDE}),
    dated("DD.MM.YY from 1940", {"01.03.39": OUTSIDE, "01.03.40": "1940-03-01",
                                 "01.03.20": "2020-03-01"}),
    dated("Mon DD, YYYY", {"Mar 01, 2020": "2020-03-01", "March 1, 2020": "2020-03-01"}),
    dated("YYYY/MM/DD", {"2020/03/01": "2020-03-01", "2020/3/1": "2020-03-01"}),
    dated("YYYY-MM", {"2020-03": "2020-03-01", "2020-13": OUTSIDE}, precision="month"),
    dated("YYYYQq", {"2020Q2": "2020-04-01", "2020Q5": OUTSIDE}, precision="quarter"),
    dated("DD Mon YYYY", {"1 Mar 2020": "2020-03-01", "01 MARCH 2020": "2020-03-01"}),
)  # fmt: skip
TIMED = (
    timed("", {"2020-03-01 13:45": "2020-03-01 13:45", "2020-03-01": "2020-03-01 00:00",
               "2020-03-01T13:45:10": "2020-03-01 13:45", "13:45": OUTSIDE}),
    timed("DD.MM.YYYY hh:mm", {"01.03.2020 13:45": "2020-03-01 13:45", "01.03.2020": OUTSIDE}),
    timed("MM/DD/YYYY h:mm AM", {"03/01/2020 1:45 PM": "2020-03-01 13:45",
                                 "03/01/2020 12:05 am": "2020-03-01 00:05"}),
    timed("", {"2020-03-29T00:59:00Z": "2020-03-29 01:59", "2020-03-29 01:00:00Z":
               "2020-03-29 03:00", "2020-07-01T12:00:00+05:30": "2020-07-01 08:30",
               "2020-07-01 12:00": "2020-07-01 12:00"}, "Europe/Berlin"),
    Case("times", Times(), {"13:45": "13:45", "13:45:30": "13:45", "24:00": OUTSIDE}),
    Case("h:mm AM", Times(spelling="h:mm AM"), {"1:45 PM": "13:45", "12:00 AM": "00:00"}),
    Case("hhmm", Times(spelling="hhmm"), {"1345": "13:45", "0005": "00:05", "2460": OUTSIDE}),
)  # fmt: skip
AGES = Grid(minimum=0, maximum=119)
CODED = (
    Case("ages", AGES, {"98": "98", "99": REFUSED, "99.0": REFUSED, "-8": NOT_ASKED,
                        "-8.0": NOT_ASKED, "100": "100", "-9": OUTSIDE, "x": OUTSIDE}, CODES),
    Case("days", Dates(minimum="1900-01-01", maximum="1960-12-31", step="month"),
         {"1900-01-01": "missing: unknown", "1900-01-02": "1900-01-02", "1900-01-01 00:00:00":
          "missing: unknown"}, (MissingCode(values=("1900-01-01",), label="unknown"),
                                MissingCode())),
    Case("pay", Continuous(minimum=0, maximum=1000, step=10, precision="0.5"),
         {"99": REFUSED, "99.0": REFUSED, "99.5": "99.5", "98.9": "98.5", "99.1": "99.5",
          "98.7": "98.5", "1e2": "100.0", "-8.00": NOT_ASKED}, CODES),
)  # fmt: skip
TEXTS = (*SPELT, *DATED, *TIMED, *CODED)
TEXT_KINDS = ("csv", "xlsx", "parquet", "dta", "sav")


def write_typed(kind: str, values: Sequence[Any], form: Mapping[str, str], folder: Path) -> bytes:
    """A file of a column of values, and one of words."""
    names, words = ("it", "word"), ["a", "b"] * len(values)
    if kind == "csv":
        quoted = [f'"{value}",{word}' for value, word in zip(values, words, strict=False)]
        return "\n".join([",".join(names), *quoted, ""]).encode()
    if kind == "xlsx":
        book, file = openpyxl.Workbook(), io.BytesIO()
        for row in (names, *zip(values, words, strict=False)):
            book.worksheets[0].append(row)
        for cell in book.worksheets[0]["A"][1:]:
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type
            if "xlsx" in form:
                cell.number_format = form["xlsx"]
        book.save(file)
        return file.getvalue()
    if kind == "parquet":
        column = values if isinstance(values, pa.Array) else pa.array(values)
        sink = io.BytesIO()
        pq.write_table(pa.table([column, words[: len(column)]], names), sink)
        return sink.getvalue()
    path = folder / f"t.{kind}"
    frame = pd.DataFrame({"it": list(values), "word": words[: len(values)]})
    formats = {"it": form[kind]} if kind in form else {}
    write = pyreadstat.write_dta if kind == "dta" else pyreadstat.write_sav
    write(frame, str(path), variable_format=formats)
    return path.read_bytes()


def read(kind: str, data: bytes) -> RawTable:
    """A file, read in this process."""
    source = open_source(data, f"t.{kind}", len(data))
    if kind == "xlsx":
        return read_excel(source, sheet=None, limit=1 << 20)
    if kind in ("dta", "sav"):
        return read_statistics(source, "stata" if kind == "dta" else "spss", encoding=None)
    return read_table(data, name=f"t.{kind}")


def column_of(case: Case) -> Column:
    return Column(name="it", domain=case.domain, missing=True, missing_codes=case.codes)


def list_values(case: Case, raw: RawTable) -> list[str]:
    """The value of each cell in the usual way, its code for missing, or `OUTSIDE`."""
    column = column_of(case)
    texts, places = raw.distinct("it")
    fit = Fitter(column, typed=raw.reading.kind != "csv").fit(texts)
    ranged = column.domain.ranged
    assert ranged is not None
    values = []
    for place in places.tolist():
        code = int(fit.code[place])
        if fit.reason[place] > Verdict.ROUNDED:
            values.append(OUTSIDE)
        elif code >= column.domain.size:
            values.append(column.missing_labels[code - column.domain.size])
        elif fit.number is None:
            values.append(ranged.spell(ranged.numbers[code]))
        else:
            number = ranged.lattice.number(int(ranged.lattice.places(fit.number[[place]])[0]))
            values.append(ranged.spell(number))
    return values


@pytest.mark.parametrize("kind", TEXT_KINDS)
@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_texts_are_the_same_values_in_every_kind_of_file(
    case: Case, kind: str, tmp_path: Path
) -> None:
    raw = read(kind, write_typed(kind, [*case.right], {}, tmp_path))
    assert list_values(case, raw) == [*case.right.values()]


DAY, MOMENT = date(2020, 3, 1), datetime(2020, 3, 1, 13, 45)
DAYS, MOMENTS = DATED[0].domain, TIMED[0].domain
BERLIN = DatesTimes(
    minimum="2019-01-01", maximum="2029-12-31", step="year", zone="Europe/Berlin from UTC"
)
FORMS = {"dta": "%td", "sav": "DATE11", "xlsx": "yyyy-mm-dd"}
TIMES_FORMS = {"dta": "%tc", "sav": "DATETIME20", "xlsx": "yyyy-mm-dd hh:mm"}
TYPED = (
    *((kind, Case("numbers", AGES, {98: "98", 99: REFUSED, -8: NOT_ASKED, 100: "100"}, CODES))
      for kind in TEXT_KINDS),
    *((kind, Case("doubles", CODED[2].domain, {98.5: "98.5", 99.0: REFUSED, -8.0: NOT_ASKED,
                                               98.9: "98.5", 1e6: OUTSIDE}, CODES))
      for kind in TEXT_KINDS),
    *((kind, Case("days", DAYS, {DAY: "2020-03-01", date(1999, 12, 31): "1999-12-31"}, form=FORMS))
      for kind in ("xlsx", "parquet", "dta", "sav")),
    *((kind, Case("moments", MOMENTS, {MOMENT: "2020-03-01 13:45", datetime(1999, 12, 31):
                                       "1999-12-31 00:00"}, form=TIMES_FORMS))
      for kind in ("xlsx", "parquet", "dta", "sav")),
    *((kind, Case("clock", Times(), {time(13, 45): "13:45", time(0, 5): "00:05"},
                  form={"xlsx": "hh:mm"}))
      for kind in ("xlsx", "parquet")),
    ("xlsx", Case("serials", DAYS, {59: OUTSIDE, 60: OUTSIDE, 0: OUTSIDE, -1: OUTSIDE,
                                    43891: "2020-03-01"}, form={"xlsx": "yyyy-mm-dd"})),
    ("dta", Case("months", DATED[11].domain, {648.0: "2014-01-01", 659.0: "2014-12-01"},
                 form={"dta": "%tm"})),
    ("dta", Case("quarters", DATED[12].domain, {217.0: "2014-04-01"}, form={"dta": "%tq"})),
    ("dta", Case("weeks", DAYS, {2809.0: "2014-01-08"}, form={"dta": "%tw"})),
    ("dta", Case("years", Grid(minimum=1900, maximum=2100), {2014.0: "2014"}, form={"dta": "%ty"})),
    ("sav", Case("months", DAYS, {DAY: "2020-03-01"}, form={"sav": "MOYR8"})),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "case"), TYPED, ids=lambda each: getattr(each, "name", each))
def test_what_a_file_knows_as_numbers_days_and_times(kind: str, case: Case, tmp_path: Path) -> None:
    raw = read(kind, write_typed(kind, [*case.right], case.form, tmp_path))
    assert list_values(case, raw) == [*case.right.values()]


@pytest.mark.parametrize(
    ("column", "domain", "right"),
    [
        (pa.array([1.5, None], pa.float32()), SPELT[0].domain, [OUTSIDE, BLANK]),
        (pa.array([Decimal("1.50")]), CODED[2].domain, ["1.5"]),
        (pa.array([True, False]), AGES, [OUTSIDE, OUTSIDE]),
        (pa.array([99], pa.uint64()), AGES, [BLANK]),
        (pa.array([MOMENT], pa.timestamp("s", "UTC")), MOMENTS, ["2020-03-01 13:45"]),
        (pa.array([MOMENT], pa.timestamp("ns", "Asia/Tokyo")), BERLIN, ["2020-03-01 14:45"]),
        (pa.array([MOMENT], pa.timestamp("us")), BERLIN, ["2020-03-01 14:45"]),
        (pa.array([datetime(2020, 10, 25, 0, 30), datetime(2020, 10, 25, 1, 30)]), BERLIN,
         ["2020-10-25 02:30"] * 2),
        (pa.array([DAY], pa.date64()), DAYS, ["2020-03-01"]),
        (pa.array([time(13, 45)], pa.time32("s")), Times(), ["13:45"]),
        (pa.array(["01.03.2020"], pa.large_string()), DATED[1].domain, ["2020-03-01"]),
        (pa.array(["1.234,5"]).dictionary_encode(), SPELT[0].domain, ["1234.50"]),
    ],
)  # fmt: skip
def test_types_of_parquet(column: pa.Array, domain: Domain, right: list[str]) -> None:
    codes = (MissingCode(values=("", "99")),)
    case = Case("parquet", domain, {}, codes)
    raw = read("parquet", write_typed("parquet", column, {}, Path()))
    assert list_values(case, raw) == right


def test_there_are_200_small_files() -> None:
    assert len(TEXTS) * len(TEXT_KINDS) + len(TYPED) >= 200


@pytest.mark.parametrize("kind", ["xlsx", "parquet"])
@pytest.mark.parametrize("place", [0, 6, 10])
def test_numbers_kept_as_texts_are_suggested_and_released_as_such(
    place: int, kind: str, tmp_path: Path
) -> None:
    case = SPELT[place]
    texts = [text for text, value in case.right.items() if value != OUTSIDE]
    many = [text for text in texts for _ in range(2)]
    more = [text.replace("3", str(1 + number % 9)) for number, text in enumerate(many * 20)]
    raw = read(kind, write_typed(kind, more, {}, tmp_path))
    column = suggest_schema(raw).schema.column("it")
    assert column.domain.numeric
    assert column.domain.setting_texts()["spelling"].endswith(" as text")
    other = Column(name="word", domain=suggest_schema(raw).schema.column("word").domain)
    policies: dict[str, Policy] = {"it": "missing"}
    for missing in ((MissingCode(),), (MissingCode(), MissingCode(values=("99",), label="x"))):
        schema = Schema(columns=(column.changed(missing=True, missing_codes=missing), other))
        records = encode_public(raw, schema, policies)
        released = as_arrow(records)
        values = released.column("it").cast(pa.string()).to_pylist()
        assert [each or "" for each in values] == decode(records).column("it").to_pylist()
        sink = io.BytesIO()
        pq.write_table(released, sink)
        again = encode_public(read("parquet", sink.getvalue()), schema)
        assert np.array_equal(again.codes, records.codes)
    # Numbers as such need no spelling, and get none.
    plain = read(kind, write_typed(kind, [number + 1.125 for number in range(80)], {}, tmp_path))
    assert suggest_schema(plain).schema.column("it").domain.setting_texts()["spelling"] == ""
