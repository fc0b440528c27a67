"""Rows of a file that are no records, left out by declared rules."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.builders import excel
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.declared_reading import Reading, usual
from understudy.table.encoding import encode
from understudy.table.raw import RawTable
from understudy.table.row_rules import RowRule, parse_rules
from understudy.table.schema import Schema
from understudy.table.sources.csv.neighbour_files import reads_alike, records_of, with_line
from understudy.table.sources.reading import read_table

NAMES = ("age", "weight", "group")
RECORDS = [f"{20 + age},{60 + age},{'ab'[age % 2]}" for age in range(12)]
RULES = ("names again", "first value alone", "begins with Total", "weight begins with kg")
DROPPED = (
    "age,weight,group",
    " age , weight,group ",
    "Source: a survey",
    "Source: a survey,,",
    "Source,,,,",
    "Totals,720,12",
    "Total",
    "Total,1,2,3,4",
    ",kg,",
    "years,kg a head,",
)
KEPT = (
    "age,weight,groups",
    ",60,",
    "total,720,12",
    "grand Total,720,12",
    "Source,,,,x",
    '"Total',
    "a,b,c,d",
    "years, lb,kg",
    "70,,",
)
"""Each with what is not quite as a rule says; the last is a record of an age alone."""


def csv_of(*lines: str) -> bytes:
    return "\n".join([",".join(NAMES), *lines, ""]).encode()


def reading_of(*rules: str) -> Reading:
    return usual("csv").changed(leave_out=rules)


def read(data: bytes, *rules: str) -> RawTable:
    return read_table(data, reading_of(*rules), name="t.csv")


@pytest.mark.parametrize("line", DROPPED)
def test_a_row_that_a_rule_is_about_is_left_out(line: str) -> None:
    plain = records_of(read(csv_of(*RECORDS), *RULES))
    assert len(plain) == len(RECORDS)
    for place in (1, 5, len(RECORDS) + 1):
        raw = read(with_line(csv_of(*RECORDS), line.encode(), place, reading_of()), *RULES)
        assert records_of(raw) == plain
        assert raw.notes[0] == "1 row is left out, as its rule says."
        assert not any("cannot be taken apart" in note for note in raw.notes)


@pytest.mark.parametrize("line", KEPT[:-1])
def test_every_other_row_is_a_record(line: str) -> None:
    raw = read(csv_of(*RECORDS, line), *RULES)
    assert raw.rows == len(RECORDS) + 1
    lone = read(csv_of(*RECORDS, KEPT[-1]), "begins with Total", "names again")
    assert lone.rows == len(RECORDS) + 1


LINES = st.sampled_from([*DROPPED, *KEPT, *RECORDS[:3], "", "x,y,z", "\x00,,", "Tot,al,"])


@given(st.lists(LINES, min_size=1, max_size=8), LINES, st.sampled_from(RULES), st.data())
def test_whether_a_row_is_left_out_depends_on_it_alone(
    lines: Sequence[str], more: str, rule: str, data: st.DataObject
) -> None:
    smaller = csv_of(RECORDS[0], *lines)
    place = data.draw(st.integers(0, len(lines)))
    larger = csv_of(RECORDS[0], *lines[:place], more, *lines[place:])
    before = read(csv_of(RECORDS[0], *lines[:place]), rule).rows
    assert reads_alike(read(smaller, rule), read(larger, rule), before)


def test_the_same_rules_hold_for_workbooks_and_for_no_typed_files() -> None:
    rows = [NAMES, ("years", "kg", ""), (30, 70, "a"), (31, 71, "b"), NAMES, ("Total", 141, "2")]
    declared = reading_of(*RULES)
    raw = read_table(excel([*rows, ("Source: a survey",)]), declared, name="t.xlsx")
    assert raw.reading == usual("excel").changed(leave_out=RULES)
    assert records_of(raw) == [("30", "70", "a"), ("31", "71", "b")]
    assert raw.notes[0] == "4 rows are left out, as their rules say."
    assert declared.of_kind("parquet") == usual("parquet")
    with pytest.raises(Refusal, match="has no rules for rows") as refusal:
        usual("parquet").changed(leave_out=RULES)
    assert refusal.value.field == "leave_out"


def test_a_rule_is_part_of_what_is_declared_and_of_the_schema_file() -> None:
    raw = read_table(csv_of(*RECORDS, "Total,1,1"), name="t.csv", leave_out=parse_rules(RULES))
    schema = suggest_schema(raw).schema
    assert schema.reading == reading_of(*RULES)
    again = Schema.from_json(schema.declare_public("a test").to_json())
    assert again.reading == schema.reading
    assert again.declared
    assert len(encode(raw, again)) == len(RECORDS)
    other = again.with_reading(reading_of(*RULES[1:]))
    assert not other.declared
    with pytest.raises(Refusal, match="not read as the schema says"):
        encode(raw, other)
    plain = schema.with_reading(usual("csv"))
    assert "leave_out" not in plain.to_json()
    assert plain.fingerprint == plain.with_reading(None).fingerprint


WORDS = st.text("ab.:-“ü 1", min_size=1, max_size=9).map(lambda text: " ".join(text.split()))


@given(WORDS, WORDS.filter(bool), st.sampled_from(["names", "alone", "begins"]))
def test_a_rule_is_the_same_again_after_being_typed(column: str, text: str, kind: str) -> None:
    rule = RowRule(kind=kind, column=column, text=text) if kind == "begins" else RowRule(kind=kind)
    assert RowRule.parse_rule(f"  {rule.line} ") == rule
    assert parse_rules([rule.line, "", rule.line]) == (rule,)
    assert rule.words


@pytest.mark.parametrize("line", ["", "Total", "begins with", "begins with ", "names", "\0"])
def test_what_is_no_rule_is_refused(line: str) -> None:
    with pytest.raises(Refusal, match="not understood") as refusal:
        RowRule.parse_rule(line)
    assert refusal.value.field == "leave_out"


def test_rules_that_cannot_be_followed_are_refused() -> None:
    with pytest.raises(Refusal, match="at most"):
        reading_of(*(f"begins with {number}" for number in range(21)))
    with pytest.raises(Refusal, match="no such column"):
        read(csv_of(*RECORDS), "height begins with 1")
    with pytest.raises(Refusal, match="no records"):
        read(csv_of("Total,1,2"), "begins with Total")
