"""A packet that was changed in any way fails a check, and the right one."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.refusal import Refusal
from engine.report import verify as verifying
from engine.report.files import SUMS, Stored, sums
from engine.report.verify import TITLES, Verdict, verify

Packets = Callable[[str], Path]
KINDS = ["attempts", "releases", "seedless", "stained"]
NAMES = (
    "README.txt", "report.html", "guarantee.txt", "guarantee.json", "guarantee.schema.json",
    "plan.json", "schema.json", "dictionary.csv", "values.csv", "datapackage.json", "ledger.json",
    "versions.json", "packet.json", "SHA256SUMS", "synthetic.csv", "synthetic.parquet",
)  # fmt: skip


def failed(verdict: Verdict) -> set[str]:
    return {each.key for each in verdict.checks if each.state == "failed"}


def resummed(folder: Path) -> None:
    """What somebody does who changes a file and knows of the list of hashes."""
    there = {path.name: Stored.at(path) for path in folder.iterdir() if path.name != SUMS}
    (folder / SUMS).write_text(sums(there))


@pytest.fixture
def copied(packets_of: Packets, tmp_path: Path) -> Callable[..., Path]:
    def copy(kind: str = "attempts") -> Path:
        return Path(shutil.copytree(packets_of(kind), tmp_path / "packet", dirs_exist_ok=True))

    return copy


@pytest.mark.parametrize("kind", KINDS)
def test_a_packet_as_made_passes_every_check(packets_of: Packets, kind: str) -> None:
    verdict = verify(packets_of(kind))
    assert [each.key for each in verdict.checks] == list(TITLES)
    assert {each.state for each in verdict.checks} == {"passed"}, verdict
    assert verdict.passed
    assert verdict.stained == (kind == "stained")


@pytest.mark.parametrize("top", ["packet-1/", ""])
def test_a_zip_file_of_it_passes_too(packets_of: Packets, tmp_path: Path, top: str) -> None:
    path = tmp_path / "packet.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in packets_of("attempts").iterdir():
            archive.write(each, f"{top}{each.name}")
    assert verify(path).passed


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
    return verifying.difference(*found) is None


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


@pytest.mark.parametrize("kind", ["releases", "stained"])
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


def test_files_that_do_not_belong_are_found(copied: Callable[..., Path], tmp_path: Path) -> None:
    folder = copied()
    (folder / "figures.json").write_text("{}")
    assert failed(verify(folder)) == {"files"}
    (folder / "figures.json").unlink()
    (folder / "internal").mkdir()
    assert failed(verify(folder)) == {"files"}
    (folder / "internal").rmdir()
    (folder / "plan.json").rename(tmp_path / "plan.json")
    (folder / "plan.json").symlink_to(tmp_path / "plan.json")
    assert "files" in failed(verify(folder))


def test_a_stained_table_cannot_lose_its_stain(copied: Callable[..., Path]) -> None:
    folder = copied("stained")
    for name in ("synthetic.csv", "synthetic.parquet"):
        (folder / f"demonstration-{name}").rename(folder / name)
    said = json.loads((folder / "packet.json").read_text())
    said["demonstration"] = False
    said["files"] = [name.removeprefix("demonstration-") for name in said["files"]]
    (folder / "packet.json").write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    resummed(folder)
    verdict = verify(folder)
    assert not verdict.passed
    assert "documents" in failed(verdict)


def zipped(path: Path, entries: dict[str, bytes], **more: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = more.get("attributes", 0o100644 << 16)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


@pytest.mark.parametrize(
    "name",
    ["../plan.json", "/etc/plan.json", "p/../../plan.json", "p/q/plan.json", "C:\\plan.json"],
)
def test_a_path_that_leads_out_of_the_zip_is_a_stranger(
    packets_of: Packets, tmp_path: Path, name: str
) -> None:
    entries = {f"p/{path.name}": path.read_bytes() for path in packets_of("attempts").iterdir()}
    verdict = verify(zipped(tmp_path / "p.zip", {**entries, name: b"{}"}))
    assert "files" in failed(verdict)


def test_a_link_in_a_zip_is_a_stranger(packets_of: Packets, tmp_path: Path) -> None:
    entries = {path.name: path.read_bytes() for path in packets_of("attempts").iterdir()}
    path = zipped(tmp_path / "p.zip", entries, attributes=(stat.S_IFLNK | 0o777) << 16)
    assert "files" in failed(verify(path))


def test_a_file_twice_in_a_zip_is_a_stranger(packets_of: Packets, tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in packets_of("attempts").iterdir():
            archive.write(each, each.name)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("plan.json", "{}")
    assert "files" in failed(verify(path))


def test_a_zip_that_grows_without_end_is_not_unpacked(
    packets_of: Packets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.report import bundle

    monkeypatch.setattr(bundle, "most_bytes", lambda name: 1 << 20)
    entries = {path.name: path.read_bytes() for path in packets_of("attempts").iterdir()}
    bomb = zipped(tmp_path / "p.zip", {**entries, "README.txt": bytes(1 << 22)})
    assert bomb.stat().st_size < 1 << 20
    assert "files" in failed(verify(bomb))
    # One that lies about its size is stopped while it is read.
    data = bytearray(bomb.read_bytes())
    true, false = (1 << 22).to_bytes(4, "little"), (100).to_bytes(4, "little")
    bomb.write_bytes(bytes(data).replace(true, false))
    assert not verify(bomb).passed


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"%PDF-1.7", bytes(1000)])
def test_what_is_no_packet_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.zip"
    path.write_bytes(content)
    with pytest.raises(Refusal):
        verify(path)
    with pytest.raises(Refusal):
        verify(tmp_path / "nowhere")


def test_an_empty_folder_fails_and_says_what_is_missing(tmp_path: Path) -> None:
    verdict = verify(tmp_path)
    assert not verdict.passed
    assert "plan.json" in verdict.checks[0].said


def test_the_hashes_are_those_of_sha256sum(packets_of: Packets) -> None:
    folder = packets_of("attempts")
    for line in (folder / SUMS).read_text().splitlines():
        found, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == found


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


def test_a_file_that_is_too_large_is_not_read_to_its_end(
    copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.report import bundle

    folder = copied()
    monkeypatch.setattr(bundle, "most_bytes", lambda name: 1 << 20)
    (folder / "README.txt").write_bytes(bytes(1 << 22))
    hashes = next(each for each in verify(folder).checks if each.key == "hashes")
    assert hashes.state == "failed"
    assert "too large" in hashes.said


def test_words_of_another_version_are_left_to_it(
    packets_of: Packets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "__version__", "0.0.9")
    monkeypatch.setattr("engine.report.verify.as_text", lambda said: "other words")
    verdict = verify(packets_of("attempts"))
    assert verdict.passed
    states = {each.key: each.state for each in verdict.checks}
    assert states["total"] == states["table"] == states["ledger"] == "passed"
    assert states["documents"] == states["text"] == "skipped"
