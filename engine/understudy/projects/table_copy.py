"""A copy of the confidential table in a project, made only on request.

It saves opening the table again, but is one more place that holds the records: the name of its file
and a note beside it say so. A copy is loaded only if it is unchanged.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from understudy.core.files import atomic_file, make_private, replace_text
from understudy.core.refusal import Refusal
from understudy.projects.project import Project, refuse_unwritable
from understudy.table.raw import TEXTS, RawTable

NAME = "CONFIDENTIAL-copy-of-the-table.parquet"

_FOLDER, _README = "table", "README.txt"
_ABOUT = b"understudy"
_WARNING = """CONFIDENTIAL

{name} is a copy of the confidential table that this project is about: every
record, as it was opened. Somebody asked Understudy to keep it here, so that the table need not be
given again each time. Nothing else in the project's folder holds a record of it.

Do not hand this folder on. To erase the copy, open the project and choose "Erase the copy", or
delete this folder. Backups and snapshots made in between are not reached by either.
"""


def keeps_table(project: Project) -> bool:
    """Return whether there is a copy."""
    return _place(project).is_file()


def keep_table(project: Project, raw: RawTable, name: str) -> None:
    """Copy a table into a project, in the place of an earlier copy.

    Args:
        project: where to.
        raw: the table. Confidential.
        name: what it is called.

    Raises:
        Refusal: it cannot be written.
    """
    place = _place(project)
    about = {"name": name, **raw.about()}
    try:
        make_private(place.parent)
        warning = _WARNING.format(name=NAME)
        replace_text(place.parent / _README, warning)
        table = raw.arrow.replace_schema_metadata({_ABOUT: json.dumps(about).encode()})
        with atomic_file(place) as file:
            pq.write_table(table, file, compression="zstd")
    except (OSError, pa.ArrowException):
        with suppress(OSError):
            if not place.exists():
                shutil.rmtree(place.parent)
        raise Refusal(
            "The copy of the table cannot be written into the project.",
            "Check that the disk is not full. Nothing was kept; the table stays open.",
            field="keep",
        ) from None


def take_back_table(project: Project) -> tuple[str, RawTable]:
    """Return the copy: what the table is called, and the table.

    Raises:
        Refusal: there is none, or it is damaged.
    """
    try:
        place = _place(project)
        names = pq.read_schema(place).names
        found = pq.read_table(place, read_dictionary=names)
        about = json.loads((found.schema.metadata or {})[_ABOUT])
        # A column takes its texts from one dictionary, in one chunk.
        columns = [found.column(each).cast(TEXTS).combine_chunks() for each in names]
        table = pa.table([pa.chunked_array([each], TEXTS) for each in columns], names=names)
        return str(about["name"]), RawTable.restore_table(table, about)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException):
        raise Refusal(
            "The copy of the table in the project cannot be read.",
            "Open the table itself again, and erase the copy.",
            field="table",
        ) from None


def erase_table(project: Project) -> None:
    """Delete the copy, where there is one.

    Raises:
        Refusal: it cannot be deleted.
    """
    folder = _place(project).parent
    if not folder.exists():
        return
    try:
        shutil.rmtree(folder)
    except OSError:
        raise refuse_unwritable(folder) from None


def _place(project: Project) -> Path:
    return project.path / _FOLDER / NAME
