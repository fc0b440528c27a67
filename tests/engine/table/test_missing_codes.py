"""Codes for missing, in a column of every kind."""

import io
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table import toy_kinds
from tests.engine.table.kind_examples import EXAMPLES, OTHER, Example, csv_of
from understudy.core.refusal import Refusal
from understudy.report.dictionary import columns_csv, describe_column
from understudy.report.documents import published_schema
from understudy.runs.table_file import read_first_records
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.number_ranges import usual_buckets
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.domain import Verdict
from understudy.table.encoding import choices, decode, encode, encode_public, outside, to_csv_bytes
from understudy.table.fit import Fitter
from understudy.table.grid import Grid
from understudy.table.lattice import Gapped, Lattice
from understudy.table.missing_codes import (
    MissingCode,
    check_codes,
    compose_missing,
    label_missing,
    missing_of_labels,
    parse_missing,
    unlabelled,
)
from understudy.table.records import Records, as_arrow
from understudy.table.rules.rule import Rule
from understudy.table.rules.tree import quote_constant
from understudy.table.schema import Schema
from understudy.table.sources.data_frame import read_data_frame
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable

NUMBERS = (
    MissingCode(values=("-97",), label="not applicable: a child"),
    MissingCode(values=("-98", "not asked"), label="not asked"),
    MissingCode(values=("", "NA")),
)
TEXTS = (
    MissingCode(values=("", "NA")),
    MissingCode(values=(".a",), label="refused"),
    MissingCode(values=(".b", "-99"), label="not applicable: a child"),
)
WRITTEN = {NUMBERS: ("-97", "-98", ""), TEXTS: ("", ".a", ".b")}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    toy_kinds.register(monkeypatch)


every_kind = pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.domain.kind)
both = pytest.mark.parametrize("codes", [NUMBERS, TEXTS], ids=["numbers", "texts"])


def schema_of(example: Example, codes: Sequence[MissingCode]) -> Schema:
    column = Column(name="it", domain=example.domain, missing=True, missing_codes=tuple(codes))
    return Schema(columns=(column.with_buckets(usual_buckets(example.domain)), OTHER))


def declare(schema: Schema) -> Schema:
    """Return the schema, declared public with a rule on its first column that is not kept."""
    applies = quote_constant(schema.columns[1].domain.texts[0])
    texts = (
        f"(it == {quote_constant(code.meaning)}) == (other == {applies})"
        for code in schema.columns[0].missing_codes
        if code.not_applicable
    )
    aside = schema.with_rules([Rule(text=text) for text in texts]).set_rules_aside()
    return aside.declare_public("a test")


def records_of(example: Example, codes: Sequence[MissingCode], rows: int = 1) -> Records:
    texts = (*example.texts, *(code.values[-1] for code in codes))
    raw = read_table(csv_of(texts, rows), name="t.csv")
    return encode_public(raw, schema_of(example, codes))


def same(again: Records, records: Records) -> bool:
    if not np.array_equal(again.codes, records.codes):
        return False
    if records.numbers is None or again.numbers is None:
        return records.numbers is again.numbers
    return np.array_equal(again.numbers, records.numbers, equal_nan=True)


@every_kind
@both
def test_each_code_is_one_of_its_own_and_comes_out_with_its_text(
    example: Example, codes: tuple[MissingCode, ...]
) -> None:
    records = records_of(example, codes)
    column, size = records.schema.columns[0], example.domain.size
    assert records.codes[-3:, 0].tolist() == [size, size + 1, size + 2]
    assert decode(records).column("it").to_pylist() == [*example.texts, *WRITTEN[codes]]
    assert column.cardinality == size + 3
    assert column.missing_texts == WRITTEN[codes]
    assert len(set(column.labels[size:])) == 3
    for level in (0, 1):
        seen = column.level_map(level)
        for code in range(size, size + 3):
            assert np.flatnonzero(seen == seen[code]).tolist() == [code]
            assert column.level_labels(level)[seen[code]] == column.labels[code]


@every_kind
@both
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_is_read_again(
    example: Example, codes: tuple[MissingCode, ...], form: str, tmp_path: Path
) -> None:
    records = records_of(example, codes, rows=3)
    path = tmp_path / f"released.{form}"
    if form == "csv":
        path.write_bytes(to_csv_bytes(records))
    else:
        pq.write_table(as_arrow(records), path)
    assert same(read_first_records(path, records.schema, len(records)), records)


