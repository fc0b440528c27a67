"""A packet that was changed in any way fails a check, and the right one. Checking a packet in a
process of its own. A table that is not the one that was released is found, as CSV and as Parquet.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.report.conftest import failed, resummed
from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended
from understudy.report import checks, verdict
from understudy.report.alike import find_difference
from understudy.report.files import SUMS
from understudy.report.outputs import count_most_lines
from understudy.report.verdict import TITLES, PacketCheck, PacketVerdict
from understudy.report.verify import verify
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

Packets = Callable[[str], Path]

KINDS = ["attempts", "releases", "seedless", "stained"]

NAMES = (
    "README.txt", "report.html", "guarantee.txt", "guarantee.json", "guarantee.schema.json",
    "plan.json", "schema.json", "dictionary.csv", "values.csv", "datapackage.json", "ledger.json",
    "versions.json", "packet.json", "SHA256SUMS", "synthetic.csv", "synthetic.parquet",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_packet_as_made_passes_every_check(packets_of: Packets, kind: str) -> None:
    verdict = verify(packets_of(kind))
    assert [each.key for each in verdict.checks] == list(TITLES)
    assert {each.state for each in verdict.checks} == {"passed"}, verdict
    assert verdict.passed
    assert verdict.stained == (kind == "stained")


@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_any_byte_of_any_file_counts(packets_of: Packets, data: st.DataObject) -> None:
    original = packets_of("attempts")
    name = data.draw(st.sampled_from(NAMES))
    content = (original / name).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != content[place]))
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(shutil.copytree(original, Path(folder) / "packet"))
        (changed / name).chmod(0o644)
        (changed / name).write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
        assert "hashes" in failed(verify(changed))


@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_any_byte_counts_even_where_the_hashes_are_made_anew(
    packets_of: Packets, data: st.DataObject
) -> None:
    original = packets_of("attempts")
    name = data.draw(st.sampled_from(NAMES[:-3] + NAMES[-2:]))
    content = (original / name).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != content[place]))
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(shutil.copytree(original, Path(folder) / "packet"))
        (changed / name).write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
        resummed(changed)
        verdict = verify(changed)
        if name not in ("versions.json", "ledger.json", "packet.json", "guarantee.json"):
            assert failed(verdict), (name, place, byte)
        # In the others a text may be another that is as true, and a figure in its last place; then
        # what is made from it shows that.
        assert not verdict.passed or _same_meaning(original / name, changed / name), (name, place)


def _same_meaning(one: Path, other: Path) -> bool:
    found = [json.loads(path.read_text()) for path in (one, other)]
    return find_difference(*found) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_file_is_missed(copied: Callable[..., Path], name: str) -> None:
    folder = copied()
    (folder / name).unlink()
    verdict = verify(folder)
    assert "files" in failed(verdict)
    assert name in next(each.said for each in verdict.checks if each.key == "files")


def numbers(found: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every number of a JSON value stands."""
    if isinstance(found, dict):
        return [place for name, each in found.items() for place in numbers(each, (*at, name))]
    if isinstance(found, list):
        return [place for name, each in enumerate(found) for place in numbers(each, (*at, name))]
    return [at] if isinstance(found, int | float) and not isinstance(found, bool) else []


@pytest.mark.parametrize(
    "kind",
    [
        "releases",
        pytest.param(
            "stained",
            marks=pytest.mark.thorough(
                "test_any_number_counts_even_where_the_hashes_are_made_anew"
            ),
        ),
    ],
)
@pytest.mark.parametrize("name", ["guarantee.json", "plan.json", "schema.json", "ledger.json"])
def test_any_number_counts_even_where_the_hashes_are_made_anew(
    packets_of: Packets, tmp_path: Path, kind: str, name: str
) -> None:
    folder = Path(shutil.copytree(packets_of(kind), tmp_path / "packet"))
    text = (folder / name).read_text()
    for at in numbers(json.loads(text)):
        said = json.loads(text)
        inner = said
        for step in at[:-1]:
            inner = inner[step]
        inner[at[-1]] = inner[at[-1]] * 2 if inner[at[-1]] else 1
        (folder / name).write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
        resummed(folder)
        verdict = verify(folder)
        assert not verdict.passed, at
        assert failed(verdict), at


