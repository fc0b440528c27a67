"""Confidential tables, and which arguments answer a refusal of the engine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from understudy.core.display import Shown, ShowsItself
from understudy.core.refusal import Refusal, name_answers
from understudy.ledger.people import SIMILAR_PEOPLE, UNKNOWN_PEOPLE
from understudy.table.authoring.column_origins import UNSAID
from understudy.table.authoring.declaration import SEVERAL_ROWS
from understudy.table.declared_reading import usual
from understudy.table.fit import check_present
from understudy.table.raw import RawTable
from understudy.table.row_rules import parse_rules
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

if TYPE_CHECKING:
    import pandas as pd


_UNNAMED: Final = "data frame"


@dataclass(frozen=True, repr=False, eq=False)
class ConfidentialTable(ShowsItself):
    """A table that was read. It shows the names of its columns, and nothing of its records.

    Attributes:
        name: what its dataset is called if nobody says otherwise; None for a data frame that was
            given no name, whose dataset is named by its content, so that two of them stay apart.
        raw: its texts. Confidential.
        source: the file or data frame that it was read from; None for a database.
    """

    name: str | None
    raw: RawTable
    source: Path | pd.DataFrame | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return self.raw.names

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how it was read. Internal."""
        return self.raw.notes

    @property
    def called(self) -> str:
        """What a project calls it: the name of its file, or its own."""
        return self.source.name if isinstance(self.source, Path) else self.name or _UNNAMED

    def describe_itself(self) -> Shown:
        """Return what it shows of itself."""
        return Shown(
            f"Confidential table “{self.name or _UNNAMED}”, {len(self.columns)} columns",
            [("Columns", ", ".join(self.columns))],
            remarks=["Its records are not shown."],
        )

    def read_by(self, schema: Schema) -> RawTable:
        """Return its texts, read as a schema declares.

        Raises:
            Refusal: it cannot be read so, or its first line has not the names of the schema.
        """
        if self.raw.reading == schema.reading_of(self.raw.reading.kind):
            return self.raw
        if isinstance(self.source, Path):
            return _read_file(self.source, schema)
        if self.source is not None:
            return _read_frame(self.source, schema)
        return self.raw


def read(
    source: str | os.PathLike[str] | pd.DataFrame,
    *,
    query: str | None = None,
    name: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    leave_out_rows: Sequence[str] = (),
) -> ConfidentialTable:
    """Return the confidential table in a file, a database or a data frame.

    Nothing of it is written anywhere, and nothing of its records is shown.

    Args:
        source: the path of a file (CSV, Parquet, Excel, Stata, SPSS, SAS, GPS tracks), a data
            frame of pandas, or with `query` the connection string of a database.
        query: the name of a table of the database, or a query that begins with SELECT.
        name: what its dataset is called in the ledger; made from the file's name, or from what is
            in a data frame, if left out.
        separator: what stands between two cells of a CSV file; found if left out.
        encoding: of the texts; found if left out.
        sheet: of an Excel file; the first if left out.
        leave_out_rows: rules for rows of a CSV or Excel file that are no records: "names again",
            "first value alone", "begins with Total" or "weight begins with kg".

    Raises:
        Refusal: there is no such file, it cannot be read as a table, or a column of a data frame
            holds values that cannot be written as text.

    Example:
        >>> import understudy as us
        >>> table = us.read("people.csv")
        >>> table.columns[:3]
        ('AGEP', 'COW', 'SCHL')
        >>> us.read(pandas.DataFrame({"sex": ["f", "m"], "day": [1, 2]}), name="visits")
        Confidential table “visits”, 2 columns
          Columns  sex, day
        Its records are not shown.
    """
    if query is not None:
        return _read_database(source, query, name)
    if not isinstance(source, str | os.PathLike):
        return _of_frame(source, name)
    path = Path(source)
    raw = read_table(
        path,
        separator=separator,
        encoding=encoding,
        sheet=sheet,
        leave_out=parse_rules(leave_out_rows),
    )
    return ConfidentialTable(name or path.stem, raw, path)


def table_read_by(
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame, schema: Schema
) -> ConfidentialTable:
    """Return a table, read as its schema declares.

    Args:
        table: what `read` returned, or a path or data frame that was not read yet.
        schema: what its columns may contain, and how it is read.

    Raises:
        Refusal: it cannot be read so.
    """
    if isinstance(table, ConfidentialTable):
        return ConfidentialTable(table.name, table.read_by(schema), table.source)
    if isinstance(table, str | os.PathLike):
        path = Path(table)
        return ConfidentialTable(path.stem, _read_file(path, schema), path)
    _check_frame(table)
    return ConfidentialTable(None, _read_frame(table, schema), table)


def _read_file(path: Path, schema: Schema) -> RawTable:
    raw = read_table(path, schema.reading or usual("csv"))
    if raw.reading.kind == "csv":
        check_present(raw.names, schema.needed)
    return raw


def _read_frame(frame: pd.DataFrame, schema: Schema) -> RawTable:
    from understudy.table.sources.data_frame import read_data_frame

    return read_data_frame(frame, schema.reading_of("parquet"))


def _of_frame(frame: pd.DataFrame, name: str | None) -> ConfidentialTable:
    from understudy.table.sources.data_frame import read_data_frame

    _check_frame(frame)
    return ConfidentialTable(name, read_data_frame(frame), frame)


def _check_frame(source: object) -> None:
    """Check that something is a data frame.

    Raises:
        Refusal: it is not.
    """
    import pandas as pd

    if not isinstance(source, pd.DataFrame):
        raise Refusal(
            f"A {type(source).__name__} is no table.",
            "Give the path of a file, or a data frame of pandas.",
            field="table",
        )


def _read_database(
    source: str | os.PathLike[str] | pd.DataFrame, query: str, name: str | None
) -> ConfidentialTable:
    from understudy.table.sources.databases.database import read_query, table_name

    if not isinstance(source, str):
        raise Refusal(
            "A query is for a database, and this is no connection string.",
            "Give one, such as sqlite:///survey.sqlite, or leave the query out.",
            field="query",
        )
    return ConfidentialTable(name or table_name(source, query), read_query(source, query))


def names_said(names: Sequence[str] | str) -> tuple[str, ...]:
    """Return names of columns, one of which may be given by itself."""
    return (names,) if isinstance(names, str) else tuple(names)


ANSWERS: Final[Mapping[str, str]] = {
    UNKNOWN_PEOPLE: "new_people=True, or dataset=NAME",
    SIMILAR_PEOPLE: "dataset=NAME, or new_people=True with because=REASON",
    SEVERAL_ROWS: (
        "person=, order= and most_per_person= of suggest_schema, or single_rows=True of declare"
    ),
    UNSAID: 'origins=["codebook=age,sex", "the questionnaire of 2024=q1_*"] of declare',
    "schema": "schema = declare(schema, table, note=…)",
}
"""By the field of a refusal, the arguments that answer it."""


def name_arguments(
    answers: Mapping[str, str] = ANSWERS,
) -> AbstractContextManager[None]:
    """Add to a refusal the arguments that answer it, by its field; see `name_answers`."""
    return name_answers(answers, "In Python")
