from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.encoding import (
    RELEASED,
    as_written,
    choices,
    csv_blocks,
    decode,
    encode,
    encode_public,
    has_neutralised_cells,
    outside,
    to_csv_bytes,
)
from understudy.table.fit import Outside
from understudy.table.grid import Grid
from understudy.table.missing_codes import unlabelled
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

HOURS = Column(
    name="hours",
    domain=Grid(minimum=0, maximum=99),
    missing=True,
    missing_codes=unlabelled(("", "NA")),
)
PRICE = Column(name="price", domain=Grid(kind="numbers", minimum=-1, maximum=1, step="0.25"))
KIND = Column(
    name="kind",
    domain=Categories(values=("b", "a", " a", "1", "040")),
    missing=True,
    missing_codes=unlabelled(("?", "")),
)
FLAG = Column(name="flag", domain=Categories(values=("y", "n")))
SCHEMA = Schema(columns=(HOURS, PRICE, KIND, FLAG))


def raw(**columns):
    made = [text_column(np.arange(len(texts)), list(texts)) for texts in columns.values()]
    return RawTable(table_of(list(columns), made), usual("csv"))


def table(**columns):
    """A raw table in which the columns not given fit the schema."""
    rows = max(map(len, columns.values()))
    usual = {"hours": "40", "price": "0", "kind": "a", "flag": "y"}
    return raw(**{name: columns.get(name, [text] * rows) for name, text in usual.items()})


def codes(name, texts, **policies):
    found = encode(table(**{name: texts}), SCHEMA, policies)
    return found.codes[:, SCHEMA.index(name)].tolist()


def outside_of(name, *texts):
    return outside(table(**{name: list(texts)}), SCHEMA)[SCHEMA.index(name)]


def test_ways_to_write_a_number_are_one_code():
    assert codes("hours", ["40", "040", " 40", "40.0", "4e1", "+40", "40 "]) == [40] * 7


@pytest.mark.parametrize("text", ["SECRET", "1_0", "１２", "inf", "-inf", "1e400", "nan", "3,5",
                                  "null", "0x1F", "9" * 200])  # fmt: skip
def test_what_is_not_a_number(text):
    assert outside_of("hours", text, "40") == Outside("hours", not_of_kind=1)
    refusal = refused(codes, "hours", [text, text, "40"])
    assert refusal.field == "hours"
    assert "“hours”" in refusal.problem
    assert "2 not numbers" in refusal.problem


def test_numbers_beyond_the_bounds_are_counted_by_side():
    found = outside_of("hours", "-1", "-0.001", "0", "99", "99.5", "1e300", "100")
    assert (found.too_low, found.too_high, found.total) == (2, 3, 5)


def test_numbers_between_steps_go_to_the_nearest_and_are_counted():
    assert codes("price", ["-1", "-0.87", "-0.88", "0.1", "0.125", "1.00"]) == [0, 1, 0, 4, 5, 8]
    found = outside_of("price", "-1", "-0.87", "-0.88", "0.1", "0.125", "1.00")
    assert found == Outside("price", rounded=4)
    assert found.total == 0


def test_a_number_above_the_last_step_but_not_above_the_maximum():
    column = Column(name="x", domain=Grid(minimum=0, maximum=10, step=4))
    schema = Schema(columns=(column, FLAG))
    assert encode(raw(x=["9", "10"], flag=["y", "y"]), schema).codes[:, 0].tolist() == [2, 2]


def test_categories_match_exactly_before_they_match_without_blanks():
    assert codes("kind", ["a", " a", "  a", "a ", " b", "040"]) == [1, 2, 1, 1, 0, 4]


def test_categories_are_texts_not_numbers():
    assert outside_of("kind", "1", "1.0", "01", "40", "A").unknown == 4


def test_missing_is_recognised_where_it_is_allowed():
    assert codes("kind", ["?", "", " ? ", "  "]) == [5] * 4
    assert codes("hours", ["NA", " NA ", "", "   "]) == [100] * 4
    assert outside_of("hours", "na").not_of_kind == 1


def test_missing_where_it_is_not_allowed():
    assert outside_of("flag", "", "y", " ") == Outside("flag", missing=2)
    assert outside_of("price", "").missing == 1
    assert "1 missing" in refused(codes, "flag", ["", "y"]).problem


def test_the_refusal_says_why_and_what_can_be_done():
    refusal = refused(codes, "hours", ["100", "100", "-1", "SECRET", "5"])
    assert "1 below its minimum, 2 above its maximum, 1 not numbers" in refusal.problem
    assert "clip" in refusal.remedy
    assert "as missing" in refusal.remedy
    refusal = refused(codes, "flag", ["SECRET", "y"])
    assert "1 not among its categories" in refusal.problem
    assert "clip" not in refusal.remedy
    assert "allow missing values in the column" in refusal.remedy