def test_a_smaller_total_is_found_by_the_check_of_the_total(copied: Callable[..., Path]) -> None:
    folder = copied()
    said = json.loads((folder / "guarantee.json").read_text())
    said["guarantee"]["epsilon"] /= 2
    (folder / "guarantee.json").write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    resummed(folder)
    verdict = verify(folder)
    assert "total" in failed(verdict)
    assert "epsilon" in next(each.said for each in verdict.checks if each.key == "total")


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("README.txt", "documents"),
        ("report.html", "documents"),
        ("dictionary.csv", "documents"),
        ("values.csv", "documents"),
        ("datapackage.json", "documents"),
        ("guarantee.txt", "text"),
        ("guarantee.schema.json", "statement-schema"),
    ],
)
def test_words_that_do_not_follow_are_found(
    copied: Callable[..., Path], name: str, check: str
) -> None:
    folder = copied()
    with (folder / name).open("a") as file:
        file.write(" ")
    resummed(folder)
    assert check in failed(verify(folder))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("dataset", "runs"), 0),
        (("dataset", "spent"), {"epsilon": 0.5, "delta": 1e-9}),
        (("dataset", "budget"), {"epsilon": 0.5, "delta": 1e-9}),
        (("dataset", "spent"), {"epsilon": None, "delta": None}),
        (("dataset", "runs_that_promise_nothing"), 1),
        (("dataset", "tables"), 0),
        (("dataset", "tables"), 2),
        (("debit", "count"), 3),
        (("debit", "stained"), True),
        (("released_sha256",), "0" * 64),
        (("head",), "nothing"),
        (("more",), "4711"),
    ],
)
def test_a_ledger_extract_that_does_not_add_up_is_found(
    copied: Callable[..., Path], where: tuple[str, ...], value: Any
) -> None:
    folder = copied()
    said = json.loads((folder / "ledger.json").read_text())
    inner = said
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = value
    (folder / "ledger.json").write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    resummed(folder)
    assert "ledger" in failed(verify(folder))


