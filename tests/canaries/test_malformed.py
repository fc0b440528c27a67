"""Files that are not what they seem, made of a table full of canaries. Files that are broken: each
is read or refused in words, and nothing of it is said or left.
"""

from __future__ import annotations

import functools
import gzip
import io
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.canaries.conftest import Watch
from tests.canaries.planted import IDENTITY, NAME, STRAY, WHOLE, csv, frame, schema
from tests.engine.table.formats import write
from understudy.cli import FAILED, main
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import encode
from understudy.table.sources.databases.database import read_query
from understudy.table.sources.reading import read_table


def _file(kind: str) -> bytes:
    """The table as a sound file of a kind."""
    with TemporaryDirectory() as folder:
        return write(kind, frame(80), Path(folder) / f"people.{kind}").read_bytes()


def _half(kind: str) -> bytes:
    content = _file(kind)
    return content[: len(content) // 2]


def _without_end(kind: str, bytes_: int = 9) -> bytes:
    return _file(kind)[:-bytes_]


def _with_other_middle(kind: str) -> bytes:
    """Sound at both ends, with canaries where the rest should be."""
    content = bytearray(_file(kind))
    middle = f"{STRAY}{NAME}{IDENTITY}{WHOLE}".encode() * 4
    start = len(content) // 2
    content[start : start + len(middle)] = middle
    return bytes(content[: max(len(content), start)])


def _with_other_numbers(kind: str) -> bytes:
    """Lengths and counts in its head that are far too large."""
    content = bytearray(_file(kind))
    for place in range(60, min(len(content) - 4, 220), 8):
        content[place : place + 4] = b"\xff\xff\xff\x7f"
    return bytes(content)


def _text() -> str:
    return csv(80).decode()


def _unbalanced() -> bytes:
    lines = _text().split("\n")
    lines[7] = f'"{STRAY},' + lines[7]
    return "\n".join(lines).encode()


def _repeated_header() -> bytes:
    return (_text().replace("AREA,JOB", f"{STRAY},{STRAY}", 1)).encode()


def _no_header() -> bytes:
    return _text().split("\n", 1)[1].encode()


def _uneven() -> bytes:
    lines = _text().split("\n")
    lines[9] += f",{NAME},{STRAY}"
    lines[12] = STRAY
    return "\n".join(lines).encode()


def _huge_cell() -> bytes:
    return (_text() + f"{STRAY * 400_000},cook,20,1,{NAME},a,b\n").encode()


def _mixed_ends() -> bytes:
    lines = _text().split("\n")
    ends = ("\r\n", "\n", "\r")
    return "".join(line + ends[place % 3] for place, line in enumerate(lines)).encode()


def _wide(columns: int, letters: int = 0) -> bytes:
    """So many columns, whose names have so many letters at least."""
    names = ",".join(f"{STRAY}{each}".ljust(letters, "x") for each in range(columns))
    return f"{names}\n{names}\n".encode()


def _workbook(part: Callable[[str, bytes], bytes | None]) -> bytes:
    """A workbook, each of its parts replaced; None leaves one out."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(_file("xlsx"))) as source,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            content = part(name, source.read(name))
            if content is not None:
                target.writestr(name, content)
    return made.getvalue()


def _bomb() -> bytes:
    """A workbook of a few kilobytes that unpacks to a hundred megabytes."""
    cell = f"<c t='inlineStr'><is><t>{STRAY}</t></is></c>".encode()
    row = b"<row>" + cell * 6 + b" " * 2000 + b"</row>"
    head = (
        b"<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>"
    )
    return _workbook(
        lambda name, old: (
            head + row * 40_000 + b"</sheetData></worksheet>" if "sheet1.xml" in name else old
        )
    )


def _sheet(change: Callable[[bytes], bytes]) -> bytes:
    """A workbook with its sheet changed."""
    return _workbook(lambda name, old: change(old) if "sheet1.xml" in name else old)


def _corner() -> bytes:
    """A workbook with one more cell, in the last corner of its sheet."""
    cell = f"<row r='1048576'><c r='XFD1048576' t='str'><v>{STRAY}</v></c></row></sheetData>"
    return _sheet(lambda old: old.replace(b"</sheetData>", cell.encode()))


def _sparse() -> bytes:
    """A workbook of few cells, which stand for very many: 6,000 rows of 3,000 columns."""
    names = b"".join(b"<c t='str'><v>%b%d</v></c>" % (STRAY.encode(), each) for each in range(3000))
    rows = b"<row><c t='str'><v>1</v></c></row>" * 6000
    whole = b"<sheetData><row>" + names + b"</row>" + rows + b"</sheetData>"
    return _sheet(lambda old: re.sub(rb"<sheetData>.*</sheetData>", whole, old, flags=re.DOTALL))


def _without_results() -> bytes:
    """A workbook in which formulas stand whose results nobody computed."""
    formula = f"<f>CONCAT(&quot;{STRAY}&quot;)</f>".encode()
    return _sheet(lambda old: re.sub(rb"<v>[^<]*</v>", formula, old, count=30))


def _merged() -> bytes:
    """A workbook with cells merged over names, over records, and beyond."""
    areas = b"".join(b'<mergeCell ref="%b"/>' % ref for ref in (b"A1:B1", b"A3:A9", b"C50:XFD99"))
    return _sheet(
        lambda old: old.replace(
            b"</sheetData>", b"</sheetData><mergeCells>" + areas + b"</mergeCells>"
        )
    )


def _small_dimension() -> bytes:
    return _sheet(lambda old: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:B5"', old))


def _escaped() -> bytes:
    lines = _text().split("\n")
    lines[5] = '"' + lines[5].replace(",", '\\"x","', 1).replace(",", '","', 5) + '"'
    return "\n".join(lines).encode()


def _parquet_bomb() -> bytes:
    """A few hundred bytes of Parquet that are a table of 72 MB."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = io.BytesIO()
    zeros = np.zeros(9_000_000, np.int8)
    pq.write_table(pa.table({STRAY: zeros, "b": zeros}), made)
    return made.getvalue()


def _spans_and_far_days() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = io.BytesIO()
    spans = pa.array([1, 2**62], pa.int64()).cast(pa.duration("ns"))
    days = pa.array([0, 2**31 - 1], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"a": spans, "b": days, "c": [STRAY, NAME]}), made)
    return made.getvalue()