def test_clipping_puts_numbers_on_the_nearest_bound():
    assert codes("hours", ["-7", "100", "1e300", "5"], hours="clip") == [0, 99, 99, 5]
    refusal = refused(lambda: codes("hours", ["-7", "SECRET"], hours="clip"))
    assert "1 not numbers" in refusal.problem
    assert "minimum" not in refusal.problem


def test_treating_as_missing():
    assert codes("hours", ["-7", "100", "word", "5"], hours="missing") == [100, 100, 100, 5]
    assert codes("kind", ["zz", "b"], kind="missing") == [5, 0]


def test_a_policy_has_to_suit_its_column():
    fine = table(hours=["1"])
    assert refused(encode, fine, SCHEMA, {"flag": "missing"}).field == "flag"
    assert refused(encode, fine, SCHEMA, {"kind": "clip"}).field == "kind"
    assert refused(encode, fine, SCHEMA, {"hours": "SECRET"}).field == "hours"
    assert refused(encode, fine, SCHEMA, {"absent": "clip"}).field == "absent"
    assert choices(HOURS) == ("refuse", "missing", "clip")
    assert choices(PRICE) == ("refuse", "clip")
    assert choices(KIND) == ("refuse", "missing")
    assert choices(FLAG) == ("refuse",)


def test_columns_are_found_by_name_and_others_are_left_out():
    found = encode(raw(more=["x"], flag=["n"], kind=["b"], price=["1"], hours=["7"]), SCHEMA)
    assert found.codes.tolist() == [[7, 8, 0, 1]]


def test_an_absent_column_is_named():
    refusal = refused(encode, raw(Hours=["1"], price=["1"]), SCHEMA)
    assert refusal.field == "hours"
    assert "“hours”" in refusal.problem
    assert "capital letters" in refusal.remedy
    assert refused(outside, raw(a=["1"], b=["1"]), SCHEMA).field == "hours"


def test_texts_that_occur_nowhere_do_not_count():
    places = pa.array([0, 0], pa.int32())
    hours = pa.DictionaryArray.from_arrays(places, pa.array(["1", "SECRET"]))
    flag = pa.DictionaryArray.from_arrays(places, pa.array(["y", "SECRET"]))
    unused = RawTable(table_of(["hours", "flag"], [hours, flag]), usual("csv"))
    schema = Schema(columns=(HOURS, FLAG))
    assert encode(unused, schema).codes.tolist() == [[1, 0], [1, 0]]
    assert all(found.total == 0 for found in outside(unused, schema))


def test_the_file_is_plain_csv():
    schema = Schema(
        columns=(
            Column(name='say "a", b', domain=Categories(values=("x,y", 'q"q', "l\nl", "'p'"))),
            HOURS,
        )
    )
    records = Records(schema, np.array([[0, 7], [1, 100], [2, 0], [3, 1]]))
    assert to_csv_bytes(records) == (b'"say ""a"", b",hours\n"x,y",7\n"q""q",\n"l\nl",0\n\'p\',1\n')


FORMULAS = Schema(
    columns=(
        Column(name="=HYPERLINK(1)", domain=Categories(values=("@a", "'@a", "-5", " =b", "c"))),
        Column(
            name="n",
            domain=Grid(minimum=-2, maximum=2),
            missing=True,
            missing_codes=unlabelled(("-",)),
        ),
    )
)


def test_no_cell_of_a_file_is_a_formula_and_numbers_stay():
    records = Records(FORMULAS, np.array([[0, 0], [1, 1], [2, 4], [3, 5], [4, 5]]))
    written = to_csv_bytes(records)
    assert written == b"'=HYPERLINK(1),n\n'@a,-2\n''@a,-1\n-5,2\n' =b,'-\nc,'-\n"
    again = as_written(read_table(written, RELEASED, name="t.csv"))
    assert np.array_equal(encode_public(again, FORMULAS).codes, records.codes)
    assert has_neutralised_cells(FORMULAS)
    assert not has_neutralised_cells(SCHEMA)


def test_a_table_of_another_program_keeps_the_texts_that_its_schema_lists():
    raw = read_table(b"'=HYPERLINK(1),n\n'@a,1\n@a,2\n", name="t.csv")
    found = as_written(raw, staying=FORMULAS)
    assert encode_public(found, FORMULAS).codes.tolist() == [[1, 3], [0, 4]]


def test_the_header_can_be_left_out_and_records_may_be_none():
    records = Records(SCHEMA, np.zeros((0, 4), np.uint16))
    assert to_csv_bytes(records) == b"hours,price,kind,flag\n"
    assert list(csv_blocks(records, header=False)) == []


def test_a_long_table_is_written_in_pieces():
    rng = np.random.default_rng(1)
    records = Records(SCHEMA, rng.integers(0, SCHEMA.cardinalities, (300_000, 4)))
    again = encode(read_table(to_csv_bytes(records), name="t.csv"), SCHEMA)
    assert np.array_equal(again.codes, records.codes)


