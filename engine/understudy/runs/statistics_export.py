"""Released tables as files of SPSS and Stata, as `plan_layout` lays them out. They are made from a
release and the public schema alone, and cost nothing."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.core.files import hash_file, refuse_disk_error
from understudy.core.refusal import Refusal
from understudy.mechanisms.statement import TABLE, released_of
from understudy.runs.evidence import read_planned_run
from understudy.runs.folder import RunFolder
from understudy.runs.statistics_layout import (
    ColumnLayout,
    StatisticsForm,
    StatisticsLayout,
    count_numbers,
)
from understudy.runs.table_file import read_first_records
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.records import Records, spell_column
from understudy.table.schema import Schema
from understudy.table.seed_mark import COLUMN, marked_schema, stain_records
from understudy.table.weights import scale_weights

_ALL: Final = 1 << 62
_FILE_LABEL: Final = "Synthetic records"


# A release.


def read_whole_table(path: Path, schema: Schema, *, stained: bool) -> Records:
    """Return all records of a released table, with its derived columns, and its mark if it bears
    one.

    Args:
        path: the file.
        schema: of its records, without the mark.
        stained: whether it bears the mark of a demonstration.

    Raises:
        Refusal: it cannot be read, or is of another schema.
    """
    try:
        records = read_first_records(path, schema, _ALL)
        shown = stain_records(records, marked_schema(schema)) if stained else records
        return shown.complete()
    except (OSError, ValueError, KeyError, IndexError, StopIteration, pa.ArrowException):
        raise Refusal(
            f"{path.name} cannot be read as a released table of the schema.",
            "Name the table as it was released, and the schema that it was made with.",
            field="schema",
        ) from None


def read_table_of(run: RunFolder, output: str = TABLE) -> Records:
    """Return all records of a table that a run released, with its mark if it bears one.

    Raises:
        Refusal: the run released no such table, or its files were changed or cannot be read.
    """
    tables = {each.name: each.schema for each in read_planned_run(run).tables}
    if not run.guarantee.exists() or not tables:
        raise Refusal(
            f"The run “{run.identity}” released no table.", "Choose another run.", field="run"
        )
    schema = tables.get(output)
    if schema is None:
        raise Refusal(
            f"The run “{run.identity}” released no table “{output}”.",
            f"Choose one of {', '.join(tables)}.",
            field="output",
        )
    if run.artefacts() is None:
        raise Refusal(
            f"The release of the run “{run.identity}” is no longer the one that its statement is "
            "about.",
            "Put back the files of the release, or choose another run.",
        )
    return read_whole_table(run.table_of(output), schema, stained=run.about().stained)


def check_released(path: Path) -> None:
    """Check that a table is the very one that the statement beside it is about, so that nothing but
    a release is called synthetic.

    Raises:
        Refusal: it is not, or no statement is beside it.
    """
    try:
        said = json.loads((path.parent / "guarantee.json").read_text(encoding="utf-8"))
        stated = {each.sha256 for each in released_of(said)}
        found = hash_file(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        stated, found = set(), ""
    if found not in stated:
        raise Refusal(
            f"No guarantee beside {path.name} is about this file.",
            "Name a run, or the table of a release as it was released, with its guarantee.json "
            "in the same folder.",
        )


def bears_mark(path: Path) -> bool:
    """Return whether a released table bears the mark of a demonstration.

    Raises:
        Refusal: it cannot be read.
    """
    try:
        if path.suffix == ".parquet":
            return COLUMN in pq.read_schema(path).names
        with path.open(encoding="utf-8", newline="") as file:
            return COLUMN in next(csv.reader(file), [])
    except (OSError, ValueError, csv.Error, pa.ArrowException):
        raise Refusal(
            f"{path} cannot be read as a released table.",
            "Name a run, or the table of a release: a file of CSV or Parquet.",
        ) from None


# Records.


def export_records(records: Records, layout: StatisticsLayout, path: Path) -> None:
    """Write records to a file, whole or not at all. Only its owner may read it.

    Args:
        records: of the schema that the layout was made for.
        layout: how they stand in the file.
        path: of the file; what is there is replaced.

    Raises:
        Refusal: the file cannot be written.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            part = Path(folder) / f"part.{layout.form}"
            _write(records, layout, part)
            part.chmod(0o600)
            os.replace(part, path)  # noqa: PTH105 (atomic by contract, which is what matters here)
    except OSError as error:
        raise refuse_disk_error(error, path) from None


