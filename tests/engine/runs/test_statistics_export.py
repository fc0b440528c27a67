"""Released tables as SPSS and Stata files: read again by pyreadstat, pandas and, where there is R,
by haven, each value, label, date and code for missing is what was released."""

from __future__ import annotations

import shutil
import subprocess
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.runs.asked import finished, seedless, table
from tests.engine.table import toy_kinds
from tests.engine.table.kind_examples import EXAMPLES, whole_schema, whole_table
from understudy.core.refusal import Refusal
from understudy.runs.statistics_export import (
    bears_mark,
    export_bytes,
    export_records,
    read_table_of,
    read_whole_table,
)
from understudy.runs.statistics_layout import StatisticsForm, plan_layout
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.domain import range_of
from understudy.table.encoding import encode_public, to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode, unlabelled
from understudy.table.omissions import Omission
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.seed_mark import COLUMN, VALUE, marked_schema, stain_records
from understudy.table.sources.reading import read_table

FORMS: tuple[StatisticsForm, ...] = ("sav", "dta")


def written(records: Records, form: StatisticsForm, folder: Path) -> tuple[pd.DataFrame, Any]:
    """A file of the records, and what pyreadstat reads in it, codes for missing as they stand."""
    path = folder / f"table.{form}"
    export_records(records, plan_layout(records.schema, form), path)
    return read(path)


def read(path: Path, *, user_missing: bool = True) -> tuple[pd.DataFrame, Any]:
    reader = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    frame, about = reader(str(path), user_missing=user_missing)
    assert isinstance(frame, pd.DataFrame)
    return frame, about


def plain(value: Any) -> Any:
    """A value as it is compared: nothing as None, and points in time without their class."""
    if isinstance(value, str):
        return value or None
    if value is pd.NaT:
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime().replace(tzinfo=None)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date | time):
        return value
    return None if value is None or value != value else float(value)


def expected(records: Records, place: int, missing: dict[int, Any]) -> list[Any]:
    """What a column should hold, from Arrow's types and the codes for missing."""
    column, codes = records.schema.columns[place], records.codes[:, place].astype(int)
    gone = column.is_missing(codes)
    if column.measured:
        assert records.numbers is not None
        turn = records.schema.measured_places.index(place)
        numbers = np.where(gone, np.nan, records.numbers[:, turn])
        array = range_of(column.domain).numbers_to_arrow(numbers, gone)
    else:
        array = column.domain.to_arrow(np.where(gone, 0, codes), gone)
    values = [plain(each) for each in array.to_pylist()]
    return [missing[code - column.domain.size] if lost else value
            for code, lost, value in zip(codes, gone, values, strict=True)]  # fmt: skip


NAMED: dict[str, dict[str, Any]] = {
    "sav": {
        "text": "-98",
        "number": -98.0,
        "moment": datetime(1582, 10, 13, 23, 58, 22),
        "clock": time(23, 58, 22),
    },
    "dta": {"text": "-98", "number": "a", "day": "a", "moment": "a", "clock": "a"},
}
"""What pyreadstat shows of the code for missing “not asked” in each content."""


@pytest.fixture
def every_kind(monkeypatch: pytest.MonkeyPatch) -> Records:
    toy_kinds.register(monkeypatch)
    raw = read_table(whole_table(60), name="t.csv")
    return encode_public(raw, whole_schema())


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_comes_back_with_both_of_its_codes_for_missing(
    every_kind: Records, form: StatisticsForm, tmp_path: Path
) -> None:
    frame, about = written(every_kind, form, tmp_path)
    layout = plan_layout(every_kind.schema, form)
    assert list(frame.columns) == list(every_kind.schema.names)
    assert about.column_names == list(every_kind.schema.names)
    for place, (example, laid) in enumerate(zip(EXAMPLES, layout.columns, strict=True)):
        name = every_kind.schema.names[place]
        named = NAMED[form].get(laid.content)
        if example.domain.kind == "dates" and form == "sav":
            named = date(9999, 12, 31)
        if form == "sav":
            assert list(about.variable_value_labels[name].values())[-1] == "not asked"
            assert len(about.missing_ranges[name]) == 1
        elif laid.content != "text":
            assert about.variable_value_labels[name] == {"a": "not asked"}
            assert about.missing_user_values[name] == ["a"]
        found = [plain(each) for each in frame[name]]
        wanted = expected(every_kind, place, {0: None, 1: named})
        assert found == wanted, name
    assert {each.content for each in layout.columns} == {"text", "number", "day", "moment", "clock"}


