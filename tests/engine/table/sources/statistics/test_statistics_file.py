"""Stata, SPSS and SAS: values, labels, missing values, and files that cannot be read."""

from __future__ import annotations

from datetime import date, datetime
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
from understudy.table.cells import NOT_A_VALUE, cell_text
from understudy.table.encoding import outside
from understudy.table.grid import Grid
from understudy.table.sources.reading import read_table
from understudy.table.sources.statistics import statistics_file


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
    # Rounded outward, the range would reach 95; it stays below the code for missing.
    assert age.domain.maximum == 94
    assert age.missing_values == ("95", "998", "999")
    assert schema.column("word").domain == Categories(values=("a",))
    assert all(found.total == 0 for found in outside(raw, schema))


def test_a_code_for_missing_among_the_other_values_is_refused(folder: Path) -> None:
    frame = pd.DataFrame({"age": [float(age) for age in range(120)], "x": ["a", "b"] * 60})
    raw = read(write("sav", frame, folder / "a.sav", Words(ranges={"age": [99]})))
    with pytest.raises(Refusal) as caught:
        suggest_schema(raw)
    assert caught.value.field == "age"
    assert "missing" in caught.value.problem


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
    assert column.missing_values == ("", ".a", ".b")


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
        ("dta", "%tm", "not known here"),
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
            frame["town"] = ["".join(each) or "none" for each in letters]
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