def export_bytes(records: Records, layout: StatisticsLayout) -> bytes:
    """Return the same file as its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{layout.form}"
        _write(records, layout, path)
        return path.read_bytes()


def _write(records: Records, layout: StatisticsLayout, path: Path) -> None:
    import pandas as pd
    import pyreadstat

    columns, form = layout.columns, layout.form
    frame = pd.DataFrame(dict(_list_arrays(records, layout)))
    labels = {each.name: dict(each.labels) for each in columns if each.labels}
    about: dict[str, Any] = {
        "file_label": _FILE_LABEL,
        "column_labels": {each.name: each.title for each in columns if each.title},
        "variable_value_labels": labels or None,
        "variable_format": {each.name: each.shown for each in columns if each.shown} or None,
    }
    if form == "dta":
        lettered = {each.name: _list_letters(each) for each in columns if _list_letters(each)}
        pyreadstat.write_dta(frame, str(path), missing_user_values=lettered or None, **about)
        return
    ranges = {each.name: list(each.ranges) for each in columns if each.ranges}
    measures = {each.name: _measure_of(each) for each in columns}
    pyreadstat.write_sav(
        frame, str(path), missing_ranges=ranges or None, variable_measure=measures, **about
    )


def _list_letters(laid: ColumnLayout) -> list[str]:
    """Return the letters that stand for missing in a column."""
    if laid.content == "text":
        return []
    return [each for each in laid.missing if isinstance(each, str)]


def _measure_of(laid: ColumnLayout) -> str:
    """Return the level of measurement, as SPSS calls it."""
    return "scale" if laid.column is not None and laid.column.ordered else "nominal"


def _list_arrays(
    records: Records, layout: StatisticsLayout
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield the name and the values of each column, as the program keeps them."""
    for laid in layout.columns:
        if laid.column is None:
            yield laid.name, np.full(len(records), "", dtype=object)
        elif laid.scaled:
            yield laid.name, scale_weights(records, laid.column)
        elif laid.content == "text":
            yield laid.name, _spell_texts(records, laid, laid.column)
        else:
            yield laid.name, _count_column(records, laid, laid.column, layout.form)


def _spell_texts(records: Records, laid: ColumnLayout, column: Column) -> npt.NDArray[Any]:
    texts, places = spell_column(records, records.schema.index(column.name))
    values = [*texts[: len(texts) - column.missing_count], *laid.missing]
    spelled: npt.NDArray[Any] = np.array(values, dtype=object)[places]
    return spelled


def _count_column(
    records: Records, laid: ColumnLayout, column: Column, form: StatisticsForm
) -> npt.NDArray[Any]:
    """Return a column of numbers; with letters among them where Stata has them."""
    place = records.schema.index(column.name)
    codes = records.codes[:, place].astype(np.int64)
    missing = column.is_missing(codes)
    if column.measured:
        assert records.numbers is not None
        numbers = records.numbers[:, records.schema.measured_places.index(place)]
        usual = np.where(missing, float(range_of(column.domain).minimum), numbers)
        values = count_numbers(range_of(column.domain).numbers_to_arrow(usual, None), form)
    else:
        listed = count_numbers(column.domain.to_arrow(np.arange(column.domain.size), None), form)
        values = listed[np.where(missing, 0, codes)]
    if laid.whole and form == "dta" and not missing.any():
        return values.astype(np.int32)
    if not missing.any():
        return values
    which = codes[missing] - column.domain.size
    if form == "sav":
        numbers_instead = [np.nan if each is None else each for each in laid.missing]
        values[missing] = np.array(numbers_instead, dtype=np.float64)[which]
        return values
    mixed = (values.astype(np.int64) if laid.whole else values).astype(object)
    mixed[missing] = np.array(laid.missing, dtype=object)[which]
    if all(each is None for each in mixed):
        # Taken for texts otherwise.
        return np.full(len(mixed), np.nan)
    return mixed