def test_pandas_reads_the_same_types_from_stata(every_kind: Records, tmp_path: Path) -> None:
    written(every_kind, "dta", tmp_path)
    frame = pd.read_stata(tmp_path / "table.dta", convert_categoricals=False)
    for place, name in enumerate(every_kind.schema.names):
        found = [plain(value) for value in frame[name]]
        laid = plan_layout(every_kind.schema, "dta").columns[place]
        missing = {0: None, 1: "-98" if laid.content == "text" else None}
        wanted = expected(every_kind, place, missing)
        if laid.content == "day":
            wanted = [each and datetime.combine(each, time()) for each in wanted]
        if laid.content == "clock":
            wanted = [each and datetime.combine(date(1960, 1, 1), each) for each in wanted]
        assert found == wanted, name
    assert frame["dates"].dtype.kind == frame["moments"].dtype.kind == "M"


LABELLED = Column(
    name="sex",
    title="Sex at birth",
    domain=Categories(values=("1", "2"), labels=("male", "female")),
    missing=True,
    missing_codes=(
        MissingCode(values=("-8",), label="not asked"),
        MissingCode(values=("-9",), label="refused"),
    ),
)
REGION = Column(
    name="region", domain=Categories(values=("N", "S"), labels=("north", "south")), missing=True
)
SMALL = Schema(columns=(LABELLED, REGION))


def small(schema: Schema = SMALL) -> Records:
    return Records(schema, np.array([[0, 0], [1, 1], [2, 2], [3, 0]], dtype=np.uint16))


def test_spss_has_titles_labels_and_declared_missing_values(tmp_path: Path) -> None:
    frame, about = written(small(), "sav", tmp_path)
    assert about.column_names_to_labels == {"sex": "Sex at birth", "region": None}
    assert about.variable_value_labels == {
        "sex": {1: "male", 2: "female", -8: "not asked", -9: "refused"},
        "region": {"N": "north", "S": "south"},
    }
    assert about.missing_ranges == {"sex": [{"lo": -9, "hi": -9}, {"lo": -8, "hi": -8}]}
    assert frame["sex"].tolist() == [1, 2, -8, -9]
    assert frame["region"].tolist() == ["N", "S", "", "N"]
    assert about.variable_measure == {"sex": "nominal", "region": "nominal"}
    assert plan_layout(SMALL, "sav").changes == ()


def test_stata_has_letters_for_missing_and_says_what_it_has_not(tmp_path: Path) -> None:
    frame, about = written(small(), "dta", tmp_path)
    assert frame["sex"].tolist() == [1, 2, "a", "b"]
    assert about.variable_value_labels == {
        "sex": {1: "male", 2: "female", "a": "not asked", "b": "refused"}
    }
    assert about.readstat_variable_types["sex"] == "int32"
    assert plan_layout(SMALL, "dta").changes == (
        "Column “sex”: in place of its codes for missing: “-8” is .a, “-9” is .b.",
        "Column “region”: Stata has no labels for texts: those of its values are not in the file.",
    )
    with pd.read_stata(tmp_path / "table.dta", iterator=True) as reader:
        assert reader.variable_labels() == {"sex": "Sex at birth", "region": ""}


ASKED = Column(
    name="score",
    title="Score of the test",
    domain=Grid(minimum=Decimal(0), maximum=Decimal(9)),
    missing=True,
    missing_codes=(
        MissingCode(),
        *(MissingCode(values=(f"-{code}",), label=f"reason {code}") for code in range(1, 6)),
    ),
)
BORN = Column(name="born", domain=Dates(minimum=date(1999, 1, 1), maximum=date(1999, 12, 31)))
FOR_HAVEN = Schema(columns=(LABELLED, ASKED, BORN))
_CODES = np.array([[0, 0, 0], [1, 9, 364], [2, 10, 31], [3, 11, 31], [0, 15, 59]], dtype=np.uint16)
_DAYS = float(BORN.domain.ranged.minimum if BORN.domain.ranged else 0) + _CODES[:, 2:]
_ROWS = Records(FOR_HAVEN, _CODES, _DAYS)


