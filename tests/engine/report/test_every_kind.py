"""A column of every kind goes from a file to a packet that verifies, and into the annex."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from tests.engine.report.conftest import COVER
from tests.engine.table import toy_kinds
from tests.engine.table.kind_examples import EXAMPLES, not_asked, whole_schema, whole_table
from tests.support import started
from understudy.evaluation.evaluation import evaluate
from understudy.evaluation.measure import REALS, RELEASED, Study, Table
from understudy.evaluation.registry import measures
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.report.annex import write_annex
from understudy.report.packet import make_packet
from understudy.report.verify import verify
from understudy.runs.control import home_ledger
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import read_first_records
from understudy.runs.work import Job
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import encode, outside
from understudy.table.sources.reading import read_table


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    toy_kinds.register(monkeypatch)


@pytest.fixture
def run(tmp_path: Path, in_this_process: None) -> RunFolder:
    """A finished run on a table with a column of every kind."""
    raw = read_table(whole_table(), name="kinds.csv")
    schema = whole_schema().with_reading(raw.reading)
    plan = Plan.of(
        schema,
        seeds_at_least=60,
        public_records=300,
        delta=1e-4,
        attempts=200,
        omega=Omega(low=len(schema), high=len(schema)),
    )
    return started(Job(encode(raw, schema.declare_public("a test")), plan), tmp_path / "runs")


def test_a_release_of_every_kind_is_packed_and_verified(run: RunFolder, tmp_path: Path) -> None:
    packet = make_packet(run, tmp_path / "packets", COVER, ledger=home_ledger(), pdf=False)
    verdict = verify(packet.path)
    assert verdict.passed, verdict.summary
    dictionary = (packet.path / "dictionary.csv").read_text(encoding="utf-8")
    report = packet.report.read_text(encoding="utf-8")
    package = json.loads((packet.path / "datapackage.json").read_text(encoding="utf-8"))
    fields = {field["name"]: field for field in package["resources"][0]["schema"]["fields"]}
    assert dictionary.count("(empty) = missing; -98 = missing: not asked") == len(EXAMPLES) - 1
    for example in EXAMPLES:
        domain = example.domain
        assert f"{domain.kind},,{domain.words.noun}," in dictionary
        assert domain.words.noun in report
        assert fields[domain.kind]["type"] == domain.to_field().type


def test_csv_and_parquet_hold_the_same_values_of_every_kind(run: RunFolder, tmp_path: Path) -> None:
    packet = make_packet(run, tmp_path / "packets", COVER, ledger=home_ledger(), pdf=False)
    schema = whole_schema()
    csv, parquet = packet.path / "synthetic.csv", packet.path / "synthetic.parquet"
    one, other = (read_first_records(path, schema, 10**6) for path in (csv, parquet))
    assert np.array_equal(one.codes, other.codes)
    assert one.numbers is not None
    assert other.numbers is not None
    assert np.array_equal(one.numbers, other.numbers, equal_nan=True)
    texts = pa_csv.read_csv(
        csv,
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(schema.names, "string"), strings_can_be_null=False
        ),
    )
    seen: set[str] = set()
    for example in EXAMPLES:
        values = set(texts[example.domain.kind].to_pylist())
        seen |= values
        values -= {"", not_asked(example), "'=1"}
        assert values
        assert all(map(example.domain.holds, values))
    assert {"", "-98"} <= seen
    assert str(pq.read_schema(parquet).field("dates").type) == "date32[day]"


def test_the_annex_tells_of_every_kind(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = whole_schema()
    held_out = encode(read_table(whole_table(), name="kinds.csv"), schema)
    released = read_first_records(run.path / "release" / "synthetic.csv", schema, 10**6)
    tables = (Table(RELEASED, "released", released), Table(REALS, "reals", held_out))
    study = Study(tables, held_out, held_out, {}, "categories", repeats=1, key=1)
    quick = [each for each in measures() if each.about.key.startswith("total-variation")]
    evaluation = evaluate(study, quick, lambda done, name: None)
    monkeypatch.setattr("understudy.report.annex._find_evaluation", lambda run: evaluation)
    monkeypatch.setattr("understudy.report.annex._MOST", len(EXAMPLES))
    text = write_annex(run)
    assert all(example.domain.kind in text for example in EXAMPLES)


def test_a_schema_is_suggested_for_every_kind_at_once() -> None:
    raw = read_table(whole_table(), name="kinds.csv")
    schema = suggest_schema(raw).schema
    assert not any(found.total for found in outside(raw, schema))
    assert schema.column("dates").domain.kind == "dates"
    for example in EXAMPLES:
        column = schema.column(example.domain.kind)
        if column.ordered:
            codes = column.missing_codes
            assert {("",), (not_asked(example),)} <= {code.values for code in codes}
    assert schema.column("hours").domain.kind == "hours"
