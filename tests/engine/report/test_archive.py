"""The one zip file of a packet's files: whatever is hidden in it is found."""

from __future__ import annotations

import contextlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.report.bundle import EPOCH, is_as_written, write_archive

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