def test_what_haven_makes_labelled_vectors_of_is_in_the_files(tmp_path: Path) -> None:
    """Of value labels haven makes `labelled`, of user-missing values and ranges `na_values` and
    `na_range`, of letters tagged missing values, of formats dates, and of titles labels."""
    frame, about = written(_ROWS, "sav", tmp_path)
    assert about.variable_value_labels["score"] == {-code: f"reason {code}" for code in range(1, 6)}
    assert about.missing_ranges == {
        "sex": [{"lo": -9, "hi": -9}, {"lo": -8, "hi": -8}],
        "score": [{"lo": -5, "hi": -1}],
    }
    assert about.original_variable_types["born"] == "SDATE10"
    assert frame["score"].tolist()[3:] == [-1, -5]
    frame, about = written(_ROWS, "dta", tmp_path)
    assert about.missing_user_values == {"sex": ["a", "b"], "score": ["a", "e"]}
    assert about.variable_value_labels["score"] == {
        letter: f"reason {code}" for code, letter in enumerate("abcde", 1)
    }
    assert about.original_variable_types["born"] == "%tdCCYY-NN-DD"
    assert about.column_names_to_labels["score"] == "Score of the test"
    assert frame["score"].tolist()[3:] == ["a", "e"]


_READ = """
library(haven)
path <- commandArgs(TRUE)[1]
d <- if (grepl("sav$", path)) read_sav(path, user_na = TRUE) else read_dta(path)
for (name in names(d)) {
  x <- d[[name]]
  of <- function(what) paste(format(attr(x, what, exact = TRUE)), collapse = " ")
  tags <- if (is.double(x)) paste(ifelse(is.na(na_tag(x)), "-", na_tag(x)), collapse = "") else ""
  cat(name, class(x)[1], of("label"), paste(names(attr(x, "labels", exact = TRUE)),
      collapse = " "), of("na_values"), of("na_range"), tags, format(unclass(x)[2]), sep = "|")
  cat("\n")
}
"""


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no R here")
@pytest.mark.parametrize("form", FORMS)
def test_haven_reads_labels_missing_values_and_dates(form: StatisticsForm, tmp_path: Path) -> None:
    path, script = tmp_path / f"t.{form}", tmp_path / "read.R"
    export_records(_ROWS, plan_layout(FOR_HAVEN, form), path)
    script.write_text(_READ, encoding="utf-8")
    asked = ["Rscript", str(script), str(path)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if "no package called ‘haven’" in done.stderr:
        pytest.skip("R has no haven here")
    assert done.returncode == 0, done.stderr
    found = {line.split("|")[0]: line.split("|")[1:] for line in done.stdout.splitlines()}
    labels = " ".join(f"reason {code}" for code in range(1, 6))
    if form == "sav":
        assert found["sex"][:4] == [
            "haven_labelled_spss", "Sex at birth", "male female not asked refused", "-9 -8"
        ]  # fmt: skip
        assert found["score"][:2] == ["haven_labelled_spss", "Score of the test"]
        assert sorted(found["score"][2].split()) == sorted(labels.split())
        assert found["score"][4] == "-5 -1"
    else:
        assert found["sex"][0] == found["score"][0] == "haven_labelled"
        assert (found["sex"][5], found["score"][5]) == ("--ab-", "---ae")
        assert found["score"][2] == labels
    assert found["born"][0] == "Date"
    assert found["born"][-1] == str((date(1999, 12, 31) - date(1970, 1, 1)).days)


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_are_whole_and_a_plain_code_for_missing_is_nothing(
    form: StatisticsForm, tmp_path: Path
) -> None:
    number = Column(name="n", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)))
    text = REGION.changed(missing_codes=unlabelled(["NA", ""]))
    schema = Schema(columns=(number, text))
    records = Records(schema, np.array([[0, 0], [9, 2]], dtype=np.uint16))
    frame, about = written(records, form, tmp_path)
    assert frame["n"].tolist() == [0, 9]
    assert frame["region"].tolist() == ["N", ""]
    if form == "sav":
        assert about.variable_measure == {"n": "scale", "region": "nominal"}
        assert about.original_variable_types["n"] == "F3.0"
    else:
        assert about.readstat_variable_types["n"] == "int32"
        assert about.original_variable_types["n"] == "%3.0f"


@pytest.mark.parametrize("form", FORMS)
def test_our_own_reader_suggests_the_same_codes(form: StatisticsForm, tmp_path: Path) -> None:
    written(small(), form, tmp_path)
    raw = read_table(tmp_path / f"table.{form}")
    letters = (".a", ".b") if form == "dta" else ("-9", "-8")
    assert raw.labels.missing["sex"] == letters
    assert raw.labels.values["sex"]["1"] == "male"
    assert raw.labels.titles["sex"] == "Sex at birth"


