"""Whatever is suggested from a table is the same in whichever order its records stand. What a
suggested schema needs looked at, the most pressing first. Which column may say whose a record is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from tests.support import panel_csv
from understudy.core.refusal import Refusal
from understudy.table.authoring.attention import ATTENTION, needs_attention
from understudy.table.authoring.column_origins import set_origin
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.authoring.group_suggestions import suggested_groups
from understudy.table.authoring.record_owner import (
    Likely,
    RowOrder,
    likely_order,
    likely_people,
    order_of,
)
from understudy.table.authoring.settled_columns import (
    derived_columns,
    evenly_spread_records,
    settling_columns,
)
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.buckets import ByWidth, EachValue
from understudy.table.categories import Categories
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode, outside
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

DAY = date(1990, 1, 1)


def raw(**columns):
    made = [text_column(np.arange(len(texts)), list(texts)) for texts in columns.values()]
    return RawTable(table_of(list(columns), made), usual("csv"))


def suggested(texts, rows=None):
    """The suggestion for one column, beside another, its texts repeated to fill the rows."""
    texts = list(texts)
    rows = rows or 2 * len(texts)
    column = list(islice(cycle(texts), rows))
    table = raw(x=column, y=list(islice(cycle("ab"), rows)))
    found = suggest_schema(table)
    assert all(counted.total == 0 for counted in outside(table, found.schema))
    return found.schema.column("x"), " ".join(found.notes["x"])


def test_words_are_categories_in_order():
    column, notes = suggested(["Male", "Female", " Male"])
    assert column.domain.values == ("Female", "Male")
    assert not column.missing
    assert "codebook" in notes


def test_few_whole_numbers_are_categories_in_numeric_order():
    column, _ = suggested(["10", "9", "1", "2"])
    assert column.domain.values == ("1", "2", "9", "10")


def test_few_numbers_written_in_two_ways_are_numbers():
    column, _ = suggested(["1", "1.0", "2", "3"])
    assert column.domain.kind == "integers"


def test_many_whole_numbers_are_a_range_with_round_bounds():
    column, notes = suggested(str(age) for age in range(17, 91))
    assert column.domain.kind == "integers"
    assert (column.domain.minimum, column.domain.maximum) == (15, 90)
    assert column.domain.step == 1
    assert column.buckets == ByWidth(width=10)
    assert "bounds come from" in notes


def test_wide_whole_numbers_get_a_round_step():
    column, notes = suggested(str(number) for number in range(0, 100_000, 997))
    assert column.domain.step == 500
    assert column.domain.size <= 201
    assert column.domain.maximum == 100_000
    assert "steps of 500" in notes
    assert 8 <= column.bucket_count <= 12


def test_a_long_step_is_read_in_threes():
    _, notes = suggested(str(number) for number in range(0, 10**10, 10**8 - 3))
    assert re.search(r"steps of \d{1,3}(,000)+\.", notes)


def test_whole_numbers_written_with_decimals_are_integers():
    column, _ = suggested(f"{number}.0" for number in range(100))
    assert column.domain.kind == "integers"


def test_decimals_are_numbers_with_a_round_step():
    column, _ = suggested(f"{number / 10:.1f}" for number in range(5, 105))
    assert column.domain.kind == "numbers"
    assert column.domain.step == Decimal("0.1")
    assert column.domain.size <= 201
    column, _ = suggested(str(number / 977) for number in range(300))
    assert column.domain.size <= 201


def test_a_short_range_is_not_bucketed():
    column, _ = suggested(["0.5", "1", "1.5", "2.0"])
    assert column.domain.kind == "numbers"
    assert column.buckets == EachValue()


def test_one_decimal_value():
    column, notes = suggested(["2.5"])
    assert column.domain.minimum <= Decimal("2.5") <= column.domain.maximum
    assert "same value" in notes


def test_one_category():
    column, notes = suggested(["Hamburg"])
    assert column.domain.values == ("Hamburg",)
    assert "same value" in notes


def test_numbers_with_leading_zeros_are_codes():
    column, notes = suggested(f"{number:03d}" for number in range(100))
    assert column.domain.values[7] == "007"
    assert "begin with zeros" in notes


def test_texts_for_missing_are_recognised():
    column, notes = suggested(["Male", "Female", "?", "", "NA"])
    assert column.missing
    assert column.missing_values == ("", "NA", "?")
    assert column.domain.values == ("Female", "Male")
    assert "3 different texts" in notes
    assert "stand for missing" in suggested(["yes", "no", "None"])[1]


def test_one_short_word_among_numbers_is_missing():
    column, notes = suggested(["N", *map(str, range(100))])
    assert column.missing_values == ("N",)
    assert column.ordered
    assert "only text among numbers" in notes


@pytest.mark.parametrize("word", ["90+", "somewhere near fifty"])
def test_a_top_code_or_a_sentence_among_numbers_is_a_category(word):
    column, notes = suggested([word, *map(str, range(50))])
    assert not column.missing
    assert column.domain.values[-1] == word
    assert "All but 1" in notes


def test_numbers_with_decimal_commas_are_numbers():
    column, notes = suggested(["3,5", "2,5", "1"])
    assert column.ordered
    assert "written as 1234,5" in notes


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([f"{DAY + timedelta(place):%d.%m.%Y}" for place in range(1500)], "dates"),
        ([f"{DAY + timedelta(place)} 10:07" for place in range(1500)], "moments"),
        ([f"{place},{place % 7}5" for place in range(1500)], "numbers"),
    ],
)
def test_what_is_nearly_all_of_a_kind_and_too_much_for_a_list_is_of_that_kind(texts, kind):
    words = ["unknown", "refused", "n/a (2)"]
    found = suggest_schema(raw(x=[*texts, *words], y=["a", "b", "c"] * 501))
    assert found.schema.column("x").domain.kind == kind
    assert "All but 3 of its different texts" in " ".join(found.notes["x"])
    odd = [f"x{place}y" for place in range(1500)]
    refusal = refused(suggest_schema, raw(x=odd, y=["a"] * 1500))
    assert "more than 1,000 categories" in refusal.problem


def test_a_column_missing_throughout_is_refused_by_name():
    refusal = refused(suggest_schema, raw(x=["", "NA", "?"], y=["a", "b", "c"]))
    assert refusal.field == "x"
    assert "“x” is missing in every record" in refusal.problem
    assert "Leave it out" in refusal.remedy


def test_too_many_categories_are_refused_by_name():
    names = [f"SECRET{number}" for number in range(1001)]
    refusal = refused(suggest_schema, raw(x=names, y=["a"] * 1001))
    assert refusal.field == "x"
    assert "more than 1,000 categories" in refusal.problem
    assert suggest_schema(raw(x=names[1:], y=["a"] * 1000)).schema.column("x").cardinality == 1000


@pytest.mark.parametrize("texts", [["SECRET" * 200, "b"], ["1234567890123456", "3.5"]])
def test_texts_and_numbers_beyond_description_are_refused_by_name(texts):
    refusal = refused(suggest_schema, raw(x=texts, y=["a", "b"]))
    assert refusal.field == "x"
    assert "“x”" in refusal.problem


def test_several_columns_are_refused_together():
    table = raw(x=["", ""], y=["NA", "NA"], z=["a", "b"])
    refusal = refused(suggest_schema, table)
    assert "“x”" in refusal.problem
    assert "“y”" in refusal.problem
    assert "x, y" in refusal.remedy


def test_columns_can_be_left_out():
    table = raw(x=["", ""], y=["1", "2"], z=["a", "b"])
    found = suggest_schema(table, leave_out=["x"])
    assert found.schema.names == ("y", "z")
    assert set(found.notes) == {"y", "z"}
    assert refused(suggest_schema, table, leave_out=["w"]).field == "leave_out"
    assert refused(suggest_schema, table, leave_out=["x", "y"]).field == "columns"


@pytest.mark.parametrize("make", ["{}", "P{}"])
def test_values_that_all_differ_are_pointed_out(make):
    texts = [make.format(number * 3) for number in range(200)]
    assert "identifies" in suggested(texts, rows=200)[1]
    assert "identifies" not in suggested(texts, rows=400)[1]


def test_texts_that_occur_nowhere_are_not_suggested():
    places = np.zeros(2, dtype=np.int64)
    columns = [text_column(places, ["a", "SECRET"]), text_column(places, ["b", "?"])]
    unused = RawTable(table_of(["x", "y"], columns), usual("csv"))
    first, second = suggest_schema(unused).schema.columns
    assert first.domain.values == ("a",)
    assert not second.missing


def test_nothing_suggested_is_declared_public():
    found = suggest_schema(raw(x=["1", "2"], y=["a", "b"]))
    assert not found.schema.declared


cells = st.one_of(
    st.sampled_from(["", "NA", "?", "x", "y z", "007", "1e400", "inf", "3,5", "90+"]),
    st.integers(-(10**6), 10**6).map(str),
    st.floats(-1e6, 1e6).map(str),
)


@given(st.lists(cells, min_size=1, max_size=40))
@settings(max_examples=100, deadline=None)
def test_whatever_is_suggested_fits_the_file_and_survives_its_own(texts):
    table = raw(x=texts, y=["a"] * len(texts))
    try:
        schema = suggest_schema(table).schema
    except Refusal as refusal:
        refused_at = refusal.field
    else:
        refused_at = "x"
        assert len(encode(table, schema)) == len(texts)
        assert Schema.from_json(schema.to_json()) == schema
    assert refused_at == "x"


def test_what_cannot_be_read_is_never_suggested():
    data = b"place,kind\n" + b"Bern,1\nZ\xc3\xbcrich,2\n" * 30 + b'Gen\xe8ve,1\n"Basel,2\nx\0y,1\n'
    raw = read_table(data, usual("csv"), name="t.csv")
    found = suggest_schema(raw)
    place, kind = found.schema.columns
    assert place.domain.texts == ("Bern", "Zürich")
    assert kind.domain.texts == ("1", "2")
    assert any("cannot be read" in note for note in found.notes["place"])
    assert found.schema.reading == raw.reading


def test_how_a_file_is_read_is_suggested_with_its_columns():
    semicolons = suggest_schema(read_table(b"a;b\n1;2\n2;1\n", name="t.csv")).schema
    assert semicolons.reading == usual("csv").changed(separator=";")
    assert Schema.from_json(semicolons.to_json()) == semicolons
    commas = semicolons.with_reading(usual("csv"))
    assert commas.fingerprint == semicolons.with_reading(None).fingerprint
    assert commas.fingerprint != semicolons.fingerprint
    assert not semicolons.declare_public().with_reading(usual("csv")).declared


Columns = dict[str, list[str]]


def table(columns: Columns, order: np.ndarray | None = None) -> RawTable:
    """A table as a file would hold it, whose texts stand in the order in which they first occur."""
    rows = len(next(iter(columns.values())))
    at = np.arange(rows) if order is None else order
    made = [
        text_column(np.arange(rows), [told[place] for place in at]) for told in columns.values()
    ]
    return RawTable(table_of(list(columns), made), usual("csv"))


def suggestions(raw: RawTable) -> dict[str, Any]:
    """All that is suggested from a table."""
    settling = settling_columns(raw, raw.names)
    suggested = suggest_schema(raw)
    derived = derived_columns(settling, raw.names)
    try:
        first: Any = suggest_first_schema(raw)
    except Refusal as refusal:
        first = (refusal.problem, refusal.remedy, refusal.field)
    return {
        "schema": suggested.schema,
        "notes": suggested.notes,
        "settling": settling,
        "attention": needs_attention(raw, suggested.schema, derived),
        "first": first,
        "people": likely_people(raw),
        "order": [likely_order(raw, name) for name in raw.names],
        "order is": [order_of(raw, name) for name in raw.names],
        "groups": [
            suggested_groups(each.domain)
            for each in suggested.schema.columns
            if isinstance(each.domain, Categories)
        ],
    }


def column(rng: np.random.Generator, rows: int, of: list[np.ndarray]) -> np.ndarray:
    """A column of some kind, which may have to do with one before it."""
    kinds: list[Callable[[], np.ndarray]] = [
        lambda: rng.integers(0, rng.integers(2, 9), rows),
        lambda: rng.integers(0, rng.integers(20, 900), rows),
        lambda: np.sort(rng.integers(0, 4, rows)),
        lambda: np.arange(rows),
        lambda: np.arange(rows) // rng.integers(2, 9),
        lambda: rng.choice(["", "NA", "?", "x", "7"], rows),
        lambda: rng.choice(["A-1", "A-2", "B-1", "B-2", "C-1", "C-2", "C-3"], rows),
        lambda: np.array([f"2020-0{month}-11" for month in rng.integers(1, 9, rows)]),
        lambda: rng.normal(50, 9, rows).round(1),
    ]
    if of:
        one = of[rng.integers(len(of))]
        places = np.unique(one, return_inverse=True)[1]
        kinds += [
            lambda: places // 3,
            lambda: np.where(rng.random(rows) < 0.015, 0, places % 4),
            lambda: np.where(rng.random(rows) < 0.3, places, 0),
        ]
    return np.asarray(kinds[rng.integers(len(kinds))]())


@given(seed=st.integers(0, 2**32 - 1))
def test_every_suggestion_is_the_same_for_any_order_of_the_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([30, 300, 700]))
    found: list[np.ndarray] = []
    for _ in range(rng.integers(2, 6)):
        found.append(column(rng, rows, found))
    columns = {f"c{at}": [str(each) for each in told] for at, told in enumerate(found)}
    if rng.random() < 0.3:
        columns["person"] = columns.pop("c0")
    if any(set(told) <= {"", "NA", "?"} for told in columns.values()):
        return
    said = suggestions(table(columns))
    for order in (rng.permutation(rows), np.arange(rows)[::-1], np.lexsort(found)):
        assert suggestions(table(columns, order)) == said


SPELT: list[Callable[[int], str]] = [
    lambda at: f"{at % 90},{at % 10}",
    lambda at: f"{1 + at % 8}.{at * 7 % 1000:03d}",
    lambda at: f"{at % 60} %",
    lambda at: f"€{at * 13 % 700}.50",
    lambda at: f"{1 + at % 28:02d}.{1 + at % 12:02d}.{1990 + at % 30}",
    lambda at: f"{at * 5 % 24:02d}:{at * 7 % 60:02d}",
    lambda at: f"2020-03-{1 + at % 30:02d} {at % 24:02d}:00",
    lambda at: ["-9", "-8", "", "NA"][at % 9] if at % 9 < 4 else str(at * 11 % 300),
    lambda at: f'a "{at % 4}"; or, b',
    lambda at: f"p{at}@example.org",
    lambda at: str(9000000000 + at * 7919),
]


@given(st.lists(st.sampled_from(range(len(SPELT))), min_size=2, max_size=5), st.integers(0, 2**32))
def test_a_file_is_read_and_suggested_from_alike_in_any_order_of_its_records(
    kinds: list[int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([24, 150]))
    texts = [[SPELT[kind](int(at)) for at in rng.integers(0, 900, rows)] for kind in kinds]

    def suggest(order: np.ndarray) -> Any:
        lines = [
            [f"c{at}" for at in range(len(kinds))],
            *([told[at] for told in texts] for at in order),
        ]
        with io.StringIO(newline="") as sink:
            csv.writer(sink).writerows(lines)
            data = sink.getvalue().encode()
        raw = read_table(data, name="t.csv")
        try:
            return raw.reading, suggest_first_schema(raw)
        except Refusal as refusal:
            return raw.reading, refusal.problem, refusal.remedy, refusal.field

    first = suggest(np.arange(rows))
    for order in (
        rng.permutation(rows),
        np.lexsort([np.unique(told, return_inverse=True)[1] for told in texts]),
    ):
        assert suggest(order) == first


@pytest.mark.parametrize("rows", [4_000, 15_000, 40_000])
def test_a_column_that_a_file_is_sorted_by_is_not_settled_by_that(rows: int) -> None:
    """The regions one after another: within each number of children the region seldom changes."""
    rng = np.random.default_rng(5)
    region = np.sort(rng.integers(0, 4, rows))
    columns = {
        "region": [("east", "north", "south", "west")[each] for each in region],
        "children": rng.integers(0, 6, rows).astype(str).tolist(),
    }
    for order in (np.arange(rows), rng.permutation(rows)):
        assert settling_columns(table(columns, order), list(columns)) == {}


@pytest.mark.parametrize(("rows", "apart", "settled"), [(12_000, 2_000, False), (5_000, 40, True)])
def test_where_exceptions_stand_in_a_file_makes_no_difference(
    rows: int, apart: int, settled: bool
) -> None:
    """They may all be beyond the records that are looked at, or among the first of them."""
    rng = np.random.default_rng(6)
    code = rng.integers(0, 12, rows)
    group = code // 3
    group[:apart] = rng.integers(0, 4, apart)
    columns = {
        "code": [f"code {each}" for each in code],
        "group": [f"group {each}" for each in group],
    }
    for order in (np.arange(rows), np.arange(rows)[::-1], rng.permutation(rows)):
        found = settling_columns(table(columns, order), list(columns))
        assert found == ({"group": ("code",)} if settled else {})


def test_a_column_that_changes_once_in_a_persons_records_is_not_the_same_in_all_of_them() -> None:
    """As long as the file is sorted, it changes seldom from one record to the next."""
    people, each = 12, 150
    changes = np.repeat(np.random.default_rng(4).integers(40, 110, people), each)
    columns = {
        "key": np.repeat(np.arange(people), each).astype(str).tolist(),
        "day": np.tile(np.arange(each), people).astype(str).tolist(),
        "half": (np.tile(np.arange(each), people) > changes).astype(str).tolist(),
    }
    chance = np.random.default_rng(3).permutation(people * each)
    assert likely_people(table(columns)) == likely_people(table(columns, chance)) is None


@pytest.mark.parametrize("rows", [5, 999, 12_345])
def test_records_are_spread_by_what_they_say(rows: int) -> None:
    rng = np.random.default_rng(rows)
    columns = {name: rng.integers(0, 7, rows).astype(str).tolist() for name in "abc"}
    raw, other = table(columns), table(columns, rng.permutation(rows))

    def taken(of: RawTable) -> list[tuple[str, ...]]:
        texts = [of.distinct(name) for name in of.names]
        places = evenly_spread_records(of, 500)
        return [tuple(known[at[row]] for known, at in texts) for row in places]

    assert taken(raw) == taken(other)
    assert len(taken(raw)) == min(rows, 500)
    # Of equal records as large a share as of all.
    share = [sum(one[0] == str(value) for one in taken(raw)) for value in range(7)]
    of_all = [columns["a"].count(str(value)) for value in range(7)]
    np.testing.assert_allclose(np.array(share) / min(rows, 500), np.array(of_all) / rows, atol=0.08)


ROWS = 60
WORDS = [f"w{row}" for row in range(ROWS)]
NUMBERS = [str(7 * (row % 31)) for row in range(ROWS)]


def opened(**columns: Sequence[str]) -> tuple[RawTable, Schema]:
    """A table with the schema that is suggested for it, beside two plain columns."""
    columns = {**columns, "sex": ["m", "f"] * (ROWS // 2), "age": NUMBERS}
    made = [text_column(np.arange(len(texts)), list(texts)) for texts in columns.values()]
    raw = RawTable(table_of(list(columns), made), usual("csv"))
    return raw, suggest_schema(raw).schema


@pytest.mark.parametrize(
    ("name", "texts", "alone"),
    [
        ("name", WORDS, True),
        ("row", [str(1000 + row) for row in range(ROWS)], True),
        ("pat_id", [str(31 * row) for row in range(ROWS)], True),
        ("patient_no", [str(31 * row) for row in range(ROWS)], True),
        ("no_of_steps", [str(31 * row) for row in range(ROWS)], False),
        ("pay", [str(31 * row) for row in range(ROWS)], False),
        ("height", [f"{150 + row}.5" for row in range(ROWS)], False),
        ("name", [*WORDS[:-1], WORDS[0]], True),
        ("name", [*WORDS[:40], *WORDS[:20]], False),
        ("paid", [str(31 * row) for row in range(ROWS)], False),
    ],
)
def test_an_identifier_is_told_from_a_measurement(name: str, texts: list[str], alone: bool) -> None:
    raw, schema = opened(**{name: texts})
    first = suggest_first_schema(raw)
    assert [*first.left_out] == ([name] if alone else [])
    assert [each.name for each in first.schema.omissions] == [*first.left_out]
    assert (name in first.schema.names) != alone
    assert not suggest_first_schema(raw, keep=[name]).left_out
    assert ("identifier" in needs_attention(raw, schema, ())[name]) == alone


def test_too_few_rows_tell_nothing_and_two_columns_stay() -> None:
    made = [text_column(np.arange(ROWS), WORDS), text_column(np.arange(ROWS), WORDS)]
    raw = RawTable(table_of(["a", "b"], made), usual("csv"))
    assert suggest_first_schema(raw).schema.names == ("a", "b")
    short = [text_column(np.arange(5), WORDS[:5])] * 3
    raw = RawTable(table_of(["a", "b", "c"], short), usual("csv"))
    assert not suggest_first_schema(raw).left_out


@pytest.mark.parametrize(
    ("name", "texts", "found"),
    [
        ("seen", [f"2020-0{1 + row % 9}-1{row % 9}" for row in range(ROWS)], ("date", "list")),
        ("seen", [f"{1 + row % 9}.3.2021" for row in range(ROWS)], ("date", "list")),
        ("place", [str(10_000 + 1_371 * (row % 50)) for row in range(ROWS)], ("codes", "bounds")),
        ("zip_code", [str(row % 40) for row in range(ROWS)], ("codes", "bounds")),
        ("wage", [str(10_000 + 500 * (row % 50)) for row in range(ROWS)], ("bounds",)),
        ("born", [str(1950 + row % 50) for row in range(ROWS)], ("bounds",)),
        ("job", [f"job {row % 7}" for row in range(ROWS)], ("list",)),
    ],
)
def test_the_most_pressing_comes_first(name: str, texts: list[str], found: tuple[str, ...]) -> None:
    raw, schema = opened(**{name: texts})
    kinds = needs_attention(raw, schema, ())[name]
    assert kinds == found
    assert sorted(kinds, key=list(ATTENTION).index) == list(kinds)


def test_what_is_known_from_a_source_no_longer_comes_from_the_file() -> None:
    raw, schema = opened(job=[f"job {row % 7}" for row in range(ROWS)])
    after = needs_attention(raw, set_origin(schema, "codebook", ["job", "age"]), ["age"])
    assert (after["job"], after["age"], after["sex"]) == ((), ("derived",), ("list",))


def read(csv: bytes) -> RawTable:
    return read_table(csv, name="t.csv")


@pytest.mark.parametrize("name", ["resp", "pid", "patient_id", "PersonID", "spalte3"])
def test_a_person_is_found_by_what_stays_with_it_whatever_it_is_called(name: str) -> None:
    raw = read(panel_csv().replace(b"resp", name.encode()))
    assert likely_people(raw) == Likely(name, "wave")


def test_days_order_as_well_as_numbers() -> None:
    lines = [line.split(",", 2) for line in panel_csv().decode().splitlines()[1:]]
    rows = [f"{who},2020-01-0{wave},{rest}" for who, wave, rest in lines]
    raw = read("\n".join(["resp,seen,sex,job,age", *rows]).encode())
    assert likely_people(raw) == Likely("resp", "seen")
    assert (order_of(raw, "seen"), order_of(raw, "age")) == (RowOrder("time"), RowOrder("number"))


def test_an_order_in_days_as_files_write_them_is_found_with_its_spelling() -> None:
    lines = [line.split(",", 2) for line in panel_csv().decode().splitlines()[1:]]
    rows = [f"{who},2{wave}.03.2020 08:15,{rest}" for who, wave, rest in lines]
    raw = read("\n".join(["resp,seen,sex,job,age", *rows]).encode())
    assert likely_people(raw) == Likely("resp", "seen")
    assert order_of(raw, "seen") == RowOrder("time", "DD.MM.YYYY hh:mm")


def test_times_of_which_each_record_has_its_own_order_those_of_who_is_called_a_person() -> None:
    lines = [
        f"{row // 2 * 37 % 101},{'ab'[row // 2 % 2]},{50 + row * 7 % 40},"
        f"{1 + row % 28:02}.{1 + row // 28:02}.2020 08:{row % 60:02}"
        for row in range(200)
    ]
    raw = read("\n".join(["patient,sex,weight,admitted_at", *lines]).encode())
    assert likely_order(raw, "patient") == "admitted_at"
    assert likely_people(raw) == Likely("patient", "admitted_at")
    bare = read("\n".join(["number,sex,admitted_at", *_without_weight(lines)]).encode())
    assert likely_order(bare, "number") == "admitted_at"
    assert likely_people(bare) is None


def _without_weight(lines: list[str]) -> list[str]:
    return [
        ",".join(each for place, each in enumerate(line.split(",")) if place != 2) for line in lines
    ]


def test_a_name_alone_is_a_reason_to_ask_too() -> None:
    lines = [f"{row % 40},{'ab'[row % 2]},{'xyz'[row % 3]}" for row in range(120)]
    raw = read("\n".join(["patient,sex,job", *lines]).encode())
    assert likely_people(raw) == Likely("patient", None)


def test_a_table_of_a_row_a_person_is_not_asked_about() -> None:
    rows = "\n".join(f"{row},{'ab'[row % 2]},{'xyz'[row % 3]}" for row in range(120))
    assert likely_people(read(f"id,sex,job\n{rows}".encode())) is None


def test_neither_measurements_nor_days_are_people() -> None:
    lines = [f"{row % 40}.5,2020-01-{row % 28 + 1:02},{row % 3}" for row in range(120)]
    assert likely_people(read("\n".join(["pay,seen,wave", *lines]).encode())) is None


def test_a_column_that_repeats_within_a_person_orders_nothing() -> None:
    raw = read(panel_csv())
    assert likely_order(raw, "resp") == "wave"
    sexes = RawTable(raw.arrow.drop_columns(["wave", "age"]), raw.reading)
    assert likely_order(sexes, "resp") is None
