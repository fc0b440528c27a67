"""Records that belong to people: declared, kept up to a public number, coded person by person."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.runs.asked import finished
from tests.engine.table.refusals import refused
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.accounting.guarantee import MOST_RECORDS
from understudy.runs.table_file import read_first_records
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode, encode_public, outside
from understudy.table.grid import Grid
from understudy.table.people import MOST_PER_PERSON, People, check_single, group_people, moment_in
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sequences import Sequences, encode_sequences
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable

PEOPLE = People(person="who", order="visit", records_at_most=2)
WARD = Column(name="ward", domain=Categories(values=("a", "b", "c")))
FEVER = Column(
    name="fever",
    domain=Continuous(minimum=35, maximum=43, precision="0.1", step=1, unit="°C"),
    missing=True,
)
SCHEMA = Schema(columns=(WARD, FEVER), people=PEOPLE)

Row = tuple[str, str, str, str]
"""Who, visit, ward and fever."""


def table(*rows: Row) -> RawTable:
    """A table of these rows."""
    names = ["who", "visit", "ward", "fever"]
    columns = [text_column(np.arange(len(rows)), list(each)) for each in zip(*rows, strict=True)]
    return RawTable(table_of(names, columns), usual("csv"))


VISITS = table(
    ("ann", "3", "c", "38.5"),
    ("bob", "1", "a", "36.6"),
    ("ann", "1.0", "a", "39"),
    ("cid", "2", "b", ""),
    (" ann ", "02", "b", "41"),
    ("bob", "1", "b", "37"),
    ("bob", "9", "nowhere", "heavy"),
)


def sequences_of(found: Sequences) -> list[list[list[int]]]:
    return [found.of(person).codes.tolist() for person in range(len(found))]


def test_each_person_has_the_first_records_in_order_and_those_alike_as_they_stand() -> None:
    found = encode_sequences(VISITS, SCHEMA)
    assert len(found) == 3
    assert found.offsets.tolist() == [0, 2, 4, 5]
    assert found.records_at_most == 2
    assert sequences_of(found) == [[[0, 4], [1, 6]], [[0, 1], [1, 2]], [[1, 8]]]
    numbers = found.of(0).numbers
    assert numbers is not None
    assert numbers[:, 0].tolist() == [39, 41]


def test_records_stand_as_in_the_table_and_what_is_not_kept_need_not_fit() -> None:
    assert encode(VISITS, SCHEMA).codes[:, 0].tolist() == [0, 0, 1, 1, 1]
    assert all(each.total == 0 for each in outside(VISITS, SCHEMA))
    one = Schema(columns=SCHEMA.columns, people=PEOPLE.model_copy(update={"records_at_most": 1}))
    assert encode(VISITS, one).codes[:, 0].tolist() == [0, 0, 1]
    three = one.with_people(PEOPLE.model_copy(update={"records_at_most": 3}))
    assert refused(encode, VISITS, three).field == "ward"


def test_a_public_table_is_read_without_people() -> None:
    raw = RawTable(
        VISITS.arrow.select(["ward", "fever"]).slice(0, 5).combine_chunks(), usual("csv")
    )
    assert len(encode_public(raw, SCHEMA)) == 5
    assert refused(encode, raw, SCHEMA).field == "who"


rows = st.tuples(
    st.sampled_from(["ann", "bob", "cid", "dan"]),
    st.integers(0, 3).map(str) | st.sampled_from(["1.5", "-1e3"]),
    st.sampled_from("abc"),
    st.sampled_from(["", "36.6", "40", "42.9"]),
)


@given(
    st.lists(rows, min_size=1, max_size=12),
    st.lists(st.tuples(rows, st.integers(0, 12)), min_size=1, max_size=5),
    st.integers(1, 4),
)
def test_one_more_person_changes_nothing_of_the_others(
    there: list[Row], more: list[tuple[Row, int]], most: int
) -> None:
    """Whatever the person's records are, how many there are and wherever they stand."""
    schema = SCHEMA.with_people(PEOPLE.model_copy(update={"records_at_most": most}))
    tagged = [(False, row) for row in there]
    for row, place in more:
        tagged.insert(place % (len(tagged) + 1), (True, ("new", *row[1:])))
    few, many = table(*there), table(*(row for _, row in tagged))
    new = [place for place, (is_new, _) in enumerate(tagged) if is_new]
    rows, offsets = group_people(many, schema.people or PEOPLE)
    one, other = encode_sequences(few, schema), encode_sequences(many, schema)
    spans = [(low, high) for low, high in pairwise(offsets.tolist()) if rows[low] not in new]
    rest = [other.records.codes[low:high].tolist() for low, high in spans]
    assert rest == sequences_of(one)
    assert len(other) == len(one) + 1
    assert len(other.records) == len(one.records) + min(most, len(new))
    # The same of records as they stand in the table.
    kept = np.sort(rows)
    assert encode(many, schema).codes[~np.isin(kept, new)].tolist() == (
        encode(few, schema).codes.tolist()
    )