MEANINGS = st.lists(
    st.tuples(
        st.one_of(
            st.integers(-30, 60).map(str), st.sampled_from(["", "no", "?", ".c", ".z", "-1e20"])
        ),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
    unique_by=lambda each: each[0],
)


@given(MEANINGS, st.booleans())
def test_any_codes_stay_apart_from_each_other_and_from_numbers(
    tmp_path_factory: pytest.TempPathFactory, codes: list[tuple[str, bool]], listed: bool
) -> None:
    values = ("3", "14", "15", "40")
    domain = Categories(values=values) if listed else Grid(minimum=Decimal(3), maximum=Decimal(40))
    usable = [each for each in codes if not domain.holds(each[0])] or [("", False)]
    column = Column(
        name="it",
        domain=domain,
        missing=True,
        missing_codes=tuple(
            MissingCode(values=(text,), label=f"it is {place}" if labelled else "")
            for place, (text, labelled) in enumerate(usable)
        ),
    )
    schema = Schema(columns=(column, REGION))
    codes_of = np.arange(column.cardinality, dtype=np.uint16)
    records = Records(schema, np.column_stack([codes_of, codes_of * 0]))
    folder = tmp_path_factory.mktemp("codes")
    numbers = [float(text) for text in domain.texts]
    for form in FORMS:
        frame, about = written(records, form, folder)
        kept = [plain(each) if not isinstance(each, str) else each for each in frame["it"]]
        assert kept[: domain.size] == numbers
        assert len(set(kept)) == column.cardinality
        labels = about.variable_value_labels.get("it", {})
        for place, code in enumerate(column.missing_codes):
            if code.label:
                assert labels[kept[domain.size + place]] == code.label
        gone, _ = read(folder / f"table.{form}", user_missing=False)
        assert gone["it"].isna().tolist() == [False] * domain.size + [True] * len(usable)


@pytest.mark.parametrize("form", FORMS)
def test_codes_that_are_the_same_number_stay_apart(form: StatisticsForm, tmp_path: Path) -> None:
    codes = tuple(MissingCode(values=(text,), label=text) for text in ("-8", "-8.0"))
    column = Column(
        name="it",
        domain=Grid(minimum=Decimal(0), maximum=Decimal(3)),
        missing=True,
        missing_codes=codes,
    )
    records = Records(Schema(columns=(column, REGION)), np.array([[4, 0], [5, 0]], np.uint16))
    frame, _ = written(records, form, tmp_path)
    assert frame["it"].nunique() == 2


def named(*names: str) -> Schema:
    return Schema(columns=tuple(Column(name=each, domain=REGION.domain) for each in names))


@pytest.mark.parametrize("form", FORMS)
def test_names_are_changed_as_little_as_the_program_needs(
    form: StatisticsForm, tmp_path: Path
) -> None:
    long = "the mother's income before taxes in the last year, in thousands of the currency"
    schema = named("age", "Age", "a b", "a_b", "1st", "with", "_n", f"{long} 1", f"{long} 2", "né")
    records = Records(schema, np.zeros((1, len(schema)), dtype=np.uint16))
    frame, about = written(records, form, tmp_path)
    wanted = {"sav": 64, "dta": 32}[form]
    names = list(frame.columns)
    ends = ["v_n"] if form == "sav" else ["_n_"]
    assert names[:7] == ["age", "Age_2", "a_b_2", "a_b", "v1st", "with_", *ends]
    assert names[9] == "né"
    assert all(len(each) == wanted for each in names[7:9])
    assert len({each.casefold() for each in names}) == len(names)
    assert about.column_names_to_labels["v1st"] == "1st"
    changes = plan_layout(schema, form).changes
    assert "Column “a b” is called “a_b_2”." in changes
    assert [name for name in names if f"“{name}”." in " ".join(changes)] == [
        each for each, old in zip(names, schema.names, strict=True) if each != old
    ]


@given(st.lists(st.text(min_size=1, max_size=70), min_size=2, max_size=5, unique=True))
def test_every_name_that_a_column_can_have_is_taken(names: list[str]) -> None:
    try:
        schema = named(*names)
    except Refusal:
        return
    records = Records(schema, np.zeros((1, len(schema)), dtype=np.uint16))
    for form in FORMS:
        assert export_bytes(records, plan_layout(schema, form))


@pytest.mark.parametrize("form", FORMS)
def test_titles_and_labels_that_are_too_long_are_cut_and_named(
    form: StatisticsForm, tmp_path: Path
) -> None:
    domain = Categories(values=("1", "2"), labels=("x" * 200, "two"))
    column = Column(name="it", title="ä" * 300, domain=domain)
    records = Records(Schema(columns=(column, REGION)), np.zeros((1, 2), dtype=np.uint16))
    _, about = written(records, form, tmp_path)
    title, label = {"sav": (128, 120), "dta": (80, 200)}[form]
    assert about.column_names_to_labels["it"] == "ä" * title
    assert about.variable_value_labels["it"] == {1: "x" * label, 2: "two"}
    changes = plan_layout(records.schema, form).changes
    assert "Column “it”: its title is cut." in changes
    assert any("label" in each and "is cut" in each for each in changes) is (form == "sav")


def test_what_a_program_cannot_count_is_a_text(tmp_path: Path) -> None:
    early = Column(name="born", domain=Dates(minimum="1500-01-01", maximum="1500-12-31"))
    fine = Column(
        name="fine",
        domain=Grid(
            kind="numbers",
            minimum=Decimal(10) ** 14,
            maximum=Decimal(10) ** 14 + Decimal("0.01"),
            step=Decimal("0.001"),
        ),
    )
    schema = Schema(columns=(early, fine))
    records = encode_public(
        read_table(b"born,fine\n1500-01-01,100000000000000.001\n", name="t.csv"), schema
    )
    spss, _ = written(records, "sav", tmp_path)
    assert spss.iloc[0].tolist() == ["1500-01-01", "100000000000000.001"]
    stata, _ = written(records, "dta", tmp_path)
    assert stata.iloc[0].tolist() == [date(1500, 1, 1), "100000000000000.001"]
    assert len(plan_layout(schema, "sav").changes) == 2
    assert len(plan_layout(schema, "dta").changes) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [0, 1])
