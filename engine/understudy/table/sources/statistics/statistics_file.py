"""Reading Stata, SPSS and SAS files as texts, with the labels and missing values they declare.

Read in blocks, so that only the texts of a whole table are ever held. The library's own data frames
are not used: in one of whole numbers, an empty cell after a tagged missing value comes out as a
number.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.cells import cell_text
from understudy.table.declared_reading import Kind, Reading
from understudy.table.labels import Labels
from understudy.table.raw import RawTable
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.size_limits import check_held
from understudy.table.sources.source import NAMES, Source, damaged_file
from understudy.table.sources.statistics import sas_transport
from understudy.table.sources.statistics.encoding import (
    BYTE_BY_BYTE,
    codec_of,
    decode_letters,
    iconv_name,
)
from understudy.table.sources.statistics.formats import format_notes
from understudy.table.sources.statistics.times import clock_of
from understudy.table.sources.table_builder import Speller, TableBuilder
from understudy.table.unreadable import NOT_TEXT

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
    renamed = labels.renamed(dict(zip(about.column_names, names, strict=True)))
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
        """Everything but the records."""
        encoding = None if self.encoding is None else iconv_name(self.encoding)
        return self._read(encoding, metadataonly=True)[1]

    def texts(self, about: Any) -> Speller:
        """Return how its texts are decoded, given everything but the records."""
        if self.kind in _NO_ENCODING:
            return _own_table
        return partial(decode_letters, codec=codec_of(self.source, self.kind, about, self.encoding))

    def blocks(self, about: Any) -> Iterator[tuple[Sequence[Sequence[Any]], Any]]:
        """Records, column by column, and what was found out while reading them."""
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
            says = sas_transport.check_whole(self.source, len(about.column_names), rows)
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
            raise _misspelled(self.source) from None
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            raise self._explained(error) from None
        except (ValueError, TypeError, LookupError):
            raise damaged_file(self.source, self.kind) from None
        return found

    def _explained(self, error: Exception) -> Refusal:
        """Return what the library's own sentence comes to; others may quote a cell, and are not
        shown."""
        said = str(error)
        if any(words in said for words in _OF_ENCODING):
            return _misspelled(self.source)
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


def _misspelled(source: Source) -> Refusal:
    return Refusal(
        f"Names or labels of {source.name} are not in the encoding that the file or you named.",
        "Name the encoding it was saved in, such as windows-1252 or utf-8.",
        field="encoding",
    )


def _spellers(about: Any, kind: Kind, texts: Speller) -> dict[str, Speller]:
    """Per column, how its values are written, its texts as given."""
    return {
        name: texts if held == "string" else _numbers(kind, about.original_variable_types[name])
        for name, held in about.readstat_variable_types.items()
    }


def _numbers(kind: Kind, form: str | None) -> Speller:
    """Return how numbers are written that are shown in a format."""
    clock = clock_of(kind, form)
    number = cell_text if clock is None else clock.text
    return _tagged(number) if kind in _TAGGED else number


def _own_table(text: str) -> str:
    """Return a text that the library turned by a table in the file; a letter that is not in it
    cannot be read."""
    return NOT_TEXT if "\ufffd" in text else text


def _tagged(number: Speller) -> Speller:
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
        """Titles, labels of codes, and texts declared missing.

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
