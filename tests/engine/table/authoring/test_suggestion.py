import re
from decimal import Decimal
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema, usual_buckets
from understudy.table.buckets import ByWidth, EachValue, assign
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode, outside
from understudy.table.grid import Grid
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table


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


@pytest.mark.parametrize(
    ("most", "step", "sizes"),
    [
        (100, 1, [10] * 9 + [11]),
        (50, 1, [5] * 9 + [6]),
        (99, 1, [10] * 10),
        (200, 2, [10] * 9 + [11]),
    ],
)
def test_no_bucket_is_left_with_one_value(most, step, sizes):
    grid = Grid(minimum=Decimal(0), maximum=Decimal(most), step=Decimal(step))
    buckets = assign(grid, usual_buckets(grid)).buckets
    assert np.bincount(buckets).tolist() == sizes


@given(st.integers(21, 2000))
def test_buckets_are_about_ten(size):
    grid = Grid(minimum=Decimal(0), maximum=Decimal(size - 1))
    counts = np.bincount(assign(grid, usual_buckets(grid)).buckets)
    assert 4 <= len(counts) <= 11
    assert counts.min() > 1


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


@pytest.mark.parametrize("word", ["90+", "not answered at all"])
def test_a_top_code_or_a_sentence_among_numbers_is_a_category(word):
    column, notes = suggested([word, *map(str, range(50))])
    assert not column.missing
    assert column.domain.values[-1] == word
    assert "All but 1" in notes


def test_decimal_commas_are_pointed_out():
    column, notes = suggested(["3,5", "2,5", "1"])
    assert not column.ordered
    assert "decimal commas" in notes
    many = [f"{number},{number % 10}" for number in range(500)]
    refusal = refused(suggest_schema, raw(x=many, y=["a"] * 500))
    assert refusal.field == "x"
    assert "decimal points" in refusal.remedy


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
