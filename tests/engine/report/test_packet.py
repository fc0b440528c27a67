"""The small files of a packet of one table are written as they were. The texts are kept in
`golden/` beside this file, with the version, dates and hashes of Parquet left out; tests/golden.py
tells how they are written anew. Packets that were issued stay as they are, and only the version
that made them checks their words. The table keeps to its own description, read by nothing of ours.
What a column may contain, in words for a board. What an acceptance test measured, in a packet.
"""

from __future__ import annotations

import copy
import csv
import hashlib
import html
import io
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.report.conftest import COVER, Making, failed, resummed, schema
from tests.golden import check_golden
from understudy import __version__
from understudy.acceptance.outcome import NAME, SAID
from understudy.core import numerals
from understudy.core.files import write_internal_arrays
from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.report.papers import PAPERS
from understudy.privacy.budget import Budget
from understudy.privacy.strength import belief
from understudy.report.acceptance import describe_accepted, find_mismatch
from understudy.report.cover import Cover
from understudy.report.dictionary import columns_csv, describe_column
from understudy.report.files import ABOUT, INTERVALS, OUTPUTS, RELATIONS, REPORT_PDF
from understudy.report.packet import make_packet, packet_as_zip, read_contents, write_zip
from understudy.report.packet_counts import read_packet_counts
from understudy.report.shelf import list_packets
from understudy.report.verify import verify
from understudy.runs.evidence import read_plan_and_schema
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.encoding import to_csv_bytes
from understudy.table.formula_safety import NOTE, unescape_formula
from understudy.table.grid import Grid
from understudy.table.schema import Schema

KINDS = ["attempts", "releases", "seedless", "stained"]


