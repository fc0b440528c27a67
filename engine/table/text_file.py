"""Which encoding a text file is in, and the same text in UTF-8."""

from __future__ import annotations

import codecs
import mmap
import re
from dataclasses import dataclass

import pyarrow as pa
from charset_normalizer import CharsetMatch, from_bytes

from engine.refusal import Refusal

_BLOCK = 1 << 22
_SAMPLE = 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16"),
)
_LIKELY = [
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "big5",
    "euc_kr",
]
_FOREIGN = re.compile(rb"[\x80-\xff]")
# Short cells between separators look messy in any encoding; only the order matters.
_MESSY = 0.9
_LAST_RESORTS = ("cp1252", "latin-1")


@dataclass(frozen=True, eq=False)
class Text:
    """A text file.

    Attributes:
        buffer: the text in UTF-8, without a byte order mark.
        encoding: what the file was in.
        bom: whether it began with a byte order mark.
        guessed: whether the encoding is a guess that somebody should look at.
    """

    buffer: pa.Buffer
    encoding: str
    bom: bool
    guessed: bool


def text_of(data: bytes | mmap.mmap, name: str, encoding: str | None) -> Text:
    """Decode a file: as told, else by its byte order mark, else as UTF-8, else by a guess.

    Raises:
        Refusal: it is binary, or not in the encoding given, or there is no such encoding.
    """
    if encoding is not None:
        return _as_told(data, name, encoding)
    for mark, codec, called in _MARKS:
        if data[: len(mark)] == mark:
            return Text(_decoded(data, name, codec), called, bom=True, guessed=False)
    if data.find(b"\0") >= 0:
        raise Refusal(
            f"{name} is binary, not text.",
            "Choose a CSV file; if it is UTF-16 text, name its encoding.",
            field="table",
        )
    if _decodes(data, "utf-8"):
        return Text(pa.py_buffer(data), "utf-8", bom=False, guessed=False)
    found = _guess(data)
    return Text(_decoded(data, name, found), found, bom=False, guessed=True)


def _as_told(data: bytes | mmap.mmap, name: str, encoding: str) -> Text:
    try:
        codec = codecs.lookup(encoding).name
        "".encode(codec)
    except (LookupError, ValueError):
        raise Refusal(
            "There is no text encoding of the name given.",
            "Use a name such as utf-8, windows-1252 or utf-16.",
            field="encoding",
        ) from None
    mark = codec == "utf-8" and data[: len(codecs.BOM_UTF8)] == codecs.BOM_UTF8
    buffer = _decoded(data, name, "utf-8-sig" if mark else codec)
    return Text(buffer, codec, bom=mark, guessed=False)


def _decoded(data: bytes | mmap.mmap, name: str, codec: str) -> pa.Buffer:
    """The text in UTF-8, block by block so that it is never held three times."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    sink = pa.BufferOutputStream()
    try:
        for start in range(0, len(data), _BLOCK):
            block = data[start : start + _BLOCK]
            sink.write(decoder.decode(block, start + _BLOCK >= len(data)).encode())
    except UnicodeError:
        raise Refusal(
            f"{name} is not text in the encoding {codec.removesuffix('-sig')}.",
            "Name the encoding it was saved in, or save it as UTF-8.",
            field="encoding",
        ) from None
    buffer = sink.getvalue()
    if b"\0" in memoryview(buffer)[:_SAMPLE].tobytes():
        raise Refusal(
            f"{name} is binary, or not in the encoding {codec}.",
            "Choose a CSV file, or name the encoding it was saved in.",
            field="encoding",
        )
    return buffer


def _decodes(data: bytes | mmap.mmap, codec: str) -> bool:
    decoder = codecs.getincrementaldecoder(codec)("strict")
    try:
        for start in range(0, len(data), _BLOCK):
            decoder.decode(data[start : start + _BLOCK], start + _BLOCK >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _guess(data: bytes | mmap.mmap) -> str:
    """The likeliest encoding that fits all of the file."""
    foreign = _FOREIGN.search(data)
    start = max(0, foreign.start() - _SAMPLE // 2) if foreign else 0
    sample = data[start : start + _SAMPLE]
    # A line cut short may end inside a character.
    whole_lines = sample[: sample.rfind(b"\n") + 1] or sample
    found, commonest = (
        from_bytes(whole_lines, cp_isolation=list(encodings), threshold=_MESSY).best()
        for encodings in (_LIKELY, _LAST_RESORTS[:1])
    )
    candidates = list(_LAST_RESORTS)
    # The commonest encoding wins over its kin where the letters that occur do not decide.
    if found and not (commonest and _rank(commonest) <= _rank(found)):
        candidates.insert(0, found.encoding)
    return next(codec for codec in candidates if _decodes(data, codec))


def _rank(match: CharsetMatch) -> tuple[float, float]:
    """Less mess first, then more resemblance to a language."""
    return match.chaos, -match.coherence
