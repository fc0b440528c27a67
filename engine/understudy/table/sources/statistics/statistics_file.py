"""Stata, SPSS and SAS files as texts, with the labels and missing values they declare.

Read in blocks, so that only the texts of a whole table are ever held. The library's own data frames
are not used: in one of whole numbers, an empty cell after a tagged missing value comes out as a
number.
"""

from __future__ import annotations

import codecs
import io
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT, cell_text
from understudy.table.declared_reading import Kind, Reading
from understudy.table.raw import Labels, RawTable
from understudy.table.sources.arrow_texts import Speller, TableBuilder
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.source import NAMES, Source, check_held, damaged_file

# Dates, times and periods of statistics programs, which are numbers counted from an epoch of the
# program.
#
# What a column's format says is whether its numbers count days, seconds or milliseconds, or tell
# the time of day. A value is a day if it is a midnight and else a day and a time, whatever its
# format shows of it: a month and a year too are the day that the number stands for. Of a format of
# times, a value beyond one day is a span or a point in time.

_DAY, _SECOND, _MILLISECOND = timedelta(days=1), timedelta(seconds=1), timedelta(milliseconds=1)
_NONE = timedelta(0)
_STATA = re.compile(r"%-?(t?d|tc|tC|t[wmqh])(.*)")
_NAMED = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")
_SPSS_MOMENTS = {
    "DATE", "ADATE", "EDATE", "JDATE", "SDATE", "DATETIME", "YMDHMS", "MOYR", "QYR", "WKYR",
}  # fmt: skip
_SPSS_TIMES = {"TIME", "DTIME", "MTIME"}
_SAS_DAYS = {
    "DATE", "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "NLDATE", "JULIAN", "NENGO", "MINGUO",
    "IS8601DA", "E8601DA", "B8601DA", "MONYY", "YYMON", "YYQ", "YYQR",
    "YYMM", "YYMMC", "YYMMN", "YYMMP", "YYMMS", "MMYY", "MMYYC", "MMYYD", "MMYYN", "MMYYP", "MMYYS",
    "YYQC", "YYQD", "YYQN", "YYQP", "YYQS", "YYQRC", "YYQRD", "YYQRN", "YYQRP", "YYQRS",
    "MMDDYY", "MMDDYYB", "MMDDYYC", "MMDDYYD", "MMDDYYN", "MMDDYYP", "MMDDYYS",
    "DDMMYY", "DDMMYYB", "DDMMYYC", "DDMMYYD", "DDMMYYN", "DDMMYYP", "DDMMYYS",
    "YYMMDD", "YYMMDDB", "YYMMDDD", "YYMMDDN", "YYMMDDP", "YYMMDDS",
}  # fmt: skip
_SAS_MOMENTS = {
    "DATETIME", "DATEAMPM", "MDYAMPM", "DTDATE", "DTMONYY", "DTWKDATX", "DTYYQC", "NLDATM",
    "E8601DT", "IS8601DT", "B8601DT", "B8601DN",
}  # fmt: skip
_SAS_TIMES = {"TIME", "HHMM", "MMSS", "TIMEAMPM", "NLTIME", "IS8601TM", "E8601TM", "B8601TM"}
_SAS_TIMES_OF_MOMENTS = {"TOD"}


@dataclass(frozen=True)
class Clock:
    """How the numbers of a column tell the time.

    Attributes:
        start: what 0 stands for.
        unit: what 1 is more.
        of_day: whether a number of less than a day stands for a time of day.
        spans: whether any other then stands for a span of time, and not for a point in time.
    """

    start: datetime
    unit: timedelta
    of_day: bool = False
    spans: bool = False

    def text(self, value: Any) -> str:
        """Return a number as a day, a point in time, a time of day or a span; nothing is empty, and
        what lies beyond the years 1 to 9999 cannot be read."""
        if value is None or value != value:
            return ""
        try:
            since = self.unit * value
            if self.of_day and _NONE <= since < _DAY:
                return cell_text((self.start + since).time())
            return cell_text(since if self.spans else self.start + since)
        except OverflowError:
            return NOT_A_VALUE