@every_kind
@both
def test_every_reader_reads_the_same_codes(
    example: Example, codes: tuple[MissingCode, ...], tmp_path: Path
) -> None:
    records = records_of(example, codes, rows=2)
    path = tmp_path / "t.parquet"
    pq.write_table(as_arrow(records), path, row_group_size=4)
    assert same(
        encode_public(read_table(path.read_bytes(), name="t.parquet"), records.schema), records
    )
    assert same(
        encode_public(read_data_frame(as_arrow(records).to_pandas()), records.schema), records
    )
    schema = declare(records.schema).with_reading(None)
    pieces = list(StreamedTable.open(path, schema).records())
    assert np.array_equal(np.concatenate([piece.codes for piece in pieces]), records.codes)


@every_kind
@both
def test_what_does_not_fit_is_unknown_and_never_not_applicable(
    example: Example, codes: tuple[MissingCode, ...]
) -> None:
    raw = read_table(csv_of((example.texts[0], example.outside)), name="t.csv")
    schema = schema_of(example, codes).with_reading(raw.reading)
    column = schema.columns[0]
    assert outside(raw, schema)[0].total == 1
    code = encode(raw, schema, {"it": "missing"}).codes[1, 0]
    assert code == column.unknown_code
    assert not codes[code - example.domain.size].not_applicable


@every_kind
@both
def test_the_schema_file_and_the_codebook_hold_them(
    example: Example, codes: tuple[MissingCode, ...]
) -> None:
    schema = declare(schema_of(example, codes))
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint
    assert (
        Column.read(json.loads(json.dumps(schema.columns[0].model_dump(mode="json"))))
        == schema.columns[0]
    )
    entries = read_codebook(csv_codebook(schema).encode(), "codebook.csv")
    merged = merge_codebook(schema_of(example, (MissingCode(),)), entries)
    assert not merged.unfit
    assert merged.taken["it"] == ("what stands for missing",)
    assert merged.schema.columns[0].missing_codes == codes


def test_a_column_of_not_applicable_alone_has_no_code_for_what_is_unknown() -> None:
    column = Column(
        name="it",
        domain=Grid(minimum=0, maximum=9),
        missing=True,
        missing_codes=(MissingCode(values=("-1",), label="not applicable"),),
    )
    assert column.unknown_code is None
    assert column.labels[-1] == "not applicable"
    assert "missing" not in choices(column)
    raw = read_table(b"it,other\n1,m\n11,f\n-1,m\n", name="t.csv")
    schema = Schema(columns=(column, OTHER)).with_reading(raw.reading)
    with pytest.raises(Refusal, match="no code for values that are not known"):
        encode(raw, schema, {"it": "missing"})


def test_whether_a_code_is_not_applicable_counts_and_its_words_do_not() -> None:
    def fingerprint(*codes: MissingCode) -> str:
        column = Column(
            name="it", domain=Grid(minimum=0, maximum=9), missing=True, missing_codes=codes
        )
        return Schema(columns=(column, OTHER)).fingerprint

    one, two = MissingCode(values=("-1",)), MissingCode(values=("-2",))
    prints = {
        fingerprint(*codes)
        for codes in (
            (one, two),
            (two, one),
            (MissingCode(values=("-1", "-2")),),
            (one,),
            (MissingCode(values=("-1",), label="not applicable"),),
            (MissingCode(values=("-1",), label="not applicable"), two),
        )
    }
    assert len(prints) == 6
    assert fingerprint(MissingCode(values=("-1",), label="refused"), two) == fingerprint(one, two)


@pytest.mark.parametrize(
    "codes",
    [
        (),
        (MissingCode(values=("-1",)), MissingCode(values=("-2", "-1"))),
        (MissingCode(values=("-1",), label="x"), MissingCode(values=("-2",), label="x")),
        (MissingCode(values=("-1",)), MissingCode(values=("-2",), label="-1")),
        (MissingCode(values=("a",)),),
    ],
)
def test_codes_that_cannot_be_told_apart_are_refused(codes: tuple[MissingCode, ...]) -> None:
    with pytest.raises(Refusal) as refusal:
        check_codes(codes, Categories(values=("a", "b")))
    assert refusal.value.field == "missing_codes"


ranges = pytest.mark.parametrize(
    "example",
    [each for each in EXAMPLES if each.domain.ordered],
    ids=lambda each: each.domain.kind,
)