def names(kind: str) -> set[str]:
    mark = "demonstration-" if kind == "stained" else ""
    return {
        f"{mark}{name}" if name.startswith("synthetic") else name
        for name in set(ABOUT) - {REPORT_PDF, OUTPUTS, INTERVALS, RELATIONS}
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_packet_holds_every_file_and_no_other(run_of: Making, kind: str) -> None:
    packet = run_of(kind).packet()
    assert {path.name for path in packet.path.iterdir()} == names(kind)
    assert packet.whole
    assert packet.identity.startswith("demonstration-" if kind == "stained" else "packet-")
    assert packet.total.bounded == (kind != "stained")


def test_the_same_run_and_cover_make_the_same_bytes(run_of: Making, tmp_path: Path) -> None:
    made = run_of()
    one = made.packet()
    other = make_packet(made.run, tmp_path / "elsewhere", COVER, ledger=made.ledger, pdf=False)
    assert one.identity == other.identity
    assert packet_as_zip(one) == packet_as_zip(other)
    assert made.packet() == one
    assert len(list_packets(made.place)) == 1


def test_nothing_in_a_packet_tells_when_it_was_made(run_of: Making) -> None:
    packet = run_of("releases").packet(COVER.model_copy(update={"dated": ""}))
    sink = io.BytesIO()
    write_zip(packet, sink)
    with zipfile.ZipFile(sink) as archive:
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    declared = json.loads((packet.path / "schema.json").read_text())["understudy"]
    at = declared["declared_public"]["at"]
    for path in packet.path.iterdir():
        assert path.stat().st_mtime == 315_532_800
        text = path.read_bytes().decode("utf-8", "replace").replace(at, "").replace(at[:10], "")
        assert not re.search(r"20\d\d-\d\d-\d\dT", text), path.name


def test_the_table_has_its_values_and_its_types(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    table = pq.read_table(packet.path / "synthetic.parquet")
    assert table.schema.field("age").type == pa.int64()
    assert table.schema.field("pay").type == pa.decimal128(3, 2)
    assert pa.types.is_dictionary(table.schema.field("job").type)
    with made.run.table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    read = table.to_pylist()
    assert len(read) == len(rows) > 0
    for ours, theirs in zip(read, rows, strict=True):
        assert ours["age"] == int(theirs["age"])
        assert ours["pay"] == (Decimal(theirs["pay"]) if theirs["pay"] else None)
        job = unescape_formula(theirs["job"])
        assert ours["job"] == (None if job == "-" else job)


def test_formulas_are_harmless_in_every_csv_and_nowhere_else(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    shown = (packet.path / "synthetic.csv").read_bytes()
    assert shown == made.run.table.read_bytes()
    assert b",'=1+1," in shown
    assert b",'-," in shown
    assert b",-0." in shown
    for name in ("synthetic.csv", "values.csv", "dictionary.csv"):
        with (packet.path / name).open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not any(cell.startswith(("=", "@", "+")) for cell in cells)
    stated = json.loads((packet.path / "guarantee.json").read_text())["table"]
    assert stated["sha256"] == hashlib.sha256(shown).hexdigest()
    assert stated["formulas"] == NOTE
    for name in ("README.txt", "guarantee.txt", "report.html"):
        text = (packet.path / name).read_text(encoding="utf-8")
        assert NOTE in " ".join(html.unescape(text).split()), name
    jobs = pq.read_table(packet.path / "synthetic.parquet").column("job").to_pylist()
    assert "=1+1" in jobs
    assert json.loads((packet.path / "packet.json").read_text())["formulas_neutralised"]


def test_the_settings_come_without_how_stray_values_were_settled(run_of: Making) -> None:
    made = run_of()
    assert Plan.from_json(made.run.read_text("plan.json")).policies
    packet = made.packet()
    plan = Plan.from_json((packet.path / "plan.json").read_text())
    assert not plan.policies
    for path in packet.path.iterdir():
        assert b"policies" not in path.read_bytes()
        assert b"clip" not in path.read_bytes()


def test_what_the_dictionary_says(run_of: Making) -> None:
    packet = run_of().packet()
    with (packet.path / "dictionary.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["column"]: row for row in csv.DictReader(file)}
    assert rows["age"]["title"] == "Age in years"
    assert (rows["age"]["minimum"], rows["age"]["maximum"]) == ("18", "89")
    assert rows["age"]["buckets"].startswith("18 to 29; 30 to 41")
    assert rows["job"]["values"] == "C = Clerk; K = Cook; N = Nurse; =1+1 = Other"
    assert (rows["job"]["may be missing"], rows["job"]["missing is written"]) == ("yes", "'-")
    assert rows["pay"]["missing is written"] == "(empty)"
    with (packet.path / "values.csv").open(newline="", encoding="utf-8") as file:
        values = list(csv.DictReader(file))
    assert [row["label"] for row in values] == ["Clerk", "Cook", "Nurse", "Other", "missing"]


class Outside(HTMLParser):
    """Everything in a page that would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            if name in ("src", "href", "action", "data") or name.startswith("on"):
                self.found.append(value or "")


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_needs_nothing_from_elsewhere(run_of: Making, kind: str) -> None:
    text = run_of(kind).packet().report.read_text(encoding="utf-8")
    page = Outside()
    page.feed(text)
    assert all(each.startswith("#") and each[1:] in page.ids for each in page.found)
    assert "script" not in page.tags
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text
    assert text.count("<svg") == text.count('<svg role="img" aria-label="')


def test_what_was_typed_is_escaped(run_of: Making) -> None:
    evil = Cover(title="<script>alert(1)</script>", note="<img src=x>", by='"><b>')
    text = run_of().packet(evil).report.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_says_what_the_statement_says(run_of: Making, kind: str) -> None:
    packet = run_of(kind).packet()
    said = json.loads((packet.path / "guarantee.json").read_text())
    shown = " ".join(re.sub(r"<[^>]+>", "", packet.report.read_text(encoding="utf-8")).split())
    shown = shown.replace("&#39;", "'").replace("&lt;", "<").replace("&amp;", "&")
    text = " ".join((packet.path / "guarantee.txt").read_text(encoding="utf-8").split())
    for sentence in (
        said["guarantee"]["statement"],
        *said["guarantee"]["assumes"],
        *said["guarantee"]["not_covered"],
    ):
        assert sentence in shown
        assert sentence in text
    if kind == "stained":
        assert "DEMONSTRATION, NOT PRIVATE" in (packet.path / "README.txt").read_text()
        assert "not_private" in (packet.path / "demonstration-synthetic.csv").read_text()
        assert (
            "not_private" in pq.read_schema(packet.path / "demonstration-synthetic.parquet").names
        )


def test_an_empty_release_is_still_a_packet(run_of: Making) -> None:
    made = run_of("stained")
    text = made.run.table.read_text(encoding="utf-8").splitlines()[0] + "\n"
    sha = hashlib.sha256(text.encode()).hexdigest()
    from understudy.report.outputs import read_released_table

    path = made.run.path / "empty.csv"
    path.write_text(text, encoding="utf-8")
    table = read_released_table(path, schema(), sha, stained=True)
    assert to_csv_bytes(table.records) == text.encode()
    assert len(table) == 0


@pytest.mark.parametrize(
    ("cover", "field"),
    [
        ({"title": "  "}, "title"),
        ({"title": "x" * 200}, "title"),
        ({"title": "x", "by": "a\x07b"}, "by"),
        ({"title": "x", "note": "y" * 5000}, "note"),
    ],
)
def test_a_cover_is_refused_at_its_field(cover: dict[str, str], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        Cover(**cover)
    assert refused.value.field == field
    assert "\x07" not in str(refused.value)


def test_the_schema_of_the_packet_is_the_one_declared(run_of: Making) -> None:
    packet = run_of("stained").packet()
    found = Schema.load(packet.path / "schema.json")
    assert found.fingerprint == schema().fingerprint
    assert found.declared


@pytest.mark.parametrize("kind", ["attempts", "seedless"])
def test_the_report_bounds_beliefs_as_the_proof_does(run_of: Making, kind: str) -> None:
    packet = run_of(kind).packet()
    report = packet.report.read_text()
    for about in ("presence", "value"):
        found = belief(0.1, packet.total, about)
        if found.failing >= 1 or found.at_most > 0.9995:
            certain = ("10 % becomes all but certain", "any of them may become all but certain")
            assert any(each in report for each in certain)
        else:
            assert f"10 % becomes at most {round_up(100 * found.at_most, 3)} %" in report
            chances = [belief(each, packet.total, about).failing for each in (0.01, 0.1, 0.5)]
            assert numerals.one_in(max(chances)) in report


def test_the_report_says_it_where_nothing_bounds_a_belief() -> None:
    from understudy.report.report import _describe_moved_belief

    total = Budget(8.3, 1e-4)
    assert (
        _describe_moved_belief([belief(0.1, total, "value")])
        == "any of them may become all but certain"
    )
    assert "becomes at most" in _describe_moved_belief([belief(0.1, total)])


def test_a_report_opens_with_what_a_belief_becomes_and_foresees_what_will_be_kept(
    run_of: Making,
) -> None:
    text = (run_of("seedless").packet().path / "report.html").read_text(encoding="utf-8")
    head, _, rest = text.partition("<main>")
    assert re.search(r"10 % <span[^>]*>→</span> [\d.]+ % at most", head)
    assert head.index('class="moved"') < head.index("e^")
    assert rest.index('id="foreseen"') < rest.index("How far off each column will be")
    assert rest.index("How far off each column will be") < rest.index('id="rests"')
    lost = "“Age in years”, “job” and “pay” will be related to other columns only where"
    assert lost in html.unescape(rest)
    numbers = re.findall(r"<b>Figure (\d+)\.</b>", text)
    assert numbers == [str(number + 1) for number in range(len(numbers))]


@pytest.mark.parametrize("kind", ["attempts", "seedless"])
def test_a_report_speaks_of_seeds_and_attempts_where_there_are_any(
    run_of: Making, kind: str
) -> None:
    text = (run_of(kind).packet().path / "report.html").read_text(encoding="utf-8")
    terms = [f"<dt>{each}</dt>" in text for each in ("Attempt", "Candidate", "Seed")]
    assert all(terms) if kind == "attempts" else not any(terms)
    assert ("Every attempt" in text) == (kind == "attempts")
    assert ("candidates come from" in text) == (kind == "attempts")


@pytest.mark.parametrize(("kind", "said"), [("attempts", True), ("seedless", False)])
def test_candidates_are_expected_to_pass_only_where_there_are_seeds(
    run_of: Making, monkeypatch: pytest.MonkeyPatch, kind: str, *, said: bool
) -> None:
    run = run_of(kind).run
    sample = SimpleNamespace(is_of=lambda _: True, pass_rate=lambda *_: 1.0)
    figures = SimpleNamespace(samples=(sample,), compared=())
    monkeypatch.setattr(RunFigures, "load", lambda _: figures)
    plan, schema = read_plan_and_schema(run)
    found = PAPERS.measurements(run.internal, plan_run(plan, schema))
    assert found is not None
    assert any("expected to pass" in each for each in found.told) == said


def test_who_said_where_columns_are_known_from_gave_a_source(run_of: Making) -> None:
    packet = run_of("sourced").packet()
    text = packet.report.read_text(encoding="utf-8")
    assert "1 from a published codebook" in text
    assert "gave no source" not in text
    assert "<li>=the &lt;form&gt; of 2024: <code>job</code>.</li>" in text
    assert "each confirmed by name: <code>pay</code>.</li>" in text
    assert "which no noise protects" in text
    with (packet.path / "dictionary.csv").open(newline="", encoding="utf-8") as file:
        known = {row["column"]: row["known from"] for row in csv.DictReader(file)}
    assert known == {
        "age": "a published codebook",
        "job": "'=the <form> of 2024",
        "pay": "the table itself, each confirmed by name",
    }


def test_only_the_first_chapter_of_a_report_begins_a_page(run_of: Making) -> None:
    text = run_of("seedless").packet().report.read_text(encoding="utf-8")
    assert text.count('class="page"') == 1


GOLDEN: Final = Path(__file__).with_name("golden")
FILES: Final = (
    "README.txt",
    "datapackage.json",
    "dictionary.csv",
    "guarantee.json",
    "guarantee.schema.json",
    "guarantee.txt",
    "packet.json",
    "plan.json",
    "schema.json",
    "values.csv",
)


def normalise(name: str, text: str) -> str:
    """Return the text of a file of a packet without what differs from run to run."""
    text = text.replace(f"understudy {__version__}", "understudy")
    text = re.sub(r'"at": "[^"]*"', '"at": ""', text)
    text = re.sub(r"\b\d{4}-\d{2}-\d{2}\b", "", text)
    if name == "datapackage.json":
        text = text.partition('"name": "synthetic-parquet"')[0]
    return text


@pytest.mark.parametrize("name", FILES)
def test_a_packet_of_one_table_is_written_as_it_was(
    name: str, packets_of: Callable[[str], Path]
) -> None:
    packet = packets_of("stained") / name
    check_golden(GOLDEN / name, normalise(name, packet.read_text(encoding="utf-8")))


Packets = Callable[[str], Path]


def fits(cell: str, field: dict[str, Any]) -> bool:
    """Whether a cell is what its field of the Table Schema allows."""
    constraints = field["constraints"]
    if cell in field["missingValues"]:
        return not constraints["required"]
    match field["type"]:
        case "string":
            return cell in constraints["enum"]
        case "integer":
            whole = re.fullmatch(r"-?[0-9]+", cell) is not None
            return whole and constraints["minimum"] <= int(cell) <= constraints["maximum"]
        case _:
            return bool(constraints["minimum"] <= float(cell) <= constraints["maximum"])


@pytest.mark.parametrize("kind", ["attempts", "releases", "seedless", "stained"])
def test_the_table_is_as_the_data_package_says(packets_of: Packets, kind: str) -> None:
    folder = packets_of(kind)
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[a-z0-9-]+", package["name"])
    for resource in package["resources"]:
        content = (folder / resource["path"]).read_bytes()
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    table = package["resources"][0]
    fields = table["schema"]["fields"]
    with (folder / table["path"]).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == [field["name"] for field in fields]
    assert rows
    for row in rows:
        assert len(row) == len(fields)
        for cell, field in zip(row, fields, strict=True):
            assert fits(cell, field), field["name"]


def test_long_numbers_are_read_in_threes_and_stay_numbers_in_the_file() -> None:
    wide = Column(name="pay", domain=Grid(minimum=0, maximum=100_000_000, step=50_000_000))
    assert describe_column(wide, "").domain == "0 to 100,000,000, in steps of 50,000,000"
    domain = Continuous(minimum=0, maximum=20_000, precision=1, step=10_000)
    measured = describe_column(Column(name="width", domain=domain), "").domain
    assert measured.startswith("0 to 20,000, to the nearest 1; modelled in cells of 10,000")
    assert "100000000,50000000" in columns_csv(Schema(columns=(wide, wide.changed(name="b"))), "")


def test_a_packet_holds_what_was_measured_and_checks_out(
    packets_of: Callable[[str], Path],
) -> None:
    packet = packets_of("accepted")
    assert verify(packet).passed
    said = json.loads((packet / "outputs.json").read_text(encoding="utf-8"))[NAME]
    assert [each["kind"] for each in said["statistics"]] == ["share", "mean", "distance"]
    assert json.loads((packet / "outputs.json").read_text(encoding="utf-8"))["noisy-tables"]
    report = (packet / "report.html").read_text(encoding="utf-8")
    assert "How near it comes, measured" in report
    verdicts = Counter(each["verdict"] for each in said["statistics"])
    assert (
        f"Limits kept: {verdicts['passed']} of 3; broken: {verdicts['failed']}; "
        f"not to be told from the noise: {verdicts['open']}." in report
    )
    guarantee = json.loads((packet / "guarantee.json").read_text(encoding="utf-8"))
    assert guarantee["parts"]["acceptance"]["epsilon"] == 1.0
    # Six records in ten are learned from, and one is measured, at ε = 1 each.
    assert guarantee["guarantee"]["epsilon"] == pytest.approx(math.log1p(0.7 * math.expm1(1)))


def test_intervals_need_the_noisy_tables_of_a_packet_and_nothing_else(
    packets_of: Callable[[str], Path], tmp_path: Path
) -> None:
    """Two of its files are enough, whatever the table, and its own file of intervals follows."""
    packet = packets_of("accepted")
    alone = tmp_path / "alone"
    alone.mkdir()
    for name in ("outputs.json", "schema.json"):
        (alone / name).write_bytes((packet / name).read_bytes())
    found, whole = read_packet_counts(alone), read_packet_counts(packet)
    assert found.make_documents() == whole.make_documents()
    for name, text in found.make_documents().items():
        assert (packet / name).read_text(encoding="utf-8") == text
    assert found.counts.share == pytest.approx(0.6)
    readme = (packet / "README.txt").read_text(encoding="utf-8")
    assert "WHAT MAY BE INFERRED" in readme
    with pytest.raises(Refusal, match="no noisy tables"):
        read_packet_counts(packets_of("seedless"))
    with pytest.raises(Refusal, match="probability"):
        read_packet_counts(packet, 1.0)


def test_another_interval_than_follows_is_found(copied: Callable[..., Path]) -> None:
    packet = copied("accepted")
    for name in ("intervals.csv", "relations.csv"):
        path = packet / name
        path.chmod(0o644)
        kept = path.read_text(encoding="utf-8")
        path.write_text(kept.replace("age", "pay", 1), encoding="utf-8")
        (packet / "SHA256SUMS").chmod(0o644)
        resummed(packet)
        assert failed(verify(packet)) == {"documents"}
        path.write_text(kept, encoding="utf-8")


def test_figures_that_do_not_follow_from_the_noisy_numbers_are_found(run_of: Making) -> None:
    made = run_of("accepted")
    contents = read_contents(made.run, COVER, made.ledger)
    decided = contents.statement.decided
    records = contents.tables.found["synthetic"].records
    figures: dict[str, Any] = copy.deepcopy(dict(contents.figures.found[NAME]))
    assert find_mismatch(decided, figures, records) is None
    told = describe_accepted(decided, figures, records)
    assert told is not None
    assert [each.verdict for each in told.rows] == [
        SAID[each["verdict"]] for each in figures["statistics"]
    ]
    other = "failed" if figures["statistics"][0]["verdict"] == "passed" else "passed"
    for name, value in (("verdict", other), ("at_most", 0.0), ("released", 0.5), ("limit", 0.9)):
        changed = copy.deepcopy(figures)
        changed["statistics"][0][name] = value
        assert find_mismatch(decided, changed, records) is not None, name


def test_a_changed_figure_fails_the_check_of_figures(copied: Callable[..., Path]) -> None:
    packet = copied("accepted")
    path = packet / "outputs.json"
    path.chmod(0o644)
    text = path.read_text(encoding="utf-8")
    verdict = str(json.loads(text)[NAME]["statistics"][-1]["verdict"])
    other = "failed" if verdict == "passed" else "passed"
    changed = text.replace(f'"verdict": "{verdict}"', f'"verdict": "{other}"', 1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    (packet / "SHA256SUMS").chmod(0o644)
    resummed(packet)
    assert "figures" in failed(verify(packet))


def test_noise_that_an_older_run_kept_is_in_no_packet(run_of: Making) -> None:
    made = run_of("accepted")
    noise = np.array([918_273_645_546])
    made.run.internal.mkdir(exist_ok=True)
    write_internal_arrays(made.run.internal / "evidence.npz", {"acceptance noise": noise})
    for path in made.packet().path.iterdir():
        found = path.read_bytes()
        assert str(noise[0]).encode() not in found, path.name
        assert noise.tobytes() not in found, path.name


@pytest.mark.parametrize("kind", ["seedless", "stained"])
def test_without_a_test_there_is_nothing_to_tell(run_of: Making, kind: str) -> None:
    made = run_of(kind)
    contents = read_contents(made.run, COVER, made.ledger)
    records = contents.tables.found["synthetic"].records
    assert describe_accepted(contents.statement.decided, {}, records) is None
    assert find_mismatch(contents.statement.decided, {}, records) is None