@pytest.mark.parametrize("name", ["guarantee.json", "plan.json", "packet.json", "versions.json"])
@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a": NaN}', "[" * 100_000, "\xff\xfe"])
def test_what_is_no_json_is_a_failed_check_and_no_crash(
    copied: Callable[..., Path], name: str, text: str
) -> None:
    folder = copied()
    (folder / name).write_text(text, encoding="latin-1")
    resummed(folder)
    verdict = verify(folder)
    assert not verdict.passed
    assert failed(verdict)


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a file of JSON as whoever knows its form would, and the list of hashes with it."""
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    resummed(path.parent)


def of_another_version(folder: Path) -> None:
    """Let the packet say that another version made it."""
    rewritten(folder / "versions.json", lambda said: said.update(understudy="0.0.9"))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_stained_table_cannot_lose_its_stain(
    copied: Callable[..., Path], elsewhere: bool
) -> None:
    folder = copied("stained")
    for name in ("synthetic.csv", "synthetic.parquet"):
        (folder / f"demonstration-{name}").rename(folder / name)

    def unstained(said: dict[str, Any]) -> None:
        said["demonstration"] = False
        said["files"] = [name.removeprefix("demonstration-") for name in said["files"]]

    rewritten(folder / "packet.json", unstained)
    if elsewhere:
        of_another_version(folder)
    verdict = verify(folder)
    assert not verdict.passed
    assert "statement-schema" in failed(verdict)


def test_an_empty_folder_fails_and_says_what_is_missing(tmp_path: Path) -> None:
    verdict = verify(tmp_path)
    assert not verdict.passed
    assert "plan.json" in verdict.checks[0].said


def test_the_hashes_are_those_of_sha256sum(packets_of: Packets) -> None:
    folder = packets_of("attempts")
    for line in (folder / SUMS).read_text().splitlines():
        found, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == found


def test_words_of_another_version_are_left_to_it_and_that_is_said(
    copied: Callable[..., Path],
) -> None:
    folder = copied()
    assert verify(folder).outcome == "passed"
    (folder / "report.html").write_text("<p>ε = 0.1</p>")
    of_another_version(folder)
    rewritten(folder / "guarantee.json", lambda said: said["guarantee"].update(covers="more"))
    verdict = verify(folder)
    assert verdict.outcome == "another version"
    assert not verdict.passed
    states = {each.key: each.state for each in verdict.checks}
    assert states["total"] == states["table"] == states["ledger"] == "passed"
    assert states["documents"] == states["text"] == states["statement"] == "skipped"


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            "attempts",
            marks=pytest.mark.thorough("test_no_figure_is_left_to_another_version"),
        ),
        "releases",
    ],
)
def test_no_figure_is_left_to_another_version(
    packets_of: Packets, tmp_path: Path, kind: str
) -> None:
    folder = Path(shutil.copytree(packets_of(kind), tmp_path / "packet"))
    of_another_version(folder)
    rewritten(folder / "guarantee.json", lambda said: said["guarantee"].update(statement="Words"))
    text = (folder / "guarantee.json").read_text()
    for at in numbers(json.loads(text)):

        def other(said: dict[str, Any], at: tuple[Any, ...] = at) -> None:
            for step in at[:-1]:
                said = said[step]
            said[at[-1]] = said[at[-1]] * 2 or 1

        (folder / "guarantee.json").write_text(text)
        rewritten(folder / "guarantee.json", other)
        assert failed(verify(folder)), at


@pytest.mark.parametrize(
    "hide",
    [
        lambda text: text.replace(
            '"guarantee": {', '"guarantee": {"passed": 12},\n  "guarantee": {', 1
        ),
        lambda text: text.replace('"delta": 0.0001', '"delta": 0.00010000000000000000004711', 1),
        lambda text: text.replace("\n", " \t \n", 3),
        lambda text: text.replace('"strength"', '"st\\u0072ength"', 1),
        lambda text: text + "\n",
    ],
)
def test_nothing_hides_in_the_guarantee_where_no_program_reads_it(
    copied: Callable[..., Path], hide: Callable[[str], str]
) -> None:
    folder = copied()
    text = (folder / "guarantee.json").read_text()
    hidden = hide(text)
    assert hidden != text
    assert json.loads(hidden) == json.loads(text)
    (folder / "guarantee.json").write_text(hidden)
    resummed(folder)
    assert "statement-schema" in failed(verify(folder))


@pytest.mark.parametrize("kind", ["attempts", "releases", "seedless"])
def test_a_smaller_sum_of_failures_is_found(packets_of: Packets, tmp_path: Path, kind: str) -> None:
    folder = Path(shutil.copytree(packets_of(kind), tmp_path / "packet"))
    rewritten(folder / "ledger.json", lambda said: said["dataset"]["spent"].update(delta=1e-12))
    assert "ledger" in failed(verify(folder))


def test_what_a_packet_says_of_itself_steers_no_terminal(copied: Callable[..., Path]) -> None:
    folder = copied()
    name = "\x1b[2Jno such column\u202e"

    def renamed(said: dict[str, Any]) -> None:
        said["fields"][1]["name"] = said["fields"][0]["name"] = name

    rewritten(folder / "schema.json", renamed)
    said = "".join(each.said for each in verify(folder).checks)
    assert "no such column" in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_paths_are_those_of_where_they_were_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal, match=r"There is no packet nowhere\.zip"):
        verdict.verify_apart(Path("nowhere.zip"))
    Path("odd.zip").write_bytes(b"no zip file")
    with pytest.raises(Refusal, match="neither the folder of a packet nor a zip file"):
        verdict.verify_apart(Path("odd.zip"))
    Path("empty").mkdir()
    found = verdict.verify_apart(Path("empty"))
    assert isinstance(found, PacketVerdict)
    assert found.outcome == "failed"
    assert all(isinstance(each, PacketCheck) for each in found.checks)


@pytest.mark.parametrize(
    ("why", "said"),
    [("memory", "more memory"), ("time", "more time"), ("crash", "ends the program")],
)
def test_a_packet_that_ends_what_checks_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str, said: str
) -> None:
    def ending(*_: object) -> None:
        raise Ended(why)  # type: ignore[arg-type]

    monkeypatch.setattr(verdict, "run_in_sandbox", ending)
    with pytest.raises(Refusal, match=said):
        verdict.verify_apart(tmp_path)


def lines_of(folder: Path) -> list[str]:
    return (folder / "synthetic.csv").read_text().splitlines()


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [lines[0], "4711,C,1.00", *lines[2:]],
        lambda lines: [lines[0], "30,X,1.00", *lines[2:]],
        lambda lines: [lines[0], "30,C,1.0", *lines[2:]],
        lambda lines: [lines[0], "30,C,1.00,9", *lines[2:]],
        lambda lines: [lines[0], *reversed(lines[1:])],
        lambda lines: [lines[0].replace("job", "work"), *lines[1:]],
        lambda lines: [lines[0], lines[1].replace(",", " ,"), *lines[2:]],
        lambda lines: [],
    ],
)
def test_another_table_is_found(
    copied: Callable[..., Path], change: Callable[[list[str]], list[str]]
) -> None:
    folder = copied()
    lines = lines_of(folder)
    (folder / "synthetic.csv").write_text("".join(f"{line}\n" for line in change(lines)))
    resummed(folder)
    assert "table" in failed(verify(folder))


def test_a_row_that_breaks_a_rule_is_found_whatever_the_packet_says_of_its_table(
    copied: Callable[..., Path],
) -> None:
    folder = copied("ruled")
    verdict = verify(folder)
    assert verdict.passed, verdict
    said = next(each.said for each in verdict.checks if each.key == "rules")
    assert said == f"2 rules, {len(lines_of(folder)) - 1:,} rows: 0 broken."
    lines = lines_of(folder)
    place = next(place for place, line in enumerate(lines) if ",C," in line)
    lines[place] = f"{lines[place].split(',')[0]},C,1.75"
    data = "".join(f"{line}\n" for line in lines).encode()
    (folder / "synthetic.csv").write_bytes(data)
    rewritten(
        folder / "guarantee.json",
        lambda said: said["table"].update(sha256=hashlib.sha256(data).hexdigest()),
    )
    resummed(folder)
    verdict = verify(folder)
    found = {each.key: each for each in verdict.checks}
    assert found["table"].state == "passed"
    assert found["rules"].state == "failed"
    assert found["rules"].said.startswith("1 row of ")
    assert "clerks" in found["rules"].said or "pay >= 2" in found["rules"].said


def test_a_row_in_another_cell_of_known_totals_is_found(copied: Callable[..., Path]) -> None:
    folder = copied("ruled")
    said = next(each.said for each in verify(folder).checks if each.key == "totals")
    assert said == "5 totals, all hit."
    lines = lines_of(folder)
    place = next(place for place, line in enumerate(lines) if ",K," in line)
    lines[place] = lines[place].replace(",K,", ",N,")
    data = "".join(f"{line}\n" for line in lines).encode()
    (folder / "synthetic.csv").write_bytes(data)
    rewritten(
        folder / "guarantee.json",
        lambda said: said["table"].update(sha256=hashlib.sha256(data).hexdigest()),
    )
    resummed(folder)
    found = {each.key: each for each in verify(folder).checks}
    assert found["table"].state == "passed"
    assert found["totals"].state == "failed"
    assert "89 rows of “synthetic” with “Cook”, where the known totals have 90 of 400" in (
        found["totals"].said
    )


def test_a_packet_lists_known_totals_as_disclosed(packets_of: Packets) -> None:
    folder = packets_of("ruled")
    sentence = (
        "5 totals by “job”, 400 together: counts of this very table, released exactly and not"
    )
    for name in ("README.txt", "report.html", "dictionary.csv"):
        text = " ".join((folder / name).read_text().split())
        assert sentence in text, name
        assert "=Staff list of 2024" in text
    report = (folder / "report.html").read_text()
    assert '<tr><th scope="row">Clerk</th><td>120</td></tr>' in report
    guarantee = json.loads((folder / "guarantee.json").read_text())
    text = json.dumps(guarantee, ensure_ascii=False)
    assert "The totals by “job”: they count this very table" in text
    assert (folder / "dictionary.csv").read_text().splitlines()[0].endswith(",rules,known totals")


def test_a_packet_lists_its_rules_with_source_and_policy(packets_of: Packets) -> None:
    folder = packets_of("ruled")
    for name in ("README.txt", "report.html"):
        text = " ".join((folder / name).read_text().split())
        assert "If “job” is Clerk, then “pay” is at least 2." in text
        assert "a law or regulation" in text
        assert "nobody under 20 is asked" in text
        assert "are left out" in text
        assert "“job” is set to" in text
    guarantee = (folder / "guarantee.txt").read_text()
    assert "Nothing was spent on them." in " ".join(guarantee.split())
    dictionary = (folder / "dictionary.csv").read_text().splitlines()
    assert dictionary[0].endswith(",rules,known totals")
    assert "if (age < 20) is.na(job)" in dictionary[1]


def test_a_packet_says_which_rules_are_not_kept_and_how_many_rows_break_them(
    packets_of: Packets,
) -> None:
    folder = packets_of("aside")
    rows = [line.replace("'", "").split(",") for line in lines_of(folder)[1:]]
    broken = [
        (job == "C" and pay != "" and float(pay) < 2, age != "" and int(age) < 20 and job != "-")
        for age, job, pay in rows
    ]
    clerks, young = (sum(each) for each in zip(*broken, strict=True))
    together = sum(any(each) for each in broken)
    assert min(clerks, young) > 0
    for name in ("README.txt", "report.html"):
        text = " ".join((folder / name).read_text().split())
        assert f"{clerks} of {len(rows)} rows break it." in text
        assert f"{young} of {len(rows)} rows break it." in text
        assert "every row keeps" not in text.casefold()
    statement = " ".join((folder / "guarantee.txt").read_text().split())
    assert "2 rules were declared and not kept: they were set aside for this release" in statement
    verdict = verify(folder)
    assert verdict.passed, verdict
    said = next(each.said for each in verdict.checks if each.key == "rules")
    assert said == f"2 rules declared and not kept: {together} of {len(rows)} rows break one."


def test_another_table_in_parquet_is_found(copied: Callable[..., Path]) -> None:
    import pyarrow.parquet as pq

    folder = copied()
    table = pq.read_table(folder / "synthetic.parquet")
    for other in (
        table.slice(1),
        table.append_column("more", table.column("age")),
        table.replace_schema_metadata({"note": "passed: 12"}),
    ):
        pq.write_table(other, folder / "synthetic.parquet")
        resummed(folder)
        assert "parquet" in failed(verify(folder))
    pq.write_table(table, folder / "synthetic.parquet", compression="snappy")
    resummed(folder)
    assert "parquet" in failed(verify(folder))


def test_what_is_hidden_in_parquet_is_found_by_another_version_of_its_library_too(
    copied: Callable[..., Path],
) -> None:
    import pyarrow.parquet as pq

    folder = copied()
    versions = json.loads((folder / "versions.json").read_text())
    versions["libraries"]["pyarrow"] = "1.0"
    (folder / "versions.json").write_text(json.dumps(versions, indent=2) + "\n")
    resummed(folder)
    assert "parquet" not in failed(verify(folder))
    table = pq.read_table(folder / "synthetic.parquet")
    noted = table.replace_schema_metadata({"note": "passed: 12"})
    pq.write_table(noted, folder / "synthetic.parquet")
    resummed(folder)
    assert "parquet" in failed(verify(folder))


def test_rows_are_counted_before_they_are_read(
    copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied()
    table = folder / "synthetic.csv"
    last = table.read_text().splitlines(keepends=True)[-1]
    with table.open("a") as file:
        file.write(last)
    resummed(folder)

    def read(*_: Any) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(checks, "read_released_csv", read)
    said = next(each.said for each in verify(folder).checks if each.key == "table")
    assert "more than the" in said


def test_a_line_feed_in_a_value_is_no_row() -> None:
    kinds = Column(name="kind", domain=Categories(values=("a", "b\nc\nd")))
    size = Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)))
    schema = Schema(columns=(kinds, size))
    records = Records(schema, np.array([[1, 3]] * 5, dtype=np.uint16))
    assert to_csv_bytes(records).count(b"\n") == count_most_lines(schema, 5)