@given(st.lists(rows, min_size=1, max_size=12), st.integers(1, 4), st.randoms())
def test_no_more_than_l_of_anybody(there: list[Row], most: int, random: object) -> None:
    schema = SCHEMA.with_people(PEOPLE.model_copy(update={"records_at_most": most}))
    found = encode_sequences(table(*there), schema)
    whose = [who for who, *_ in there]
    order = list(dict.fromkeys(whose))
    assert np.diff(found.offsets).tolist() == [min(most, whose.count(who)) for who in order]
    for person, who in enumerate(order):
        own = [row for row in there if row[0] == who]
        first = sorted(own, key=lambda row: float(row[1]))[:most]
        wards = [row[2] for row in first]
        assert found.of(person).codes[:, 0].tolist() == ["abc".index(ward) for ward in wards]


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        (("", "1", "a", ""), "who", "1 records do not say whose"),
        (("  ", "1", "a", ""), "who", "whose"),
        (("ann", "", "a", ""), "visit", "not a number"),
        (("ann", "SECRET", "a", ""), "visit", "not a number"),
    ],
)
def test_a_record_of_nobody_or_without_a_place_is_refused(row: Row, field: str, words: str) -> None:
    for read in (encode, encode_sequences):
        refusal = refused(read, table(row, ("bob", "2", "b", "")), SCHEMA)
        assert refusal.field == field
        assert words in refusal.problem
        assert "SECRET" not in str(refusal)


def test_an_order_of_days_and_times() -> None:
    schema = SCHEMA.with_people(PEOPLE.model_copy(update={"order_is": "time"}))
    raw = table(
        ("ann", "2020-01-02", "c", ""),
        ("ann", "2020-01-01T23:59:59.5", "b", ""),
        ("ann", "2020-01-01 23:59:59", "a", ""),
        ("bob", "2020-01-01 00:00", "b", ""),
        ("bob", "2019-12-31T23:00-05:00", "c", ""),
        ("bob", "2020-01-01", "a", ""),
    )
    found = sequences_of(encode_sequences(raw, schema))
    assert [[code for code, _ in each] for each in found] == [[0, 1], [1, 0]]
    assert refused(encode, table(("ann", "2020-02-30", "a", "")), schema).field == "visit"


def test_an_order_is_read_as_it_is_written() -> None:
    told = {"order_is": "time", "order_written": "DD.MM.YYYY hh:mm"}
    schema = SCHEMA.with_people(PEOPLE.model_copy(update=told))
    raw = table(
        ("ann", "02.01.2020 00:00", "c", ""),
        ("ann", "01.02.2019 23:59", "b", ""),
        ("ann", "15.01.2019 8:30", "a", ""),
        ("bob", "03.01.2020 07:00", "b", ""),
    )
    found = sequences_of(encode_sequences(raw, schema))
    assert [[code for code, _ in each] for each in found] == [[0, 1], [1]]
    assert refused(encode, table(("ann", "31.02.2020 8:00", "a", "")), schema).field == "visit"
    again = Schema.from_json(schema.to_json())
    assert again.people == schema.people
    assert again.fingerprint == schema.fingerprint != SCHEMA.fingerprint
    assert "order_written" not in SCHEMA.to_json()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"order_is": "number", "order_written": "DD.MM.YYYY"}, "order is one of numbers"),
        ({"order_is": "time", "order_written": "DD/MM/YYYY or MM/DD/YYYY"}, "Say which one"),
        ({"order_is": "time", "order_written": "DD.MM.YY"}, "two digits"),
        ({"order_is": "time", "order_written": "sometimes"}, "not understood"),
    ],
)
def test_an_order_that_can_be_read_in_several_ways_is_refused(
    told: dict[str, str], said: str
) -> None:
    given = {**PEOPLE.as_dict(), **told}
    refusal = refused(People.read, given)
    assert said in f"{refusal.problem} {refusal.remedy}"


@pytest.mark.parametrize("text", ["", "2020", "12:30:00", "20200101", "2020-13-01", "+12020-01-01"])
def test_what_is_no_point_in_time(text: str) -> None:
    assert moment_in(text) is None


@given(st.datetimes(), st.datetimes())
def test_points_in_time_sort_as_they_follow_each_other(one: object, other: object) -> None:
    first, second = moment_in(str(one)), moment_in(str(other))
    assert first is not None
    assert second is not None
    assert (first < second) == (one < other)  # type: ignore[operator]


