"""Stata, SPSS and SAS: values, labels, missing values, and files that cannot be read. Texts, names
and labels of statistics packages in other encodings. Days and times of statistics programs, as the
library that reads them turns them. Files of statistics packages that lack a part, say how much
they hold, or do not.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.formats import FILES, Words, write
from tests.engine.table.neighbours import KEPT, ODD, check_alike
from tests.engine.table.sources.statistics.files import (
    LABELLED,
    STATISTICS,
    people,
    read,
    texts,
    xport5,
)
from understudy.assurance.hostile_files import Record
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.categories import Categories
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT, cell_text
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.declared_reading import Kind
from understudy.table.encoding import decode, encode_public, outside
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.sources.statistics import statistics_file
from understudy.table.sources.statistics.statistics_file import clock_of


@pytest.mark.parametrize("kind", STATISTICS)
def test_values_are_written_as_a_custodian_would(kind: str, folder: Path) -> None:
    raw = read(write(kind, people(), folder / f"people.{kind}"))
    assert texts(raw) == {
        "sex": ["1", "2", "", "2"] * 10,
        "pay": ["0.1", "1234.5", "3", "-7.25"] * 10,
        "town": ["Ghent", "", "Trier", "Nice"] * 10,
    }


@pytest.mark.parametrize("kind", STATISTICS)
def test_an_upload_is_read_like_a_file(kind: str, folder: Path) -> None:
    path = write(kind, people(), folder / f"people.{kind}")
    from_disk, uploaded = read(path), read(path.read_bytes(), name=path.name)
    assert texts(uploaded) == texts(from_disk)
    assert uploaded.reading == from_disk.reading


@pytest.mark.parametrize("kind", STATISTICS)
def test_blocks_make_the_same_table(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(kind, people(), folder / f"people.{kind}")
    whole = texts(read(path))
    for cells in (3, 21, 120):
        monkeypatch.setattr(statistics_file, "_BLOCK_CELLS", cells)
        assert texts(read(path)) == whole


@pytest.mark.parametrize("kind", ["dta", "sav", "zsav", "por", "xpt"])
def test_days_and_times_are_in_iso_format(kind: str, folder: Path) -> None:
    frame = pd.DataFrame(
        {
            "born": [date(1950, 2, 28), None, date(2001, 12, 31)],
            "seen": [datetime(2020, 1, 2, 3, 4, 5), None, datetime(1999, 12, 31)],
            "noon": [datetime(2020, 1, 2), datetime(2020, 1, 3), None],
        }
    )
    found = texts(read(write(kind, frame, folder / f"days.{kind}")))
    assert found["born"] == ["1950-02-28", "", "2001-12-31"]
    assert found["seen"] == ["2020-01-02 03:04:05", "", "1999-12-31"]
    assert found["noon"] == ["2020-01-02", "2020-01-03", ""]


def test_numbers_of_single_precision_keep_no_digits_they_never_had(folder: Path) -> None:
    frame = pd.DataFrame({"x": np.array([0.1, 2.5, 3], np.float32), "y": [1, 2, 3]})
    frame.to_stata(folder / "single.dta", write_index=False)
    assert texts(read(folder / "single.dta"))["x"] == ["0.1", "2.5", "3"]


@pytest.mark.parametrize("kind", LABELLED)
def test_titles_and_labels_become_those_of_the_suggestion(kind: str, folder: Path) -> None:
    words = Words(
        titles={"sex": "Sex of the person"}, values={"sex": {1: "male", 2: "female", 3: "other"}}
    )
    raw = read(write(kind, people(), folder / f"people.{kind}", words))
    assert any("labels" in note for note in raw.notes)
    column = suggest_schema(raw).schema.column("sex")
    assert column.title == "Sex of the person"
    # A code that nobody in the file has is one all the same.
    assert column.domain == Categories(values=("1", "2", "3"), labels=("male", "female", "other"))
    assert column.missing


@pytest.mark.parametrize("kind", ["por", "xpt", "sas7bdat"])
def test_titles_are_kept_where_the_format_has_no_labels(kind: str, folder: Path) -> None:
    words = Words(titles={"sex": "Sex of the person"})
    raw = read(write(kind, people(), folder / f"people.{kind}", words))
    assert list(raw.labels.titles.values()) == ["Sex of the person"]


def test_codes_declared_missing_are_kept_and_suggested_as_such(folder: Path) -> None:
    ages = [*range(18, 95), 998, 999, 95]
    frame = pd.DataFrame({"age": [float(age) for age in ages], "word": ["a", "-"] * 40})
    words = Words(
        values={"age": {998: "refused", 999: "unknown"}},
        ranges={"age": [95, {"lo": 990, "hi": 999}], "word": ["-"]},
    )
    raw = read(write("sav", frame, folder / "ages.sav", words))
    assert texts(raw)["age"][-3:] == ["998", "999", "95"]
    assert raw.labels.missing == {"age": ("95", "998", "999"), "word": ("-",)}
    assert any("“age”" in note and "missing" in note for note in raw.notes)
    schema = suggest_schema(raw).schema
    age = schema.column("age")
    assert isinstance(age.domain, Grid)
    # Ages are known to reach from 0 to 120; 95 is none of them here.
    assert (age.domain.maximum, age.domain.gaps) == (120, (95,))
    assert age.missing_codes == (
        MissingCode(values=("95",)),
        MissingCode(values=("998",), label="refused"),
        MissingCode(values=("999",), label="unknown"),
    )
    assert schema.column("word").domain == Categories(values=("a",))
    assert all(found.total == 0 for found in outside(raw, schema))


def test_a_code_for_missing_among_the_other_values_wins_and_says_so(folder: Path) -> None:
    frame = pd.DataFrame({"age": [float(age) for age in range(120)], "x": ["a", "b"] * 60})
    raw = read(write("sav", frame, folder / "a.sav", Words(ranges={"age": [99]})))
    found = suggest_schema(raw)
    age = found.schema.column("age")
    assert any("99 stands for missing" in note for note in found.notes["age"])
    assert encode_public(raw, found.schema).counts(0)[age.domain.size] == 1
    assert "99" not in age.domain.texts


def test_tagged_missing_values_stay_apart_from_an_empty_one(folder: Path) -> None:
    frame = pd.DataFrame({"pay": [1, "a", None, 2, None, "b", 3], "x": list("abcabca")})
    words = Words(
        values={"pay": {1: "low", 2: "mid", 3: "high", "a": "refused"}},
        tags={"pay": ["a", "b"]},
    )
    raw = read(write("dta", frame, folder / "tags.dta", words))
    assert texts(raw)["pay"] == ["1", ".a", "", "2", "", ".b", "3"]
    column = suggest_schema(raw).schema.column("pay")
    assert column.domain == Categories(values=("1", "2", "3"), labels=("low", "mid", "high"))
    assert column.missing_codes == (
        MissingCode(),
        MissingCode(values=(".a",), label="refused"),
        MissingCode(values=(".b",)),
    )
    alone = Schema(columns=(column, Column(name="x", domain=Categories(values=tuple("abc")))))
    written = decode(encode_public(raw, alone)).column("pay").to_pylist()
    assert written == ["1", ".a", "", "2", "", ".b", "3"]


def test_many_labelled_codes_are_categories_not_numbers(folder: Path) -> None:
    frame = pd.DataFrame({"job": [float(code) for code in range(10, 50)], "x": ["a"] * 40})
    words = Words(values={"job": {code: f"job {code}" for code in range(10, 60)}})
    column = suggest_schema(read(write("sav", frame, folder / "a.sav", words))).schema.column("job")
    assert isinstance(column.domain, Categories)
    assert column.domain.size == 50


def test_numbers_with_a_few_labels_stay_numbers(folder: Path) -> None:
    frame = pd.DataFrame({"age": [float(age) for age in range(18, 91)], "x": ["a"] * 73})
    words = Words(values={"age": {90: "90 or older"}})
    suggestion = suggest_schema(read(write("sav", frame, folder / "a.sav", words)))
    assert suggestion.schema.column("age").ordered
    assert any("labels some" in note for note in suggestion.notes["age"])


@pytest.mark.parametrize(
    ("kind", "form", "words"),
    [
        ("sav", "N5", "zeros in front"),
        ("xpt", "Z5.", "zeros in front"),
        ("dta", "%05.0f", "zeros in front"),
        ("dta", "%tbsimple", "not known here"),
        ("dta", "%tm", ""),
        ("xpt", "SEXF.", "not known here"),
        ("sav", "F8.2", ""),
        ("sav", "MOYR8", ""),
        ("xpt", "COMMA8.", ""),
        ("dta", "%9.0g", ""),
    ],
)
def test_formats_that_show_something_else_are_noted(
    kind: str, form: str, words: str, folder: Path
) -> None:
    frame = pd.DataFrame({"area": [40.0, 7.0], "b": [1.0, 2.0]})
    path = folder / f"t.{kind}"
    writer = {
        "sav": pyreadstat.write_sav,
        "xpt": pyreadstat.write_xport,
        "dta": pyreadstat.write_dta,
    }[kind]
    writer(frame, str(path), variable_format={"area": form})
    notes = [note for note in read(path).notes if "area" in note]
    assert bool(notes) == bool(words)
    assert all(words in note for note in notes)


@pytest.mark.parametrize("kind", ["dta", "xpt"])
@given(KEPT)
def test_what_is_read_is_what_pandas_reads(kind: str, records: list[Record]) -> None:
    """Which has readers of its own for these; SPSS it leaves to the library."""
    frame = pd.DataFrame(records, columns=["town", "day", "count", "pay"])
    frame["town"] = frame["town"].fillna("")
    frame["day"] = pd.to_datetime(frame["day"])
    frame = frame.astype({"town": object, "count": float, "pay": float})
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{kind}"
        if kind == "dta":
            frame.to_stata(path, write_index=False, version=118)
            theirs = pd.read_stata(path)
        else:
            # It takes digits alone, and blanks, for what fills the last line up.
            letters = [filter(str.isascii, filter(str.isalpha, each)) for each in frame["town"]]
            towns = ["".join(each) or "none" for each in letters]
            frame["town"] = [each.ljust(max(map(len, towns)), "x") for each in towns]
            xport5(frame.drop(columns="day"), path)
            theirs = pd.read_sas(path, format="xport", encoding="latin-1")
        raw = read(path)
    assert raw.rows == len(theirs)
    for name in theirs.columns:
        ours = [each.rstrip(" ") for each in raw.arrow.column(name).to_pylist()]
        assert ours == [_plainly(each) for each in theirs[name]]


def _plainly(value: Any) -> str:
    """A value of pandas as text."""
    if isinstance(value, str):
        return value.rstrip(" ")
    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return cell_text(value.to_pydatetime())
    # For zero, one of its readers finds a number next to nothing.
    return "0" if abs(value) < 1e-70 else cell_text(value)


@pytest.mark.parametrize("kind", FILES)
def test_the_wrong_ending_is_told(kind: str, folder: Path) -> None:
    data = write(kind, people(), folder / f"people.{kind}").read_bytes()
    wrong = "sav" if kind not in ("sav", "zsav") else "dta"
    with pytest.raises(Refusal) as caught:
        read_table(data, name=f"people.{wrong}")
    assert "is not a" in caught.value.problem


def test_a_date_beyond_the_year_9999_takes_no_other_with_it(folder: Path) -> None:
    frame = pd.DataFrame({"born": [date(1950, 2, 28), date(1951, 3, 1)], "x": [1, 2]})
    data = write("dta", frame, folder / "days.dta").read_bytes()
    day = np.int32((date(1951, 3, 1) - date(1960, 1, 1)).days).tobytes()
    stored = next(each for each in (day, np.float64(-3228).tobytes()) if data.count(each) == 1)
    far = np.int32(10**7).tobytes() if len(stored) == 4 else np.float64(10**7).tobytes()
    found = texts(read(data.replace(stored, far), "days.dta"))
    assert found["born"] == ["1950-02-28", NOT_A_VALUE]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.sav", b"\x1c\0\0\0\0\0\0\0ENCRYPTEDSAV" + bytes(80)),
        ("a.parquet", b"PARE" + bytes(80) + b"PARE"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(80)),
    ],
)
def test_a_password_is_named(name: str, data: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        read_table(data, name=name)
    assert "password" in str(caught.value)


@pytest.mark.parametrize("name", ["Stata", "SPSS", "SAS transport"])
@settings(max_examples=12, deadline=None)
@given(KEPT, ODD, st.integers(0, 9))
def test_one_record_more_changes_how_no_other_is_read(
    name: str, kept: list[Record], odd: Record, place: int
) -> None:
    check_alike(name, kept, odd, place)


def test_texts_in_another_encoding(folder: Path) -> None:
    frame = pd.DataFrame({"town": ["Zürich", "Åre", "Ghent"], "x": [1, 2, 3]})
    frame.to_stata(folder / "old.dta", write_index=False, version=114)
    path = folder / "old.dta"
    assert texts(read(path))["town"] == ["Zürich", "Åre", "Ghent"]
    assert texts(read(path, encoding="latin-1"))["town"] == ["Zürich", "Åre", "Ghent"]
    assert texts(read(path, encoding="utf-8"))["town"] == [NOT_TEXT, NOT_TEXT, "Ghent"]
    with pytest.raises(Refusal) as caught:
        read(path, encoding="no-such-encoding")
    assert caught.value.field == "encoding"


@pytest.mark.parametrize("kind", ["dta", "sav", "xpt", "sas7bdat"])
def test_a_text_in_another_encoding_takes_no_other_with_it(kind: str, folder: Path) -> None:
    frame = people().assign(town=["Zürich", "XXXXX", "Ghent", "Åre"] * 10)
    data = write(kind, frame, folder / f"people.{kind}").read_bytes()
    found = read(data.replace(b"XXXXX", b"Z\xfcri.", 1), f"people.{kind}")
    expected = ["Zürich", NOT_TEXT, "Ghent", "Åre", *["Zürich", "XXXXX", "Ghent", "Åre"] * 9]
    assert texts(found)["town"] == expected


def test_names_and_labels_in_another_encoding_are_refused(folder: Path) -> None:
    words = Words(values={"sex": {1: "XXXXX", 2: "female"}})
    data = write("sav", people(), folder / "people.sav", words).read_bytes()
    with pytest.raises(Refusal) as caught:
        read(data.replace(b"XXXXX", b"Z\xfcri.", 1), "people.sav")
    assert caught.value.field == "encoding"


def test_a_label_and_a_text_declared_missing_are_in_the_encoding_of_the_file(folder: Path) -> None:
    frame = people().assign(town=["Zürich", "Åre", "Ghent", "–"] * 10)
    words = Words(values={"town": {"Zürich": "Zürich (Zürich)"}}, ranges={"town": ["–"]})
    raw = read(write("sav", frame, folder / "people.sav", words))
    assert raw.labels.values == {"town": {"Zürich": "Zürich (Zürich)"}}
    assert raw.labels.missing == {"town": ("–",)}


def test_no_encoding_can_be_named_for_a_portable_file(folder: Path) -> None:
    with pytest.raises(Refusal) as caught:
        read(write("por", people(), folder / "p.por"), encoding="utf-8")
    assert caught.value.field == "encoding"


_READERS: dict[Kind, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "stata": (pyreadstat.write_dta, pyreadstat.read_dta),
    "spss": (pyreadstat.write_sav, pyreadstat.read_sav),
    "sas-transport": (pyreadstat.write_xport, pyreadstat.read_xport),
}
_FORMATS: list[tuple[Kind, str]] = [
    *(("stata", form) for form in ("%td", "%d", "%tc", "%tC", "%tcHH:MM:SS", "%tcHH:MM", "%9.0g")),
    *(("stata", form) for form in ("%tdD_m_Y", "%tdCCYY-NN-DD")),
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
    numbers: list[str | None] = ["%ty", "%9.0g", "%-12s", "%tbsimple", None]
    assert not any(clock_of("stata", form) for form in numbers)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("%tm", {0: "1960-01", 648: "2014-01", 659: "2014-12", -1: "1959-12"}),
        ("%tmMonCCYY", {648: "2014-01"}),
        ("%-tq", {0: "1960Q1", 217: "2014Q2", -1: "1959Q4"}),
        ("%tqCCYY!Qq", {217: "2014Q2"}),
        ("%th", {0: "1960h1", 109: "2014h2", -1: "1959h2"}),
        ("%tw", {0: "1960-01-01", 2809: "2014-01-08", 2859: "2014-12-24", -1: "1959-12-24"}),
        ("%tm", {648.5: NOT_A_VALUE, 12 * 8040: NOT_A_VALUE, -12 * 1960: NOT_A_VALUE}),
    ],
)
def test_periods_of_stata_are_read_by_their_names(
    form: str, expected: dict[float, str], folder: Path
) -> None:
    frame = pd.DataFrame({"a": [*map(float, expected), None], "b": 1.0})
    path = folder / "t.dta"
    pyreadstat.write_dta(frame, str(path), variable_format={"a": form})
    raw = read(path)
    assert texts(raw)["a"] == [*expected.values(), ""]
    assert not any("not known here" in note for note in raw.notes)


def test_months_and_quarters_of_stata_are_suggested_as_dates(folder: Path) -> None:
    rows = [float(row) for row in range(60)]
    frame = pd.DataFrame({"a": [600 + row for row in rows], "b": rows})
    path = folder / "t.dta"
    pyreadstat.write_dta(frame, str(path), variable_format={"a": "%tm", "b": "%tq"})
    raw = read(path)
    schema = suggest_schema(raw).schema
    month, quarter = (column.domain for column in schema.columns)
    assert isinstance(month, Dates)
    assert isinstance(quarter, Dates)
    assert (month.precision, quarter.precision) == ("month", "quarter")
    assert decode(encode_public(raw, schema)).column("b").to_pylist()[:2] == ["1960Q1", "1960Q2"]


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


@pytest.mark.parametrize("kind", ["dta", "por", "xpt", "sas7bdat"])
def test_a_file_cut_short_is_refused_or_told(kind: str, folder: Path) -> None:
    frame = people(400).assign(town=["CANARY-4711"] * 400)
    data = write(kind, frame, folder / f"people.{kind}").read_bytes()
    for share in (0.02, 0.3, 0.6, 0.97):
        said = ""
        try:
            read(data[: int(len(data) * share)], f"people.{kind}")
        except Refusal as refusal:
            said = str(refusal)
        assert "CANARY" not in said


@pytest.mark.parametrize("kind", ["dta", "sav", "sas7bdat"])
def test_a_file_that_says_how_many_records_it_has_cannot_lack_some(kind: str, folder: Path) -> None:
    data = write(kind, people(4000), folder / f"people.{kind}").read_bytes()
    with pytest.raises(Refusal, match="cut short"):
        read(data[: len(data) * 2 // 3], name=f"people.{kind}")


@pytest.mark.parametrize("kind", STATISTICS)
def test_a_file_cut_anywhere_is_refused_or_read_to_its_end(kind: str, folder: Path) -> None:
    """What follows the last letter of a portable file fills its last line up."""
    frame = people(400)
    data = write(kind, frame, folder / f"people.{kind}").read_bytes()
    whole = texts(read(data, f"people.{kind}"))
    read_all = []
    for size in [
        *range(60, len(data), len(data) // 25),
        *(len(data) - cut for cut in range(1, 90)),
    ]:
        try:
            read_all.append(texts(read(data[:size], f"people.{kind}")) == whole)
        except Refusal:
            continue
    assert all(read_all)
    assert not read_all or kind == "por"


def test_a_transport_file_that_does_not_count_its_records_says_so(folder: Path) -> None:
    frame = people(400)
    older = xport5(frame, folder / "older.xpt")
    assert any("does not say how many" in note for note in read(older, "older.xpt").notes)
    newer = write("xpt", frame, folder / "newer.xpt").read_bytes()
    assert not any("does not say how many" in note for note in read(newer, "newer.xpt").notes)
    found = [
        _rows(older[:size], "older.xpt") for size in range(len(older) - 80 * 9, len(older), 20)
    ]
    # Records are of 21 bytes: only a cut that falls between two of them cannot be told.
    assert sum(rows is not None for rows in found) <= 1


def _rows(data: bytes, name: str) -> int | None:
    try:
        return read(data, name).rows
    except Refusal:
        return None


def test_a_transport_file_of_two_tables_is_refused(folder: Path) -> None:
    data = xport5(people(400), folder / "one.xpt")
    with pytest.raises(Refusal, match="several tables"):
        read(data + data[240:], "two.xpt")


def test_an_spss_file_that_does_not_count_its_records_says_so(folder: Path) -> None:
    data = bytearray(write("sav", people(), folder / "people.sav").read_bytes())
    assert not any("does not say how many" in note for note in read(bytes(data), "p.sav").notes)
    data[80:84] = (-1).to_bytes(4, "little", signed=True)
    raw = read(bytes(data), "people.sav")
    assert raw.rows == 40
    assert any("does not say how many" in note for note in raw.notes)
