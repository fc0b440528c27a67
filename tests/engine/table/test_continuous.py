"""Continuous columns: declared, read value by value, kept as numbers, written to a precision.
Numbers of a continuous column: exact from text to number to text, each in one cell.
"""

from __future__ import annotations

import io
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.table.buckets import ByCuts, ByWidth
from understudy.table.categories import Categories
from understudy.table.cells import parse_number
from understudy.table.checks import LONGEST_UNIT, MOST_STEPS
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.declared_reading import usual
from understudy.table.encoding import (
    decode,
    encode,
    encode_public,
    has_neutralised_cells,
    outside,
    to_csv_bytes,
)
from understudy.table.fit import Outside, Policy
from understudy.table.lattice import MOST_UNITS, Lattice
from understudy.table.missing_codes import unlabelled
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema
from understudy.table.sources.cell_texts import blocks
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable

SEX = Column(name="sex", domain=Categories(values=("m", "f")))
WEIGHT = Column(
    name="weight",
    title="Weight",
    domain=Continuous(minimum=30, maximum=150, precision="0.1", step=5, unit="kg"),
    missing=True,
    missing_codes=unlabelled(("", "-9")),
)
SCORE = Column(name="score", domain=Continuous(minimum="-0.5", maximum=2, precision="0.25", step=1))
SCHEMA = Schema(columns=(WEIGHT, SEX, SCORE))
USUAL = {"weight": "70", "sex": "m", "score": "0"}


def table(**columns: list[str]) -> RawTable:
    """A table in which the columns not given fit the schema."""
    rows = max(map(len, columns.values()))
    texts = {name: columns.get(name, [text] * rows) for name, text in USUAL.items()}
    made = [text_column(np.arange(rows), each) for each in texts.values()]
    return RawTable(table_of(list(texts), made), usual("csv"))


def weights(*texts: str, policy: Policy = "refuse") -> tuple[list[int], list[float]]:
    """Codes and numbers of the first column."""
    found = encode(table(weight=list(texts)), SCHEMA, {"weight": policy})
    assert found.numbers is not None
    return found.codes[:, 0].tolist(), found.numbers[:, 0].tolist()


def test_a_record_holds_its_number_and_the_cell_of_it() -> None:
    codes, numbers = weights("30", "34.9", " 35.0", "70.25", "1.5e2", "150")
    assert codes == [0, 0, 1, 8, 23, 23]
    assert numbers == [30, 34.9, 35, 70.3, 150, 150]
    assert SCHEMA.measured_places == (0, 2)
    assert WEIGHT.cardinality == 25
    assert WEIGHT.labels[:2] == ("30.0 to 34.9", "35.0 to 39.9")
    assert WEIGHT.labels[-2:] == ("145.0 to 150.0", "missing")


def test_what_is_finer_than_the_precision_is_counted_as_rounded_and_nothing_else() -> None:
    found = outside(table(weight=["70.04", "70.05", "70.1", "29.99", "150.01", "x", ""]), SCHEMA)
    assert found[0] == Outside("weight", too_low=1, too_high=1, not_of_kind=1, rounded=2)


@pytest.mark.parametrize("text", ["29.99", "150.01", "1e300", "heavy"])
def test_what_is_out_of_bounds_follows_the_policy(text: str) -> None:
    refusal = refused(weights, text, "70")
    assert refusal.field == "weight"
    assert text not in str(refusal)
    codes, numbers = weights(text, "70", policy="missing")
    assert codes == [24, 8]
    assert np.isnan(numbers[0])
    assert numbers[1] == 70


def test_clipping_puts_numbers_on_the_nearer_bound() -> None:
    codes, numbers = weights("-7", "150.01", "70", policy="clip")
    assert (codes, numbers) == ([0, 23, 8], [30.0, 150.0, 70.0])


def test_missing_is_in_a_cell_of_its_own_and_no_number() -> None:
    codes, numbers = weights("", "-9", " ", "70")
    assert codes == [24, 24, 24, 8]
    assert np.isnan(numbers[:3]).all()
    assert refused(encode, table(score=["", "0"]), SCHEMA).field == "score"


def test_a_schema_without_such_columns_keeps_no_numbers() -> None:
    alone = Schema(columns=(SEX, SEX.changed(name="other")))
    raw = RawTable(table_of(["sex", "other"], [text_column(np.arange(1), ["m"])] * 2), usual("csv"))
    assert encode(raw, alone).numbers is None
    assert alone.measured_places == ()


