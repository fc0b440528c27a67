import json
import pickle
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Declaration, Schema

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
    missing_values=("NA", ""),
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
    assert AGE.missing_code == 80
    assert AGE.texts[0] == "17"
    assert AGE.texts[80] == ""
    assert AGE.labels[80] == "missing"
    assert SEX.missing_code is None
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
        ({"missing_values": ()}, "missing_values"),
        ({"missing_values": ("SECRET ",)}, "missing_values"),
        ({"missing_values": ("", "SECRET")}, "missing_values"),
        ({"domain": Grid(minimum=0, maximum=99), "missing_values": ("99.0",)}, "missing_values"),
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
    column = Column(name="a", domain=Grid(minimum=0, maximum=98), missing_values=("99",))
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
    assert not declared.replace(AGE.changed(missing_values=("NA",))).declared
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
