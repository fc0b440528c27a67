"""What every kind of column has to do, one that only tests register among them.

What becomes of it in a run, a packet and its annex, in the methods and on the pages is tested
beside those: `report/test_every_kind.py`, `mechanisms/test_every_kind.py` and
`dashboard/test_every_kind.py`.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

import altair as alt
import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.engine.table import toy_kinds
from tests.engine.table.kind_examples import (
    EXAMPLES,
    Example,
    column_of,
    csv_of,
    records_of,
    schema_of,
)
from understudy.charts import histogram
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import indicators
from understudy.evaluation.comparison import distances
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.measure import Study, Table
from understudy.evaluation.registry import measures
from understudy.report.dictionary import columns_csv, describe_column, values_csv
from understudy.report.documents import published_schema
from understudy.runs.table_file import read_first_records
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.authoring.edits import fit_buckets, usual_tokens, with_kind, with_settings
from understudy.table.authoring.number_ranges import usual_buckets
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.buckets import ByGroups, ByWidth, EachValue, Group, assign
from understudy.table.column import Column, summarise_column
from understudy.table.encoding import decode, encode, encode_public, outside, to_csv_bytes
from understudy.table.field_entry import FieldEntry
from understudy.table.kinds import class_of_kind, convert_domain, list_kinds
from understudy.table.records import as_arrow
from understudy.table.schema import Schema
from understudy.table.sources.data_frame import read_data_frame
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    toy_kinds.register(monkeypatch)


@pytest.fixture(params=EXAMPLES, ids=lambda each: each.domain.kind)
def example(request: pytest.FixtureRequest) -> Example:
    found: Example = request.param
    return found


def test_every_kind_has_an_example() -> None:
    assert {each.domain.kind for each in EXAMPLES} == set(list_kinds())


def test_a_kind_is_found_by_its_name(example: Example) -> None:
    kind = example.domain.kind
    assert class_of_kind(kind) is type(example.domain)
    words = list_kinds()[kind]
    assert example.domain.words == words
    assert words.title
    assert words.noun
    with pytest.raises(Refusal, match="no kind") as refusal:
        class_of_kind("unheard")
    assert refusal.value.field == "kind"


def test_values_have_texts_labels_and_a_scale(example: Example) -> None:
    domain = example.domain
    assert len(domain.texts) == len(domain.labels_read) == domain.size
    assert len(set(domain.texts)) == domain.size
    assert all(domain.holds(text) for text in example.texts)
    assert not domain.holds(example.outside)
    assert domain.most_bytes >= max(len(text.encode()) for text in example.texts)
    assert (domain.ranged is not None) is domain.ordered is (domain.scale != "list")
    assert domain.measured is (domain.scale == "cells")
    assert set(domain.listed_texts) == (set() if domain.measured else set(domain.texts))


def test_a_range_has_numbers_ends_and_a_lattice(example: Example) -> None:
    ranged = example.domain.ranged
    if ranged is None:
        return
    assert len(ranged.numbers) == ranged.size == ranged.lattice.cells
    assert ranged.numbers[0] == ranged.minimum
    assert ranged.numbers[-1] <= ranged.maximum
    assert ranged.end_texts == (example.texts[0], example.texts[-1])
    places = ranged.lattice.numbers(np.array([0, ranged.lattice.count - 1]))
    assert float(ranged.minimum) == places[0]
    assert ranged.lattice.number(1) - ranged.lattice.number(0) >= ranged.resolution
    assert len(ranged.edges) == ranged.size + 1
    assert (np.diff(ranged.edges) > 0).all()
    assert ranged.edges[0] <= ranged.minimum <= ranged.maximum <= ranged.edges[-1]
    assert len(ranged.axis_values(ranged.edges)) == ranged.size + 1
    assert ranged.span >= ranged.maximum - ranged.minimum
    assert min(np.diff(np.array(ranged.numbers, dtype=float)), default=1) >= ranged.width
    for number in (ranged.minimum, ranged.lattice.number(0)):
        assert ranged.value_of(ranged.end_texts[0]) == number
    for number in (ranged.minimum, ranged.numbers[-1]):
        assert ranged.parse(ranged.spell(number)) == number
        assert ranged.from_json(json.loads(json.dumps(ranged.to_json(number))), "it") == number
        assert ranged.show(number)
    assert ranged.between(0, 0)


def test_the_schema_file_is_read_as_it_was_written(example: Example) -> None:
    schema = schema_of(example.domain).declare_public("a test")
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint
    assert again.declared
    assert again.to_json() == schema.to_json()


def test_a_column_is_a_setting_that_is_written_and_read(example: Example) -> None:
    column = column_of(example.domain)
    assert Column.read(json.loads(json.dumps(column.model_dump(mode="json")))) == column
    with pytest.raises(Refusal) as refusal:
        Column.read({**column.model_dump(), "domain": {"kind": "unheard"}})
    assert refusal.value.field == "domain"


def test_another_range_or_list_has_another_fingerprint(example: Example) -> None:
    if example.other is not None:
        fingerprints = {schema_of(each).fingerprint for each in (example.domain, example.other)}
        assert len(fingerprints) == 2
        assert example.domain != example.other


def test_the_field_is_one_of_a_table_schema(example: Example) -> None:
    field = json.loads(schema_of(example.domain).to_json())["fields"][0]
    assert field["type"] in {"string", "integer", "number", "time", "date", "datetime"}
    assert field["constraints"]["required"] is False
    assert set(field.get("understudy", {})) - {"buckets"} <= type(example.domain).extra_names
    entry = FieldEntry(
        **json.loads(json.dumps(asdict(example.domain.to_field())), parse_float=Decimal)
    )
    assert type(example.domain).claims(entry)
    assert type(example.domain).from_field(entry) == example.domain
    shown = published_schema(schema_of(example.domain))["fields"][0]
    assert "understudy" not in shown
    assert shown["missingValues"] == [""]


def test_texts_are_coded_and_written_again(example: Example) -> None:
    records = records_of(example)
    texts = decode(records).column("it").to_pylist()
    assert texts == [*example.texts, ""]
    assert records.codes[-1, 0] == example.domain.size
    assert (records.numbers is not None) is example.domain.measured
    tokens = read_table(csv_of((example.texts[0], "NA")), name="t.csv")
    assert encode_public(tokens, schema_of(example.domain)).codes[1, 0] == example.domain.size


def test_what_is_outside_is_counted_and_never_coded(example: Example) -> None:
    raw = read_table(csv_of((example.texts[0], example.outside, "")), name="t.csv")
    schema = schema_of(example.domain).with_reading(raw.reading)
    assert [each.total for each in outside(raw, schema)] == [1, 0]
    with pytest.raises(Refusal) as refusal:
        encode(raw, schema)
    assert refusal.value.field == "it"
    assert example.outside not in str(refusal.value)
    treated = encode(raw, schema, {"it": "missing"})
    assert treated.codes[1:, 0].tolist() == [example.domain.size] * 2
    forbidden = schema.replace(column_of(example.domain, missing=False))
    assert outside(raw, forbidden)[0].missing == 1


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_is_read_again(example: Example, form: str, tmp_path: Path) -> None:
    records = records_of(example, rows=3)
    path = tmp_path / f"released.{form}"
    if form == "csv":
        path.write_bytes(to_csv_bytes(records))
    else:
        pq.write_table(as_arrow(records), path)
    again = read_first_records(path, records.schema, len(records))
    assert np.array_equal(again.codes, records.codes)
    if records.numbers is not None:
        assert again.numbers is not None
        assert np.array_equal(again.numbers, records.numbers, equal_nan=True)


def test_a_table_read_piece_by_piece_holds_the_same(example: Example, tmp_path: Path) -> None:
    records = records_of(example, rows=3)
    path = tmp_path / "t.parquet"
    pq.write_table(as_arrow(records), path, row_group_size=4)
    schema = records.schema.declare_public("a test").with_reading(None)
    pieces = list(StreamedTable.open(path, schema).records())
    assert np.array_equal(np.concatenate([piece.codes for piece in pieces]), records.codes)
    if records.numbers is not None:
        numbers = np.concatenate([piece.numbers for piece in pieces if piece.numbers is not None])
        assert np.array_equal(numbers, records.numbers, equal_nan=True)


def test_a_data_frame_holds_the_same(example: Example) -> None:
    records = records_of(example)
    frame = as_arrow(records).to_pandas()
    again = read_data_frame(frame)
    assert np.array_equal(encode_public(again, records.schema).codes, records.codes)


def test_every_reader_reads_the_same_codes(example: Example) -> None:
    records = records_of(example)
    data = io.BytesIO()
    pq.write_table(as_arrow(records), data)
    raw = read_table(data.getvalue(), name="t.parquet")
    assert np.array_equal(encode_public(raw, records.schema).codes, records.codes)


def test_a_suggestion_holds_every_text(example: Example) -> None:
    raw = read_table(csv_of((*example.texts, ""), rows=9), name="t.csv")
    suggested = suggest_schema(raw).schema
    assert not any(each.total for each in outside(raw, suggested))
    recognised = type(example.domain).recognise(example.texts)
    if recognised is not None:
        assert suggested.column("it").domain == recognised


def test_usual_buckets_and_adapted_ones_fit(example: Example) -> None:
    domain = example.domain
    found = assign(domain, usual_buckets(domain))
    assert len(found.buckets) == domain.size
    assert set(found.buckets) == set(range(len(found.labels)))
    groups = ByGroups(groups=(Group(label="some", values=domain.texts[:1]),), rest="others")
    for buckets in (EachValue(), ByWidth(width=Decimal(1)), ByWidth(width=Decimal(10)), groups):
        adapted = fit_buckets(domain, buckets)
        assert len(assign(domain, adapted).buckets) == domain.size
    with pytest.raises(Refusal):
        assign(domain, groups if domain.ordered else ByWidth(width=Decimal(10)))


def test_any_kind_becomes_any_other_or_says_why_not(example: Example) -> None:
    column = column_of(example.domain)
    for kind in list_kinds():
        try:
            converted = with_kind(column, kind)
        except Refusal as refusal:
            assert refusal.field  # noqa: PT017
            assert kind != example.domain.kind
        else:
            no_numbers = example.domain.ordered and not example.domain.numeric
            assert not (no_numbers and converted.domain.numeric)
            assert converted.domain.kind == kind
    assert convert_domain(example.domain, example.domain.kind) is example.domain


def test_settings_that_a_form_asks_for_make_it(example: Example) -> None:
    settings = type(example.domain).settings
    given = {each.name: getattr(example.domain, each.name) for each in settings}
    if settings:
        assert type(example.domain).read({"kind": example.domain.kind, **given}) == example.domain
        texts = example.domain.setting_texts()
        assert list(texts) == [each.name for each in settings]
        assert type(example.domain).from_texts(example.domain.kind, texts) == example.domain
        assert all(texts[each.name] in (each.options or texts.values()) for each in settings)
    else:
        labels = example.domain.given_labels or ("",) * example.domain.size
        assert type(example.domain).from_values(example.domain.texts, labels) == example.domain
    assert usual_tokens(column_of(example.domain))


def test_a_codebook_says_it_whole(example: Example) -> None:
    schema = schema_of(example.domain)
    entries = read_codebook(csv_codebook(schema).encode(), "codebook.csv")
    start = schema.replace(with_settings(schema.columns[0], title="Another"))
    merged = merge_codebook(start, entries)
    assert not merged.unfit
    assert merged.schema.column("it").domain == example.domain


_TYPED = ("step", "precision", "unit")


def test_words_say_what_it_may_contain(example: Example) -> None:
    column = column_of(example.domain)
    about = describe_column(column, "values.csv")
    assert about.type == example.domain.words.noun
    assert about.domain
    assert about.unit == example.domain.units
    name, kind, contents, _ = summarise_column(column)
    assert (name, kind) == ("it", example.domain.kind)
    assert contents
    schema = schema_of(example.domain)
    line = columns_csv(schema, "values.csv").splitlines()[1]
    if (ranged := example.domain.ranged) is not None:
        for number in (ranged.minimum, ranged.maximum):
            assert ranged.show(number) in contents
        assert all(text in line and text.split(".")[0] in about.domain for text in ranged.end_texts)
        more = {name: text for name, text in ranged.setting_texts().items() if name in _TYPED}
        assert all(text in line for text in more.values())
    assert "it" in columns_csv(schema, "values.csv")
    assert ("it," in values_csv(schema)) is (not example.domain.ordered)


def test_its_records_are_drawn(example: Example) -> None:
    counts = np.arange(example.domain.size + 1)
    column = column_of(example.domain)
    for chart in (
        histogram.values(column, counts),
        histogram.buckets(column, counts),
        histogram.overlaid(column, counts, counts[::-1], "it"),
    ):
        assert isinstance(chart, alt.TopLevelMixin)
        assert chart.to_dict()
    if (ranged := example.domain.ranged) is not None and ranged.size > histogram.MOST_NAMED:
        drawn = histogram.values(column, counts).to_dict()["encoding"]["x"]["type"]
        assert drawn == {"numbers": "quantitative", "moments": "temporal"}[ranged.axis]
    assert len(histogram.values_table(column, counts)) == column.cardinality


_MEASURED = ("total-variation", "total-variation-pairs", "hellinger", "exact-matches")


def test_its_records_are_evaluated(example: Example) -> None:
    records = records_of(example, rows=60)
    assert float(distances(records, records).pairs.max()) == 0
    assert indicators(records).shape[0] == len(records)
    tables = (Table("released", "released", records), Table("others", "reals", records))
    study = Study(tables, records, records, {}, "it", repeats=1, key=1)
    quick = [each for each in measures() if each.about.key in _MEASURED]
    evaluation = evaluate(study, quick, lambda done, name: None)
    assert len(quick) == len(_MEASURED)
    assert [each.trouble for each in evaluation.findings] == [""] * len(quick)
