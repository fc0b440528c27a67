"""In what schemas of the same columns differ, in words. Names of columns that cannot be shown, or
told apart, are refused wherever they come from.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import grouped
from tests.engine.table.refusals import refused
from understudy.core.refusal import Refusal
from understudy.core.text_escape import first_unseen
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.differences import differences
from understudy.table.grid import Grid
from understudy.table.missing_codes import unlabelled
from understudy.table.people import People
from understudy.table.raw import Labels
from understudy.table.schema import Declaration, Schema
from understudy.table.sources.reading import read_table

AGE = Column(
    name="AGE", domain=Grid(minimum=17, maximum=96), missing=True, buckets=ByWidth(width=10)
)
SEX = Column(
    name="SEX", title="Sex", domain=Categories(values=("1", "2"), labels=("Male", "Female"))
)
STATE = Column(
    name="STATE",
    domain=Categories(values=("m", "d", "w")),
    missing=True,
    missing_codes=unlabelled(("NA", "")),
    buckets=ByGroups(groups=(Group(label="now", values=("m",)),), rest="not now"),
)
PRICE = Column(
    name="PRICE",
    domain=Grid(kind="numbers", minimum="-0.5", maximum=2, step="0.25"),
    buckets=ByCuts(cuts=("0.1", 1)),
)
SCHEMA = Schema(columns=(AGE, SEX, STATE, PRICE))


def test_missing_is_the_last_code():
    assert AGE.cardinality == 81
    assert AGE.unknown_code == 80
    assert AGE.texts[0] == "17"
    assert AGE.texts[80] == ""
    assert AGE.labels[80] == "missing"
    assert SEX.unknown_code is None
    assert SEX.cardinality == len(SEX.texts) == len(SEX.labels) == 2


def test_missing_is_written_as_its_first_text():
    assert STATE.texts == ("m", "d", "w", "NA")


def test_labels_are_what_a_person_reads():
    assert SEX.labels == ("Male", "Female")
    assert STATE.labels == ("m", "d", "w", "missing")
    assert not SEX.ordered
    assert AGE.ordered


def test_missing_has_a_bucket_of_its_own():
    assert AGE.bucket_map[80] == 8
    assert AGE.bucket_count == 9
    assert AGE.bucket_labels[-1] == "missing"
    assert STATE.bucket_map.tolist() == [0, 1, 1, 2]
    assert STATE.bucket_labels == ("now", "not now", "missing")
    assert SEX.bucket_labels == SEX.labels


def test_what_is_derived_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        AGE.bucket_map[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        SCHEMA.cardinalities[0] = 1


def test_other_buckets_are_checked_and_take_effect():
    assert AGE.bucket_count == 9
    assert AGE.with_buckets(ByWidth(width=40)).bucket_count == 3
    refusal = refused(AGE.with_buckets, ByCuts(cuts=(200,)))
    assert refusal.field == "buckets"
    assert "“AGE”" in refusal.problem


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": " a"}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"missing_codes": ()}, "missing_codes"),
        ({"missing_codes": [{"values": ("SECRET ",)}]}, "missing_codes.0.missing_codes"),
        ({"missing_codes": unlabelled(("", "SECRET"))}, "missing_codes"),
        (
            {"domain": Grid(minimum=9, maximum=9), "missing_codes": unlabelled(("9.0",))},
            "missing_codes",
        ),
        ({"buckets": ByWidth(width=2)}, "buckets"),
        ({"domain": {"kind": "unheard"}}, "domain"),
        ({"colour": "SECRET"}, "colour"),
    ],
)
def test_unusable_columns_are_refused_at_their_field(settings, field):
    usable = {"name": "a", "domain": Categories(values=("SECRET", "b"))}
    Column(**usable)
    assert refused(Column, **{**usable, **settings}).field == field


def test_a_number_outside_the_range_may_stand_for_missing():
    column = Column(name="a", domain=Grid(minimum=0, maximum=98), missing_codes=unlabelled(("99",)))
    assert column.missing_values == ("99",)


def test_the_schema_knows_its_columns():
    assert len(SCHEMA) == 4
    assert SCHEMA.names == ("AGE", "SEX", "STATE", "PRICE")
    assert SCHEMA.cardinalities.tolist() == [81, 2, 4, 11]
    assert SCHEMA.cardinalities.dtype == np.int64
    assert SCHEMA.configurations == 81 * 2 * 4 * 11
    assert SCHEMA.column("SEX") is SEX
    assert SCHEMA.index("PRICE") == 3
    assert refused(SCHEMA.column, "age").field == "age"


def test_configurations_do_not_overflow():
    columns = tuple(Column(name=f"c{i}", domain=Grid(minimum=0, maximum=999)) for i in range(30))
    assert Schema(columns=columns).configurations == 1000**30


def test_too_few_too_many_and_repeated_columns():
    assert "1 column" in refused(Schema, columns=(AGE,)).problem
    many = tuple(SEX.changed(name=f"c{place}") for place in range(256))
    assert "256 column" in refused(Schema, columns=many).problem
    assert "Columns 1 and 3" in refused(Schema, columns=(AGE, SEX, AGE)).problem


def test_names_that_differ_only_by_case_are_different_columns():
    schema = Schema(columns=(SEX, SEX.changed(name="sex")))
    assert schema.index("sex") == 1


def test_a_declaration_covers_domains_and_buckets_but_not_labels():
    declared = SCHEMA.declare_public("from the code book")
    assert declared.declared
    assert not SCHEMA.declared
    assert declared.replace(SEX.changed(title="Gender")).declared
    assert declared.replace(SEX.changed(domain=Categories(values=("1", "2")))).declared
    assert not declared.replace(SEX.changed(domain=Categories(values=("2", "1")))).declared
    assert not declared.replace(AGE.with_buckets(EachValue())).declared
    assert not declared.replace(AGE.changed(missing=False)).declared
    assert not declared.replace(AGE.changed(missing_codes=unlabelled(("NA",)))).declared
    assert declared.replace(AGE.with_buckets(EachValue())).replace(AGE).declared


def test_the_fingerprint_is_about_meaning_not_spelling():
    same = SCHEMA.replace(AGE.changed(domain=Grid(minimum="17.0", maximum="9.6e1")))
    assert same.fingerprint == SCHEMA.fingerprint
    cuts = ByCuts(cuts=range(27, 97, 10))
    assert SCHEMA.replace(AGE.with_buckets(cuts)).fingerprint == SCHEMA.fingerprint
    assert len(SCHEMA.fingerprint) == 64


def test_the_declaration_is_kept_in_utc():
    at = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    declaration = SCHEMA.declare_public("note", at).declaration
    assert declaration == Declaration(
        at=datetime(2024, 5, 1, 10, tzinfo=UTC), domain=SCHEMA.fingerprint, note="note"
    )
    assert refused(SCHEMA.declare_public, at=datetime(2024, 5, 1)).field == "at"


def test_schemas_compare_hash_and_travel_whatever_was_derived():
    travelled = pickle.loads(pickle.dumps(SCHEMA))
    assert AGE.bucket_map is AGE.bucket_map
    assert travelled == SCHEMA
    assert hash(travelled) == hash(SCHEMA)
    assert travelled.column("AGE").bucket_map.tolist() == AGE.bucket_map.tolist()


def test_a_file_says_everything():
    declared = SCHEMA.declare_public("from the code book")
    again = Schema.from_json(declared.to_json())
    assert again == declared
    assert again.declared
    assert Schema.from_json("\ufeff" + declared.to_json()) == declared


def test_the_file_is_a_table_schema():
    age, sex, state, price = json.loads(SCHEMA.to_json())["fields"]
    assert age["type"] == "integer"
    assert age["constraints"] == {"required": False, "minimum": 17, "maximum": 96}
    assert age["understudy"] == {"step": 1, "buckets": {"kind": "width", "width": 10}}
    assert sex["constraints"] == {"required": True, "enum": ["1", "2"]}
    assert sex["categories"][0] == {"value": "1", "label": "Male"}
    assert state["missingValues"] == ["NA", ""]
    assert price["type"] == "number"
    assert price["constraints"]["minimum"] == -0.5


def test_a_file_that_was_changed_is_no_longer_declared():
    text = SCHEMA.declare_public().to_json().replace('"maximum": 96', '"maximum": 95')
    assert not Schema.from_json(text).declared


@given(
    st.lists(st.decimals(min_value=-(10**14), max_value=10**14, places=12), min_size=2, max_size=2)
)
@settings(max_examples=50, deadline=None)
def test_bounds_survive_the_file_exactly(bounds):
    low, high = sorted(bounds)
    step = max((high - low) / 100, Decimal("1e-12")).quantize(Decimal("1e-12"))
    column = Column(name="x", domain=Grid(kind="numbers", minimum=low, maximum=high, step=step))
    schema = Schema(columns=(SEX, column))
    assert Schema.from_json(schema.to_json()).column("x").texts == column.texts


def foreign(*fields, **settings):
    return json.dumps({"fields": [{"name": "other", "type": "boolean"}, *fields], **settings})


def test_a_table_schema_from_elsewhere_is_read():
    text = foreign(
        {"name": "a", "type": "integer", "constraints": {"minimum": 1, "maximum": 5}},
        {"name": "b", "type": "integer", "constraints": {"enum": [1, 2], "required": True}},
        {"name": "c", "type": "string", "description": "?", "categories": ["x", "y"]},
        {"name": "d", "type": "number", "constraints": {"minimum": "0.5", "maximum": 1.5}},
        {"name": "e", "type": "year", "constraints": {"minimum": 1900, "maximum": 2000}},
        {"name": "f", "type": "integer", "constraints": {"minimum": 0, "maximum": 1000000}},
        missingValues=["", "-"],
        primaryKey="a",
    )
    schema = Schema.from_json(text)
    assert schema.column("other").texts == ("false", "true", "")
    assert schema.column("a").texts == ("1", "2", "3", "4", "5", "")
    assert schema.column("a").missing_values == ("", "-")
    assert schema.column("b").texts == ("1", "2")
    assert schema.column("c").domain.values == ("x", "y")
    assert schema.column("d").domain.step == Decimal("0.005")
    assert schema.column("e").domain.size == 101
    assert schema.column("f").domain.step == 5000
    assert not schema.declared


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '"SECRET"',
        "[" * 100_000,
        '{"fields": 3}',
        '{"fields": []}',
        '{"fields": [3, 4]}',
        '{"fields": [{"title": "SECRET"}, {}]}',
        '{"fields": [{"name": 1}, {"name": 2}]}',
        '{"a": NaN}',
        '{"a": 1' + "0" * 5000 + "}",
        foreign({"name": "a", "type": "date"}),
        foreign({"name": "a", "type": ["integer"]}),
        foreign({"name": "a", "type": "integer", "constraints": {"minimum": 0}}),
        foreign({"name": "a", "type": "integer", "constraints": []}),
        foreign({"name": "a", "constraints": {"enum": "SECRET"}}),
        foreign({"name": "a", "constraints": {"enum": [["SECRET"]]}}),
        foreign({"name": "a", "constraints": {"enum": ["x"]}, "missingValues": [None]}),
        foreign({"name": "a", "constraints": {"enum": ["x"]}, "understudy": {"setp": 1}}),
        foreign({"name": "a", "constraints": {"enum": ["x"]}, "understudy": {"buckets": 3}}),
        foreign(
            {"name": "a", "constraints": {"enum": ["SECRET"]},
             "understudy": {"buckets": {"kind": "groups", "groups": [
                 {"label": "g", "values": ["x"]}]}}}
        ),
        foreign({"name": "a", "type": "number",
                 "constraints": {"minimum": True, "maximum": "SECRET"}}),
        foreign({"name": "other", "type": "boolean"}),
        foreign({"name": "a", "type": "boolean"}, understudy={"declared_public": "SECRET"}),
        foreign({"name": "a", "type": "boolean"}, understudy={"declared_public": {"at": "x"}}),
        foreign({"name": "a", "type": "boolean"}, understudy={"declared": {}}),
        '{"fields": [{"name": "a", "type": "integer", '
        '"constraints": {"minimum": 0, "maximum": 1e999999999}}]}',
    ],
)  # fmt: skip
def test_what_is_not_a_schema_is_refused_in_a_sentence(text):
    assert refused(Schema.from_json, text).problem.endswith(".")


def test_a_refusal_about_a_file_names_the_column():
    text = foreign({"name": "WKHP", "type": "integer"})
    refusal = refused(Schema.from_json, text)
    assert refusal.field == "WKHP"
    assert "“WKHP”" in refusal.problem


def test_saving_and_loading(tmp_path):
    path = tmp_path / "schema.json"
    SCHEMA.save(path)
    assert Schema.load(path) == SCHEMA
    assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_place_is_refused_and_loses_nothing(tmp_path):
    path = tmp_path / "schema.json"
    SCHEMA.save(path)
    path.with_name("folder").mkdir()
    assert refused(SCHEMA.save, tmp_path / "absent" / "schema.json").field == "out"
    assert refused(SCHEMA.save, tmp_path / "folder").field == "out"
    assert Schema.load(path) == SCHEMA
    assert sorted(found.name for found in tmp_path.iterdir()) == ["folder", "schema.json"]


def test_schema_files_that_cannot_be_read(tmp_path):
    assert "cannot be read" in refused(Schema.load, tmp_path / "absent.json").problem
    assert "cannot be read" in refused(Schema.load, tmp_path).problem
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    assert "not text" in refused(Schema.load, tmp_path / "binary.json").problem
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(40 << 20)
    assert "over 32 MiB" in refused(Schema.load, tmp_path / "huge.json").problem


DIFFERENCES_AGE = Column(name="age", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)))
JOB = Column(name="job", domain=Categories(values=("cook", "smith")))
DIFFERENCES_SCHEMA = Schema(columns=(DIFFERENCES_AGE, JOB))


def test_the_same_schema_differs_in_nothing() -> None:
    assert differences({"A": DIFFERENCES_SCHEMA, "B": DIFFERENCES_SCHEMA.declare_public()}) == ()


def test_each_thing_that_differs_is_named_with_how_each_schema_has_it() -> None:
    age = DIFFERENCES_AGE.changed(
        buckets=ByWidth(width=Decimal(5)), missing_codes=unlabelled(("?",)), title="Age"
    )
    people = People(person="who", order="visit", records_at_most=3)
    other = Schema(columns=(age, JOB), people=people, reading=Reading(kind="excel", sheet="people"))
    found = {each.what: each.said for each in differences({"A": DIFFERENCES_SCHEMA, "B": other})}
    assert found == {
        "age: buckets": {"A": "10: 0, 1, 2, …", "B": "2: 0 to 4, 5 to 9"},
        "age: texts that mean missing": {"A": "“”", "B": "“?”"},
        "age: title": {"A": "none", "B": "Age"},
        "Whose a record is": {
            "A": "each record stands for itself",
            "B": "“who” says it, 3 kept of each at most",
        },
        "How the file is read": {"A": "as the first", "B": "in another way"},
    }


def test_levels_above_the_groups_are_told_by_how_many_groups_they_make() -> None:
    one = grouped((12, 6, 3, 2))
    schema = Schema(columns=(one, JOB))
    other = schema.replace(one.changed(levels=one.levels[:1]))
    (found,) = differences({"A": schema, "B": other, "C": schema.replace(one.changed(levels=()))})
    assert found.what == "code: levels above the buckets"
    assert found.said == {"A": "3 groups, then 2 groups", "B": "3 groups", "C": "none"}


Maker = Callable[[list[str]], bytes]


def _csv(names: list[str]) -> bytes:
    return (",".join(names) + "\n1,2\n3,4\n").encode()


def _parquet(names: list[str]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table([pa.array(["1"]), pa.array(["2"])], names=names), sink)
    return bytes(sink.getvalue())


def _excel(names: list[str]) -> bytes:
    sink = io.BytesIO()
    pd.DataFrame([["1", "2"]], columns=names).to_excel(sink, index=False)
    return sink.getvalue()


FILES: dict[str, Maker] = {"t.csv": _csv, "t.parquet": _parquet, "t.xlsx": _excel}
UNSEEN = ["pa\u202ey", "pa\u200by", "\u2066pay", "pay\ufeff", "pa\xady", "p\x7fay", "\U000e0041pay"]
STEERING = ["\x1b[2Jpay", "pa\x08y"]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", UNSEEN)
def test_a_name_that_is_not_seen_whole_is_refused(file: str, name: str) -> None:
    refusal = refused(read_table, FILES[file](["age", name]), name=file)
    assert refusal.problem.startswith(f"The name of column 2 of {file} holds a character")
    assert "Rename" in refusal.remedy


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("name", STEERING)
def test_a_name_that_steers_a_terminal_is_refused(file: str, name: str) -> None:
    refusal = refused(read_table, FILES[file](["age", name]), name=file)
    assert refusal.problem.startswith(f"The name of column 2 of {file} holds a character")
    assert first_unseen(str(refusal)) is None


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_a_name_like_a_book_is_refused_without_it(file: str) -> None:
    refusal = refused(read_table, FILES[file](["age", "x" * 100_000]), name=file)
    assert refusal.problem == (
        f"The name of column 2 of {file} has 100,000 characters; at most 200 can be used."
    )


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("pair", [("é", "e\u0301"), ("kg", "ｋｇ"), ("Å", "\u212b")])
def test_names_in_two_forms_of_unicode_are_refused(file: str, pair: tuple[str, str]) -> None:
    refusal = refused(read_table, FILES[file](list(pair)), name=file)
    assert refusal.problem.startswith(f"The names of columns 1 and 2 of {file} look the same")


def test_capitals_tell_names_apart() -> None:
    assert read_table(_csv(["Age", "age"]), name="t.csv").names == ("Age", "age")


def test_a_name_over_two_lines_can_still_be_left_out() -> None:
    assert read_table(b'"a\nb",c,d\n1,2,3\n', name="t.csv").names == ("a\nb", "c", "d")


def _schema(**field: object) -> str:
    plain = {"type": "string", "constraints": {"enum": ["x", "y"]}}
    return json.dumps({"fields": [{"name": "a", **plain}, {"name": "b", **plain, **field}]})


@pytest.mark.parametrize("name", [*UNSEEN, *STEERING, "a\nb", "x" * 100_000])
def test_a_schema_has_no_such_name(name: str) -> None:
    refusal = refused(Schema.from_json, _schema(name=name))
    assert "b" in refusal.problem
    assert len(str(refusal)) < 1000
    assert first_unseen(str(refusal)) is None


def test_a_schema_has_no_two_names_that_look_the_same() -> None:
    kind = Categories(values=("x", "y"))
    with pytest.raises(Refusal, match="columns 1 and 2 of the schema look the same"):
        Schema(columns=(Column(name="é", domain=kind), Column(name="e\u0301", domain=kind)))


@pytest.mark.parametrize(
    "field",
    [
        {"title": "Sex\u202e"},
        {"title": "x" * 100_000},
        {"categories": [{"value": "x", "label": "\x1b[31m"}, {"value": "y", "label": "y"}]},
        {"categories": [{"value": "x", "label": "l" * 100_000}, {"value": "y", "label": "y"}]},
    ],
)
def test_titles_and_labels_are_seen_whole(field: dict[str, object]) -> None:
    refusal = refused(Schema.from_json, _schema(**field))
    assert refusal.problem.startswith("Column “b”")
    assert len(str(refusal)) < 1000


def test_what_a_file_says_of_its_columns_is_made_visible() -> None:
    found = Labels.of_file({"a": "Sex\u202e of\r\nthem"}, {"a": {"1": "\x1b[31mred"}}, {})
    assert found.titles == {"a": "Sex\\u202e of them"}
    assert found.values == {"a": {"1": "\\x1b[31mred"}}
    assert len(Labels.of_file({"a": "x" * 100_000}, {}, {}).titles["a"]) <= 1000


def test_a_value_stays_as_it_is_and_is_shown_whole() -> None:
    column = Column(name="a", domain=Categories(values=("x\u202e", "y")))
    assert column.texts == ("x\u202e", "y")
    assert column.labels == ("x\\u202e", "y")


def test_a_column_in_another_form_of_unicode_is_spoken_of() -> None:
    kind = Categories(values=("1", "3"))
    other = Categories(values=("2", "4"))
    from understudy.table.encoding import encode

    schema = Schema(columns=(Column(name="e\u0301", domain=kind), Column(name="b", domain=other)))
    refusal = refused(encode, read_table(_csv(["é", "b"]), name="t.csv"), schema)
    assert "another form of Unicode" in refusal.remedy


@pytest.mark.parametrize("note", ["the board\u202e", "\x1b[2J"])
def test_a_note_to_the_declaration_is_seen_whole(note: str) -> None:
    kind = Categories(values=("x", "y"))
    schema = Schema(columns=(Column(name="a", domain=kind), Column(name="b", domain=kind)))
    assert "is not seen" in refused(schema.declare_public, note).problem
    assert schema.declare_public("one\nمی\u200cخواهم\r\ntwo").declaration is not None