@st.composite
def domains(draw: st.DrawFn) -> Continuous:
    places = draw(st.integers(0, 4))
    unit = Decimal(1).scaleb(-places)
    precision = draw(st.integers(1, 12)) * unit
    low = draw(st.integers(-2_000, 2_000)) * unit
    span, step = draw(st.integers(1, 300)), draw(st.integers(1, 40))
    return Continuous(
        minimum=low,
        maximum=low + span * precision,
        precision=precision,
        step=step * precision,
        unit=draw(st.sampled_from(["", "kg", "m/s²"])),
    )


@st.composite
def columns(draw: st.DrawFn) -> Column:
    return Column(name="x", domain=draw(domains()), missing=draw(st.booleans()))


@st.composite
def texts_of(draw: st.DrawFn, column: Column) -> list[str]:
    assert isinstance(column.domain, Continuous)
    inside = st.integers(0, column.domain.lattice.count - 1).map(column.domain.lattice.number)
    beside = st.decimals(column.domain.minimum, column.domain.maximum, places=6)
    text = (inside | beside).map(lambda number: f"{number:f}")
    return draw(st.lists(text | st.just("") if column.missing else text, min_size=1, max_size=8))


def only(column: Column, texts: list[str]) -> RawTable:
    made = [text_column(np.arange(len(texts)), each) for each in (texts, ["m"] * len(texts))]
    return RawTable(table_of([column.name, "sex"], made), usual("csv"))


@given(st.data())
def test_text_to_number_to_text(data: st.DataObject) -> None:
    column = data.draw(columns())
    schema = Schema(columns=(column, SEX))
    texts = data.draw(texts_of(column))
    records = encode(only(column, texts), schema)
    assert records.numbers is not None
    written = decode(records).column(0).to_pylist()
    domain = column.domain
    assert isinstance(domain, Continuous)
    for text, number, code, again in zip(
        texts, records.numbers[:, 0], records.codes[:, 0], written, strict=True
    ):
        if not text:
            assert np.isnan(number)
            assert (code, again) == (column.unknown_code, "")
            continue
        exact = parse_number(text)
        assert exact is not None
        assert abs(Decimal(again) - exact) * 2 <= domain.precision
        assert float(again) == number
        assert domain.minimum <= Decimal(again) <= domain.maximum
        assert code == min(int((Decimal(again) - domain.minimum) // domain.step), domain.size - 1)
    # What was written is read as it was, as CSV and as doubles.
    for read in (read_csv, read_parquet):
        back = read(records)
        assert back.codes.tolist() == records.codes.tolist()
        assert np.array_equal(back.numbers, records.numbers, equal_nan=True)


def read_csv(records: Records) -> Records:
    return encode_public(read_table(to_csv_bytes(records), name="t.csv"), records.schema)


def read_parquet(records: Records) -> Records:
    sink = io.BytesIO()
    pq.write_table(as_arrow(records), sink)
    return encode_public(read_table(sink.getvalue(), name="t.parquet"), records.schema)


@given(st.data())
def test_one_record_more_changes_no_number_and_no_code(data: st.DataObject) -> None:
    column = data.draw(columns())
    schema = Schema(columns=(column, SEX))
    texts = data.draw(texts_of(column))
    odd = data.draw(st.sampled_from(["1e300", "-1e300", "word", "0.000001", "7", "½"]))
    place = data.draw(st.integers(0, len(texts)))
    policies: dict[str, Policy] = {"x": "missing" if column.missing else "clip"}
    if policies["x"] == "clip" and parse_number(odd) is None:
        odd = "1e300"
    few = encode(only(column, texts), schema, policies)
    more = encode(only(column, [*texts[:place], odd, *texts[place:]]), schema, policies)
    kept = np.delete(np.arange(len(more)), place)
    assert few.numbers is not None
    assert more.numbers is not None
    assert more.codes[kept].tolist() == few.codes.tolist()
    assert np.array_equal(more.numbers[kept], few.numbers, equal_nan=True)


@given(st.data())
def test_a_schema_file_says_all_of_it(data: st.DataObject) -> None:
    schema = Schema(columns=(data.draw(columns()), SEX))
    assert Schema.from_json(schema.to_json()) == schema
    assert Schema.from_json(schema.to_json()).fingerprint == schema.fingerprint


def test_the_fingerprint_is_of_the_precision_and_the_unit_too() -> None:
    assert isinstance(WEIGHT.domain, Continuous)
    kept = WEIGHT.domain.model_dump()
    others = [
        Continuous(**{**kept, **change})
        for change in ({"precision": "0.5"}, {"unit": "lb"}, {"step": 10}, {"maximum": 160})
    ]
    prints = {SCHEMA.replace(WEIGHT.changed(domain=each)).fingerprint for each in others}
    assert len({*prints, SCHEMA.fingerprint}) == 5


def test_a_schema_file_from_elsewhere_may_leave_out_the_step() -> None:
    text = SCHEMA.to_json().replace('"step": 5,', "")
    found = Schema.from_json(text).column("weight").domain
    assert isinstance(found, Continuous)
    assert (found.step, found.size) == (Decimal(1), 120)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"precision": 0.1,', ""),
        ('"minimum": 30,', ""),
        ('"type": "number"', '"type": "integer"'),
        ('"minimum": 30', '"enum": ["30"], "minimum": 30'),
    ],
)
def test_a_schema_file_that_says_half_of_it_is_refused(old: str, new: str) -> None:
    text = SCHEMA.to_json()
    assert old in text
    assert refused(Schema.from_json, text.replace(old, new, 1)).field == "weight"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"minimum": 150}, "minimum"),
        ({"precision": 0}, "precision"),
        ({"step": -5}, "step"),
        ({"maximum": "150.05"}, "maximum"),
        ({"step": "0.25"}, "step"),
        ({"precision": "0.000000000001", "maximum": 100_000}, "precision"),
        ({"maximum": 30 + 5 * MOST_STEPS + 5}, "step"),
        ({"unit": "k" * (LONGEST_UNIT + 1)}, "unit"),
        ({"unit": "k\ng"}, "unit"),
        ({"unit": " kg"}, "unit"),
        ({"maximum": "NaN"}, "maximum"),
    ],
)
def test_unusable_ranges_are_refused_at_their_field(changes: dict[str, object], field: str) -> None:
    assert isinstance(WEIGHT.domain, Continuous)
    refusal = refused(Continuous, **{**WEIGHT.domain.model_dump(), **changes})
    assert refusal.field == field


