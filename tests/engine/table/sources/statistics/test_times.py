"""Days and times of statistics programs, as the library that reads them turns them."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.cells import NOT_A_VALUE, cell_text
from understudy.table.declared_reading import Kind
from understudy.table.sources.statistics.statistics_file import clock_of

_READERS: dict[Kind, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "stata": (pyreadstat.write_dta, pyreadstat.read_dta),
    "spss": (pyreadstat.write_sav, pyreadstat.read_sav),
    "sas-transport": (pyreadstat.write_xport, pyreadstat.read_xport),
}
_FORMATS: list[tuple[Kind, str]] = [
    *(("stata", form) for form in ("%td", "%d", "%tc", "%tC", "%tcHH:MM:SS", "%tcHH:MM", "%9.0g")),
    *(("stata", form) for form in ("%tdD_m_Y", "%tdCCYY-NN-DD", "%tm")),
    *(("spss", form) for form in ("DATE11", "ADATE10", "EDATE10", "SDATE10", "DATETIME20")),
    *(("spss", form) for form in ("TIME8", "F8.2", "F8", "WKDAY3", "MONTH3")),
    *(("sas-transport", form) for form in ("DATE9", "MMDDYY10", "YYMMDD10", "DATETIME20")),
    *(("sas-transport", form) for form in ("TIME8", "E8601DA", "BEST12", "MONNAME")),
]


@pytest.mark.parametrize(("kind", "form"), _FORMATS)
def test_whole_days_and_seconds_are_what_the_library_makes_of_them(
    kind: Kind, form: str, tmp_path: Path
) -> None:
    values = [0.0, 1.0, 366.0, 20_000.0, 45_000.0, 86_400.0, 86_401.0]
    if "TIME8" in form or "HH" in form:
        # The library leaves whole days out of a time.
        values = values[:-2]
    elif kind == "spss":
        values = [1e10 + value for value in values]
    path = tmp_path / "times"
    write, read = _READERS[kind]
    write(pd.DataFrame({"a": values, "b": values}), str(path), variable_format={"a": form})
    made, about = read(io.BytesIO(path.read_bytes()), output_format="dict")
    clock = clock_of(kind, about.original_variable_types["a"])
    expected = made["a"]
    assert (clock is None) == isinstance(expected[0], float)
    if clock is not None:
        # A format that shows the day alone leaves the rest of the value out.
        shown = len("2020-01-01") if type(expected[0]) is date else None
        assert [clock.text(value)[:shown] for value in values] == list(map(cell_text, expected))


def test_formats_of_ones_own_are_told_by_how_they_begin() -> None:
    for form in ("%td", "%tdDD.NN.YY", "%-tdD_m_Y", "%d"):
        clock = clock_of("stata", form)
        assert clock is not None
        assert clock.text(0) == "1960-01-01"
    numbers: list[str | None] = ["%tw", "%tm", "%tq", "%th", "%ty", "%9.0g", "%-12s", None]
    assert not any(clock_of("stata", form) for form in numbers)


@given(st.datetimes(datetime(1583, 1, 1), datetime(2250, 1, 1)))
def test_a_value_is_the_same_in_a_format_of_days_and_in_one_of_times(moment: datetime) -> None:
    moment = moment.replace(microsecond=0)
    since = (moment - datetime(1582, 10, 14)).total_seconds()
    for form in ("DATE11", "EDATE10", "DATETIME20"):
        clock = clock_of("spss", form)
        assert clock is not None
        assert clock.text(since) == cell_text(moment)
    days = (moment - datetime(1960, 1, 1)) / timedelta(days=1)
    in_days, in_seconds = clock_of("sas", "DATE9"), clock_of("sas", "DATETIME20")
    assert in_days is not None
    assert in_seconds is not None
    whole = moment.replace(hour=0, minute=0, second=0)
    assert in_days.text(float(days // 1)) == cell_text(whole)
    assert in_seconds.text(round(days * 86_400)) == cell_text(moment)


@given(st.floats())
def test_any_number_is_told_or_cannot_be_read(value: float) -> None:
    forms: list[tuple[Kind, str]] = [("stata", "%td"), ("spss", "DATE11"), ("sas", "TIME8")]
    for kind, form in forms:
        clock = clock_of(kind, form)
        assert clock is not None
        text = clock.text(value)
        assert (text == "") == (value != value)
        assert text in ("", NOT_A_VALUE) or text.lstrip("-")[0] in "0123456789"


_SINCE_1582 = (date(2020, 2, 1) - date(1582, 10, 14)).days


@pytest.mark.parametrize(
    ("kind", "form", "value", "text"),
    [
        ("spss", "MOYR8", 86_400 * _SINCE_1582, "2020-02-01"),
        ("spss", "QYR6", 86_400 * _SINCE_1582, "2020-02-01"),
        ("spss", "WKYR8", 86_400 * _SINCE_1582, "2020-02-01"),
        ("spss", "MTIME8", 90, "00:01:30"),
        ("spss", "DTIME12", 100_000, "1 day, 3:46:40"),
        ("spss", "TIME8", 100_000, "1 day, 3:46:40"),
        ("spss", "TIME8", -1, "-1 day, 23:59:59"),
        ("sas", "TIME8", 100_000, "1 day, 3:46:40"),
        ("sas", "MONYY7", 21_946, "2020-02-01"),
        ("sas", "YYQ6", 21_946, "2020-02-01"),
        ("sas", "DTDATE9", 86_400 * 21_946, "2020-02-01"),
        ("sas", "TOD8", 86_400 * 21_946 + 60, "2020-02-01 00:01:00"),
        ("sas", "TOD8", 60, "00:01:00"),
        ("stata", "%tcHH:MM:SS", 86_400_000 * 21_946, "2020-02-01"),
        ("stata", "%tcHH:MM:SS", 60_000, "00:01:00"),
    ],
)
def test_a_date_in_any_format_is_a_date_and_a_long_time_keeps_its_days(
    kind: Kind, form: str, value: float, text: str
) -> None:
    clock = clock_of(kind, form)
    assert clock is not None
    assert clock.text(float(value)) == text
