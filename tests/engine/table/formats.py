"""A data frame as a file of each kind that can be read, or as a table of a database."""

from __future__ import annotations

import ctypes
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import sqlalchemy
from pyreadstat import _readstat_writer

FILES = (
    "csv", "tsv", "parquet", "xlsx", "dta", "sav", "zsav", "por", "xpt", "sas7bdat",
)  # fmt: skip
"""The kinds of file, each the ending of its name."""


@dataclass(frozen=True)
class Words:
    """What a file of a statistics program says about its columns.

    Attributes:
        titles: column → label.
        values: column → code → label.
        ranges: column → values, or ranges with lo and hi, that are declared missing (SPSS).
        tags: column → letters that stand for missing (Stata).
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    ranges: Mapping[str, list[Any]] = field(default_factory=dict)
    tags: Mapping[str, list[str]] = field(default_factory=dict)


def write(kind: str, frame: pd.DataFrame, path: Path, words: Words | None = None) -> Path:
    """Write a file, or a table called “people” of an SQLite file.

    Args:
        kind: one of `FILES`, or "sqlite".
        frame: texts, numbers, None; where the kind knows them, dates too.
        path: where.
        words: labels and missing values, as far as the kind's writer knows them.
    """
    _WRITERS[kind](frame, path, words or Words())
    return path


def write_table(url: str, frame: pd.DataFrame, table: str = "people") -> None:
    """Write a table of a PostgreSQL database, in place of one of that name."""
    engine = sqlalchemy.create_engine(url)
    try:
        frame.to_sql(table, engine, index=False, if_exists="replace")
    finally:
        engine.dispose()


def _csv(frame: pd.DataFrame, path: Path, _words: Words) -> None:
    frame.to_csv(path, index=False)


def _tsv(frame: pd.DataFrame, path: Path, _words: Words) -> None:
    frame.to_csv(path, index=False, sep="\t")


def _parquet(frame: pd.DataFrame, path: Path, _words: Words) -> None:
    frame.to_parquet(path, index=False)


def _xlsx(frame: pd.DataFrame, path: Path, _words: Words) -> None:
    frame.to_excel(path, index=False)


def _dta(frame: pd.DataFrame, path: Path, words: Words) -> None:
    pyreadstat.write_dta(
        frame,
        str(path),
        column_labels=_titles(frame, words),
        variable_value_labels=_values(words),
        missing_user_values={name: list(tags) for name, tags in words.tags.items()} or None,
    )


def _sav(frame: pd.DataFrame, path: Path, words: Words, *, compressed: bool = False) -> None:
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels=_titles(frame, words),
        variable_value_labels=_values(words),
        missing_ranges=dict(words.ranges) or None,
        compress=compressed,
    )


def _zsav(frame: pd.DataFrame, path: Path, words: Words) -> None:
    _sav(frame, path, words, compressed=True)


def _por(frame: pd.DataFrame, path: Path, words: Words) -> None:
    pyreadstat.write_por(frame, str(path), column_labels=_titles(frame, words))


def _xpt(frame: pd.DataFrame, path: Path, words: Words) -> None:
    pyreadstat.write_xport(frame, str(path), column_labels=_titles(frame, words))


def _sqlite(frame: pd.DataFrame, path: Path, _words: Words) -> None:
    with sqlite3.connect(path) as connection:
        frame.to_sql("people", connection, index=False, if_exists="replace")
    connection.close()


def _titles(frame: pd.DataFrame, words: Words) -> list[str] | None:
    return [words.titles.get(str(name), "") for name in frame.columns] if words.titles else None


def _values(words: Words) -> dict[str, dict[Any, str]] | None:
    return {name: dict(labels) for name, labels in words.values.items()} or None


def _sas7bdat(frame: pd.DataFrame, path: Path, words: Words) -> None:
    """Numbers and texts only; missing numbers as SAS's own, missing texts empty."""
    names = [str(name) for name in frame.columns]
    columns = [list(frame[name].astype(object)) for name in frame.columns]
    path.write_bytes(_Sas(names, columns, words).written())


_WRITERS: dict[str, Callable[[pd.DataFrame, Path, Words], None]] = {
    "csv": _csv,
    "tsv": _tsv,
    "parquet": _parquet,
    "xlsx": _xlsx,
    "dta": _dta,
    "sav": _sav,
    "zsav": _zsav,
    "por": _por,
    "xpt": _xpt,
    "sas7bdat": _sas7bdat,
    "sqlite": _sqlite,
}


class _Sas:
    """A SAS data set, by the writer that ReadStat has and its Python package does not offer."""

    _TEXT, _NUMBER = 0, 5
    _WRITE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)

    def __init__(self, names: Sequence[str], columns: Sequence[list[Any]], words: Words) -> None:
        self._library = ctypes.CDLL(_readstat_writer.__file__)
        self._library.readstat_writer_init.restype = ctypes.c_void_p
        self._library.readstat_add_variable.restype = ctypes.c_void_p
        self._names, self._columns, self._words = names, columns, words
        self._texts = [any(isinstance(value, str) for value in column) for column in columns]
        self._bytes = bytearray()

    def written(self) -> bytes:
        """The file."""
        take = self._WRITE(self._take)
        writer = ctypes.c_void_p(self._library.readstat_writer_init())
        try:
            self._do("set_data_writer", writer, take)
            variables = [self._variable(writer, place) for place in range(len(self._names))]
            rows = len(self._columns[0])
            self._do("begin_writing_sas7bdat", writer, None, ctypes.c_long(rows))
            for record in zip(*self._columns, strict=True):
                self._do("begin_row", writer)
                for variable, value, text in zip(variables, record, self._texts, strict=True):
                    self._insert(writer, variable, value, text)
                self._do("end_row", writer)
            self._do("end_writing", writer)
        finally:
            self._library.readstat_writer_free(writer)
        return bytes(self._bytes)

    def _take(self, data: int, count: int, _context: int) -> int:
        self._bytes.extend(ctypes.string_at(data, count))
        return count

    def _variable(self, writer: ctypes.c_void_p, place: int) -> ctypes.c_void_p:
        name, column, text = self._names[place], self._columns[place], self._texts[place]
        width = max((len(str(value).encode()) for value in column if text), default=8)
        made = ctypes.c_void_p(
            self._library.readstat_add_variable(
                writer,
                name.encode(),
                self._TEXT if text else self._NUMBER,
                ctypes.c_size_t(max(width, 1) if text else 8),
            )
        )
        if name in self._words.titles:
            self._library.readstat_variable_set_label(made, self._words.titles[name].encode())
        return made

    def _insert(
        self, writer: ctypes.c_void_p, variable: ctypes.c_void_p, value: Any, text: bool
    ) -> None:
        if text:
            said = "" if pd.isna(value) else str(value)
            self._do("insert_string_value", writer, variable, said.encode())
        elif pd.isna(value):
            self._do("insert_missing_value", writer, variable)
        else:
            self._do("insert_double_value", writer, variable, ctypes.c_double(value))

    def _do(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, f"readstat_{name}")(*arguments)
        if code:
            raise RuntimeError(f"readstat_{name} failed with {code}")
