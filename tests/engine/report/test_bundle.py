"""Folders and zip files from hands that need not be trusted."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.report.tampering import failed
from understudy.core.refusal import Refusal
from understudy.report import bundle
from understudy.report.verify import verify

Packets = Callable[[str], Path]


def test_its_zip_file_passes_too(packets_of: Packets, tmp_path: Path) -> None:
    folder, path = packets_of("attempts"), tmp_path / "packet.zip"
    with path.open("wb") as sink:
        bundle.write_archive(folder.name, folder.iterdir(), sink)
    assert verify(path).passed


@pytest.mark.parametrize("top", ["packet-1/", ""])
def test_one_that_another_program_packed_is_to_be_unpacked(
    packets_of: Packets, tmp_path: Path, top: str
) -> None:
    path = tmp_path / "packet.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for each in packets_of("attempts").iterdir():
            packed.write(each, f"{top}{each.name}")
    verdict = verify(path)
    assert failed(verdict) == {"wrapping"}
    assert any("Unpack it" in each.said for each in verdict.checks)


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


def zipped(path: Path, entries: dict[str, bytes], **more: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = more.get("attributes", 0o100644 << 16)
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED)
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
    with zipfile.ZipFile(path, "w") as packed:
        for each in packets_of("attempts").iterdir():
            packed.write(each, each.name)
        with pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr("plan.json", "{}")
    assert "files" in failed(verify(path))


def test_a_zip_that_grows_without_end_is_not_unpacked(
    packets_of: Packets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy.report import bundle

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


def test_a_pipe_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "p.zip")
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("nobody writes into it"))
    with pytest.raises(Refusal, match="neither"):
        verify(tmp_path / "p.zip")


def test_a_file_that_is_too_large_is_not_read_to_its_end(
    copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy.report import bundle

    folder = copied()
    monkeypatch.setattr(bundle, "most_bytes", lambda name: 1 << 20)
    (folder / "README.txt").write_bytes(bytes(1 << 22))
    hashes = next(each for each in verify(folder).checks if each.key == "hashes")
    assert hashes.state == "failed"
    assert "too large" in hashes.said


@pytest.mark.parametrize("top", ["../", "/", "./"])
def test_a_zip_as_a_whole_that_leads_elsewhere_is_all_strangers(
    packets_of: Packets, tmp_path: Path, top: str
) -> None:
    entries = {f"{top}{path.name}": path.read_bytes() for path in packets_of("attempts").iterdir()}
    assert "files" in failed(verify(zipped(tmp_path / "p.zip", entries)))


def test_a_zip_that_is_packed_in_another_way_is_not_unpacked(
    packets_of: Packets, tmp_path: Path
) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as packed:
        for each in packets_of("attempts").iterdir():
            packed.write(each, each.name)
    assert "files" in failed(verify(path))


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_spoilt_zip_fails_or_is_refused(packets_of: Packets, data: st.DataObject) -> None:
    entries = {path.name: path.read_bytes() for path in packets_of("attempts").iterdir()}
    with tempfile.TemporaryDirectory() as folder:
        path = zipped(Path(folder) / "p.zip", entries)
        content = bytearray(path.read_bytes())
        start = data.draw(st.integers(0, len(content) - 1))
        spoilt = data.draw(st.binary(min_size=1, max_size=24))
        content[start : start + len(spoilt)] = spoilt
        path.write_bytes(content)
        with contextlib.suppress(Refusal):
            verify(path)


def test_a_stream_that_is_no_stream_is_a_failed_check(packets_of: Packets, tmp_path: Path) -> None:
    entries = {path.name: path.read_bytes() for path in packets_of("attempts").iterdir()}
    path = zipped(tmp_path / "p.zip", entries)
    with zipfile.ZipFile(path) as packed:
        start = packed.getinfo("report.html").header_offset + 30 + len("report.html")
    content = bytearray(path.read_bytes())
    content[start : start + 20] = b"\xff" * 20
    path.write_bytes(content)
    assert "hashes" in failed(verify(path))