@pytest.mark.parametrize("buckets", [ByWidth(width=Decimal("7.5")), ByCuts(cuts=(Decimal(52),))])
def test_a_bucket_holds_whole_cells(buckets: ByWidth | ByCuts) -> None:
    assert refused(WEIGHT.with_buckets, buckets).field == "buckets"


def test_buckets_are_called_by_the_numbers_that_they_hold() -> None:
    found = WEIGHT.with_buckets(ByCuts(cuts=(Decimal(50), Decimal(90))))
    assert found.bucket_labels == ("30.0 to 49.9", "50.0 to 89.9", "90.0 to 150.0", "missing")
    assert SCORE.with_buckets(ByWidth(width=Decimal(2))).bucket_labels == (
        "-0.50 to 1.25",
        "1.50 to 2.00",
    )


def test_a_negative_number_is_no_formula() -> None:
    records = encode(table(score=["-0.5", "0"]), SCHEMA)
    assert b",-0.50\n" in to_csv_bytes(records)
    assert not has_neutralised_cells(SCHEMA)
    assert has_neutralised_cells(SCHEMA.replace(WEIGHT.changed(missing_codes=unlabelled(("=1",)))))


def test_in_parquet_they_are_doubles_with_their_unit() -> None:
    found = as_arrow(encode(table(weight=["70.1", ""]), SCHEMA))
    assert found.schema.field("weight").type == pa.float64()
    assert found.schema.field("weight").metadata == {b"title": b"Weight", b"unit": b"kg"}
    assert found.column("weight").to_pylist() == [70.1, None]
    assert found.schema.field("score").nullable is False


def test_records_of_codes_alone_are_not_written() -> None:
    records = Records(SCHEMA, encode(table(weight=["70"]), SCHEMA).codes)
    for written in (to_csv_bytes, as_arrow, decode):
        with pytest.raises(ValueError, match="weight"):
            written(records)


@pytest.mark.parametrize("number", [70.05, 75.0, 29.9, np.nan, np.inf])
def test_a_number_that_does_not_go_with_its_code_is_refused(number: float) -> None:
    codes = encode(table(weight=["70"]), SCHEMA).codes
    with pytest.raises(ValueError, match="weight"):
        Records(SCHEMA, codes, np.array([[number, 0.0]]))


def test_numbers_are_read_only_and_taken_with_their_records() -> None:
    records = encode(table(weight=["70", "80", ""]), SCHEMA)
    assert records.numbers is not None
    with pytest.raises(ValueError, match="read-only"):
        records.numbers[0, 0] = 1
    taken = records.take(np.array([1, 0])).numbers
    assert taken is not None
    assert taken[:, 0].tolist() == [80, 70]
    with pytest.raises(ValueError, match="shape"):
        Records(SCHEMA, records.codes, records.numbers[:, :1])


def test_the_texts_that_a_ledger_knows_a_table_by_are_those_of_its_numbers() -> None:
    records = encode(table(weight=["70", "80.5", "70"]), SCHEMA)
    (block,) = blocks(records)
    texts = block[0].texts.to_pylist()
    assert [texts[place] for place in block[0].places] == ["70.0", "80.5", "70.0"]


