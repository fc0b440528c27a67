"""Where columns are known from: in groups, a line each, and nothing declared before it is said."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.column_origins import (
    UNSAID,
    check_origins,
    group_origins,
    list_origins,
    list_unsaid,
    read_line,
    set_origin,
    with_origins,
    write_options,
)
from understudy.table.authoring.declaration import declare
from understudy.table.authoring.edits import with_category, with_origin, with_range, with_settings
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.authoring.suggestion import respell
from understudy.table.categories import Categories
from understudy.table.column import EVERY_ORIGIN, KNOWN, Column, Origin, origins_said
from understudy.table.grid import Grid
from understudy.table.raw import Labels, RawTable
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

SCHEMA = category_schema(2, 3, 4)


def origins(schema: Schema) -> list[str]:
    return [each.origin for each in schema.columns]


def test_sources_are_typed_for_some_columns_and_for_the_rest() -> None:
    assert origins(with_origins(SCHEMA, ["codebook", "law=c1, c2"])) == ["codebook", "law", "law"]
    assert origins(with_origins(SCHEMA, ["design=c0"])) == ["design", "", ""]
    assert with_origins(SCHEMA, []) == SCHEMA


@pytest.mark.parametrize("text", ["hearsay", "7=c0", "table", "table=c*", "law=c9", "=c0"])
def test_what_is_no_source_or_no_column_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        with_origins(SCHEMA, [text])
    assert refused.value.field == "origin"


def test_a_source_is_kept_in_the_file_and_changes_nothing_that_was_declared() -> None:
    declared = SCHEMA.declare_public("a note")
    said = set_origin(declared, "questionnaire", ["c1"])
    assert said.declared
    assert said.fingerprint == SCHEMA.fingerprint
    assert origins(Schema.from_json(said.to_json())) == ["", "questionnaire", ""]
    assert "origin" not in SCHEMA.to_json()


def test_how_many_came_from_where() -> None:
    assert origins_said(["", ""]) == ""
    assert origins_said(["law", "", "codebook", "law"]) == (
        "Where it is known what the 4 columns may contain: 1 from a published codebook, 2 from a "
        "law or regulation, 1 not said."
    )
    assert all(each in origins_said([each]) or origins_said([each]) for each in KNOWN)


LINES = st.sampled_from(["", "codebook", "law", "the form of 2024", "the form of 2023"])
ANSWERS = tuple(str(each) for each in range(1, 6))


def questions(number: int, values: tuple[str, ...] = ANSWERS) -> list[Column]:
    return [
        Column(name=f"q{place}", domain=Categories(values=values)) for place in range(1, number + 1)
    ]


AGE = Column(name="age", domain=Grid(minimum=Decimal(0), maximum=Decimal(99)))
TOWN = Column(name="town", domain=Categories(values=("a", "b")))


def opened(text: str) -> tuple[RawTable, Schema]:
    raw = read_table(text.encode(), name="t.csv")
    return raw, suggest_first_schema(raw).schema


def test_questions_with_one_list_are_one_group() -> None:
    schema = Schema(columns=(*questions(34), AGE, TOWN))
    groups = group_origins(schema)
    assert [group.title for group in groups] == [
        "34 columns with the same list of 5 values",
        "1 column of numbers",
        "1 column of categories",
    ]
    assert groups[0].first_names == "q1, q2, q3, q4, q5, q6, q7, q8 and 26 more"


def test_two_shared_lists_are_two_groups_and_their_values_are_not_told() -> None:
    others = [Column(name=f"p{at}", domain=Categories(values=tuple("vwxyz"))) for at in range(3)]
    schema = Schema(columns=(*questions(3), *others))
    groups = group_origins(schema)
    assert [group.names for group in groups] == [("q1", "q2", "q3"), ("p0", "p1", "p2")]
    with pytest.raises(Refusal) as refused:
        check_origins(schema)
    assert "v, w" not in str(refused.value)
    assert "Of 6 of 6 columns" in refused.value.problem
    assert refused.value.field == UNSAID


@given(st.lists(LINES, min_size=2, max_size=12))
def test_every_column_without_a_source_is_in_one_group_and_said_ones_stay_beside_it(
    lines: list[str],
) -> None:
    columns = [*questions(len(lines) - 1), TOWN]
    schema = Schema(columns=tuple(columns))
    for column, line in zip(columns, lines, strict=True):
        origin, source = read_line(line)
        schema = set_origin(schema, origin, [column.name], source)
    groups = group_origins(schema)
    assert sorted(name for group in groups for name in group.names) == sorted(schema.names)
    for group in groups:
        said = {(each.origin, each.source) for each in map(schema.column, group.names)}
        assert said == {(group.origin, group.source)}
    left = [column.name for column, line in zip(columns, lines, strict=True) if not line]
    assert list(list_unsaid(schema)) == left
    known = list_origins(schema.columns)
    assert sorted((*left, *(each for names in known.values() for each in names))) == sorted(
        schema.names
    )
    again = Schema.from_json(schema.to_json())
    assert again == schema
    if left:
        with pytest.raises(Refusal):
            check_origins(schema)
        assert sum(each.count(",") + 1 for each in write_options(schema)) == len(left)
    else:
        check_origins(schema)


def test_half_of_the_groups_is_no_declaration_and_all_are_one() -> None:
    raw, schema = opened("job,town\n" + "clerk,x\ncook,y\nnurse,z\n" * 9)
    half = with_origins(schema, ["the form of 2024=job"])
    with pytest.raises(Refusal) as refused:
        declare(half, raw, "a note")
    assert "Of 1 of 2 columns" in refused.value.problem
    assert "town" in refused.value.problem
    assert "job" not in refused.value.problem
    declared = declare(half, raw, "a note", origins=["table=town"])
    assert declared.declared
    assert [each.known_from for each in declared.columns] == [
        "the form of 2024",
        "the table itself, each confirmed by name",
    ]


@pytest.mark.parametrize("text", ["table", "table=*", "table=c?", "", "labels", "12=c0"])
def test_what_was_read_off_the_table_is_confirmed_by_name_alone(text: str) -> None:
    with pytest.raises(Refusal):
        with_origins(SCHEMA, [text])
    named = with_origins(SCHEMA, ["table=c0,c2"])
    assert origins(named) == ["table", "", "table"]


def test_a_line_may_name_columns_by_pattern() -> None:
    schema = Schema(columns=(*questions(12), TOWN))
    said = with_origins(schema, ["the form, questions 1 to 9=q?", "codebook=q1?,town"])
    told = {each.name: each.known_from for each in said.columns}
    assert told["q9"] == "the form, questions 1 to 9"
    assert told["q12"] == told["town"] == "a published codebook"


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("", ("", "")),
        (" … ", ("", "")),
        ("12", ("", "")),
        ("codebook", ("codebook", "")),
        ("A law or regulation", ("law", "")),
        ("table", ("custodian", "table")),
        (" the  form\tof 2024 ", ("custodian", "the form of 2024")),
    ],
)
def test_a_line_is_a_kind_of_source_or_words_of_ones_own(
    line: str, known: tuple[Origin, str]
) -> None:
    assert read_line(line) == known


@pytest.mark.parametrize(("origin", "source"), [("", "the form"), ("custodian", "")])
def test_a_source_is_not_said_by_halves(origin: Origin, source: str) -> None:
    with pytest.raises(Refusal) as refused:
        with_origin(TOWN, origin, source)
    assert refused.value.field == "origin"


def test_labels_of_a_file_and_bounds_that_everybody_knows_are_sources() -> None:
    ages = "\n".join(str(20 + at % 60) for at in range(300))
    _, schema = opened("age\n".replace("\n", ",job\n") + ages.replace("\n", ",a\n") + ",b\n")
    assert origins(schema) == ["bounds", ""]
    raw, _ = opened("sex,job\n" + "1,1\n2,3\n" * 9)
    labels = Labels(values={"sex": {"1": "male", "2": "female", "3": "other"}})
    labelled = suggest_first_schema(RawTable(raw.arrow, raw.reading, labels=labels)).schema
    assert origins(labelled) == ["labels", ""]
    assert [group.names for group in group_origins(labelled)] == [("job",)]


@pytest.mark.parametrize("origin", ["labels", "bounds", "table"])
def test_what_is_typed_in_place_of_a_suggestion_has_no_source_yet(origin: Origin) -> None:
    column = with_origin(TOWN, origin)
    assert with_category(column, "c").origin == ""
    fewer = with_settings(column, domain=Categories(values=("a",)))
    assert fewer.origin == origin
    bounds = with_origin(AGE, origin)
    assert with_range(bounds, maximum="120").origin == ""
    assert with_settings(bounds, title="Age").origin == origin
    assert with_range(with_origin(AGE, "law"), maximum="120").origin == "law"


def test_bounds_read_off_the_table_anew_have_no_source() -> None:
    raw, schema = opened(
        "amount,b\n" + "".join(f'"{1 + at % 9},{at % 900:03d}",x\n' for at in range(400))
    )
    asked = with_origin(schema.column("amount"), "codebook")
    assert respell(asked, raw, asked.domain.choices[0]).origin == ""


def test_a_codebook_is_a_source_and_that_of_a_suggestion_is_none() -> None:
    schema = Schema(columns=(TOWN, AGE))
    entries = read_codebook(b"name,values\ntown,a=here; b=there\n", "c.csv")
    assert origins(merge_codebook(schema, entries).schema) == ["codebook", ""]
    titled = read_codebook(b"name,label\ntown,Town\n", "c.csv")
    assert origins(merge_codebook(schema, titled).schema) == ["", ""]
    back = read_codebook(csv_codebook(schema).encode(), "c.csv")
    assert origins(merge_codebook(schema, back).schema) == ["", ""]
    said = set_origin(set_origin(schema, "custodian", ["town"], "=the form"), "law", ["age"])
    again = read_codebook(csv_codebook(said).encode(), "c.csv")
    assert merge_codebook(schema, again).schema == said
    json = read_codebook(schema.to_json().encode(), "c.json")
    assert origins(merge_codebook(schema, json).schema) == ["", ""]


def test_every_kind_of_source_has_words_of_its_own() -> None:
    told = [
        Column(name="x", domain=TOWN.domain, origin=each, source="s").known_from
        for each in EVERY_ORIGIN
    ]
    assert len({*told}) == len(told)
    assert not {*KNOWN} & {"labels", "bounds", "table", "custodian", ""}
