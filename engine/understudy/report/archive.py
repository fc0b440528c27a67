"""The zip file of a packet: the same files make the same archive, up to their compression.

A zip file has room beside its files: before, between and after them, in comments, extra fields,
dates and folder entries. Nothing may stand there. Bytes are deflated differently by different
programs, so that alone is not compared; each stream has to end where the file says.
"""

from __future__ import annotations

import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""When every file of a packet was made, as far as anybody is told."""

_LEVEL: Final = 6
_UNIX: Final = 3
_PLAIN: Final = 0o100644 << 16
_BLOCK: Final = 1 << 20
_DEFLATED: Final = -15
_MOST: Final = (1 << 32) - 1
"""Where a zip file needs further fields for its sizes."""

_HEADER: Final = 30
"""Bytes of an entry's header before its name."""

_END: Final = struct.Struct("<4s4H2LH")


def write_archive(top: str, paths: Iterable[Path], sink: BinaryIO) -> None:
    """Write files as one zip file: the same files, the same bytes.

    Args:
        top: the folder that they are in inside.
        paths: the files; they are put in the order of their names.
        sink: what takes the bytes.

    Raises:
        OSError: a file cannot be read.
    """
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for path in sorted(paths, key=lambda each: each.name):
            entry = _entry(f"{top}/{path.name}")
            entry.file_size = path.stat().st_size
            with path.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _BLOCK)


def is_as_written(file: BinaryIO, archive: zipfile.ZipFile) -> bool:
    """Return whether a zip file holds its entries and nothing else, as `write_archive` would have
    laid them out.

    Args:
        file: all of it; it is read from its beginning.
        archive: the same, opened; its entries are taken for plain deflated files.

    Raises:
        OSError: it cannot be read.
    """
    file.seek(0, 2)
    if file.tell() > _MOST:
        return False
    place, directory = 0, b""
    for found in sorted(archive.infolist(), key=lambda each: each.filename):
        # A name that begins with a null character is read as none.
        if not found.filename or found.is_dir():
            return False
        ours = _entry(found.filename)
        ours.CRC, ours.compress_size, ours.file_size = (
            found.CRC,
            found.compress_size,
            found.file_size,
        )
        header = ours.FileHeader()
        file.seek(place)
        if file.read(len(header)) != header:
            return False
        if not _is_stream(file, found.compress_size, found.file_size):
            return False
        directory += _listed(ours, place)
        place += len(header) + found.compress_size
    many = len(archive.infolist())
    end = _END.pack(b"PK\5\6", 0, 0, many, many, len(directory), place, 0)
    file.seek(place)
    return file.read() == directory + end


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = _UNIX
    entry.external_attr = _PLAIN
    return entry


def _listed(entry: zipfile.ZipInfo, place: int) -> bytes:
    """Return the entry in the directory at the end: its header again, and where it stands."""
    header = entry.FileHeader()
    name = header[_HEADER:]
    made_by = bytes((entry.create_version, entry.create_system))
    rest = struct.pack("<3H2L", 0, 0, 0, entry.external_attr, place)
    return b"PK\1\2" + made_by + header[4:_HEADER] + rest + name


def _is_stream(file: BinaryIO, packed: int, unpacked: int) -> bool:
    """Return whether what follows is one deflated stream of these sizes; none of it is kept."""
    stream = zlib.decompressobj(_DEFLATED)
    block = b""
    while not stream.eof:
        if not block:
            block = file.read(min(packed, _BLOCK))
            packed -= len(block)
        try:
            some = stream.decompress(block, _BLOCK)
        except zlib.error:
            return False
        if not some and not block:
            return False
        unpacked -= len(some)
        if unpacked < 0:
            return False
        block = stream.unconsumed_tail
    return packed == unpacked == 0 and not stream.unused_data
