"""What nobody foresaw in a file or an option: a sentence, the status of a refusal, nothing left."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.cli.conftest import Ended
from understudy.mechanisms.seedbased.plan import Plan
from understudy.runs.process import limit_memory, time_limit
from understudy.runs.resources import MOST_MEMORY, MOST_MINUTES, Resources
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]
Where = tuple[str | int, ...]

DOCUMENT: dict[str, Any] = {
    "fields": [
        {
            "name": "a",
            "title": "T",
            "type": "string",
            "constraints": {"required": True, "enum": ["0", "1"]},
            "categories": [{"value": "0", "label": "zero"}, {"value": "1", "label": "one"}],
            "missingValues": ["x"],
            "understudy": {
                "buckets": {
                    "kind": "groups",
                    "groups": [{"label": "g", "values": ["0"]}, {"label": "h", "values": ["1"]}],
                }
            },
        },
        {
            "name": "b",
            "type": "integer",
            "constraints": {"required": True, "minimum": 0, "maximum": 1},
            "missingValues": [""],
            "understudy": {"step": 1, "buckets": {"kind": "width", "width": 1}},
        },
    ],
    "understudy": {
        "reading": {"kind": "csv", "encoding": "utf-8", "separator": ",", "quote": '"'},
        "declared_public": {"at": "2026-01-01T00:00:00Z", "domain": "x", "note": "n"},
    },
}


def places(found: Any, at: Where = ()) -> Iterator[Where]:
    """Where something stands in a document that is no list and no set of names."""
    if isinstance(found, dict | list):
        for key, value in found.items() if isinstance(found, dict) else enumerate(found):
            yield from places(value, (*at, key))
    else:
        yield at


def put(document: Any, at: Where, raw: str) -> str:
    """The document as JSON with something else there."""
    changed = json.loads(json.dumps(document))
    within = changed
    for key in at[:-1]:
        within = within[key]
    within[at[-1]] = "@@"
    return json.dumps(changed).replace('"@@"', raw)


NUMBERS = ("1e400", "-1e400", "1" + "0" * 39, "1" + "0" * 5000, "9" * 100_000, "1e999999999999")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{row % 2},{row % 2}\n" for row in range(40)))
    return path


@pytest.mark.parametrize("at", [*places(DOCUMENT)], ids=lambda at: ".".join(map(str, at)))
def test_half_a_character_in_a_schema_is_refused_and_leaves_nothing(
    at: Where, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    schema.write_text(put(DOCUMENT, at, '"\\ud800"'))
    ended = understudy(
        "schema", table, "--out", schema, "--declare-public", "--note", "the code book"
    )
    assert "half a character" in ended.refusal
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "s.json"}


def test_half_a_character_in_a_note_is_refused(
    understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    schema.write_text(json.dumps(DOCUMENT))
    declared = ("schema", table, "--out", schema, "--declare-public", "--note")
    assert "\\ud800" in understudy(*declared, "the \ud800 book").refusal
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "s.json"}


@pytest.mark.parametrize("raw", NUMBERS, ids=lambda raw: raw[:12])
def test_no_number_in_a_schema_is_unforeseen(
    raw: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    for at in places(DOCUMENT):
        schema.write_text(put(DOCUMENT, at, raw))
        declared = ("--declare-public", "--note", "the code book")
        ended = understudy("schema", table, "--out", schema, *declared)
        assert ended.status in (0, 2), (at, ended)
        assert len(ended.err) < 2_000, at


@pytest.mark.parametrize("raw", [*NUMBERS, '"\\ud800"'], ids=lambda raw: raw[:12])
def test_no_number_in_a_plan_is_unforeseen(
    raw: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema, plan = tmp_path / "s.json", tmp_path / "p.json"
    made = Schema.from_json(json.dumps(DOCUMENT)).declare_public()
    made.save(schema)
    document = json.loads(Plan.of(made, public_records=40).to_json())
    for at in places(document):
        plan.write_text(put(document, at, raw))
        ended = understudy(
            "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "o"
        )
        assert ended.status == 2, (at, ended)
        assert len(ended.err) < 2_000, at


@pytest.mark.parametrize("number", ["1" + "0" * 39, "9" * 400, "9" * 100_000])
@pytest.mark.parametrize(
    "option", ["--records", "--seeds-at-least", "--memory", "--minutes", "--t"]
)
def test_no_number_on_the_command_line_is_unforeseen(
    option: str, number: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    Schema.from_json(json.dumps(DOCUMENT)).declare_public().save(schema)
    others = () if option == "--records" else ("--records", 40)
    ended = understudy(
        "synthesize", table, "--schema", schema, "--out", tmp_path / "o", *others, option, number
    )
    assert ended.status == 2, ended
    assert len(ended.err) < 2_000


@pytest.mark.parametrize("given", ["nan", "inf", "-inf", "1e308"])
@pytest.mark.parametrize("option", ["--memory", "--minutes"])
def test_a_limit_is_a_number(
    option: str, given: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    Schema.from_json(json.dumps(DOCUMENT)).declare_public().save(schema)
    ended = understudy(
        "synthesize", table, "--schema", schema, "--out", tmp_path / "o", "--records", 40, option,
        given,
    )  # fmt: skip
    assert ended.refusal.startswith(option)


def test_the_largest_limits_can_be_kept_to() -> None:
    resources = Resources(memory=MOST_MEMORY, minutes=float(MOST_MINUTES))
    with time_limit(resources.minutes):
        pass
    limit_memory(None)


UNKNOWN_ZONE = pa.array([0, 10**15] * 20, pa.timestamp("us", tz="Mars/Olympus"))
BROKEN = pa.StringArray.from_buffers(
    2, pa.array([0, 2, 4], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfeok")
)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (UNKNOWN_ZONE, ""),
        (UNKNOWN_ZONE.dictionary_encode(), ""),
        (pa.concat_arrays([BROKEN] * 20), ""),
        (pa.array([uuid.uuid4().bytes] * 40, pa.uuid()), "“b” holds UUIDs"),
    ],
    ids=["zone", "zone as categories", "no text", "uuid"],
)
def test_odd_columns_of_parquet(
    column: pa.Array, said: str, understudy: Understudy, tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["0", "1"] * 20, "b": column}), path)
    ended = understudy("schema", path, "--out", tmp_path / "s.json")
    assert (ended.status, said in ended.err) == (2 if said else 0, True), ended


def test_a_workbook_of_one_column_is_not_told_of_separators(
    understudy: Understudy, tmp_path: Path
) -> None:
    import pandas as pd

    pd.DataFrame({"a": ["1", "2"]}).to_excel(tmp_path / "t.xlsx", index=False)
    refusal = understudy("schema", tmp_path / "t.xlsx", "--out", tmp_path / "s.json").refusal
    assert refusal == "t.xlsx has only one column. Choose a table of two columns or more."
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    refusal = understudy("schema", tmp_path / "t.csv", "--out", tmp_path / "s.json").refusal
    assert "name the separator" in refusal
