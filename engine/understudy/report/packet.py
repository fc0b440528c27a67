"""A packet made from a run: the only way from a run's folder to files for a board."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from understudy import __version__
from understudy.core import clock
from understudy.core.files import make_private, refuse_disk_error
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.registry import plan_from_json
from understudy.mechanisms.statement import ReleasedFile, released_of
from understudy.projects.project import Project
from understudy.report import bundle, files
from understudy.report.alike import find_difference
from understudy.report.browser import print_pdf
from understudy.report.contents import Contents
from understudy.report.cover import Cover
from understudy.report.documents import make_documents
from understudy.report.files import Stored, list_sums
from understudy.report.guarantee_file import Statement
from understudy.report.ledger_extract import LedgerExtract
from understudy.report.outputs import (
    ReleasedTables,
    SyntheticTable,
    read_released_figures,
    read_released_table,
)
from understudy.report.shelf import (
    Packet,
    Shelved,
    clear_place,
    hash_sums,
    packet_name,
    shelve_packet,
)
from understudy.report.versions import Versions
from understudy.runs.control import home_ledger
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder
from understudy.table.encoding import csv_blocks
from understudy.table.schema import Schema

_EPOCH_SECONDS: Final = 315_532_800
_MADE_BY: Final = re.compile(r"understudy ([0-9A-Za-z][0-9A-Za-z.+_!-]{0,39})")
_SAME: Final = ("table", "outputs", "plan", "declared_public")
_STATED: Final = (
    "strength", "epsilon", "delta", "population", "record", "records_per_person", "protocol",
)  # fmt: skip


def make_packet(
    run: RunFolder,
    place: Path,
    cover: Cover,
    *,
    ledger: Ledger | None = None,
    pdf: bool = True,
) -> Packet:
    """Make the packet of a run, whole or not at all.

    The same run, cover and versions make the same bytes, and so the same packet.

    Args:
        run: a run that has released something.
        place: the folder that the packet gets a folder of its own in; made if it is not there.
        cover: the custodian's own words.
        ledger: where the run was paid for; that of the home folder if left out.
        pdf: whether the report is printed to PDF, where a Chromium is there.

    Raises:
        Refusal: the run has released nothing, what it released or decided was changed since, the
            ledger does not bear it out, or the place cannot be written.
    """
    if type(cover) is not Cover:
        raise TypeError("the cover of a packet has to be a Cover")
    contents = read_contents(run, cover, ledger or home_ledger())
    try:
        if not place.is_dir():
            make_private(place)
        with _building(place) as folder:
            _fill(folder, contents, pdf=pdf)
            final = place / packet_name(hash_sums(folder), stained=contents.stained)
            if not clear_place(final):
                folder.rename(final)
        now = clock.now().isoformat(timespec="seconds")
        return shelve_packet(final, Shelved(run=run.identity, made=now))
    except OSError:
        raise Refusal(
            f"The packet cannot be written to {place}.",
            "Check that the folder exists, that you may write there, and that the disk has room.",
            field="out",
        ) from None


def read_contents(run: RunFolder, cover: Cover, ledger: Ledger) -> Contents:
    """Return what may be published of a run.

    Raises:
        Refusal: as `make_packet`.
    """
    said = _read_statement(run)
    try:
        plan = plan_from_json(run.read_text("plan.json"))
        schema = Schema.from_json(run.read_text("schema.json"))
    except (OSError, ValueError):
        raise run.unreadable() from None
    stained = run.about().stained
    statement = Statement(plan, schema, released_of(said), stained)
    found = {each.output: _table(run, each, statement) for each in statement.tables}
    _check_stated(said, statement)
    outputs = [each.output for each in statement.released]
    extract = LedgerExtract.of(reconcile(ledger), run.identity, outputs)
    figures = read_released_figures(run.release, statement.figures)
    versions = Versions.here(_version(said))
    return Contents(cover, ReleasedTables(found), statement, extract, figures, versions)


def _table(run: RunFolder, file: ReleasedFile, statement: Statement) -> SyntheticTable:
    """Return a table that a run released."""
    schema = statement.decided.output(file.output).schema
    assert schema is not None
    return read_released_table(
        run.table_of(file.output), schema, file.sha256, stained=statement.stained
    )


def _read_statement(run: RunFolder) -> dict[str, Any]:
    """Return the run's own statement."""
    if run.guarantee.is_symlink() or run.release.is_symlink():
        raise _refuse_changed(run)
    if not run.guarantee.exists():
        raise Refusal(
            f"The run “{run.identity}” has released nothing.",
            "Choose a run that has finished.",
            field="run",
        )
    try:
        said: dict[str, Any] = json.loads(run.guarantee.read_text(encoding="utf-8"))
        if not all(map(_is_plain, released_of(said))):
            raise ValueError
        names = {each.output for each in released_of(said)}
        if any(each.is_symlink() for each in run.release.iterdir() if each.stem in names):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise _refuse_changed(run) from None
    return said