@ranges
def test_a_code_within_a_range_is_no_value_of_it(example: Example, tmp_path: Path) -> None:
    among = MissingCode(values=(example.texts[1],), label="not asked")
    codes = (MissingCode(), among)
    records = records_of(example, codes, rows=3)
    column, before = records.schema.columns[0], example.domain.ranged
    ranged = column.domain.ranged
    assert ranged is not None
    assert before is not None
    # It is read as the code, and no number that can be drawn is written so.
    read = decode(records).column("it").to_pylist()
    assert read == [*example.texts, "", example.texts[1]] * 3
    assert set(records.codes[1 :: len(example.texts) + 2, 0].tolist()) == {ranged.size + 1}
    lattice, full = ranged.lattice, before.lattice
    assert lattice.count == full.count - 1
    every = [lattice.number(place) for place in range(min(lattice.count, 3000))]
    gap = full.number(full.place(*before.numbers_meant(example.texts[1:2])))
    assert gap not in every
    assert (
        every
        == [number for place in range(len(every) + 1) if (number := full.number(place)) != gap][
            : len(every)
        ]
    )
    assert example.texts[1] not in ranged.spell_places(range(len(every)))
    assert column.gap_note.startswith(ranged.show(gap))
    # The schema file says it by the codes alone, and releases are read again.
    assert Schema.from_json(records.schema.to_json()) == records.schema
    pq.write_table(as_arrow(records), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_bytes(to_csv_bytes(records))
    for form in ("parquet", "csv"):
        again = read_first_records(tmp_path / f"t.{form}", records.schema, len(records))
        assert same(again, records), form


@ranges
def test_a_range_says_the_same_of_itself_with_gaps(example: Example) -> None:
    before = example.domain.ranged
    assert before is not None
    # The first number and one in the middle are gaps.
    middle = before.lattice.number(before.lattice.count // 2)
    ranged = before.with_gaps({before.minimum, middle, before.maximum + 1})
    assert ranged.gaps == (before.minimum, middle)
    assert ranged.with_gaps(()) == before
    assert len(ranged.numbers) == len(ranged.texts) == ranged.size == ranged.lattice.cells
    assert len(ranged.edges) == len(ranged.axis_values(ranged.edges)) == ranged.size + 1
    assert (np.diff(ranged.edges) > 0).all()
    assert ranged.span >= ranged.maximum - ranged.minimum
    held = ranged.lattice.held_by(np.arange(ranged.size))
    assert held.sum() == ranged.lattice.count == before.lattice.count - 2
    assert held.min() > 0
    assert all(ranged.between(place, place) for place in range(ranged.size))
    assert len(ranged.code_ends[0]) == ranged.size
    column = Column(name="it", domain=ranged)
    assert column.domain == before
    two = Grid(minimum=3, maximum=4)
    with pytest.raises(Refusal, match="Every number"):
        Column(name="it", domain=two, missing_codes=unlabelled(("3", "4")))


@st.composite
def lattices(draw: st.DrawFn) -> tuple[Lattice, list[int]]:
    count = draw(st.integers(2, 40))
    lattice = Lattice(1, draw(st.integers(-50, 50)), 5, count, draw(st.integers(1, count)))
    gaps = draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=count - 1))
    return lattice, sorted(gaps)


@given(lattices(), st.integers(0, 400))
def test_numbers_with_gaps_are_those_that_are_left(
    given: tuple[Lattice, list[int]], fortieths: int
) -> None:
    full, gaps = given
    gapped = Gapped(full, np.array(gaps))
    left = [place for place in range(full.count) if place not in gaps]
    numbers = [full.number(place) for place in left]
    places = np.arange(gapped.count)
    assert [gapped.number(place) for place in range(gapped.count)] == numbers
    assert gapped.numbers(places).tolist() == list(map(float, numbers))
    # A cell is one of those that have a number left, and holds what is left of it.
    cells = full.cells_of(np.array(left)).tolist()
    names = sorted(set(cells))
    assert gapped.cells == len(names)
    assert gapped.cells_of(places).tolist() == [names.index(cell) for cell in cells]
    all_cells = np.arange(gapped.cells)
    assert gapped.held_by(all_cells).tolist() == [cells.count(name) for name in names]
    assert gapped.lowest_in(all_cells).tolist() == [cells.index(name) for name in names]
    held = gapped.holds(full.numbers(np.arange(full.count)))
    assert np.flatnonzero(held).tolist() == left
    assert not gapped.holds(np.array([-100.0, 100.0, 0.01])).any()
    assert gapped.places(gapped.numbers(places)).tolist() == places.tolist()
    units = gapped.whole_numbers(places)
    assert units.tolist() == [int(number * 10) for number in numbers]
    for more in (-1, 0, 2, 7):
        last = gapped.last_places(units + more)
        below = [int((units <= unit + more).sum()) - 1 for unit in units.tolist()]
        assert np.clip(last, -1, gapped.count - 1).tolist() == below
    span = full.number(full.count - 1) - full.number(0)
    number = full.number(0) + span * fortieths / 400
    nearest = min(numbers, key=lambda each: (abs(each - number), -each))
    assert gapped.number(gapped.place(number)) == nearest