def test_a_table_read_piece_by_piece_holds_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("understudy.table.sources.streamed_table.PIECE", 2)
    weight = [70.1, None, 30.0, 999.0, 149.95, 70.1, 80.0]
    path = tmp_path / "t.parquet"
    stored = pa.table({"weight": weight, "sex": list("mfmfmfm"), "score": [0.25] * 7})
    pq.write_table(stored, path, row_group_size=3)
    whole = encode(read_table(path), SCHEMA, {"weight": "clip"})
    pieces = list(StreamedTable.open(path, SCHEMA, {"weight": "clip"}).records())
    assert len(pieces) > 1
    assert np.array_equal(np.concatenate([each.codes for each in pieces]), whole.codes)
    numbers = [each.numbers for each in pieces if each.numbers is not None]
    assert whole.numbers is not None
    assert np.array_equal(np.concatenate(numbers), whole.numbers, equal_nan=True)


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    decimals = draw(st.integers(0, 12))
    first = draw(st.integers(1 - MOST_UNITS, MOST_UNITS - 2))
    apart = draw(st.integers(1, MOST_UNITS - 1 - first))
    count = 1 + draw(st.integers(1, min((MOST_UNITS - 1 - first) // apart, 10**9)))
    return Lattice(decimals, first, apart, count, draw(st.integers(1, count + 5)))


@st.composite
def placed(draw: st.DrawFn) -> tuple[Lattice, int]:
    lattice = draw(lattices())
    return lattice, draw(st.integers(0, lattice.count - 1))


@given(placed())
def test_a_text_is_read_as_its_number_and_written_as_itself(of: tuple[Lattice, int]) -> None:
    lattice, place = of
    (text,) = lattice.texts([place])
    (number,) = lattice.numbers(np.array([place]))
    assert Decimal(text) == lattice.number(place)
    assert len(text.partition(".")[2]) == lattice.decimals
    assert float(text) == number
    assert lattice.place(Decimal(text)) == place
    assert lattice.places(np.array([number])).tolist() == [place]
    assert lattice.holds(np.array([number])).all()


@given(placed())
def test_a_cell_holds_neighbouring_places_and_every_place_is_in_one(
    of: tuple[Lattice, int],
) -> None:
    lattice, place = of
    (cell,) = lattice.cells_of(np.array([place]))
    (low,), (held,) = (
        lattice.lowest_in(np.array([cell])),
        lattice.held_by(np.array([cell])),
    )
    assert low <= place < low + held
    assert 0 <= cell < lattice.cells
    ends = lattice.cells_of(np.array([low, low + held - 1]))
    assert ends.tolist() == [cell, cell]


def test_the_cells_of_a_small_lattice() -> None:
    lattice = Lattice(decimals=1, first=-10, apart=5, count=8, per_cell=3)
    cells = lattice.cells_of(np.arange(8)).tolist()
    assert cells == [0, 0, 0, 1, 1, 1, 2, 2]
    assert lattice.held_by(np.arange(3)).tolist() == [3, 3, 2]
    assert lattice.texts(range(8)) == ["-1.0", "-0.5", "0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]


def test_a_highest_number_with_a_cell_for_itself_is_in_the_one_below() -> None:
    lattice = Lattice(decimals=0, first=0, apart=1, count=11, per_cell=5)
    assert lattice.cells == 2
    assert lattice.held_by(np.arange(2)).tolist() == [5, 6]
    assert lattice.cells_of(np.array([9, 10])).tolist() == [1, 1]
    assert Lattice(decimals=0, first=0, apart=1, count=11, per_cell=1).cells == 11


@given(placed(), st.fractions(Fraction(-1, 2), Fraction(1, 2)))
def test_a_number_between_two_goes_to_the_nearest_a_half_up(
    of: tuple[Lattice, int], beside: Fraction
) -> None:
    lattice, place = of
    exact = Fraction(lattice.number(place)) + beside * Fraction(lattice.apart, 10**lattice.decimals)
    # Only decimals stand in files.
    number = Decimal(round(exact * 10**20)).scaleb(-20)
    steps = (Fraction(number) * 10**lattice.decimals - lattice.first) / lattice.apart
    assert lattice.place(number) == (steps + Fraction(1, 2)).__floor__()


@pytest.mark.parametrize("number", [0.55, -1.5, 3.0, float("nan"), float("inf"), -0.4999999])
def test_a_number_that_is_none_of_its_own_is_told(number: float) -> None:
    lattice = Lattice(decimals=1, first=-10, apart=5, count=8, per_cell=3)
    assert lattice.holds(np.array([number, 2.5])).tolist() == [False, True]