def _entities() -> bytes:
    """A workbook whose sheet would quote a file of this machine, and grow by entities."""
    head = (
        f"<!DOCTYPE a [<!ENTITY b '{STRAY * 1000}'><!ENTITY c '{'&b;' * 1000}'>"
        "<!ENTITY f SYSTEM 'file:///etc/hostname'>]>"
    ).encode()

    def part(name: str, old: bytes) -> bytes:
        if "sheet1.xml" not in name:
            return old
        first = old.index(b"<worksheet")
        return old[:first] + head + old[first:].replace(b"<v>", b"<v>&c;&f;", 1)

    return _workbook(part)


def _parquet_with_long_footer() -> bytes:
    content = bytearray(_file("parquet"))
    content[-8:-4] = struct.pack("<I", 2**31 - 1)
    return bytes(content)


def _nested_parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = io.BytesIO()
    table = pa.table({"a": [[STRAY], [NAME]], "b": [{"c": IDENTITY}, {"c": STRAY}]})
    pq.write_table(table, made)
    return made.getvalue()


MALFORMED: Mapping[str, Callable[[], bytes]] = {
    "cut-in-half.csv": lambda: _half("csv"),
    "unbalanced-quotes.csv": _unbalanced,
    "repeated-header.csv": _repeated_header,
    "no-header.csv": _no_header,
    "uneven-rows.csv": _uneven,
    "huge-cell.csv": _huge_cell,
    "nul-bytes.csv": lambda: _text().replace(",cook,", ",co\0ok,").encode(),
    "mixed-ends.csv": _mixed_ends,
    "utf-16-without-mark.csv": lambda: _text().encode("utf-16-le"),
    "broken-utf-8.csv": lambda: _text().encode().replace(b"Quill", b"Qu\xffill", 9),
    "two-encodings.csv": lambda: _text().encode() + f"é{STRAY},ü,1,2,3,4,5\n".encode("cp1252"),
    # A line of it is longer than what a reading is suggested from.
    "a-thousand-columns.csv": lambda: _wide(1_000, letters=320),
    "sixty-thousand-columns.csv": lambda: _wide(60_000),
    "workbook-called.csv": lambda: _file("xlsx"),
    "parquet-called.csv": lambda: _file("parquet"),
    "gzip-called.csv": lambda: gzip.compress(csv(80)),
    "random-bytes.csv": lambda: bytes(range(256)) * 40 + STRAY.encode(),
    "one-column.csv": lambda: f"{STRAY}\n{NAME}\n{IDENTITY}\n".encode(),
    "only-header.csv": lambda: f"{STRAY},{NAME}\n".encode(),
    "formulas.csv": lambda: f"a,b\n=cmd|'{STRAY}'!A1,@{NAME}\n+1,-2\n".encode(),
    "cut-in-half.xlsx": lambda: _half("xlsx"),
    "bomb.xlsx": _bomb,
    "entities.xlsx": _entities,
    "last-corner.xlsx": _corner,
    "sparse.xlsx": _sparse,
    "without-results.xlsx": _without_results,
    "merged.xlsx": _merged,
    "small-dimension.xlsx": _small_dimension,
    "bomb.parquet": _parquet_bomb,
    "spans.parquet": _spans_and_far_days,
    "backslashes.csv": _escaped,
    "apostrophes.csv": lambda: _text().replace('"', "").replace("cook", f"'{STRAY}'").encode(),
    "cut-by-80.xpt": lambda: _without_end("xpt", 80),
    "without-end.por": lambda: _without_end("por", 200),
    "no-sheet.xlsx": lambda: _workbook(lambda name, old: None if "sheet1" in name else old),
    "other-sheet.xlsx": lambda: _workbook(
        lambda name, old: f"<{STRAY}".encode() if "sheet1.xml" in name else old
    ),
    "csv-called.xlsx": lambda: csv(80),
    "cut-in-half.parquet": lambda: _half("parquet"),
    "no-footer.parquet": lambda: _without_end("parquet"),
    "long-footer.parquet": _parquet_with_long_footer,
    "other-middle.parquet": lambda: _with_other_middle("parquet"),
    "nested.parquet": _nested_parquet,
    **{
        f"{how}.{kind}": lambda kind=kind, spoil=spoil: spoil(kind)  # type: ignore[misc]
        for kind in ("dta", "sav", "zsav", "por", "xpt", "sas7bdat")
        for how, spoil in (
            ("cut-in-half", _half),
            ("other-middle", _with_other_middle),
            ("other-numbers", _with_other_numbers),
        )
    },
    "csv-called.sav": lambda: csv(80),
    "csv-called.sas7bdat": lambda: csv(80),
}
"""File name → its content. Some can be read all the same; none may raise or tell anything."""

