"""Suggesting the encoding of a text file.

The encoding in which most of the lines with non-ASCII bytes are valid is suggested; a few invalid
lines do not change it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from charset_normalizer import CharsetMatch, from_bytes

from understudy.core.refusal import Refusal
from understudy.table.encodings import canonical_name, decoded_text, marked_encoding

_BLOCK = 1 << 22
_SAMPLE = 1 << 16
_LINES = 20_000
_MOST_SPOILT = 0.5
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
_FITS = 0.01
_LAST_RESORTS = ("cp1252", "latin-1")


@dataclass(frozen=True)
class EncodingSuggestion:
    """An encoding that a file seems to be in.

    Attributes:
        encoding: as `encodings.canonical_name` names it.
        guessed: whether somebody should look at it.
    """

    encoding: str
    guessed: bool = False


def suggest_encoding(data: bytes, name: str, told: str | None) -> EncodingSuggestion:
    """Suggest an encoding: as told, else by the byte order mark, else UTF-8, else a guess.

    Raises:
        Refusal: the file is binary; or most of its lines are not text in the encoding told; or
            there is no such encoding.
    """
    if told is not None:
        return EncodingSuggestion(_as_told(data, name, told))
    mark = marked_encoding(data)
    if mark is not None:
        return EncodingSuggestion(mark)
    if data.find(b"\0", 0, _SAMPLE) >= 0:
        raise Refusal(
            f"{name} is binary, not text.",
            "Choose a CSV file; if it is UTF-16 text, name its encoding.",
            field="table",
        )
    if _decodes(data) or _spoilt(_foreign_lines(data), "utf-8") < _MOST_SPOILT:
        return EncodingSuggestion("utf-8")
    return EncodingSuggestion(canonical_name(_guess(data)), guessed=True)


def _as_told(data: bytes, name: str, told: str) -> str:
    plainly = told.strip().lower().replace("_", "-")
    if plainly in ("utf-16", "utf-32"):
        # The order of the bytes is told by the mark, or is the usual one.
        mark = marked_encoding(data) or ""
        told = mark if mark.startswith(plainly) else f"{plainly}-le"
    encoding = canonical_name(told)
    if encoding.startswith(("utf-16", "utf-32")):
        spoilt = float("\0" in decoded_text(data[:_SAMPLE], encoding))
    else:
        spoilt = max(_spoilt(_foreign_lines(data), encoding), float(b"\0" in data[:_SAMPLE]))
    if spoilt > _MOST_SPOILT:
        raise Refusal(
            f"{name} is not text in the encoding {encoding}.",
            "Name the encoding it was saved in, or save it as UTF-8.",
            field="encoding",
        )
    return encoding


def _decodes(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        for start in range(0, len(data), _BLOCK):
            decoder.decode(data[start : start + _BLOCK], start + _BLOCK >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _foreign_lines(data: bytes) -> Sequence[bytes]:
    """Return the first lines with more than ASCII."""
    return list(islice(_all_foreign_lines(data), _LINES))


def _all_foreign_lines(data: bytes) -> Iterator[bytes]:
    at = 0
    while found := _FOREIGN.search(data, at):
        start = max(data.rfind(sign, at, found.start()) for sign in (b"\n", b"\r")) + 1
        ends = (data.find(sign, found.end()) for sign in (b"\n", b"\r"))
        end = min((end for end in ends if end >= 0), default=len(data))
        yield data[max(start, at) : end]
        at = end


def _spoilt(lines: Sequence[bytes], encoding: str) -> float:
    """Return the share of lines that are not text in an encoding."""
    return sum(not _is_text(line, encoding) for line in lines) / max(len(lines), 1)


def _is_text(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _guess(data: bytes) -> str:
    """Return the likeliest encoding that nearly all of the file is text in."""
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
    lines = _foreign_lines(data)
    return next(codec for codec in candidates if _spoilt(lines, codec) <= _FITS)


def _rank(match: CharsetMatch) -> tuple[float, float]:
    """Less mess first, then more resemblance to a language."""
    return match.chaos, -match.coherence