texts = st.text("a1. ,;|\t\"'\n\ré東\u2028\ufeff", min_size=1, max_size=5)


@st.composite
def columns(draw, name):
    missing = draw(st.booleans())
    if draw(st.booleans()):
        values = draw(st.lists(texts.filter(str.strip), min_size=1, max_size=6, unique=True))
        tokens = [token for token in ("", "NA") if token not in values]
        return Column(name=name, domain=Categories(values=values), missing=missing,
                      missing_codes=unlabelled(tokens))  # fmt: skip
    low = draw(st.decimals(-1000, 1000, places=2))
    step = draw(st.decimals("0.01", 50, places=2))
    high = low + draw(st.integers(0, 30)) * step
    domain = Grid(kind="numbers", minimum=low, maximum=high, step=step)
    return Column(name=name, domain=domain, missing=missing)


@st.composite
def records(draw):
    schema = Schema(columns=(draw(columns("one")), draw(columns("two")), draw(columns("three"))))
    seed = draw(st.integers(0, 2**32))
    rows = draw(st.integers(1, 12))
    sizes = schema.cardinalities
    return Records(schema, np.random.default_rng(seed).integers(0, sizes, (rows, len(sizes))))


def as_raw(decoded):
    made = [text_column(np.arange(len(column)), column.to_pylist()) for column in decoded.columns]
    return RawTable(table_of(decoded.column_names, made), usual("csv"))


@given(records())
@settings(deadline=None)
def test_decoding_and_encoding_lose_nothing(made):
    decoded = decode(made)
    assert {str(kind) for kind in decoded.schema.types} == {"string"}
    again = encode(as_raw(decoded), made.schema)
    assert np.array_equal(again.codes, made.codes)
    assert decode(again).equals(decoded)


@given(records())
@settings(max_examples=60, deadline=None)
def test_a_written_file_is_read_back_without_loss(made):
    again = as_written(read_table(to_csv_bytes(made), RELEASED, name="t.csv"))
    assert again.names == made.schema.names
    assert np.array_equal(encode_public(again, made.schema).codes, made.codes)


def test_a_table_that_was_read_otherwise_than_declared_is_refused():
    raw = read_table(b"a;b\n1;2\n2;1\n", name="t.csv")
    columns = tuple(Column(name=name, domain=Categories(values=("1", "2"))) for name in "ab")
    schema = Schema(columns=columns, reading=raw.reading)
    assert encode(raw, schema).codes.tolist() == [[0, 1], [1, 0]]
    assert "not read as the schema says" in refused(encode, raw, schema.with_reading(None)).problem
    other = raw.reading.changed(encoding="cp1252")
    assert "not read as the schema says" in refused(encode, raw, schema.with_reading(other)).problem


RECORDS_SCHEMA = Schema(
    columns=(
        Column(name="a", domain=Grid(minimum=0, maximum=9), missing=True),
        Column(name="b", domain=Categories(values=("x", "y"))),
    )
)


def test_codes_are_kept_compact_and_read_only():
    records = Records(RECORDS_SCHEMA, np.asfortranarray([[10, 1], [0, 0], [3, 1]]))
    assert len(records) == 3
    assert records.codes.dtype == np.uint16
    assert records.codes.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        records.codes[0, 0] = 1


def test_the_array_given_stays_writable():
    codes = np.zeros((2, 2), np.uint16)
    Records(RECORDS_SCHEMA, codes)
    codes[0, 0] = 1


def test_records_are_taken_by_index_or_mask():
    records = Records(RECORDS_SCHEMA, np.array([[10, 1], [0, 0], [3, 1]]))
    assert records.take(np.array([2, 0])).codes.tolist() == [[3, 1], [10, 1]]
    assert records.take(np.array([False, True, False])).codes.tolist() == [[0, 0]]


def test_there_may_be_no_records():
    assert len(Records(RECORDS_SCHEMA, np.zeros((0, 2), np.uint16))) == 0


@pytest.mark.parametrize(
    "codes",
    [
        np.zeros((3, 1), np.uint16),
        np.zeros(4, np.uint16),
        np.zeros((2, 2)),
        np.array([[11, 0]]),
        np.array([[0, 2]]),
        np.array([[0, -1]]),
        np.array([[0, 65536]]),
    ],
)
def test_codes_that_do_not_fit_the_schema_are_refused(codes):
    with pytest.raises(ValueError, match=r"codes|outside its domain"):
        Records(RECORDS_SCHEMA, codes)


def test_counts_are_those_of_every_code_absent_ones_too():
    schema = Schema(
        columns=tuple(
            Column(name=name, domain=Categories(kind="categories", values=("a", "b", "c")))
            for name in ("x", "y")
        )
    )
    records = Records(schema, np.array([[0, 2], [0, 1], [1, 2]], dtype=np.uint16))
    assert records.counts(0).tolist() == [2, 1, 0]
    assert records.counts(1).tolist() == [0, 1, 2]