SQLITE: Mapping[str, Callable[[], bytes]] = {
    "cut-in-half.sqlite": lambda: _half("sqlite"),
    "other-middle.sqlite": lambda: _with_other_middle("sqlite"),
    "csv-called.sqlite": lambda: csv(80),
    "nothing.sqlite": lambda: b"",
}


CONTENT = {name: functools.cache(made) for name, made in {**MALFORMED, **SQLITE}.items()}
_LARGEST = "sixty-thousand-columns.csv"


def test_there_are_more_than_forty() -> None:
    assert len(MALFORMED) > 40


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in MALFORMED if name != _LARGEST),
        pytest.param(_LARGEST, marks=pytest.mark.thorough("test_an_upload_is_read_or_refused")),
    ],
)
def test_an_upload_is_read_or_refused(name: str, watch: Watch) -> None:
    try:
        raw = read_table(CONTENT[name](), name=name, limit_bytes=64 << 20)
        watch.said.extend(raw.notes)
        watch.said.append(repr(raw).replace(repr(raw.labels), ""))
        suggest_schema(raw)
        encode(raw, schema().with_reading(raw.reading))
    except Refusal as refusal:
        # What a file has for names of columns may be named: they are no cells.
        watch.hear(_without_names(refusal, name))
    assert watch.found() == []


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in MALFORMED if name != _LARGEST),
        pytest.param(
            _LARGEST, marks=pytest.mark.thorough("test_the_command_line_reads_or_refuses_it")
        ),
    ],
)
def test_the_command_line_reads_or_refuses_it(name: str, tmp_path: Path, watch: Watch) -> None:
    path = tmp_path / name
    path.write_bytes(CONTENT[name]())
    assert main(["schema", str(path), "--out", str(tmp_path / "out.json")]) != FAILED
    if name in NAMED:
        watch.capture.readouterr()
    (tmp_path / "out.json").unlink(missing_ok=True)
    path.unlink()
    assert watch.found(tmp_path) == []


@pytest.mark.parametrize("name", SQLITE)
def test_a_database_is_read_or_refused(name: str, tmp_path: Path, watch: Watch) -> None:
    path = tmp_path / name
    path.write_bytes(CONTENT[name]())
    try:
        raw = read_query(f"sqlite:///{path}", "people")
        watch.said.extend([*raw.notes, repr(raw)])
    except Refusal as refusal:
        watch.hear(refusal)
    assert watch.found() == []


NAMED = ("repeated-header.csv", "no-header.csv", "only-header.csv", "one-column.csv", _LARGEST)
"""Files whose first line, which names the columns, is made of canaries."""


def _without_names(refusal: Refusal, name: str) -> Refusal:
    return Refusal("", "") if name in NAMED else refusal
