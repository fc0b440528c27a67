"""A panel from the command line, by every method, to a packet whose guarantee is for a person."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tests.engine.cli.conftest import Ended
from tests.panel import PEOPLE, panel_csv
from understudy.report.verify import verify
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

Understudy = Callable[..., Ended]


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    """The panel as a file."""
    path = tmp_path / "panel.csv"
    path.write_bytes(panel_csv())
    return path


@pytest.fixture
def declared(panel: Path, tmp_path: Path) -> Path:
    """A schema file that says whose its records are."""
    schema = suggest_schema(read_table(panel), leave_out=("resp",)).schema
    path = tmp_path / "schema.json"
    schema.with_people(PEOPLE).declare_public("The design of the panel.").save(path)
    return path


SETTINGS = {
    "seedbased": {"omega": {"low": 4, "high": 4}, "attempts": 50, "public_records": 480},
    "imputation": {
        "columns": ["sex", "job"], "records": 480, "public_records": 480, "strength": 30.0,
        "rows": 100,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", SETTINGS)
def test_from_a_panel_to_a_verified_packet(
    understudy: Understudy, panel: Path, declared: Path, tmp_path: Path, kind: str
) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    given = [
        part
        for name, each in SETTINGS[kind].items()
        for part in ("--set", f"{name}={json.dumps(each)}")
    ]
    made = understudy(
        "method", kind, "--schema", declared, *given, "--save-plan", plan, "--json"
    )  # fmt: skip
    assert made.status == 0, made.err
    assert json.loads(plan.read_text())["records_per_person"] == 3
    asked = ("synthesize", panel, "--schema", declared, "--plan", plan, "--out", out)
    done = understudy(*asked, "--new-people", "--keep", "--json")
    assert done.status == 0, done.err
    guarantee = json.loads((out / "guarantee.json").read_text())["guarantee"]
    assert guarantee["records_per_person"] == 3
    assert guarantee["protects"].startswith("Each person, however many records they have: ")
    packed = understudy("packet", done.json["run"], "--title", "Panel", "--no-pdf", "--json")
    assert packed.status == 0, packed.err
    packet = Path(packed.json["packet"])
    assert verify(packet).passed
    (report,) = packet.glob("*.html")
    assert "Each person, however many records they have" in report.read_text()


def test_a_plan_that_counts_on_fewer_is_refused_before_anything_is_spent(
    understudy: Understudy, panel: Path, declared: Path, tmp_path: Path
) -> None:
    said = understudy("method", "pmse", "--schema", declared, "--set", "records_per_person=2")
    assert "Set the records per person to 3" in said.refusal
    asked = ("synthesize", panel, "--schema", declared, "--out", tmp_path / "out", "--new-people")
    assert "records per person" in understudy(*asked, "--records-per-person", "2").refusal


def test_piece_by_piece_is_refused_with_what_to_do(
    understudy: Understudy, panel: Path, declared: Path, tmp_path: Path
) -> None:
    path = tmp_path / "panel.parquet"
    pq.write_table(pyarrow.csv.read_csv(panel), path)
    asked = ("synthesize", path, "--schema", declared, "--out", tmp_path / "out", "--new-people")
    said = understudy(*asked, "--streamed", "--omega", "4").refusal
    assert "leave out --streamed" in said
    assert "the records per person to 3" in said


def test_a_schema_is_suggested_with_a_question_about_people(
    understudy: Understudy, panel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "suggested.json"
    asked = ("schema", panel, "--out", out)
    assert "“resp” stand in several" in " ".join(understudy(*asked).out.split())
    said = ("--person", "resp", "--order", "wave", "--most-per-person", "3")
    assert "exists already" in understudy(*asked, *said).refusal
    out.unlink()
    assert "Add --most-per-person" in understudy(*asked, *said[:4]).refusal
    assert "have no order" in understudy(*asked, *said[:3], "sex", *said[4:]).refusal
    kept = understudy(*asked, *said)
    assert "120 rows of 80 people are not used" in " ".join(kept.out.split())
    assert Schema.load(out).people == PEOPLE
    assert "resp" not in Schema.load(out).names


def test_nothing_is_declared_before_it_is_said_whose_the_rows_are(
    understudy: Understudy, panel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "suggested.json"
    assert understudy("schema", panel, "--out", out).status == 0
    declaring = ("schema", panel, "--out", out, "--declare-public", "--note", "The design.")
    refusal = understudy(*declaring).refusal
    assert "“resp” stand in several rows each" in refusal
    assert "--single-rows" in refusal
    assert not Schema.load(out).declared
    early = understudy("schema", panel, "--out", tmp_path / "early.json", "--single-rows")
    assert "is said with a confirmation" in early.refusal
    assert understudy(*declaring, "--single-rows").status == 0
    assert Schema.load(out).declared
    anew = tmp_path / "anew.json"
    said = ("--person", "resp", "--order", "wave", "--most-per-person", "3")
    assert understudy("schema", panel, "--out", anew, *said).status == 0
    assert (
        understudy("schema", panel, "--out", anew, "--declare-public", "--note", "Waves.").status
        == 0
    )


def test_a_proposal_counts_on_what_is_kept(understudy: Understudy, declared: Path) -> None:
    asked = ("propose", "--schema", declared, "--epsilon", "1", "--json")
    assert understudy(*asked).status == 0
    fewer = understudy(*asked, "--records-per-person", "2").refusal
    assert "Set the records per person to 3" in fewer
