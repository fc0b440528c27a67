"""Numbers in text files: what each spelling makes of each text, and the way back."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.kind_examples import OTHER, csv_of
from understudy.core.refusal import Refusal
from understudy.report.dictionary import columns_csv, describe_column
from understudy.runs.table_file import read_first_records
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.edits import with_kind
from understudy.table.authoring.suggestion import respell, suggest_schema
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.domain import Verdict
from understudy.table.encoding import (
    RELEASED,
    as_written,
    decode,
    encode_public,
    has_neutralised_cells,
    outside,
    to_csv_bytes,
)
from understudy.table.grid import Grid
from understudy.table.missing_codes import unlabelled
from understudy.table.number_spellings import NumberPattern, number_spelling
from understudy.table.records import as_arrow
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

NUMBERS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "1.234,5": (
        ("1.007", "1007"), ("1.234,56", "1234.56"), ("0,5", "0.5"), ("12", "12"),
        ("1234,5", "1234.5"),
        ("1.234.567", "1234567"), ("1.23", None), ("1,234.5", None), ("0.123", None),
        ("12.34,5", None),
        ("-1.234,5", "-1234.5"), ("−3,5", "-3.5"), ("+3,5", "3.5"), (",5", "0.5"), ("1,", None),
        ("1e3", None), ("", None), ("x", None), ("1 234,5", None), ("٣", None), ("--3", None),
    ),
    "1,234.5": (
        ("1,007", "1007"), ("1,007.5", "1007.5"), ("1,761,000", "1761000"), ("1.007", "1.007"),
        ("17,61", None), ("1761", "1761"), (".5", "0.5"), ("1,0075", None), ("-1,007", "-1007"),
    ),
    "1234,5": (("3,779", "3.779"), ("3.779", None), ("3", "3"), ("-0,25", "-0.25"), ("3,", None)),
    "1 234,5": (
        ("1 234", "1234"), ("1\u00a0234,5", "1234.5"), ("1\u202f234", "1234"), ("1 23", None),
        ("1234", "1234"), ("1  234", None), ("1.234", None), ("1 345 678", "1345678"),
    ),
    "1'234.5": (("1'234", "1234"), ("1’234.50", "1234.5"), ("1''234", None), ("1234.5", "1234.5")),
    "1.234": (("5.716", "5716"), ("716", "716"), ("5.7165", None), ("5,5", None)),
    "1234.5 or 1.234": (("5.716", None), ("5.71", "5.71"), ("1.234.567", "1234567")),
    "1234,5 or 1,234": (("1,761", None), ("1,7", "1.7"), ("1,761,000", "1761000")),
    "1234.5 %": (
        ("30 %", "30"), ("30%", "30"), ("0.5 %", "0.5"), ("30", None), ("%30", None),
        ("-5 %", "-5"),
        ("30 % ", "30"), ("30 %%", None),
    ),
    "1234,5%": (("12,5%", "12.5"), ("12,5 %", "12.5"), ("12.5%", None)),
    "$1,234.5": (
        ("$1,234.50", "1234.5"), ("$5", "5"), ("-$5", "-5"), ("$-5", "-5"), ("5", None),
        ("$ 5", "5"), ("€5", None), ("-$-5", None), ("$1,23", None),
    ),
    "1.234,5 €": (("1.234,50 €", "1234.5"), ("5€", "5"), ("-5 €", "-5"), ("5 $", None)),
    "CHF 1'234.5": (("CHF 1'234.50", "1234.5"), ("CHF5", "5"), ("chf 5", None)),
    "(1,234.5)": (
        ("(1,234.50)", "-1234.5"), ("1,234.50", "1234.5"), ("(5)", "-5"), ("-5", "-5"),
        ("(5", None), ("5)", None), ("(-5)", None), ("()", None), ("( 5 )", "-5"), ("(0)", "0"),
    ),
    "(€1.234,5)": (("(€1.234,50)", "-1234.5"), ("€5", "5"), ("(5)", None)),
    "1.234,5-": (("1.234,50-", "-1234.5"), ("5-", "-5"), ("5", "5"), ("-5", "-5"), ("-5-", None)),
    "": (("1234.5", "1234.5"), ("1,5", None), ("1e3", "1000"), ("5 %", None), ("-0.5", "-0.5")),
}  # fmt: skip


def continuous(spelling: str) -> Continuous:
    whole = spelling != "" and not number_spelling(spelling).patterns[0].point
    bounds = {"minimum": -2_000_000, "maximum": 2_000_000, "step": 100_000}
    return Continuous.read({**bounds, "precision": "1" if whole else "0.001", "spelling": spelling})


@pytest.mark.parametrize(
    ("spelling", "rows"), NUMBERS.items(), ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_text_is_what_the_spelling_says(
    spelling: str, rows: tuple[tuple[str, str | None], ...]
) -> None:
    column = Column(
        name="it", domain=continuous(spelling), missing=True, missing_codes=unlabelled(("none",))
    )
    raw = read_table(csv_of(tuple(text for text, _ in rows)), name="t.csv")
    schema = Schema(columns=(column, OTHER))
    records = encode_public(raw, schema, {"it": "missing"})
    assert records.numbers is not None
    found = [None if number != number else number for number in records.numbers[:, 0].tolist()]
    assert found == [None if right is None else float(right) for _, right in rows]


def test_there_are_many_spellings() -> None:
    assert sum(map(len, NUMBERS.values())) >= 95


SURE = [spelling for spelling in NUMBERS if " or " not in spelling]


@given(st.sampled_from(SURE), st.integers(-2_000_000_000, 2_000_000_000))
def test_what_is_written_is_read_again(spelling: str, thousandths: int) -> None:
    domain = continuous(spelling)
    place = int((Decimal(thousandths) / 1000 - domain.minimum) / domain.precision)
    (text,) = domain.spell_places([place])
    assert domain.value_of(text) == domain.lattice.number(place)
    assert len(text.encode()) <= domain.most_bytes


@given(st.text(max_size=24), st.sampled_from([*NUMBERS]))
def test_any_text_is_read_or_told_apart(text: str, spelling: str) -> None:
    domain = continuous(spelling)
    place, _ = domain.reader((), (0, 0))(text)
    assert (place < 0) is (domain.value_of(text) is None)


@pytest.mark.parametrize("spelling", SURE)
def test_a_file_is_written_in_the_spelling_it_was_read_in(spelling: str, tmp_path: Path) -> None:
    grid = Grid(minimum=Decimal(-5000), maximum=Decimal(5000), step=Decimal(50), spelling=spelling)
    for domain in (continuous(spelling), grid):
        schema = Schema(columns=(Column(name="it", domain=domain, missing=True), OTHER))
        number_texts = domain.write_texts(("-1250", "0", "4500"), 0)
        records = encode_public(read_table(csv_of((*number_texts, "")), name="t.csv"), schema)
        written = decode(records).column("it").to_pylist()
        released = to_csv_bytes(records)
        assert [row["it"] for row in csv.DictReader(io.StringIO(released.decode()))] == written
        assert not has_neutralised_cells(schema)
        assert as_written(read_table(released, RELEASED, name="t.csv")).distinct("it")[0] == written
        for name, write in (
            ("t.csv", lambda path, data=released: path.write_bytes(data)),
            ("t.parquet", lambda path, its=records: pq.write_table(as_arrow(its), path)),
        ):
            write(tmp_path / name)
            again = read_first_records(tmp_path / name, schema, len(records))
            assert (again.codes == records.codes).all()


def test_typed_files_hold_numbers_as_such() -> None:
    data = io.BytesIO()
    pq.write_table(pa.table({"it": [1.234, -2.5], "other": ["m", "f"]}), data)
    raw = read_table(data.getvalue(), name="t.parquet")
    records = encode_public(
        raw, Schema(columns=(Column(name="it", domain=continuous("1.234,5")), OTHER))
    )
    assert records.numbers is not None
    assert records.numbers[:, 0].tolist() == [1.234, -2.5]
    several = io.BytesIO()
    days = pa.table({"it": [1.234 + place for place in range(30)], "other": ["m", "f"] * 15})
    pq.write_table(days, several)
    suggested = suggest_schema(read_table(several.getvalue(), name="t.parquet")).schema
    assert not suggested.column("it").domain.question


@pytest.mark.parametrize(
    ("texts", "spelling"),
    [
        (("1,761", "4,711"), "1234,5 or 1,234"),
        (("1,761", "812"), "1234,5 or 1,234"),
        (("1,761,000", "812"), "1,234"),
        (("1,761", "12,5"), "1234,5"),
        (("1,761.25", "812"), "1,234.5"),
        (("5.716", "9.321"), "1234.5 or 1.234"),
        (("0.716", "1.234"), ""),
        (("5.71", "1.234"), ""),
        (("4.354,52", "1.137,18"), "1.234,5"),
        (("0,5", "12,25"), "1234,5"),
        (("1 234", "12 000"), "1 234"),
        (("1\u00a0234,5", "12,5"), "1\u00a0234,5"),
        (("1'234.50", "12.00"), "1'234.5"),
        (("30.5 %", "5 %"), "1234.5 %"),
        (("30.5%", "5%"), "1234.5%"),
        (("$1,234.50", "$3.00"), "$1,234.5"),
        (("1.234,50 €", "3,00 €"), "1.234,5 €"),
        (("(1,234.50)", "3.25"), "(1,234.5)"),
        (("1.234,50-", "3,25"), "1.234,5-"),
        (("-1,5", "2,5"), "1234,5"),
    ],
)
def test_a_spelling_is_suggested_or_asked_about(texts: tuple[str, ...], spelling: str) -> None:
    for order in (texts, texts[::-1]):
        raw = read_table(csv_of(order), name="t.csv")
        suggestion = suggest_schema(raw)
        column = suggestion.schema.column("it")
        assert column.domain.numeric
        assert column.domain.setting_texts()["spelling"] == spelling
        asked = " or " in spelling
        assert bool(column.domain.question) is asked
        if not asked:
            assert outside(raw, suggestion.schema)[0].total == 0
            continue
        assert column.domain.question in suggestion.notes["it"]
        with pytest.raises(Refusal, match="Column “it”: ") as refusal:
            suggestion.schema.declare_public("a test")
        assert not any(text in str(refusal.value) for text in texts)
        for choice in column.domain.choices:
            schema = suggestion.schema.replace(respell(column, raw, choice))
            assert schema.declare_public("a test").declared
            assert outside(raw, schema)[0].total == 0


@pytest.mark.parametrize(
    "texts",
    [("12A", "13A"), ("1-2", "3-4"), ("a,b", "c"), ("1,2,3", "4"), ("5 %", "6 €"), ("007,5",)],
)
def test_codes_stay_categories(texts: tuple[str, ...]) -> None:
    raw = read_table(csv_of(texts, rows=2), name="t.csv")
    assert suggest_schema(raw).schema.column("it").domain.kind == "categories"


def test_a_word_among_spelt_numbers_stands_for_missing() -> None:
    texts = (*(f"{place},{place % 9}" for place in range(40)), "n/k")
    column = suggest_schema(read_table(csv_of(texts), name="t.csv")).schema.column("it")
    assert (column.domain.setting_texts()["spelling"], column.missing_values) == (
        "1234,5",
        ("n/k",),
    )


def test_numbers_with_a_sign_have_a_unit() -> None:
    raw = read_table(csv_of(tuple(f"{place} %" for place in range(1, 60))), name="t.csv")
    domain = suggest_schema(raw).schema.column("it").domain
    assert (domain.kind, domain.units) == ("continuous", "%")


def test_files_say_how_numbers_are_written() -> None:
    for domain in (
        Grid(
            kind="numbers",
            minimum=Decimal(0),
            maximum=Decimal(9),
            step=Decimal("0.5"),
            spelling="1.234,5",
        ),
        continuous("1.234,5 €"),
    ):
        schema = Schema(columns=(Column(name="it", domain=domain), OTHER))
        assert '"decimalChar": ","' in schema.to_json()
        assert '"groupChar": "."' in schema.to_json()
        assert Schema.from_json(schema.to_json()) == schema
        assert "written as 1.234,5" in describe_column(schema.columns[0], "v").domain
        assert columns_csv(schema, "v").splitlines()[0].endswith(",written as")
        again = merge_codebook(schema, read_codebook(csv_codebook(schema).encode(), "c.csv"))
        assert again.schema.column("it").domain == domain
        plain = schema.replace(Column(name="it", domain=domain.typed))
        assert plain.fingerprint != schema.fingerprint
        assert "spelling" not in plain.to_json()
        assert "spelling" not in plain.columns[0].model_dump_json()
    foreign = '{"fields": [{"name": "it", "type": "number", "decimalChar": ",", "constraints": '
    foreign += '{"minimum": 0, "maximum": 9}, "understudy": {"step": 0.5}}]}'
    read = Schema.from_json(foreign.replace("]}", ', {"name": "other", "categories": ["a"]}]}'))
    assert read.column("it").domain.setting_texts()["spelling"] == "1234,5"


def test_a_list_of_spelt_numbers_becomes_a_range() -> None:
    column = with_kind(Column(name="it", domain=Categories(values=("1,5", "2,25"))), "numbers")
    assert column.domain == Grid(
        kind="numbers",
        minimum=Decimal("1.5"),
        maximum=Decimal("2.25"),
        step=Decimal("0.01"),
        spelling="1234,5",
    )
    assert with_kind(column, "continuous").domain.setting_texts()["spelling"] == "1234,5"


def test_what_is_no_spelling_is_refused() -> None:
    for spelling in ("12", "1.234.5", "1,234,5", "0.5", "ten", "(1234.5", "1234.5)", "1234.56",
                     "1234.5 percent of it", "-1234.5", "1234.5 or", "1234.5 or ten", "1_234",
                     '"1234.5', "1234.5\n"):  # fmt: skip
        with pytest.raises(Refusal) as refusal:
            number_spelling(spelling)
        assert refusal.value.field == "spelling"
    with pytest.raises(Refusal, match="writes no decimals"):
        Continuous(minimum=0, maximum=9, step=1, precision="0.1", spelling="1.234")
    assert NumberPattern.parse_pattern("1234.5") == NumberPattern()


@pytest.mark.parametrize(
    ("spelling", "unsure", "sure"),
    [
        ("1,234.5 or 1.234,5", ("1,050", "1.050"), ("950", "1,050.0")),
        ("1234,5 or 1,234", ("1,050", "9,000"), ("950", "1050")),
        ("1234.5 or 1.234", ("1.050", "9.000"), ("950", "1050", "9.5")),
    ],
)
def test_nothing_is_guessed_before_it_is_said(
    spelling: str, unsure: tuple[str, ...], sure: tuple[str, ...]
) -> None:
    ends = {"minimum": 0, "maximum": 2000, "step": "0.5"}
    steps = Grid.read({"kind": "numbers", **ends, "spelling": spelling})
    whole = Grid.read({"minimum": 0, "maximum": 2000, "step": 1, "spelling": spelling})
    for domain in (steps, whole, continuous(spelling)):
        read = domain.reader((), (0, 0))
        assert all(read(text)[1] == Verdict.NOT_OF_KIND for text in unsure)
        assert all(read(text)[1] != Verdict.NOT_OF_KIND for text in sure)