@pytest.mark.parametrize("kind", ["integers", "continuous"])
def test_a_number_that_is_a_code_is_one_however_it_is_written(kind: str) -> None:
    settings = {"minimum": 0, "maximum": 119, "step": 1}
    domain = Grid(**settings) if kind == "integers" else Continuous(**settings, precision=1)
    codes = (
        MissingCode(values=("99",), label="refused"),
        MissingCode(values=("-8", "not asked"), label="not asked"),
    )
    column = Column(name="it", domain=domain, missing=True, missing_codes=codes)
    refused, not_asked = column.domain.size, column.domain.size + 1
    for typed in (False, True):
        fit = Fitter(column, typed=typed).fit(
            ["99", "99.0", " 099", "9.9e1", "-8.0", "-8", "not asked", "98.6", "99.4", "98", "100"]
        )
        assert fit.code[:7].tolist() == [refused] * 4 + [not_asked] * 3
        assert (fit.reason[:7] == Verdict.FITS).all()
        assert fit.code[7:].tolist() == [98, 99, 98, 99]
        assert fit.reason[7:].tolist() == [Verdict.ROUNDED] * 2 + [Verdict.FITS] * 2
    spelt = Grid(minimum=0, maximum=5000, spelling="1.234,5")
    codes = (MissingCode(values=("1.234",), label="refused"),)
    column = Column(name="it", domain=spelt, missing=True, missing_codes=codes)
    fit = Fitter(column, typed=False).fit(["1.234", "1234", "1234,0", "1.235", "1.233"])
    assert fit.code.tolist() == [5000] * 3 + [1234, 1233]
    # A typed file holds the number itself.
    assert Fitter(column, typed=True).fit(["1234"]).code.tolist() == [5000]
    cells = Continuous(minimum=0, maximum=5000, step=1, precision=1, spelling="1.234,5")
    column = column.changed(domain=cells)
    assert Fitter(column, typed=True).fit(["1234", "1233"]).code.tolist() == [5000, 1233]


def test_a_value_of_a_code_where_nothing_may_be_missing_is_outside() -> None:
    column = Column(
        name="it", domain=Grid(minimum=0, maximum=119), missing_codes=unlabelled(("99",))
    )
    fit = Fitter(column, typed=False).fit(["99", "99.0", "98"])
    assert fit.reason.tolist() == [Verdict.MISSING, Verdict.MISSING, Verdict.FITS]
    assert column.cardinality == 119
    other = column.changed(missing_codes=unlabelled(("98",)))
    prints = {Schema(columns=(each, OTHER)).fingerprint for each in (column, other)}
    assert len(prints) == 2


@pytest.mark.parametrize(
    "settings",
    [{"values": ()}, {"values": (" a",)}, {"label": " a"}, {"label": "a\nb"}, {"values": ("\0",)}],
)
def test_an_unusable_code_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(Refusal):
        MissingCode(**settings)


def test_missing_values_of_the_standard_are_read_in_both_forms() -> None:
    assert parse_missing(["", "NA"]) == unlabelled(("", "NA"))
    assert parse_missing([{"value": ""}, {"value": "NA"}]) == unlabelled(("", "NA"))
    labelled = [{"value": -8, "label": "not asked"}, {"value": "-9", "label": "refused"}, ""]
    assert parse_missing(labelled) == (
        MissingCode(values=("-8",), label="not asked"),
        MissingCode(values=("-9",), label="refused"),
        MissingCode(),
    )
    assert compose_missing(unlabelled(("", "NA"))) == ["", "NA"]
    with pytest.raises(Refusal):
        parse_missing([{"label": "not asked"}])


_WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=3)


@given(
    st.lists(
        st.tuples(st.lists(_WORD, min_size=1, max_size=3), _WORD),
        min_size=1,
        max_size=4,
    )
)
def test_codes_are_the_same_again_after_being_written(
    parts: list[tuple[list[str], str]],
) -> None:
    try:
        codes = tuple(MissingCode(values=tuple(values), label=label) for values, label in parts)
        check_codes(codes, Categories(values=("a value",)))
    except Refusal:
        return
    written = json.loads(json.dumps(compose_missing(codes)))
    assert parse_missing(written) == codes
    assert missing_of_labels(label_missing(codes)) == codes


