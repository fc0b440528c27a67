"""Folders and zip files from hands that need not be trusted. The one zip file of a packet's files:
whatever is hidden in it is found.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.report.conftest import failed
from understudy.core.refusal import Refusal
from understudy.report import bundle
from understudy.report.bundle import EPOCH, is_as_written, write_archive
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


HIDDEN = b"what nobody should find here"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A zip file of three files, one of them empty."""
    folder = tmp_path_factory.mktemp("files")
    for name, content in {"b.txt": b"", "a.csv": b"x,y\n" * 4000, "c.json": b"{}\n"}.items():
        (folder / name).write_bytes(content)
    sink = io.BytesIO()
    write_archive("packet-1", folder.iterdir(), sink)
    return sink.getvalue()


def sound(content: bytes) -> bool:
    file = io.BytesIO(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return is_as_written(file, archive)


def entry(name: str, **changes: object) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, EPOCH)
    made.compress_type, made.create_system = zipfile.ZIP_DEFLATED, 3
    made.external_attr = 0o100644 << 16
    for each, value in changes.items():
        setattr(made, each, value)
    return made


def packed(*entries: tuple[zipfile.ZipInfo, bytes], comment: bytes = b"") -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for each, content in entries:
            archive.writestr(each, content)
        archive.comment = comment
    return sink.getvalue()


def test_what_was_written_is_sound(made: bytes) -> None:
    assert sound(made)
    assert sound(packed((entry("p/a"), b"1"), (entry("p/b"), b"22")))
    # Another program's way of deflating makes no difference.
    stored = zlib.compressobj(0, zlib.DEFLATED, -15)
    raw = stored.compress(b"abc") + stored.flush()
    assert sound(_with_stream(packed((entry("p/a"), b"abc")), raw))


def _with_stream(content: bytes, raw: bytes) -> bytes:
    """A zip file of one entry, with its stream exchanged and every size and place made to fit."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (found,) = archive.infolist()
        before = found.compress_size
    start = len(found.FileHeader())
    directory = content[start + before : -22]
    found.compress_size = len(raw)
    directory = directory[:20] + struct.pack("<L", len(raw)) + directory[24:]
    end = content[-22:-6] + struct.pack("<L", start + len(raw)) + content[-2:]
    return found.FileHeader() + raw + directory + end


@pytest.mark.parametrize(
    "hiding",
    [
        lambda made: HIDDEN + made,
        lambda made: made + HIDDEN,
        lambda made: packed((entry("p/a"), b"1"), comment=HIDDEN),
        lambda made: packed((entry("p/a", comment=HIDDEN), b"1")),
        lambda made: packed((entry("p/a", extra=b"\xfe\xca\x04\0abcd"), b"1")),
        lambda made: packed((entry("p/a", date_time=(1999, 1, 1, 0, 0, 0)), b"1")),
        lambda made: packed((entry("p/a", internal_attr=3), b"1")),
        lambda made: packed((entry("p/a", external_attr=0o100600 << 16), b"1")),
        lambda made: packed((entry("p/a", create_system=0), b"1")),
        lambda made: packed((entry("p/"), HIDDEN), (entry("p/a"), b"1")),
        lambda made: packed((entry("p/b"), b"1"), (entry("p/a"), b"2")),
        lambda made: packed((entry("p/a", compress_type=zipfile.ZIP_STORED), b"1")),
        lambda made: _with_stream(packed((entry("p/a"), b"1")), zlib.compress(b"1")[2:-4] + HIDDEN),
        lambda made: made.replace(b"packet-1/a", b"\0acket-1/a"),
    ],
    ids=[
        *("prefix", "tail", "comment", "entry-comment", "extra", "date", "internal", "external"),
        *("system", "folder", "order", "stored", "stream", "nameless"),
    ],
)
def test_whatever_is_hidden_is_found(made: bytes, hiding: Callable[[bytes], bytes]) -> None:
    assert not sound(hiding(made))


def test_what_stands_between_two_files_is_found(made: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        last = max(each.header_offset for each in archive.infolist())
        directory = archive.start_dir
    moved = bytearray(made[:last] + HIDDEN + made[last:])
    end = made.index(b"PK\5\6") + len(HIDDEN) + 16
    moved[end : end + 4] = struct.pack("<L", directory + len(HIDDEN))
    entry_at = made.rindex(b"PK\1\2") + len(HIDDEN) + 42
    moved[entry_at : entry_at + 4] = struct.pack("<L", last + len(HIDDEN))
    with zipfile.ZipFile(io.BytesIO(bytes(moved))) as archive:
        assert archive.testzip() is None
    assert not sound(bytes(moved))


def test_a_stream_larger_than_it_says_is_not_unpacked_to_its_end(tmp_path: Path) -> None:
    bomb = packed((entry("p/a"), bytes(1 << 24)))
    lying = bomb.replace(struct.pack("<L", 1 << 24), struct.pack("<L", 1 << 10))
    assert not sound(lying)


@settings(deadline=None)
@given(data=st.data())
def test_no_byte_of_the_wrapping_can_be_changed(made: bytes, data: st.DataObject) -> None:
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        streams = [
            range(start := each.header_offset + len(each.FileHeader()), start + each.compress_size)
            for each in archive.infolist()
        ]
    wrapping = [place for place in range(len(made)) if not any(place in one for one in streams)]
    changed = bytearray(made)
    changed[data.draw(st.sampled_from(wrapping))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(zipfile.BadZipFile, NotImplementedError, ValueError):
        assert not sound(bytes(changed))