@dataclass(frozen=True)
class Periods:
    """How the numbers of a column of Stata tell periods, which it counts from 1960 on.

    Attributes:
        letter: “w” for its weeks, the first of which begins with the year and the last of which has
            eight or nine days; “m” for months; “q” for quarters; “h” for half-years.
    """

    letter: str

    def text(self, value: Any) -> str:
        """Return a number as a month such as 2024-01, a quarter such as 2024Q1, a half-year such as
        2024h1, or of a week its first day; nothing is empty, and what is no whole number, or beyond
        the years 1 to 9999, cannot be read."""
        if value is None or value != value:
            return ""
        if value != int(value):
            return NOT_A_VALUE
        year, part = divmod(int(value), _A_YEAR[self.letter])
        year += _FROM_1960.year
        if not 1 <= year <= 9999:
            return NOT_A_VALUE
        if self.letter == "m":
            return f"{year:04}-{part + 1:02}"
        if self.letter == "w":
            return cell_text(datetime(year, 1, 1) + timedelta(days=7 * part))
        return f"{year:04}{'Q' if self.letter == 'q' else 'h'}{part + 1}"


_A_YEAR: Mapping[str, int] = {"w": 52, "m": 12, "q": 4, "h": 2}
"""How many of each period a year has."""


def clock_of(kind: Kind, form: str | None) -> Clock | Periods | None:
    """Return how the numbers of a column of this format tell the time; None where they are numbers.

    Args:
        kind: which program's.
        form: the format as the file names it.
    """
    if form is None:
        return None
    if kind == "stata":
        return _stata(form)
    found = _NAMED.fullmatch(form)
    return _CLOCKS[kind].get(found[1]) if found else None


def _stata(form: str) -> Clock | Periods | None:
    found = _STATA.fullmatch(form)
    if found is None:
        return None
    if found[1][1:] in _A_YEAR:
        return Periods(found[1][1:])
    if found[1] in ("d", "td"):
        return Clock(_FROM_1960, _DAY)
    return Clock(_FROM_1960, _MILLISECOND, of_day=found[2] in ("HH:MM:SS", "HH:MM"))


_FROM_1960, _FROM_1582 = datetime(1960, 1, 1), datetime(1582, 10, 14)
_SPSS = dict.fromkeys(_SPSS_MOMENTS, Clock(_FROM_1582, _SECOND)) | dict.fromkeys(
    _SPSS_TIMES, Clock(_FROM_1582, _SECOND, of_day=True, spans=True)
)
_SAS = (
    dict.fromkeys(_SAS_DAYS, Clock(_FROM_1960, _DAY))
    | dict.fromkeys(_SAS_MOMENTS, Clock(_FROM_1960, _SECOND))
    | dict.fromkeys(_SAS_TIMES, Clock(_FROM_1960, _SECOND, of_day=True, spans=True))
    | dict.fromkeys(_SAS_TIMES_OF_MOMENTS, Clock(_FROM_1960, _SECOND, of_day=True))
)
_CLOCKS = {"spss": _SPSS, "spss-portable": _SPSS, "sas": _SAS, "sas-transport": _SAS}


# The encoding of a file of a statistics program, and decoding its texts one by one.
#
# The library that reads these files decodes all texts or fails. So it is told that each byte is a
# character, and every text is decoded here: one invalid text does not affect the others.

BYTE_BY_BYTE = "LATIN1"
"""The encoding whose letters are the bytes, as the library calls it."""

_ICONV = {"mac-roman": "MACINTOSH"}
_UTF_8_FROM = 118
_RELEASE = re.compile(rb"<stata_dta><header><release>(\d{3})")


def iconv_name(encoding: str) -> str:
    """Return the name of an encoding in the library's own list, which has fewer spellings.

    Raises:
        Refusal: there is no such encoding.
    """
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise Refusal(
            "There is no text encoding of the name given.",
            "Use a name such as utf-8, windows-1252 or utf-16.",
            field="encoding",
        ) from None
    return _ICONV.get(name, name.upper())


def codec_of(source: Source, kind: Kind, about: Any, encoding: str | None) -> str:
    """Return what a file's texts are decoded with: what was named, else what the file names, else
    what files of its kind are in.

    Args:
        source: the file.
        kind: which program's.
        about: what the library says of the file.
        encoding: what was named.

    Raises:
        Refusal: the file names an encoding that is not known here.
    """
    said = encoding or about.file_encoding or _usual(source, kind)
    for name in (said, said.replace("-", ""), f"cp{said.rpartition('-')[2]}"):
        try:
            return codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
    raise Refusal(
        f"{source.name} says that its texts are in an encoding that is not known here.",
        "Name the encoding it was saved in, such as windows-1252 or utf-8, or save it in UTF-8.",
        field="encoding",
    )