def _is_plain(file: ReleasedFile) -> bool:
    rows = file.rows is None or type(file.rows) is int
    return rows and type(file.output) is str and type(file.sha256) is str


def _check_stated(said: dict[str, Any], statement: Statement) -> None:
    """Check that the run's statement promises what its plan promises.

    Its words may be those of an earlier version, and are made anew.
    """
    fresh = json.loads(statement.to_json())
    alike = (
        isinstance(said.get("guarantee"), dict)
        and all(
            find_difference(said["guarantee"].get(name), fresh["guarantee"][name]) is None
            for name in _STATED
        )
        and all(said.get(name) == fresh.get(name) for name in _SAME)
    )
    if not alike:
        raise Refusal(
            "The statement of this run is not what its plan promises.",
            "Put back the files of the run, or choose another.",
            field="run",
        )


def _version(said: dict[str, Any]) -> str:
    """Return the version that the run was made with, where its statement says so."""
    found = _MADE_BY.fullmatch(str(said.get("made_by", "")))
    return found[1] if found else __version__


def _refuse_changed(run: RunFolder) -> Refusal:
    return Refusal(
        f"The release of the run “{run.identity}” was changed since it was made.",
        "Put back the files of the release, or choose another run.",
        field="run",
    )


@contextmanager
def _building(place: Path) -> Iterator[Path]:
    """Provide a hidden folder, gone at the end unless it was renamed."""
    folder = Path(tempfile.mkdtemp(prefix=".making-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fill(folder: Path, contents: Contents, *, pdf: bool) -> None:
    """Write every file of a packet, its moment always the same."""
    names = contents.names
    for name, table in contents.tables.found.items():
        with (folder / names.csv(name)).open("wb") as file:
            file.writelines(csv_blocks(table.records))
        with (folder / names.parquet(name)).open("wb") as file:
            table.write_parquet(file)
    stored = {path.name: Stored.at(path) for path in folder.iterdir()}
    with_pdf = names.all
    texts = make_documents(contents, stored, with_pdf)
    made = print_pdf(texts[files.REPORT]) if pdf else None
    if made is None:
        without = tuple(name for name in with_pdf if name != files.REPORT_PDF)
        texts = make_documents(contents, stored, without)
    else:
        (folder / files.REPORT_PDF).write_bytes(made)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    there = {path.name: Stored.at(path) for path in folder.iterdir()}
    (folder / files.SUMS).write_text(list_sums(there), encoding="utf-8", newline="\n")
    for path in folder.iterdir():
        path.chmod(0o644)
        os.utime(path, (_EPOCH_SECONDS, _EPOCH_SECONDS))
    folder.chmod(0o755)


def write_zip(packet: Packet, sink: BinaryIO) -> None:
    """Write a packet as one zip file: the same packet, the same bytes.

    Raises:
        OSError: a file of it cannot be read.
    """
    bundle.write_archive(packet.identity, (packet.path / name for name, _ in packet.files), sink)


def packet_as_zip(packet: Packet) -> bytes:
    """Return a packet as the bytes of one zip file.

    Raises:
        OSError: a file of it cannot be read.
    """
    sink = io.BytesIO()
    write_zip(packet, sink)
    return sink.getvalue()


def find_shelf(run: RunFolder) -> Path:
    """Return the folder where the packets of a run's project are; for a run of no project, that of
    the home folder."""
    project = Project(run.path.absolute().parent.parent)
    return project.packets if project.exists else home() / "packets"


def save_zip(packet: Packet) -> Path:
    """Write a packet as a zip file beside its folder, and return its path.

    Raises:
        Refusal: something else is there, or it cannot be written.
    """
    path = packet.path.with_name(f"{packet.identity}.zip")
    try:
        with path.open("xb") as file:
            try:
                write_zip(packet, file)
            except OSError:
                path.unlink(missing_ok=True)
                raise
    except FileExistsError:
        raise Refusal(
            f"{path} exists already, and is not overwritten.",
            "Choose another name, or remove it first.",
        ) from None
    except OSError as error:
        raise refuse_disk_error(error, path) from None
    return path
