"""Suggestions how a CSV file is read, for a person to confirm: its encoding, separator, signs."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from charset_normalizer import CharsetMatch, from_bytes

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading, check_separator
from understudy.table.encodings import canonical_name, decoded_text, marked_encoding, to_utf8
from understudy.table.row_rules import RowRule
from understudy.table.sources.csv.dialect import Dialect, Record
from understudy.table.sources.source import Source

# Suggesting the encoding of a text file.
#
# The encoding in which most of the lines with non-ASCII bytes are valid is suggested; a few invalid
# lines do not change it.

_BLOCK = 1 << 22
_ENCODED_SAMPLE = 1 << 16
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
    if data.find(b"\0", 0, _ENCODED_SAMPLE) >= 0:
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
        spoilt = float("\0" in decoded_text(data[:_ENCODED_SAMPLE], encoding))
    else:
        spoilt = max(
            _spoilt(_foreign_lines(data), encoding), float(b"\0" in data[:_ENCODED_SAMPLE])
        )
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
    start = max(0, foreign.start() - _ENCODED_SAMPLE // 2) if foreign else 0
    sample = data[start : start + _ENCODED_SAMPLE]
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
    """Return a key that puts less mess first, then more resemblance to a language."""
    return match.chaos, -match.coherence


SEPARATORS = ",;\t|"
QUOTES = ('"', "'", None)
_SAMPLE = 1 << 18
_MARKUP = 40
_FEW, _STEPS = 200, 20
_MOST_LINES = 100
"""The most lines that a cell with line breaks is assumed to span."""


@dataclass(frozen=True)
class Hints:
    """What is known of a reading before the file is looked at.

    Attributes:
        separator, encoding: as in a reading; None where not known.
        leave_out: as in a reading.
    """

    separator: str | None = None
    encoding: str | None = None
    leave_out: tuple[RowRule, ...] = ()


@dataclass(frozen=True)
class ReadingSuggestion:
    """How a text file seems to be written.

    Attributes:
        reading: what is suggested.
        notes: sentences on what to look at.
    """

    reading: Reading
    notes: tuple[str, ...]


def suggest_reading(source: Source, hints: Hints) -> ReadingSuggestion:
    """Suggest how a text file is read.

    The separator and the quotation mark are those under which most of its first lines hold as many
    cells as the header. Cells are said to hold line breaks only where that takes apart more of the
    first lines.

    Raises:
        Refusal: a hint cannot be used, or the file is not text.
    """
    if hints.separator is not None:
        check_separator(hints.separator)
    found = suggest_encoding(source.data, source.name, hints.encoding)
    sample, cut = _sample(source, found.encoding)
    _check_no_markup(sample, source.name)
    first = Reading(
        kind="csv",
        encoding=found.encoding,
        separator=",",
        carriage_returns=b"\n" not in sample and b"\r" in sample,
    )
    tried = [
        _Tried(sample, cut, first.changed(separator=separator, quote=quote, line_breaks=breaks))
        for quote, ways in _quotes(sample)
        for separator in hints.separator or SEPARATORS
        for breaks in ways
    ]
    best = max(tried, key=_Tried.roughly).reading
    if best.quote is not None and best.quote.encode() in sample:
        one, other = (
            _Tried(sample, cut, best.changed(line_breaks=breaks)) for breaks in (False, True)
        )
        share = one.exactly()
        best = (other if share < 1 and other.exactly() > share else one).reading
    notes: tuple[str, ...] = ()
    if best.quote == "'" and b"'" in sample:
        notes = (
            "Apostrophes around cells were taken for quotation marks and left out. If they belong "
            "to the values, change the quotation mark of the reading to none.",
        )
    if found.guessed:
        notes = (
            *notes,
            f"The file is not UTF-8 and was read as {found.encoding}. Look at accented letters; "
            "if they are wrong, name the encoding.",
        )
    return ReadingSuggestion(best, notes)


def _check_no_markup(sample: bytes, name: str) -> None:
    """Check that a text is no JSON and no HTML, whose records are not lines of cells.

    Raises:
        Refusal: it is.
    """
    begin = sample.lstrip()[:_MARKUP].lower()
    if begin.startswith((b"<!doctype html", b"<html", b"<table", b"<?xml")):
        raise Refusal(
            f"{name} is a web page or XML, not a table.",
            "Open it in a spreadsheet program and save the table as CSV or Excel.",
            field="table",
        )
    lines = [line.strip() for line in sample.split(b"\n", 3)[:2]]
    if begin[:1] == b"[" or all(line[:1] + line[-1:] == b"{}" for line in lines):
        text = lines[0] if begin[:1] != b"[" else sample.strip()
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return
        if isinstance(found, dict | list):
            raise Refusal(
                f"{name} is JSON, a record a line or in a list, not a table.",
                "Save it as CSV or Parquet, such as with pandas.read_json, and open that.",
                field="table",
            )


def _quotes(sample: bytes) -> Iterator[tuple[str | None, tuple[bool, ...]]]:
    """Yield the quotation marks to be tried, each without line breaks in cells and, where it can
    make a difference, with. Those that do not occur are all the same: the first stands for them."""
    absent = False
    for quote in QUOTES:
        if quote is not None and quote.encode() in sample:
            yield quote, (False, True)
        elif not absent:
            absent = True
            yield quote, (False,)


def _sample(source: Source, encoding: str) -> tuple[bytes, bool]:
    """Return the first lines that are not blank in UTF-8, and whether the file goes on after them.

    Raises:
        Refusal: it is not text.
    """
    start = source.piece(0, _SAMPLE)
    cut = len(start) < source.size
    text = bytes(to_utf8(start, encoding, "\n", source.name))
    if b"\0" in text:
        raise Refusal(
            f"{source.name} is binary, or not in the encoding {encoding}.",
            "Choose a CSV file, or name the encoding it was saved in.",
            field="encoding",
        )
    if cut:
        end = max(text.rfind(b"\n"), text.rfind(b"\r"))
        text = text[: end + 1] if end >= 0 else text
    return text, cut


class _Tried:
    """The first records of a file under a candidate reading."""

    def __init__(self, sample: bytes, cut: bool, reading: Reading) -> None:
        self.reading = reading
        self._data, self._cut = memoryview(sample), cut
        self._signs = Dialect(reading)

    def exactly(self) -> float:
        """Return the share of lines that are in whole records."""
        return self._rank(None)[0]

    def roughly(self) -> tuple[float, int, int]:
        """Of the first lines, the share in whole records, a few odd ones left aside; then fewer
        columns that keep quotation marks; then more cells."""
        share, quoted, width = self._rank(_FEW)
        return round(share * _STEPS), quoted, width

    def _rank(self, most: int | None) -> tuple[float, int, int]:
        """Return the same exactly, of so many lines or of all."""
        records = self._records()
        header = next(records, None)
        width = len(header[1].cells or ()) if header else 0
        if header is None or width < 2:
            return -1.0, 0, width
        body: list[list[bytes]] = []
        lines, whole = header[0], header[0]
        for count, record in records:
            lines += count
            if record.cells is not None and len(record.cells) == width:
                whole += count if count <= _MOST_LINES else 0
                body.append(record.cells)
            elif record.cells is None and self._cut and 1 < count <= _MOST_LINES:
                # Its end may lie beyond what is looked at.
                lines -= count
            if most is not None and lines > most:
                break
        return whole / max(lines, 1), -_still_quoted(body), width

    def _records(self) -> Iterator[tuple[int, Record]]:
        """Yield the records, each with the number of lines it takes; those that only seem to be
        whole without their cells."""
        at = 0
        while at < len(self._data):
            end, _ = self._signs.line_at(self._data, at)
            if self._signs.is_blank(self._data[at:end]):
                at = self._signs.line_at(self._data, at)[1]
                continue
            record = self._signs.record_at(self._data, at)
            raw = bytes(self._data[at : record.after])
            body = raw[:-1] if raw.endswith(self._signs.end) else raw
            count = 1 + body.count(self._signs.end)
            if count > 1 and not self._neat(raw, record.cells):
                record = Record(None, record.after)
            yield count, record
            at = record.after

    def _neat(self, raw: bytes, cells: Sequence[bytes] | None) -> bool:
        """Return whether the quotation marks of each cell that runs over lines are around all of
        it."""
        quote, end = self._signs.quote, self._signs.end
        over = [cell for cell in cells or () if end in cell]
        return all(quote + cell.replace(quote, quote * 2) + quote in raw for cell in over)


def _still_quoted(records: Sequence[Sequence[bytes]]) -> int:
    """Return how many columns keep quotation marks around every one of their cells."""
    return sum(
        any(_are_wrapped(column, quote) for quote in (b'"', b"'"))
        for column in zip(*records, strict=True)
    )


def _are_wrapped(cells: Sequence[bytes], quote: bytes) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(len(cell) > 1 and cell[:1] == quote == cell[-1:] for cell in filled)