def decode_letters(letters: str, codec: str) -> str:
    """Return a text from its bytes, given as one letter each; `NOT_TEXT` if it is in another
    encoding.

    Args:
        letters: each of them below U+0100.
        codec: what it is decoded with.
    """
    if letters.isascii() and codec in _OF_ASCII:
        return letters
    try:
        return letters.encode("latin-1").decode(codec)
    except UnicodeError:
        return NOT_TEXT


_OF_ASCII = ("utf-8", "cp1252")


def _usual(source: Source, kind: Kind) -> str:
    """Return what files of a kind are in where they do not say: Stata's had the one of Windows,
    until they had UTF-8."""
    if kind != "stata":
        return "utf-8"
    start = source.piece(0, 40)
    found = _RELEASE.match(start)
    release = int(found[1]) if found else start[0]
    return "utf-8" if release >= _UTF_8_FROM else "cp1252"


# Notes on columns whose display format differs from the number that is read.

_ZEROS = {
    "stata": re.compile(r"%-?0\d+[.,]\d+[a-z]*"),
    "spss": re.compile(r"N\d+"),
    "sas": re.compile(r"(Z|SSN)\d*(\.\d*)?"),
}
_PLAIN = {
    "stata": re.compile(r"%[-~]?\d+[.,]\d+[a-zA-Z]*|%ty|%\d+[xXHL].*"),
    "spss": re.compile(
        r"(F|COMMA|DOT|DOLLAR|PCT|E|Z|CC[A-E]|IB|P|PIB|PIBHEX|PK|RB|RBHEX|AHEX|WKDAY|MONTH)\d*"
        r"(\.\d+)?"
    ),
    "sas": re.compile(
        r"((BEST|BESTX|BESTD|F|COMMAX?|DOLLARX?|EUROX?|PERCENTN?|NEGPAREN|NUMX|E|D|NLNUM|NLMNY)?\d*"
        r"(\.\d*)?)"
    ),
}
_FAMILY: Mapping[Kind, str] = {
    "stata": "stata",
    "spss": "spss",
    "spss-portable": "spss",
    "sas": "sas",
    "sas-transport": "sas",
}
_NAMED_AT_MOST = 5