def test_without_a_value_a_column_keeps_its_type(
    form: StatisticsForm, rows: int, tmp_path: Path
) -> None:
    number = Column(name="n", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)), missing=True)
    schema = Schema(columns=(number, REGION))
    records = Records(schema, np.full((rows, 2), [[10, 2]], dtype=np.uint16))
    frame, about = written(records, form, tmp_path)
    assert about.readstat_variable_types["n"] in ("double", "int32")
    assert about.readstat_variable_types["region"] == "string"
    assert len(frame) == rows


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("stained", [False, True])
def test_columns_kept_empty_and_the_mark_stand_where_they_were_released(
    form: StatisticsForm, stained: bool, tmp_path: Path
) -> None:
    left_out = Omission(name="name", place=0, why="name", empty=True)
    schema = SMALL.with_omissions([left_out, Omission(name="id", place=2)])
    records = small(schema)
    shown = stain_records(records, marked_schema(schema)) if stained else records
    path = tmp_path / "synthetic.csv"
    path.write_bytes(to_csv_bytes(shown))
    again = read_whole_table(path, schema, stained=stained)
    frame, _ = written(again, form, tmp_path)
    header = ["name", "sex", "region", *([COLUMN] if stained else [])]
    assert list(frame.columns) == header == path.read_text().splitlines()[0].split(",")
    assert set(frame["name"]) == {""}
    if stained:
        assert set(frame[COLUMN]) == {VALUE}


def test_a_table_of_another_schema_and_a_folder_that_is_not_there_are_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "synthetic.csv"
    path.write_bytes(to_csv_bytes(small()))
    other = Schema(columns=(REGION, LABELLED.changed(name="other")))
    with pytest.raises(Refusal, match="cannot be read as a released table"):
        read_whole_table(path, other, stained=False)
    # What is taken for a release may be the confidential table: its values are not repeated.
    path.write_text("sex,region\n1,Smallville\n")
    with pytest.raises(Refusal, match="cannot be read as a released table") as refusal:
        read_whole_table(path, SMALL, stained=False)
    assert "Smallville" not in str(refusal.value)
    layout = plan_layout(SMALL, "sav")
    with pytest.raises(Refusal, match="cannot be used"):
        export_records(small(), layout, tmp_path / "nowhere" / "t.sav")
    export_records(small(), layout, tmp_path / "t.sav")
    assert {each.name for each in tmp_path.iterdir()} == {"synthetic.csv", "t.sav"}
    assert (tmp_path / "t.sav").stat().st_mode & 0o077 == 0


def test_more_codes_than_stata_has_letters_are_refused() -> None:
    codes = tuple(MissingCode(values=(f"-{place}",), label=f"m{place}") for place in range(1, 28))
    schema = Schema(columns=(LABELLED.changed(missing_codes=codes), REGION))
    with pytest.raises(Refusal, match="letters"):
        plan_layout(schema, "dta")
    assert plan_layout(schema, "sav").columns[0].ranges == ({"lo": -27.0, "hi": -1.0},)


def test_a_demonstration_keeps_its_mark(tmp_path: Path) -> None:
    run = finished(Job(table(), seedless(), seed=3), tmp_path / "run")
    assert COLUMN in read_table_of(run).schema.names
    assert bears_mark(run.table)