def test_numbers_stay_numbers_in_parquet_where_the_codes_are_numbers() -> None:
    whole = Column(name="n", domain=Grid(minimum=0, maximum=9), missing=True, missing_codes=NUMBERS)
    decimal = whole.changed(
        name="d", domain=Grid(kind="numbers", minimum=0, maximum=1, step="0.25")
    )
    texts = whole.changed(name="t", missing_codes=(*TEXTS[1:], MissingCode(values=("-",))))
    schema = Schema(columns=(whole, decimal, texts))
    size = np.array([column.domain.size for column in schema.columns])
    codes = np.array([[0, 1, 2], *(size + place for place in range(3))], dtype=np.uint16)
    table = as_arrow(Records(schema, codes))
    assert table.column("n").to_pylist() == [0, -97, -98, None]
    assert table.schema.field("n").type == pa.int64()
    assert table.column("d").cast(pa.float64()).to_pylist() == [0.25, -97, -98, None]
    assert pa.types.is_decimal(table.schema.field("d").type)
    assert table.column("t").to_pylist() == ["2", ".a", ".b", "-"]
    metadata = table.schema.field("n").metadata
    assert json.loads(metadata[b"missing values"]) == {
        "-97": "not applicable: a child",
        "-98": "missing: not asked",
        "": "missing",
    }
    data = io.BytesIO()
    pq.write_table(table, data)


def test_the_dictionary_and_the_published_schema_name_each_code() -> None:
    schema = schema_of(EXAMPLES[0], NUMBERS)
    told = "-97 = not applicable: a child; -98 = missing: not asked; (empty) = missing"
    assert describe_column(schema.columns[0], "values.csv").token == told
    assert told in columns_csv(schema, "values.csv")
    assert published_schema(schema)["fields"][0]["missingValues"] == [
        {"value": "-97", "label": "not applicable: a child"},
        {"value": "-98", "label": "not asked"},
        {"value": ""},
    ]


def test_a_codebook_may_say_among_the_values_what_a_code_means() -> None:
    book = b"name,type,values,minimum,maximum,missing\nit,integer,-8=not asked,0,9,-8; -9; NA\n"
    schema = schema_of(EXAMPLES[1], (MissingCode(),))
    merged = merge_codebook(schema, read_codebook(book, "codebook.csv"))
    assert not merged.unfit
    not_asked = MissingCode(values=("-8",), label="not asked")
    assert merged.schema.columns[0].missing_codes == (not_asked, *unlabelled(("-9", "NA")))


def test_a_label_outside_the_range_of_a_codebook_is_of_a_code_for_missing() -> None:
    book = b"name,type,values,minimum,maximum\nit,integer,0=none; -8=not asked; 99=refused,0,40\n"
    not_asked = MissingCode(values=("-8",), label="not asked")
    refused = MissingCode(values=("99",), label="refused")
    column = schema_of(EXAMPLES[1], (MissingCode(),)).columns[0]
    schema = Schema(columns=(column.changed(missing=False), OTHER))
    merged = merge_codebook(schema, read_codebook(book, "codebook.csv"))
    assert not merged.unfit
    assert merged.schema.columns[0].missing
    assert merged.schema.columns[0].missing_codes == (not_asked, refused)
    probable = (MissingCode(), MissingCode(values=("-8",)))
    merged = merge_codebook(schema_of(EXAMPLES[1], probable), read_codebook(book, "codebook.csv"))
    assert merged.schema.columns[0].missing_codes == (MissingCode(), not_asked, refused)


def test_a_moment_that_is_a_code_itself_is_not_another_code_in_other_words() -> None:
    codes = tuple(
        MissingCode(values=(text,), label=label)
        for text, label in (("9999-12-31", "refused"), ("9999-12-31T00:00", "not asked"))
    )
    texts = ("3", "9999-12-31", "9999-12-31T00:00")
    raw = read_table(csv_of(texts), name="t.csv")
    column = Column(
        name="it",
        domain=Grid(minimum=Decimal(1), maximum=Decimal(5)),
        missing=True,
        missing_codes=codes,
    )
    records = encode_public(raw, Schema(columns=(column, OTHER)))
    assert tuple(column.texts[code] for code in records.codes[:, 0]) == texts


@every_kind
def test_blanks_around_a_code_are_ignored(example: Example) -> None:
    schema = schema_of(example, NUMBERS)
    raw = read_table(csv_of((*example.texts, " -98 ", "NA ")), name="t.csv")
    codes = encode_public(raw, schema).codes[-2:, 0].astype(int)
    assert (codes - example.domain.size).tolist() == [1, 2]