def format_notes(kind: Kind, formats: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return what a person should see about the formats of columns of numbers.

    Args:
        kind: which program's.
        formats: column of numbers → its format as the file names it.
    """
    family = _FAMILY[kind]
    zeros, strange = [], []
    for name, form in formats.items():
        if not form or clock_of(kind, form) is not None:
            continue
        if _ZEROS[family].fullmatch(form.upper() if family != "stata" else form):
            zeros.append(name)
        elif not _PLAIN[family].fullmatch(form.upper() if family != "stata" else form):
            strange.append(name)
    notes = []
    if zeros:
        notes.append(
            f"Numbers of {_list_names(zeros)} are shown with zeros in front, which are no part of "
            "them. They were read without. Save them as text, if the zeros belong to the values."
        )
    if strange:
        notes.append(
            f"The formats of {_list_names(strange)} are not known here. Their numbers were read as "
            "the file keeps them: they may be counted from a day of the program's."
        )
    return tuple(notes)


def _list_names(names: Sequence[str]) -> str:
    first = ", ".join(f"“{name}”" for name in names[:_NAMED_AT_MOST])
    return (
        first
        if len(names) <= _NAMED_AT_MOST
        else f"{first} and {len(names) - _NAMED_AT_MOST} more columns"
    )


# Checking that a SAS transport file is complete.
#
# The format is one of records of 80 bytes. The library that reads it takes what is there for all
# that there was, so what the file tells of its own length is compared with what was read (https://s
# upport.sas.com/content/dam/SAS/support/en/technical-papers/record-layout-of-a-sas-version-5-or-6-d
# ata-set-in-sas-transport-xport-format.pdf).

_RECORD = 80
_HEADER = b"HEADER RECORD*******"
_MEMBER = _HEADER + b"MEMB"
_COLUMNS = (_HEADER + b"NAMESTR", _HEADER + b"NAMSTV8")
_RECORDS = (_HEADER + b"OBS  ", _HEADER + b"OBSV8")
_COUNTED = b"OBSV8"
_DIGITS = slice(48, 63)
_LENGTH_OF_COLUMN = slice(74, 78)
_BLANK = b" "


@dataclass(frozen=True)
class _Layout:
    """Where the records lie.

    Attributes:
        start: the place of the first.
        length: bytes of each.
        count: how many the file says there are; None where it does not say.
    """

    start: int
    length: int
    count: int | None


def check_whole(source: Source, columns: int, rows: int) -> bool:
    """Check that as many records were read as there are.

    Args:
        source: the file.
        columns: how many it has.
        rows: how many records were read.

    Returns:
        Whether the file says how many there are. Where it does not, one that was cut short between
        two records cannot be told from a whole one.

    Raises:
        Refusal: it was cut short, or holds several tables.
    """
    data = source.data
    if len(data) % _RECORD:
        raise damaged_file(source, "sas-transport")
    try:
        layout = _layout(data, columns)
    except (ValueError, struct.error):
        raise damaged_file(source, "sas-transport") from None
    if _next(data, _MEMBER, layout.start) >= 0:
        raise Refusal(
            f"{source.name} holds several tables.",
            "Save the one that is meant in a file of its own.",
            field="table",
        )
    rest = data[layout.start + rows * layout.length :]
    if layout.count not in (None, rows) or rest.strip(_BLANK):
        raise damaged_file(source, "sas-transport")
    # Blanks fill the last 80 bytes up. What is more than these would be records of blanks.
    if len(rest) >= _RECORD or layout.start + rows * layout.length > len(data):
        raise damaged_file(source, "sas-transport")
    return layout.count is not None


def _layout(data: bytes, columns: int) -> _Layout:
    member = _first(data, (_MEMBER,), 0)
    described = int(data[member:][_LENGTH_OF_COLUMN])
    start = _first(data, _COLUMNS, member) + _RECORD
    lengths = [
        struct.unpack_from(">H", data, start + place * described + 4)[0] for place in range(columns)
    ]
    header = _first(data, _RECORDS, start + columns * described)
    said = data[header:][_DIGITS].strip() if _COUNTED in data[header : header + _RECORD] else b""
    return _Layout(header + _RECORD, sum(lengths), int(said) if said.strip(b"0") else None)


def _first(data: bytes, signs: tuple[bytes, ...], start: int) -> int:
    """Return where a header record stands.

    Raises:
        ValueError: nowhere.
    """
    found = [place for sign in signs if (place := _next(data, sign, start)) >= 0]
    if not found:
        raise ValueError
    return min(found)


def _next(data: bytes, sign: bytes, start: int) -> int:
    """Return where a record that begins so stands, or −1."""
    found = data.find(sign, start)
    while found >= 0 and found % _RECORD:
        found = data.find(sign, found + 1)
    return found


_BLOCK_CELLS = 3_000_000
_BLOCK_BYTES = 256 << 20
_TAGGED = ("stata", "sas")
_USER_MISSING = (*_TAGGED, "spss")
_OF_MEMORY = "memory"
_OF_ENCODING = ("encoding", "invalid byte sequence", "character set")
_NO_ENCODING = ("spss-portable",)
# Skipping records takes as long as reading them here, so blocks would take many times as long.
_WHOLE = ("spss-portable",)
_MARK_THEIR_END = ("spss-portable",)
_UNCOUNTED = (
    "The file does not say how many records it has. If it was cut short between two records, "
    "nothing in it shows that: compare their number with that in the program that made it."
)


def read_statistics(source: Source, kind: Kind, *, encoding: str | None) -> RawTable:
    """Read a file of a statistics program.

    Values stay codes; their labels stand in `RawTable.labels`. A system missing value is empty, a
    tagged one is written as the program writes it (“.a”, in SAS “.A”), a code declared missing
    stays as it is. Days and times are in ISO format. Each value is read by itself: a text in
    another encoding, and a date beyond the year 9999, cannot be read, and take no other with them.

    Args:
        source: the file.
        kind: which program's.
        encoding: of its texts, where the file says it wrongly or not at all.

    Raises:
        Refusal: it is damaged or cut short, its names and labels are in another encoding, or see
            `reading.read_table`.
    """
    if encoding is not None and kind in _NO_ENCODING:
        raise Refusal(
            f"No encoding can be named for {NAMES[kind]}.", "Leave it out.", field="encoding"
        )
    file = _File(source, kind, encoding)
    about = file.about()
    names = checked_names(about.column_names, source.name)
    check_held(source, about.number_rows or 0, len(names))
    gathering = TableBuilder(names, list(_spellers(about, kind, file.texts(about)).values()))
    tags: dict[str, set[str]] = {}
    for columns, found in file.blocks(about):
        gathering.add(columns)
        check_held(source, 0, 0, gathering.size)
        # Read byte by byte, a name is another one.
        called = dict(zip(found.column_names, about.column_names, strict=True))
        for name, letters in found.missing_user_values.items():
            tags.setdefault(called[name], set()).update(letters)
    check_rows(gathering.rows, source.name)
    told = file.check_whole(about, gathering.rows)
    table = gathering.table()
    occurring = {
        old: table.column(new).chunk(0).dictionary.to_pylist()
        for old, new in zip(about.column_names, names, strict=True)
        if old in about.missing_ranges
    }
    labels = _Words(about, kind).labels(tags, occurring)
    renamed = labels.rename_columns(dict(zip(about.column_names, names, strict=True)))
    reading = Reading(kind=kind, encoding=encoding)
    raw = RawTable(table, reading, labels=renamed)
    notes = (*renamed.notes(), *told, *file.format_notes(about), *raw.unreadable_notes())
    return replace(raw, notes=notes)


@dataclass(frozen=True)
class _File:
    """A file and how the library reads it."""

    source: Source
    kind: Kind
    encoding: str | None

    def about(self) -> Any:
        """Return everything but the records."""
        encoding = None if self.encoding is None else iconv_name(self.encoding)
        return self._read(encoding, metadataonly=True)[1]

    def texts(self, about: Any) -> Speller:
        """Return how its texts are decoded, given everything but the records."""
        if self.kind in _NO_ENCODING:
            return _own_table
        return partial(decode_letters, codec=codec_of(self.source, self.kind, about, self.encoding))

    def blocks(self, about: Any) -> Iterator[tuple[Sequence[Sequence[Any]], Any]]:
        """Yield records, column by column, and note what is seen while they are read."""
        widths = about.variable_storage_width.values()
        wide = max(1, _BLOCK_BYTES // max(1, sum(widths)))
        most = 0 if self.kind in _WHOLE else max(1, min(_BLOCK_CELLS // len(widths), wide))
        start = 0
        while True:
            columns, found = self._read(BYTE_BY_BYTE, row_limit=most, row_offset=start)
            block = list(columns.values())
            rows = len(block[0])
            if rows:
                yield block, found
            start += rows
            if not most or rows < most:
                return

    def check_whole(self, about: Any, rows: int) -> tuple[str, ...]:
        """Check that there are as many records as the file says.

        Returns:
            What a person should see, where it does not say.

        Raises:
            Refusal: there are not; it was cut short.
        """
        if about.number_rows and about.number_rows != rows:
            raise damaged_file(self.source, self.kind)
        if self.kind == "stata" and not self._is_closed():
            raise damaged_file(self.source, self.kind)
        says = bool(about.number_rows) or self.kind in _MARK_THEIR_END
        if self.kind == "sas-transport":
            says = check_whole(self.source, len(about.column_names), rows)
        return () if says else (_UNCOUNTED,)

    def _is_closed(self) -> bool:
        """Return whether a Stata file of the newer kind ends as it began."""
        end = self.source.piece(max(0, self.source.size - 12), self.source.size)
        return self.source.piece(0, 11) != b"<stata_dta>" or end == b"</stata_dta>"

    def format_notes(self, about: Any) -> tuple[str, ...]:
        """Return what a person should see about the formats of its columns."""
        held = about.readstat_variable_types
        forms = about.original_variable_types
        numbers = {name.strip(): forms[name] for name in held if held[name] != "string"}
        return format_notes(self.kind, numbers)

    def _read(self, encoding: str | None, **options: Any) -> tuple[dict[str, list[Any]], Any]:
        import pyreadstat

        if self.kind in _USER_MISSING:
            options["user_missing"] = True
        if encoding is not None and self.kind not in _NO_ENCODING:
            options["encoding"] = encoding
        file = io.BytesIO(self.source.data)
        try:
            found: tuple[dict[str, list[Any]], Any] = _readers(pyreadstat)[self.kind](
                file, output_format="dict", disable_datetime_conversion=True, **options
            )
        except UnicodeDecodeError:
            raise _refuse_misspelled(self.source) from None
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            raise self._explain_error(error) from None
        except (ValueError, TypeError, LookupError):
            raise damaged_file(self.source, self.kind) from None
        return found

    def _explain_error(self, error: Exception) -> Refusal:
        """Return what the library's own sentence comes to; others may quote a cell, and are not
        shown."""
        said = str(error)
        if any(words in said for words in _OF_ENCODING):
            return _refuse_misspelled(self.source)
        if _OF_MEMORY in said:
            raise MemoryError from None
        return damaged_file(self.source, self.kind)


def _readers(library: Any) -> Mapping[Kind, Callable[..., Any]]:
    return {
        "stata": library.read_dta,
        "spss": library.read_sav,
        "spss-portable": library.read_por,
        "sas": library.read_sas7bdat,
        "sas-transport": library.read_xport,
    }


def _refuse_misspelled(source: Source) -> Refusal:
    return Refusal(
        f"Names or labels of {source.name} are not in the encoding that the file or you named.",
        "Name the encoding it was saved in, such as windows-1252 or utf-8.",
        field="encoding",
    )


def _spellers(about: Any, kind: Kind, texts: Speller) -> dict[str, Speller]:
    """Return, for each column, how its values are written, its texts as given."""
    return {
        name: texts if held == "string" else _numbers(kind, about.original_variable_types[name])
        for name, held in about.readstat_variable_types.items()
    }


def _numbers(kind: Kind, form: str | None) -> Speller:
    """Return how numbers are written that are shown in a format."""
    clock = clock_of(kind, form)
    number = cell_text if clock is None else clock.text
    return _tag_missing(number) if kind in _TAGGED else number


def _own_table(text: str) -> str:
    """Return a text that the library turned by a table in the file; a letter that is not in it
    cannot be read."""
    return NOT_TEXT if "\ufffd" in text else text


def _tag_missing(number: Speller) -> Speller:
    """Return a speller of numbers among which a letter stands for a missing value."""
    return lambda value: f".{value}" if isinstance(value, str) else number(value)


class _Words:
    """What a file says about its columns."""

    def __init__(self, about: Any, kind: Kind) -> None:
        self._about = about
        self._spell = _spellers(about, kind, str)

    def labels(
        self, tags: Mapping[str, set[str]], occurring: Mapping[str, Sequence[str]]
    ) -> Labels:
        """Return titles, labels of codes, and texts declared missing.

        Args:
            tags: column → letters of the missing values that occur.
            occurring: column → its texts, for columns with ranges.
        """
        titles = {
            name: " ".join(title.split())
            for name, title in self._about.column_names_to_labels.items()
            if title and title.split() and title != name
        }
        values = {
            name: {self._spell[name](code): label.strip() for code, label in found.items()}
            for name, found in self._about.variable_value_labels.items()
            if name in self._spell
        }
        missing = {
            name: tuple(sorted(self._spell[name](letter) for letter in letters))
            for name, letters in tags.items()
        }
        for name, found in self._about.missing_ranges.items():
            candidates = {*values.get(name, {}), *occurring.get(name, ())}
            declared = [text for text in candidates if any(_within(text, each) for each in found)]
            singles = [self._spell[name](each["lo"]) for each in found if each["lo"] == each["hi"]]
            missing[name] = tuple(sorted({*declared, *singles} - {""}, key=_rank))
        return Labels.of_file(
            titles, values, {name: texts for name, texts in missing.items() if texts}
        )


def _within(text: str, ends: Mapping[str, Any]) -> bool:
    """Return whether a text lies in a range of numbers or of texts."""
    low, high = ends["lo"], ends["hi"]
    if isinstance(low, str):
        return bool(low <= text <= high)
    try:
        return bool(low <= float(text) <= high)
    except (TypeError, ValueError):
        return False


def _rank(text: str) -> tuple[bool, float, str]:
    try:
        return False, float(text), text
    except ValueError:
        return True, 0.0, text