def test_a_schema_file_says_whose_the_records_are() -> None:
    again = Schema.from_json(SCHEMA.to_json())
    assert again == SCHEMA
    assert again.fingerprint == SCHEMA.fingerprint
    alone = SCHEMA.with_people(None)
    assert "people" not in alone.to_json()
    others = [{"person": "id"}, {"order": "age"}, {"order_is": "time"}, {"records_at_most": 9}]
    prints = {SCHEMA.with_people(PEOPLE.model_copy(update=each)).fingerprint for each in others} | {
        SCHEMA.fingerprint,
        alone.fingerprint,
    }
    assert len(prints) == 6


def test_whatever_else_changes_in_a_schema_the_people_stay() -> None:
    for changed in (
        SCHEMA.with_columns(SCHEMA.columns[::-1]),
        SCHEMA.with_reading(usual("parquet")),
        SCHEMA.declare_public(),
        SCHEMA.replace(WARD.changed(title="Ward")),
        SCHEMA.refine([True, False]),
    ):
        assert changed.people == PEOPLE
    assert SCHEMA.declare_public().declared
    assert not SCHEMA.declare_public().with_people(None).declared


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"person": " "}, "person"),
        ({"order": ""}, "order"),
        ({"order": "who"}, "order"),
        ({"records_at_most": 0}, "records_at_most"),
        ({"records_at_most": MOST_PER_PERSON + 1}, "records_at_most"),
        ({"order_is": "rank"}, "order_is"),
    ],
)
def test_unusable_people_are_refused_at_their_field(
    settings: dict[str, object], field: str
) -> None:
    assert refused(People.read, {**PEOPLE.as_dict(), **settings}).field == field
    text = json.loads(SCHEMA.to_json())
    text["understudy"]["people"] |= settings
    assert refused(Schema.from_json, json.dumps(text)).field == field


def test_a_person_is_no_column_that_is_released_and_an_order_may_be() -> None:
    who = Column(name="who", domain=Categories(values=("ann", "bob")))
    assert refused(Schema, columns=(WARD, who), people=PEOPLE).field == "who"
    visit = Column(name="visit", domain=Grid(minimum=0, maximum=9))
    assert Schema(columns=(WARD, visit), people=PEOPLE).names == ("ward", "visit")


def test_as_many_records_of_a_person_as_a_guarantee_is_stated_for() -> None:
    assert MOST_PER_PERSON == MOST_RECORDS


def test_a_mechanism_of_single_records_counts_on_all_of_a_person() -> None:
    check_single(None, 1)
    check_single(PEOPLE, 2)
    refusal = refused(check_single, PEOPLE, 1)
    assert "makes single records" in refusal.problem
    assert "Set the records per person to 2" in refusal.remedy
    assert Plan.of(SCHEMA).records_per_person == 2
    assert refused(Plan.of, SCHEMA, records_per_person=1).field == "records_per_person"
    assert Plan.of(SCHEMA.with_people(None)).records_per_person == 1


def test_a_table_read_piece_by_piece_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"who": ["a"], "visit": [1], "ward": ["a"], "fever": [36.6]}), path)
    refusal = refused(StreamedTable.open, path, SCHEMA)
    assert refusal.field == "people"
    assert "whole" in refusal.remedy
    assert len(encode(read_table(path), SCHEMA.with_reading(usual("parquet")))) == 1


def test_sequences_need_people() -> None:
    assert refused(encode_sequences, VISITS, SCHEMA.with_people(None)).field == "people"


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 0, 3], [0, 3], [0, 2, 1, 3], []])
def test_offsets_that_are_not_those_of_the_records(offsets: list[int]) -> None:
    records = Records(SCHEMA, np.zeros((3, 2), np.uint16))
    with pytest.raises(ValueError, match=r"offsets|more records"):
        Sequences(records, np.array(offsets, dtype=np.int64))
    with pytest.raises(ValueError, match="belong to people"):
        Sequences(records.under(SCHEMA.with_people(None)), np.array([0, 1, 2, 3]))


def test_offsets_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        encode_sequences(VISITS, SCHEMA).offsets[0] = 1


def test_a_release_of_single_records_has_no_person_and_counts_on_all_of_theirs(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(3)
    many = [
        (f"SECRET-{rng.integers(900)}", f"{rng.integers(9)}", "abc"[rng.integers(3)], "37.2")
        for _ in range(2_500)
    ]
    schema = SCHEMA.declare_public()
    plan = Plan.of(schema, omega=Omega(low=2, high=2), public_records=1_500, attempts=100)
    records = encode(table(*many), schema)
    run = finished(Job(records, plan, seed=7, figures=False), tmp_path / "run")
    text = run.table.read_text(encoding="utf-8")
    assert text.startswith("ward,fever,not_private\n")
    assert "SECRET" not in text
    assert len(read_first_records(run.table, schema, 1_000)) > 0
    said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert said["plan"]["records_per_person"] == 2
    assert "who" not in said["table"]["columns"]
